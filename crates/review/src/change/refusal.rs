//! The codes with which a change is refused.

use lessons_context::error::{Coded, Error};
use lessons_ledger::error::LedgerError;
use lessons_lesson::lesson::{Lesson, MAX_TEXT_CHARS};
use lessons_lesson::validate::{self, Flaw};

/// The code of a refusal with these errors. "Can never be told" outweighs every other error.
pub(super) fn code(errors: &[Flaw], lesson: &Lesson) -> &'static str {
    let is_long = lesson.rule.chars().count() > MAX_TEXT_CHARS;
    if errors.iter().any(|flaw| flaw.code == "UNRECALLABLE_LESSON") {
        "UNRECALLABLE_LESSON"
    } else if is_long {
        "OVERSIZED_RULE"
    } else {
        errors.first().map_or("SCHEMA_INVALID", |flaw| flaw.code)
    }
}

/// Turns the store's refusal into an error with a code.
pub(super) fn of_store(error: LedgerError) -> Error {
    match error {
        LedgerError::Invalid(problems) => match problems.as_slice() {
            [problem] if problem.flaw.code == validate::REFUSAL_WITHOUT_EXAMPLE => {
                Coded::refused(validate::REFUSAL_WITHOUT_EXAMPLE, problem.flaw.to_string()).into()
            }
            _ => Coded::refused("WRITE_REFUSED", LedgerError::Invalid(problems).to_string()).into(),
        },
        error => error.into(),
    }
}

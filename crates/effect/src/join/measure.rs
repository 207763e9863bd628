//! The outcome by which a lesson is measured.

use lessons_lesson::lesson::When;
use lessons_pattern::trigger::TriggerKind;

lessons_text::named! {
    /// The outcome of a session by which a lesson is measured: what counts as the mistake coming again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Measure {
        /// A later call matches again.
        Repeat = "repeat",
        /// A later matching call, or one of the three calls after it, fails, is refused or is corrected by the user.
        Failure = "failure",
        /// Any call of the session matches: for lessons that are told when a session starts.
        First = "first",
        /// Nothing: no call can show it.
        None = "none",
    }
}

impl Measure {
    /// The measure of a lesson by its triggers and the number of its exceptions (`unless`). A command, content or error that
    /// matches again is the mistake again, and so is a match that no exception vetoed; a file, a word or a tool may be named
    /// again rightly.
    pub fn of(when: When, triggers: impl IntoIterator<Item = TriggerKind>, exceptions: usize) -> Self {
        let mut triggers = triggers.into_iter().peekable();
        let has_triggers = triggers.peek().is_some();
        let is_telling = |kind| {
            matches!(
                kind,
                TriggerKind::CommandPattern | TriggerKind::ContentPattern | TriggerKind::ErrorPattern
            )
        };
        match (when, has_triggers) {
            (_, false) => Self::None,
            (When::Session, true) => Self::First,
            (When::Tool, true) if exceptions > 0 || triggers.any(is_telling) => Self::Repeat,
            (When::Tool, true) => Self::Failure,
        }
    }

    /// What counts as the mistake coming again, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Repeat => "a later call matches again",
            Self::Failure => "a later matching call, or one of the three after it, goes wrong",
            Self::First => "any call of the session matches",
            Self::None => "no call can show it",
        }
    }

    /// What the call does in a session in which the mistake came, in words: `comes again`.
    pub fn comes(self) -> &'static str {
        if self == Self::First { "comes up" } else { "comes again" }
    }

    /// The same of a session that is over: `came again`.
    pub fn came(self) -> &'static str {
        if self == Self::First { "came up" } else { "came again" }
    }

    /// What it did not in the other sessions: `did not come again`.
    pub fn did_not_come(self) -> &'static str {
        if self == Self::First { "did not come up" } else { "did not come again" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triggers_of_a_lesson_say_how_it_is_measured() {
        use TriggerKind::{CommandPattern, ErrorPattern, FileGlob, Keyword, Tool};
        let of = |when, triggers: &[TriggerKind], unless| Measure::of(when, triggers.iter().copied(), unless);
        assert_eq!(of(When::Tool, &[CommandPattern], 0), Measure::Repeat);
        assert_eq!(of(When::Tool, &[Keyword, ErrorPattern], 0), Measure::Repeat);
        assert_eq!(of(When::Tool, &[FileGlob, Tool], 0), Measure::Failure);
        assert_eq!(of(When::Tool, &[FileGlob], 1), Measure::Repeat);
        assert_eq!(of(When::Session, &[CommandPattern], 0), Measure::First);
        assert_eq!(of(When::Session, &[], 1), Measure::None);
    }
}

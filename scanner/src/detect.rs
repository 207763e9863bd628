//! The detectors of mistakes, and of wishes that nobody wrote down as a lesson.
//!
//! The detectors look at the calls of a session, their results and the prompts of the user:
//!
//! - [`spoken`]: the user asks for something to be remembered, or corrects in so many words.
//! - [`switched`]: the agent makes a call again with the program that a prompt names.
//! - [`demand`]: the user asks for the same, session after session.
//! - [`memory_write`]: the agent writes a rule into a file of memory.
//! - [`group`]: calls that failed for the same reason, and perhaps one that got past it; an error may name the word of the call
//!   that the program does not know.
//!
//! They only propose, and a wrong proposal costs a person's time. So each of them is silent when in doubt. What people
//! say outright counts ("remember", "use X, not Y"); their tone does not. What the detectors see is stored as signals;
//! [`crate::detect::propose`] decides which of these are proposed, in which order, and how many at once.
//!
//! In reading order: `command` says what a command line is about and how two of them differ; `failure`, what failed and
//! what its error says; `history` holds what the detectors look at, and which lines are parsed for it; [`purpose`] compares
//! calls for others. `statement` reads what a person says, `aim` finds the calls that it is about, and `draft` is what is
//! stored. `detectors` runs everything.

mod aim;
mod command;
mod demand;
mod detectors;
mod draft;
mod failure;
mod group;
mod history;
mod memory_write;
pub mod propose;
pub mod purpose;
mod spoken;
mod statement;
mod switched;

use lessons_ledger::{Finding, Reason, Sighting};
use lessons_shell::programs::{has_role, known};
use lessons_shell::{ProgramRole, program_name};

use crate::transcript::line::{LineRegion, LineSearch};

pub use lessons_ledger::candidates::detector::Detector;

pub(crate) use aim::rule_aim::aim_of_entry;
pub(crate) use aim::triggers::with_trigger;
pub(crate) use detectors::{Detectors, context_start};
pub(crate) use draft::Draft;
pub(crate) use failure::{general, without_quotes};

/// The findings of the detectors in the lines of a transcript, in order: a scan without files and without a
/// database. Lines that are too long to be kept are skipped, as a scan does.
pub fn seen_in(lines: &[u8]) -> Vec<Finding> {
    let (mut watching, mut findings) = (Detectors::default(), Vec::new());
    let mut search = LineSearch::new(lines, 0);
    // A slice has no errors.
    while let Ok(Some(region)) = search.next_region() {
        let LineRegion::Lines(lines) = region else { continue };
        for line in lines {
            let mut keep = |draft: Draft<'_>| findings.push(draft.into_signal(Sighting::default()).finding);
            watching.line(line, line.number, &mut keep);
        }
    }
    findings
}

/// Whether a finding is about the words that a public tool knows, and not about what a project makes of it: the scripts
/// of a task runner belong to the project.
pub fn is_about_public_tool(found: &Finding) -> bool {
    let first = found.trigger.as_deref().and_then(|command| command.split_whitespace().next());
    found.source == Detector::SelfExplained.name()
        && first.is_some_and(|word| {
            let program = program_name(word);
            known(program).is_some() && !has_role(program, ProgramRole::TaskRunner)
        })
}

/// The weight of a finding whose text is in doubt: whatever it asks for, it waits behind the others.
pub(crate) fn doubtful_text() -> Reason {
    Reason::new(40, "its text is in doubt")
}

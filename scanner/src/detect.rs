//! The detectors of mistakes that nobody wrote down.
//!
//! Three detectors look at the calls of a session, their results and the prompts of the user:
//!
//! - [`contrast`]: a call failed, and soon after one for the same purpose did not.
//! - [`correction`]: the user refused or corrected the step just done.
//! - [`repetition`]: the same error at the same call over sessions, and no way out.
//!
//! They only propose, and a wrong proposal costs a person's time. So each of them looks at structure and never at
//! tone, and is silent when in doubt. What they see is stored as signals; [`crate::propose`] decides which of these
//! are proposed, and how many at once.
//!
//! In reading order: `history` holds what they look at, made of `line_origin` and `lazy_call`; `command` and
//! `difference` say what a command line is about and how two of them differ, `options` which options explain no
//! failure, `failure` what an error says, `named_words` what a person and a call have in common; `draft` is what is
//! stored; `line_filter` decides which lines are parsed, by `raw_json`; `detectors` runs everything.

mod command;
mod contrast;
mod correction;
mod detectors;
mod difference;
mod draft;
mod failure;
mod history;
mod lazy_call;
mod line_filter;
mod line_origin;
mod named_words;
mod options;
mod raw_json;
mod repetition;

use lessons_ledger::candidates::{Finding, Reason, Sighting};

use crate::line::{LineRegion, LineSearch};

pub(crate) use detectors::{Detection, Detectors, context_start};

/// The findings of the detectors in the lines of a transcript, in order: a scan without files and without a
/// database. Lines that are too long to be kept are skipped, as a scan does.
pub fn seen_in(lines: &[u8]) -> Vec<Finding> {
    let (mut watching, mut findings) = (Detectors::default(), Vec::new());
    let mut search = LineSearch::new(lines, 0);
    // A slice has no errors.
    while let Ok(Some(region)) = search.next_region() {
        let LineRegion::Lines(lines) = region else { continue };
        for line in lines {
            watching.line(line, line.number, &mut |seen| {
                if let Detection::Draft(draft) = seen {
                    findings.push(draft.into_signal(Sighting::default()).finding);
                }
            });
        }
    }
    findings
}

/// A detector of mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detector {
    /// A call failed, and soon after one for the same purpose did not.
    Contrast,
    /// The user refused or corrected the step just done.
    Correction,
    /// The same error at the same call over sessions, and no way out.
    Repetition,
}

impl Detector {
    /// All detectors.
    pub const ALL: [Self; 3] = [Self::Contrast, Self::Correction, Self::Repetition];

    /// The name, as candidates show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contrast => "contrast",
            Self::Correction => "correction",
            Self::Repetition => "repeated failure",
        }
    }

    /// Whether it sees calls that failed; the others see what a person said or wrote.
    pub fn sees_failures(self) -> bool {
        matches!(self, Self::Contrast | Self::Repetition)
    }

    /// The detector of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|detector| detector.name() == name)
    }
}

/// A reason for a finding, with its weight in hundredths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight {
    points: u8,
    because: &'static str,
}

impl Weight {
    fn new(points: u8, because: &'static str) -> Self {
        Self { points, because }
    }

    fn into_reason(self) -> Reason {
        Reason { points: self.points, because: self.because.into() }
    }
}

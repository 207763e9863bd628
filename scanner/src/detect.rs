//! Mistakes that nobody wrote down.
//!
//! Three detectors look at what happens in a session, at calls, how they end and what the user types:
//!
//! - [`contrast`]: a call failed, and soon after one for the same purpose did not.
//! - [`correction`]: the user refused or corrected the step just done.
//! - [`repetition`]: the same error at the same call over sessions, and no way out.
//!
//! They only ever propose, and a proposal that is wrong costs a person's time. So each of them looks at
//! structure and never at tone, and where it is in doubt it is silent. What they see is stored as clues;
//! which of these are proposed, and how many at once, [`crate::propose`] decides.
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

use lessons_store::candidates::{Finding, Reason, Sighting};

use crate::line::{LineRegion, LineSearch};

pub(crate) use detectors::{Detection, Detectors, context_start};

/// What the detectors see in the lines of a transcript, as it would be stored, in order: a scan of them without
/// files and without a database. Lines that are too long to be kept are passed over, as they are by a scan.
pub fn seen_in(lines: &[u8]) -> Vec<Finding> {
    let (mut watching, mut findings) = (Detectors::default(), Vec::new());
    let mut search = LineSearch::new(lines, 0);
    // A slice has no errors.
    while let Ok(Some(region)) = search.next_region() {
        let LineRegion::Lines(lines) = region else { continue };
        for line in lines {
            watching.line(line, line.number, &mut |seen| {
                if let Detection::Draft(draft) = seen {
                    findings.push(draft.clue(Sighting::default()).finding);
                }
            });
        }
    }
    findings
}

/// A way to find mistakes.
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
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Contrast, Self::Correction, Self::Repetition];

    /// The name, as candidates show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contrast => "contrast",
            Self::Correction => "correction",
            Self::Repetition => "repeated failure",
        }
    }

    /// The detector of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|detector| detector.name() == name)
    }
}

/// How much something speaks for a finding, in hundredths, and what it is.
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

//! Questions about candidates, with numbered answers. The last answer of some is the person's own words.

use lessons_text::wording::counted;
use tui_input::Input;

use super::item::ReviewItem;

/// Reasons for a rejection.
pub(super) const REASONS: [&str; 5] = [
    "one-off: it will not happen again",
    "a competent engineer knows it anyway",
    "too vague to act on",
    "wrong, or no longer true",
    "said elsewhere already",
];

/// Reasons for accepting a flagged candidate.
pub(super) const ACCEPTED: [&str; 3] =
    ["read in full; it is right and harmless", "it quotes what it warns of", "I know where it comes from"];

/// What a lesson may do whose candidate proposes more than a reminder.
pub(super) const MODES: [(TakeUp, &str); 2] =
    [(TakeUp::Bump, "block such a call once; the agent may repeat it"), (TakeUp::Promote, "remind only")];

/// What becomes of a candidate that is taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TakeUp {
    /// It is promoted as it is.
    Promote,
    /// It is promoted to block the call once.
    Bump,
    /// It is merged into the lesson with this id.
    Merge(String),
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// What the lesson does, where its candidate proposes more than a reminder.
    Mode,
    /// Into which lesson it is merged.
    Merge,
    /// Why a flagged candidate is right.
    Accept(TakeUp),
    /// Why these candidates, by their positions, are rejected.
    Reject(Vec<usize>),
    /// From which unread item a lesson is written: their ids, each with its text.
    Unread(Vec<(String, String)>),
}

/// A question to the person.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// What is asked.
    pub(crate) asked: Asked,
    /// The reason in the person's own words, while they type it.
    pub(crate) words: Option<Input>,
}

impl Question {
    /// A question that is answered with a digit.
    pub(super) fn new(asked: Asked) -> Self {
        Self { asked, words: None }
    }

    /// Whether Enter answers it without a reason.
    pub(super) fn may_stay_open(&self) -> bool {
        matches!(self.asked, Asked::Reject(_))
    }

    /// The words of the question about a candidate.
    pub(super) fn words_about(&self, item: Option<&ReviewItem>) -> String {
        match &self.asked {
            Asked::Mode => {
                let reason = item.map_or("", |item| item.details.reason_to_bump);
                format!("Promote it: {reason}, and a reminder comes after the call. It should")
            }
            Asked::Merge => "Merge into which lesson?".to_owned(),
            Asked::Accept(then) => {
                let flags = item.into_iter().flat_map(|item| &item.details.candidate.finding.flags);
                let flags: Vec<String> =
                    flags.map(|flag| format!("it {} ({})", flag.meaning, flag.name)).collect();
                let what = if matches!(then, TakeUp::Merge(_)) { "be merged" } else { "become a lesson" };
                format!("Flagged: {}. It may {what} anyway, because", flags.join("; "))
            }
            Asked::Reject(about) if about.len() == 1 => "Reject it, because".to_owned(),
            Asked::Reject(about) => format!("Reject {}, because", counted(about.len(), "candidate")),
            Asked::Unread(_) => "Nobody has read these. Write a lesson from which?".to_owned(),
        }
    }

    /// The answers to choose from.
    pub(super) fn answers(&self, item: Option<&ReviewItem>) -> Vec<String> {
        let reasons = |given: &[&str]| {
            given.iter().chain(&["in your own words"]).map(|reason| (*reason).to_owned()).collect()
        };
        match &self.asked {
            Asked::Mode => MODES.map(|(_, what)| what.to_owned()).to_vec(),
            Asked::Merge => {
                let own = item.into_iter().flat_map(|item| &item.details.own);
                own.map(|near| format!("{}: {}", near.id, near.rule)).collect()
            }
            Asked::Accept(_) => reasons(&ACCEPTED),
            Asked::Reject(_) => reasons(&REASONS),
            Asked::Unread(items) => items.iter().map(|(_, text)| text.clone()).collect(),
        }
    }
}

/// The number that a digit chooses among `all`, from 0.
pub(super) fn chosen(digit: char, all: usize) -> Option<usize> {
    let digit = usize::try_from(digit.to_digit(10)?).ok()?;
    digit.checked_sub(1).filter(|number| *number < all)
}

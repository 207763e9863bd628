//! The list of all candidates: a filter, a cursor, and those that are selected to be decided at once.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;
use lessons_text::wording::counted;
use tui_input::Input;

use super::item::ReviewItem;

/// The part of the list that takes the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ListFocus {
    /// The rows: letters are commands.
    #[default]
    Rows,
    /// The filter: letters are typed.
    Filter,
}

/// The state of the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct CandidateList {
    /// The position of the cursor among the rows that pass the filter.
    pub(crate) cursor: usize,
    /// The positions of the selected candidates among all.
    pub(crate) selected: BTreeSet<usize>,
    /// The words of the filter.
    pub(crate) filter: Input,
    /// The part that takes the keys.
    pub(crate) focus: ListFocus,
}

impl CandidateList {
    /// The positions of the candidates that pass the filter: every word is in some text of theirs.
    pub(super) fn shown(&self, items: &[ReviewItem]) -> Vec<usize> {
        let filter = self.filter.value().to_lowercase();
        let passes = |item: &ReviewItem| {
            let texts = texts(item);
            filter.split_whitespace().all(|word| texts.contains(word))
        };
        items.iter().enumerate().filter(|(_, item)| passes(item)).map(|(at, _)| at).collect()
    }

    /// The position of the candidate with the cursor; `None` if no row is shown.
    pub(super) fn current(&self, items: &[ReviewItem]) -> Option<usize> {
        self.shown(items).get(self.cursor).copied()
    }

    /// The candidates that a command is about and that can be decided: the selected ones, or the one with the cursor.
    pub(super) fn meant(&self, items: &[ReviewItem]) -> Vec<usize> {
        let is_open = |at: &usize| items.get(*at).is_some_and(|item| item.status.is_open());
        let current = self.current(items).filter(|_| self.selected.is_empty());
        self.selected.iter().copied().chain(current).filter(is_open).collect()
    }

    /// Handles a key that moves or selects.
    pub(super) fn press(&mut self, key: KeyCode, items: &[ReviewItem]) {
        let shown = self.shown(items);
        let last = shown.len().saturating_sub(1);
        match key {
            KeyCode::Char('/') => self.focus = ListFocus::Filter,
            KeyCode::Char('j') | KeyCode::Down => self.cursor = (self.cursor + 1).min(last),
            KeyCode::Char('k') | KeyCode::Up => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::PageDown => self.cursor = (self.cursor + 10).min(last),
            KeyCode::PageUp => self.cursor = self.cursor.saturating_sub(10),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = last,
            KeyCode::Char(' ') => {
                if let Some(at) = shown.get(self.cursor)
                    && !self.selected.remove(at)
                {
                    self.selected.insert(*at);
                }
                self.cursor = (self.cursor + 1).min(last);
            }
            KeyCode::Char('a') if shown.iter().all(|at| self.selected.contains(at)) => {
                self.selected.retain(|at| !shown.contains(at));
            }
            KeyCode::Char('a') => self.selected.extend(shown),
            _ => {}
        }
    }
}

/// The texts of a candidate that the filter looks at, in lower case.
fn texts(item: &ReviewItem) -> String {
    let (found, lesson) = (&item.details.candidate.finding, item.lesson());
    let mut texts = vec![found.source.clone(), lesson.rule.clone()];
    texts.extend(lesson.mistake.clone());
    texts.extend(lesson.triggers.iter().map(ToString::to_string));
    texts.extend(item.details.folders.iter().cloned());
    texts.extend(found.flags.iter().map(|flag| flag.name.clone()));
    texts.join("\n").to_lowercase()
}

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
                let reason = item.and_then(|item| item.details.reason_to_bump).unwrap_or_default();
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

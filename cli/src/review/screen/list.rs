//! The list of all candidates: a filter, a cursor, and those that are selected to be decided at once.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;
use lessons_review::NearLesson;
use lessons_text::counted;
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

/// What follows from an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Then {
    /// The candidate that is shown is taken up, unless something else must be asked first.
    TakeUp(TakeUp),
    /// It is taken up although it is flagged, for the reason that was answered.
    Accept(TakeUp),
    /// The candidates at these positions are rejected, for that reason.
    Reject(Vec<usize>),
    /// A lesson is written from the unread item with this id.
    Write(String),
}

/// A question to the person.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// Its words.
    pub(crate) words: String,
    /// The answers to choose from, each with what follows.
    pub(crate) answers: Vec<(String, Then)>,
    /// What follows from a reason in the person's own words; the last answer lets them type it.
    pub(super) own: Option<Then>,
    /// That reason, while they type it.
    pub(crate) typed: Option<Input>,
}

impl Question {
    fn new(words: impl Into<String>, answers: impl IntoIterator<Item = (String, Then)>) -> Self {
        Self { words: words.into(), answers: answers.into_iter().collect(), own: None, typed: None }
    }

    fn why(words: String, reasons: &[&str], then: Then) -> Self {
        let reasons = reasons.iter().chain(&["in your own words"]);
        let question = Self::new(words, reasons.map(|reason| ((*reason).to_owned(), then.clone())));
        Self { own: Some(then), ..question }
    }

    /// What the lesson does, where its candidate proposes more than a reminder.
    pub(super) fn mode(item: &ReviewItem) -> Self {
        let reason = item.details.reason_to_bump.unwrap_or_default();
        let words = format!("Promote it: {reason}, and a reminder comes after the call. It should");
        Self::new(words, MODES.map(|(then, what)| (what.to_owned(), Then::TakeUp(then))))
    }

    /// Into which lesson the candidate is merged.
    pub(super) fn merge(item: &ReviewItem) -> Self {
        let answer = |near: &NearLesson| {
            (format!("{}: {}", near.id, near.rule), Then::TakeUp(TakeUp::Merge(near.id.to_string())))
        };
        Self::new("Merge into which lesson?", item.details.own.iter().map(answer))
    }

    /// Why a flagged candidate is right.
    pub(super) fn accept(item: &ReviewItem, then: TakeUp) -> Self {
        let flags = item.details.candidate.finding.flags.iter();
        let flags: Vec<String> = flags.map(|flag| format!("it {} ({})", flag.meaning, flag.name)).collect();
        let what = if matches!(then, TakeUp::Merge(_)) { "be merged" } else { "become a lesson" };
        let words = format!("Flagged: {}. It may {what} anyway, because", flags.join("; "));
        Self::why(words, &ACCEPTED, Then::Accept(then))
    }

    /// Why the candidates at these positions are rejected.
    pub(super) fn reject(about: Vec<usize>) -> Self {
        let words = match about.len() {
            1 => "Reject it, because".to_owned(),
            several => format!("Reject {}, because", counted(several, "candidate")),
        };
        Self::why(words, &REASONS, Then::Reject(about))
    }

    /// From which unread item a lesson is written: their ids, each with its text.
    pub(super) fn unread(items: Vec<(String, String)>) -> Self {
        let answers = items.into_iter().map(|(id, text)| (text, Then::Write(id)));
        Self::new("Nobody has read these. Write a lesson from which?", answers)
    }

    /// Whether Enter answers it without a reason.
    pub(super) fn may_stay_open(&self) -> bool {
        matches!(self.own, Some(Then::Reject(_)))
    }

    /// The number of the answer that a digit chooses, from 0.
    pub(super) fn chosen(&self, digit: char) -> Option<usize> {
        let digit = usize::try_from(digit.to_digit(10)?).ok()?;
        digit.checked_sub(1).filter(|number| *number < self.answers.len())
    }
}

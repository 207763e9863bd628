//! The list of all candidates: a filter, a cursor, and those that are selected to be decided at once.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;
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

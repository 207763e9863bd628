//! The list of all candidates: a filter, a cursor, and those that are selected to be decided at once.

use std::collections::BTreeSet;

use super::item::{ItemStatus, ReviewItem};
use super::keys::Key;
use super::line_editor::LineEditor;

/// The part of the list that takes the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFocus {
    /// The rows: letters are commands.
    Rows,
    /// The filter: letters are typed.
    Filter,
}

/// The state of the list.
#[derive(Debug, Clone)]
pub struct CandidateList {
    /// The position of the cursor among the rows that pass the filter.
    pub cursor: usize,
    /// The positions of the selected candidates among all.
    pub selected: BTreeSet<usize>,
    /// The words of the filter.
    pub filter: LineEditor,
    /// The part that takes the keys.
    pub focus: ListFocus,
}

impl CandidateList {
    /// The whole list, with the cursor at one candidate.
    pub fn at(position: usize) -> Self {
        Self {
            cursor: position,
            selected: BTreeSet::new(),
            filter: LineEditor::default(),
            focus: ListFocus::Rows,
        }
    }

    /// The positions of the candidates that pass the filter: every word is in some text of theirs.
    pub fn shown(&self, items: &[ReviewItem]) -> Vec<usize> {
        let filter = self.filter.text().to_lowercase();
        let words: Vec<&str> = filter.split_whitespace().collect();
        let passes = |item: &ReviewItem| {
            let texts = texts(item);
            words.iter().all(|word| texts.contains(word))
        };
        items.iter().enumerate().filter(|(_, item)| passes(item)).map(|(at, _)| at).collect()
    }

    /// The position of the candidate with the cursor; `None` if no row is shown.
    pub fn current(&self, items: &[ReviewItem]) -> Option<usize> {
        self.shown(items).get(self.cursor).copied()
    }

    /// The candidates that a command is about and that can be decided: the selected ones, or the one with the cursor.
    pub fn meant(&self, items: &[ReviewItem]) -> Vec<usize> {
        let is_open = |at: &usize| {
            let status = items.get(*at).map(|item| &item.status);
            matches!(status, Some(ItemStatus::Waits | ItemStatus::Skipped))
        };
        if self.selected.is_empty() {
            return self.current(items).filter(is_open).into_iter().collect();
        }
        self.selected.iter().copied().filter(is_open).collect()
    }

    /// Handles a key that moves, selects or filters.
    pub fn press(&mut self, key: Key, items: &[ReviewItem]) {
        if self.focus == ListFocus::Filter {
            match key {
                Key::Enter | Key::Down => self.focus = ListFocus::Rows,
                Key::Escape => {
                    self.filter = LineEditor::default();
                    self.focus = ListFocus::Rows;
                }
                key => drop(self.filter.press(key)),
            }
            self.cursor = 0;
            return;
        }
        let shown = self.shown(items);
        let last = shown.len().saturating_sub(1);
        match key {
            Key::Char('/') => self.focus = ListFocus::Filter,
            Key::Char('j') | Key::Down => self.cursor = (self.cursor + 1).min(last),
            Key::Char('k') | Key::Up => self.cursor = self.cursor.saturating_sub(1),
            Key::PageDown => self.cursor = (self.cursor + 10).min(last),
            Key::PageUp => self.cursor = self.cursor.saturating_sub(10),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = last,
            Key::Char(' ') => {
                if let Some(at) = shown.get(self.cursor)
                    && !self.selected.remove(at)
                {
                    self.selected.insert(*at);
                }
                self.cursor = (self.cursor + 1).min(last);
            }
            Key::Char('a') if shown.iter().all(|at| self.selected.contains(at)) => {
                self.selected.retain(|at| !shown.contains(at));
            }
            Key::Char('a') => self.selected.extend(shown),
            _ => {}
        }
    }
}

/// The texts of a candidate that the filter looks at, in lower case.
fn texts(item: &ReviewItem) -> String {
    let found = &item.details.candidate.finding;
    let mut texts = vec![found.source.as_str(), &item.draft.mistake, &item.draft.rule];
    texts.extend(item.draft.triggers.iter().map(String::as_str));
    texts.extend(item.details.folders.iter().map(String::as_str));
    texts.extend(found.flags.iter().map(|flag| flag.name.as_str()));
    texts.join("\n").to_lowercase()
}

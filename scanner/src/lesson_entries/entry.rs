//! An entry of a file: its title, its date and its texts by their labels.

use std::collections::BTreeMap;

use jiff::civil::Date;
use lessons_ledger::Proposal;

use super::label::Label;

/// An entry, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Entry {
    pub(crate) title: String,
    /// Its day, as it is written.
    pub(crate) date: Option<String>,
    /// The number of its line, from 1.
    pub(crate) line: usize,
    /// The triggers that the file gives, in place of those that its texts give.
    pub(crate) proposal: Proposal,
    pub(super) texts: BTreeMap<Label, String>,
}

impl Entry {
    pub(crate) fn at(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    /// An entry below a heading, without the number and the date in it.
    pub(crate) fn titled(title: &str, line: usize) -> Self {
        let (date, title) = without_date(title);
        let number =
            |c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '#' | ':' | '-' | ' ' | '\u{2014}');
        let bare = title.strip_prefix("Lesson ").unwrap_or(title);
        let title = if bare.starts_with(number) { bare.trim_start_matches(number) } else { title };
        Self { title: title.to_owned(), date, line, ..Self::default() }
    }

    /// Whether a tool filed it under a number, such as `[LRN-20260102-001] best_practice`.
    pub(crate) fn is_filed(&self) -> bool {
        self.title.starts_with('[')
    }

    pub(crate) fn has(&self, label: Label) -> bool {
        self.texts.contains_key(&label)
    }

    pub(crate) fn text(&self, label: Label) -> &str {
        self.texts.get(&label).map(String::as_str).unwrap_or_default()
    }

    /// Says in front of the rule when it holds.
    pub(crate) fn holds(&mut self, when: &str) {
        let rule = format!("{}: {}", when.trim_end_matches(['.', ':']), self.text(Label::Rule));
        self.texts.insert(Label::Rule, rule);
    }

    /// Ends the rule so far, so that a point below it does not run into it.
    pub(crate) fn end_rule(&mut self) {
        if let Some(rule) = self.texts.get_mut(&Label::Rule)
            && rule.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | ')'))
        {
            rule.push(if rule.contains(':') { ';' } else { ':' });
        }
    }

    /// Adds to the text of a part.
    pub(crate) fn add(&mut self, label: Label, value: &str) {
        let (date, value) = without_date(value);
        self.date = self.date.take().or(date);
        if value.is_empty() {
            return;
        }
        let text = self.texts.entry(label).or_default();
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(value);
    }

    /// The entry of a section without points: its title says the rule, and the text below it why.
    pub(crate) fn of_prose(mut self) -> Option<Self> {
        let prose = self.texts.remove(&Label::Detail)?;
        if self.title.is_empty() || self.is_filed() {
            return None;
        }
        let rule = format!("{}: {prose}", self.title.trim_end_matches(['.', ':']));
        self.add(Label::Rule, &rule);
        Some(self)
    }
}

/// A text without the date at its beginning or end, and the date.
fn without_date(text: &str) -> (Option<String>, &str) {
    let marks =
        |c: char| matches!(c, '[' | ']' | '(' | ')' | ':' | '-' | '\u{2013}' | '\u{2014}' | ' ' | ',');
    let text = text.trim();
    let is_date = |part: &str| part.parse::<Date>().is_ok();
    let start = text.trim_start_matches(marks);
    if let Some(date) = start.get(..10).filter(|part| is_date(part)) {
        let rest = start[10..]
            .split_once('Z')
            .filter(|(time, _)| time.starts_with('T'))
            .map_or(&start[10..], |it| it.1);
        return (Some(date.to_owned()), rest.trim_start_matches(marks).trim());
    }
    let end = text.trim_end_matches(marks);
    let cut = end.len().checked_sub(10).filter(|at| end.is_char_boundary(*at));
    match cut.filter(|at| is_date(&end[*at..])) {
        Some(at) => (Some(end[at..].to_owned()), end[..at].trim_end_matches(marks)),
        None => (None, text),
    }
}

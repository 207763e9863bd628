//! An entry of a file, and the finding that it becomes.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use lessons_ledger::candidates::{Finding, Insight, Proposal, Reason, Sighting};
use lessons_ledger::written_entries::ENTRY;
use lessons_lesson::lesson::{MAX_SUMMARY_CHARS, MAX_TEXT_CHARS};
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::{digest, neutral};

use super::label::Label;
use crate::detect::{Detector, aim_of_entry, on_file};
use crate::run::cleaner::{Cleaner, without_markers};
use crate::run::finding::doubts_about;
use crate::tag::trial::fired_advice;

/// The number of hex digits of an entry's id.
const ID_DIGITS: usize = 32;
/// The states of an entry that does not hold any more.
const PAST: [&str; 8] =
    ["wont_fix", "won't fix", "deprecated", "archived", "superseded", "inactive", "disabled", "obsolete"];

/// An entry, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Entry {
    pub(super) title: String,
    /// Its day, as it is written.
    pub(super) date: Option<String>,
    /// The number of its line, from 1.
    pub(super) line: usize,
    /// The triggers that the file gives, in place of those that its texts give.
    pub(super) proposal: Proposal,
    texts: BTreeMap<Label, String>,
}

impl Entry {
    pub(super) fn at(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    /// An entry below a heading, without the number and the date in it.
    pub(super) fn titled(title: &str, line: usize) -> Self {
        let (date, title) = without_date(title);
        let number =
            |c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '#' | ':' | '-' | ' ' | '\u{2014}');
        let bare = title.strip_prefix("Lesson ").unwrap_or(title);
        let title = if bare.starts_with(number) { bare.trim_start_matches(number) } else { title };
        Self { title: title.to_owned(), date, line, ..Self::default() }
    }

    /// Whether a tool filed it under a number, such as `[LRN-20260102-001] best_practice`.
    pub(super) fn is_filed(&self) -> bool {
        self.title.starts_with('[')
    }

    pub(super) fn has(&self, label: Label) -> bool {
        self.texts.contains_key(&label)
    }

    pub(super) fn text(&self, label: Label) -> &str {
        self.texts.get(&label).map(String::as_str).unwrap_or_default()
    }

    /// Says in front of the rule when it holds.
    pub(super) fn holds(&mut self, when: &str) {
        let rule = format!("{}: {}", when.trim_end_matches(['.', ':']), self.text(Label::Rule));
        self.texts.insert(Label::Rule, rule);
    }

    /// Adds to the text of a part.
    pub(super) fn add(&mut self, label: Label, value: &str) {
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
    pub(super) fn of_prose(mut self) -> Option<Self> {
        let prose = self.texts.remove(&Label::Detail)?;
        if self.title.is_empty() || self.is_filed() {
            return None;
        }
        let rule = format!("{}: {prose}", self.title.trim_end_matches(['.', ':']));
        self.add(Label::Rule, &rule);
        Some(self)
    }

    /// The finding, and the place of the entry. An error says why it is none.
    pub(super) fn finding(
        self,
        file: &str,
        project: Option<&str>,
        now: u64,
    ) -> Result<(Finding, Sighting), String> {
        let status = self.text(Label::Status).to_lowercase();
        if PAST.contains(&status.as_str()) {
            return Err(format!("its status is {status}"));
        }
        let mut cleaner = Cleaner::default();
        let summary = if self.has(Label::Rule) { self.text(Label::Summary) } else { "" };
        let rule = if self.has(Label::Rule) { self.text(Label::Rule) } else { self.text(Label::Summary) };
        let rule = cleaner.clean(rule);
        let mistake = Some(self.text(Label::Mistake)).filter(|text| !text.is_empty());
        let mistake = neutral::shortened(&cleaner.clean(mistake.unwrap_or(summary)), MAX_TEXT_CHARS);
        let length = rule.chars().count();
        if rule.is_empty() {
            return Err("it says no rule".to_owned());
        }
        if length > MAX_TEXT_CHARS {
            return Err(format!(
                "its rule has {length} characters, more than {MAX_TEXT_CHARS}; split it there"
            ));
        }
        let mut optional = |label: Label| {
            let text = Some(self.text(label)).filter(|text| !text.is_empty())?;
            Some(neutral::shortened(&cleaner.clean(text), MAX_TEXT_CHARS))
        };
        let (why, detail) = (optional(Label::Why), optional(Label::Detail));
        let says_more = !self.title.is_empty() && !self.is_filed() && !rule.starts_with(&self.title);
        let title = (says_more && self.title.chars().count() <= MAX_SUMMARY_CHARS)
            .then(|| cleaner.clean(&self.title));
        let texts = [&mistake, &rule].into_iter().chain(&why).chain(&detail).chain(&title);
        let doubts = doubts_about(cleaner.doubts(), texts);
        let proposal = self.proposal(&rule, &mistake);
        let name = project
            .and_then(|root| file.strip_prefix(root))
            .map_or(file, |rest| rest.trim_start_matches('/'));
        let finding = Finding {
            source: Detector::Written.name().into(),
            why,
            proposal,
            flags: doubts,
            evidence: vec![format!("written in: {name}:{}", self.line)],
            basis: vec![Reason { points: 65, because: "it is written in a file of lessons".into() }],
            insight: Insight { title, detail, ..Insight::default() },
            mistake,
            fix: rule,
            ..Finding::default()
        };
        let day = self.date.as_deref().and_then(milliseconds).filter(|day| *day < now);
        let id = digest::hex_of_parts(
            &[file.as_bytes(), finding.fix.as_bytes(), finding.mistake.as_bytes()],
            ID_DIGITS,
        );
        let sighting = Sighting {
            uuid: format!("{ENTRY}{id}"),
            session: digest::hex(file.as_bytes(), ID_DIGITS),
            file: file.to_owned(),
            line: self.line as u64,
            project: project.map(str::to_owned),
            time: day.unwrap_or(now),
            ..Sighting::default()
        };
        Ok((finding, sighting))
    }

    /// The triggers that the file gives, else those of the code, the commands and the paths in its texts. They are tried: what
    /// would fire on what the rule advises is none.
    fn proposal(&self, rule: &str, mistake: &str) -> Proposal {
        let mut proposal = self.proposal.clone();
        if proposal.triggers.is_empty() {
            proposal = aim_of_entry(rule, mistake);
        }
        if proposal.triggers.is_empty() {
            let files = self.text(Label::Files).split([',', ' ']).map(|file| file.trim_matches(['`', '"']));
            let is_inside = |file: &&str| {
                file.contains('.') && !file.starts_with(['/', '~', '.']) && !file.contains("..")
            };
            let globs: Vec<Trigger> =
                files.filter(is_inside).map(|file| Trigger::new(TriggerKind::FileGlob, file)).collect();
            if let Some(first) = globs.first() {
                proposal = Proposal { triggers: globs.clone(), ..on_file(first.clone()) };
            }
        }
        let proposal = without_markers(proposal);
        if fired_advice(&proposal, rule, "").is_empty() { proposal } else { Proposal::default() }
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

/// The milliseconds since 1970 at which a day begins.
fn milliseconds(day: &str) -> Option<u64> {
    let day: Date = day.parse().ok()?;
    u64::try_from(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond()).ok()
}

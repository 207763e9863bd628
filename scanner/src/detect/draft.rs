//! From what a detector saw to a clue that can be stored: secrets out, doubts named.
//!
//! A draft is made of texts that a [`Cleaner`] has gone over, whole and in their own context, before anything is
//! cut, quoted or made a pattern of: half a token is known to nobody, and neither is a password in a pattern.

use lessons_core::{digest, flags, neutral};
use lessons_store::candidates::{Finding, Proposal, Sighting};
use lessons_store::clues::Clue;

use super::command::Command;
use super::failure;
use super::line_origin::LineOrigin;
use super::{Detector, Weight};
use crate::finding::{HAD_SECRET, doubts_about};
use crate::redact::{holds_marker, redact};
use crate::transcript::LineInfo;

/// The longest command or message that is quoted, in characters.
const MOST_QUOTED: usize = 200;
/// The longest text of a finding, in characters.
const MOST_CHARS: usize = 500;
/// How many hex digits of a key are kept.
const KEY_DIGITS: usize = 32;

/// What a detector saw. Its texts come from its cleaner.
#[derive(Debug)]
pub(crate) struct Draft<'e> {
    pub(super) detector: Detector,
    /// The line that it hangs on.
    pub(super) origin: &'e LineOrigin,
    /// What makes two of them the same. It is stored as a hash.
    pub(super) key: String,
    /// Whether one is enough.
    pub(super) is_striking: bool,
    pub(super) mistake: String,
    pub(super) fix: String,
    /// The command that went wrong.
    pub(super) trigger: Option<String>,
    pub(super) tools: Vec<String>,
    pub(super) proposal: Proposal,
    pub(super) evidence: Vec<String>,
    pub(super) basis: Vec<Weight>,
    pub(super) cleaner: Cleaner,
}

impl Draft<'_> {
    /// Who said the line that it hangs on, when and where.
    pub(crate) fn origin(&self) -> &LineInfo {
        &self.origin.info
    }

    /// That line, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.origin.line
    }

    /// What is stored of it.
    pub(crate) fn clue(self, sighting: Sighting) -> Clue {
        let Self { mistake, fix, evidence, mut proposal, cleaner, .. } = self;
        for triggers in [&mut proposal.triggers, &mut proposal.also, &mut proposal.unless] {
            // Made of a marker, it would match nothing.
            triggers.retain(|trigger| !trigger.pattern.is_empty() && !holds_marker(&trigger.pattern));
        }
        // What was replaced or cut would not be the command any more.
        let is_whole = |text: &String| !holds_marker(text) && text.chars().count() <= MOST_CHARS;
        let trigger = self.trigger.map(|text| one_line(&text)).filter(is_whole);
        let texts = [&mistake, &fix].into_iter().chain(&trigger).chain(&evidence);
        let hid = (flags::HIDDEN_CHARACTERS.name, flags::HIDDEN_CHARACTERS.meaning);
        let ours = [(cleaner.had_secret, HAD_SECRET), (cleaner.hid, hid)];
        let doubts =
            doubts_about(ours.into_iter().filter(|(holds, _)| *holds).map(|(_, doubt)| doubt), texts);
        let detector = self.detector.name();
        let finding = Finding {
            source: detector.into(),
            mistake,
            fix,
            trigger,
            tools: self.tools,
            proposal,
            flags: doubts,
            evidence,
            basis: self.basis.into_iter().map(Weight::into_reason).collect(),
            ..Finding::default()
        };
        let key = digest::hex_of_parts(&[detector.as_bytes(), self.key.as_bytes()], KEY_DIGITS);
        Clue { detector: detector.into(), key, is_striking: self.is_striking, finding, sighting }
    }
}

/// Takes out of what was said what must not be stored, and remembers that there was such a thing.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    had_secret: bool,
    hid: bool,
}

impl Cleaner {
    /// The whole text, without secrets and without what hides.
    pub(super) fn clean(&mut self, text: &str) -> String {
        let parts = |c: char| c.is_whitespace() && !matches!(c, '\n' | '\t');
        let spaced = text.replace(parts, " ");
        let visible = neutral::visible(&spaced);
        self.hid |= visible != spaced;
        self.redacted(&visible)
    }

    /// The same on one line, and not too long to be told.
    pub(super) fn told(&mut self, text: &str) -> String {
        self.cut(text, MOST_CHARS)
    }

    /// The same on one line, and not too long to be quoted in a sentence.
    pub(super) fn quoted(&mut self, text: &str) -> String {
        self.cut(text, MOST_QUOTED)
    }

    /// The line of an error that says most.
    pub(super) fn error(&mut self, text: &str) -> Option<String> {
        // A private key is the one secret whose lines cannot be told for its by themselves.
        let whole = if text.contains("PRIVATE KEY") { &self.clean(text) } else { text };
        failure::telling_line(whole).map(|line| self.told(line))
    }

    /// What a command is about, as far as its secrets do not matter for that.
    pub(super) fn command(&mut self, command: &Command) -> Option<Command> {
        Command::read(&self.clean(&command.text))
    }

    fn cut(&mut self, text: &str, most: usize) -> String {
        // The ends of lines are no ends of secrets.
        let line = one_line(&self.clean(text));
        neutral::shortened(&self.redacted(&line), most)
    }

    fn redacted(&mut self, text: &str) -> String {
        let redacted = redact(text);
        self.had_secret |= !redacted.kinds.is_empty();
        redacted.text
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How a call ended, in words.
pub(super) fn ending(text: &str, code: Option<u8>) -> String {
    match code {
        _ if failure::timed_out(text) => "does not end by itself".into(),
        Some(code) => format!("fails with exit code {code}"),
        None => "fails".into(),
    }
}

/// A path as seen from the working folder.
pub(super) fn relative(path: &str, folder: Option<&str>) -> String {
    let inside = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    inside.unwrap_or(path).to_owned()
}

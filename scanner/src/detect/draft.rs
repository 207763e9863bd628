//! The draft of a signal: what a detector saw, without secrets and with its doubts named.
//!
//! A [`Cleaner`] redacts texts whole and in their own context, before anything is cut, quoted or made into a pattern:
//! no rule recognises half a token, or a password in a pattern.

use lessons_ledger::{Finding, Proposal, Sighting, Signal};
use lessons_text::redact::holds_marker;
use lessons_text::{digest, neutral};

use super::failure;
use super::history::Step;
use super::history::line_origin::LineOrigin;
use super::{Detector, Reason, doubtful_text};
pub(super) use crate::run::cleaner::Cleaner;
use crate::run::cleaner::without_markers;
use crate::run::finding::{RAN, REFUSED, doubts_about};
use crate::tag::trial::fired_advice;
use crate::transcript::LineInfo;

/// The longest command or message that is quoted, in characters.
const MOST_QUOTED: usize = 200;
/// The longest text of a finding, in characters.
const MOST_CHARS: usize = 500;
/// The number of hex digits of a key.
const KEY_DIGITS: usize = 32;

/// The draft of a signal. Its texts come from its cleaner.
#[derive(Debug)]
pub(crate) struct Draft<'e> {
    pub(super) detector: Detector,
    /// Its order among what one line says.
    pub(super) order: usize,
    /// The line of the mistake.
    pub(super) origin: &'e LineOrigin,
    /// The identity of the mistake, equal for repetitions. It is stored as a hash.
    pub(super) key: String,
    /// Whether one such signal is enough for a proposal.
    pub(super) is_strong: bool,
    pub(super) mistake: String,
    pub(super) fix: String,
    /// The command that went wrong.
    pub(super) trigger: Option<String>,
    pub(super) tools: Vec<String>,
    pub(super) proposal: Proposal,
    pub(super) evidence: Vec<String>,
    pub(super) basis: Vec<Reason>,
    pub(super) cleaner: Cleaner,
}

impl Draft<'_> {
    /// The facts of the line of the mistake.
    pub(crate) fn origin(&self) -> &LineInfo {
        &self.origin.info
    }

    /// The id of its signal, as a line is a signal once: that of the line, with the order of what it says besides.
    pub(crate) fn uuid(&self) -> String {
        let uuid = &self.origin.info.uuid;
        if self.order == 0 { uuid.clone() } else { format!("{uuid}#{}", self.order) }
    }

    /// The number of that line, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.origin.line
    }

    /// The signal that is stored.
    pub(crate) fn into_signal(self, sighting: Sighting) -> Signal {
        let Self { mistake, fix, evidence, mut proposal, cleaner, .. } = self;
        proposal = without_markers(proposal);
        // What would be told at the very command that the rule advises is told at the start of a session instead.
        if !fired_advice(&proposal, &fix, self.trigger.as_deref().unwrap_or_default()).is_empty() {
            proposal = Proposal::default();
        }
        // A command with a replaced or cut part is another command.
        let is_whole = |text: &String| !holds_marker(text) && text.chars().count() <= MOST_CHARS;
        let trigger = self.trigger.map(|text| one_line(&text)).filter(is_whole);
        // A call that was refused, or that was wrong, is nobody's advice. What was said of it is evidence too.
        let is_call = |text: &&String| text.starts_with(REFUSED) || text.starts_with(RAN);
        let told = Some(&mistake).filter(|_| !evidence.iter().any(|text| is_call(&text)));
        let said = evidence.iter().filter(|text| !is_call(text));
        let texts = told.into_iter().chain([&fix]).chain(&trigger).chain(said);
        let doubts = doubts_about(cleaner.doubts(), texts);
        let detector = self.detector.name();
        let basis = if doubts.is_empty() { self.basis } else { vec![doubtful_text()] };
        let finding = Finding {
            source: detector.into(),
            mistake,
            fix,
            trigger,
            tools: self.tools,
            proposal,
            flags: doubts,
            evidence,
            basis,
            ..Finding::default()
        };
        let key = digest::hex_of_parts(&[detector.as_bytes(), self.key.as_bytes()], KEY_DIGITS);
        Signal { detector: detector.into(), key, is_strong: self.is_strong, finding, sighting }
    }
}

impl Cleaner {
    /// The clean text on one line, short enough for a finding.
    pub(super) fn told(&mut self, text: &str) -> String {
        self.cut(text, MOST_CHARS)
    }

    /// The clean text on one line, short enough for a quotation in a sentence.
    pub(super) fn quoted(&mut self, text: &str) -> String {
        self.cut(text, MOST_QUOTED)
    }

    /// The most telling line of an error, clean.
    pub(super) fn error(&mut self, text: &str) -> Option<String> {
        // A private key is the one secret whose lines cannot be told for its by themselves.
        let whole = if text.contains("PRIVATE KEY") { &self.clean(text) } else { text };
        failure::telling_line(whole).map(|line| self.told(line))
    }

    fn cut(&mut self, text: &str, most: usize) -> String {
        // A secret may go on after the end of a line.
        let line = one_line(&self.clean(text));
        neutral::shortened(&self.redacted(&line), most)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A call in a few words.
pub(super) fn name_of(step: &Step, cleaner: &mut Cleaner) -> String {
    let call = step.call();
    match (&call.command, &call.path) {
        (Some(command), _) => format!("`{}`", cleaner.quoted(command)),
        (None, Some(path)) => {
            let file = relative(path, step.origin().info.cwd.as_deref());
            format!("{} of {}", call.tool, cleaner.told(&file))
        }
        (None, None) => cleaner.told(&call.tool),
    }
}

/// The end of a call, in words.
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

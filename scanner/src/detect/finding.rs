//! From what a detector saw to a clue that can be stored: secrets out, doubts named.

use lessons_core::{digest, flags, neutral};
use lessons_store::candidates::{Doubt, Finding, Proposal, Sighting};
use lessons_store::clues::Clue;

use super::history::Place;
use super::{Detector, Weight};
use crate::finding::HAD_SECRET;
use crate::redact::redact;
use crate::transcript::Said;

/// The longest command or message that is quoted, in characters.
const MOST_QUOTED: usize = 200;
/// The longest text of a finding, in characters.
const MOST_CHARS: usize = 500;
/// How many hex digits of a key are kept.
const KEY_DIGITS: usize = 32;

/// What a detector saw, as it was said.
#[derive(Debug)]
pub(crate) struct Draft<'e> {
    pub(super) detector: Detector,
    /// The line that it hangs on.
    pub(super) place: &'e Place,
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
}

impl Draft<'_> {
    /// Who said the line that it hangs on, when and where.
    pub(crate) fn origin(&self) -> &Said {
        &self.place.origin
    }

    /// That line, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.place.line
    }

    /// What is stored of it.
    pub(crate) fn clue(self, sighting: Sighting) -> Clue {
        let mut cleaner = Cleaner::default();
        let mistake = cleaner.clean(&self.mistake);
        let fix = cleaner.clean(&self.fix);
        let trigger =
            self.trigger.filter(|text| text.chars().count() <= MOST_CHARS).map(|text| cleaner.clean(&text));
        let evidence: Vec<String> = self.evidence.iter().map(|line| cleaner.clean(line)).collect();
        let mut proposal = self.proposal;
        for triggers in [&mut proposal.triggers, &mut proposal.also, &mut proposal.unless] {
            triggers
                .retain(|trigger| !trigger.pattern.is_empty() && redact(&trigger.pattern).kinds.is_empty());
        }
        let mut doubts: Vec<Doubt> = Vec::new();
        let texts = [&mistake, &fix].into_iter().chain(&trigger).chain(&evidence);
        let raised = texts.flat_map(|text| flags::flags(text)).map(|flag| (flag.name, flag.meaning));
        let ours = [
            (cleaner.had_secret, (HAD_SECRET, "held a secret, which was replaced")),
            (cleaner.hid, (flags::HIDDEN_CHARACTERS.name, flags::HIDDEN_CHARACTERS.meaning)),
        ];
        let ours = ours.into_iter().filter(|(holds, _)| *holds).map(|(_, doubt)| doubt);
        for (name, meaning) in ours.chain(raised) {
            let doubt = Doubt { name: name.into(), meaning: meaning.into() };
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
        let detector = self.detector.name();
        let finding = Finding {
            source: detector.into(),
            mistake,
            fix,
            // What was replaced would not be the command any more.
            trigger: trigger.filter(|text| !text.contains("[REDACTED:")),
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

#[derive(Default)]
struct Cleaner {
    had_secret: bool,
    hid: bool,
}

impl Cleaner {
    /// One line without secrets and without what hides.
    fn clean(&mut self, text: &str) -> String {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let visible = neutral::visible(&line);
        self.hid |= visible != line;
        let redacted = redact(&visible);
        self.had_secret |= !redacted.kinds.is_empty();
        neutral::shortened(&redacted.text, MOST_CHARS)
    }
}

/// A command or message, on one line and not too long.
pub(super) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    neutral::shortened(&line, MOST_QUOTED)
}

/// How a call ended, in words.
pub(super) fn ending(text: &str, code: Option<u8>) -> String {
    match code {
        _ if super::failure::timed_out(text) => "does not end by itself".into(),
        Some(code) => format!("fails with exit code {code}"),
        None => "fails".into(),
    }
}

/// A path as seen from the working folder.
pub(super) fn relative(path: &str, folder: Option<&str>) -> String {
    let inside = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    inside.unwrap_or(path).to_owned()
}

//! Flags on text that instructs the agent rather than teaches it.
//!
//! A lesson says what goes wrong and what to do instead. Text that would make the agent send data
//! away, run what it has not seen, switch off a safeguard, keep something from the user or believe
//! that somebody already agreed is flagged, with the name of the rule that matched. A flag decides
//! nothing: it makes a person look (see `--accept`).
//!
//! The rules are data ([`rules`]). They look at the folded text ([`lessons_text::folded`]): in lower case, without hidden
//! characters and with white space collapsed. Precision comes first: "use --force-with-lease instead of --force"
//! teaches, and so does "never use --no-verify". [`order`] distinguishes the two. Most texts contain no word
//! that any rule needs, and for them nothing more is tried ([`hints`]).

mod hints;
mod lazy;
mod order;
mod rules;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::dfa::DFA;
use aho_corasick::nfa::contiguous::NFA;
use hints::Hints;
use lessons_text::{Folded, neutral};
use rules::{CONDITIONS, Condition, ConditionTest};

/// The reason why a text is flagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flag {
    /// The rule's name, kebab-case, as `--accept` takes it.
    pub name: &'static str,
    /// A description of what the rule found, for people.
    pub meaning: &'static str,
}

/// The flag for characters that hide, reorder or control.
pub const HIDDEN_CHARACTERS: Flag =
    Flag { name: "hidden-characters", meaning: "held characters that hide or reorder text" };
/// The flag for a word that mixes scripts.
pub const MIXED_SCRIPTS: Flag =
    Flag { name: "mixed-scripts", meaning: "has a word that mixes scripts, as look-alikes do" };

/// A place in a text that raises a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The flag that is raised.
    pub flag: Flag,
    /// The range of the words that raise it, in bytes of the text.
    pub range: Range<usize>,
    /// Whether ordinary texts have such a place too.
    pub evidence: Evidence,
}

/// The weight of a place that raises a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The place speaks for itself.
    Alone,
    /// The name of a speaker at the start of a line, which settings and records have too.
    BesideOthers,
}

/// The places at which `text` raises one of the flags with the given names: those of one rule after those of the other.
pub fn occurrences(text: &str, names: &[&str]) -> Vec<Occurrence> {
    let folded = Folded::of(text);
    let wanted = hinted_in(folded.text()).filter(|condition| names.contains(&condition.flag.name));
    wanted
        .flat_map(|&Condition { flag, ref test, .. }| {
            let evidence = test.evidence();
            let ranges = test.find_all(&folded).map(|range| folded.source(&range));
            ranges.map(move |range| Occurrence { flag, range, evidence }).collect::<Vec<_>>()
        })
        .collect()
}

/// A search that tells of most texts that they raise none of some flags. It takes a millisecond to make, and pays for
/// whoever looks at megabytes.
#[derive(Debug)]
pub struct Prefilter(Option<Hints<DFA>>);

impl Prefilter {
    /// A search for the flags with the given names.
    pub fn new(names: &[&str]) -> Self {
        let wanted = CONDITIONS.iter().filter(|condition| names.contains(&condition.flag.name));
        Self(Hints::new(wanted.map(|condition| condition.hints), DFA::new))
    }

    /// Whether a text may raise one of the flags, given what it is [folded](Folded) to. `false` is certain.
    pub fn may_raise(&self, folded: &str) -> bool {
        self.0.as_ref().is_none_or(|hints| hints.is_any_in(folded))
    }
}

/// The flags of `text`, in the order of the rules.
pub fn flags(text: &str) -> Vec<Flag> {
    // Hidden characters are removed first: `ig<zero width>nore all previous` reads as it is meant.
    let folded = Folded::of(text);
    let mut found: Vec<Flag> = Vec::new();
    for Condition { flag, test, .. } in hinted_in(folded.text()) {
        if found.last() != Some(flag) && test.holds(&folded) {
            found.push(*flag);
        }
    }
    if hides_characters(text) {
        found.push(HIDDEN_CHARACTERS);
    }
    if mixes_scripts(text) {
        found.push(MIXED_SCRIPTS);
    }
    found
}

/// Whether a text has characters that hide, reorder or control, or heaps of combining marks.
pub fn hides_characters(text: &str) -> bool {
    let is_odd = |c: char| neutral::is_hidden(c) && !matches!(c, '\n' | '\r' | '\t');
    text.contains(is_odd) || neutral::stacks_marks(text)
}

/// Whether a word of a text contains Latin letters and look-alikes from Greek or Cyrillic.
pub fn mixes_scripts(text: &str) -> bool {
    let mixes = |word: &str| {
        let latin = word.chars().any(|c| c.is_ascii_alphabetic());
        latin && word.chars().any(|c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}'))
    };
    text.split(|c: char| !c.is_alphabetic()).any(mixes)
}

impl ConditionTest {
    /// Whether the condition holds for a text.
    fn holds(&self, text: &Folded) -> bool {
        self.find_all(text).next().is_some()
    }

    /// The ranges of the folded text that satisfy the condition.
    fn find_all<'t>(&'t self, folded: &'t Folded) -> Box<dyn Iterator<Item = Range<usize>> + 't> {
        let text = folded.text();
        match self {
            Self::Text(pattern) => Box::new(pattern.find_iter(text)),
            Self::Act(pattern) => Box::new(order::acts(text, pattern)),
            Self::Instruction(instruction) => Box::new(order::orders(text, instruction)),
            Self::Sending(sending) => Box::new(order::sends(text, sending)),
            Self::Claim(pattern) => Box::new(order::claims(text, pattern)),
            Self::Start(pattern) => {
                let starts = |at: usize| {
                    let before = text.get(..at).unwrap_or_default();
                    folded.begins_line(at) || [". ", "! ", "? "].iter().any(|end| before.ends_with(end))
                };
                Box::new(pattern.find_iter(text).filter(move |found| starts(found.start)))
            }
        }
    }

    fn evidence(&self) -> Evidence {
        if matches!(self, Self::Start(_)) { Evidence::BesideOthers } else { Evidence::Alone }
    }
}

/// The hints of all conditions. They are compiled in every program that flags a text, most of which are short. `None` cannot
/// happen: a test compiles them.
static HINTS: LazyLock<Option<Hints<NFA>>> =
    LazyLock::new(|| Hints::new(CONDITIONS.iter().map(|condition| condition.hints), NFA::new));

/// The conditions whose hints occur in a folded text.
fn hinted_in(text: &str) -> impl Iterator<Item = &'static Condition> {
    let hinted = HINTS.as_ref().map(|hints| hints.in_text(text));
    let may_hold = move |index: usize| hinted.as_ref().is_none_or(|hinted| hinted.get(index) == Some(&true));
    CONDITIONS.iter().enumerate().filter(move |(index, _)| may_hold(*index)).map(|(_, condition)| condition)
}

#[cfg(test)]
#[path = "flags/tests.rs"]
mod tests;

//! Text that instructs the agent rather than teaches it.
//!
//! A lesson says what goes wrong and what to do instead. Text that would have the agent send data
//! away, run what it has not seen, switch off a safeguard, keep something from the user or believe
//! that somebody already agreed is flagged, with the name of the rule that saw it. A flag decides
//! nothing: it makes a person look (see `--accept`).
//!
//! The rules are data ([`rules`]). They look at the text in lower case, with hidden characters gone
//! and white space collapsed. Precision comes first: "use --force-with-lease instead of --force"
//! teaches, and so does "never use --no-verify". What tells the two apart is in [`order`].

mod order;
mod rules;

use std::sync::OnceLock;

use crate::neutral;
use crate::pattern::{Regex, js};
use order::{Grammar, Reach};
use rules::{RULES, Sees};

/// Why a text is flagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flag {
    /// The rule's name, kebab-case, as `--accept` takes it.
    pub name: &'static str,
    /// What the rule saw, for people.
    pub meaning: &'static str,
}

/// The flag for characters that hide, reorder or control.
pub const HIDDEN_CHARACTERS: Flag =
    Flag { name: "hidden-characters", meaning: "held characters that hide or reorder text" };
/// The flag for a word of several scripts.
pub const MIXED_SCRIPTS: Flag =
    Flag { name: "mixed-scripts", meaning: "has a word that mixes scripts, as look-alikes do" };

/// What raises a flag in `text`, in the order of the rules.
pub fn flags(text: &str) -> Vec<Flag> {
    // What hides is taken away first: `ig<zero width>nore all previous` reads as it is meant.
    let visible = neutral::visible(text).to_lowercase().replace('’', "'");
    let plain = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found: Vec<Flag> = RULES
        .iter()
        .zip(compiled())
        .filter(|(_, ready)| ready.iter().any(|ready| ready.is_seen(&plain, &visible)))
        .map(|(rule, _)| Flag { name: rule.name, meaning: rule.meaning })
        .collect();
    if text.chars().any(|c| neutral::is_hidden(c) && !matches!(c, '\n' | '\r' | '\t')) {
        found.push(HIDDEN_CHARACTERS);
    }
    if text.split(|c: char| !c.is_alphabetic()).any(mixes_scripts) {
        found.push(MIXED_SCRIPTS);
    }
    found
}

/// Whether a word holds Latin letters and look-alikes from Greek or Cyrillic.
fn mixes_scripts(word: &str) -> bool {
    let latin = word.chars().any(|c| c.is_ascii_alphabetic());
    latin && word.chars().any(|c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}'))
}

/// [`Sees`], made ready.
enum Ready {
    Text(Regex),
    Act(Regex),
    Order { verbs: Regex, object: Regex, reach: Reach },
    Claim(Regex),
    Start(Regex),
}

impl Ready {
    fn new(sees: &Sees) -> Option<Self> {
        Some(match sees {
            Sees::Text(pattern) => Self::Text(ready(pattern)?),
            Sees::Act(pattern) => Self::Act(ready(pattern)?),
            Sees::Order(order) => {
                Self::Order { verbs: ready(order.verbs)?, object: ready(order.object)?, reach: order.reach }
            }
            Sees::Claim(pattern) => Self::Claim(ready(pattern)?),
            Sees::Start(pattern) => Self::Start(ready(&format!(r"(?:^|\n|[.!?] )\s*(?:{pattern})"))?),
        })
    }

    /// Whether this stands in a text: `plain` is one line, `visible` has its lines.
    fn is_seen(&self, plain: &str, visible: &str) -> bool {
        let Some(grammar) = grammar() else { return false };
        match self {
            Self::Text(regex) => regex.is_match(plain),
            Self::Act(regex) => grammar.acts(plain, regex),
            Self::Order { verbs, object, reach } => grammar.orders(plain, verbs, object, *reach),
            Self::Claim(regex) => grammar.claims(plain, regex),
            Self::Start(regex) => regex.is_match(visible),
        }
    }
}

/// A pattern of ours made ready. `None` cannot happen: a test compiles them all.
fn ready(pattern: &str) -> Option<Regex> {
    js::expression(pattern).ok().and_then(|expression| Regex::of(&expression).ok())
}

fn grammar() -> Option<&'static Grammar> {
    static GRAMMAR: OnceLock<Option<Grammar>> = OnceLock::new();
    GRAMMAR.get_or_init(Grammar::new).as_ref()
}

/// The rules made ready, once.
fn compiled() -> &'static [Vec<Ready>] {
    static COMPILED: OnceLock<Vec<Vec<Ready>>> = OnceLock::new();
    COMPILED
        .get_or_init(|| RULES.iter().map(|rule| rule.sees.iter().filter_map(Ready::new).collect()).collect())
}

#[cfg(test)]
#[path = "flags/tests.rs"]
mod tests;

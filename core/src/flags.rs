//! Text that instructs the agent rather than teaches it.
//!
//! A lesson says what goes wrong and what to do instead. Text that would have the agent send data
//! away, run what it has not seen, switch off a safeguard, keep something from the user or believe
//! that somebody already agreed is flagged, with the name of the rule that saw it. A flag decides
//! nothing: it makes a person look (see `--accept`).
//!
//! The rules are data ([`rules`]). They look at the text in lower case, with hidden characters gone
//! and white space collapsed. Precision comes first: "use --force-with-lease instead of --force"
//! teaches, and so does "never use --no-verify". What tells the two apart is in [`order`]. Most texts hold no word
//! without which no rule sees anything, and of these nothing more is asked ([`hints`]).

mod hints;
mod lazy;
mod order;
mod rules;

use std::sync::LazyLock;

use regex_automata::PatternID;

use crate::neutral;
use hints::Hints;
use lazy::Lazy;
use order::{Grammar, Order, Reach};
use rules::{RULES, Rule, Sees};

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
    let mut found: Vec<Flag> = Vec::new();
    for looked in looks().for_in(&plain) {
        let flag = Flag { name: looked.rule.name, meaning: looked.rule.meaning };
        if found.last() != Some(&flag) && looked.ready.is_seen(&plain, &visible) {
            found.push(flag);
        }
    }
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

/// [`Sees`], as it is looked for.
enum Ready {
    Text(Lazy),
    Act(Lazy),
    Order { verbs: Lazy, object: Lazy, reach: Reach },
    Claim(Lazy),
    Start(Lazy),
}

impl Ready {
    fn new(sees: &Sees) -> Self {
        match sees {
            Sees::Text(pattern) => Self::Text(Lazy::new(*pattern)),
            Sees::Act(pattern) => Self::Act(Lazy::new(*pattern)),
            Sees::Order(Order { verbs, object, reach }) => {
                Self::Order { verbs: Lazy::new(*verbs), object: Lazy::new(*object), reach: *reach }
            }
            Sees::Claim(pattern) => Self::Claim(Lazy::new(*pattern)),
            Sees::Start(pattern) => Self::Start(Lazy::new(format!(r"(?:^|\n|[.!?] )\s*(?:{pattern})"))),
        }
    }

    /// Whether this stands in a text: `plain` is one line, `visible` has its lines.
    fn is_seen(&self, plain: &str, visible: &str) -> bool {
        match self {
            Self::Text(pattern) => pattern.is_match(plain),
            Self::Act(pattern) => grammar().acts(plain, pattern),
            Self::Order { verbs, object, reach } => grammar().orders(plain, verbs, object, *reach),
            Self::Claim(pattern) => grammar().claims(plain, pattern),
            Self::Start(pattern) => pattern.is_match(visible),
        }
    }
}

fn grammar() -> &'static Grammar {
    static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::new);
    &GRAMMAR
}

/// Everything that is looked for, in the order of the rules.
struct Looks {
    all: Vec<Looked>,
    /// `None` cannot happen: a test makes them.
    hints: Option<Hints>,
}

struct Looked {
    rule: &'static Rule,
    ready: Ready,
}

impl Looks {
    fn new() -> Self {
        let all = RULES.iter().flat_map(|rule| {
            rule.looks.iter().map(move |look| Looked { rule, ready: Ready::new(&look.sees) })
        });
        let hints = RULES.iter().flat_map(|rule| rule.looks).map(|look| look.hints);
        Self { all: all.collect(), hints: Hints::new(hints) }
    }

    /// What may stand in a text.
    fn for_in(&self, plain: &str) -> impl Iterator<Item = &Looked> {
        let hinted = self.hints.as_ref().map(|hints| hints.in_text(plain));
        let may_stand = move |number: usize| {
            let hinted = hinted.as_ref();
            hinted.is_none_or(|hinted| PatternID::new(number).is_ok_and(|number| hinted.contains(number)))
        };
        self.all.iter().enumerate().filter(move |(number, _)| may_stand(*number)).map(|(_, looked)| looked)
    }
}

fn looks() -> &'static Looks {
    static LOOKS: LazyLock<Looks> = LazyLock::new(Looks::new);
    &LOOKS
}

#[cfg(test)]
#[path = "flags/tests.rs"]
mod tests;

//! Flags on text that instructs the agent rather than teaches it.
//!
//! A lesson says what goes wrong and what to do instead. Text that would make the agent send data
//! away, run what it has not seen, switch off a safeguard, keep something from the user or believe
//! that somebody already agreed is flagged, with the name of the rule that matched. A flag decides
//! nothing: it makes a person look (see `--accept`).
//!
//! The rules are data ([`rules`]). They look at the text in lower case, without hidden characters
//! and with white space collapsed. Precision comes first: "use --force-with-lease instead of --force"
//! teaches, and so does "never use --no-verify". [`order`] distinguishes the two. Most texts contain no word
//! that any rule needs, and for them nothing more is tried ([`hints`]).

mod hints;
mod lazy;
mod order;
mod rules;

use std::sync::LazyLock;

use regex_automata::PatternID;

use hints::Hints;
use lazy::LazyPattern;
use lessons_text::neutral;
use order::{Grammar, Instruction, Reach};
use rules::{ConditionTest, RULES, Rule};

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

/// The flags of `text`, in the order of the rules.
pub fn flags(text: &str) -> Vec<Flag> {
    // Hidden characters are removed first: `ig<zero width>nore all previous` reads as it is meant.
    let visible = neutral::visible(text).to_lowercase().replace('’', "'");
    let plain = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found: Vec<Flag> = Vec::new();
    for condition in conditions().hinted_in(&plain) {
        let flag = Flag { name: condition.rule.name, meaning: condition.rule.meaning };
        if found.last() != Some(&flag) && condition.test.holds(&plain, &visible) {
            found.push(flag);
        }
    }
    let is_odd = |c: char| neutral::is_hidden(c) && !matches!(c, '\n' | '\r' | '\t');
    if text.contains(is_odd) || neutral::stacks_marks(text) {
        found.push(HIDDEN_CHARACTERS);
    }
    if text.split(|c: char| !c.is_alphabetic()).any(mixes_scripts) {
        found.push(MIXED_SCRIPTS);
    }
    found
}

/// Whether a word contains Latin letters and look-alikes from Greek or Cyrillic.
fn mixes_scripts(word: &str) -> bool {
    let latin = word.chars().any(|c| c.is_ascii_alphabetic());
    latin && word.chars().any(|c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}'))
}

/// A [`Test`] with its patterns, which are compiled when first used.
enum CompiledTest {
    Text(LazyPattern),
    Act(LazyPattern),
    Instruction { verbs: LazyPattern, object: LazyPattern, reach: Reach },
    Claim(LazyPattern),
    Start(LazyPattern),
}

impl CompiledTest {
    fn new(test: &ConditionTest) -> Self {
        match test {
            ConditionTest::Text(pattern) => Self::Text(LazyPattern::new(*pattern)),
            ConditionTest::Act(pattern) => Self::Act(LazyPattern::new(*pattern)),
            ConditionTest::Instruction(Instruction { verbs, object, reach }) => Self::Instruction {
                verbs: LazyPattern::new(*verbs),
                object: LazyPattern::new(*object),
                reach: *reach,
            },
            ConditionTest::Claim(pattern) => Self::Claim(LazyPattern::new(*pattern)),
            ConditionTest::Start(pattern) => {
                Self::Start(LazyPattern::new(format!(r"(?:^|\n|[.!?] )\s*(?:{pattern})")))
            }
        }
    }

    /// Whether the condition holds for a text: `plain` is the text on one line, `visible` the text with its lines.
    fn holds(&self, plain: &str, visible: &str) -> bool {
        match self {
            Self::Text(pattern) => pattern.is_match(plain),
            Self::Act(pattern) => grammar().acts(plain, pattern),
            Self::Instruction { verbs, object, reach } => grammar().orders(plain, verbs, object, *reach),
            Self::Claim(pattern) => grammar().claims(plain, pattern),
            Self::Start(pattern) => pattern.is_match(visible),
        }
    }
}

fn grammar() -> &'static Grammar {
    static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::new);
    &GRAMMAR
}

/// The conditions of all rules, in order.
struct CompiledConditions {
    all: Vec<CompiledCondition>,
    /// The hints of the conditions. `None` cannot happen: a test compiles them.
    hints: Option<Hints>,
}

struct CompiledCondition {
    rule: &'static Rule,
    test: CompiledTest,
}

impl CompiledConditions {
    fn new() -> Self {
        let all = RULES.iter().flat_map(|rule| {
            rule.conditions
                .iter()
                .map(move |condition| CompiledCondition { rule, test: CompiledTest::new(&condition.test) })
        });
        let hints = RULES.iter().flat_map(|rule| rule.conditions).map(|condition| condition.hints);
        Self { all: all.collect(), hints: Hints::new(hints) }
    }

    /// The conditions whose hints occur in a text.
    fn hinted_in(&self, plain: &str) -> impl Iterator<Item = &CompiledCondition> {
        let hinted = self.hints.as_ref().map(|hints| hints.in_text(plain));
        let may_hold = move |number: usize| {
            let hinted = hinted.as_ref();
            hinted.is_none_or(|hinted| PatternID::new(number).is_ok_and(|number| hinted.contains(number)))
        };
        self.all
            .iter()
            .enumerate()
            .filter(move |(number, _)| may_hold(*number))
            .map(|(_, condition)| condition)
    }
}

fn conditions() -> &'static CompiledConditions {
    static CONDITIONS: LazyLock<CompiledConditions> = LazyLock::new(CompiledConditions::new);
    &CONDITIONS
}

#[cfg(test)]
#[path = "flags/tests.rs"]
mod tests;

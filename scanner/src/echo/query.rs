//! The query whether a text is an echo.

use super::shingles::{SHINGLE, Shingles};
use crate::tag::{Cancel, Tag};

/// The share of its shingles that makes a text an echo, in percent. A sentence of twelve words in
/// which one word in the middle was changed keeps three of eight; one that was cut or got a new
/// beginning keeps most.
pub const SHARE: usize = 60;

/// The shortest word that is searched, in bytes. A shorter one is everywhere.
const SHORTEST: usize = 3;

/// The shingles of a text that is tested for being an echo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    pub(super) fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) shingles: Shingles,
    /// ASCII words of which every shingle holds one. `None` where a shingle has no such word.
    pub(super) words: Option<Vec<String>>,
    /// Whether it is enough that this field was read before.
    alone: bool,
}

impl Question {
    /// The query for a lesson, before anything was redacted.
    pub fn of_lesson(tag: &Tag) -> Self {
        let told = [Some(&tag.finding.fix), tag.finding.why.as_ref()].into_iter().flatten().map(|text| {
            let field = Field::of(text);
            // One short phrase of a command is said by chance.
            Field { alone: field.shingles.length == SHINGLE, ..field }
        });
        let mistake = Field { alone: false, ..Field::of(&tag.finding.mistake) };
        Self { fields: [mistake].into_iter().chain(told).collect() }
    }

    /// The query for a cancel: its marker and the first words after it. The mistake that a cancel names stood in the
    /// session before, as it should; only the cancel itself must not.
    pub fn of_cancel(cancel: &Cancel) -> Self {
        let start = |name: &str, value: &str| {
            let words: Vec<&str> = value.split_whitespace().take(3).collect();
            Field::of(&format!("#lesson:cancel {name}: {}", words.join(" ")))
        };
        let by_trigger = cancel.trigger.iter().map(|value| start("trigger", value));
        let by_mistake =
            cancel.mistake.iter().flat_map(|value| [start("mistake", value), start("problem", value)]);
        Self { fields: by_trigger.chain(by_mistake).collect() }
    }

    /// The query for a rule in the words of a person, or of a file. `None` where it has fewer words than a shingle:
    /// "use pnpm" stands in any text by chance.
    pub(crate) fn of_rule(rule: &str) -> Option<Self> {
        let field = Field::of(rule);
        (field.shingles.length == SHINGLE).then(|| Self { fields: vec![field] })
    }

    /// The query for a name: a file that results were put in.
    pub(crate) fn of_name(name: &str) -> Self {
        Self { fields: vec![Field::of(name)] }
    }

    /// Whether enough of the shingles were read before, as `was_read` says of each.
    pub fn is_echo(&self, was_read: impl Fn(&str) -> bool) -> bool {
        let is_enough = |heard: usize, all: usize| all > 0 && heard * 100 >= all * SHARE;
        let (mut heard, mut all) = (0, 0);
        for field in &self.fields {
            let count = field.shingles.rows.iter().filter(|row| was_read(row)).count();
            let of = field.shingles.rows.len();
            if field.alone && is_enough(count, of) {
                return true;
            }
            heard += count;
            all += of;
        }
        is_enough(heard, all)
    }
}

impl Field {
    /// A field of which it is enough that it was read before.
    fn of(text: &str) -> Self {
        let shingles = Shingles::of(text);
        Self { words: words_of(&shingles), shingles, alone: true }
    }
}

/// A few words of a text, in lower case, of which every shingle of it holds one: the longest ASCII words. `None` where a
/// shingle has no such word.
fn words_of(shingles: &Shingles) -> Option<Vec<String>> {
    let mut chosen: Vec<String> = Vec::new();
    for row in &shingles.rows {
        let is_searched = |word: &&str| word.is_ascii() && word.len() >= SHORTEST;
        let words: Vec<&str> = row.split(' ').filter(is_searched).collect();
        if !words.iter().any(|word| chosen.iter().any(|own| own == word)) {
            chosen.push(words.into_iter().max_by_key(|word| word.len())?.to_owned());
        }
    }
    Some(chosen)
}

//! The comparison of proposals with what a person has read.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;

use super::scanned::{Candidate, Place};

/// How far apart two lines may be that speak of the same thing.
const NEAR_LINES: u64 = 3;
/// How many words a proposal shares with a lesson at such a line.
const SHARED_WORDS: usize = 3;
/// The shortest word that counts, in characters.
const WORD: usize = 4;
/// The length of the start of a text by which it is found again, in characters.
const START: usize = 60;

/// A lesson that a careful developer would want.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct GoldLesson {
    /// Its name in the files of readers.
    #[serde(default)]
    pub(super) id: String,
    /// From 1, which may be argued away, to 3.
    pub(super) usefulness: u8,
    quote: String,
    rule: String,
    evidence: Vec<Place>,
    /// Its ideal triggers; empty where none makes sense.
    #[serde(default)]
    pub(super) triggers: Vec<String>,
    #[serde(default)]
    unless: Option<Vec<String>>,
}

impl GoldLesson {
    /// Whether one of the lines that show it is among some.
    pub(super) fn is_at(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        self.evidence.iter().any(|place| holds(&place.uuid))
    }

    /// Its triggers as flags of `lessons replay`.
    pub(super) fn as_flags(&self) -> Vec<String> {
        let triggers = self.triggers.iter().map(|trigger| ("--trigger", trigger));
        let unless = self.unless.iter().flatten().map(|trigger| ("--unless", trigger));
        triggers.chain(unless).flat_map(|(flag, trigger)| [flag.to_owned(), trigger.clone()]).collect()
    }
}

/// What a second reader says of the lessons, by their ids.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Readings {
    /// The proposed rules that say the same as the lesson.
    same: HashMap<String, Vec<String>>,
    /// The lessons that a built-in lesson tells.
    #[serde(default)]
    pub(super) built_in: HashSet<String>,
}

impl Readings {
    /// Whether a proposed rule says the same as a lesson.
    pub(super) fn says_the_same(&self, id: &str, rule: &str) -> bool {
        self.same.get(id).into_iter().flatten().any(|read| start(read) == start(rule))
    }
}

/// What looks like a lesson and is none.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Garbage {
    garbage: Vec<GarbageEntry>,
    /// Prompts that were read and hold no lesson.
    read_prompts: HashSet<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct GarbageEntry {
    text: String,
    evidence: Vec<Place>,
}

/// What a proposal is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is about these lessons, by their numbers.
    Gold(BTreeSet<usize>),
    /// Somebody has read it, and it is none.
    Garbage,
    /// Nobody has read it.
    Unread,
}

impl Verdict {
    /// Whether it is about a lesson.
    pub(super) fn is_gold(&self, number: usize) -> bool {
        matches!(self, Self::Gold(numbers) if numbers.contains(&number))
    }
}

/// The verdict on each proposal. It is about a lesson where it was seen at a line of the lesson's evidence, else near one
/// with some of its words, else where it quotes its text in the same session.
pub(super) fn verdicts(candidates: &[Candidate], gold: &[GoldLesson], garbage: &Garbage) -> Vec<Verdict> {
    let mut by_uuid: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    let mut by_session: HashMap<&str, Vec<(u64, usize)>> = HashMap::new();
    for (number, lesson) in gold.iter().enumerate() {
        for place in &lesson.evidence {
            by_uuid.entry(&place.uuid).or_default().insert(number);
            by_session.entry(&place.session).or_default().push((place.line, number));
        }
    }
    let bad: HashSet<&str> =
        garbage.garbage.iter().flat_map(|entry| &entry.evidence).map(|place| place.uuid.as_str()).collect();
    let bad_texts: HashSet<String> = garbage.garbage.iter().map(|entry| start(&entry.text)).collect();
    let verdict = |candidate: &Candidate| {
        let text = format!("{} {} {}", candidate.mistake, candidate.fix, candidate.evidence.join(" "));
        let (own, flat) = (words(&text), flat(&text));
        let mut found = BTreeSet::new();
        let mut without = 0;
        for place in &candidate.sightings {
            let near = by_session.get(place.session.as_str()).map_or(&[][..], Vec::as_slice);
            let shares = |number: usize| {
                let theirs = words(&format!("{} {}", gold[number].quote, gold[number].rule));
                own.intersection(&theirs).count() >= SHARED_WORDS
            };
            let quotes = |number: usize| {
                let quote = start(&gold[number].quote);
                quote.chars().count() > 15 && flat.contains(&quote)
            };
            let mut here = by_uuid.get(place.uuid.as_str()).cloned().unwrap_or_default();
            if here.is_empty() {
                let close = near.iter().filter(|(line, _)| line.abs_diff(place.line) <= NEAR_LINES);
                here.extend(close.map(|(_, number)| *number).filter(|number| shares(*number)));
            }
            if here.is_empty() {
                here.extend(near.iter().map(|(_, number)| *number).filter(|number| quotes(*number)));
            }
            without += usize::from(here.is_empty() && bad.contains(place.uuid.as_str()));
            found.extend(here);
        }
        let was_read = candidate.sightings.iter().any(|place| garbage.read_prompts.contains(&place.uuid));
        let is_bad = bad_texts.contains(&start(&format!("{} -> {}", candidate.mistake, candidate.fix)));
        match found.is_empty() {
            false => Verdict::Gold(found),
            true if without > 0 || was_read || is_bad => Verdict::Garbage,
            true => Verdict::Unread,
        }
    };
    candidates.iter().map(verdict).collect()
}

/// The words of a text that are long enough, in lower case.
fn words(text: &str) -> HashSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let lower = text.to_lowercase();
    lower.split(|c: char| !is_word(c)).filter(|word| word.len() >= WORD).map(str::to_owned).collect()
}

/// A text in lower case whose words are parted by single spaces, without marks.
fn flat(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The start of the flat text.
fn start(text: &str) -> String {
    flat(text).chars().take(START).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(uuid: &str, line: u64) -> Place {
        Place { uuid: uuid.into(), session: "s".into(), line }
    }

    fn candidate(uuid: &str, line: u64, fix: &str) -> Candidate {
        let (id, mistake) = ("1".into(), "it failed".into());
        let source = "correction".into();
        Candidate {
            id,
            source,
            mistake,
            fix: fix.into(),
            evidence: Vec::new(),
            sightings: vec![place(uuid, line)],
        }
    }

    fn verdict_on(candidate: Candidate) -> Verdict {
        let gold = GoldLesson {
            id: "pnpm".into(),
            usefulness: 3,
            quote: "always use pnpm in this repository".into(),
            rule: "use pnpm, never npm".into(),
            evidence: vec![place("u1", 10)],
            triggers: Vec::new(),
            unless: None,
        };
        let entry = GarbageEntry { text: "retyped".into(), evidence: vec![place("u7", 70)] };
        let garbage = Garbage { garbage: vec![entry], read_prompts: HashSet::from(["u8".to_owned()]) };
        verdicts(&[candidate], &[gold], &garbage).remove(0)
    }

    #[test]
    fn a_proposal_is_about_a_lesson_by_its_line_its_words_nearby_or_its_text() {
        let gold = Verdict::Gold(BTreeSet::from([0]));
        assert_eq!(verdict_on(candidate("u1", 10, "x")), gold);
        assert_eq!(verdict_on(candidate("u2", 12, "always use pnpm here, in this repository")), gold);
        assert_eq!(verdict_on(candidate("u2", 90, "Always use pnpm in this repository!")), gold);
    }

    #[test]
    fn a_second_reader_says_which_rules_say_the_same() {
        let readings: Readings =
            serde_json::from_str(r#"{"same": {"pnpm": ["Use pnpm, never npm"]}, "built_in": ["git"]}"#)
                .unwrap();
        assert!(readings.says_the_same("pnpm", "use pnpm, never npm!"));
        assert!(!readings.says_the_same("pnpm", "use npm") && !readings.says_the_same("git", "use pnpm"));
    }

    #[test]
    fn what_was_read_and_is_none_is_garbage_and_the_rest_is_unread() {
        assert_eq!(verdict_on(candidate("u7", 70, "x")), Verdict::Garbage);
        assert_eq!(verdict_on(candidate("u8", 80, "x")), Verdict::Garbage);
        assert_eq!(verdict_on(candidate("u9", 12, "use npm")), Verdict::Unread);
    }
}

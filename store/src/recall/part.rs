//! What recall looks at of a store, in a file beside it: a third of its bytes, and nothing that has to be parsed or
//! cut into words.
//!
//! It says which file the store was: inode, size and time of change. Where the store is another one, where the part is
//! of another version of this program, and where one byte of it is not what it was, it is no part, and the store
//! is read instead. Any bytes may stand in it: they are refused, or they are a part.
//!
//! **Format.** [`MAGIC`], the sum of the rest in eight bytes, the lowest first, then a `Content` as `postcard` writes
//! it. It is a faster way to what the store says and nothing else, so there is no upgrade: the next build makes another.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use lessons_core::index::key::checksum;
use lessons_core::lesson::Subject;
use lessons_core::recall::{Conditions, Corpus, Entry, TriggerPlace};
use lessons_core::trigger::TriggerKind;
use serde::{Deserialize, Serialize};

/// What a part starts with. The digit is raised with every change of the format.
pub const MAGIC: [u8; 8] = *b"LSN-RCL1";
/// What the sum of a part begins with, which sets it apart from others.
pub const SEED: u64 = 0x7265_6361_6c6c;

/// Which file a store is, and when it was changed for the last time, which only the system can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    inode: u64,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Identity {
    /// That of an opened file.
    pub fn of(file: &Metadata) -> Self {
        Self { inode: file.ino(), size: file.size(), seconds: file.ctime(), nanoseconds: file.ctime_nsec() }
    }

    /// Whether the file was changed for the last time before `other` was written. The clock of the file system has moved
    /// on then, so a change that is still to come will show.
    pub fn is_older_than(&self, other: &Metadata) -> bool {
        (self.seconds, self.nanoseconds) < (other.mtime(), other.mtime_nsec())
    }
}

/// What a part was made of, and by which version of this program.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Origin<'a> {
    made_by: &'a str,
    store: Identity,
}

/// What is in a part: a [`Corpus`], and how much of the store is not in it.
#[derive(Serialize, Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    origin: Origin<'a>,
    unread: usize,
    #[serde(borrow)]
    triggers: Vec<Trigger<'a>>,
    words: Vec<&'a str>,
    lessons: Vec<Lesson<'a>>,
    /// The words of all rules by their numbers, one rule after another.
    said: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct Trigger<'a> {
    kind: TriggerKind,
    pattern: &'a str,
    /// Every match holds one of these, if there are any.
    #[serde(borrow)]
    literals: Vec<&'a str>,
}

#[derive(Serialize, Deserialize)]
struct Lesson<'a> {
    id: &'a str,
    rule: &'a str,
    #[serde(borrow)]
    topics: Vec<&'a str>,
    created_at: &'a str,
    projects: Vec<&'a str>,
    tools: Vec<&'a str>,
    subject: Option<Subject>,
    /// Triggers by their numbers.
    triggers: Vec<u32>,
    also: Vec<u32>,
    unless: Vec<u32>,
    /// How many words of the rule count.
    words: usize,
}

/// What a build knows of a pattern: texts in ASCII lower case of which every match holds one. None: nothing is known.
pub type Literals<'l> = &'l dyn Fn(TriggerKind, &str) -> Vec<String>;

/// The bytes of a part: `corpus` is what `store` was read as, but for `unread` lessons.
pub fn encode(
    corpus: &Corpus<'_>,
    unread: usize,
    literals: Literals<'_>,
    store: Identity,
    made_by: &str,
) -> Result<Vec<u8>, postcard::Error> {
    let mut said = Vec::new();
    let lessons = corpus.told().map(|told| {
        said.extend(told.words.iter().map(|word| word.number()));
        let numbers = |list: &[TriggerPlace]| list.iter().map(|trigger| trigger.number()).collect();
        Lesson {
            id: &told.entry.id,
            rule: &told.entry.rule,
            topics: texts(&told.entry.topics),
            created_at: &told.entry.created_at,
            projects: texts(&told.entry.projects),
            tools: texts(&told.entry.tools),
            subject: told.entry.subject,
            triggers: numbers(&told.conditions.triggers),
            also: numbers(&told.conditions.also),
            unless: numbers(&told.conditions.unless),
            words: told.words.len(),
        }
    });
    let lessons = lessons.collect();
    // A pattern that no active lesson has is not tried, and nobody has worked it out.
    let used: HashSet<u32> =
        corpus.told().flat_map(|told| told.conditions.all()).map(TriggerPlace::number).collect();
    let known =
        |(number, (kind, pattern))| if used.contains(&number) { literals(kind, pattern) } else { Vec::new() };
    let literals: Vec<Vec<String>> = (0..).zip(corpus.triggers()).map(known).collect();
    let triggers = corpus.triggers().zip(&literals).map(|((kind, pattern), literals)| Trigger {
        kind,
        pattern,
        literals: literals.iter().map(String::as_str).collect(),
    });
    let triggers = triggers.collect();
    let content =
        Content { origin: Origin { made_by, store }, unread, triggers, words: corpus.words(), lessons, said };
    // Less than half of the bytes of the store. Room that is not written costs nothing.
    let mut bytes = Vec::with_capacity(usize::try_from(store.size / 2).unwrap_or(0));
    bytes.extend(MAGIC);
    bytes.extend([0; 8]);
    let mut bytes = postcard::to_extend(&content, bytes)?;
    if let Some((head, body)) = bytes.split_at_mut_checked(MAGIC.len() + 8) {
        head[MAGIC.len()..].copy_from_slice(&checksum(SEED, body).to_le_bytes());
    }
    Ok(bytes)
}

fn texts<'t>(texts: &'t [Cow<'_, str>]) -> Vec<&'t str> {
    texts.iter().map(AsRef::as_ref).collect()
}

/// Whether bytes are as they were written, as a part of `store`, by this version of the program.
pub fn is_part(bytes: &[u8], store: Identity, made_by: &str) -> bool {
    body_of(bytes, store, made_by).is_some()
}

/// Whether bytes begin as a part of `store` does that this version of the program made.
pub fn begins_as_part(bytes: &[u8], store: Identity, made_by: &str) -> bool {
    let body = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.split_first_chunk::<8>());
    body.is_some_and(|(_, body)| {
        postcard::take_from_bytes::<Origin<'_>>(body)
            .is_ok_and(|(origin, _)| origin == Origin { made_by, store })
    })
}

fn body_of<'a>(bytes: &'a [u8], store: Identity, made_by: &str) -> Option<&'a [u8]> {
    let (sum, body) = bytes.strip_prefix(&MAGIC)?.split_first_chunk::<8>()?;
    let is_whole = begins_as_part(bytes, store, made_by) && checksum(SEED, body) == u64::from_le_bytes(*sum);
    is_whole.then_some(body)
}

/// A part that was read.
pub struct Part<'a>(Content<'a>);

impl<'a> Part<'a> {
    /// Reads a part of `store` that this version of the program made. `None`: it is none.
    pub fn decode(bytes: &'a [u8], store: Identity, made_by: &str) -> Option<Self> {
        let content: Content<'a> = postcard::from_bytes(body_of(bytes, store, made_by)?).ok()?;
        content.is_sound().then_some(Self(content))
    }

    /// Adds its lessons to `corpus`, as [`super::read`] would. Returns how many of the store could not be read.
    pub fn read(self, corpus: &mut Corpus<'a>, is_wanted: &dyn Fn(&str) -> bool) -> usize {
        let content = self.0;
        let place = |trigger: Trigger<'a>| {
            let place = corpus.trigger(trigger.kind, trigger.pattern.into());
            corpus.set_literals(place, trigger.literals);
            place
        };
        let triggers: Vec<TriggerPlace> = content.triggers.into_iter().map(place).collect();
        let words: Vec<_> = content.words.into_iter().map(|word| corpus.word(word)).collect();
        let places = |numbers: Vec<u32>| {
            numbers.into_iter().filter_map(|number| triggers.get(number as usize).copied()).collect()
        };
        let texts = |texts: Vec<&'a str>| texts.into_iter().map(Cow::Borrowed).collect();
        let mut said = content.said.as_slice();
        for lesson in content.lessons {
            let (own, others) = said.split_at_checked(lesson.words).unwrap_or_default();
            said = others;
            if !is_wanted(lesson.id) {
                continue;
            }
            let entry = Entry {
                id: lesson.id.into(),
                rule: lesson.rule.into(),
                topics: texts(lesson.topics),
                created_at: lesson.created_at.into(),
                projects: texts(lesson.projects),
                tools: texts(lesson.tools),
                subject: lesson.subject,
            };
            let conditions = Conditions {
                triggers: places(lesson.triggers),
                also: places(lesson.also),
                unless: places(lesson.unless),
            };
            let own = own.iter().filter_map(|number| words.get(*number as usize).copied());
            corpus.add_told(entry, conditions, own);
        }
        content.unread
    }
}

impl Content<'_> {
    /// Whether every number leads somewhere.
    fn is_sound(&self) -> bool {
        let is_trigger = |number: &u32| (*number as usize) < self.triggers.len();
        let mut left = Some(self.said.len());
        for lesson in &self.lessons {
            left = left.and_then(|left| left.checked_sub(lesson.words));
            if ![&lesson.triggers, &lesson.also, &lesson.unless].into_iter().flatten().all(is_trigger) {
                return false;
            }
        }
        left == Some(0) && self.said.iter().all(|word| (*word as usize) < self.words.len())
    }
}

#[cfg(test)]
mod tests {
    use lessons_core::id::Layer;
    use lessons_core::prepared::{Compiled, prepare};
    use lessons_core::recall::Question;
    use lessons_core::trigger::Trigger;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{Corpus, TriggerKind, checksum};
    use super::{Identity, Part, SEED, encode};
    use std::path::Path;

    use crate::graph::usable::Usable;
    use crate::recall;

    const STORE: Identity = Identity { inode: 1, size: 2, seconds: -3, nanoseconds: 4 };

    /// Something that was taken in before, so that numbers of a part are no places.
    const BEFORE: &str = r#"{"version":1,"lessons":{"before":{"rule":"Push late, git first.","topics":["t"],
        "evidence":[],"triggers":["a"],"status":"active","createdAt":"2026-01-01"}},
        "triggers":{"a":{"kind":"command_pattern","pattern":"push"}}}"#;

    /// As a build works them out.
    fn literals(kind: TriggerKind, pattern: &str) -> Vec<String> {
        let prepared = prepare(&Trigger::new(kind, pattern)).map(|prepared| prepared.compiled);
        if let Ok(Compiled::Regex { literals }) = prepared { literals } else { Vec::new() }
    }

    fn part_of(text: &str) -> Vec<u8> {
        let mut corpus = Corpus::default();
        let unread = recall::read(&mut corpus, &Layer::User, text.as_bytes(), &|_| true).unwrap();
        encode(&corpus, unread, &literals, STORE, "1").unwrap()
    }

    /// Whatever one of a few words can stand for: with escapes, letters of other scripts, capitals.
    fn words() -> impl Strategy<Value = String> {
        let word =
            prop::sample::select(vec!["git", "Push", "the", "x", "über", "\"a\"", "\n", "stash", "ΟΔΟΣ"]);
        prop::collection::vec(word, 1..6).prop_map(|words| words.join(" "))
    }

    fn trigger() -> impl Strategy<Value = Value> {
        let kind =
            prop::sample::select(vec!["command_pattern", "file_glob", "keyword", "path_pattern", "odd"]);
        let pattern = prop::sample::select(vec!["git", "push", "stash \"x", "*.ts", "src/**", "(", "über"]);
        (kind, pattern).prop_map(|(kind, pattern)| json!({ "kind": kind, "pattern": pattern }))
    }

    fn lesson() -> impl Strategy<Value = Value> {
        // `z` is nowhere.
        let ids =
            || prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "z"]), 0..3);
        let list = || prop::collection::vec(words(), 0..2);
        let status = prop::sample::select(vec!["active", "active", "active", "deprecated", "odd"]);
        let mode = prop::sample::select(vec!["advise", "bump", "block"]);
        let when = prop::sample::select(vec!["tool", "tool", "tool", "session"]);
        (words(), list(), ids(), ids(), ids(), status, mode, when, (list(), list(), 10..15)).prop_map(
            |(rule, topics, triggers, also, unless, status, mode, when, (tools, projects, day))| {
                json!({
                    "rule": rule, "topics": topics, "triggers": triggers, "also": also, "unless": unless,
                    "status": status, "mode": mode, "when": when, "tools": tools, "evidence": [],
                    "scope": { "projects": projects }, "createdAt": format!("2026-01-{day}"),
                })
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn the_answer_is_the_same_with_a_part_and_without(
            lessons in prop::collection::vec(lesson(), 0..8),
            triggers in prop::collection::vec(trigger(), 6),
            (command, keyword, file) in (words(), words(), prop::sample::select(vec!["src/a.ts", "push/git.md"])),
            off in 0..8_usize,
        ) {
            let ids = ["l0", "l1", "l2", "l3", "l4", "l5", "l6", "-odd"];
            let lessons: serde_json::Map<_, _> = ids.map(str::to_owned).into_iter().zip(lessons).collect();
            let names = ["a", "b", "c", "d", "e", "f"].map(str::to_owned);
            let triggers: serde_json::Map<_, _> = names.into_iter().zip(triggers).collect();
            let text = json!({ "version": 1, "lessons": lessons, "triggers": triggers }).to_string();
            let part = part_of(&text);
            let is_wanted = |id: &str| id != format!("user/{}", ids[off]);

            let mut with = Corpus::default();
            let mut without = Corpus::default();
            for corpus in [&mut with, &mut without] {
                recall::read(corpus, &Layer::Seed, BEFORE.as_bytes(), &|_| true).unwrap();
            }
            let unread = Part::decode(&part, STORE, "1").unwrap().read(&mut with, &is_wanted);
            let expected = recall::read(&mut without, &Layer::User, text.as_bytes(), &is_wanted).unwrap();
            prop_assert_eq!(unread, expected);
            prop_assert!(with.entries().eq(without.entries()));
            let question = Question { command: Some(&command), ..Question::default() };
            for question in [
                question,
                Question { keyword: Some(&keyword), ..question },
                Question { command: None, file: Some(file), root: Some("/p"), ..question },
            ] {
                prop_assert_eq!(with.recall(&question), without.recall(&question));
            }
        }

        #[test]
        fn the_answer_is_the_same_whether_a_sound_store_was_read_whole(
            lessons in prop::collection::vec(lesson(), 1..8),
            patterns in prop::collection::vec(prop::sample::select(vec!["git", "push", "stash \"x", "über"]), 6),
            (command, keyword) in (words(), words()),
        ) {
            let names = ["a", "b", "c", "d", "e", "f"];
            let sound = lessons.into_iter().enumerate().map(|(number, mut lesson)| {
                for list in ["triggers", "also", "unless"] {
                    lesson[list].as_array_mut().unwrap().retain(|id| id != "z");
                }
                lesson["triggers"].as_array_mut().unwrap().push(json!(names[number % names.len()]));
                lesson["topics"] = json!(["t"]);
                lesson["status"] = json!("active");
                lesson["rule"] = json!(format!("Use {}", lesson["rule"].as_str().unwrap()));
                (format!("l{number}"), lesson)
            });
            let lessons: serde_json::Map<_, _> = sound.collect();
            let used = |name: &&str| lessons.values().any(|lesson| lesson.to_string().contains(&format!("\"{name}\"")));
            let triggers: serde_json::Map<_, _> = (names.into_iter().zip(patterns).filter(|(name, _)| used(name)))
                .map(|(name, pattern)| (name.to_owned(), json!({ "kind": "command_pattern", "pattern": pattern })))
                .collect();
            let text = json!({ "version": 1, "lessons": lessons, "topics": { "t": { "summary": "T" } },
                "triggers": triggers }).to_string();
            let graph = Usable::parse(Path::new("lessons.json"), text.as_bytes()).unwrap();
            prop_assert!(graph.problems().is_empty(), "{:?}", graph.problems());

            let whole = recall::of_sound(&Layer::User, &graph).unwrap();
            let mut parts = Corpus::default();
            recall::read(&mut parts, &Layer::User, text.as_bytes(), &|_| true).unwrap();
            for question in [
                Question { command: Some(&command), ..Question::default() },
                Question { keyword: Some(&keyword), ..Question::default() },
            ] {
                let answer = |corpus: &Corpus<'_>| {
                    let found = corpus.recall(&question);
                    found.iter().map(|found| (found.entry.id.to_string(), found.entry.rule.to_string())).collect::<Vec<_>>()
                };
                prop_assert_eq!(answer(&whole), answer(&parts));
            }
        }

        /// Bytes behind a sum that is right, as a forger would write them.
        #[test]
        fn any_bytes_are_refused_or_a_part(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            end in any::<prop::sample::Index>(),
        ) {
            let mut bytes = part_of(include_str!("../../testdata/lessons.json"));
            let body = bytes.split_off(16);
            let mut forged = body[..=end.index(body.len())].to_vec();
            for (place, byte) in changes {
                let place = place.index(forged.len());
                forged[place] = byte;
            }
            bytes[8..].copy_from_slice(&checksum(SEED, &forged).to_le_bytes());
            bytes.extend(forged);
            if let Some(part) = Part::decode(&bytes, STORE, "1") {
                let mut corpus = Corpus::default();
                part.read(&mut corpus, &|_| true);
                corpus.recall(&Question { command: Some("git push"), ..Question::default() });
            }
        }
    }

    #[test]
    fn a_part_with_one_byte_that_is_not_its_own_is_none() {
        let bytes = part_of(include_str!("../../testdata/lessons.json"));
        assert!(Part::decode(&bytes, STORE, "1").is_some());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Part::decode(&damaged, STORE, "1").is_none(), "{at}");
            assert!(Part::decode(&bytes[..at], STORE, "1").is_none(), "{at}");
        }
    }

    /// A change that breaks this must raise the digit in [`MAGIC`].
    #[test]
    fn the_golden_part_is_written_as_ever() {
        let bytes = part_of(BEFORE);
        let golden = "7699ec123e76e3f10cbe39e43c69df23";
        assert_eq!((bytes.len(), lessons_core::digest::hex(&bytes, 32).as_str()), (119, golden));
    }

    #[test]
    fn a_part_of_another_store_or_version_is_none() {
        let bytes = part_of(BEFORE);
        assert!(Part::decode(&bytes, STORE, "2").is_none());
        for other in [
            Identity { inode: 0, ..STORE },
            Identity { size: 0, ..STORE },
            Identity { seconds: 0, ..STORE },
            Identity { nanoseconds: 0, ..STORE },
        ] {
            assert!(Part::decode(&bytes, other, "1").is_none(), "{other:?}");
        }
    }
}

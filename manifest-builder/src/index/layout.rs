//! Everything in its place.

use std::borrow::Cow;

use lessons_core::index::block::{Filter, Table};
use lessons_core::index::header::{BYTES as HEADER_BYTES, Header, Identity, Span, body_sum};
use lessons_core::index::key::Key;
use lessons_core::index::postings::{self, Posting, Surfaces};
use lessons_core::index::prefixes::Prefixes;
use lessons_core::index::record::{Note, Subjects, Test, Trigger as TriggerRecord, Writer};
use lessons_core::index::storage::{Kind, encode_place};
use lessons_core::lesson::Subject;
use lessons_core::manifest::{LessonEntry, Manifest, TriggerEntry};
use lessons_core::matching::Paths;
use lessons_core::pattern::{Compiled, PatternError};
use lessons_core::trigger::{Trigger, TriggerKind};
use sha2::{Digest, Sha256};

use super::keys::{self, Found, Frequency, Needs};
use crate::patterns::{Outcome, Patterns};

/// An index without the identity of its manifest, which is known once that is published.
#[derive(Debug)]
pub struct Draft {
    header: Header,
    /// The index, but for its header.
    bytes: Vec<u8>,
    /// How many triggers have no key and are looked at in every call.
    pub always_tried: usize,
}

/// A manifest with a pattern that is none has no index. One that was compiled has one.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}`: {source}")]
pub struct IndexError {
    /// The pattern.
    pattern: String,
    /// What is wrong with it.
    source: PatternError,
}

impl Draft {
    /// The index, for the manifest that has become this file.
    pub fn finish(mut self, manifest: Identity) -> Vec<u8> {
        self.header.manifest = manifest;
        for (to, from) in self.bytes.iter_mut().zip(self.header.encode()) {
            *to = from;
        }
        self.bytes
    }
}

/// Lays out `manifest`, whose bytes are `published`. Fails with the pattern that is none, which a manifest
/// that was compiled does not hold.
pub fn draft(manifest: &Manifest, published: &[u8], patterns: &Patterns) -> Result<Draft, IndexError> {
    let owners = owners(manifest);
    let tried =
        manifest.triggers.iter().zip(owners).map(|(trigger, owners)| Tried::of(trigger, owners, patterns));
    let tried = tried.collect::<Result<Vec<_>, _>>()?;
    let needs: Vec<Needs> = tried.iter().map(Tried::needs).collect();
    let mut frequency = Frequency::default();
    for needs in &needs {
        frequency.count(needs);
    }

    let mut found = Vec::new();
    let mut content_grams = Vec::new();
    for (trigger, needs) in (0..).zip(&needs) {
        let Some((surfaces, Found { keys, grams, screen })) = keys::choose(needs, &frequency) else {
            continue;
        };
        if surfaces.meet(Surfaces::CONTENT) {
            content_grams.extend(grams);
        }
        found.push(Placed { trigger, surfaces, keys, screen });
    }
    let mut under_keys: Vec<(Key, &Placed)> =
        found.iter().flat_map(|placed| placed.keys.iter().map(move |key| (*key, placed))).collect();
    // The triggers of a key stay in their order.
    under_keys.sort_by_key(|(key, _)| *key);

    let mut lists = Lists::new();
    let of_one_key = under_keys.chunk_by(|(one, _), (other, _)| one == other);
    let entries: Vec<(Key, u32)> = of_one_key
        .filter_map(|list| Some((list.first()?.0, lists.add(list.iter().map(|(_, placed)| *placed)))))
        .collect();
    let always: Vec<&Placed> = found.iter().filter(|placed| placed.keys.is_empty()).collect();
    let always_at = if always.is_empty() { 0 } else { lists.add(always.iter().copied()) };
    let keys: Vec<Key> = entries.iter().map(|(key, _)| *key).collect();

    let mut body = Body::new();
    let filter = body.part(&Filter::build(&keys));
    let table = body.part(&Table::build(&entries));
    let prefixes = body.part(&Prefixes::of(content_grams.iter().map(Vec::as_slice)).encode());
    let postings = body.part(&lists.0);
    let triggers = body.records(Kind::Trigger, tried.iter().map(Tried::record));
    let of_lessons = |fill: fn(&mut Writer, &LessonEntry)| {
        manifest.lessons.iter().map(move |lesson| write(|to| fill(to, lesson)))
    };
    let lessons = body.records(Kind::Terms, of_lessons(|to, lesson| to.terms(&lesson.terms)));
    let texts = body.records(Kind::Texts, of_lessons(|to, lesson| to.said(&lesson.full, &lesson.brief)));
    let notes = body.part(&write(|to| tried.iter().for_each(|tried| to.note(tried.note().as_ref()))));
    let header = Header {
        manifest: Identity::default(),
        digest: Sha256::digest(published).into(),
        body: body_sum(body.0.get(HEADER_BYTES..).unwrap_or_default()),
        settings: manifest.settings.clone(),
        reads_contents: manifest.triggers.iter().any(|trigger| trigger.kind == TriggerKind::ContentPattern),
        filter,
        table,
        prefixes,
        postings,
        always: always_at,
        triggers,
        lessons,
        texts,
        notes,
    };
    Ok(Draft { header, bytes: body.0, always_tried: always.len() })
}

fn write(fill: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::default();
    fill(&mut writer);
    writer.finish()
}

/// A trigger with the keys under which it is found; none: it must always be looked at.
struct Placed {
    trigger: u32,
    surfaces: Surfaces,
    keys: Vec<Key>,
    screen: Vec<[u8; 2]>,
}

impl Placed {
    fn posting(&self) -> Posting<'_> {
        Posting { trigger: self.trigger, surfaces: self.surfaces, screen: &self.screen }
    }
}

/// Lists of postings, one after the other. None stands at 0, which means that there is none.
struct Lists(Vec<u8>);

impl Lists {
    fn new() -> Self {
        Self(vec![0; 4])
    }

    /// Adds a list, and returns where it stands.
    fn add<'p>(&mut self, list: impl Iterator<Item = &'p Placed>) -> u32 {
        let at = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.extend_from_slice(&postings::encode(at, list.map(Placed::posting)));
        at
    }
}

/// Who has a trigger among theirs, and on what they try it.
#[derive(Debug, Clone, Default)]
struct Owners {
    lessons: Vec<u32>,
    subjects: Subjects,
}

fn owners(manifest: &Manifest) -> Vec<Owners> {
    let mut owners = vec![Owners::default(); manifest.triggers.len()];
    for (position, lesson) in (0..).zip(&manifest.lessons) {
        for &trigger in &lesson.terms.triggers {
            if let Some(owner) = owners.get_mut(trigger as usize) {
                owner.lessons.push(position);
                match lesson.terms.subject {
                    Subject::Command => owner.subjects.command = true,
                    Subject::Executable => owner.subjects.executable = true,
                }
            }
        }
    }
    owners
}

/// A trigger with everything that is known of it: how it is tried.
struct Tried<'m> {
    trigger: &'m TriggerEntry,
    owners: Owners,
    outcome: Outcome,
}

impl<'m> Tried<'m> {
    fn of(trigger: &'m TriggerEntry, owners: Owners, patterns: &Patterns) -> Result<Self, IndexError> {
        let outcome = patterns.get(&Trigger::new(trigger.kind, trigger.pattern.clone()));
        match outcome.as_ref() {
            Ok(_) => Ok(Self { trigger, owners, outcome }),
            Err(source) => Err(IndexError { pattern: trigger.pattern.clone(), source: source.clone() }),
        }
    }

    fn automaton(&self) -> &[u8] {
        let prepared = self.outcome.as_ref().as_ref().ok();
        prepared.and_then(|prepared| prepared.automaton.as_ref()).map_or(&[], |built| &built.0)
    }

    fn needs(&self) -> Needs {
        match self.outcome.as_ref() {
            Ok(prepared) if !self.owners.lessons.is_empty() => keys::needs(self.trigger.kind, prepared),
            _ => Needs::Never,
        }
    }

    fn record(&self) -> Vec<u8> {
        let test = match &self.trigger.compiled {
            Compiled::Regex { .. } => Test::Pattern {
                automaton: self.automaton(),
                paths: Paths::of(self.trigger.kind, &self.trigger.pattern),
            },
            Compiled::Keyword { tokens } => Test::Words(tokens.clone()),
            Compiled::Tool { name } => Test::Tool(lessons_core::call::tool_name(name)),
        };
        let record = TriggerRecord {
            kind: self.trigger.kind,
            fanout: self.trigger.fanout,
            subjects: self.owners.subjects,
            test,
            lessons: self.owners.lessons.clone(),
        };
        write(|to| to.trigger(&record))
    }

    fn note(&self) -> Option<Note<'_>> {
        let prepared = self.outcome.as_ref().as_ref().ok().filter(|prepared| prepared.automaton.is_some())?;
        Some(Note {
            pattern: &self.trigger.pattern,
            clauses: Cow::Borrowed(&prepared.clauses),
            endings: &prepared.endings,
        })
    }
}

/// What stands behind the header, with room for that.
#[derive(Debug)]
struct Body(Vec<u8>);

impl Body {
    fn new() -> Self {
        Self(vec![0; HEADER_BYTES])
    }

    fn part(&mut self, bytes: &[u8]) -> Span {
        let span = Span { at: self.0.len() as u64, length: bytes.len() as u64 };
        self.0.extend_from_slice(bytes);
        span
    }

    /// The records, and then where each of them is.
    fn records(&mut self, kind: Kind, records: impl Iterator<Item = Vec<u8>>) -> Span {
        let mut places = Vec::new();
        for (position, record) in (0..).zip(records) {
            let Span { at, .. } = self.part(&record);
            places.extend_from_slice(&encode_place(kind, position, at, &record));
        }
        self.part(&places)
    }
}

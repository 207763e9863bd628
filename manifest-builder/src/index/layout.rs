//! Everything in its place.

use std::borrow::Cow;

use lessons_core::automaton::build::Built;
use lessons_core::index::header::{BYTES as HEADER_BYTES, Header, Identity, Span, body_sum};
use lessons_core::index::prefixes::Prefixes;
use lessons_core::index::record::{Note, Subjects, Test, Trigger as TriggerRecord, Writer};
use lessons_core::index::storage::{self, Kind};
use lessons_core::lesson::Subject;
use lessons_core::manifest::{LessonEntry, Manifest, TriggerEntry};
use lessons_core::matching::Paths;
use lessons_core::pattern::{Compiled, PatternError};
use lessons_core::trigger::{Trigger, TriggerKind};
use sha2::{Digest, Sha256};

use super::keyed::Keyed;
use super::keys::{self, Frequency, Needs};
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

    // A lesson names its triggers and a trigger its lessons, so all places have to be known before anything is
    // written. How long a record is does not depend on what it names.
    let unknown = |_| 0;
    let places = Places {
        triggers: places_of(&tried, |to, tried| tried.write(to, unknown)),
        lessons: places_of(&manifest.lessons, |to, lesson| write_lesson(to, lesson, unknown)),
    };
    let mut keyed = Keyed::default();
    for (trigger, needs) in places.triggers.iter().zip(&needs) {
        if let Some((surfaces, found)) = keys::choose(needs, &frequency) {
            keyed.add(*trigger, surfaces, found);
        }
    }
    let ways = keyed.lay_out();

    let mut body = Body::with_room_for(
        published.len() + tried.iter().map(|tried| tried.automaton().len()).sum::<usize>(),
    );
    let postings = body.part(&ways.postings);
    let filter = body.part(&ways.filter);
    let buckets = body.part(&ways.buckets);
    let prefixes = body.part(&Prefixes::of(keyed.content_grams()).encode());
    let triggers = body.records(Kind::Trigger, &tried, |to, tried| tried.write(to, |at| places.lesson(at)));
    let lessons = body.records(Kind::Lesson, &manifest.lessons, |to, lesson| {
        write_lesson(to, lesson, |at| places.trigger(at));
    });
    let notes = body.part(&notes(&tried));
    let header = Header {
        manifest: Identity::default(),
        digest: Sha256::digest(published).into(),
        body: body_sum(body.0.get(HEADER_BYTES..).unwrap_or_default()),
        settings: manifest.settings.clone(),
        reads_contents: manifest.triggers.iter().any(|trigger| trigger.kind == TriggerKind::ContentPattern),
        postings,
        always: ways.always,
        filter,
        buckets,
        prefixes,
        triggers,
        lessons,
        notes,
    };
    Ok(Draft { header, bytes: body.0, always_tried: keyed.always_tried() })
}

/// Where the records stand, by their positions in the manifest.
struct Places {
    triggers: Vec<u32>,
    lessons: Vec<u32>,
}

impl Places {
    fn trigger(&self, position: u32) -> u32 {
        self.triggers.get(position as usize).copied().unwrap_or(u32::MAX)
    }

    fn lesson(&self, position: u32) -> u32 {
        self.lessons.get(position as usize).copied().unwrap_or(u32::MAX)
    }
}

/// Where the records of these items will stand.
fn places_of<T>(items: &[T], write: impl Fn(&mut Writer, &T)) -> Vec<u32> {
    let mut writer = Writer::default();
    let length = |item| {
        writer.clear();
        write(&mut writer, item);
        writer.as_bytes().len()
    };
    storage::places(items.iter().map(length)).collect()
}

fn write_lesson(to: &mut Writer, lesson: &LessonEntry, place: impl Fn(u32) -> u32) {
    to.said(&lesson.full, &lesson.brief);
    to.terms(&lesson.terms, place);
}

fn notes(tried: &[Tried<'_>]) -> Vec<u8> {
    let mut writer = Writer::default();
    for tried in tried {
        writer.note(tried.note().as_ref());
    }
    writer.finish()
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
        prepared.and_then(|prepared| prepared.automaton.as_ref()).map_or(&[], Built::bytes)
    }

    fn needs(&self) -> Needs {
        match self.outcome.as_ref() {
            Ok(prepared) if !self.owners.lessons.is_empty() => keys::needs(self.trigger.kind, prepared),
            _ => Needs::Never,
        }
    }

    /// Writes its record. `place` knows where a lesson stands.
    fn write(&self, to: &mut Writer, place: impl Fn(u32) -> u32) {
        let test = match &self.trigger.compiled {
            Compiled::Regex { .. } => Test::Pattern {
                automaton: self.automaton(),
                paths: Paths::of(self.trigger.kind, &self.trigger.pattern),
            },
            Compiled::Keyword { tokens } => Test::Words(tokens.clone()),
            Compiled::Tool { name } => Test::Tool(lessons_core::call::tool_name(name)),
        };
        to.trigger(&TriggerRecord {
            kind: self.trigger.kind,
            fanout: self.trigger.fanout,
            subjects: self.owners.subjects,
            test,
            lessons: self.owners.lessons.iter().map(|lesson| place(*lesson)).collect(),
        });
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
    fn with_room_for(bytes: usize) -> Self {
        let mut body = Vec::with_capacity(HEADER_BYTES + bytes);
        body.resize(HEADER_BYTES, 0);
        Self(body)
    }

    fn part(&mut self, bytes: &[u8]) -> Span {
        let span = Span { at: self.0.len() as u64, length: bytes.len() as u64 };
        self.0.extend_from_slice(bytes);
        span
    }

    /// A record for each item.
    fn records<T>(&mut self, kind: Kind, items: &[T], write: impl Fn(&mut Writer, &T)) -> Span {
        let (start, mut writer) = (self.0.len(), Writer::default());
        for item in items {
            writer.clear();
            write(&mut writer, item);
            storage::push(&mut self.0, start, kind, writer.as_bytes());
        }
        Span { at: start as u64, length: (self.0.len() - start) as u64 }
    }
}

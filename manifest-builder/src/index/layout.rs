//! The layout of an index: its parts, one after another.

use std::io::{self, Seek, SeekFrom, Write};

use lessons_index::header::{BYTES as HEADER_BYTES, Header};
use lessons_index::prefixes::Prefixes;
use lessons_index::record::{AgentLesson, Rule, Subjects};
use lessons_index::{Identity, LessonEntry, Manifest, Part, Writer, storage};
use lessons_lesson::{BuildNotes, Layer, When};
use lessons_pattern::TriggerKind;

use super::IndexError;
use super::body::Body;
use super::keyed::Keyed;
use super::keys::{self, Frequency, Needs};
use super::loaded::LoadedIndex;
use super::trigger::{self, IndexedTrigger};
use crate::patterns::Patterns;

/// The file of the manifest that is written with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ManifestFile {
    /// The identity of the file.
    pub identity: Identity,
    /// The SHA-256 of its bytes.
    pub digest: [u8; 32],
}

/// Writes the index of `manifest` to the start of `to`, the header last. Fails before anything is written where a
/// pattern is none.
pub fn write(
    manifest: &Manifest,
    published: ManifestFile,
    patterns: &Patterns,
    mut to: impl Write + Seek,
) -> Result<(), IndexError> {
    let indexed = trigger::all(manifest, patterns)?;
    // A lesson names its triggers and a trigger its lessons, so all places have to be known before anything is
    // written. How long a record is does not depend on what it names.
    let unknown = |_| 0;
    let trigger_places = places_of(&indexed, |to, trigger| trigger.write(to, unknown));
    let lesson_places = places_of(&manifest.lessons, |to, lesson| write_lesson(to, lesson, unknown));
    let keyed = keyed(&indexed, &trigger_places);

    to.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
    let mut body = Body::new(to);
    // First what every call looks at, so that little has to be mapped.
    for (part, bytes) in keyed.lay_out() {
        body.part(part, |body| body.write_all(&bytes))?;
    }
    body.part(Part::Prefixes, |body| body.write_all(&Prefixes::of(keyed.content_grams()).encode()))?;
    body.records(Part::Triggers, &indexed, |to, trigger| {
        trigger.write(to, |position| at(&lesson_places, position));
    })?;
    body.records(Part::Lessons, &manifest.lessons, |to, lesson| {
        write_lesson(to, lesson, |position| at(&trigger_places, position));
    })?;
    body.records(Part::Session, &[session_lessons(manifest, &lesson_places)], |to, list| {
        to.shorts(list.iter().copied());
    })?;
    let late = late_lessons(manifest, &lesson_places);
    body.records(Part::Late, if late.is_empty() { &[] } else { std::slice::from_ref(&late) }, |to, late| {
        for (lesson, at) in late {
            to.late_lesson(*lesson, *at);
        }
    })?;
    body.records(Part::Agents, &[&manifest.lessons], |to, lessons| {
        for (lesson, entry) in lesson_places.iter().zip(lessons.iter()) {
            if let Some(text) = &entry.at_agent_start {
                to.agent_lesson(&AgentLesson { lesson: *lesson, text });
            }
        }
    })?;
    body.records(Part::BuildNotes, &[notes(manifest)], Writer::build_notes)?;
    body.records(Part::Rules, &[&manifest.lessons], |to, lessons| {
        for (lesson, entry) in lesson_places.iter().zip(lessons.iter()) {
            let topics = entry.topics.iter().map(String::as_str).collect();
            to.rule(&Rule { lesson: *lesson, rule: &entry.rule, topics });
        }
    })?;
    body.series(Part::PatternNotes, &indexed, |to, trigger| to.pattern_note(&trigger.note()))?;
    let (mut to, sum, parts) = body.finish()?;
    let header = Header {
        manifest: published.identity,
        digest: published.digest,
        body: sum,
        settings: manifest.settings.clone(),
        subjects: indexed.iter().fold(Subjects::default(), |all, trigger| all.and(trigger.subjects())),
        reads_contents: manifest.triggers.iter().any(|trigger| trigger.kind == TriggerKind::ContentPattern),
        fires_on_files: indexed.iter().any(IndexedTrigger::fires_on_files),
        parts,
    };
    to.rewind()?;
    Ok(to.write_all(&header.encode())?)
}

/// The index of an unpublished manifest, in memory, for a caller that only searches it.
pub fn in_memory(manifest: &Manifest, patterns: &Patterns) -> Result<LoadedIndex, IndexError> {
    let mut index = io::Cursor::new(Vec::new());
    write(manifest, ManifestFile::default(), patterns, &mut index)?;
    Ok(LoadedIndex::parse(index.into_inner().into())?)
}

/// Triggers under the keys that are best for them.
fn keyed(triggers: &[IndexedTrigger<'_>], places: &[u32]) -> Keyed {
    let needs: Vec<Needs<'_>> = triggers.iter().map(IndexedTrigger::needs).collect();
    let mut frequency = Frequency::for_triggers(triggers.len());
    for needs in &needs {
        frequency.count(needs);
    }
    let chosen = |(place, needs): (&u32, &Needs<'_>)| Some((*place, keys::choose(needs, &frequency)?));
    Keyed(places.iter().zip(&needs).filter_map(chosen).collect())
}

/// The lessons that are told at the start of a session.
fn session_lessons(manifest: &Manifest, places: &[u32]) -> Vec<u32> {
    let at_start =
        places.iter().zip(&manifest.lessons).filter(|(_, lesson)| lesson.terms.when == When::Session);
    at_start.map(|(place, _)| *place).collect()
}

/// The lessons that came into force lately and are in force, with the times.
fn late_lessons(manifest: &Manifest, places: &[u32]) -> Vec<(u32, u64)> {
    let place = |id| {
        let found = manifest.lessons.binary_search_by(|lesson| lesson.terms.id.cmp(id)).ok()?;
        places.get(found).copied()
    };
    manifest.late.iter().filter_map(|late| Some((place(&late.id)?, late.at))).collect()
}

fn notes(manifest: &Manifest) -> BuildNotes {
    let Manifest { made_by, trusted, news, sources, lost_refusals, weakened, .. } = manifest;
    let built_in = manifest.lessons.iter().filter(|lesson| lesson.terms.id.layer == Layer::Seed);
    BuildNotes {
        made_by: made_by.clone(),
        trusted: trusted.clone(),
        news: news.clone(),
        sources: sources.clone(),
        lost_refusals: lost_refusals.clone(),
        weakened: weakened.clone(),
        built_in: built_in.count(),
    }
}

/// The places of the records of these items.
fn places_of<T>(items: &[T], write: impl Fn(&mut Writer, &T)) -> Vec<u32> {
    let mut writer = Writer::default();
    let length = |item| {
        writer.clear();
        write(&mut writer, item);
        writer.as_bytes().len()
    };
    storage::places(items.iter().map(length)).collect()
}

fn at(places: &[u32], position: u32) -> u32 {
    places.get(position as usize).copied().unwrap_or(u32::MAX)
}

fn write_lesson(to: &mut Writer, lesson: &LessonEntry, place: impl Fn(u32) -> u32) {
    to.lesson_texts(&lesson.full, &lesson.brief);
    to.terms(&lesson.terms, place);
}

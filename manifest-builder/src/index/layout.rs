//! The layout of an index: its parts, one after another.

use std::io::{self, Seek, SeekFrom, Write};

use lessons_index::header::{BYTES as HEADER_BYTES, Header};
use lessons_index::postings::FieldMask;
use lessons_index::prefixes::Prefixes;
use lessons_index::record::{AgentLesson, Rule, Subjects};
use lessons_index::{Identity, LessonEntry, Manifest, Part, Value, storage};
use lessons_lesson::{BuildNotes, Layer, Terms, When};
use lessons_pattern::TriggerKind;

use super::IndexError;
use super::body::Body;
use super::keyed::{self, Keyed};
use super::keys::{self, Frequency};
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
    let trigger_places = places_of(&indexed, |to, trigger| trigger.record(trigger.lessons.clone()).write(to));
    let lesson_places = places_of(&manifest.lessons, |to, lesson| write_lesson(to, lesson, &lesson.terms));
    let keyed = keyed(&indexed, &trigger_places);

    to.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
    let mut body = Body::new(to);
    // First what every call looks at, so that little has to be mapped.
    for (part, bytes) in keyed::lay_out(&keyed) {
        body.part(part, |body| body.write_all(&bytes))?;
    }
    let of_contents = keyed.iter().filter(|(_, chosen)| chosen.fields.meet(FieldMask::CONTENT));
    let content_grams = of_contents.flat_map(|(_, chosen)| &chosen.grams).map(Vec::as_slice);
    body.part(Part::Prefixes, |body| body.write_all(&Prefixes::of(content_grams).encode()))?;
    body.records(Part::Triggers, &indexed, |to, trigger| {
        trigger.record(at(&lesson_places, &trigger.lessons)).write(to);
    })?;
    body.records(Part::Lessons, &manifest.lessons, |to, lesson| {
        let places = |triggers: &[u32]| at(&trigger_places, triggers);
        let Terms { triggers, also, unless, .. } = &lesson.terms;
        let (triggers, also, unless) = (places(triggers), places(also), places(unless));
        write_lesson(to, lesson, &Terms { triggers, also, unless, ..lesson.terms.clone() });
    })?;
    let lessons = || lesson_places.iter().copied().zip(&manifest.lessons);
    let at_start = lessons().filter(|(_, lesson)| lesson.terms.when == When::Session);
    body.records(Part::Session, &[at_start.map(|(place, _)| place).collect::<Vec<_>>()], |to, places| {
        places.write(to);
    })?;
    let late = late_lessons(manifest, &lesson_places);
    body.records(Part::Late, if late.is_empty() { &[] } else { std::slice::from_ref(&late) }, |to, late| {
        for lesson in late {
            lesson.write(to);
        }
    })?;
    body.records(Part::Agents, &[()], |to, ()| {
        let texts = lessons().filter_map(|(lesson, entry)| Some((lesson, entry.at_agent_start.as_deref()?)));
        texts.for_each(|(lesson, text)| AgentLesson { lesson, text }.write(to));
    })?;
    body.records(Part::BuildNotes, &[notes(manifest)], |to, notes| notes.write(to))?;
    body.records(Part::Rules, &[()], |to, ()| {
        for (lesson, entry) in lessons() {
            let topics = entry.topics.iter().map(String::as_str).collect();
            Rule { lesson, rule: &entry.rule, topics }.write(to);
        }
    })?;
    // Read from its start to its end: each note directly behind the one before.
    body.part(Part::PatternNotes, |body| {
        let mut bytes = Vec::new();
        indexed.iter().try_for_each(|trigger| {
            bytes.clear();
            trigger.note().write(&mut bytes);
            body.write_all(&bytes)
        })
    })?;
    let (mut to, sum, parts) = body.finish()?;
    let header = Header {
        manifest: published.identity,
        digest: published.digest,
        body: sum,
        settings: manifest.settings.clone(),
        subjects: indexed.iter().fold(Subjects::default(), |all, trigger| all.and(trigger.subjects)),
        reads_contents: manifest.triggers.iter().any(|trigger| trigger.kind == TriggerKind::ContentPattern),
        fires_on_files: indexed
            .iter()
            .any(|trigger| trigger.entry.kind.is_about_files() && !trigger.lessons.is_empty()),
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

/// The triggers by which lessons fire, under the keys that are best for them.
fn keyed(triggers: &[IndexedTrigger<'_>], places: &[u32]) -> Vec<Keyed> {
    let fired_by = || places.iter().zip(triggers).filter(|(_, trigger)| !trigger.lessons.is_empty());
    let mut frequency = Frequency::for_triggers(triggers.len());
    for (_, trigger) in fired_by() {
        frequency.count(trigger.entry.kind, &trigger.prepared);
    }
    fired_by()
        .map(|(place, trigger)| (*place, keys::choose(trigger.entry.kind, &trigger.prepared, &frequency)))
        .collect()
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
fn places_of<T>(items: &[T], write: impl Fn(&mut Vec<u8>, &T)) -> Vec<u32> {
    let mut record = Vec::new();
    let length = |item| {
        record.clear();
        write(&mut record, item);
        record.len()
    };
    storage::places(items.iter().map(length)).collect()
}

/// The places of what has these positions.
fn at(places: &[u32], positions: &[u32]) -> Vec<u32> {
    let place = |position: &u32| places.get(*position as usize).copied().unwrap_or(u32::MAX);
    positions.iter().map(place).collect()
}

fn write_lesson(to: &mut Vec<u8>, lesson: &LessonEntry, terms: &Terms) {
    (lesson.full.as_str(), lesson.brief.as_str()).write(to);
    terms.write(to);
}

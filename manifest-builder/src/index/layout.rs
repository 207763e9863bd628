//! Everything in its place.

use std::io::{self, Seek, SeekFrom, Write};

use lessons_core::index::header::{BYTES as HEADER_BYTES, Header, Identity};
use lessons_core::index::prefixes::Prefixes;
use lessons_core::index::record::{Subjects, Writer};
use lessons_core::index::storage::{self, Kind};
use lessons_core::manifest::{Former, LessonEntry, Manifest};
use lessons_core::trigger::TriggerKind;

use super::IndexError;
use super::body::Body;
use super::keyed::Keyed;
use super::keys::{self, Frequency, Needs};
use super::tried::{self, Tried};
use crate::patterns::Patterns;

/// What an index says of the file of its manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Published {
    /// Which file it is.
    pub file: Identity,
    /// The SHA-256 of its bytes.
    pub digest: [u8; 32],
}

/// Writes the index of `manifest` to the start of `to`, the header last. Fails before anything is written where a
/// pattern is none.
pub fn write(
    manifest: &Manifest,
    published: Published,
    patterns: &Patterns,
    mut to: impl Write + Seek,
) -> Result<(), IndexError> {
    let tried = tried::all(manifest, patterns)?;
    // A lesson names its triggers and a trigger its lessons, so all places have to be known before anything is
    // written. How long a record is does not depend on what it names.
    let unknown = |_| 0;
    let trigger_places = places_of(&tried, |to, tried| tried.write(to, unknown));
    let lesson_places = places_of(&manifest.lessons, |to, lesson| write_lesson(to, lesson, unknown));
    let keyed = keyed(&tried, &trigger_places);
    let ways = keyed.lay_out();

    to.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
    let mut body = Body::new(to);
    // First what every call looks at, so that little has to be mapped.
    let always = body.part(|body| body.write_all(&ways.always))?;
    let filter = body.part(|body| body.write_all(&ways.filter))?;
    let directory = body.part(|body| body.write_all(&ways.directory))?;
    let buckets = body.part(|body| body.write_all(&ways.buckets))?;
    let postings = body.part(|body| body.write_all(&ways.postings))?;
    let prefixes = body.part(|body| body.write_all(&Prefixes::of(keyed.content_grams()).encode()))?;
    let triggers = body.records(Kind::Trigger, &tried, |to, tried| {
        tried.write(to, |position| at(&lesson_places, position));
    })?;
    let lessons = body.records(Kind::Lesson, &manifest.lessons, |to, lesson| {
        write_lesson(to, lesson, |position| at(&trigger_places, position));
    })?;
    let notes = body.series(&tried, |to, tried| to.note(tried.note().as_ref()))?;
    let former = body.part(|body| Former::write(manifest, body))?;
    let (mut to, sum) = body.finish()?;
    let header = Header {
        manifest: published.file,
        digest: published.digest,
        body: sum,
        settings: manifest.settings.clone(),
        subjects: tried.iter().fold(Subjects::default(), |all, tried| all.and(tried.subjects())),
        reads_contents: manifest.triggers.iter().any(|trigger| trigger.kind == TriggerKind::ContentPattern),
        always,
        filter,
        directory,
        buckets,
        postings,
        prefixes,
        triggers,
        lessons,
        notes,
        former,
    };
    to.rewind()?;
    Ok(to.write_all(&header.encode())?)
}

/// The index of a manifest that is not published, for somebody who only wants to ask it.
pub fn in_memory(manifest: &Manifest, patterns: &Patterns) -> Result<Vec<u8>, IndexError> {
    let mut index = io::Cursor::new(Vec::new());
    write(manifest, Published::default(), patterns, &mut index)?;
    Ok(index.into_inner())
}

/// Triggers under the keys that are best for them.
fn keyed(tried: &[Tried<'_>], places: &[u32]) -> Keyed {
    let needs: Vec<Needs<'_>> = tried.iter().map(Tried::needs).collect();
    let mut frequency = Frequency::default();
    for needs in &needs {
        frequency.count(needs);
    }
    let mut keyed = Keyed::default();
    for (place, needs) in places.iter().zip(&needs) {
        if let Some((surfaces, found)) = keys::choose(needs, &frequency) {
            keyed.add(*place, surfaces, found);
        }
    }
    keyed
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

fn at(places: &[u32], position: u32) -> u32 {
    places.get(position as usize).copied().unwrap_or(u32::MAX)
}

fn write_lesson(to: &mut Writer, lesson: &LessonEntry, place: impl Fn(u32) -> u32) {
    to.said(&lesson.full, &lesson.brief);
    to.terms(&lesson.terms, place);
}

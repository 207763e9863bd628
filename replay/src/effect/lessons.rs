//! The lessons in force, as sessions are joined with them.

use lessons_index::Corrupt;
use lessons_ledger::episodes::PresentRevision;
use lessons_lesson::compiled::Terms;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::Mode;
use lessons_lesson::payload::Contents;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_pattern::trigger::Trigger;
use lessons_text::digest;

use super::measure::{HasUnless, Measure};

/// How many digits of a hash name a revision.
const DIGITS: usize = 16;

/// The lessons in force.
#[derive(Debug)]
pub struct MeasuredLessons {
    pub(super) index: LoadedIndex,
    lessons: Vec<MeasuredLesson>,
    digest: String,
}

/// A lesson in force.
#[derive(Debug, Clone)]
pub struct MeasuredLesson {
    /// Its position in the index.
    pub(super) position: u32,
    /// The lesson.
    pub id: QualifiedId,
    /// The id as events and texts name it.
    pub(super) name: String,
    /// What the hook does.
    pub mode: Mode,
    /// What counts as the mistake coming again.
    pub measure: Measure,
    /// Whether an `unless` says what is right.
    pub has_unless: HasUnless,
    /// The hash of the revision: of everything that bears on what the lesson does.
    pub revision: String,
    /// The length of its text, in bytes.
    pub(super) text: usize,
}

impl MeasuredLessons {
    /// The lessons of an index.
    pub fn of(index: LoadedIndex) -> Result<Self, Corrupt> {
        let triggers = index.triggers()?;
        let asked = index.ask()?;
        let mut lessons = Vec::new();
        for (position, terms) in index.lessons()? {
            let of = |positions: &[u32]| -> Vec<&Trigger> {
                positions.iter().filter_map(|position| triggers.get(position)).collect()
            };
            let has_unless = if terms.unless.is_empty() { HasUnless::No } else { HasUnless::Yes };
            let firing = of(&terms.triggers);
            let measure = Measure::of(terms.when, firing.iter().map(|trigger| trigger.kind), has_unless);
            let texts = asked.texts(position)?;
            let lists = [&firing, &of(&terms.also), &of(&terms.unless)];
            lessons.push(MeasuredLesson {
                position,
                revision: revision(&terms, lists, [&texts.full, &texts.brief], measure),
                name: terms.id.to_string(),
                id: terms.id,
                mode: terms.mode,
                measure,
                has_unless,
                text: texts.full.len(),
            });
        }
        let revisions: Vec<&[u8]> =
            lessons.iter().flat_map(|lesson| [lesson.name.as_bytes(), lesson.revision.as_bytes()]).collect();
        let digest = digest::hex_of_parts(&revisions, DIGITS);
        drop(asked);
        Ok(Self { index, lessons, digest })
    }

    /// The lessons, by position.
    pub fn all(&self) -> &[MeasuredLesson] {
        &self.lessons
    }

    /// Whether any of them looks at what a call writes.
    pub(super) fn contents(&self) -> Contents {
        if self.index.header().reads_contents { Contents::Keep } else { Contents::Skip }
    }

    /// A hash of all revisions.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// The revisions. `changed` gives the time at which a lesson was changed last, in milliseconds since 1970.
    pub(super) fn revisions(&self, changed: &dyn Fn(&QualifiedId) -> Option<u64>) -> Vec<PresentRevision> {
        let revision = |lesson: &MeasuredLesson| PresentRevision {
            lesson: lesson.name.clone(),
            hash: lesson.revision.clone(),
            changed: changed(&lesson.id),
        };
        self.lessons.iter().map(revision).collect()
    }
}

/// The hash of a revision. Triggers count in any order.
fn revision(terms: &Terms, lists: [&Vec<&Trigger>; 3], texts: [&str; 2], measure: Measure) -> String {
    let mut parts: Vec<String> = Vec::new();
    for list in lists {
        let mut named: Vec<String> =
            list.iter().map(|trigger| format!("{:?} {}", trigger.kind, trigger.pattern)).collect();
        named.sort();
        parts.push(named.len().to_string());
        parts.extend(named);
    }
    parts.extend([format!("{:?}", terms.mode), measure.to_string(), format!("{:?}", terms.subject)]);
    parts.extend(terms.tools.iter().cloned());
    parts.extend(texts.map(str::to_owned));
    let bytes: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    digest::hex_of_parts(&bytes, DIGITS)
}

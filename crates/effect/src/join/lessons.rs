//! The lessons in force, as sessions are joined with them.

use std::collections::HashMap;

use lessons_lesson::compiled::Terms;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, Mode, When};
use lessons_lesson::lot::{InLot, Lot};
use lessons_lesson::payload::Contents;
use lessons_manifest_builder::index::{self, IndexError, LoadedIndex};
use lessons_manifest_builder::session_triggers;
use lessons_pattern::trigger::Trigger;
use lessons_text::digest;

use super::measure::{HasUnless, Measure};
use crate::episodes::PresentRevision;

/// How many digits of a hash name a revision.
const DIGITS: usize = 16;

/// The lessons in force.
#[derive(Debug)]
pub struct MeasuredLessons {
    /// What hooks try at calls.
    at_calls: TriedIndex,
    /// The lessons that are told when a session starts, with the triggers that no hook tries. `None` where none has any.
    at_start: Option<TriedIndex>,
    lessons: Vec<MeasuredLesson>,
    digest: String,
}

/// An index that calls are tried on.
#[derive(Debug)]
pub(super) struct TriedIndex {
    pub(super) loaded: LoadedIndex,
    /// The numbers of its lessons among all, by their positions in it.
    numbers: HashMap<u32, u32>,
}

/// A lesson in force.
#[derive(Debug, Clone)]
pub struct MeasuredLesson {
    /// Its number among all.
    pub(super) number: u32,
    /// The lesson.
    pub id: QualifiedId,
    /// The id as events and texts name it.
    pub(crate) name: String,
    /// What the hook does.
    pub mode: Mode,
    /// What counts as the mistake coming again.
    pub measure: Measure,
    /// Whether an `unless` says what is right.
    pub has_unless: HasUnless,
    /// The hash of the revision: of everything that bears on what the lesson does.
    pub revision: String,
    /// Where it holds.
    pub(super) terms: Terms,
    /// The length of its text, in bytes.
    pub(super) text: usize,
    /// The length of its text for a sub-agent that starts, in bytes.
    pub(super) agent_text: usize,
}

impl TriedIndex {
    /// The number of the lesson at a position.
    pub(super) fn number(&self, position: u32) -> Option<u32> {
        self.numbers.get(&position).copied()
    }
}

impl MeasuredLesson {
    /// Whether it is for agents of a type.
    pub(super) fn is_for(&self, agent: &str) -> bool {
        self.terms.agents.is_empty() || self.terms.agents.iter().any(|named| named == agent)
    }
}

impl MeasuredLessons {
    /// The lessons of an index. `recorded` are those of them that are told when a session starts, as a person accepted them:
    /// the index holds no triggers of these.
    pub fn of(index: LoadedIndex, recorded: &[(QualifiedId, Lesson)]) -> Result<Self, IndexError> {
        let in_force = index.lessons()?;
        let at_start = session_triggers(&index, &in_force, recorded)?;
        let mut tried = HashMap::new();
        if let Some(loaded) = &at_start {
            tried.extend(loaded.lessons()?.into_iter().map(|(at, terms)| (terms.id.clone(), (at, terms))));
        }
        let triggers = index.triggers()?;
        let start_triggers = at_start.as_ref().map(LoadedIndex::triggers).transpose()?.unwrap_or_default();
        let asked = index.ask()?;
        let mut agent_texts = HashMap::new();
        asked.each_agent_lesson(|found| {
            agent_texts.insert(found.lesson, found.text.len());
        })?;
        let mut lessons = Vec::with_capacity(in_force.len());
        let (mut numbers, mut start_numbers) = (HashMap::new(), HashMap::new());
        for ((position, terms), number) in in_force.into_iter().zip(0..) {
            numbers.insert(position, number);
            let at_start = tried.get(&terms.id);
            start_numbers.extend(at_start.map(|(position, _)| (*position, number)));
            let (known, matching) =
                at_start.map_or((&triggers, &terms), |(_, matching)| (&start_triggers, matching));
            let of = |positions: &[u32]| -> Vec<&Trigger> {
                positions.iter().filter_map(|position| known.get(position)).collect()
            };
            let has_unless = if matching.unless.is_empty() { HasUnless::No } else { HasUnless::Yes };
            let firing = of(&matching.triggers);
            let measure = Measure::of(terms.when, firing.iter().map(|trigger| trigger.kind), has_unless);
            let texts = asked.texts(position)?;
            let lists = [&firing, &of(&matching.also), &of(&matching.unless)];
            lessons.push(MeasuredLesson {
                number,
                revision: revision(&terms, lists, [&texts.full, &texts.brief], measure),
                name: terms.id.to_string(),
                id: terms.id.clone(),
                mode: terms.mode,
                measure,
                has_unless,
                text: texts.full.len(),
                agent_text: agent_texts.get(&position).copied().unwrap_or(0),
                terms,
            });
        }
        let revisions: Vec<&[u8]> =
            lessons.iter().flat_map(|lesson| [lesson.name.as_bytes(), lesson.revision.as_bytes()]).collect();
        let digest = digest::hex_of_parts(&revisions, DIGITS);
        drop(asked);
        Ok(Self {
            at_calls: TriedIndex { loaded: index, numbers },
            at_start: at_start.map(|loaded| TriedIndex { loaded, numbers: start_numbers }),
            lessons,
            digest,
        })
    }

    /// The lessons, by number.
    pub fn all(&self) -> &[MeasuredLesson] {
        &self.lessons
    }

    /// The lessons with these numbers.
    pub(super) fn numbered(&self, numbers: impl Iterator<Item = u32>) -> Vec<&MeasuredLesson> {
        numbers.filter_map(|number| self.lessons.get(number as usize)).collect()
    }

    /// What hooks try at calls.
    pub(super) fn at_calls(&self) -> &TriedIndex {
        &self.at_calls
    }

    /// The lessons that are told when a session starts, with their triggers.
    pub(super) fn at_start(&self) -> Option<&TriedIndex> {
        self.at_start.as_ref()
    }

    /// The lot by which sessions get no reminders now.
    pub(crate) fn lot(&self) -> Option<Lot> {
        self.at_calls.loaded.settings().lot
    }

    /// Whether any of them looks at what a call writes.
    pub(super) fn contents(&self) -> Contents {
        let mut tried = [Some(&self.at_calls), self.at_start()].into_iter().flatten();
        if tried.any(|tried| tried.loaded.header().reads_contents) { Contents::Keep } else { Contents::Skip }
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

/// The index of the triggers of the lessons in force that are told when a session starts. `None` where there are none.
fn session_triggers(
    index: &LoadedIndex,
    in_force: &[(u32, Terms)],
    recorded: &[(QualifiedId, Lesson)],
) -> Result<Option<LoadedIndex>, IndexError> {
    let recorded: HashMap<&QualifiedId, &Lesson> = recorded.iter().map(|(id, lesson)| (id, lesson)).collect();
    let told = in_force.iter().filter(|(_, terms)| terms.when == When::Session);
    let lessons: Vec<(&Terms, &Lesson)> = told
        .filter_map(|(_, terms)| Some((terms, *recorded.get(&terms.id)?)))
        .filter(|(_, lesson)| !lesson.triggers.is_empty())
        .collect();
    if lessons.is_empty() {
        return Ok(None);
    }
    let patterns = index.patterns()?;
    Ok(Some(index::in_memory(&session_triggers::manifest(lessons, &patterns), &patterns)?))
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
    if terms.in_lot == InLot::Never {
        parts.push("never left out".to_owned());
    }
    let bytes: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    digest::hex_of_parts(&bytes, DIGITS)
}

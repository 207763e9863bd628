//! The lessons that sessions are joined with: those in force, and the retired ones, which are watched.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use lessons_index::{LessonEntry, TriggerEntry};
use lessons_lesson::{Contents, InLot, Layer, Lesson, Lot, QualifiedId, Status, Terms, When};
use lessons_manifest_builder::index::{self, IndexError, LoadedIndex};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::{single, untried};
use lessons_pattern::TriggerKind;
use lessons_text::digest;

use crate::episodes::PresentRevision;

lessons_text::named! {
    /// The outcome of a session by which a lesson is measured: what counts as the mistake coming again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Measure {
        /// A later call matches again.
        Repeat = "repeat",
        /// A later matching call, or one of the three calls after it, fails, is refused or is corrected by the user.
        Failure = "failure",
        /// Any call of the session matches: for lessons that are told when a session starts.
        First = "first",
        /// Nothing: no call can show it.
        None = "none",
    }
}

impl Measure {
    /// The measure of a lesson by its triggers and the number of its exceptions (`unless`). A command, content or error that
    /// matches again is the mistake again, and so is a match that no exception vetoed; a file, a word or a tool may be named
    /// again rightly.
    pub fn of(when: When, triggers: impl IntoIterator<Item = TriggerKind>, exceptions: usize) -> Self {
        let mut triggers = triggers.into_iter().peekable();
        let has_triggers = triggers.peek().is_some();
        let is_telling = |kind| {
            matches!(
                kind,
                TriggerKind::CommandPattern | TriggerKind::ContentPattern | TriggerKind::ErrorPattern
            )
        };
        match (when, has_triggers) {
            (_, false) => Self::None,
            (When::Session, true) => Self::First,
            (When::Tool, true) if exceptions > 0 || triggers.any(is_telling) => Self::Repeat,
            (When::Tool, true) => Self::Failure,
        }
    }

    /// What counts as the mistake coming again, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Repeat => "a later call matches again",
            Self::Failure => "a later matching call, or one of the three after it, goes wrong",
            Self::First => "any call of the session matches",
            Self::None => "no call can show it",
        }
    }

    /// How the call comes in a session in which the mistake came, in a word: it comes, or came, or did not come `again`.
    pub fn again(self) -> &'static str {
        if self == Self::First { "up" } else { "again" }
    }
}

/// How many digits of a hash name a revision.
const DIGITS: usize = 16;

/// The lessons that sessions are joined with.
#[derive(Debug)]
pub struct MeasuredLessons {
    /// What hooks try at calls.
    pub(super) at_calls: TriedIndex,
    /// The lessons whose triggers no hook tries: retired ones, and those that are told when a session starts. `None` where
    /// none has any.
    pub(super) untried: Option<TriedIndex>,
    /// The lessons, by number.
    pub lessons: Vec<MeasuredLesson>,
    /// A hash of all revisions.
    pub(super) digest: String,
}

/// An index that calls are tried on.
#[derive(Debug)]
pub(super) struct TriedIndex {
    pub(super) loaded: LoadedIndex,
    /// The numbers of its lessons among all, by their positions in it.
    numbers: HashMap<u32, u32>,
}

/// A lesson in force, or a retired one.
#[derive(Debug, Clone)]
pub struct MeasuredLesson {
    /// Its number among all.
    pub(super) number: u32,
    /// The lesson.
    pub id: QualifiedId,
    /// The revision: the id as events and texts name it, a hash of everything that bears on what the lesson does, and when it
    /// was changed last.
    pub(crate) present: PresentRevision,
    /// What it says, in one line: a recorded text.
    pub(crate) title: String,
    /// Since when it is retired, in milliseconds since 1970; `None` for one in force.
    pub(crate) retired: Option<u64>,
    /// What counts as the mistake coming again.
    pub measure: Measure,
    /// When, where and how it is told.
    pub(crate) terms: Terms,
    /// The length of its text, in bytes.
    pub(super) text: usize,
    /// The length of its text for a sub-agent that starts, in bytes.
    pub(super) agent_text: usize,
}

impl TriedIndex {
    /// An index of lessons with these numbers.
    fn of(loaded: LoadedIndex, numbers: &HashMap<&QualifiedId, u32>) -> Result<Self, IndexError> {
        let number = |(position, terms): (u32, Terms)| Some((position, *numbers.get(&terms.id)?));
        let numbers = loaded.lessons()?.into_iter().filter_map(number).collect();
        Ok(Self { loaded, numbers })
    }

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

    /// Whether hooks try it at calls.
    pub(super) fn is_tried(&self) -> bool {
        self.retired.is_none() && self.terms.when == When::Tool
    }
}

impl MeasuredLessons {
    /// The lessons of an index, and the user's own that are retired. `recorded` are the lessons of all layers as a person
    /// accepted them; `roots` gives the folders below which a retired one held, `None` for everywhere.
    pub fn of(
        index: LoadedIndex,
        recorded: &[(QualifiedId, Lesson)],
        roots: &dyn Fn(&Lesson) -> Option<Vec<String>>,
    ) -> Result<Self, IndexError> {
        let in_force = index.manifest()?;
        let retired = retired(&in_force.lessons, recorded, roots);
        let recorded: HashMap<&QualifiedId, &Lesson> =
            recorded.iter().map(|(id, lesson)| (id, lesson)).collect();
        let at_start = in_force.lessons.iter().filter(|entry| entry.terms.when == When::Session);
        let untried = at_start.chain(retired.iter().map(|(entry, _)| entry));
        let untried: Vec<(&Terms, &Lesson)> =
            untried.filter_map(|entry| Some((&entry.terms, *recorded.get(&entry.terms.id)?))).collect();
        let patterns = if untried.is_empty() { Patterns::default() } else { index.patterns()? };
        let untried = untried::manifest(untried, &patterns);
        let watched: HashMap<&QualifiedId, &Terms> =
            untried.lessons.iter().map(|entry| (&entry.terms.id, &entry.terms)).collect();
        let mut lessons = Vec::with_capacity(in_force.lessons.len());
        for (entry, retired) in in_force.lessons.into_iter().map(|entry| (entry, None)).chain(retired) {
            let LessonEntry { terms, full, brief, at_agent_start, .. } = entry;
            let watched = watched.get(&terms.id);
            if retired.is_some() && watched.is_none() {
                continue;
            }
            let (known, matching) =
                watched.map_or((&in_force.triggers, &terms), |terms| (&untried.triggers, *terms));
            let of = |positions: &[u32]| -> Vec<&TriggerEntry> {
                positions.iter().filter_map(|position| known.get(*position as usize)).collect()
            };
            let firing = of(&matching.triggers);
            let measure =
                Measure::of(terms.when, firing.iter().map(|trigger| trigger.kind), matching.unless.len());
            let lists = [&firing, &of(&matching.also), &of(&matching.unless)];
            let lesson = recorded.get(&terms.id);
            lessons.push(MeasuredLesson {
                number: u32::try_from(lessons.len()).unwrap_or(u32::MAX),
                present: PresentRevision {
                    lesson: terms.id.to_string(),
                    hash: revision(&terms, lists, [&full, &brief], measure),
                    changed: lesson.and_then(|lesson| changed(lesson)),
                },
                id: terms.id.clone(),
                title: lesson.map(|lesson| lesson.one_line()).unwrap_or_default(),
                retired,
                measure,
                text: full.len(),
                agent_text: at_agent_start.map_or(0, |text| text.len()),
                terms,
            });
        }
        let numbers = lessons.iter().map(|lesson| (&lesson.id, lesson.number)).collect();
        let at_calls = TriedIndex::of(index, &numbers)?;
        let untried = (!untried.lessons.is_empty()).then(|| index::in_memory(&untried, &patterns));
        let untried = untried.transpose()?.map(|loaded| TriedIndex::of(loaded, &numbers)).transpose()?;
        // Retiring a lesson and restoring it leaves what was joined as it is.
        let present = lessons.iter().map(|lesson| &lesson.present);
        let mut revisions: Vec<[&[u8]; 2]> =
            present.map(|it| [it.lesson.as_bytes(), it.hash.as_bytes()]).collect();
        revisions.sort_unstable();
        let digest = digest::hex_of_parts(revisions.as_flattened(), DIGITS);
        Ok(Self { at_calls, untried, lessons, digest })
    }

    /// The lot by which sessions get no reminders now.
    pub(crate) fn lot(&self) -> Option<Lot> {
        self.at_calls.loaded.settings().lot
    }

    /// Whether any of them looks at what a call writes.
    pub fn contents(&self) -> Contents {
        let mut tried = std::iter::once(&self.at_calls).chain(&self.untried);
        if tried.any(|tried| tried.loaded.header().reads_contents) { Contents::Keep } else { Contents::Skip }
    }
}

/// The user's own lessons that are retired, as if each were in force, with the times since when they are, in milliseconds since
/// 1970.
fn retired(
    in_force: &[LessonEntry],
    recorded: &[(QualifiedId, Lesson)],
    roots: &dyn Fn(&Lesson) -> Option<Vec<String>>,
) -> Vec<(LessonEntry, Option<u64>)> {
    let present: HashSet<&QualifiedId> = in_force.iter().map(|entry| &entry.terms.id).collect();
    let is_retired = |(id, lesson): &&(QualifiedId, Lesson)| {
        id.layer == Layer::User && lesson.status == Status::Deprecated && !present.contains(id)
    };
    let entry = |(id, lesson): &(QualifiedId, Lesson)| {
        let mut entry = single::entry(id, lesson);
        entry.terms.roots = roots(lesson);
        (entry, Some(changed(lesson).unwrap_or(0)))
    };
    recorded.iter().filter(is_retired).map(entry).collect()
}

/// When a lesson was changed last, or else recorded, in milliseconds since 1970, if that is known.
pub fn changed(lesson: &Lesson) -> Option<u64> {
    let time: Timestamp = lesson.updated_at.as_deref().unwrap_or(&lesson.created_at).parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

/// The hash of a revision. Triggers count in any order.
fn revision(terms: &Terms, lists: [&Vec<&TriggerEntry>; 3], texts: [&str; 2], measure: Measure) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triggers_of_a_lesson_say_how_it_is_measured() {
        use TriggerKind::{CommandPattern, ErrorPattern, FileGlob, Keyword, Tool};
        let of = |when, triggers: &[TriggerKind], unless| Measure::of(when, triggers.iter().copied(), unless);
        assert_eq!(of(When::Tool, &[CommandPattern], 0), Measure::Repeat);
        assert_eq!(of(When::Tool, &[Keyword, ErrorPattern], 0), Measure::Repeat);
        assert_eq!(of(When::Tool, &[FileGlob, Tool], 0), Measure::Failure);
        assert_eq!(of(When::Tool, &[FileGlob], 1), Measure::Repeat);
        assert_eq!(of(When::Session, &[CommandPattern], 0), Measure::First);
        assert_eq!(of(When::Session, &[], 1), Measure::None);
    }
}

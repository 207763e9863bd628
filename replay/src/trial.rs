//! The trial: a lesson made ready to be tried on calls.

use std::collections::HashMap;
use std::io;

use lessons_index::{Corrupt, Index, LessonEntry, Manifest, TriggerEntry};
use lessons_lesson::{Call, Contents, Mode, ProjectLocation, ProjectRoots, QualifiedId, SampleCall, When};
use lessons_manifest_builder::examples;
use lessons_manifest_builder::index::{self, IndexError, LoadedIndex};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::single;
use lessons_pattern::{Trigger, TriggerKind};
use serde::Serialize;

use crate::call_log::RecordedCall;
use crate::group::{self, MOST_KEPT};
use crate::history::Session;

/// The most lines of long contents that are tried to find the one that matches.
const MOST_LINES: usize = 2000;

/// The context of a trial: what the answer to a call depends on besides call and lessons.
#[derive(Debug, Clone, Copy)]
pub struct TrialContext<'a> {
    /// The data folder, which only a person may touch.
    pub home: &'a str,
    /// The user's home folder.
    pub user_home: Option<&'a str>,
    /// The time, in milliseconds since 1970: a lesson of the others may be off until then.
    pub now: u64,
}

/// The reason why a call cannot become an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NoSample {
    /// It is too long.
    Long,
    /// Without its secrets, or away from where it happened, the lesson does not fire on it.
    Differs,
}

/// A trial of one lesson, alone and among others, as if it were switched on.
///
/// Its indexes are made in memory, so they can be read: a call at which one could not would count as one that the lesson does
/// not match.
#[derive(Debug)]
pub struct Trial {
    /// The lesson alone.
    alone: LoadedIndex,
    /// The lesson among the others, as the hook would have them.
    company: Option<LoadedIndex>,
    /// The lesson alone, as examples are tried: in every project, for every agent, on every machine.
    sampled: LoadedIndex,
    /// The lesson's entry in the manifest of `alone`.
    lesson: LessonEntry,
    /// The triggers of that manifest.
    entries: Vec<TriggerEntry>,
    /// The same triggers by their positions in `alone`.
    triggers: HashMap<u32, Trigger>,
}

/// A trial that is ready to be asked by one thread about the calls of one session.
pub(crate) struct ReadyTrial<'t> {
    pub(crate) trial: &'t Trial,
    /// The lesson alone.
    pub(crate) alone: Index<'t>,
    /// All lessons that the hook would have.
    pub(crate) everything: Index<'t>,
    pub(crate) place: ProjectLocation<'static>,
    pub(crate) context: &'t TrialContext<'t>,
}

impl Trial {
    /// A trial of the one lesson of `alone`. The settings of that manifest count: they hold the budget.
    pub fn new(mut alone: Manifest, patterns: &Patterns) -> Result<Self, IndexError> {
        let none = || io::Error::other("there is no lesson to try");
        let lesson = alone.lessons.first_mut().ok_or_else(none)?;
        lesson.terms.off_until = None;
        let lesson = lesson.clone();
        switch_on(&mut alone);
        let mut sampled = alone.clone();
        for terms in sampled.lessons.iter_mut().map(|lesson| &mut lesson.terms) {
            terms.agents.clear();
            terms.roots = None;
            terms.conditions = std::mem::take(&mut terms.conditions).on_any_machine();
        }
        let index = index::in_memory(&alone, patterns)?;
        Ok(Self {
            triggers: index.triggers()?,
            alone: index,
            company: None,
            sampled: index::in_memory(&sampled, patterns)?,
            lesson,
            entries: alone.triggers,
        })
    }

    /// The same trial among the lessons of `manifest`, which compete with it. A lesson of the same id is replaced.
    pub fn among(mut self, mut manifest: Manifest, patterns: &Patterns) -> Result<Self, IndexError> {
        manifest.lessons.retain(|lesson| lesson.terms.id != self.lesson.terms.id);
        // The sessions of the past were over when these came.
        manifest.late.clear();
        add(&mut manifest, &self.lesson, &self.entries);
        switch_on(&mut manifest);
        self.company = Some(index::in_memory(&manifest, patterns)?);
        Ok(self)
    }

    /// The trial on the calls of a session, for one thread.
    pub(crate) fn ready<'t>(
        &'t self,
        session: &Session,
        context: &'t TrialContext<'t>,
    ) -> Result<ReadyTrial<'t>, Corrupt> {
        let (alone, everything) = (self.alone.ask()?, self.everything().ask()?);
        Ok(ReadyTrial { trial: self, alone, everything, place: session.place(), context })
    }

    /// The lesson's id.
    pub fn id(&self) -> &QualifiedId {
        &self.lesson.terms.id
    }

    /// The mode of the lesson.
    pub fn mode(&self) -> Mode {
        self.lesson.terms.mode
    }

    /// Whether the lesson is told at calls at all.
    pub fn is_about_calls(&self) -> bool {
        self.lesson.terms.when == When::Tool
    }

    /// Whether the history needs the contents of edits: the lesson looks at them, or it may be told at an edit while
    /// another lesson looks at them, which then takes its place or refuses the call.
    pub fn contents(&self) -> Contents {
        let is_told_at_edits = self.entries.iter().any(|trigger| trigger.kind != TriggerKind::CommandPattern);
        let is_needed = is_told_at_edits && self.everything().header().reads_contents;
        if is_needed { Contents::Keep } else { Contents::Skip }
    }

    /// Whether one of its triggers looks at the errors of calls that failed.
    pub(crate) fn looks_at_errors(&self) -> bool {
        self.entries.iter().any(|trigger| trigger.kind == TriggerKind::ErrorPattern)
    }

    /// A trigger of the lesson alone, by its position.
    pub(crate) fn trigger(&self, position: u32) -> Option<&Trigger> {
        self.triggers.get(&position)
    }

    /// All lessons that the hook would have.
    fn everything(&self) -> &LoadedIndex {
        self.company.as_ref().unwrap_or(&self.alone)
    }

    /// Whether it fires on a call as an example, in a project whose root is `/p`.
    pub fn fires_on(&self, sample: &SampleCall) -> bool {
        self.sampled.ask().and_then(|sampled| examples::fires(&sampled, sample)).unwrap_or(false)
    }

    /// A call at which the lesson fires, as it may be kept, and the reason why it cannot become an example.
    pub fn sample(
        &self,
        recorded: &RecordedCall,
        roots: Option<&ProjectRoots>,
    ) -> (SampleCall, Option<NoSample>) {
        let before = self.sample_of(&recorded.call, roots);
        match recorded.failed() {
            Some(failed) if before.1.is_some() && self.looks_at_errors() => self.sample_of(&failed, roots),
            _ => before,
        }
    }

    fn sample_of(&self, call: &Call<'_>, roots: Option<&ProjectRoots>) -> (SampleCall, Option<NoSample>) {
        let mut sample = group::sample(call, roots);
        if !self.lesson.terms.conditions.state.is_empty() {
            sample.cwd = group::sample_folder(call, roots);
        }
        let is_long =
            |text: &Option<String>| text.as_ref().is_some_and(|text| text.chars().nth(MOST_KEPT).is_some());
        if !self.alone.header().reads_contents {
            sample.content = None;
        } else if is_long(&sample.content) || !self.fires_on(&sample) {
            // The match is mostly in one line of one of several edits. No rule recognises a single line of a secret,
            // so the whole text is redacted first.
            let whole: Vec<String> =
                call.contents.iter().map(|content| group::clean_content(content.text())).collect();
            let lines = whole.iter().flat_map(|content| content.lines()).filter(|line| !line.is_empty());
            let bare = SampleCall { content: None, ..sample.clone() };
            let tried = lines.map(|line| SampleCall { content: Some(line.to_owned()), ..bare.clone() });
            let fits = |tried: &SampleCall| !is_long(&tried.content) && self.fires_on(tried);
            if let Some(short) = tried.take(MOST_LINES).find(fits) {
                sample = short;
            }
        }
        let unkept = if [&sample.command, &sample.content, &sample.error].into_iter().any(is_long) {
            Some(NoSample::Long)
        } else if self.fires_on(&sample) {
            None
        } else {
            Some(NoSample::Differs)
        };
        (sample, unkept)
    }
}

/// Switches the lessons of a manifest on: a trial asks what would happen, not what is switched on today.
fn switch_on(manifest: &mut Manifest) {
    manifest.settings.enabled = true;
    manifest.settings.off_until = None;
}

/// Inserts a lesson, whose triggers are positions in `from`, in the order of ids.
fn add(manifest: &mut Manifest, lesson: &LessonEntry, from: &[TriggerEntry]) {
    let mut lesson = lesson.clone();
    let terms = &mut lesson.terms;
    for list in [&mut terms.triggers, &mut terms.also, &mut terms.unless] {
        *list = list
            .iter()
            .filter_map(|position| from.get(*position as usize))
            .map(|trigger| single::position(&mut manifest.triggers, trigger.kind, &trigger.pattern))
            .collect();
    }
    let at = manifest.lessons.partition_point(|other| other.terms.id < terms.id);
    manifest.lessons.insert(at, lesson);
    for trigger in &mut manifest.triggers {
        trigger.document_frequency = 0;
    }
    for lesson in &manifest.lessons {
        for trigger in &lesson.terms.triggers {
            if let Some(trigger) = manifest.triggers.get_mut(*trigger as usize) {
                trigger.document_frequency += 1;
            }
        }
    }
}

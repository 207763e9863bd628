//! One lesson made ready, for itself: without what depends on other lessons or on this machine.

use lessons_index::{LessonEntry, Manifest, Settings, TriggerEntry};
use lessons_lesson::{
    Call, FILE_TOOLS, InLot, Lesson, MAIN, QualifiedId, Quality, SampleCall, Terms, When, render, tool_name,
};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_text::neutral;

use crate::patterns::Patterns;
use crate::report::Reason;

/// A lesson's entry, without what depends on other lessons or on this machine.
pub fn entry(id: &QualifiedId, lesson: &Lesson) -> LessonEntry {
    let told = render::lesson(id, lesson);
    let terms = Terms {
        mode: lesson.mode,
        when: lesson.when,
        priority: lesson.priority.get(),
        quality: lesson.quality,
        severity: lesson.effective_severity(),
        tools: tools(lesson),
        agents: lesson.scope.agents.clone(),
        conditions: lesson.conditions(),
        subject: lesson.effective_subject(),
        in_lot: InLot::of(id, lesson),
        ..Terms::new(id.clone(), lesson.created_at.clone())
    };
    let is_for_sub_agents = lesson.scope.agents.iter().any(|agent| agent != MAIN);
    // A lesson of little worth takes little room.
    let full = if lesson.quality == Quality::Trivial { told.brief.clone() } else { told.full };
    LessonEntry {
        terms,
        rule: lesson.rule.clone(),
        topics: lesson.topics.iter().map(|topic| topic.as_str().to_owned()).collect(),
        full,
        brief: told.brief,
        at_agent_start: is_for_sub_agents.then(|| render::agent_lesson(lesson)),
    }
}

/// The tools that a lesson is for. One that names none is about writing the files that it names, unless one of its own
/// examples says that it is about reading them; what refuses has to name what it keeps from reading.
fn tools(lesson: &Lesson) -> Vec<String> {
    let reads = |sample: &SampleCall| sample.file.is_some() && !Call::of_sample(sample).writes();
    let is_about_reading = !lesson.mode.refuses() && lesson.examples.fires.iter().any(reads);
    if lesson.tools.is_empty() && is_about_reading {
        return FILE_TOOLS.map(str::to_owned).into();
    }
    lesson.tools.iter().map(|tool| tool_name(tool).to_owned()).collect()
}

/// A manifest with this lesson alone, for a trial. It fires under `roots`, or everywhere for `None`. The lesson may be
/// inactive, but its patterns must be valid.
pub fn alone(
    id: &QualifiedId,
    lesson: &Lesson,
    roots: Option<Vec<String>>,
    settings: Settings,
    patterns: &Patterns,
) -> Result<Manifest, Reason> {
    usable(lesson, patterns)?;
    let mut entry = entry(id, lesson);
    entry.terms.roots = roots;
    Ok(only(lesson, entry, settings, patterns))
}

/// Whether all patterns of a lesson that waits for calls are some; the first that is none is the reason why not.
pub(crate) fn usable(lesson: &Lesson, patterns: &Patterns) -> Result<(), Reason> {
    for (role, trigger) in lesson.all_triggers().filter(|_| lesson.when == When::Tool) {
        if let Err(error) = patterns.get(trigger) {
            let text = format!("{role} `{}`: {error}", neutral::line(&trigger.pattern));
            return Err(Reason::Flaw { text });
        }
    }
    Ok(())
}

/// The manifest of one entry. A pattern that is none matches nothing in it.
pub(crate) fn only(
    lesson: &Lesson,
    mut entry: LessonEntry,
    settings: Settings,
    patterns: &Patterns,
) -> Manifest {
    let mut manifest = Manifest::new(settings, "");
    if lesson.when == When::Tool {
        add_triggers(&mut manifest, &mut entry.terms, lesson, patterns);
    }
    manifest.lessons.push(entry);
    manifest
}

/// Names the triggers of a lesson in its terms, those alone whose pattern is one.
pub(crate) fn add_triggers(manifest: &mut Manifest, terms: &mut Terms, lesson: &Lesson, patterns: &Patterns) {
    name_triggers(terms, lesson, |trigger| {
        let is_usable = patterns.get(trigger).is_ok();
        is_usable.then(|| position(&mut manifest.triggers, trigger.kind, &trigger.pattern))
    });
}

/// Names the triggers of a lesson in its terms by their positions, those alone that have one.
pub(crate) fn name_triggers(
    terms: &mut Terms,
    lesson: &Lesson,
    mut position: impl FnMut(&Trigger) -> Option<u32>,
) {
    let mut positions = |triggers: &[Trigger]| {
        let mut positions: Vec<u32> = triggers.iter().filter_map(&mut position).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    };
    terms.triggers = positions(&lesson.triggers);
    terms.also = positions(&lesson.also);
    terms.unless = positions(&lesson.unless);
}

/// The position of a trigger, which is added where it is new.
pub fn position(triggers: &mut Vec<TriggerEntry>, kind: TriggerKind, pattern: &str) -> u32 {
    let known = triggers.iter().position(|trigger| trigger.kind == kind && trigger.pattern == pattern);
    let position = known.unwrap_or_else(|| {
        triggers.push(TriggerEntry { kind, pattern: pattern.to_owned(), document_frequency: 1 });
        triggers.len() - 1
    });
    u32::try_from(position).unwrap_or(u32::MAX)
}

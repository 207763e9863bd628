//! The most lessons that one agent has for itself: one more retires the one that matters least.

use std::collections::BTreeSet;

use lessons_context::{Context, Result, refused_as};
use lessons_ledger::Database;
use lessons_lesson::{Lesson, Quality, Severity, Status};
use lessons_store::{Graph, Warning};
use lessons_text::line;

use crate::change::naming::full_id;

/// Makes room in `graph` for a lesson that is about to be saved. Returns a warning for each lesson that is retired
/// instead; refuses the lesson where every other one must stay.
pub fn make_room(context: &Context, graph: &mut Graph, lesson: &Lesson) -> Result<Vec<Warning>> {
    let is_new = |agent: &&str| graph.get(&lesson.id).and_then(only_agent) != Some(*agent);
    let Some(agent) = only_agent(lesson).filter(is_new) else { return Ok(Vec::new()) };
    let cap = context.settings()?.0.agent_cap;
    let own: Vec<&Lesson> = graph.lessons().filter(|other| only_agent(other) == Some(agent)).collect();
    let excess = (own.len() + 1).saturating_sub(cap);
    if excess == 0 {
        return Ok(Vec::new());
    }
    let told: BTreeSet<String> = Database::open(&context.home)?.lessons_in_events()?.into_iter().collect();
    let mut dispensable: Vec<&Lesson> = own.into_iter().filter(|other| !must_stay(other)).collect();
    dispensable
        .sort_by_key(|it| (it.quality, told.contains(&full_id(context, &it.id)), it.created_at.as_str()));
    let shown = line(agent);
    if dispensable.len() < excess {
        let why = format!(
            "{shown} has {cap} lessons for itself, all of them too important to be retired for this one: retire one \
             with `lessons retire ID`, or set `agents.cap` in config.toml (`lessons list {shown}` shows them)"
        );
        return refused_as("AGENT_CAP", why);
    }
    let retired = dispensable.into_iter().take(excess).map(|other| {
        let evidence = [other.evidence.as_slice(), &[format!("cap:{agent}")]].concat();
        let updated_at = Some(context.now_text());
        Lesson { status: Status::Deprecated, evidence, updated_at, ..other.clone() }
    });
    let retired: Vec<Lesson> = retired.collect();
    let told = retired.iter().map(|other| {
        graph.put(other)?;
        Ok(Warning::from(format!(
            "{} is retired to make room: {shown} has {cap} lessons for itself; `lessons undo` brings it back",
            full_id(context, &other.id)
        )))
    });
    told.collect()
}

/// The agent that an active lesson names alone.
fn only_agent(lesson: &Lesson) -> Option<&str> {
    match lesson.scope.agents.as_slice() {
        [agent] if lesson.status == Status::Active => Some(agent),
        _ => None,
    }
}

/// Whether a lesson is never retired for another one.
fn must_stay(lesson: &Lesson) -> bool {
    lesson.quality == Quality::Critical
        || lesson.mode.refuses()
        || lesson.effective_severity() >= Severity::High
}

//! The episode of a lesson that is told when a session starts. No call came before it, so every call that matches is the
//! mistake.

use lessons_index::matching::holds_at;
use lessons_lesson::lesson::MAIN;
use lessons_lesson::project::ProjectLocation;

use super::calls::{ContextCalls, SessionCalls};
use super::hook_acts::{Act, HookActs};
use super::lessons::MeasuredLesson;
use super::price;
use crate::episodes::{Arm, Chance, Episode};

/// The episode of a lesson in a session, whether a call matches or not. `None` where the lesson does not hold, and where it was
/// told only later: as one that was recorded meanwhile, or at a compaction.
pub(super) fn episode(
    lesson: &MeasuredLesson,
    session: &SessionCalls<'_>,
    acts: &HookActs,
    place: &ProjectLocation<'_>,
) -> Option<Episode> {
    let contexts = || session.contexts.iter().filter(|context| lesson.is_for(context.agent()));
    if !holds_at(&lesson.terms, place) {
        return None;
    }
    let told: Vec<&ContextCalls<'_>> =
        contexts().filter(|context| acts.is_told_at_start(lesson, context)).collect();
    let is_held = told.is_empty() && contexts().any(|context| acts.start(lesson, context) == Some(Act::Held));
    if told.is_empty() && !is_held && acts.is_known(lesson) {
        return None;
    }
    let untold = match acts.is_queried(lesson) {
        _ if is_held => Arm::Held,
        true => Arm::Queried,
        false => Arm::Quiet,
    };
    let arm = if told.is_empty() { untold } else { Arm::Told };
    let matching = contexts().flat_map(|context| {
        let wrong = context.chances(lesson.number).filter(|(_, _, chance)| *chance == Chance::Wrong);
        wrong.map(move |(_, call, _)| (context, call))
    });
    // Without a call that matches, the session counts from its first call on.
    let any = contexts().filter_map(|context| Some((context, context.calls.first()?)));
    let (context, call) = matching
        .min_by_key(|(_, call)| call.recorded.time)
        .or_else(|| any.min_by_key(|(_, call)| call.recorded.time))?;
    let mut episode = Episode {
        first: call.recorded.time.unwrap_or(0),
        model: context.model_at(call),
        ..Episode::of_arm(arm)
    };
    for context in contexts() {
        count_matches(lesson, context, &mut episode);
        let first_chance = context.chances(lesson.number).next().map(|(_, _, chance)| chance);
        if let Some(chance) = first_chance.filter(|_| told.is_empty()) {
            episode.add_untold(chance);
        }
    }
    let next = told.iter().find_map(|context| context.chances(lesson.number).next());
    episode.followed = next.map(|(_, _, chance)| chance);
    for context in &told {
        add_cost(lesson, context, acts, &mut episode);
    }
    let is_known = |context: &&ContextCalls<'_>| acts.start(lesson, context) == Some(Act::Told);
    let main = || told.iter().filter(|context| context.agent() == MAIN);
    episode.lot = acts.lot(lesson);
    episode.is_event_lost = !told.iter().all(is_known);
    if main().next().is_some() && !main().any(|context| acts.has_opening(lesson, context)) {
        episode.followed = None;
    }
    Some(episode)
}

/// Counts the calls of a context that match.
fn count_matches(lesson: &MeasuredLesson, context: &ContextCalls<'_>, episode: &mut Episode) {
    for (_, call, _) in context.chances(lesson.number).filter(|(_, _, chance)| *chance == Chance::Wrong) {
        episode.again += 1;
        episode.is_corrected |= call.is_refused_or_corrected();
        episode.has_failed_later |= call.went_wrong();
    }
}

/// Adds the price of what a context was told at its start, and the main thread again after compactions.
fn add_cost(lesson: &MeasuredLesson, context: &ContextCalls<'_>, acts: &HookActs, episode: &mut Episode) {
    let requests = context.requests;
    let read: Vec<(usize, usize)> = if context.agent() == MAIN {
        acts.openings_with(lesson).map(|(bytes, opening)| (bytes, opening.request)).collect()
    } else {
        vec![(lesson.agent_text, 0)]
    };
    for (bytes, first) in read {
        episode.cost += price::rounded(price::of_text(bytes, requests, requests.requests_after(first)));
    }
}

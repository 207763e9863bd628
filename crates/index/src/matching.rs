//! Matching: the lessons of an index that match a call, best first.
//!
//! Work is linear in the call and in the number of lessons that could match, whatever the patterns: each distinct trigger
//! is tried at most once per view of the call. No lesson can use up the time of another.

pub mod matched;
pub mod tracer;
pub mod trials;

use std::cmp::Reverse;

use crate::exceptions::{self, Excuse};
use crate::views::Views;
use crate::{Index, Result};
use lessons_lesson::{Clock, Conditions, ProjectLocation, Subject, Terms, When};
use lessons_pattern::TriggerKind;
use matched::{Match, Mismatch};
use tracer::Tracer;
use trials::{Trial, Trials, matches_call};

/// The lessons that match a call of `agent` now, best first. A tracer hears of each lesson that the index proposes; `()` is
/// one that observes nothing.
pub fn matches<T: Tracer>(
    index: &Index<'_>,
    views: &Views<'_>,
    agent: &str,
    clock: &dyn Clock,
    tracer: &mut T,
) -> Result<Vec<Match>> {
    let (mut judge, candidates) = Judge::of(index, views, agent, clock)?;
    let mut found = Vec::with_capacity(candidates.len());
    for lesson in candidates {
        let terms = index.terms(lesson)?;
        match judge.verdict(&terms)? {
            Verdict::Matches(document_frequency) => found.push(Match::new(lesson, document_frequency, terms)),
            Verdict::Mismatch(why) => tracer.mismatch(lesson, &terms, why),
        }
    }
    found.sort_unstable_by(|a, b| rank(a).cmp(&rank(b)));
    if T::ENABLED {
        for (rank, found) in found.iter().enumerate() {
            tracer.matched(found, rank);
        }
    }
    Ok(found)
}

/// The first reason why one lesson does not match a call, also where the index does not propose the lesson. `None`: it
/// matches.
pub fn mismatch_of(
    index: &Index<'_>,
    lesson: u32,
    views: &Views<'_>,
    agent: &str,
    clock: &dyn Clock,
) -> Result<Option<Mismatch>> {
    let (mut judge, _) = Judge::of(index, views, agent, clock)?;
    Ok(match judge.verdict(&index.terms(lesson)?)? {
        Verdict::Mismatch(why) => Some(why),
        Verdict::Matches(_) => None,
    })
}

/// The verdict on one lesson.
enum Verdict {
    /// It matches, with the document frequency of its most specific matching trigger.
    Matches(u32),
    /// The first reason why it does not.
    Mismatch(Mismatch),
}

/// The judge of lessons at one call.
struct Judge<'i, 'f, 'c> {
    index: &'i Index<'f>,
    views: &'i Views<'c>,
    agent: &'i str,
    clock: &'i dyn Clock,
    trials: Trials<'i, 'f, 'c>,
}

impl<'i, 'f, 'c> Judge<'i, 'f, 'c> {
    /// The judge of a call, and the lessons that the index proposes for it.
    fn of(
        index: &'i Index<'f>,
        views: &'i Views<'c>,
        agent: &'i str,
        clock: &'i dyn Clock,
    ) -> Result<(Self, Vec<u32>)> {
        let mut trials = Trials::new(index, views, matches_call);
        let candidates = trials.candidates(index.possible_triggers(views)?)?;
        Ok((Self { index, views, agent, clock, trials }, candidates))
    }

    fn verdict(&mut self, terms: &Terms) -> Result<Verdict> {
        if let Some(why) = self.not_for_this_call(terms) {
            return Ok(Verdict::Mismatch(why));
        }
        let mut best: Option<u32> = None;
        let mut no_match = Mismatch::NoTrigger;
        // A lesson that names no tool is about writing the files that it names.
        let only_reads = terms.tools.is_empty() && !self.views.call.writes();
        for &trigger in &terms.triggers {
            // All triggers by which lessons fire and that match have been tried.
            if self.trials.was_tried(trigger) {
                let Trial { kind, document_frequency } = self.trials.of(trigger, terms.subject)?;
                if only_reads && document_frequency.is_some() && kind.is_about_files() {
                    no_match = Mismatch::OnlyReads;
                    continue;
                }
                best = [best, document_frequency].into_iter().flatten().min();
            }
        }
        let Some(document_frequency) = best else { return Ok(Verdict::Mismatch(no_match)) };
        for &trigger in &terms.also {
            if self.trials.of(trigger, terms.subject)?.document_frequency.is_none() {
                return Ok(Verdict::Mismatch(Mismatch::Also(trigger)));
            }
        }
        if self.views.error().is_some() && !self.is_about_error(terms) {
            return Ok(Verdict::Mismatch(Mismatch::NoErrorTrigger));
        }
        if let Some(trigger) = self.exception(terms)? {
            return Ok(Verdict::Mismatch(Mismatch::Unless(trigger)));
        }
        // What may need the disk comes last.
        let unmet = terms.conditions.state.iter().find(|check| !self.views.is_in_state(**check));
        let unmet = unmet.map(|check| Mismatch::State(*check));
        let mismatch = unmet.or_else(|| not_for_this_place(terms, self.views.place));
        Ok(mismatch.map_or(Verdict::Matches(document_frequency), Verdict::Mismatch))
    }

    /// The trigger that silences a lesson, if any does.
    fn exception(&mut self, terms: &Terms) -> Result<Option<u32>> {
        // A reminder that does not come costs nothing, so all of the line may keep it quiet.
        let is_guard = terms.subject == Subject::Program && terms.mode.refuses() && !terms.unless.is_empty();
        let excuse =
            if is_guard { exceptions::judge(self.index, self.views, terms)? } else { Excuse::NoCommand };
        if let Excuse::Excused(trigger) = excuse {
            return Ok(Some(trigger));
        }
        for &trigger in &terms.unless {
            let kind = || self.index.with_trigger(trigger, |trigger| Ok(trigger.kind));
            if matches!(excuse, Excuse::Fires) && kind()? == TriggerKind::CommandPattern {
                continue;
            }
            for &subject in terms.subject.of_unless() {
                if self.trials.of(trigger, subject)?.document_frequency.is_some() {
                    return Ok(Some(trigger));
                }
            }
        }
        Ok(None)
    }

    /// Whether one of the triggers that match looks at the error. What the others say was due before the call.
    fn is_about_error(&self, terms: &Terms) -> bool {
        let triggers = terms.triggers.iter().chain(&terms.also);
        let mut trials = triggers.filter_map(|trigger| self.trials.known(*trigger, terms.subject));
        trials.any(|trial| trial.kind == TriggerKind::ErrorPattern && trial.document_frequency.is_some())
    }

    /// The reason why a lesson is not for calls of this tool and agent now, whatever its triggers.
    fn not_for_this_call(&self, terms: &Terms) -> Option<Mismatch> {
        let excludes =
            |names: &[String], wanted: &str| !names.is_empty() && !names.iter().any(|name| name == wanted);
        if terms.when != When::Tool {
            Some(Mismatch::AtStart)
        } else if terms.is_off(self.clock) {
            Some(Mismatch::Off)
        } else if !terms.tools.is_empty() && !terms.tools.iter().any(|name| self.views.call.is_of_tool(name))
        {
            Some(Mismatch::Tool)
        } else if excludes(&terms.agents, self.agent) {
            Some(Mismatch::Agent)
        } else {
            None
        }
    }
}

/// Whether a lesson holds on this machine and in this project.
pub fn holds_at(terms: &Terms, place: &ProjectLocation<'_>) -> bool {
    not_for_this_place(terms, place).is_none()
}

/// The reason why a lesson does not hold on this machine or in this project. Asks the environment and the disk only for
/// lessons with such a condition.
fn not_for_this_place(terms: &Terms, place: &ProjectLocation<'_>) -> Option<Mismatch> {
    let Conditions { os, shell, .. } = &terms.conditions;
    if !os.is_empty() && !place.os().is_some_and(|here| os.contains(&here)) {
        Some(Mismatch::Os)
    } else if !shell.is_empty() && !place.shell().is_some_and(|here| shell.contains(&here)) {
        Some(Mismatch::Shell)
    } else {
        let is_within = |scopes: &Vec<String>| {
            place.roots().is_some_and(|roots| scopes.iter().any(|scope| roots.within(scope)))
        };
        (!terms.roots.as_ref().is_none_or(is_within)).then_some(Mismatch::Scope)
    }
}

/// The order in which lessons are told: layer, priority, quality, relevance (the inverse of the trigger's document
/// frequency), newest, id. Always the same for the same call.
fn rank(found: &Match) -> impl Ord {
    (
        &found.id.layer,
        Reverse((found.priority, found.quality)),
        found.document_frequency,
        Reverse(found.created_at.as_str()),
        &found.id,
    )
}

//! Lessons that fire at too many of the past calls.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use lessons_index::manifest::Settings;
use lessons_lesson::compiled::Terms;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::When;
use lessons_lesson::payload::Contents;
use lessons_manifest_builder::single;
use lessons_replay::trial::Trial;
use lessons_text::wording::counted;

use super::{DoctorContext, DoctorFinding};
use crate::trials;

/// A lesson is too broad if it fires at more than one call in this many.
const ONE_IN: usize = 100;
/// The fewest past calls from which this can be judged.
const FEWEST_CALLS: usize = 200;
/// The most lessons that are replayed, the user's own first.
const MOST_LESSONS: usize = 300;

pub(super) fn check(context: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some(index) = &context.index else { return Ok(Vec::new()) };
    let patterns = index.patterns().unwrap_or_default();
    let terms: HashMap<QualifiedId, Terms> =
        index.lessons()?.into_iter().map(|(_, terms)| (terms.id.clone(), terms)).collect();
    let all: Vec<_> = context.in_force().filter(|(_, lesson)| lesson.when == When::Tool).collect();
    let mut trials = Vec::new();
    for (id, lesson) in all.iter().take(MOST_LESSONS) {
        let roots = terms.get(id).and_then(|terms| terms.roots.clone());
        // A lesson that cannot be compiled is reported by the check of published files.
        let Ok(alone) = single::alone(id, lesson, roots, Settings::default(), &patterns) else { continue };
        trials.push((id, Trial::new(alone, &patterns)?));
    }
    let any_needs_contents = trials.iter().any(|(_, trial)| trial.contents() == Contents::Keep);
    let contents = if any_needs_contents { Contents::Keep } else { Contents::Skip };
    let reading = trials::ReadingProgress::of(context.app);
    let history = trials::history(context.app, contents, &reading)?;
    reading.finish();
    if history.len() < FEWEST_CALLS {
        return Ok(Vec::new());
    }
    let (place, never) = (trials::MachineFacts::of(context.app), AtomicBool::new(false));
    let mut found = Vec::new();
    for (id, trial) in trials {
        let count = trial.count(&history, &place.context(), &never);
        if count.fired * ONE_IN > count.calls {
            let message =
                format!("{id} fires at {} of the {} calls in your sessions", count.fired, count.calls);
            let remedy = match id.layer {
                Layer::User => format!("lessons replay {id}, then lessons edit {}", id.id),
                Layer::Seed | Layer::Project(_) => format!("lessons replay {id}, then lessons off {id}"),
            };
            found.push(DoctorFinding::warning("TOO_BROAD", message, remedy));
        }
    }
    if all.len() > MOST_LESSONS {
        let left = counted(all.len() - MOST_LESSONS, "lesson");
        let message = format!("{left} not tried on your sessions: that would take too long");
        found.push(DoctorFinding::note("NOT_ALL_TRIED", message, "lessons replay ID"));
    }
    Ok(found)
}

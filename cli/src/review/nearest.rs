//! The lessons that are most similar to a candidate.

use std::cmp::Ordering;

use anyhow::Result;
use lessons_ledger::candidates::Candidate;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::{Lesson, Mode, Status};
use lessons_store::likeness::Likeness;
use serde::Serialize;

use super::promotion;
use crate::app::App;
use crate::in_force;
use crate::lookup;
use crate::wording::Wordings;

/// The most lessons that are returned.
const NEAREST: usize = 3;

/// A lesson that is similar to a candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearLesson {
    /// The lesson's id.
    pub id: QualifiedId,
    /// The similarity, from 0 to 1.
    pub likeness: f64,
    /// Whether both say nearly the same.
    pub nearly_the_same: bool,
    /// The lesson's rule.
    pub rule: String,
    /// The mistake that it prevents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// Its mode.
    pub mode: Mode,
    /// Its triggers.
    pub triggers: Vec<String>,
}

/// All active lessons, prepared for the comparison.
#[derive(Debug)]
pub struct KnownLessons(Vec<(QualifiedId, Lesson, Likeness)>);

impl KnownLessons {
    /// The person's own lessons, and those of other layers that are in force.
    pub fn of(app: &App) -> Result<Self> {
        let in_force = in_force::lessons(app);
        let active = lookup::every_lesson(app)?.into_iter().filter(|(id, lesson)| {
            lesson.status == Status::Active && (id.layer == Layer::User || in_force.contains_key(id))
        });
        let wordings = Wordings::of(app)?;
        let prepared = active.map(|(id, lesson)| {
            let likeness = wordings.likeness(&lesson);
            (id, lesson, likeness)
        });
        Ok(Self(prepared.collect()))
    }

    /// The `NEAREST` most similar lessons, the most similar first.
    pub fn nearest(&self, candidate: &Candidate) -> Vec<NearLesson> {
        self.measured(candidate, |_| true)
    }

    /// The same among the person's own lessons, into which the candidate can be merged.
    pub fn nearest_own(&self, candidate: &Candidate) -> Vec<NearLesson> {
        self.measured(candidate, |id| id.layer == Layer::User)
    }

    fn measured(&self, candidate: &Candidate, is_meant: impl Fn(&QualifiedId) -> bool) -> Vec<NearLesson> {
        let own = candidate.finding.likeness();
        let evidence = promotion::source(candidate);
        let mut measured: Vec<_> = self
            .0
            .iter()
            .filter(|(id, lesson, _)| is_meant(id) && !lesson.evidence.contains(&evidence))
            .map(|known| (own.degree(&known.2), known))
            .filter(|(degree, _)| *degree > 0.0)
            .collect();
        measured.sort_by(|(a, (first, ..)), (b, (second, ..))| {
            b.partial_cmp(a).unwrap_or(Ordering::Equal).then_with(|| first.cmp(second))
        });
        let near = |(degree, (id, lesson, theirs)): (f64, &(QualifiedId, Lesson, Likeness))| NearLesson {
            id: id.clone(),
            likeness: (degree * 100.0).round() / 100.0,
            nearly_the_same: own.is_near(theirs),
            rule: lesson.rule.clone(),
            mistake: lesson.mistake.clone(),
            mode: lesson.mode,
            triggers: lesson.triggers.iter().map(ToString::to_string).collect(),
        };
        measured.into_iter().take(NEAREST).map(near).collect()
    }
}

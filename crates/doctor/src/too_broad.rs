//! Lessons that fire at too many of the past calls.

use std::collections::HashMap;

use lessons_lesson::compiled::Terms;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::When;
use lessons_review::checks::too_broad::{self, MeasuredLesson};
use lessons_text::wording::counted;

use crate::examined::{CheckResult, Examined};
use crate::finding::DoctorFinding;

pub(crate) fn check(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let Some(index) = &examined.index else { return Ok(Vec::new()) };
    let terms: HashMap<QualifiedId, Terms> =
        index.lessons()?.into_iter().map(|(_, terms)| (terms.id.clone(), terms)).collect();
    let in_force = examined.in_force().filter(|(_, lesson)| lesson.when == When::Tool);
    let lessons: Vec<MeasuredLesson<'_>> = in_force
        .map(|(id, lesson)| {
            let roots = terms.get(id).and_then(|terms| terms.roots.clone());
            MeasuredLesson { id: id.clone(), lesson, roots }
        })
        .collect();
    let patterns = index.patterns().unwrap_or_default();
    let measured = too_broad::measure(examined.context, &lessons, &patterns)?;
    let mut found: Vec<DoctorFinding> = measured
        .too_broad()
        .map(|(id, share)| {
            let remedy = match id.layer {
                Layer::User => format!("lessons replay {id}, then lessons edit {}", id.id),
                Layer::Seed | Layer::Project(_) | Layer::Peer(_) => {
                    format!("lessons replay {id}, then lessons off {id}")
                }
            };
            DoctorFinding::warning("TOO_BROAD", format!("{id} {share}"), remedy)
        })
        .collect();
    if measured.untried > 0 {
        let left = counted(measured.untried, "lesson");
        let message = format!("{left} not tried on your sessions: that would take too long");
        found.push(DoctorFinding::note("NOT_ALL_TRIED", message, "lessons replay ID"));
    }
    Ok(found)
}

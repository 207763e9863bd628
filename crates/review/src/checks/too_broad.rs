//! Candidates that would fire at too many of the past calls: narrowed, or marked.

use lessons_context::{Context, Result};
use lessons_ledger::detector::Detector;
use lessons_ledger::{Candidate, Database, Doubt, Proposal};
use lessons_lesson::{Lesson, LessonId};
use lessons_publish::in_force;
use lessons_replay::CallShare;
use lessons_replay::call_share::ONE_IN;
use lessons_text::wording::counted;

use super::measured::{MOST_LESSONS, MeasuredLesson, measure};
use super::narrowing::{self, Tried};
use crate::candidates::promotion;
use crate::lookup;

/// The name of the mark.
const FIRES_OFTEN: &str = "fires-often";

/// The [waiting candidates](lookup::waiting_candidates), all of them tried.
pub fn waiting(context: &Context) -> Result<Vec<Candidate>> {
    // A trial that fails keeps nobody from deciding. The nightly run says why it fails.
    let _ = mark(context);
    lookup::waiting_candidates(context)
}

/// Replays what candidates propose over the sessions of this machine, and marks those that are too broad. Returns their
/// number.
pub fn mark(context: &Context) -> Result<usize> {
    let database = Database::open(&context.home)?;
    let mut untried = Vec::new();
    for candidate in database.untried_candidates()?.into_iter().filter(is_about_failures).take(MOST_LESSONS) {
        // A promotion says why it proposes nothing.
        let Ok(mut lesson) = promotion::proposed(context, &candidate) else { continue };
        lesson.id = LessonId::new(&format!("candidate-{}", candidate.id))?;
        untried.push((candidate, lesson));
    }
    let measured: Vec<_> =
        untried.iter().filter_map(|(_, lesson)| MeasuredLesson::of_user(context, lesson)).collect();
    if measured.is_empty() {
        return Ok(0);
    }
    let patterns = in_force::patterns(context);
    let shares = measure(context, &measured, &patterns)?;
    if shares.of.is_empty() {
        return Ok(0);
    }
    let share =
        |lesson: &Lesson| shares.of.iter().find(|(id, _)| id.id == lesson.id).map(|(_, share)| *share);
    let tried: Vec<Tried<'_>> =
        untried.iter().filter_map(|(candidate, lesson)| Some((candidate, lesson, share(lesson)?))).collect();
    let narrower = narrowing::narrower(context, &tried, &patterns)?;
    let mut marked = 0;
    for ((candidate, lesson, wide), narrower) in tried.iter().zip(narrower) {
        let (proposal, share) = match narrower {
            Some((proposal, share)) => {
                database.propose_instead(&candidate.id, &proposal)?;
                (proposal, share)
            }
            None => (candidate.finding.proposal.clone(), *wide),
        };
        if share.is_too_broad() {
            let (mark, proposal) = judged(candidate, lesson, share, proposal);
            marked += usize::from(database.mark_candidate(&candidate.id, &mark, &proposal)?);
        }
    }
    for (candidate, _) in &untried {
        database.note_tried(&candidate.id)?;
    }
    Ok(marked)
}

/// Whether a candidate says that calls fail, rather than that a person wants them otherwise.
fn is_about_failures(candidate: &Candidate) -> bool {
    Detector::named(&candidate.finding.source).is_none_or(Detector::sees_failures)
}

/// What is said of so many marked candidates, in a sentence without its full stop.
pub fn words(marked: usize) -> String {
    let candidates = counted(marked, "candidate");
    format!(
        "{candidates} would fire at more than one in {ONE_IN} of the calls that went well, and will come last"
    )
}

/// The mark of a candidate that is too broad, and what is proposed for it from now on. What a detector proposed for one
/// project becomes a lesson for the start of its sessions. Triggers that somebody wrote down stay, and so do those of a
/// lesson for every project, which would be told at the start of all sessions.
fn judged(candidate: &Candidate, lesson: &Lesson, share: CallShare, proposal: Proposal) -> (Doubt, Proposal) {
    let is_detected = Detector::named(&candidate.finding.source).is_some();
    let (meaning, proposal) = if is_detected && !lesson.scope.projects.is_empty() {
        let meaning =
            format!("had a trigger that {share}, so it is proposed for the start of a session instead");
        (meaning, Proposal::default())
    } else {
        (format!("{share}; give it a narrower trigger"), proposal)
    };
    (Doubt { name: FIRES_OFTEN.to_owned(), meaning }, proposal)
}

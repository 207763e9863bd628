//! The calls that went wrong, one by one, and whether a lesson in force fires at them: what [`crate::statistics::summary::Reach`] counts.

use std::path::PathBuf;

use lessons_index::Corrupt;
use lessons_replay::trial::TrialContext;

use super::calls::match_lessons;
use super::lessons::MeasuredLessons;
use super::session_files;

/// A call that failed for a reason that is not the answer of a test, or that the user refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongCall {
    /// The session.
    pub session: String,
    /// The id of the call, as the transcript names it.
    pub call: String,
    /// Whether a lesson would be told or would refuse it, at the call or beside its error, in a session that has just begun.
    pub is_reached: bool,
}

/// The calls below some folders that went wrong. Corrections, which a scan finds, are not known here.
pub fn wrong_calls(
    roots: &[PathBuf],
    lessons: &MeasuredLessons,
    context: &TrialContext<'_>,
) -> Result<Vec<WrongCall>, Corrupt> {
    let mut wrong = Vec::new();
    for found in session_files::find(roots, &mut Vec::new()) {
        let mut read = found.read(lessons.contents(), &[]);
        match_lessons(&mut read.contexts, lessons, &read.session.place(), context)?;
        let calls = read.contexts.iter().flat_map(|context| &context.calls);
        wrong.extend(calls.filter(|call| call.went_wrong()).map(|call| WrongCall {
            session: found.id.clone(),
            call: call.recorded.id.to_string(),
            is_reached: call.is_reached,
        }));
    }
    Ok(wrong)
}

//! What lessons do: sessions joined with what hooks did in them, and the summary of it.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use lessons_context::{Context, DAY, Error, Result, error};
use lessons_effect::join::joiner::{JoinReport, Joiner, Pace};
use lessons_effect::join::lessons::{MeasuredLessons, changed};
use lessons_effect::statistics::from_rows;
use lessons_effect::{Summary, episodes};
use lessons_ledger::{Database, events};
use lessons_lesson::{AcceptedSource, FileState, Lesson, QualifiedId, Status};
use lessons_publish::in_force;
use lessons_scanner::run::lock::ScanLock;
use lessons_scanner::run::report::Report;
use lessons_store::Accepted;
use lessons_text::counted;
use serde::Serialize;

use crate::lookup;
use crate::trials::{self, MachineFacts};

/// The most files that could not be read and are named.
const MOST_NAMED: usize = 3;

/// Joins the sessions that are due, on all cores, and sums everything up. Says too what kept sessions from being joined, in
/// sentences. `None` where no lesson is in force.
pub fn renewed(context: &Context) -> Result<Option<(Summary, Vec<String>)>> {
    let Some(lessons) = measured(context)? else { return Ok(None) };
    let mut database = Database::open(&context.home)?;
    let mut watch = |_, _| ControlFlow::Continue(());
    let problems = match join(context, &mut database, &lessons, Pace::Foreground, &mut watch) {
        Ok(Some(report)) => problems_of(&report),
        Ok(None) => vec!["a scan is running, so the newest sessions are missing".to_owned()],
        Err(error) => vec![format!("the newest sessions are missing: {}", error::sentence(&error))],
    };
    Ok(Some((summary(context, &database, &lessons)?, problems)))
}

/// The summary of what was joined so far. `None` where nothing was.
pub fn known(context: &Context) -> Result<Option<Summary>> {
    let Some(database) = Database::existing(&context.home)? else { return Ok(None) };
    if episodes::join_state(&database)?.is_none() {
        return Ok(None);
    }
    let Some(lessons) = measured(context)? else { return Ok(None) };
    summary(context, &database, &lessons).map(Some)
}

/// Joins what is due after a scan, in the background, up to a deadline: the client deletes transcripts after 30 days.
pub fn after_scan(context: &Context, scanned: &Report, deadline: Instant) -> Result<()> {
    let mut database = Database::open(&context.home)?;
    let state = episodes::join_state(&database)?;
    let is_due = scanned.files_read > 0
        || state.is_none_or(|(index, due)| index != index_state(context) || context.now_ms() >= due);
    if !is_due {
        return Ok(());
    }
    let Some(lessons) = measured(context)? else { return Ok(()) };
    let mut watch = |_, _| {
        if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    join(context, &mut database, &lessons, Pace::Background, &mut watch)?;
    Ok(())
}

/// A retired lesson whose mistake came again since.
#[derive(Debug, Serialize)]
pub struct CameBack {
    /// The lesson.
    pub id: QualifiedId,
    /// The sessions in which it did.
    pub sessions: u64,
}

impl fmt::Display for CameBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sessions, id) = (counted(self.sessions, "session"), &self.id.id);
        write!(f, "Retired, and came again in {sessions}: {id}. Next: lessons restore {id}")
    }
}

/// The retired lessons whose mistake came again in several sessions since.
pub fn came_back(context: &Context) -> Result<Vec<CameBack>> {
    let graph = Accepted::read(&context.home)?.graph;
    let mut retired = graph.lessons().filter(|lesson| lesson.status == Status::Deprecated).peekable();
    if retired.peek().is_none() {
        return Ok(Vec::new());
    }
    let Some(database) = Database::existing(&context.home)? else { return Ok(Vec::new()) };
    let mut came_back = Vec::new();
    for lesson in retired {
        let id = lesson.user_id();
        let since = changed(lesson).unwrap_or(0);
        let sessions = from_rows::came_again(&database, &id.to_string(), since, lesson.mode)?;
        came_back.extend((sessions >= from_rows::REPEATS_OF_RETIRED).then_some(CameBack { id, sessions }));
    }
    Ok(came_back)
}

/// The lessons that sessions are joined with, if any is in force.
fn measured(context: &Context) -> Result<Option<MeasuredLessons>> {
    let Some(index) = in_force::index(context)? else { return Ok(None) };
    // Where its project is not known on this machine, a retired lesson holds nowhere.
    let roots = |lesson: &Lesson| trials::roots(context, lesson).unwrap_or_else(|_| Some(Vec::new()));
    MeasuredLessons::of(index, &lookup::every_lesson(context)?, &roots).map(Some).map_err(Error::of)
}

/// Takes in events and joins what is due. `None` while a scan is running.
fn join(
    context: &Context,
    database: &mut Database,
    lessons: &MeasuredLessons,
    pace: Pace,
    watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<JoinReport>> {
    let Some(_lock) = ScanLock::take(&context.home)? else { return Ok(None) };
    let index = index_state(context);
    events::take_in(&context.home, database, context.now_ms())?;
    let machine = MachineFacts::of(context);
    let roots = lookup::transcript_folders(context, &[])?;
    let joiner = Joiner { roots: &roots, lessons, context: machine.context(), pace };
    let report = joiner.join(database, watch)?;
    // Without a session that becomes quiet, nothing is due before a scan finds something new, except to sum up.
    let next = if report.stopped { 0 } else { report.next.unwrap_or(context.now_ms() + DAY) };
    episodes::set_join_state(database, &index, next)?;
    Ok(Some(report))
}

fn summary(context: &Context, database: &Database, lessons: &MeasuredLessons) -> Result<Summary> {
    let promoted = lookup::promoted_candidates(context)?;
    Ok(Summary::of(database, lessons, &promoted, context.now_ms())?)
}

/// The state of the index on the disk: a build replaces it.
fn index_state(context: &Context) -> String {
    AcceptedSource::state_of(&context.home.index())
        .map(|FileState(length, written, inode)| format!("{length} {written} {inode}"))
        .unwrap_or_default()
}

/// What a join could not read, in sentences.
fn problems_of(report: &JoinReport) -> Vec<String> {
    let named = report.skipped.iter().take(MOST_NAMED);
    let mut problems: Vec<String> =
        named.map(|skipped| format!("skipped {}: {}", skipped.path, skipped.reason)).collect();
    if let more @ 1.. = report.skipped.len().saturating_sub(MOST_NAMED) {
        problems.push(format!("skipped {more} more"));
    }
    if report.lost_lines > 0 {
        problems.push(format!("{} of transcripts could not be read", counted(report.lost_lines, "line")));
    }
    problems
}

//! Checks of past activity: hook calls, scans and nightly runs.

use std::collections::HashSet;
use std::time::{Duration, UNIX_EPOCH};

use jiff::civil::Date;
use lessons_effect::statistics::answer::Finding;
use lessons_ledger::Database;
use lessons_lesson::{Layer, When};
use lessons_review::{effects, lookup, overridden};
use lessons_scanner::run::follow::single;
use lessons_scanner::transcript::walk;
use lessons_setup::machine;
use lessons_store::config::in_editor;
use lessons_store::night_reports;
use lessons_text::counted;

use crate::finding::FindingSeverity::{Note, Warning};
use crate::finding::{CheckResult, Examined, Findings};

/// The age in days from which a lesson that never fired is reported.
const QUIET_DAYS: i64 = 30;
/// The age since its last write from which an unread transcript is reported.
const SETTLED: Duration = Duration::from_hours(24);
/// The age in days from which the last scheduled night counts as missed.
const NIGHT_DAYS: i64 = 2;
/// The 95th percentile of hook latency from which hooks count as slow, in microseconds.
const FELT: u64 = 20_000;
/// The greatest age of events that count for hook latency, in milliseconds: a week.
const LATELY: u64 = 7 * 24 * 3600 * 1000;

pub(crate) fn check(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    if let Some(database) = &examined.database {
        scans(examined, database, found)?;
    }
    nights(examined, found)?;
    // The sessions which the lot left out differ from the others before anything could be told.
    if effects::known(examined.context)?.is_some_and(|known| known.answer.finding == Finding::Broken) {
        let message = "the measurement is broken: first calls fail more often in one half of the lot, before anything could be told, \
                       so nothing is said of lessons";
        found.add(Warning, "MEASUREMENT_BROKEN", message, "lessons measure off");
    }
    if let Some(database) = &examined.database {
        never_fired(examined, database, found)?;
        latency(examined, database, found)?;
    }
    for event in overridden::lately(examined.context) {
        let message = overridden::words(examined.context, &event);
        found.add(Warning, "BLOCK_OVERRIDDEN", message, "lessons log --fired");
    }
    Ok(())
}

/// Notes about the user's own lessons that have been in force for [`QUIET_DAYS`] and have never fired.
fn never_fired(examined: &Examined<'_>, database: &Database, found: &mut Findings) -> CheckResult<()> {
    let fired: HashSet<String> = database.lessons_in_events()?.into_iter().collect();
    let today = examined.context.now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let is_old = |created: &str| {
        let day = created.get(..10).and_then(|day| day.parse::<Date>().ok());
        day.is_some_and(|day| today.duration_since(day).as_hours() / 24 >= QUIET_DAYS)
    };
    for (id, lesson) in examined.in_force() {
        let is_own = id.layer == Layer::User && lesson.when == When::Tool;
        if is_own && is_old(&lesson.created_at) && !fired.contains(&id.to_string()) {
            let message = format!("{id} has not fired in more than {QUIET_DAYS} days");
            found.add(Note, "NEVER_FIRED", message, format!("lessons replay {id}"));
        }
    }
    Ok(())
}

/// A finding about hook latency, of calls at which a hook had something to say.
fn latency(examined: &Examined<'_>, database: &Database, found: &mut Findings) -> CheckResult<()> {
    let mut took = database.hook_times(examined.context.now_ms().saturating_sub(LATELY))?;
    took.sort_unstable();
    let at = |share: usize| took.get((took.len() * share / 100).min(took.len().saturating_sub(1)));
    let (Some(&median), Some(&p95)) = (at(50), at(95)) else { return Ok(()) };
    let ms = |us: u64| format!("{}.{} ms", us / 1000, us % 1000 / 100);
    let (calls, median, high) = (counted(took.len(), "call"), ms(median), ms(p95));
    let times = format!("hook latency at {calls} of the last week: median {median}, p95 {high}");
    if p95 > FELT {
        found.add(Warning, "HOOK_SLOW", times, "lessons build");
    } else {
        found.add(Note, "HOOK_TIMES", times, "lessons status");
    }
    Ok(())
}

/// Findings about transcript folders that are missing and transcripts that no scan has read.
fn scans(examined: &Examined<'_>, database: &Database, found: &mut Findings) -> CheckResult<()> {
    let context = examined.context;
    let folders = lookup::transcript_folders(context, &[])?;
    let (config, _) = context.settings()?;
    let (there, gone): (Vec<_>, Vec<_>) = folders.into_iter().partition(|folder| folder.is_dir());
    for folder in gone {
        let shown = folder.display();
        let (message, remedy) = if config.scan_roots.contains(&folder) {
            let message = format!("{shown} is configured as a transcript folder and does not exist");
            (message, in_editor(&context.home.config()))
        } else {
            let message = format!("there is no Claude Code session yet: the first one creates {shown}");
            (message, "claude".to_owned())
        };
        found.add(Note, "NO_SESSIONS", message, remedy);
    }
    let now = UNIX_EPOCH + Duration::from_millis(context.now_ms());
    let mut unread = 0;
    for file in walk::walk(&there).files() {
        let Ok(stands) = file.metadata() else { continue };
        let age = stands.modified().ok().and_then(|time| now.duration_since(time).ok());
        let is_settled = age.is_some_and(|age| age > SETTLED);
        let read = database.cursor(&file.to_string_lossy())?.map_or(0, |cursor| cursor.offset);
        unread += usize::from(is_settled && stands.len() > 0 && read == 0);
    }
    if unread > 0 {
        let message = format!("{} of past sessions not read yet", counted(unread, "transcript"));
        found.add(Warning, "SESSIONS_UNREAD", message, "lessons scan");
    }
    let follower = single::running(&context.home)?;
    if config.scan_follow && follower.is_none() {
        let message = "sessions are to be scanned while they run; that begins with the next session";
        found.add(Note, "NO_FOLLOWER", message, "lessons scan");
    }
    Ok(())
}

/// A finding if the nightly run is not scheduled or was missed.
fn nights(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    if !machine::is_scheduled()? {
        let message = "the nightly run is not scheduled: candidates pile up, and backups are made only when you run \
                       `lessons nightly`";
        found.add(Note, "NO_SCHEDULE", message, "lessons schedule install");
        return Ok(());
    }
    let day = night_reports::last(&examined.context.home)?.map(|report| report.day);
    let today = examined.context.local.day(examined.context.now_ms());
    match day.map(|day| today.duration_since(day).as_hours() / 24) {
        Some(..=NIGHT_DAYS) => {}
        Some(age) => {
            let message = format!("the nightly run is scheduled, and the last one was {age} days ago");
            found.add(Warning, "NIGHT_MISSED", message, "lessons nightly");
        }
        None => {
            let message = "the nightly run is scheduled, and there has been none yet";
            found.add(Note, "NO_NIGHT_YET", message, "lessons nightly");
        }
    }
    Ok(())
}

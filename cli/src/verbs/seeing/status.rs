//! `lessons` and `lessons status`: the state of everything in a few lines.

use lessons_decide::opening::opening;
use lessons_decide::{Advice, Event, Fresh, Outcome, Source, events};
use lessons_home::{Environment, ThisMachine, files};
use lessons_incident_check::check::IncidentChecker;
use lessons_ledger::recording::digest::ReadingSummary;
use lessons_lesson::{Layer, ProjectLocation, QualifiedId, protocol};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_recall::tokens;
use lessons_review::{effects, overridden, project_names};
use lessons_scanner::run::follow::single::{self, Running};
use lessons_store::{TrustedStore, Unaccepted, decisions::trust};

use crate::prelude::*;
use crate::ui::paint::Paint;
use crate::verbs::seeing::{list, log};

/// The most calls at which hooks spoke that are named.
const MOST_LAST: usize = 3;

/// What a session that begins here now is told at its start, and what that costs: in lines, and for programs. Nothing where
/// the index cannot be read, which is a problem of its own.
fn at_start(app: &App, index: Option<&LoadedIndex>, warning: &str) -> Answer {
    let place = ProjectLocation::known(project_names::roots_here().ok(), &ThisMachine);
    let told = |index: &LoadedIndex| {
        let (index, now) = (index.ask().ok()?, app.now_ms());
        opening(&index, Source::Startup, &place, &Advice::default(), now, &mut Fresh).ok()?
    };
    let told = index.and_then(|index| Some((told(index)?, index.settings().session_bytes)));
    let (told, allowed) = told.unwrap_or_default();
    let (lessons, left_out) = (told.lessons.len(), told.left_out);
    let bytes = told.text.len().saturating_sub(protocol::text().len() + 1);
    let tokens = tokens(&told.text);
    let mut lines = Vec::new();
    if lessons + left_out > 0 {
        let (lessons, tokens) = (counted(lessons, "lesson"), counted(tokens, "token"));
        lines.push(format!(
            "At the start of a session: {lessons}, {bytes} of {allowed} bytes; with the protocol about {tokens}"
        ));
    }
    if left_out > 0 {
        let lessons = counted(left_out, "session lesson");
        let have = if left_out == 1 { "has" } else { "have" };
        lines.push(format!(
            "{warning} {lessons} {have} no room: raise session.bytes in config.toml, at most 4096, or lower their \
             number"
        ));
    }
    let fields = json!({
        "lessons": lessons, "bytes": bytes, "allowed": allowed, "tokens": tokens, "leftOut": left_out,
    });
    Answer::new(lines, fields)
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let mut problems = Vec::new();
    let waiting = lookup::waiting_count(app).unwrap_or_else(|error| noted(&error, &mut problems));
    let follower = single::running(&app.home).unwrap_or_else(|error| noted(&error, &mut problems));
    let index = in_force::index(app)
        .unwrap_or_else(|why| noted(&format!("{why}; `lessons build` rebuilds it"), &mut problems));
    let not_accepted = building::differing(app).unwrap_or_else(|error| noted(&error, &mut problems));
    let notes = index.as_ref().and_then(|index| index.ask().ok()?.build_notes().ok());
    let lost = notes.iter().flat_map(|notes| &notes.lost_refusals);
    problems.extend(lost.map(|lost| format!("{} blocks nothing at present: {}", lost.id, lost.reason)));
    let warning = Paint::of_stdout().warning("Warning:");
    let mut lines: Vec<String> =
        problems.iter().map(|problem| format!("{warning} {}", line(problem))).collect();

    if Environment::of_process().names_folder() {
        let root = app.home.root().display().to_string();
        lines.push(format!("A variable names the data folder: {}", line(&root)));
    }
    let ids = index.as_ref().and_then(|index| index.ids().ok());
    let own = ids.iter().flatten().filter(|id| id.layer == Layer::User).count();
    let off = list::off_until(app);
    lines.push(match (&ids, &off) {
        (None, _) if !problems.is_empty() => "The hooks do nothing until that is fixed".to_owned(),
        (None, _) => "Nothing is compiled yet, so the hooks do nothing. Run `lessons build`".to_owned(),
        (Some(_), Some(until)) => format!("Switched off{until}. `lessons on all` switches it on"),
        (Some(all), None) => format!("{} in force, {own} of them your own", counted(all.len(), "lesson")),
    });
    let weakened = notes.as_ref().and_then(|notes| notes.weakened_since(0, &app.now_ms()));
    lines.extend(
        weakened.iter().map(|which| format!("Stops calls no more: {which}. `lessons log` shows the changes")),
    );
    let overridden = overridden::lately(app);
    if let [last, others @ ..] = overridden.as_slice() {
        let more = others.len();
        let more = if more > 0 { format!("; {more} more in a week") } else { String::new() };
        lines.push(format!("{warning} {}{more}. {}", overridden::words(app, last), overridden::HELP));
    }
    let not_in_force = index.as_ref().map(|it| lookup::lessons_not_in_force(app, it)).unwrap_or_default();
    lines.extend(out_of_force(&not_in_force, &not_accepted));
    let came_back = effects::came_back(app).unwrap_or_else(|error| noted(&error, &mut problems));
    lines.extend(came_back.iter().map(ToString::to_string));
    let (spoken, [told, refused, passed], latest) = today(app);
    lines.extend(spoken);
    let at_start = at_start(app, index.as_ref(), &warning);
    lines.extend(at_start.lines.iter().cloned());
    let incidents = IncidentChecker::of(app).map_or(0, |checker| checker.number());
    if incidents > 0 {
        lines.push(format!("{} remembered. `lessons incidents` lists them", counted(incidents, "incident")));
    }
    let readings = readings(app);
    let follow = app.settings().is_ok_and(|(config, _)| config.scan_follow);
    if let (number @ 1.., tokens, candidates) = readings {
        let (read, tokens) = (counted(number, "reading"), counted(tokens, "token"));
        let candidates = counted(candidates, "candidate");
        lines.push(format!("In 24 hours: {read} by a model, about {tokens}, {candidates}"));
    }
    lines.extend(in_background(app, follower.as_ref(), follow));
    let news = notes.map(|notes| notes.news).unwrap_or_default();
    if let Some(news) = news.first() {
        let summary = shortened(&line(&news.summary), 70);
        lines.push(format!("Newest: {} ({summary}), switched on by {}", news.id, line(&news.by)));
    }
    let project = project_here(app);
    if lookup::in_words(waiting).is_none() && project.is_none() {
        let nothing = "Nothing waits for you. `lessons scan` looks for mistakes, `lessons add` records one";
        lines.push(nothing.to_owned());
    }
    lines.extend(project);
    lines.extend(lookup::in_words(waiting));
    let fields = json!({
        "told": told,
        "refused": refused,
        "passed": passed,
        "waiting": waiting.unflagged,
        "flagged": waiting.flagged,
        "inForce": ids.as_ref().map(Vec::len),
        "own": own,
        "atStart": at_start,
        "off": off.is_some(),
        "news": news,
        "weakened": weakened,
        "overridden": overridden.iter().map(|event| json!({ "time": event.time, "lessons": event.lessons })).collect::<Vec<_>>(),
        "last": latest,
        "follower": follower,
        "follow": follow,
        "home": app.home.root().display().to_string(),
        "notInForce": not_in_force,
        "incidents": incidents,
        "readings": readings,
        "notAccepted": not_accepted,
        "cameBack": came_back,
        "problems": problems,
    });
    app.answer(&Answer::new(lines, fields))?;
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The word that the store of the project here waits for a decision.
fn project_here(app: &App) -> Option<String> {
    let roots = project_names::roots_here().ok()?;
    let approved = trust::trusted(&app.home).ok()?;
    let is_here = |it: &&TrustedStore| it.root == roots.root || Some(&it.root) == roots.main.as_ref();
    let approved = approved.iter().find(is_here);
    let found = trust::preview(&app.home, Path::new(&roots.root)).ok()?;
    let what = match approved {
        None => "brings lessons of its own, which are not in use",
        Some(approved) if approved.sha256 != found.sha256 => "has changed its lessons since you trusted them",
        Some(approved) if approved.settings != found.settings => {
            "has changed its settings for Lessons since you trusted it"
        }
        Some(_) => return None,
    };
    Some(format!("This project {what}. Next: lessons trust"))
}

/// What is recorded and does not act.
fn out_of_force(not_in_force: &[QualifiedId], not_accepted: &Unaccepted) -> Vec<String> {
    let mut lines = Vec::new();
    if !not_in_force.is_empty() {
        lines.push(format!(
            "Saved, not in force: {}. `lessons build` puts them into force or says why it cannot",
            first_of(not_in_force.iter().map(ToString::to_string).collect())
        ));
    }
    if !not_accepted.is_empty() {
        let Unaccepted { lessons, settings } = not_accepted;
        let lessons = lessons.iter().map(|(id, change)| format!("user/{id} ({change})"));
        let settings = settings.iter().map(|key| format!("{} (setting)", line(key)));
        lines.push(format!(
            "Changed outside of `lessons`, not accepted: {}. `lessons accept` shows and accepts them, \
             `lessons restore --store` restores lessons.json",
            first_of(lessons.chain(settings).collect())
        ));
    }
    lines
}

/// What hooks said today: in lines, in numbers (told, refused, passed), and the last events.
fn today(app: &App) -> (Vec<String>, [usize; 3], Vec<Event>) {
    let events = recent(app);
    let today = app.local.day_start(app.now_ms());
    let count = |outcome| events.iter().filter(|event| event.t >= today && event.outcome == outcome).count();
    let [told, refused, passed] = [Outcome::Told, Outcome::Refused, Outcome::Passed].map(count);
    let mut lines =
        vec![format!("Today: {}, {refused} blocked, {passed} allowed on retry", counted(told, "reminder"))];
    let has_spoken = |event: &&Event| {
        matches!(event.outcome, Outcome::Told | Outcome::Refused | Outcome::Passed) && !event.call.is_empty()
    };
    // The newest first.
    let latest: Vec<Event> = events.iter().rev().filter(has_spoken).take(MOST_LAST).cloned().collect();
    for event in &latest {
        let (time, what) = (app.local.time(event.t), log::in_words(event.outcome.name()));
        lines.push(format!("  {time}  {what}  {}", line(&event.lessons.join(", "))));
    }
    (lines, [told, refused, passed], latest)
}

/// What is read without being asked for.
fn in_background(app: &App, follower: Option<&Running>, follow: bool) -> Option<String> {
    let since = match follower {
        Some(Running { since, .. }) => format!("since {}", app.local.time(*since)),
        None if follow => "from the next session start on".to_owned(),
        None => return None,
    };
    Some(format!("Sessions are read while they run, {since}"))
}

/// Notes a problem. What could not be found out counts as nothing.
fn noted<T: Default>(problem: &impl ToString, problems: &mut Vec<String>) -> T {
    problems.push(problem.to_string());
    T::default()
}

/// The number of names, and the first three of them.
fn first_of(names: Vec<String>) -> String {
    let (all, more) = (names.len(), if names.len() > 3 { ", …" } else { "" });
    format!("{all} ({}{more})", names.into_iter().take(3).collect::<Vec<_>>().join(", "))
}

/// The readings of the last 24 hours. Where the database cannot be read, something else says so.
fn readings(app: &App) -> (usize, u64, u64) {
    let since = app.now_ms().saturating_sub(lessons_context::DAY);
    let database = app.database().ok();
    let read = database.and_then(|database| database.readings_since(since).ok()).unwrap_or_default();
    let sum = |of: fn(&ReadingSummary) -> u64| read.iter().map(of).sum();
    (read.len(), sum(|reading| reading.tokens), sum(|reading| reading.candidates))
}

/// The events of today and of two days before, oldest first. Their files are one for each day in UTC, and older ones are taken
/// into the database.
fn recent(app: &App) -> Vec<Event> {
    let files = [2, 1, 0].map(|days_ago| {
        let day = events::day(app.now_ms().saturating_sub(days_ago * lessons_context::DAY));
        let path = app.home.events().join(format!("{day}.jsonl"));
        files::read(&path, events::MAX_FILE * 2).ok().flatten().unwrap_or_default()
    });
    let lines = files.iter().flat_map(|bytes| bytes.split(|&byte| byte == b'\n'));
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

//! `lessons` and `lessons status`: the state of everything in a few lines.

use std::fmt;

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_decide::answer::Advice;
use lessons_decide::claims::Fresh;
use lessons_decide::events::{self, Event, Outcome};
use lessons_decide::opening::{Source, opening};
use lessons_home::files;
use lessons_home::machine::ThisMachine;
use lessons_incident_check::check::IncidentChecker;
use lessons_ledger::database::Database;
use lessons_ledger::digest::ReadingSummary;
use lessons_lesson::compiled::News;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::project::{ProjectLocation, find_roots};
use lessons_lesson::protocol;
use lessons_lesson::waiting::WaitingCount;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_publish::{building, in_force};
use lessons_recall::tokens;
use lessons_review::{lookup, waiting};
use lessons_scanner::run::follow::single::{self, Running};
use lessons_store::accepted::Unaccepted;
use lessons_store::config::Following;
use lessons_text::wording::counted;
use lessons_text::{neutral, path};
use serde::Serialize;

use crate::app::App;
use crate::ui::local_time::LocalTime;
use crate::ui::paint::Paint;
use crate::verbs::seeing::fired;

/// A day, in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;
/// The most calls at which hooks spoke that are named.
const MOST_LAST: usize = 3;

/// The answer: the state.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    /// The number of calls today with a reminder.
    told: usize,
    /// The number of calls that were blocked today.
    refused: usize,
    /// The number of blocked calls that passed when they were repeated today.
    passed: usize,
    /// The number of waiting candidates without a flag.
    waiting: usize,
    /// The number of waiting candidates with a flag.
    flagged: usize,
    /// The number of lessons in force; `None` before the first build.
    in_force: Option<usize>,
    /// The number of them that are the user's own.
    own: usize,
    /// What every session here is told at its start besides the protocol.
    at_start: AtStart,
    /// Whether everything is switched off.
    off: bool,
    /// Lessons that came into force lately.
    news: Vec<News>,
    /// The lessons that stopped calls until somebody weakened them, in words.
    weakened: Option<String>,
    /// What hooks told or stopped last, newest first: at most three.
    last: Vec<Event>,
    /// The running follower.
    follower: Option<Running>,
    /// Whether the settings ask for a follower.
    follow: bool,
    /// The data folder.
    home: String,
    /// The user's lessons that are active and wanted, and not in force.
    not_in_force: Vec<QualifiedId>,
    /// The number of active incidents.
    incidents: usize,
    /// The readings of the last 24 hours: their number, tokens and candidates.
    readings: (usize, u64, u64),
    /// Changes made by other means that are not accepted.
    not_accepted: Unaccepted,
    /// Corrupt or unreadable files.
    problems: Vec<String>,
    #[serde(skip)]
    paint: Paint,
    #[serde(skip)]
    local: LocalTime,
}

/// The lessons that a session is told at its start.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct AtStart {
    lessons: usize,
    /// The bytes of their text.
    bytes: usize,
    /// The most bytes of it: the setting `session.bytes`.
    allowed: usize,
    /// Their text and the protocol, in tokens of four characters.
    tokens: usize,
    /// The lessons that there is no room for.
    left_out: usize,
}

impl AtStart {
    /// What a session that begins here now is told. Nothing where the index cannot be read, which is a problem of its own.
    fn here(app: &App, index: &LoadedIndex) -> Self {
        let roots = std::env::current_dir()
            .ok()
            .map(|here| find_roots(&path::lexical(&here.to_string_lossy()), &ThisMachine));
        let place = ProjectLocation::known(roots, &ThisMachine);
        let told = index.ask().and_then(|index| {
            opening(&index, Source::Startup, &place, &Advice::default(), app.now_ms(), &mut Fresh)
        });
        told.ok().flatten().map_or_else(Self::default, |told| Self {
            lessons: told.lessons.len(),
            bytes: told.text.len().saturating_sub(protocol::text().len() + 1),
            allowed: index.settings().session_bytes,
            tokens: tokens(&told.text),
            left_out: told.left_out,
        })
    }
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let events = recent(app);
    let today = app.ui.local.day_start(app.now_ms());
    let count = |outcome| events.iter().filter(|event| event.t >= today && event.outcome == outcome).count();
    let mut problems = Vec::new();
    let waiting = lookup::waiting_candidates(app).unwrap_or_else(|error| {
        problems.push(error.to_string());
        Vec::new()
    });
    let follower = single::running(&app.home).unwrap_or_else(|error| {
        problems.push(error.to_string());
        None
    });
    let flagged = waiting.iter().filter(|candidate| !candidate.finding.flags.is_empty()).count();
    let index = in_force::index(app).unwrap_or_else(|why| {
        problems.push(format!("{why}; `lessons build` rebuilds it"));
        None
    });
    let not_accepted = building::differing(app).unwrap_or_else(|error| {
        problems.push(error.to_string());
        Unaccepted::default()
    });
    let notes = index.as_ref().and_then(|index| index.ask().ok()?.build_notes().ok());
    problems.extend(
        notes
            .iter()
            .flat_map(|notes| &notes.lost_refusals)
            .map(|lost| format!("{} blocks nothing at present: {}", lost.id, lost.reason)),
    );
    let ids = index.as_ref().and_then(|index| index.ids().ok());
    let own = |ids: &Vec<QualifiedId>| ids.iter().filter(|id| id.layer == Layer::User).count();
    let status = Status {
        told: count(Outcome::Told),
        refused: count(Outcome::Refused),
        passed: count(Outcome::Passed),
        waiting: waiting.len() - flagged,
        flagged,
        own: ids.as_ref().map_or(0, own),
        in_force: ids.as_ref().map(Vec::len),
        not_in_force: index
            .as_ref()
            .map(|index| lookup::lessons_not_in_force(app, index))
            .unwrap_or_default(),
        incidents: IncidentChecker::of(app).map_or(0, |checker| checker.number()),
        readings: readings(app),
        not_accepted,
        at_start: index.as_ref().map(|index| AtStart::here(app, index)).unwrap_or_default(),
        off: index
            .as_ref()
            .is_some_and(|index| !lessons_decide::answer::in_force(index.settings(), &app.now_ms())),
        weakened: notes.as_ref().and_then(|notes| notes.weakened_since(0, &app.now_ms())),
        last: last(&events),
        news: notes.map(|notes| notes.news).unwrap_or_default(),
        follower,
        follow: app.settings().is_ok_and(|(config, _)| config.scan_follow == Following::WhileTheyRun),
        home: app.home.root().display().to_string(),
        problems,
        paint: Paint::of_stdout(),
        local: app.ui.local.clone(),
    };
    app.answer(&status)?;
    Ok(if status.problems.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The readings of the last 24 hours. Where the database cannot be read, something else says so.
fn readings(app: &App) -> (usize, u64, u64) {
    let since = app.now_ms().saturating_sub(DAY);
    let read =
        Database::open(&app.home).and_then(|database| database.readings_since(since)).unwrap_or_default();
    let sum = |of: fn(&ReadingSummary) -> u64| read.iter().map(of).sum();
    (read.len(), sum(|reading| reading.tokens), sum(|reading| reading.candidates))
}

/// The events of today and of two days before, oldest first. Their files are one for each day in UTC, and older ones are taken
/// into the database.
fn recent(app: &App) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    for days_ago in [2, 1, 0] {
        let day = events::day(app.now_ms().saturating_sub(days_ago * DAY));
        let path = app.home.events().join(format!("{day}.jsonl"));
        let bytes = files::read(&path, events::MAX_FILE * 2).ok().flatten().unwrap_or_default();
        all.extend(
            bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice::<Event>(line).ok()),
        );
    }
    all
}

/// The last of the events at calls, newest first.
fn last(events: &[Event]) -> Vec<Event> {
    let has_spoken = |event: &&Event| {
        matches!(event.outcome, Outcome::Told | Outcome::Refused | Outcome::Passed) && !event.call.is_empty()
    };
    events.iter().rev().filter(has_spoken).take(MOST_LAST).cloned().collect()
}

impl Status {
    /// What every session costs at its start.
    fn at_start(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AtStart { lessons, bytes, allowed, tokens, left_out } = self.at_start;
        if lessons + left_out == 0 {
            return Ok(());
        }
        writeln!(
            f,
            "At the start of a session: {}, {bytes} of {allowed} bytes; with the protocol about {}",
            counted(lessons, "lesson"),
            counted(tokens, "token")
        )?;
        if left_out > 0 {
            let lessons = counted(left_out, "session lesson");
            let more = if left_out == 1 { "has" } else { "have" };
            writeln!(
                f,
                "{} {lessons} {more} no room: raise session.bytes in config.toml, at most 4096, or lower their number",
                self.paint.warning("Warning:")
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{} {}", self.paint.warning("Warning:"), neutral::line(problem))?;
        }
        match self.in_force {
            None if !self.problems.is_empty() => writeln!(f, "The hooks do nothing until that is fixed")?,
            None => writeln!(f, "Nothing is compiled yet, so the hooks do nothing. Run `lessons build`")?,
            Some(_) if self.off => writeln!(f, "Switched off. `lessons on all` switches it on")?,
            Some(all) => writeln!(f, "{} in force, {} of them your own", counted(all, "lesson"), self.own)?,
        }
        if let Some(which) = &self.weakened {
            writeln!(f, "Stops calls no more: {which}. `lessons log` shows the changes")?;
        }
        if !self.not_in_force.is_empty() {
            let ids: Vec<_> = self.not_in_force.iter().take(3).map(ToString::to_string).collect();
            let more = if self.not_in_force.len() > 3 { ", …" } else { "" };
            writeln!(
                f,
                "Saved, not in force: {} ({}{more}). `lessons build` puts them into force or says why it cannot",
                self.not_in_force.len(),
                ids.join(", ")
            )?;
        }
        if !self.not_accepted.is_empty() {
            let Unaccepted { lessons, settings } = &self.not_accepted;
            let lessons = lessons.iter().map(|(id, change)| format!("user/{id} ({change})"));
            let settings = settings.iter().map(|key| format!("{} (setting)", neutral::line(key)));
            let all: Vec<_> = lessons.chain(settings).collect();
            let named = all.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            let more = if all.len() > 3 { ", …" } else { "" };
            writeln!(
                f,
                "Changed outside of `lessons`, not accepted: {} ({named}{more}). `lessons accept` shows and accepts them, \
                 `lessons restore --store` restores lessons.json",
                all.len()
            )?;
        }
        writeln!(
            f,
            "Today: {}, {} blocked, {} allowed on retry",
            counted(self.told, "reminder"),
            self.refused,
            self.passed
        )?;
        for event in &self.last {
            let (time, what) = (self.local.time(event.t), fired::in_words(event.outcome.as_str()));
            writeln!(f, "  {time}  {what}  {}", neutral::line(&event.lessons.join(", ")))?;
        }
        self.at_start(f)?;
        if self.incidents > 0 {
            writeln!(
                f,
                "{} remembered. `lessons incidents` lists them",
                counted(self.incidents, "incident")
            )?;
        }
        let (readings, tokens, candidates) = self.readings;
        if readings > 0 {
            let (read, tokens) = (counted(readings, "reading"), counted(tokens, "token"));
            writeln!(
                f,
                "In 24 hours: {read} by a model, about {tokens}, {}",
                counted(candidates, "candidate")
            )?;
        }
        match (&self.follower, self.follow) {
            (Some(Running { since, .. }), _) => {
                writeln!(f, "Sessions are read while they run, since {}", self.local.time(*since))?;
            }
            (None, true) => writeln!(f, "Sessions are read while they run, from the next session start on")?,
            (None, false) => {}
        }
        if let Some(news) = self.news.first() {
            let summary = neutral::shortened(&neutral::line(&news.summary), 70);
            writeln!(f, "Newest: {} ({summary}), switched on by {}", news.id, neutral::line(&news.by))?;
        }
        match waiting::in_words(WaitingCount { unflagged: self.waiting, flagged: self.flagged }) {
            Some(waiting) => f.write_str(&waiting),
            None => f.write_str(
                "Nothing waits for you. `lessons scan` looks for mistakes, `lessons add` records one",
            ),
        }
    }
}

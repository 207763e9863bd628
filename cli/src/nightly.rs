//! The nightly run: take in events, scan, archive old candidates, back up, build, check, report.
//!
//! A failing step is reported and does not stop the others. No person is present, so the build takes only what a
//! person has accepted.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant, SystemTime};

use jiff::tz::TimeZone;
use lessons_context::{Actor, Authority, Context, DAY, LocalTime};
use lessons_decide::claims;
use lessons_home::files;
use lessons_incident_check::{check, memory, record};
use lessons_ledger::incidents::IncidentDay;
use lessons_ledger::{Counts, backup};
use lessons_lesson::WaitingCount;
use lessons_review::{effects, overridden, reflection, too_broad};
use lessons_sharing::receiving;
use lessons_store::{durable, load, night_reports};
use serde::Serialize;

use crate::prelude::*;
use crate::verbs::keeping::scan;
use crate::verbs::seeing::report;

/// A candidate that nobody touched for this many days is archived.
pub const UNTOUCHED_DAYS: u64 = 90;
/// The most lessons that the report names as the most active.
const BUSIEST: u32 = 5;
/// The longest time that joining sessions with what hooks did may take. The next run goes on there.
const JOINING: Duration = Duration::from_mins(10);

/// The result of one nightly run.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Night {
    /// The start of the run, in RFC 3339.
    pub at: String,
    /// The zone in which a person reads that.
    #[serde(skip)]
    pub local: LocalTime,
    /// The events of the 24 hours before.
    pub day: Counts,
    /// The lessons that were shown or that blocked most often in that time, with their counts.
    pub busiest: Vec<(String, usize)>,
    /// The steps in their order.
    pub steps: Vec<NightlyStep>,
    /// Problems that a person should look at.
    #[serde(rename = "look")]
    pub warnings: Vec<String>,
    /// The number of waiting candidates without a flag.
    pub waiting: usize,
    /// The number of waiting candidates with a flag.
    pub flagged: usize,
}

/// One step of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NightlyStep {
    /// The step's name.
    pub name: &'static str,
    /// The step's result, in a sentence.
    pub said: String,
}

/// Runs every step and writes the report. `now` is compared with modification times of files.
pub fn run(app: &App, now: SystemTime) -> Result<Night> {
    let context =
        Context { actor: Actor::Background, authority: Authority::Background, ..app.context.clone() };
    let app = &app.within(context);
    let mut night = Night { at: app.now.to_string(), local: app.local.clone(), ..Night::default() };
    let received = receiving::receive_standing(app).map(|receipt| receipt.map(|it| it.counts()));
    night.step_if_any("Received", received.map_err(Into::into));
    night.step("Scanned", scan(app));
    let seen = incidents(app, &mut night.warnings);
    night.step_if_any("Incidents", seen);
    let marked = too_broad::mark(app).map(|marked| (marked > 0).then(|| too_broad::words(marked)));
    night.step_if_any("Tried", marked.map_err(Into::into));
    let read = reflection::night::readings(app, &mut night.warnings);
    night.step_if_any("Read", read.map_err(Into::into));
    night.step("Rejected", put_away(app));
    night.step("Backed up", back_up(app));
    let built = build(app, &mut night.warnings);
    night.step("Built", built);
    night.step("Checked", check(app));
    claims::sweep(&app.home.sessions(), now);
    if let Err(error) = night.count(app) {
        night.note(&error.to_string());
    }
    if let Err(error) = report::keep_known(app) {
        night.note(&messages::sentence(&error));
    }
    night_reports::keep(&app.home, app.local.day(app.now_ms()), &night.to_string())?;
    Ok(night)
}

impl Night {
    fn step(&mut self, name: &'static str, done: Result<String>) {
        let said = done.unwrap_or_else(|error| {
            self.note(&messages::sentence(&error));
            "failed, see above".to_owned()
        });
        let lines: Vec<String> = said.trim_end().lines().map(line).collect();
        self.steps.push(NightlyStep { name, said: lines.join("\n") });
    }

    /// A step that is named only where it had something to do.
    fn step_if_any(&mut self, name: &'static str, done: Result<Option<String>>) {
        if let Some(done) = done.transpose() {
            self.step(name, done);
        }
    }

    /// Adds a problem, once.
    fn note(&mut self, text: &str) {
        let text = line(text);
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }

    /// Counts events and waiting candidates, after everything was taken in.
    fn count(&mut self, app: &App) -> Result<()> {
        let (from, to) = (app.now_ms().saturating_sub(DAY), app.now_ms());
        let database = app.database()?;
        self.day = database.event_counts(from, to)?;
        self.busiest = database.busiest_lessons(from, to, BUSIEST)?;
        let WaitingCount { unflagged, flagged } = lookup::waiting_count(app)?;
        (self.waiting, self.flagged) = (unflagged, flagged);
        Ok(())
    }
}

fn scan(app: &App) -> Result<String> {
    let Some(report) = scan::read_all(app, &[], &mut |_| ControlFlow::Continue(()))? else {
        return Ok("another scan was running, and does the same".into());
    };
    overridden::note(app)?;
    let joined = effects::after_scan(app, &report, Instant::now() + JOINING);
    let problem = joined.err().map(|error| format!("Effects not renewed: {}.", messages::sentence(&error)));
    Ok(format!("{report}{}", problem.unwrap_or_default()))
}

fn put_away(app: &App) -> Result<String> {
    let before = app.now_ms().saturating_sub(UNTOUCHED_DAYS * DAY);
    let reason = format!("nobody touched it for {UNTOUCHED_DAYS} days");
    let promoted = lookup::promoted_candidates(app)?;
    let ids = app.database()?.archive_untouched(before, &reason, &promoted, &app.deed("put away"))?;
    Ok(match ids.first() {
        None => format!("nothing; no candidate has waited for {UNTOUCHED_DAYS} days"),
        Some(first) => format!(
            "{} that waited for {UNTOUCHED_DAYS} days. `lessons candidates --all` shows them, \
             `lessons restore {first}` brings one back",
            counted(ids.len(), "candidate")
        ),
    })
}

fn back_up(app: &App) -> Result<String> {
    // The lock keeps the store unchanged between its own copy and the database's.
    let _lock = app.lock()?;
    let database = app.database()?;
    let day = app.now.to_zoned(TimeZone::UTC).date();
    let taken = backup::take(&app.home, &database, day)?;
    let what = if taken.store.is_some() { "store and database" } else { "database (there is no store yet)" };
    Ok(format!("{what}, opened and found sound. {} kept", counted(taken.nights, "night")))
}

fn build(app: &App, warnings: &mut Vec<String>) -> Result<String> {
    let outcome = building::build(app)?;
    warnings.extend(outcome.report.findings().map(|noted| line(&format!("{}: {}", noted.id, noted.reason))));
    // Mostly a step before this one has reported it already.
    let unreadable = outcome.unreadable.iter().map(|why| line(why));
    let unsaid: Vec<_> = unreadable.filter(|why| !warnings.contains(why)).collect();
    warnings.extend(unsaid);
    let problems = outcome.problems.iter().filter(|problem| problem.is_error()).map(ToString::to_string);
    warnings.extend(problems.chain(outcome.settings).map(|it| line(&it)));
    Ok(outcome.report.to_string())
}

/// Checks that the files on disk are usable by hooks and people.
fn check(app: &App) -> Result<String> {
    if let Some(unsound) = app.database()?.unsound()? {
        anyhow::bail!(
            "{} is damaged: {unsound}. Put last night's copy in its place: it is in {}",
            app.home.database().display(),
            app.home.backups().display()
        );
    }
    load::lessons(&app.home)?;
    in_force::index(app)?;
    files::ensure_folder(&app.home.reports())?;
    durable::sweep(&app.home.reports())?;
    Ok("store, database and index are sound".into())
}

/// The most problems that a report lists, and the most lines of one step.
const LINES: usize = 10;

impl fmt::Display for Night {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![format!("# Lessons, the night of {}\n", self.local.time_of_text(&self.at))];
        lines.push(match self.warnings.len() {
            0 => "Nothing needs your attention.".to_owned(),
            1 => "1 thing needs your attention:".to_owned(),
            many => format!("{many} things need your attention:"),
        });
        lines.extend(self.warnings.iter().take(LINES).map(|line| format!("- {line}")));
        let more = self.warnings.len().saturating_sub(LINES);
        lines.extend((more > 0).then(|| format!("- and {more} more")));
        let Counts { told, refused, passed, .. } = self.day;
        let reminders = counted(told, "reminder");
        lines.push(format!(
            "\n## The 24 hours before\n{reminders}, {refused} blocked, {passed} allowed on retry."
        ));
        let busiest = self.busiest.iter();
        lines.extend(busiest.map(|(lesson, times)| format!("{}: {lesson}", counted(*times, "time"))));
        lines.push("\n## Done".to_owned());
        for NightlyStep { name, said } in &self.steps {
            let mut said = said.lines();
            lines.push(format!("{name}: {}", said.next().unwrap_or_default()));
            lines.extend(said.take(LINES).map(|line| format!("  {line}")));
        }
        let waiting = lookup::in_words(WaitingCount { unflagged: self.waiting, flagged: self.flagged });
        let waiting = waiting.as_deref().unwrap_or("Nothing waits for you.");
        writeln!(f, "{}\n\n{waiting}", lines.join("\n"))
    }
}

/// Does the nightly work.
pub(crate) fn told(app: &App) -> Result<Exit> {
    let night = run(app, SystemTime::now())?;
    app.recorded(&night)?;
    Ok(if night.warnings.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The number of days before, of which the mean is taken.
const DAYS: u64 = 14;
/// A day stands out if its number is more than so many times the mean, and at least [`FEWEST`].
const TIMES: u64 = 3;
const FEWEST: u64 = 3;

/// Publishes what the scan found, and returns the counts of the day in a sentence. Days that stand out, and files with
/// instructions for the agent that are like an incident, become warnings. `None` where there is nothing to say.
fn incidents(app: &App, warnings: &mut Vec<String>) -> Result<Option<String>> {
    if !check::settings(app).enabled {
        return Ok(None);
    }
    let database = app.database()?;
    record::publish(app, &app.lock()?, &database)?;
    record::publish_notices(app);
    warnings.extend(memory::look_at_all(app)?.iter().map(|held| line(&held.words())));
    let today = IncidentDay::of(app.now_ms());
    let days = database.incident_days(today.saturating_sub(DAYS))?;
    warnings.extend(standing_out(&days, today));
    let of_today = || days.iter().filter(|day| day.day == today);
    let seen: u64 = of_today().map(|day| day.seen).sum();
    let left_out: u64 = of_today().map(|day| day.left_out).sum();
    let excess =
        if left_out > 0 { format!(", {left_out} of them left out: too many at once") } else { String::new() };
    Ok((seen > 0)
        .then(|| format!("{} today{excess}. `lessons incidents` lists them", counted(seen, "incident"))))
}

/// The sources and types whose number of today is far above the mean of the days before, in sentences.
fn standing_out(days: &[IncidentDay], today: u64) -> Vec<String> {
    let mut numbers: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for day in days {
        for key in [("source", day.source.as_str()), ("type", day.incident_type.as_str())] {
            let (now, before) = numbers.entry(key).or_default();
            *if day.day == today { now } else { before } += day.seen;
        }
    }
    // `before` is a sum of so many days, so both sides are multiplied by their number.
    numbers.retain(|_, (now, before)| *now >= FEWEST && *now * DAYS > *before * TIMES);
    let sentence = |((noun, name), (now, before)): ((&str, &str), (u64, u64))| {
        #[allow(clippy::cast_precision_loss, reason = "the numbers are those of a few days")]
        let mean = before as f64 / DAYS as f64;
        let (now, name) = (counted(now, "incident"), line(name));
        format!("{now} of {noun} {name} today, against {mean:.1} a day before")
    };
    numbers.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn night() -> Night {
        Night {
            at: "2026-11-21T03:30:00Z".to_owned(),
            local: LocalTime::of(TimeZone::UTC),
            ..Night::default()
        }
    }

    #[test]
    fn a_step_that_fails_is_something_to_look_at_and_said_once() {
        let mut night = night();
        night.step("Scanned", Ok("Read 1 kB.\n".into()));
        assert_eq!(night.warnings, [""; 0]);
        for _ in 0..2 {
            night.step("Built", Err(anyhow::anyhow!("no\u{1b}[2J room")));
        }
        assert_eq!(night.warnings, ["no[2J room"]);
        assert_eq!(night.steps[0].said, "Read 1 kB.");
    }

    #[test]
    fn the_report_is_one_page() {
        let mut night = night();
        night.day = Counts { told: 12, refused: 3, passed: 1 };
        night.busiest = vec![("user/git-stash".into(), 9), ("seed/rm-rf".into(), 2)];
        night.step("Scanned", Ok("Read 1.2 MB in 12 transcripts: 1 new candidate, 0 seen again.".into()));
        night.warnings = (0..40).map(|n| format!("user/lesson-{n}: it has no trigger that works")).collect();
        night.waiting = 4;
        night.flagged = 1;
        insta::assert_snapshot!(night, @r"
        # Lessons, the night of 2026-11-21 03:30 UTC

        40 things need your attention:
        - user/lesson-0: it has no trigger that works
        - user/lesson-1: it has no trigger that works
        - user/lesson-2: it has no trigger that works
        - user/lesson-3: it has no trigger that works
        - user/lesson-4: it has no trigger that works
        - user/lesson-5: it has no trigger that works
        - user/lesson-6: it has no trigger that works
        - user/lesson-7: it has no trigger that works
        - user/lesson-8: it has no trigger that works
        - user/lesson-9: it has no trigger that works
        - and 30 more

        ## The 24 hours before
        12 reminders, 3 blocked, 1 allowed on retry.
        9 times: user/git-stash
        2 times: seed/rm-rf

        ## Done
        Scanned: Read 1.2 MB in 12 transcripts: 1 new candidate, 0 seen again.

        5 candidates wait for your decision, 1 of them flagged. Next: lessons candidates
        ");
    }

    #[test]
    fn a_quiet_night_says_so() {
        insta::assert_snapshot!(night(), @r"
        # Lessons, the night of 2026-11-21 03:30 UTC

        Nothing needs your attention.

        ## The 24 hours before
        0 reminders, 0 blocked, 0 allowed on retry.

        ## Done

        Nothing waits for you.
        ");
    }

    fn day(day: u64, source: &str, seen: u64) -> IncidentDay {
        let incident_type = "injection_blocked".to_owned();
        IncidentDay { day, incident_type, source: source.to_owned(), seen, left_out: 0 }
    }

    #[test]
    fn a_day_stands_out_above_three_times_the_mean_and_with_at_least_three() {
        let text = |days: &[IncidentDay]| standing_out(days, 20);
        assert_eq!(text(&[day(20, "a.example", 2)]), [] as [&str; 0]);
        assert_eq!(
            text(&[day(20, "a.example", 3)]),
            [
                "3 incidents of source a.example today, against 0.0 a day before",
                "3 incidents of type injection_blocked today, against 0.0 a day before"
            ]
        );
        let steady: Vec<_> = (6..20).map(|n| day(n, "a.example", 1)).collect();
        assert_eq!(
            text(&[&steady[..], &[day(20, "a.example", 3)]].concat()),
            [] as [&str; 0],
            "three times is not above"
        );
        assert_eq!(text(&[&steady[..], &[day(20, "a.example", 4)]].concat()).len(), 2);
    }
}

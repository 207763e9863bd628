//! What a year of sessions costs the join: `cargo run --profile commands --package lessons-effect --example year -- [SESSIONS]`
//!
//! Writes 5,000 sessions with a known rate of repeats to a scratch folder, scans and joins them, and prints the rate that is
//! given back and the processor time of both. Then, as the client deletes transcripts after 30 days, a day of new sessions
//! beside those of the last month, with the rows of the year in the database and with those of the month alone. Times are
//! those of the processor, so other work of the machine does not count.
#![allow(clippy::print_stdout, reason = "it is a program for people")]
#![allow(clippy::disallowed_methods, reason = "what it writes is measured, not kept")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use lessons_decide::claims::session_hash;
use lessons_decide::events::{Event, Outcome};
use lessons_effect::episodes::{self, Arm};
use lessons_effect::join::joiner::{Joiner, Pace};
use lessons_effect::join::lessons::MeasuredLessons;
use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::events;
use lessons_lesson::id::{Layer, LessonId, TopicId};
use lessons_lesson::lesson::Lesson;
use lessons_manifest_builder::compile::{self, Input};
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::{index, seeds};
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_replay::trial::TrialContext;
use lessons_scanner::run::scan::{self, ScanOptions};
use lessons_scanner::transcript::timestamp::Timestamp;
use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The sessions of a year, unless told otherwise.
const SESSIONS: usize = 5_000;
/// The sessions of a day.
const DAILY: usize = 14;
/// The days that are measured.
const DAYS: usize = 5;
/// The calls of a session that have to do with no lesson, and the length of a result.
const CALLS: usize = 20;
const RESULT: usize = 2_000;
/// 2026-01-01.
const START: u64 = 1_767_225_600_000;
const DAY: u64 = 24 * 3600 * 1000;
const YEAR: u64 = 360 * DAY;

fn main() -> Result<()> {
    let sessions = std::env::args().nth(1).map_or(Ok(SESSIONS), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let lessons = lessons()?;
    let mut year = Machine::new(&folder.path().join("year"))?;
    let expected = year.write(0, sessions, YEAR)?;
    let now = START + YEAR + DAY;
    let scanned = year.scan(now)?;
    let joined = year.join(&lessons, now)?;
    let found = year.rates()?;
    for (arm, (again, all)) in &expected {
        let (found_again, found_all) = found.get(arm).copied().unwrap_or_default();
        println!("{arm:?}: again in {again} of {all} sessions; counted: {found_again} of {found_all}");
    }
    let rows = episodes::all(&year.database)?.len();
    println!(
        "{sessions} sessions, {rows} rows: scan {scanned:.2} s, join {joined:.2} s of processor time, {:.2} of the scan",
        joined / scanned
    );
    let mut month = Machine::new(&folder.path().join("month"))?;
    year.keep_a_month(&month)?;
    month.scan(now)?;
    month.join(&lessons, now)?;
    let of_month = episodes::all(&month.database)?.len();
    let mut added = Vec::new();
    for day in 0..DAYS {
        let now = now + DAY * (day as u64 + 1);
        for machine in [&year, &month] {
            machine.write(sessions + day * DAILY, DAILY, now - START - DAY / 2)?;
        }
        let scan = year.scan(now)?;
        let with_year = year.join(&lessons, now)?;
        month.scan(now)?;
        let with_month = month.join(&lessons, now)?;
        println!(
            "a day of {DAILY} sessions: scan {:.1} ms, join {:.1} ms with the rows of the year, {:.1} ms with {of_month} rows",
            scan * 1000.0,
            with_year * 1000.0,
            with_month * 1000.0
        );
        added.push(with_year - with_month);
    }
    added.sort_by(f64::total_cmp);
    let added = added[DAYS / 2];
    println!(
        "the older rows add {:.1} ms to a join (median), {:.2} % of a scan of the year",
        added * 1000.0,
        added / scanned * 100.0
    );
    assert_eq!(found, expected, "the rate is not given back");
    Ok(())
}

/// The processor time of something, in seconds.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let now = || clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from);
    let start = now()?;
    let done = work()?;
    Ok((done, now()?.saturating_sub(start).as_secs_f64()))
}

/// Two lessons, each on a command of its own, among the built-in ones.
fn lessons() -> Result<MeasuredLessons> {
    let own = ["push", "pull"].map(|verb| -> Result<Lesson> {
        let (id, topic) = (LessonId::new(verb)?, TopicId::new("frob")?);
        let on = |pattern: &str| Trigger::new(TriggerKind::CommandPattern, pattern);
        let mut lesson = Lesson::new(id, format!("Use frob {verb} --safe."), topic, "2026-01-01");
        lesson.triggers = vec![on(&format!(r"\bfrob\s+{verb}\b"))];
        lesson.unless = vec![on("--safe")];
        Ok(lesson)
    });
    let own = own.into_iter().collect::<Result<Vec<_>>>()?;
    let seeds = seeds::lessons();
    let patterns = Patterns::default();
    let layers = vec![LayerInput::of(Layer::User, &own), LayerInput::of(Layer::Seed, &seeds)];
    let roots_of = |key: &str| vec![key.to_owned()];
    let built = compile::compile(&Input { roots_of: &roots_of, ..Input::of_layers(layers, &patterns) });
    Ok(MeasuredLessons::of(index::in_memory(&built.manifest, &patterns)?, &[], &|_| None)?)
}

/// Sessions with the mistake coming again, and all, by what the hook did.
type Rates = BTreeMap<Arm, (u64, u64)>;

/// A machine with transcripts, events and a database.
struct Machine {
    projects: PathBuf,
    home: Home,
    database: Database,
}

impl Machine {
    fn new(folder: &Path) -> Result<Self> {
        let (projects, home) = (folder.join("projects"), Home::at(folder.join("data")));
        fs::create_dir_all(projects.join("-srv-app"))?;
        let database = Database::open(&home)?;
        Ok(Self { projects, home, database })
    }

    /// Writes so many sessions from a number on, spread over a time that ends then. Every lesson comes up in each of them;
    /// told in half of them; again in one of five where it was told, and in one of two elsewhere.
    fn write(&self, first: usize, sessions: usize, until: u64) -> Result<Rates> {
        let mut rates = Rates::new();
        for number in first..first + sessions {
            let time = START + until - DAY + DAY * (number - first) as u64 / sessions as u64;
            let time = if first == 0 { START + until * number as u64 / sessions as u64 } else { time };
            let is_told = number.is_multiple_of(2);
            let again = if is_told { number.is_multiple_of(5) } else { number % 4 == 1 };
            let (again_in, all) = rates.entry(if is_told { Arm::Told } else { Arm::Quiet }).or_default();
            // A row for each of the two lessons.
            (*again_in, *all) = (*again_in + 2 * u64::from(again), *all + 2);
            let session = Session { id: format!("5e55{number:08x}"), number, time };
            session.write(&self.projects, again)?;
            if is_told {
                session.tell(&self.home);
            }
        }
        Ok(rates)
    }

    /// Deletes the transcripts but those of the last month, which another machine gets too, with their times.
    fn keep_a_month(&self, other: &Self) -> Result<()> {
        for entry in fs::read_dir(self.projects.join("-srv-app"))? {
            let path = entry?.path();
            let changed = fs::metadata(&path)?.modified()?;
            if changed < UNIX_EPOCH + Duration::from_millis(START + YEAR - 30 * DAY) {
                fs::remove_file(&path)?;
                continue;
            }
            let copy = other.projects.join("-srv-app").join(path.file_name().unwrap_or_default());
            fs::copy(&path, &copy)?;
            File::options().append(true).open(&copy)?.set_modified(changed)?;
        }
        Ok(())
    }

    fn scan(&self, now: u64) -> Result<f64> {
        let options = ScanOptions::at(Timestamp::from_millis(now), 10);
        let roots = [self.projects.clone()];
        Ok(timed(|| Ok(scan::run(&self.home, &roots, &options, &mut |_| ControlFlow::Continue(()))?))?.1)
    }

    fn join(&mut self, lessons: &MeasuredLessons, now: u64) -> Result<f64> {
        let joiner = Joiner {
            roots: std::slice::from_ref(&self.projects),
            lessons,
            context: TrialContext { home: "/nowhere/lessons", user_home: None, now },
            pace: Pace::Background,
        };
        let (home, database) = (&self.home, &mut self.database);
        let work = || {
            events::take_in(home, database, now)?;
            Ok(joiner.join(database, &mut |_, _| ControlFlow::Continue(()))?)
        };
        Ok(timed(work)?.1)
    }

    fn rates(&self) -> Result<Rates> {
        let mut rates = Rates::new();
        for (_, episode) in episodes::all(&self.database)? {
            let (again, all) = rates.entry(episode.arm).or_default();
            (*again, *all) = (*again + u64::from(episode.again > 0), *all + 1);
        }
        Ok(rates)
    }
}

/// A session to be written.
struct Session {
    id: String,
    number: usize,
    time: u64,
}

impl Session {
    fn write(&self, projects: &Path, again: bool) -> Result<()> {
        let path = projects.join("-srv-app").join(format!("{}.jsonl", self.id));
        let mut out = BufWriter::new(File::create(&path)?);
        let ordinary = (0..CALLS).map(|call| format!("cargo build --package part-{call}"));
        let then = if again { "" } else { "--safe " };
        let telling = ["frob push x", "frob pull x"].map(str::to_owned).into_iter();
        let later = ["push", "pull"].map(|verb| format!("frob {verb} {then}y")).into_iter();
        for (call, command) in telling.chain(ordinary).chain(later).enumerate() {
            for line in self.lines(call, &command) {
                writeln!(out, "{line}")?;
            }
        }
        out.into_inner()?.set_modified(UNIX_EPOCH + Duration::from_millis(self.time + DAY / 4))?;
        Ok(())
    }

    /// A call and its result, with what the hook told the model there.
    fn lines(&self, call: usize, command: &str) -> Vec<Value> {
        let id = self.call(call);
        let at = timestamp(self.time + call as u64 * 1000);
        let line = |kind: &str, uuid: String, block: Value| {
            json!({"type": kind, "uuid": uuid, "sessionId": self.id, "cwd": "/srv/app", "timestamp": at,
                "message": {"role": kind, "id": format!("m{id}"), "model": "claude-opus-5-5", "content": [block],
                    "usage": {"input_tokens": 10, "output_tokens": 50, "cache_read_input_tokens": 40_000}}})
        };
        let input = json!({"command": command, "description": "a step"});
        let called = json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
        let text = "a line of what it printed\n".repeat(RESULT / 26);
        let result = json!({"type": "tool_result", "tool_use_id": id, "is_error": false, "content": text});
        let mut lines = vec![line("assistant", format!("a{id}"), called)];
        if self.number.is_multiple_of(2) && call < 2 {
            let verb = ["push", "pull"][call];
            let told = format!(
                "<recorded-lessons>\nUse frob {verb} --safe.\n[lesson user/{verb}]\n</recorded-lessons>"
            );
            lines.push(
                json!({"type": "attachment", "uuid": format!("h{id}"), "sessionId": self.id, "attachment":
                {"type": "hook_additional_context", "content": [told], "toolUseID": id}}),
            );
        }
        lines.push(line("user", format!("r{id}"), result));
        lines
    }

    fn call(&self, call: usize) -> String {
        format!("toolu_{}_{call}", self.number)
    }

    /// The events of what the hook told.
    fn tell(&self, home: &Home) {
        for (call, verb) in ["push", "pull"].into_iter().enumerate() {
            let event = Event {
                session: session_hash(&self.id),
                call: lessons_decide::events::name(&self.call(call)),
                agent: "main".into(),
                us: 100,
                ..Event::new(Outcome::Told, vec![format!("user/{verb}")], self.time + call as u64 * 1000)
            };
            event.append(&home.events());
        }
    }
}

/// A time in milliseconds since 1970 as transcripts have it.
fn timestamp(milliseconds: u64) -> String {
    let day = lessons_decide::events::day(milliseconds);
    let second = milliseconds / 1000 % 86_400;
    format!(
        "{day}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        milliseconds % 1000
    )
}

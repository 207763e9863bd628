//! What is measured, over which stores, and what it may cost.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use lessons_bench::generator::{Mixture, TOLD, TOLD_COMMAND, TOLD_FOR_PATH, TOLD_PATH};
use serde_json::{Value, json};

use super::asking;
use super::contender::{Answer, Contender, environment};
use super::count::{Counted, count};
use super::gates::Ceiling;
use super::payload::{Payload, Session, source_code};
use super::rebuild;
use super::replaying;
use super::sampling::{Effort, sample};
use super::scanning;
use super::scratch::{self, Scratch, Store};
use super::spawn::{self, Runner};
use super::table::{Report, Row};

/// The sizes of stores.
pub(crate) const SIZES: [usize; 4] = [30, 1_000, 10_000, 100_000];
/// The size at which everything is measured that is not about size.
const USUAL: usize = 10_000;
/// So many lessons must share a word with the call that shares words.
const ENOUGH_SHARING: usize = 100;
/// A program is not followed for more instructions than this.
const MOST_STEPS: u64 = 300_000;
/// The payload that is called 1 MB, in bytes, JSON and all.
const MEGABYTE: usize = 1_000_000;

/// The hook that is measured.
const HOOK: &str = "lessons-pre-tool-use";

const SHORT: &str = "ls -la src";
const SHARED: &str = "git status --short && npm test -- --silent";
const QUOTED: &str = "git commit -m \"Fix the parser; it's the last one\"";

/// Something to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Topic {
    /// A short command that matches nothing, over all sizes
    Short,
    /// A command that shares its words with many lessons and matches none, over all sizes
    Shared,
    /// A command with quotes that matches nothing, over all sizes
    Quoted,
    /// Three lessons told and claimed, and told before
    Told,
    /// A command that every lesson is about
    Crowd,
    /// An edit, by its path
    Edit,
    /// A command with a heredoc of 10 KB
    Heredoc,
    /// A file of 1 MB written
    Megabyte,
    /// The short command with a cold page cache
    Cold,
    /// Builds
    Rebuild,
    /// `lessons query`
    Query,
    /// Scans of a history
    Scan,
    /// `lessons replay` over a history
    Replay,
}

/// Whether a call is one that nothing matches: such a call must be faster than `/bin/true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing matches.
    Miss,
    /// It is another call.
    Other,
}

/// A call over a store.
pub(crate) struct Case {
    /// What it is, in words.
    pub(crate) words: String,
    /// How many lessons the store has.
    pub(crate) lessons: usize,
    /// The most that its median may be, as a multiple of the exit floor's.
    pub(crate) limit: Option<f64>,
    pub(crate) kind: Kind,
    pub(crate) contender: Contender,
    store: Rc<Store>,
}

impl Topic {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Self; 13] = [
        Self::Short,
        Self::Shared,
        Self::Quoted,
        Self::Told,
        Self::Crowd,
        Self::Edit,
        Self::Heredoc,
        Self::Megabyte,
        Self::Cold,
        Self::Rebuild,
        Self::Query,
        Self::Scan,
        Self::Replay,
    ];

    /// What it is about, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Short => "a short command",
            Self::Shared => "a command that shares its words",
            Self::Quoted => "a command with quotes",
            Self::Told => "three lessons told",
            Self::Crowd => "a command that every lesson is about",
            Self::Edit => "an edit by path",
            Self::Heredoc => "a heredoc of 10 KB",
            Self::Megabyte => "a write of 1 MB",
            Self::Cold => "a cold page cache",
            Self::Rebuild => "builds on one core",
            Self::Query => "`lessons query`",
            Self::Scan => "scans of a history",
            Self::Replay => "`lessons replay`",
        }
    }

    /// Measures it and adds what was found to `report`.
    pub(crate) fn measure(
        self,
        scratch: &Scratch,
        largest: usize,
        effort: Effort,
        report: &mut Report,
    ) -> Result<()> {
        let cases = match self {
            Self::Short => short(scratch, largest)?,
            Self::Shared => shared(scratch, largest)?,
            Self::Quoted => sizes(scratch, largest, QUOTED, "no match, quotes in the command")?,
            Self::Told => told(scratch, USUAL.min(largest))?,
            Self::Crowd => vec![crowd(scratch, USUAL.min(largest))?],
            Self::Edit => edit(scratch, USUAL.min(largest))?,
            Self::Heredoc => heredoc(scratch, USUAL.min(largest))?,
            Self::Megabyte => megabyte(scratch, USUAL.min(largest))?,
            Self::Cold => cold(scratch, USUAL.min(largest))?,
            Self::Rebuild => return rebuild::measure(scratch, largest, report),
            Self::Query => return asking::measure(scratch, largest, report),
            Self::Scan => return scanning::measure(scratch, report),
            Self::Replay => return replaying::measure(scratch, report),
        };
        compare(scratch, self, &cases, effort, report)
    }
}

impl Case {
    /// Shows that the hook, in this very environment, has the lessons before it: a hook that cannot read
    /// them is silent too, and fast.
    pub(crate) fn prove(&self, scratch: &Scratch) -> Result<()> {
        let call = json!({ "command": TOLD_COMMAND });
        let proof = Contender {
            payload: Payload::new(&scratch.project, "Bash", &call, Session::Fresh)?,
            answer: Answer::Tells(TOLD.to_vec()),
            chilled: Vec::new(),
            ..self.contender.clone()
        };
        Runner::new(&proof)?
            .run()
            .map(drop)
            .with_context(|| format!("the hook does not see the store of {} lessons", self.lessons))
    }
}

/// The calls that nothing matches, for the gates: with the usual home and with one that is named.
pub(crate) fn misses(scratch: &Scratch, lessons: usize) -> Result<Vec<(Case, Ceiling)>> {
    let store = scratch.store(lessons, Mixture::Mixed)?;
    let up_to = |calls, instructions| Ceiling { calls, instructions };
    Ok(vec![
        (bash(scratch, &store, SHORT, "a short command")?, up_to(15, 22_000)),
        (bash(scratch, &store, SHARED, "shared words")?, up_to(22, 72_000)),
        (bash(scratch, &store, QUOTED, "quotes in the command")?, up_to(23, 94_000)),
        (edit_miss(scratch, &store)?, up_to(19, 57_000)),
        (with_named_home(scratch, &store)?, up_to(18, 28_000)),
    ])
}

fn sizes(scratch: &Scratch, largest: usize, command: &str, words: &str) -> Result<Vec<Case>> {
    SIZES
        .into_iter()
        .filter(|size| *size <= largest)
        .map(|size| bash(scratch, &scratch.store(size, Mixture::Mixed)?, command, words))
        .collect()
}

fn short(scratch: &Scratch, largest: usize) -> Result<Vec<Case>> {
    let mut cases = sizes(scratch, largest, SHORT, "no match")?;
    cases.push(with_named_home(scratch, &scratch.store(USUAL.min(largest), Mixture::Mixed)?)?);
    Ok(cases)
}

fn shared(scratch: &Scratch, largest: usize) -> Result<Vec<Case>> {
    let mut cases = sizes(scratch, largest, SHARED, "")?;
    for case in &mut cases {
        let sharing = case.store.facts.sharing;
        ensure!(
            case.lessons < SIZES[1] || sharing >= ENOUGH_SHARING,
            "only {sharing} of {} lessons share a word with `{SHARED}`",
            case.lessons
        );
        case.words = format!("no match, words shared with {sharing} lessons");
    }
    Ok(cases)
}

fn told(scratch: &Scratch, lessons: usize) -> Result<Vec<Case>> {
    let store = scratch.store(lessons, Mixture::Mixed)?;
    let case = |words, limit, session| telling(scratch, &store, words, limit, session);
    let in_memory = case("three lessons told, claims in memory", Some(2.3), Session::Fresh)?;
    let mut on_disk = case("three lessons told, claims on disk", Some(3.0), Session::Fresh)?;
    on_disk.contender.environment.retain(|(name, _)| name != RUNTIME_VARIABLE);
    let mut again = case("the same call again in its session", None, Session::Same)?;
    Runner::new(&again.contender)?.run()?;
    again.contender.answer = Answer::Bytes("");
    Ok(vec![in_memory, on_disk, again])
}

/// A call that all lessons of a store match: what it may cost is linear time, and memory as any other.
pub(crate) fn crowd(scratch: &Scratch, lessons: usize) -> Result<Case> {
    let store = scratch.store(lessons, Mixture::OneCommand)?;
    telling(scratch, &store, "all lessons match, three told", None, Session::Fresh)
}

/// A call at which the first three lessons are told.
fn telling(
    scratch: &Scratch,
    store: &Rc<Store>,
    words: &str,
    limit: Option<f64>,
    session: Session,
) -> Result<Case> {
    let mut case = bash(scratch, store, TOLD_COMMAND, words)?;
    case.limit = limit;
    case.kind = Kind::Other;
    case.contender.payload =
        Payload::new(&scratch.project, "Bash", &json!({ "command": TOLD_COMMAND }), session)?;
    case.contender.answer = Answer::Tells(TOLD.to_vec());
    Ok(case)
}

fn edit(scratch: &Scratch, lessons: usize) -> Result<Vec<Case>> {
    let store = scratch.store(lessons, Mixture::Mixed)?;
    let mut told = edit_of(scratch, &store, TOLD_PATH, "an edit by path, one lesson told")?;
    told.limit = None;
    told.kind = Kind::Other;
    told.contender.answer = Answer::Tells(vec![TOLD_FOR_PATH]);
    Ok(vec![edit_miss(scratch, &store)?, told])
}

fn edit_miss(scratch: &Scratch, store: &Rc<Store>) -> Result<Case> {
    edit_of(scratch, store, "src/overview/rows.rs", "no match, an edit by path")
}

fn edit_of(scratch: &Scratch, store: &Rc<Store>, path: &str, words: &str) -> Result<Case> {
    let input = json!({
        "file_path": scratch.project.join(path),
        "old_string": "let limit = 10;",
        "new_string": "let limit = 20;",
        "replace_all": false,
    });
    miss(scratch, store, "Edit", &input, words)
}

fn heredoc(scratch: &Scratch, lessons: usize) -> Result<Vec<Case>> {
    let store = scratch.store(lessons, Mixture::Mixed)?;
    let command = format!("cat > docs/overview.md <<'EOF'\n{}\nEOF", source_code(10_000));
    Ok(vec![bash(scratch, &store, &command, "no match, a heredoc of 10 KB")?])
}

fn megabyte(scratch: &Scratch, lessons: usize) -> Result<Vec<Case>> {
    let write = |content: String| json!({ "file_path": scratch.project.join("src/overview/rows.ts"), "content": content });
    let around =
        Payload::new(&scratch.project, "Write", &write(String::new()), Session::Fresh)?.bytes().len();
    let input = write(source_code(MEGABYTE - around));
    let case = |mixture, words, limit| -> Result<Case> {
        let mut case = miss(scratch, &scratch.store(lessons, mixture)?, "Write", &input, words)?;
        case.limit = Some(limit);
        case.kind = Kind::Other;
        Ok(case)
    };
    Ok(vec![
        case(Mixture::WithoutContents, "no match, 1 MB written, no trigger looks at content", 4.0)?,
        case(Mixture::TwentyContents, "no match, 1 MB written, 20 triggers look at content", 12.0)?,
    ])
}

fn cold(scratch: &Scratch, lessons: usize) -> Result<Vec<Case>> {
    let store = scratch.store(lessons, Mixture::Mixed)?;
    let mut case = bash(scratch, &store, SHORT, "no match, cold page cache")?;
    case.limit = None;
    case.kind = Kind::Other;
    let data = store.data();
    let files =
        [case.contender.path.clone(), data.join("lesson-manifest.json"), data.join("lesson-manifest.idx")];
    case.contender.chilled = files.into_iter().filter(|file| file.exists()).collect();
    spawn::settle(&case.contender.chilled)?;
    Ok(vec![case])
}

/// The same as the short command, where `LESSONS_HOME` names the data folder.
fn with_named_home(scratch: &Scratch, store: &Rc<Store>) -> Result<Case> {
    let mut case = bash(scratch, store, SHORT, "no match, LESSONS_HOME set")?;
    let named = store.data().to_string_lossy().into_owned();
    case.contender.environment.push(("LESSONS_HOME".to_owned(), named));
    Ok(case)
}

fn bash(scratch: &Scratch, store: &Rc<Store>, command: &str, words: &str) -> Result<Case> {
    let input = json!({ "command": command, "description": "Do the next step" });
    miss(scratch, store, "Bash", &input, words)
}

const RUNTIME_VARIABLE: &str = "XDG_RUNTIME_DIR";

/// A call that nothing matches.
fn miss(scratch: &Scratch, store: &Rc<Store>, tool: &str, input: &Value, words: &str) -> Result<Case> {
    let mut environment = environment(&store.home, &scratch.project);
    environment.push((RUNTIME_VARIABLE.to_owned(), scratch.runtime.to_string_lossy().into_owned()));
    let lessons = store.facts.lessons;
    Ok(Case {
        words: words.to_owned(),
        lessons,
        limit: Some(if lessons > USUAL { 1.6 } else { 1.55 }),
        kind: Kind::Miss,
        contender: Contender {
            path: scratch.bin.join(HOOK),
            environment,
            payload: Payload::new(&scratch.project, tool, input, Session::Fresh)?,
            answer: Answer::Bytes(""),
            chilled: Vec::new(),
        },
        store: Rc::clone(store),
    })
}

/// Runs the cases and the floors in turn.
fn compare(
    scratch: &Scratch,
    topic: Topic,
    cases: &[Case],
    effort: Effort,
    report: &mut Report,
) -> Result<()> {
    let Some(first) = cases.first() else { return Ok(()) };
    let floor = |path: &Path, answer: &'static str| Contender {
        path: path.to_owned(),
        answer: Answer::Bytes(answer),
        chilled: Vec::new(),
        ..first.contender.clone()
    };
    let floors = [
        ("the exit floor", floor(&scratch.floors.empty, "")),
        ("the floor of input and output", floor(&scratch.floors.drain, "{}")),
        ("`/bin/true`", floor(&PathBuf::from("/bin/true"), "")),
    ];
    let mut contenders: Vec<Contender> = floors.iter().map(|(_, contender)| contender.clone()).collect();
    contenders.extend(cases.iter().map(|case| case.contender.clone()));
    let prove = || cases.iter().try_for_each(|case| case.prove(scratch));
    prove()?;
    let samples = sample(&contenders, effort)?;
    prove()?;
    let (of_floors, of_cases) = samples.split_at(floors.len());
    let [empty, _, truth] = of_floors else { return Ok(()) };

    // Where the payload is the usual one, the floors are everywhere the same.
    if matches!(topic, Topic::Short | Topic::Megabyte) {
        for ((words, _), samples) in floors.iter().zip(of_floors) {
            report.rows.push(Row::of_floor(topic, words, samples, empty));
        }
    }
    for (case, samples) in cases.iter().zip(of_cases) {
        let counted = counted(topic, case)?;
        report.rows.push(Row::of_case(topic, case, samples, empty, truth, counted));
    }
    for case in cases {
        scratch.put_sessions_aside(&case.store)?;
    }
    scratch::remove(&scratch.runtime.join("lessons"))
}

/// A cold cache changes no count.
fn counted(topic: Topic, case: &Case) -> Result<Option<Counted>> {
    if topic == Topic::Cold { Ok(None) } else { count(&case.contender, MOST_STEPS).map(Some) }
}

//! How good the lessons are that a reader finds in readings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::gold::GoldLesson;
use super::scanned::{CallId, Scanned};
use super::{json, share};

/// A reading, as `lessons reflect --all --json` prints it.
#[derive(Debug, Deserialize)]
struct Reading {
    tokens: usize,
    items: BTreeMap<String, Item>,
}

#[derive(Debug, Deserialize)]
struct Item {
    kind: String,
    places: Vec<Place>,
    times: usize,
}

#[derive(Debug, Deserialize)]
struct Place {
    uuid: String,
}

/// A lesson of an answer that passed its trial.
struct Passed {
    /// The ids of the lines that it cites.
    lines: BTreeSet<String>,
    /// Its triggers, as flags of `lessons replay`.
    flags: Vec<String>,
}

/// Writes the readings into a folder, or takes the answers in it back.
pub(super) fn run(scanned: &Scanned, folder: &Path, gold: &[GoldLesson]) -> Result<()> {
    if folder.join("answers").is_dir() {
        take_back(scanned, folder, gold)
    } else {
        write(scanned, folder, gold)
    }
}

fn write(scanned: &Scanned, folder: &Path, gold: &[GoldLesson]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let all = scanned.json(&["reflect", "--all", "--all-projects"])?;
    let instruction = scanned.text(&["reflect", "--instruction"])?;
    fs::write(folder.join("instruction.md"), instruction)?;
    let mut readings = Vec::new();
    for (number, reading) in all["readings"].as_array().into_iter().flatten().enumerate() {
        let name = format!("{:03}", number + 1);
        fs::write(folder.join(&name).with_extension("txt"), reading["text"].as_str().unwrap_or_default())?;
        fs::write(folder.join(&name).with_extension("json"), reading.to_string())?;
        readings.push(serde_json::from_value(reading.clone()).context("a reading is of another form")?);
    }
    print_sizes(&readings, gold);
    Ok(())
}

fn print_sizes(readings: &[Reading], gold: &[GoldLesson]) {
    let tokens: usize = readings.iter().map(|reading| reading.tokens).sum();
    let prompts = prompts(readings);
    let lines: BTreeSet<&str> = readings
        .iter()
        .flat_map(|reading| reading.items.values())
        .flat_map(|item| &item.places)
        .map(|place| place.uuid.as_str())
        .collect();
    let useful: Vec<&GoldLesson> = gold.iter().filter(|lesson| lesson.usefulness >= 2).collect();
    let shown = useful.iter().filter(|lesson| lesson.is_at(&|uuid| lines.contains(uuid))).count();
    println!("readings                                    {}, about {tokens} tokens", readings.len());
    println!("tokens a typed prompt                       {}", per(tokens, prompts));
    println!("useful lessons whose evidence is in them    {}", share(shown, useful.len()));
}

/// How many there are of something for each of something else, to a tenth.
fn per(part: usize, of: usize) -> String {
    let tenths = part * 10 / of.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The number of typed prompts.
fn prompts(readings: &[Reading]) -> usize {
    let items = readings.iter().flat_map(|reading| reading.items.values());
    items.filter(|item| item.kind == "p").map(|item| item.times).sum()
}

fn take_back(scanned: &Scanned, folder: &Path, gold: &[GoldLesson]) -> Result<()> {
    let mut answers: Vec<PathBuf> = fs::read_dir(folder.join("answers"))?
        .filter_map(|entry| {
            Some(entry.ok()?.path()).filter(|path| path.extension().is_some_and(|it| it == "json"))
        })
        .collect();
    answers.sort();
    let (mut readings, mut written, mut passed) = (Vec::new(), 0, Vec::new());
    for answer in &answers {
        let name = answer.file_name().context("an answer without a name")?;
        let path = folder.join(name);
        let reading: Reading = json(&path)?;
        let (answer, path) = (answer.canonicalize()?, path.canonicalize()?);
        let said: Value = json(&answer)?;
        let given = said.as_array().or_else(|| said["lessons"].as_array());
        let [answer, path] = [&answer, &path].map(|path| path.display().to_string());
        let tried = scanned.json(&["propose", &answer, "--reading", &path])?;
        let outcomes = tried["lessons"].as_array().into_iter().flatten();
        for (lesson, outcome) in given.into_iter().flatten().zip(outcomes) {
            written += 1;
            if outcome["passed"].is_object() {
                passed.push(Passed::of(&reading, lesson, &outcome["passed"]["proposal"]));
            }
        }
        readings.push(reading);
    }
    print_sizes(&readings, gold);
    print_lessons(scanned, gold, written, &passed, prompts(&readings))
}

impl Passed {
    fn of(reading: &Reading, lesson: &Value, proposal: &Value) -> Self {
        let ids = lesson["items"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let places = ids.filter_map(|id| reading.items.get(id)).flat_map(|item| &item.places);
        let mut flags = Vec::new();
        for (list, flag) in [("triggers", "--trigger"), ("also", "--also"), ("unless", "--unless")] {
            for trigger in proposal[list].as_array().into_iter().flatten() {
                let kind = match trigger["kind"].as_str().unwrap_or_default() {
                    "command_pattern" => "cmd",
                    "file_glob" => "glob",
                    "path_pattern" => "path",
                    "content_pattern" => "content",
                    "keyword" => "kw",
                    "error_pattern" => "error",
                    kind => kind,
                };
                let pattern = trigger["pattern"].as_str().unwrap_or_default();
                flags.extend([flag.to_owned(), format!("{kind}={pattern}")]);
            }
        }
        Self { lines: places.map(|place| place.uuid.clone()).collect(), flags }
    }
}

fn print_lessons(
    scanned: &Scanned,
    gold: &[GoldLesson],
    written: usize,
    passed: &[Passed],
    prompts: usize,
) -> Result<()> {
    let at = |lesson: &GoldLesson, passed: &Passed| lesson.is_at(&|uuid| passed.lines.contains(uuid));
    let useful: Vec<&GoldLesson> = gold.iter().filter(|lesson| lesson.usefulness >= 2).collect();
    let found = useful.iter().filter(|lesson| passed.iter().any(|it| at(lesson, it))).count();
    let wanted = passed.iter().filter(|it| gold.iter().any(|lesson| at(lesson, it))).count();
    println!("lessons that became candidates              {}", share(passed.len(), written));
    println!("useful lessons found, by place              {}", share(found, useful.len()));
    println!("candidates at the place of a wanted lesson  {}", share(wanted, passed.len()));
    println!("candidates per 100 typed prompts            {}", per(passed.len() * 100, prompts));
    let (mut fitting, mut all) = (0, 0);
    for lesson in gold.iter().filter(|lesson| !lesson.triggers.is_empty()) {
        let aimed: Vec<&Passed> = passed.iter().filter(|it| !it.flags.is_empty() && at(lesson, it)).collect();
        let ideal = if aimed.is_empty() { BTreeSet::new() } else { scanned.fired_at(&lesson.as_flags())? };
        if ideal.is_empty() {
            continue;
        }
        all += 1;
        for it in aimed {
            if fits(&scanned.fired_at(&it.flags)?, &ideal) {
                fitting += 1;
                break;
            }
        }
    }
    println!("found with an ideal trigger, and it fits    {}", share(fitting, all));
    Ok(())
}

/// Whether a trigger fires on half of the calls of the ideal one at least, and at most on three times as many.
fn fits(fired: &BTreeSet<CallId>, ideal: &BTreeSet<CallId>) -> bool {
    fired.intersection(ideal).count() * 2 >= ideal.len() && fired.len() <= 3 * ideal.len()
}

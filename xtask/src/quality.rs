//! `cargo xtask measure`: how good the proposals of a scan and the built-in lessons are, over any folder of transcripts.
//!
//! Each collection is a folder, measured and printed apart. What counts as good is read from files in it that a person
//! wrote, so the figures are as good as their reader. Formats, all JSON, with places as `{"uuid", "session", "line"}`:
//!
//! - `projects/`: transcripts, as in `~/.claude`;
//! - `gold.json`: a list of lessons that a careful developer would want, each with `id`, `quote`, `rule`, `usefulness` (1
//!   to 3), `evidence` (places), and perhaps `triggers` and `unless` (lists of KIND=PATTERN);
//! - `garbage.json`: `{"garbage": [{"kind", "text", "evidence"}], "read_prompts": [uuid]}`;
//! - `readings.json`, of a second reader, where there is one: `{"same": {id: [rule]}, "built_in": [id]}`, the rules that
//!   say the same as the lesson that they were found for, and the lessons that a built-in lesson tells already;
//! - `firings.csv`, where there is one: lines whose second, third and fifth fields are the id of a call, a built-in
//!   lesson, and `right`, `wrong` or `irrelevant`.
//!
//! With `--reflect` a reader is measured: the readings of all sessions and the instruction are written into a folder, and
//! whoever reads them, without knowing the gold, puts `NNN.json` for each `NNN.txt` into its folder `answers`.

mod firings;
mod fixes;
mod gold;
mod reflection;
mod scanned;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::de::DeserializeOwned;

use self::fixes::Fixes;
use self::gold::{Garbage, GoldLesson, Readings, Verdict};
use self::scanned::{Candidate, Scanned};
use crate::dist;
use crate::workspace::Workspace;

/// The number of proposals that a person sees first.
const FIRST: usize = 10;

/// Arguments of the task.
#[derive(Debug, Args)]
pub(crate) struct MeasureOptions {
    /// Collections: folders that hold `projects/`, `gold.json` and `garbage.json`
    #[arg(required = true, value_name = "FOLDER")]
    collections: Vec<PathBuf>,
    /// A built plugin; without it the plugin is built
    #[arg(long, value_name = "FOLDER")]
    plugin: Option<PathBuf>,
    /// Measure a reader of the one collection instead: write the readings into this folder, or take the answers in its folder
    /// `answers` back
    #[arg(long, value_name = "DIR")]
    reflect: Option<PathBuf>,
}

/// Scans each collection with a store of its own, and prints its figures.
pub(crate) fn run(workspace: &Workspace, options: &MeasureOptions) -> Result<()> {
    let plugin = match &options.plugin {
        Some(plugin) => plugin.clone(),
        None => dist::run(workspace)?,
    };
    for folder in &options.collections {
        println!("== {}", folder.display());
        if let Some(readings) = &options.reflect {
            let gold: Vec<GoldLesson> = json(&folder.join("gold.json"))?;
            reflection::run(&Scanned::prepared(&plugin, folder)?, readings, &gold)?;
            continue;
        }
        measure(&plugin, folder)?;
    }
    Ok(())
}

fn measure(plugin: &Path, folder: &Path) -> Result<()> {
    let gold: Vec<GoldLesson> = json(&folder.join("gold.json"))?;
    let garbage: Garbage = json(&folder.join("garbage.json"))?;
    let readings = folder.join("readings.json");
    let readings: Option<Readings> = readings.exists().then(|| json(&readings)).transpose()?;
    let scanned = Scanned::of(plugin, folder)?;
    let verdicts = gold::verdicts(&scanned.candidates, &gold, &garbage);
    print_found(&scanned, &gold, &verdicts, readings.as_ref());
    print_proposals(&scanned, &verdicts);
    print_triggers(&scanned, &gold, &verdicts)?;
    println!("proposals that fire on the call that worked {}", Fixes::of(&scanned)?.row());
    let labels = folder.join("firings.csv");
    if labels.exists() {
        print_firings(&scanned, plugin, &labels)?;
    }
    Ok(())
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not of that form", path.display()))
}

/// Of the useful lessons, those whose place was found, those of which a rule says the same, and those that are told one way
/// or the other.
fn print_found(scanned: &Scanned, gold: &[GoldLesson], verdicts: &[Verdict], readings: Option<&Readings>) {
    let useful: Vec<usize> = (0..gold.len()).filter(|number| gold[*number].usefulness >= 2).collect();
    let row = |what: &str, counts: &dyn Fn(usize) -> bool| {
        let part = useful.iter().filter(|number| counts(**number)).count();
        println!("{what:43} {}", share(part, useful.len()));
    };
    let found = |number: usize| {
        scanned.candidates.iter().zip(verdicts).filter(move |(_, verdict)| verdict.is_gold(number))
    };
    row("useful lessons whose place is proposed", &|number| found(number).next().is_some());
    let Some(readings) = readings else { return };
    let says_it = |number: usize| {
        found(number).any(|(candidate, _)| readings.says_the_same(&gold[number].id, &candidate.fix))
    };
    row("  and the rule says the same", &says_it);
    row("  or a built-in lesson does", &|number| {
        says_it(number) || readings.built_in.contains(&gold[number].id)
    });
}

fn print_proposals(scanned: &Scanned, verdicts: &[Verdict]) {
    let wanted = |of: &[&Verdict]| of.iter().filter(|verdict| matches!(verdict, Verdict::Gold(_))).count();
    let all: Vec<&Verdict> = verdicts.iter().collect();
    println!("proposals that are such lessons             {}", share(wanted(&all), all.len()));
    let mut by_detector: BTreeMap<&str, Vec<&Verdict>> = BTreeMap::new();
    for (candidate, verdict) in scanned.candidates.iter().zip(verdicts) {
        by_detector.entry(&candidate.source).or_default().push(verdict);
    }
    for (detector, of) in by_detector {
        println!("  {detector:41} {}", share(wanted(&of), of.len()));
    }
    let unread = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Unread)).count();
    println!("  not read by anybody, so not good          {unread}");
    let of = |id: &String| {
        let at = scanned.candidates.iter().position(|candidate| candidate.id == *id)?;
        verdicts.get(at)
    };
    let first: Vec<&Verdict> = scanned.first.iter().take(FIRST).filter_map(of).collect();
    println!("of the first {FIRST} shown                        {}", share(wanted(&first), first.len()));
}

/// Compares the proposed triggers with the ideal ones: they have to fire on half of the same calls at least, and at most on
/// three times as many.
fn print_triggers(scanned: &Scanned, gold: &[GoldLesson], verdicts: &[Verdict]) -> Result<()> {
    let (mut fitting, mut all) = (0, 0);
    for (number, lesson) in gold.iter().enumerate().filter(|(_, lesson)| !lesson.triggers.is_empty()) {
        let proposed: Vec<&Candidate> = scanned
            .candidates
            .iter()
            .zip(verdicts)
            .filter(|(_, verdict)| verdict.is_gold(number))
            .map(|(candidate, _)| candidate)
            .collect();
        if proposed.is_empty() {
            continue;
        }
        let ideal = scanned.fired_at(&lesson.as_flags())?;
        if ideal.is_empty() {
            continue;
        }
        all += 1;
        for candidate in proposed {
            let fired = scanned.fired_at(std::slice::from_ref(&candidate.id))?;
            let both = fired.intersection(&ideal).count();
            if both * 2 >= ideal.len() && fired.len() <= 3 * ideal.len() {
                fitting += 1;
                break;
            }
        }
    }
    println!("found with an ideal trigger, and it fits    {}", share(fitting, all));
    Ok(())
}

fn print_firings(scanned: &Scanned, plugin: &Path, labels: &Path) -> Result<()> {
    let counts = firings::count(scanned, plugin, labels)?;
    for (name, counts) in [("advice of built-in lessons", counts.advice), ("their refusals", counts.refusals)]
    {
        println!(
            "{name:43} {} right, {} wrong, {} irrelevant, {} not labelled",
            counts.right, counts.wrong, counts.irrelevant, counts.unlabelled
        );
    }
    Ok(())
}

/// A share in numbers and in percent.
fn share(part: usize, all: usize) -> String {
    let percent = (part * 100).checked_div(all).unwrap_or(0);
    format!("{part} of {all} ({percent} %)")
}

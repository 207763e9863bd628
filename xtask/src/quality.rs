//! `cargo xtask measure`: how good the proposals of a scan and the built-in lessons are, over any folder of transcripts.
//!
//! What counts as good is read from files that a person wrote, so the figures are as good as their reader. Formats, all
//! JSON, with places as `{"uuid", "session", "line"}`:
//!
//! - gold: a list of lessons that a careful developer would want, each with `quote`, `rule`, `usefulness` (1 to 3),
//!   `evidence` (places), and perhaps `triggers` and `unless` (lists of KIND=PATTERN);
//! - garbage: `{"garbage": [{"kind", "text", "evidence"}], "read_prompts": [uuid]}`;
//! - firings: lines of CSV whose second, third and fifth fields are the id of a call, a built-in lesson, and `right`,
//!   `wrong` or `irrelevant`.
//!
//! With `--reflect` a reader is measured: the readings of all sessions and the instruction are written into a folder, and
//! whoever reads them, without knowing the gold, puts `NNN.json` for each `NNN.txt` into its folder `answers`.

mod firings;
mod fixes;
mod gold;
mod reflection;
mod scanned;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::de::DeserializeOwned;

use self::fixes::Fixes;
use self::gold::{Garbage, GoldLesson, Verdict};
use self::scanned::{Candidate, Scanned};
use crate::dist;
use crate::workspace::Workspace;

/// The number of proposals that a person sees first.
const FIRST: usize = 10;

/// Arguments of the task.
#[derive(Debug, Args)]
pub(crate) struct MeasureOptions {
    /// The folder that holds `projects/`, as `~/.claude` does
    folder: PathBuf,
    /// The lessons that should be proposed
    #[arg(long, value_name = "FILE", required_unless_present = "reflect")]
    gold: Option<PathBuf>,
    /// What looks like a lesson and is none
    #[arg(long, value_name = "FILE", required_unless_present = "reflect")]
    garbage: Option<PathBuf>,
    /// Measure a reader instead: write the readings into this folder, or take the answers in its folder `answers` back
    #[arg(long, value_name = "DIR")]
    reflect: Option<PathBuf>,
    /// Labels of firings of built-in lessons; without it they are not measured, which saves a minute or two
    #[arg(long, value_name = "FILE")]
    firings: Option<PathBuf>,
}

/// Builds the plugin, scans the folder with a store of its own, and prints the figures.
pub(crate) fn run(workspace: &Workspace, options: &MeasureOptions) -> Result<()> {
    let plugin = dist::run(workspace)?;
    let gold: Vec<GoldLesson> = options.gold.as_deref().map(json).transpose()?.unwrap_or_default();
    if let Some(readings) = &options.reflect {
        return reflection::run(&Scanned::prepared(&plugin, &options.folder)?, readings, &gold);
    }
    let garbage = options.garbage.as_deref().context("--garbage is missing")?;
    let garbage: Garbage = json(garbage)?;
    let scanned = Scanned::of(&plugin, &options.folder)?;
    let verdicts = gold::verdicts(&scanned.candidates, &gold, &garbage);
    print_proposals(&scanned, &gold, &verdicts);
    print_triggers(&scanned, &gold, &verdicts)?;
    println!("proposals that fire on the call that worked {}", Fixes::of(&scanned)?.row());
    if let Some(labels) = &options.firings {
        print_firings(&scanned, &plugin, labels)?;
    }
    Ok(())
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not of that form", path.display()))
}

fn print_proposals(scanned: &Scanned, gold: &[GoldLesson], verdicts: &[Verdict]) {
    let is_found = |number: usize| verdicts.iter().any(|verdict| verdict.is_gold(number));
    let useful = (0..gold.len()).filter(|number| gold[*number].usefulness >= 2);
    let found = useful.clone().filter(|number| is_found(*number)).count();
    println!("useful lessons that are proposed            {}", share(found, useful.count()));
    let wanted = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Gold(_))).count();
    println!("proposals that are such lessons             {}", share(wanted, verdicts.len()));
    let unread = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Unread)).count();
    println!("  of them not read by anybody, so not good  {unread}");
    let of = |id: &String| {
        let at = scanned.candidates.iter().position(|candidate| candidate.id == *id)?;
        verdicts.get(at)
    };
    let first: Vec<&Verdict> = scanned.first.iter().take(FIRST).filter_map(of).collect();
    let early = first.iter().filter(|verdict| matches!(verdict, Verdict::Gold(_))).count();
    println!("of the first {FIRST} shown                        {}", share(early, first.len()));
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

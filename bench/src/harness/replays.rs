//! The time of `lessons replay` over a history, and the time until a person sees the first hit.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use lessons_bench::transcripts::{self, RARE_WORD};

use super::history::{BYTES, HistoryFolder};
use super::process;
use super::report::{ReplayRow, Report, gigabytes, thousands};
use super::scratch::Scratch;

/// The longest median of a whole replay.
const LIMIT: Duration = Duration::from_secs(3);
/// The longest median until the first hit is on the terminal.
const FIRST_HIT_LIMIT: Duration = Duration::from_millis(200);
/// The number of runs.
const RUNS: usize = 5;

/// Times replays and adds the rows to `report`. Fails if the replay counts other calls than the history holds.
pub(crate) fn measure(scratch: &Scratch, report: &mut Report) -> Result<()> {
    let history = HistoryFolder::write(scratch, |folder| transcripts::write(folder, BYTES))?;
    let home = scratch.temporary_folder()?;
    scratch.json(home.path(), &["build", "--json"])?;
    let trigger = format!("cmd=\\b{RARE_WORD}\\s+deploy\\b");
    let replay = |more: &[&str]| -> Command {
        let mut command = scratch.lessons(home.path());
        command.args(["replay", "--trigger", &trigger]).args(more);
        command.env("CLAUDE_CONFIG_DIR", history.config()).env("TERM", "xterm-256color");
        command
    };
    let output = replay(&["--json"]).output()?;
    let summary: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("`lessons replay` printed no JSON")?;
    let (looked_at, fired) = (&summary["lookedAt"]["calls"], &summary["fired"]["calls"]);
    ensure!(
        *looked_at == history.facts.calls && *fired == history.facts.rare,
        "it fires at {fired} of {looked_at} calls, and there are {} and {}",
        history.facts.rare,
        history.facts.calls
    );
    let (mut costs, mut firsts) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        costs.push(process::run(&mut replay(&[]))?);
        let shown = process::run_until_shown(&mut replay(&[]), RARE_WORD)?;
        firsts.push(shown.context("no hit was shown before the end")?);
    }
    costs.sort_unstable_by_key(|cost| cost.wall);
    firsts.sort_unstable();
    let cost = costs.get(RUNS / 2).context("nothing was run")?;
    report.replays.push(ReplayRow {
        label: format!(
            "{:.2} GB, {} calls, {} hits",
            gigabytes(history.facts.bytes),
            thousands(history.facts.calls),
            history.facts.rare
        ),
        time: cost.wall,
        limit: LIMIT,
        processor: Some(cost.processor),
        peak_kib: Some(cost.peak_kib),
        runs: RUNS,
    });
    report.replays.push(ReplayRow {
        label: "until the first hit stands on the terminal".into(),
        time: firsts.get(RUNS / 2).copied().unwrap_or_default(),
        limit: FIRST_HIT_LIMIT,
        processor: None,
        peak_kib: None,
        runs: RUNS,
    });
    Ok(())
}

//! How long `lessons replay` takes over a history, and how soon a person sees the first hit.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use lessons_bench::transcripts::{self, RARE_WORD};

use super::process;
use super::scanning::{BYTES, History, giga};
use super::scratch::Scratch;
use super::table::{Report, thousands};

/// The longest that it may take.
const LIMIT: Duration = Duration::from_secs(3);
/// The longest until the first hit stands on the terminal.
const FIRST: Duration = Duration::from_millis(200);
/// How often it is run.
const RUNS: usize = 5;

/// A time that was measured.
#[derive(Debug)]
pub(crate) struct Replayed {
    words: String,
    time: Duration,
    limit: Duration,
    processor: Option<Duration>,
    peak_kib: Option<u64>,
}

impl Replayed {
    /// Its line in the table.
    pub(crate) fn line(&self) -> String {
        let verdict = if self.time <= self.limit { "ok" } else { "**OVER**" };
        format!(
            "| {} | {:.2} | {:.1} | {verdict} | {} | {} | {RUNS} |\n",
            self.words,
            self.time.as_secs_f64(),
            self.limit.as_secs_f64(),
            self.processor.map(|time| format!("{:.2}", time.as_secs_f64())).unwrap_or_default(),
            self.peak_kib.map(|peak| (peak / 1024).to_string()).unwrap_or_default(),
        )
    }
}

/// Measures it.
pub(crate) fn measure(scratch: &Scratch, report: &mut Report) -> Result<()> {
    let history = History::write(scratch, |folder| transcripts::write(folder, BYTES))?;
    let home = scratch.passing()?;
    scratch.build(home.path(), &["build", "--json"])?;
    let trigger = format!("cmd=\\b{RARE_WORD}\\s+deploy\\b");
    let replay = |more: &[&str]| -> Command {
        let mut command = scratch.lessons(home.path());
        command.args(["replay", "--trigger", &trigger]).args(more);
        command.env("CLAUDE_CONFIG_DIR", history.config()).env("TERM", "xterm-256color");
        command
    };
    let output = replay(&["--json"]).output()?;
    let told: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("`lessons replay` printed no JSON")?;
    let (looked_at, fired) = (&told["lookedAt"]["calls"], &told["fired"]["calls"]);
    ensure!(
        *looked_at == history.facts.calls && *fired == history.facts.rare,
        "it fires at {fired} of {looked_at} calls, and there are {} and {}",
        history.facts.rare,
        history.facts.calls
    );
    let (mut costs, mut firsts) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        costs.push(process::run(&mut replay(&[]))?);
        let (_, said) = process::run_until_said(&mut replay(&[]), RARE_WORD)?;
        firsts.push(said.context("no hit was shown before the end")?);
    }
    costs.sort_unstable_by_key(|cost| cost.wall);
    firsts.sort_unstable();
    let cost = costs.get(RUNS / 2).context("nothing was run")?;
    report.replays.push(Replayed {
        words: format!(
            "{:.2} GB, {} calls, {} hits",
            giga(history.facts.bytes),
            thousands(history.facts.calls),
            history.facts.rare
        ),
        time: cost.wall,
        limit: LIMIT,
        processor: Some(cost.processor),
        peak_kib: Some(cost.peak_kib),
    });
    report.replays.push(Replayed {
        words: "until the first hit stands on the terminal".into(),
        time: firsts.get(RUNS / 2).copied().unwrap_or_default(),
        limit: FIRST,
        processor: None,
        peak_kib: None,
    });
    Ok(())
}

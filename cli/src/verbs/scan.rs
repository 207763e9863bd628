//! `lessons scan`: looks for mistakes in the sessions on this machine.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use lessons_scanner::moment::Moment;
use lessons_scanner::roots::{self, Environment};
use lessons_scanner::scan::{self, Manner, Outcome, Progress, Wanted};
use lessons_store::config::Detectors;

use crate::app::{App, Exit, Output};
use crate::args::Scan;
use crate::said::Said;

pub(crate) fn run(app: &App, args: &Scan) -> Result<Exit> {
    let bar = progress_bar(app);
    let mut watcher = |progress: Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        ControlFlow::Continue(())
    };
    let outcome = scan::run(&app.home, &folders(app, &args.root)?, manner(app)?, &mut watcher)?;
    bar.finish_and_clear();
    let Outcome::Done(report) = outcome else {
        let message = "another scan is at work; look again in a moment";
        app.answer(&Said::new("busy", "scan", message).then("lessons candidates"))?;
        return Ok(Exit::Findings);
    };
    app.answer(&report)?;
    if app.output == Output::Text && report.recorded.new > 0 {
        app.say(&"Next: lessons candidates")?;
    }
    Ok(Exit::Done)
}

/// How to scan, as the settings say.
pub(crate) fn manner(app: &App) -> Result<Manner> {
    let (config, _) = app.settings()?;
    let wanted = match config.scan_detectors {
        Detectors::On => Wanted::Everything,
        Detectors::Off => Wanted::Tags,
    };
    Ok(Manner::at(Moment::from_millis(app.now_ms()), config.scan_proposals).looking_for(wanted))
}

/// The folders with transcripts: the client's, the configured ones, and those that were typed.
pub(crate) fn folders(app: &App, typed: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let (config, _) = app.settings()?;
    let environment = Environment {
        claude_config: std::env::var_os("CLAUDE_CONFIG_DIR"),
        home: std::env::var_os("HOME").map(PathBuf::from),
    };
    let mut more = config.scan_roots;
    for folder in typed {
        more.push(std::path::absolute(folder)?);
    }
    Ok(roots::roots(&environment, &more))
}

/// A bar on a terminal, nothing elsewhere.
fn progress_bar(app: &App) -> ProgressBar {
    if app.output == Output::Json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("Reading sessions {bar:30} {bytes}/{total_bytes}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

//! `lessons scan`: look for mistakes in the sessions on this machine.

use std::io::{IsTerminal, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lessons_context::error::{Coded, Exit};
use lessons_incident_check::publish;
use lessons_publish::peers_like_incidents;
use lessons_review::lookup;
use lessons_scanner::run::scan::{self, Progress, ScanOutcome};
use lessons_text::neutral;

use crate::allocator;
use crate::app::{App, Output};
use crate::background::BackgroundWork;
use crate::ui::messages::Message;
use crate::ui::paint::Paint;

/// Arguments of `lessons scan`.
#[derive(Debug, Args)]
pub struct Scan {
    /// Scan this folder of transcripts too
    #[arg(long, value_name = "FOLDER")]
    pub root: Vec<PathBuf>,
    /// Work on without the terminal, as a session start has it
    #[arg(long, value_enum, hide = true, conflicts_with = "root")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "scan")]
    pub background: Option<BackgroundWork>,
}

pub(crate) fn run(app: &App, args: &Scan) -> Result<Exit> {
    allocator::return_memory_at_once();
    for root in &args.root {
        if !root.is_dir() {
            let message = format!("there is no folder {} to look through", root.display());
            bail!(Coded::refused("NO_SUCH_FOLDER", message));
        }
    }
    for bad in app.settings()?.1 {
        // If standard error is closed, the warning is lost.
        let _ = writeln!(
            std::io::stderr(),
            "{} {}",
            Paint::of_stderr().warning("warning:"),
            neutral::visible(&bad.to_string())
        );
    }
    let bar = progress_bar(app);
    let mut watcher = |progress: Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        ControlFlow::Continue(())
    };
    let outcome = scan::run(
        &app.home,
        &lookup::transcript_folders(app, &args.root)?,
        &lookup::scan_settings(app)?,
        &mut watcher,
    )?;
    bar.finish_and_clear();
    let ScanOutcome::Done(report) = outcome else {
        let message = "another scan is running; try again in a moment";
        app.answer(&Message::new("busy", "scan", message).then("lessons candidates"))?;
        return Ok(Exit::Findings);
    };
    publish::after_scan(app);
    peers_like_incidents::settle(app)?;
    app.answer(&report)?;
    if app.ui.output == Output::Text && report.recorded.new > 0 {
        app.say(&"Next: lessons candidates")?;
    }
    Ok(Exit::Done)
}

/// A progress bar on a terminal, nothing elsewhere.
fn progress_bar(app: &App) -> ProgressBar {
    if app.ui.output == Output::Json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("Reading sessions {bar:30} {bytes}/{total_bytes}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

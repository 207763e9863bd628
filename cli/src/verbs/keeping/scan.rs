//! `lessons scan`: look for mistakes in the sessions on this machine.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lessons_context::error::{Coded, Exit};
use lessons_incident_check::record;
use lessons_publish::building;
use lessons_review::{lookup, overridden};
use lessons_scanner::run::scan::{self, Progress, ScanOutcome};

use crate::allocator;
use crate::app::{App, Output};
use crate::background::BackgroundWork;
use crate::ui::messages::{self, Message};

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
    messages::warn(app.settings()?.1.iter().map(ToString::to_string));
    let mut watcher = |progress: Progress| app.watcher.progress(progress.done, progress.total);
    let outcome = scan::run(
        &app.home,
        &lookup::transcript_folders(app, &args.root)?,
        &lookup::scan_settings(app)?,
        &mut watcher,
    );
    app.watcher.done();
    let ScanOutcome::Done(report) = outcome? else {
        let message = "another scan is running; try again in a moment";
        app.answer(&Message::new("busy", "scan", message).then("lessons candidates"))?;
        return Ok(Exit::Findings);
    };
    record::after_scan(app);
    overridden::note(app)?;
    building::settle_peer_lessons(app)?;
    app.answer(&report)?;
    if app.ui.output == Output::Text && report.recorded.new > 0 {
        app.say(&"Next: lessons candidates")?;
    }
    Ok(Exit::Done)
}

//! `lessons-scan`: the scan that a session start leaves running in the background.
//!
//! It makes a session of its own, so that nothing that happens to the client reaches it, runs once, and
//! ends by itself: a lock keeps it single, and a deadline keeps it short. Where the user wants it, it then
//! follows sessions while they run (see [`lessons_scanner::follow`]), which has ends of its own.

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use clap::Parser;
use lessons_cli::app::{App, Output};
use lessons_cli::background;
use lessons_store::config::Following;

/// How long it may work. What it did is done; the next one goes on there.
const LIFETIME: Duration = Duration::from_mins(10);

/// Scans the sessions on this machine in the background. People run `lessons scan`.
#[derive(Debug, Parser)]
#[command(name = "lessons-scan", version)]
struct Cli {
    /// Read sessions while they run, as the setting `scan.follow` has every session start leave one behind that does
    #[arg(long)]
    follow: bool,
}

fn main() -> ExitCode {
    let Cli { follow } = Cli::parse();
    let deadline = Instant::now() + LIFETIME;
    background::detach();
    // There is nobody to tell: what went wrong shows in `lessons scan`, which does the same.
    let done = App::in_background(Output::Json).and_then(|app| {
        if follow {
            return background::follow(&app);
        }
        background::run(&app, deadline, SystemTime::now())?;
        let wanted = app.settings()?.0.scan_follow == Following::WhileTheyRun;
        if wanted { background::become_follower() } else { Ok(()) }
    });
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

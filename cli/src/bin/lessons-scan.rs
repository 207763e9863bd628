//! `lessons-scan`: the background scan that session start leaves running.
//!
//! It moves to a session of its own, so that it outlives the client. A lock keeps it single and a deadline keeps it
//! short. If the user wants it, it then becomes a follower of running sessions (see [`lessons_scanner::follow`]),
//! which ends by its own rules.

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use clap::Parser;
use lessons_cli::app::{App, Output};
use lessons_cli::{allocator, background};
use lessons_store::config::Following;

/// The longest time that a scan may take. Its progress is kept; the next scan continues there.
const LIFETIME: Duration = Duration::from_mins(10);

/// Scans the sessions on this machine in the background. People run `lessons scan`.
#[derive(Debug, Parser)]
#[command(name = "lessons-scan", version)]
struct Cli {
    /// Read sessions while they run, as the setting `scan.follow` has every session start leave one behind that does
    #[arg(long)]
    follow: bool,
    /// Take in what peers have shared, and nothing else
    #[arg(long, conflicts_with = "follow")]
    receive: bool,
}

fn main() -> ExitCode {
    let Cli { follow, receive } = Cli::parse();
    let deadline = Instant::now() + LIFETIME;
    allocator::return_memory_at_once();
    background::detach();
    // Nobody reads an error of a background process; `lessons scan` meets the same one.
    let done = App::in_background(Output::Json).and_then(|app| {
        if receive {
            return background::receive(&app);
        }
        if follow {
            return background::follow(&app);
        }
        background::run(&app, deadline, SystemTime::now())?;
        let wanted = app.settings()?.0.scan_follow == Following::WhileTheyRun;
        if wanted { background::become_follower() } else { Ok(()) }
    });
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

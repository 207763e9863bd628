//! What runs without a person: the scan that a session start leaves behind, and the follower.

use std::ops::ControlFlow;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result};
use jiff::Timestamp;
use lessons_core::claims;
use lessons_scanner::follow;
use lessons_scanner::moment::Moment;
use lessons_scanner::scan;

use crate::app::App;
use crate::building;
use crate::lookup;

/// Goes on as a follower, in the same process with the memory of a new one: what a build took is given back.
pub fn become_follower() -> Result<()> {
    let program = std::env::current_exe()?;
    let error = Command::new(&program).arg("--follow").exec();
    Err(error).with_context(|| program.display().to_string())
}

/// Follows sessions until one of the ends of a follower.
pub fn follow(app: &App) -> Result<()> {
    let program = std::env::current_exe()?;
    let clock = || {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
        (Instant::now(), Moment::from_millis(now))
    };
    follow::follow(
        &app.home,
        &lookup::transcript_folders(app, &[])?,
        &program,
        lookup::scan_settings(app)?,
        &clock,
    )?;
    Ok(())
}

/// Leaves the session of whoever started this process. Where it leads a group already, as when a
/// person runs it, there is nothing to leave.
pub fn detach() {
    let _ = nix::unistd::setsid();
}

/// Scans once, sweeps old claims, and rebuilds a manifest that another version made.
pub fn run(app: &App, deadline: Instant, now: SystemTime) -> Result<()> {
    let mut watcher = |_| {
        if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let scanned = scan::run(
        &app.home,
        &lookup::transcript_folders(app, &[])?,
        lookup::scan_settings(app)?,
        &mut watcher,
    )?;
    if matches!(scanned, scan::Outcome::AlreadyRunning) {
        return Ok(());
    }
    claims::sweep(&app.home.sessions(), now);
    if !building::is_current(app) {
        building::build(app)?;
    }
    Ok(())
}

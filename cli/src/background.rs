//! `lessons scan --background`: work without a person, which a session start leaves behind.
//!
//! It moves to a session of its own, so that it outlives the client. A lock keeps it single and a deadline keeps it
//! short. If the user wants it, it then becomes a follower of running sessions (see [`lessons_scanner::run::follow`]), which
//! ends by its own rules.

use std::ops::ControlFlow;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use clap::ValueEnum;
use jiff::Timestamp;
use lessons_context::error::Exit;
use lessons_decide::claims;
use lessons_incident_check::record;
use lessons_publish::building;
use lessons_review::{effects, lookup, overridden, waiting};
use lessons_scanner::run::follow::{self, OtherFolders};
use lessons_scanner::run::scan;
use lessons_scanner::transcript::timestamp;
use lessons_setup::copies;
use lessons_setup::folders::InstallFolders;
use lessons_setup::package::Package;
use lessons_sharing::receiving::{self, places};

use crate::app::{App, Output};
use crate::{allocator, forgetting};

/// The longest time that a scan may take. Its progress is kept; the next scan continues there.
const LIFETIME: Duration = Duration::from_mins(10);

/// What is done in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackgroundWork {
    /// One scan, and what follows from it; then [`Self::Follow`], if the setting `scan.follow` says so.
    Scan,
    /// Sessions are read while they run.
    Follow,
    /// What peers have shared is taken in, and nothing else.
    Receive,
}

/// Does the work and leaves. Nobody reads an error of a background process; `lessons scan` meets the same one.
pub fn start(work: BackgroundWork) -> Result<Exit> {
    let deadline = Instant::now() + LIFETIME;
    allocator::return_memory_at_once();
    detach();
    let app = App::in_background(Output::Json)?;
    match work {
        BackgroundWork::Receive => receive(&app)?,
        BackgroundWork::Follow => follow(&app)?,
        BackgroundWork::Scan => {
            run(&app, deadline, SystemTime::now())?;
            if app.settings()?.0.scan_follow {
                become_follower()?;
            }
        }
    }
    Ok(Exit::Done)
}

/// Moves this process into a session of its own. If it already leads a process group, as when a person starts it,
/// nothing changes.
pub(crate) fn detach() {
    let _ = nix::unistd::setsid();
}

/// This program, doing other work in the background.
fn own_program(work: &str) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["scan", work]);
    Ok(command)
}

/// Replaces this process by a follower, so that the memory that a build took is returned to the system.
fn become_follower() -> Result<()> {
    let mut follower = own_program("--background=follow")?;
    Err(follower.exec()).with_context(|| follower.get_program().display().to_string())
}

/// Follows running sessions until the follower's lifetime ends.
fn follow(app: &App) -> Result<()> {
    let program = std::env::current_exe()?;
    let clock = || {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
        (Instant::now(), timestamp::Timestamp::from_millis(now))
    };
    // In a process of its own, so that the memory that a build takes is returned to the system.
    let receive =
        || drop(own_program("--background=receive").and_then(|mut receiver| Ok(receiver.status()?)));
    let folders = || places::watched(app).unwrap_or_default();
    let others = OtherFolders { folders: &folders, changed: &receive };
    follow::follow(
        &app.home,
        &lookup::transcript_folders(app, &[])?,
        &program,
        lookup::scan_settings(app)?,
        &others,
        &clock,
    )?;
    Ok(())
}

/// Takes in what peers have shared.
fn receive(app: &App) -> Result<()> {
    receiving::receive_standing(app)?;
    Ok(())
}

/// Has the user's command lead to the plugin that Claude Code has just started, if Claude Code keeps and updates it.
fn follow_update(app: &App) -> Result<()> {
    let folders = InstallFolders::of_process(&app.home)?;
    if !folders.current().is_symlink() {
        return Ok(());
    }
    Ok(copies::follow(&Package::of_process(&folders)?, &folders)?)
}

/// Takes in what peers have shared, scans once, sweeps old claims, rebuilds the index if another version made it, and joins the sessions that are due with what hooks did in them.
fn run(app: &App, deadline: Instant, now: SystemTime) -> Result<()> {
    forgetting::finish(app);
    // Before the scan, which may take long. `lessons receive` meets the same error and says it.
    let _ = receive(app);
    let before = places::standing(app).unwrap_or_default();
    let mut watcher = |_| {
        if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let scanned = scan::run(
        &app.home,
        &lookup::transcript_folders(app, &[])?,
        &lookup::scan_settings(app)?,
        &mut watcher,
    )?;
    let scan::ScanOutcome::Done(report) = scanned else { return Ok(()) };
    claims::sweep(&app.home.sessions(), now);
    follow_update(app)?;
    if !building::is_current(app) {
        building::build(app)?;
    }
    record::after_scan(app);
    overridden::note(app)?;
    // A project that this scan has met for the first time.
    if places::standing(app).is_ok_and(|places| places != before) {
        let _ = receive(app);
    }
    building::settle_peer_lessons(app)?;
    waiting::publish(app);
    // The rest does not depend on it; `lessons effect` meets the same error and says it.
    let _ = effects::after_scan(app, &report, deadline);
    Ok(())
}

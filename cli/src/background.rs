//! Work without a person: the scan that session start leaves behind, and the follower.

use std::ops::ControlFlow;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result};
use jiff::Timestamp;
use lessons_decide::claims;
use lessons_scanner::follow::{self, OtherFolders};
use lessons_scanner::{scan, timestamp};

use crate::app::App;
use crate::building;
use crate::colleagues_like_incidents;
use crate::effects;
use crate::forgetting;
use crate::hook_approvals;
use crate::incidents::publish;
use crate::install::copies;
use crate::install::folders::InstallFolders;
use crate::install::package::Package;
use crate::lookup;
use crate::receiving::{self, places};
use crate::repair;
use crate::waiting;

/// Replaces this process by a follower, so that the memory that a build took is returned to the system.
pub fn become_follower() -> Result<()> {
    let program = std::env::current_exe()?;
    let error = Command::new(&program).arg("--follow").exec();
    Err(error).with_context(|| program.display().to_string())
}

/// Follows running sessions until the follower's lifetime ends.
pub fn follow(app: &App) -> Result<()> {
    let program = std::env::current_exe()?;
    let clock = || {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
        (Instant::now(), timestamp::Timestamp::from_millis(now))
    };
    // In a process of its own, so that the memory that a build takes is returned to the system.
    let receive = || drop(Command::new(&program).arg("--receive").status());
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
pub fn receive(app: &App) -> Result<()> {
    receiving::receive_standing(app).map(drop)
}

/// Has the user's command lead to the plugin that Claude Code has just started, if Claude Code keeps and updates it.
fn follow_update(app: &App) -> Result<()> {
    let folders = InstallFolders::of_process(&app.home)?;
    if !folders.current().is_symlink() {
        return Ok(());
    }
    copies::follow(&Package::of_process(&folders)?, &folders)
}

/// Moves this process into a session of its own. If it already leads a process group, as when a person starts it,
/// nothing changes.
pub fn detach() {
    let _ = nix::unistd::setsid();
}

/// Takes in what peers have shared, scans once, sweeps old claims, rebuilds the index if another version made it, or to tell of approvals by hooks, and
/// joins the sessions that are due with what hooks did in them.
pub fn run(app: &App, deadline: Instant, now: SystemTime) -> Result<()> {
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
    if !repair::is_current(app) || hook_approvals::are_unpublished(app)? {
        building::build(app)?;
    }
    publish::after_scan(app);
    // A project that this scan has met for the first time.
    if places::standing(app).is_ok_and(|places| places != before) {
        let _ = receive(app);
    }
    colleagues_like_incidents::settle(app)?;
    waiting::publish(app);
    // The rest does not depend on it; `lessons effect` meets the same error and says it.
    let _ = effects::after_scan(app, &report, deadline);
    Ok(())
}

//! What runs without a person: the scan that a session start leaves behind.

use std::ops::ControlFlow;
use std::time::{Instant, SystemTime};

use anyhow::Result;
use lessons_core::claims;
use lessons_scanner::moment::Moment;
use lessons_scanner::scan;

use crate::app::App;
use crate::building;
use crate::verbs;

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
    let read_at = Moment::from_millis(app.now_ms());
    let scanned = scan::run(&app.home, &verbs::folders(app)?, read_at, verbs::proposals(app)?, &mut watcher)?;
    if matches!(scanned, scan::Outcome::AlreadyRunning) {
        return Ok(());
    }
    claims::sweep(&app.home.sessions(), now);
    if !building::is_current(app) {
        building::build(app)?;
    }
    Ok(())
}

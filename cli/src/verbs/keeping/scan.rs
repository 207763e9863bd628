//! `lessons scan`: look for mistakes in the sessions on this machine.

use std::ops::ControlFlow;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use clap::ValueEnum;
use jiff::Timestamp;
use lessons_decide::claims;
use lessons_incident_check::record;
use lessons_ledger::{Database, DatabaseError, notice};
use lessons_review::{effects, overridden};
use lessons_scanner::run::follow::Follower;
use lessons_scanner::run::report::Report;
use lessons_scanner::run::scan::{self, Progress};
use lessons_scanner::transcript::timestamp;
use lessons_setup::{InstallFolders, Package, copies};
use lessons_sharing::receiving::{self, places};

use crate::prelude::*;
use crate::{allocator, forgetting};

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
    let mut watcher = |progress: Progress| {
        app.watcher.progress(progress.done, progress.total);
        ControlFlow::Continue(())
    };
    let outcome = read_all(app, &args.root, &mut watcher);
    app.watcher.done();
    let Some(report) = outcome? else {
        let message = "another scan is running; try again in a moment";
        app.answer(&Message::new("busy", "scan", message).then("lessons candidates"))?;
        return Ok(Exit::Findings);
    };
    record::after_scan(app);
    overridden::note(app)?;
    building::settle_peer_lessons(app)?;
    app.answer(&report)?;
    if app.output == Output::Text && report.recorded.new > 0 {
        // What a built-in lesson catches was found and does not wait.
        let waiting = lookup::in_words(lookup::waiting_count(app)?);
        app.say(&waiting.as_deref().unwrap_or("Lessons in force catch all of them"))?;
    }
    Ok(Exit::Done)
}

/// Reads what is new in the transcripts of this machine, and in those below `roots`. `None` where another scan is running.
pub(crate) fn read_all(
    app: &App,
    roots: &[PathBuf],
    watcher: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<Report>> {
    let (folders, settings) = (lookup::transcript_folders(app, roots)?, lookup::scan_settings(app)?);
    Ok(scan::run(&app.home, &folders, &settings, watcher)?)
}

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

/// Does the work and leaves. Nobody reads an error of a background process, and `lessons scan` meets the same one; but that the
/// database is corrupt is left for the next session start, because nothing else would tell somebody who types no command.
pub fn start(work: BackgroundWork) -> Result<Exit> {
    let deadline = Instant::now() + LIFETIME;
    allocator::return_memory_at_once();
    detach();
    let app = App::in_background(Output::Json)?;
    let done = carry_out(&app, work, deadline);
    if done.is_err()
        && let Err(DatabaseError::Corrupt { .. }) = Database::open(&app.home)
    {
        let corrupt = "lessons.db is corrupt, so nothing new is found and no change can be recorded. `lessons doctor --fix` \
                       restores its last backup, or begins a new one";
        notice::leave(&app.home, corrupt)?;
    }
    done
}

fn carry_out(app: &App, work: BackgroundWork, deadline: Instant) -> Result<Exit> {
    match work {
        BackgroundWork::Receive => drop(receiving::receive_standing(app)?),
        BackgroundWork::Follow => follow(app)?,
        BackgroundWork::Scan => {
            scan_all(app, deadline, SystemTime::now())?;
            if app.settings()?.0.scan_follow {
                // It replaces this process, so that the memory that a build took is returned to the system.
                let mut follower = own_program("--background=follow")?;
                return Err(follower.exec()).with_context(|| follower.get_program().display().to_string());
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

/// Follows running sessions until the follower's lifetime ends.
fn follow(app: &App) -> Result<()> {
    let program = std::env::current_exe()?;
    let clock = || {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
        (Instant::now(), timestamp::Timestamp::from_millis(now))
    };
    // In a process of its own, so that the memory that a build takes is returned to the system.
    let receive = || drop(own_program("--background=receive").and_then(|mut it| Ok(it.status()?)));
    let follower = Follower {
        home: &app.home,
        roots: &lookup::transcript_folders(app, &[])?,
        program: &program,
        options: lookup::scan_settings(app)?,
        others: &|| places::watched(app).unwrap_or_default(),
        changed: &receive,
        clock: &clock,
    };
    follower.follow()?;
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
fn scan_all(app: &App, deadline: Instant, now: SystemTime) -> Result<()> {
    forgetting::finish(app);
    // Before the scan, which may take long. `lessons receive` meets the same error and says it.
    let _ = receiving::receive_standing(app);
    let before = places::standing(app).unwrap_or_default();
    let mut watcher = |_| {
        if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let Some(report) = read_all(app, &[], &mut watcher)? else { return Ok(()) };
    claims::sweep(&app.home.sessions(), now);
    follow_update(app)?;
    if !building::is_current(app) {
        building::build(app)?;
    }
    record::after_scan(app);
    overridden::note(app)?;
    // A project that this scan has met for the first time.
    if places::standing(app).is_ok_and(|places| places != before) {
        let _ = receiving::receive_standing(app);
    }
    building::settle_peer_lessons(app)?;
    lookup::publish(app);
    // The rest does not depend on it; `lessons effect` meets the same error and says it.
    let _ = effects::after_scan(app, &report, deadline);
    Ok(())
}

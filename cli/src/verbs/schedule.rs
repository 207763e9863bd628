//! `lessons schedule`: the nightly run by the machine's own scheduler.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use lessons_core::home::HOME_VARIABLE;
use lessons_store::durable;
use serde::Serialize;

use crate::app::{Actor, App, Exit, Refused};
use crate::args::{Schedule, ScheduleAction};
use crate::said::Said;
use crate::schedule::{self, Installed, Job, Machine, SchedulerName, Step};

/// What was done, or would be.
#[derive(Debug, Serialize)]
struct Done {
    /// Whether it was only planned.
    dry_run: bool,
    /// Every step.
    steps: Vec<Step>,
    /// What to know.
    message: String,
}

pub(crate) fn run(app: &App, args: &Schedule) -> Result<Exit> {
    let machine = machine()?;
    match &args.action {
        ScheduleAction::Status => return status(app, &machine),
        ScheduleAction::Remove => {
            let mut steps = Vec::new();
            for with in SchedulerName::ALL {
                steps.extend(schedule::remove(with, &machine)?);
            }
            if steps.is_empty() {
                let said =
                    Said::new("unchanged", "schedule", "nothing is scheduled, so there is nothing to remove");
                app.answer(&said.then("lessons schedule install"))?;
                return Ok(Exit::Done);
            }
            take(&steps)?;
            let message = "Nothing runs at night any more. Reports and backups stay where they are.".into();
            app.answer(&Done { dry_run: false, steps, message })?;
        }
        ScheduleAction::Install { at, with, dry_run } => {
            let with = with.map_or_else(detect, Ok)?;
            let job = Job { program: program()?, at: *at, variables: variables(app)? };
            // One scheduler at a time: the job must not run twice.
            let mut steps = Vec::new();
            for other in SchedulerName::ALL.into_iter().filter(|other| *other != with) {
                steps.extend(schedule::remove(other, &machine)?);
            }
            schedule::installed(with, &machine)?;
            steps.extend(schedule::install(with, &job, &machine)?);
            if !dry_run && let Err(error) = take(&steps) {
                // Half a schedule is worse than none, and what went wrong first is what the person must know.
                let _ = schedule::remove(with, &machine).and_then(|steps| take(&steps));
                bail!("{error:#}. Nothing is scheduled, and no file of it is left");
            }
            let missed = match with {
                SchedulerName::Systemd | SchedulerName::Launchd => {
                    "a night that the machine slept through is made up for when you are back"
                }
                SchedulerName::Cron => "a night that the machine slept through is left out",
            };
            let message = format!(
                "Every night at {at} by {with}; {missed}. `lessons schedule remove` undoes exactly this.\n\
                 Next: lessons nightly does it once now; lessons report shows what the last night said"
            );
            app.answer(&Done { dry_run: *dry_run, steps, message })?;
        }
    }
    Ok(Exit::Done)
}

fn status(app: &App, machine: &Machine) -> Result<Exit> {
    let mut found = Vec::new();
    for with in SchedulerName::ALL {
        found.extend(schedule::installed(with, machine)?);
    }
    app.answer(&Standing { installed: found })?;
    Ok(Exit::Done)
}

/// Whether any scheduler has ours.
pub(crate) fn is_scheduled() -> Result<bool> {
    let machine = machine()?;
    for with in SchedulerName::ALL {
        if schedule::installed(with, &machine)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How things stand.
#[derive(Debug, Serialize)]
struct Standing {
    installed: Vec<Installed>,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.installed.is_empty() {
            return f.write_str("Nothing runs at night. Next: lessons schedule install");
        }
        for found in &self.installed {
            writeln!(f, "By {}, in {}: {}", found.with, found.place, found.says)?;
        }
        f.write_str("Next: lessons report shows what the last night said; lessons schedule remove ends it")
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.dry_run { "This would be done:\n" } else { "This was done:\n" })?;
        for step in &self.steps {
            writeln!(f, "- {step}")?;
        }
        f.write_str(if self.dry_run { "Nothing was done. Without --dry-run: " } else { "" })?;
        f.write_str(&self.message)
    }
}

/// Does a plan, step by step.
fn take(steps: &[Step]) -> Result<()> {
    for step in steps {
        match step {
            Step::Write { path, text } => durable::replace_elsewhere(path, text.as_bytes())?,
            Step::Remove { path } => durable::remove_elsewhere(path)?,
            Step::Run { words, input, may_fail } => {
                let ended = run_program(words, input.as_deref());
                if let Err(error) = ended
                    && !may_fail
                {
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

/// Runs a program to its end and returns what it prints.
fn run_program(words: &[String], input: Option<&str>) -> Result<String> {
    let (name, arguments) = words.split_first().context("no program")?;
    let shown = || words.join(" ");
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{}`", shown()))?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        stdin.write_all(input.as_bytes()).with_context(|| format!("`{}` does not read", shown()))?;
    }
    let output = child.wait_with_output().with_context(shown)?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The scheduler that this machine has.
fn detect() -> Result<SchedulerName> {
    let runs = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        run_program(&words, None).is_ok()
    };
    if cfg!(target_os = "macos") {
        return Ok(SchedulerName::Launchd);
    }
    if runs(&["systemctl", "--user", "show-environment"]) {
        return Ok(SchedulerName::Systemd);
    }
    if on_path("crontab").is_some() {
        return Ok(SchedulerName::Cron);
    }
    bail!(Refused(
        "neither a systemd for users nor cron answers here. `--with` chooses a scheduler all the same; or have \
         whatever starts things on this machine run `lessons nightly` once a night"
            .into()
    ))
}

fn machine() -> Result<Machine> {
    let home = variable("HOME").map(PathBuf::from).context("HOME is not set")?;
    let config = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    // Without a crontab it fails; so it does without cron.
    let crontab = run_program(&["crontab".into(), "-l".into()], None).unwrap_or_default();
    Ok(Machine {
        config: config.unwrap_or_else(|| home.join(".config")),
        home,
        user: nix::unistd::getuid().as_raw(),
        crontab,
    })
}

/// This program by the path that outlives an update: a link on the PATH that leads to it, else its own place.
fn program() -> Result<String> {
    let own = std::env::current_exe().context("where this program is")?;
    let leads_here =
        |link: &PathBuf| link.canonicalize().is_ok_and(|found| Some(found) == own.canonicalize().ok());
    let path = on_path("lessons").filter(leads_here).unwrap_or(own);
    path.into_os_string().into_string().ok().context("the path of this program is no text")
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(is_there)
}

#[allow(clippy::ptr_arg, reason = "what an iterator over paths hands out")]
fn is_there(path: &PathBuf) -> bool {
    Path::is_file(path)
}

/// The variables without which the nightly run would look in other places. What a project might have set is
/// left out.
fn variables(app: &App) -> Result<Vec<(String, String)>> {
    let mut variables = Vec::new();
    if variable(HOME_VARIABLE).is_some() {
        let home = app.home.root().to_str().context("the data folder's path is no text")?;
        variables.push((HOME_VARIABLE.to_owned(), home.to_owned()));
    }
    if app.actor == Actor::Person {
        for name in ["XDG_DATA_HOME", "CLAUDE_CONFIG_DIR"] {
            variables.extend(variable(name).map(|value| (name.to_owned(), value)));
        }
    }
    Ok(variables)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

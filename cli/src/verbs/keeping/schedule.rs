//! `lessons schedule`: schedule the nightly run.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use lessons_context::error::{Exit, Refused};
use lessons_store::durable;
use serde_json::json;

use crate::app::App;
use crate::schedule::state::{machine, program, run_program, variables};
use crate::schedule::{
    self, Installed, ScheduleStep, ScheduledJob, SchedulerFiles, SchedulerName, TimeOfDay,
};
use crate::ui::answer::Answer;
use crate::ui::messages::Message;

/// Arguments of `lessons schedule`.
#[derive(Debug, Args)]
pub struct Schedule {
    /// The action
    #[command(subcommand)]
    pub action: ScheduleAction,
}

/// The actions of `lessons schedule`.
#[derive(Debug, Subcommand)]
pub enum ScheduleAction {
    /// Schedule the nightly run, or change its time
    Install {
        /// The time of day, in the machine's time zone
        #[arg(long, value_name = "HH:MM", default_value = "03:30")]
        at: TimeOfDay,
        /// The scheduler to use; by default it is detected
        #[arg(long, value_enum)]
        with: Option<SchedulerName>,
        /// Only show what would be written and run
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove the schedule
    Remove,
    /// Show whether and how the nightly run is scheduled
    Status,
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
                let said = Message::new(
                    "unchanged",
                    "schedule",
                    "nothing is scheduled, so there is nothing to remove",
                );
                app.answer(&said.then("lessons schedule install"))?;
                return Ok(Exit::Done);
            }
            app.agree(&agreed("Remove the nightly run", &steps))?;
            take(&steps)?;
            let message = "The nightly run is removed. Reports and backups stay where they are.";
            app.answer(&done(&steps, message))?;
        }
        ScheduleAction::Install { at, with, dry_run } => {
            let with = with.map_or_else(detect, Ok)?;
            let job = ScheduledJob { program: program()?, at: *at, variables: variables(app)? };
            // One scheduler at a time, or the job would run twice.
            let mut steps = Vec::new();
            for other in SchedulerName::ALL.into_iter().filter(|other| *other != with) {
                steps.extend(schedule::remove(other, &machine)?);
            }
            schedule::installed(with, &machine)?;
            steps.extend(schedule::install(with, &job, &machine)?);
            if !dry_run {
                app.agree(&agreed(&format!("Run `lessons nightly` every night at {at}"), &steps))?;
            }
            if !dry_run && let Err(error) = take(&steps) {
                // Half a schedule is worse than none; the person needs the first error.
                let _ = schedule::remove(with, &machine).and_then(|steps| take(&steps));
                bail!("{error:#}. Nothing is scheduled, and no file of it is left");
            }
            let message = format!(
                "Every night at {at} by {with}; a run that the machine was off for is made up when it is back. \
                 `lessons schedule remove` undoes exactly this.\n\
                 Next: lessons nightly runs it now; lessons report shows the last report"
            );
            app.answer(&if *dry_run { planned(&steps, &message) } else { done(&steps, &message) })?;
        }
    }
    Ok(Exit::Done)
}

fn status(app: &App, machine: &SchedulerFiles) -> Result<Exit> {
    let mut found = Vec::new();
    for with in SchedulerName::ALL {
        found.extend(schedule::installed(with, machine)?);
    }
    let mut lines: Vec<String> = found
        .iter()
        .map(|Installed { with, place, job_lines, .. }| format!("By {with}, in {place}: {job_lines}"))
        .collect();
    lines.push(if found.is_empty() {
        "The nightly run is not scheduled. Next: lessons schedule install".to_owned()
    } else {
        "Next: lessons report shows the last report; lessons schedule remove removes the schedule".to_owned()
    });
    app.done(&Answer::new(lines, json!({ "installed": found })))
}

/// What was done.
fn done(steps: &[ScheduleStep], message: &str) -> Answer {
    let mut lines = vec!["This was done:".to_owned()];
    lines.extend(steps.iter().map(|step| format!("- {step}")));
    lines.push(message.to_owned());
    Answer::new(lines, json!({ "dry_run": false, "steps": steps, "message": message }))
}

/// What would be done.
fn planned(steps: &[ScheduleStep], message: &str) -> Answer {
    let mut lines = vec!["This would be done:".to_owned()];
    lines.extend(steps.iter().map(|step| format!("- {step}")));
    lines.push(format!("Nothing was done. Without --dry-run: {message}"));
    Answer::new(lines, json!({ "dry_run": true, "steps": steps, "message": message }))
}

/// Steps in words, for a person to agree to.
fn agreed(what: &str, steps: &[ScheduleStep]) -> String {
    std::iter::once(what.to_owned())
        .chain(steps.iter().map(|step| format!("  {step}")))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Carries out a plan step by step.
fn take(steps: &[ScheduleStep]) -> Result<()> {
    for step in steps {
        match step {
            ScheduleStep::Write { path, text } => durable::replace_elsewhere(path, text.as_bytes())?,
            ScheduleStep::Remove { path } => durable::remove_elsewhere(path)?,
            ScheduleStep::Run { words, may_fail } => {
                let ended = run_program(words);
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

/// Chooses the scheduler of this machine.
fn detect() -> Result<SchedulerName> {
    let runs = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        run_program(&words).is_ok()
    };
    if cfg!(target_os = "macos") {
        return Ok(SchedulerName::Launchd);
    }
    if runs(&["systemctl", "--user", "show-environment"]) {
        return Ok(SchedulerName::Systemd);
    }
    bail!(Refused(
        "this machine has neither launchd nor a systemd that runs for you. Have whatever starts things here \
         (cron, say) run `lessons nightly` once a night"
            .into()
    ))
}

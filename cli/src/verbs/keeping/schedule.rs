//! `lessons schedule`: schedule the nightly run.

use anyhow::Error;
use clap::Subcommand;
use jiff::civil::Time;
use lessons_setup::machine::{machine, program, variables};
use lessons_setup::schedule::{self, Installed, ScheduleStep, ScheduledJob, SchedulerFiles, SchedulerName};

use crate::args;
use crate::prelude::*;

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
        #[arg(long, value_name = "HH:MM", default_value = "03:30", value_parser = time_of_day)]
        at: Time,
        /// The scheduler to use, systemd or launchd; by default it is detected
        #[arg(long, value_parser = args::word::<SchedulerName>)]
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

/// Reads a time of day such as 03:30.
fn time_of_day(text: &str) -> Result<Time, &'static str> {
    Time::strptime("%H:%M", text).map_err(|_| "it is no time such as 03:30")
}

pub(crate) fn run(app: &App, args: &Schedule) -> Result<Exit> {
    let machine = machine()?;
    match &args.action {
        ScheduleAction::Status => status(app, &machine),
        ScheduleAction::Remove => {
            let mut steps = Vec::new();
            for with in SchedulerName::ALL {
                steps.extend(schedule::remove(with, &machine)?);
            }
            if steps.is_empty() {
                let nothing = "nothing is scheduled, so there is nothing to remove";
                let said = Message::new("unchanged", "schedule", nothing);
                return app.done(&said.then("lessons schedule install"));
            }
            app.agree(&agreed("Remove the nightly run", &steps))?;
            take(&steps)?;
            let message = "The nightly run is removed. Reports and backups stay where they are.";
            app.done(&listed("This was done:", &steps, message).given("dry_run", false))
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
            let at = at.strftime("%H:%M");
            let message = format!(
                "Every night at {at} by {with}; a run that the machine was off for is made up when it is back. \
                 `lessons schedule remove` undoes exactly this.\n\
                 Next: lessons nightly runs it now; lessons report shows the last report"
            );
            if *dry_run {
                let message = format!("Nothing was done. Without --dry-run: {message}");
                return app.done(&listed("This would be done:", &steps, &message).given("dry_run", true));
            }
            app.agree(&agreed(&format!("Run `lessons nightly` every night at {at}"), &steps))?;
            if let Err(error) = take(&steps) {
                // Half a schedule is worse than none; the person needs the first error.
                let _ = schedule::remove(with, &machine).map_err(Error::from).and_then(|steps| take(&steps));
                bail!("{error:#}. Nothing is scheduled, and no file of it is left");
            }
            app.done(&listed("This was done:", &steps, &message).given("dry_run", false))
        }
    }
}

fn status(app: &App, machine: &SchedulerFiles) -> Result<Exit> {
    let found = schedule::all_installed(machine)?;
    let line = |job: &Installed| format!("By {}, in {}: {}", job.with, job.place, job.job_lines);
    let mut lines: Vec<String> = found.iter().map(line).collect();
    lines.push(if found.is_empty() {
        "The nightly run is not scheduled. Next: lessons schedule install".to_owned()
    } else {
        "Next: lessons report shows the last report; lessons schedule remove removes the schedule".to_owned()
    });
    app.done(&Answer::new(lines, json!({ "installed": found })))
}

/// A plan in an answer.
fn listed(head: &str, steps: &[ScheduleStep], message: &str) -> Answer {
    let mut lines = vec![head.to_owned()];
    lines.extend(steps.iter().map(|step| format!("- {step}")));
    lines.push(message.to_owned());
    Answer::new(lines, json!({ "steps": steps, "message": message }))
}

/// A plan for a person to agree to.
fn agreed(what: &str, steps: &[ScheduleStep]) -> String {
    steps.iter().fold(what.to_owned(), |text, step| format!("{text}\n  {step}"))
}

/// Carries out a plan step by step.
fn take(steps: &[ScheduleStep]) -> Result<()> {
    Ok(steps.iter().try_for_each(ScheduleStep::take)?)
}

/// Chooses the scheduler of this machine.
fn detect() -> Result<SchedulerName> {
    if cfg!(target_os = "macos") {
        return Ok(SchedulerName::Launchd);
    }
    let asked = ScheduleStep::run(&["systemctl", "--user", "show-environment"]).take();
    let none = "this machine has neither launchd nor a systemd that runs for you. Have whatever starts things here (cron, \
                say) run `lessons nightly` once a night";
    asked.map(|()| SchedulerName::Systemd).map_err(|_| Refused(none.into()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_read_strictly() {
        assert_eq!(time_of_day("3:05"), Ok(Time::constant(3, 5, 0, 0)));
        assert_eq!(time_of_day("23:59"), Ok(Time::constant(23, 59, 0, 0)));
        for text in ["24:00", "3:60", "3", "", ":", "+3:00", "003:00", "3:0a", "-1:00"] {
            assert!(time_of_day(text).is_err(), "{text}");
        }
    }
}

//! Scheduling by a timer of the user's systemd.

use std::path::PathBuf;

use super::{OURS, ScheduleStep, ScheduledJob, SchedulerFiles};

const SERVICE: &str = "lessons-nightly.service";
const TIMER: &str = "lessons-nightly.timer";

/// The paths of the unit files.
pub(super) fn files(machine: &SchedulerFiles) -> [PathBuf; 2] {
    let folder = machine.config.join("systemd/user");
    [folder.join(SERVICE), folder.join(TIMER)]
}

pub(super) fn install(job: &ScheduledJob, machine: &SchedulerFiles) -> Vec<ScheduleStep> {
    let [service, timer] = files(machine);
    vec![
        ScheduleStep::Write { path: service, text: service_text(job) },
        ScheduleStep::Write { path: timer, text: timer_text(job) },
        ScheduleStep::run(&["systemctl", "--user", "daemon-reload"]),
        // A running timer keeps its old time until it is started again.
        ScheduleStep::run(&["systemctl", "--user", "enable", TIMER]),
        ScheduleStep::run(&["systemctl", "--user", "restart", TIMER]),
    ]
}

pub(super) fn remove(machine: &SchedulerFiles) -> Vec<ScheduleStep> {
    let mut steps = vec![ScheduleStep::try_run(&["systemctl", "--user", "disable", "--now", TIMER])];
    steps.extend(files(machine).map(|path| ScheduleStep::Remove { path }));
    steps.push(ScheduleStep::try_run(&["systemctl", "--user", "daemon-reload"]));
    steps
}

/// The lines of the unit files that hold time and program.
pub(super) fn job_lines(text: &str) -> String {
    let wanted = |line: &&str| line.starts_with("OnCalendar=") || line.starts_with("ExecStart=");
    text.lines().filter(wanted).collect::<Vec<_>>().join(", ")
}

/// The service unit. Exit status 1 is allowed: it means that something needs attention.
fn service_text(job: &ScheduledJob) -> String {
    let variable =
        |(name, value): &(String, String)| format!("Environment={}\n", quoted(&format!("{name}={value}")));
    let variables: String = job.variables.iter().map(variable).collect();
    format!(
        "# {OURS}\n[Unit]\nDescription=Lessons: what is done every night\n\n[Service]\nType=oneshot\n\
         ExecStart={} nightly\n{variables}SuccessExitStatus=1\nNice=19\nIOSchedulingClass=idle\n\
         TimeoutStartSec=1h\n",
        quoted(&job.program)
    )
}

/// The timer unit. A run missed during sleep is made up for.
fn timer_text(job: &ScheduledJob) -> String {
    format!(
        "# {OURS}\n[Unit]\nDescription=Lessons: every night\n\n[Timer]\nOnCalendar=*-*-* {}\n\
         Persistent=true\n\n[Install]\nWantedBy=timers.target\n",
        job.at
    )
}

/// A word quoted for a unit file, see systemd.syntax(7). `$` is special only after the program's path.
fn quoted(word: &str) -> String {
    let escaped = word.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{escaped}\"")
}

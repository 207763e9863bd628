//! Scheduling by a timer of the user's systemd.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::{Job, Machine, OURS, Step};

const SERVICE: &str = "lessons-nightly.service";
const TIMER: &str = "lessons-nightly.timer";

/// The paths of the unit files.
pub(super) fn files(machine: &Machine) -> [PathBuf; 2] {
    let folder = machine.config.join("systemd/user");
    [folder.join(SERVICE), folder.join(TIMER)]
}

pub(super) fn install(job: &Job, machine: &Machine) -> Vec<Step> {
    let [service, timer] = files(machine);
    vec![
        Step::Write { path: service, text: service_text(job) },
        Step::Write { path: timer, text: timer_text(job) },
        Step::run(&["systemctl", "--user", "daemon-reload"]),
        // A running timer keeps its old time until it is started again.
        Step::run(&["systemctl", "--user", "enable", TIMER]),
        Step::run(&["systemctl", "--user", "restart", TIMER]),
    ]
}

pub(super) fn remove(machine: &Machine) -> Vec<Step> {
    let mut steps = vec![Step::try_run(&["systemctl", "--user", "disable", "--now", TIMER])];
    steps.extend(files(machine).map(|path| Step::Remove { path }));
    steps.push(Step::try_run(&["systemctl", "--user", "daemon-reload"]));
    steps
}

/// The lines of the unit files that hold time and program.
pub(super) fn says(texts: &[String]) -> String {
    let lines = texts.iter().flat_map(|text| text.lines());
    let wanted = |line: &&str| line.starts_with("OnCalendar=") || line.starts_with("ExecStart=");
    lines.filter(wanted).collect::<Vec<_>>().join(", ")
}

/// The service unit. Exit status 1 is allowed: it means that something needs attention.
fn service_text(job: &Job) -> String {
    let mut variables = String::new();
    for (name, value) in &job.variables {
        // Writing to a string cannot fail.
        let _ = writeln!(variables, "Environment={}", quoted(&format!("{name}={value}")));
    }
    format!(
        "# {OURS}\n[Unit]\nDescription=Lessons: what is done every night\n\n[Service]\nType=oneshot\n\
         ExecStart={} nightly\n{variables}SuccessExitStatus=1\nNice=19\nIOSchedulingClass=idle\n\
         TimeoutStartSec=1h\n",
        quoted(&job.program)
    )
}

/// The timer unit. A run missed during sleep is made up for.
fn timer_text(job: &Job) -> String {
    format!(
        "# {OURS}\n[Unit]\nDescription=Lessons: every night\n\n[Timer]\nOnCalendar=*-*-* {}:00\n\
         Persistent=true\n\n[Install]\nWantedBy=timers.target\n",
        job.at
    )
}

/// A word quoted for a unit file, see systemd.syntax(7). `$` is special only after the program's path.
fn quoted(word: &str) -> String {
    let escaped = word.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{escaped}\"")
}

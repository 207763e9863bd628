//! Scheduling by a line in the user's crontab.

use std::fmt::Write as _;

use super::{ScheduleStep, ScheduledJob, SchedulerFiles};

/// The comment that marks our line.
const MARK: &str = "# lessons-nightly: `lessons schedule remove` removes it";

pub(super) fn install(job: &ScheduledJob, machine: &SchedulerFiles) -> Vec<ScheduleStep> {
    let mut text = without_ours(&machine.crontab);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", line(job));
    vec![load(text)]
}

pub(super) fn remove(machine: &SchedulerFiles) -> Vec<ScheduleStep> {
    let rest = without_ours(&machine.crontab);
    vec![if rest.trim().is_empty() { ScheduleStep::run(&["crontab", "-r"]) } else { load(rest) }]
}

/// Our line in a crontab, if there is one.
pub(super) fn line_of(crontab: &str) -> Option<&str> {
    crontab.lines().find(|line| line.ends_with(MARK))
}

fn load(text: String) -> ScheduleStep {
    ScheduleStep::Run { words: vec!["crontab".into(), "-".into()], input: Some(text), may_fail: false }
}

fn without_ours(crontab: &str) -> String {
    crontab.split_inclusive('\n').filter(|line| !line.trim_end_matches('\n').ends_with(MARK)).collect()
}

fn line(job: &ScheduledJob) -> String {
    let mut variables = String::new();
    for (name, value) in &job.variables {
        // Writing to a string cannot fail.
        let _ = write!(variables, "{name}={} ", quoted(value));
    }
    let command = format!("{variables}nice -n 19 {} nightly >/dev/null 2>&1", quoted(&job.program));
    format!("{} {} * * * {command} {MARK}", job.at.minute, job.at.hour)
}

/// A word quoted for the shell that cron runs, with `%` escaped, which would end the command for cron.
fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:=,@+".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''")).replace('%', r"'\%'")
}

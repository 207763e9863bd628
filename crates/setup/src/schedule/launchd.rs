//! Scheduling by a launchd agent of macOS.

use std::path::PathBuf;

use super::{OURS, ScheduleStep, ScheduledJob, SchedulerFiles};

const LABEL: &str = "dev.lessons.nightly";

/// The path of the agent's property list.
pub(super) fn file(machine: &SchedulerFiles) -> PathBuf {
    machine.home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"))
}

pub(super) fn install(job: &ScheduledJob, machine: &SchedulerFiles) -> Vec<ScheduleStep> {
    let path = file(machine);
    let domain = format!("gui/{}", machine.user);
    let place = path.to_string_lossy().into_owned();
    vec![
        ScheduleStep::Write { path, text: text(job) },
        // A loaded agent would keep its old time.
        ScheduleStep::try_run(&["launchctl", "bootout", &format!("{domain}/{LABEL}")]),
        ScheduleStep::run(&["launchctl", "bootstrap", &domain, &place]),
    ]
}

pub(super) fn remove(machine: &SchedulerFiles) -> Vec<ScheduleStep> {
    vec![
        ScheduleStep::try_run(&["launchctl", "bootout", &format!("gui/{}/{LABEL}", machine.user)]),
        ScheduleStep::Remove { path: file(machine) },
    ]
}

/// The lines of the property list that hold time and program.
pub(super) fn job_lines(text: &str) -> String {
    let after = |key: &str, tag: &str| -> Option<String> {
        let rest = text.split_once(&format!("<key>{key}</key>"))?.1;
        let rest = rest.split_once(&format!("<{tag}>"))?.1;
        Some(rest.split_once("</")?.0.to_owned())
    };
    let [hour, minute] = ["Hour", "Minute"].map(|key| after(key, "integer").unwrap_or_default());
    let program = after("ProgramArguments", "string").unwrap_or_default();
    format!("at {hour:0>2}:{minute:0>2}, {program}")
}

fn text(job: &ScheduledJob) -> String {
    let variable = |(name, value): &(String, String)| {
        format!("\n    <key>{}</key><string>{}</string>", escaped(name), escaped(value))
    };
    let mut variables: String = job.variables.iter().map(variable).collect();
    if !variables.is_empty() {
        variables = format!("  <key>EnvironmentVariables</key>\n  <dict>{variables}\n  </dict>\n");
    }
    let (program, hour, minute) = (escaped(&job.program), job.at.hour(), job.at.minute());
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {OURS} -->
<plist version="1.0">
<dict>
  <key>Label</key><string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array><string>{program}</string><string>nightly</string></array>
{variables}  <key>StartCalendarInterval</key>
  <dict><key>Hour</key><integer>{hour}</integer><key>Minute</key><integer>{minute}</integer></dict>
  <key>ProcessType</key><string>Background</string>
  <key>LowPriorityIO</key><true/>
  <key>Nice</key><integer>19</integer>
</dict>
</plist>
"#
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

//! Scheduling `lessons nightly` by the machine's own scheduler.
//!
//! The steps are planned as values by [`systemd`] and [`launchd`], then shown or carried out one by one.
//! Every file that we write carries a mark, and nothing without it is touched.

mod launchd;
mod systemd;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{fmt, io};

use jiff::civil::Time;
use lessons_store::durable;
use lessons_text::shell_word::quoted_path as quoted;
use serde::Serialize;

use crate::error::{OrSay, Result, failed};

/// The mark in our files. A file without it is not ours.
pub const OURS: &str = "Written by `lessons schedule install`; `lessons schedule remove` removes it.";

lessons_text::named! {
    /// The name of a scheduler.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SchedulerName {
        /// A timer of the user's systemd
        Systemd = "systemd",
        /// An agent of macOS
        Launchd = "launchd",
    }
}

/// The job to schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledJob {
    /// The absolute path of `lessons`.
    pub program: String,
    /// The time of day.
    pub at: Time,
    /// Environment variables that locate the data folder and the transcripts.
    pub variables: Vec<(String, String)>,
}

/// The places where this machine's schedulers keep their jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchedulerFiles {
    /// The user's home folder.
    pub home: PathBuf,
    /// The folder for settings: `~/.config` by default.
    pub config: PathBuf,
    /// The user's numeric id.
    pub user: u32,
}

/// One step of installing or removing a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum ScheduleStep {
    /// Write a file.
    Write {
        /// The file's path.
        path: PathBuf,
        /// The file's text.
        text: String,
    },
    /// Remove a file.
    Remove {
        /// The file's path.
        path: PathBuf,
    },
    /// Run a program.
    Run {
        /// The program's name and arguments.
        words: Vec<String>,
        /// Whether the following steps still make sense if it fails, for example unloading a job that was not loaded.
        #[serde(skip)]
        may_fail: bool,
    },
}

impl ScheduleStep {
    /// Run a program that has to succeed.
    pub fn run(words: &[&str]) -> Self {
        Self::Run { words: words.iter().map(|&word| word.to_owned()).collect(), may_fail: false }
    }

    fn try_run(words: &[&str]) -> Self {
        Self::Run { words: words.iter().map(|&word| word.to_owned()).collect(), may_fail: true }
    }

    /// Carries the step out. What a program says is shown if it fails.
    pub fn take(&self) -> Result<()> {
        match self {
            Self::Write { path, text } => durable::replace_elsewhere(path, text.as_bytes())?,
            Self::Remove { path } => durable::remove_elsewhere(path)?,
            Self::Run { words, may_fail: true } => drop(run(words)),
            Self::Run { words, may_fail: false } => run(words)?,
        }
        Ok(())
    }
}

/// Runs a program to its end.
fn run(words: &[String]) -> Result<()> {
    let (name, arguments) = words.split_first().or_say(|| "no program")?;
    let shown = words.join(" ");
    let output = Command::new(name).args(arguments).stdin(Stdio::null()).output();
    let output = output.or_say(|| format!("cannot run `{shown}`"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return failed(format!("`{shown}` failed: {}", error.trim()));
    }
    Ok(())
}

impl fmt::Display for ScheduleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write { path, text } => {
                write!(f, "write {}", path.display())?;
                text.lines().try_for_each(|line| write!(f, "\n{}", format!("    {line}").trim_end()))
            }
            Self::Remove { path } => write!(f, "remove {}", path.display()),
            Self::Run { words, .. } => write!(f, "run {}", words.join(" ")),
        }
    }
}

/// A job of ours that a scheduler holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// The scheduler.
    pub with: SchedulerName,
    /// The path of the first file.
    pub place: String,
    /// The lines with time and program, as they are written there.
    #[serde(rename = "says")]
    pub job_lines: String,
}

/// Plans the steps that install a job.
pub fn install(with: SchedulerName, job: &ScheduledJob, files: &SchedulerFiles) -> Result<Vec<ScheduleStep>> {
    let texts = job.variables.iter().flat_map(|(name, value)| [name, value]).chain([&job.program]);
    if let Some(text) = texts.into_iter().find(|text| text.chars().any(char::is_control)) {
        return failed(format!(
            "the path {text:?} cannot be written into a schedule; move it to a plainer one"
        ));
    }
    Ok(match with {
        SchedulerName::Systemd => systemd::install(job, files),
        SchedulerName::Launchd => launchd::install(job, files),
    })
}

/// Plans the steps that remove our job; empty if there is none.
pub fn remove(with: SchedulerName, machine: &SchedulerFiles) -> Result<Vec<ScheduleStep>> {
    Ok(match installed(with, machine)?.map(|job| job.with) {
        None => Vec::new(),
        Some(SchedulerName::Systemd) => systemd::remove(machine),
        Some(SchedulerName::Launchd) => launchd::remove(machine),
    })
}

/// The job of ours that a scheduler holds. Fails if a file with our name is not ours.
pub fn installed(with: SchedulerName, machine: &SchedulerFiles) -> Result<Option<Installed>> {
    let (files, job_lines): (Vec<PathBuf>, fn(&str) -> String) = match with {
        SchedulerName::Systemd => (systemd::files(machine).into(), systemd::job_lines),
        SchedulerName::Launchd => (vec![launchd::file(machine)], launchd::job_lines),
    };
    let mut place = None;
    let mut all = String::new();
    for file in files {
        let text = match std::fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            text => text.or_say(|| file.display().to_string())?,
        };
        if !text.contains(OURS) {
            let file = quoted(&file);
            return failed(format!(
                "{file} was not written by `lessons schedule`. Move it away first: `mv {file} {file}.old`"
            ));
        }
        place = place.or_else(|| Some(file.display().to_string()));
        all.push_str(&text);
    }
    Ok(place.map(|place| Installed { with, place, job_lines: job_lines(&all) }))
}

/// The jobs of ours on this machine.
pub fn all_installed(machine: &SchedulerFiles) -> Result<Vec<Installed>> {
    SchedulerName::ALL.into_iter().filter_map(|with| installed(with, machine).transpose()).collect()
}

#[cfg(test)]
mod tests;

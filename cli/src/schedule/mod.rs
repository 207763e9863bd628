//! Scheduling `lessons nightly` by the machine's own scheduler.
//!
//! The steps are planned as values by [`systemd`] and [`launchd`], then shown or carried out one by one.
//! Every file that we write carries a mark, and nothing without it is touched.

pub mod launchd;
pub(crate) mod state;
pub mod systemd;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, io};

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde::Serialize;

use crate::install::folders::quoted;

/// The mark in our files. A file without it is not ours.
pub const OURS: &str = "Written by `lessons schedule install`; `lessons schedule remove` removes it.";

/// The name of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SchedulerName {
    /// A timer of the user's systemd
    Systemd,
    /// An agent of macOS
    Launchd,
}

impl SchedulerName {
    /// All schedulers.
    pub const ALL: [Self; 2] = [Self::Systemd, Self::Launchd];
}

impl fmt::Display for SchedulerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
        })
    }
}

/// A local time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOfDay {
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute, 0 to 59.
    pub minute: u8,
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

impl FromStr for TimeOfDay {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "it is no time such as 03:30";
        let number = |text: &str, below: u8| {
            let is_short = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
            text.parse().ok().filter(|number| is_short && *number < below).ok_or(wrong)
        };
        let (hour, minute) = text.split_once(':').ok_or(wrong)?;
        Ok(Self { hour: number(hour, 24)?, minute: number(minute, 60)? })
    }
}

/// The job to schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledJob {
    /// The absolute path of `lessons`.
    pub program: String,
    /// The time of day.
    pub at: TimeOfDay,
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
    fn run(words: &[&str]) -> Self {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Self::Run { words, may_fail: false }
    }

    fn try_run(words: &[&str]) -> Self {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Self::Run { words, may_fail: true }
    }
}

impl fmt::Display for ScheduleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut indented = |first: String, text: &str| {
            f.write_str(&first)?;
            text.lines().try_for_each(|line| write!(f, "\n{}", format!("    {line}").trim_end()))
        };
        match self {
            Self::Write { path, text } => indented(format!("write {}", path.display()), text),
            Self::Remove { path } => indented(format!("remove {}", path.display()), ""),
            Self::Run { words, .. } => indented(format!("run {}", words.join(" ")), ""),
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
pub fn install(
    with: SchedulerName,
    job: &ScheduledJob,
    machine: &SchedulerFiles,
) -> Result<Vec<ScheduleStep>> {
    let texts = job.variables.iter().flat_map(|(name, value)| [name, value]).chain([&job.program]);
    for text in texts {
        if text.chars().any(char::is_control) {
            bail!("the path {text:?} cannot be written into a schedule; move it to a plainer one");
        }
    }
    let steps = match with {
        SchedulerName::Systemd => systemd::install(job, machine),
        SchedulerName::Launchd => launchd::install(job, machine),
    };
    Ok(steps)
}

/// Plans the steps that remove our job; empty if there is none.
pub fn remove(with: SchedulerName, machine: &SchedulerFiles) -> Result<Vec<ScheduleStep>> {
    if installed(with, machine)?.is_none() {
        return Ok(Vec::new());
    }
    Ok(match with {
        SchedulerName::Systemd => systemd::remove(machine),
        SchedulerName::Launchd => launchd::remove(machine),
    })
}

/// The job of ours that a scheduler holds. Fails if a file with our name is not ours.
pub fn installed(with: SchedulerName, machine: &SchedulerFiles) -> Result<Option<Installed>> {
    match with {
        SchedulerName::Systemd => of_files(with, &systemd::files(machine), systemd::job_lines),
        SchedulerName::Launchd => of_files(with, &[launchd::file(machine)], launchd::job_lines),
    }
}

/// The job in a scheduler's files, if any of them exists.
fn of_files(
    with: SchedulerName,
    files: &[PathBuf],
    job_lines: impl Fn(&[String]) -> String,
) -> Result<Option<Installed>> {
    let mut texts = Vec::new();
    let mut place = None;
    for file in files {
        let Some(text) = read(file)? else { continue };
        if !text.contains(OURS) {
            bail!(
                "{0} was not written by `lessons schedule`. Move it away first: `mv {0} {0}.old`",
                quoted(file)
            );
        }
        place = place.or_else(|| Some(file.display().to_string()));
        texts.push(text);
    }
    Ok(place.map(|place| Installed { with, place, job_lines: job_lines(&texts) }))
}

fn read(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => bail!("{}: {error}", path.display()),
    }
}

#[cfg(test)]
mod tests;

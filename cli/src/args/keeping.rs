//! Verbs of the nightly run and its report.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::schedule::{SchedulerName, TimeOfDay};

/// Arguments of `lessons report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Write the page to FILE, which ends in .html; by default to reports/ in the data folder
    #[arg(long, value_name = "FILE")]
    pub html: Option<Option<PathBuf>>,
    /// Open the page in your browser
    #[arg(long, requires = "html")]
    pub open: bool,
}

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

/// Arguments of `lessons receive`.
#[derive(Debug, Args)]
pub struct Receive {
    /// A folder with events, or `-` for events on standard input, one on each line; without it the folders of trusted
    /// projects, of this project and of the setting `share.folders`
    #[arg(value_name = "FOLDER|-")]
    pub from: Option<PathBuf>,
}

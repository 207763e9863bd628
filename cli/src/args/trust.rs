//! Arguments of the verbs about the lessons that a project brings along.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `lessons untrust`.
#[derive(Debug, Args)]
pub struct Project {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
}

/// Arguments of `lessons trust`.
#[derive(Debug, Args)]
pub struct Trust {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
    /// Approve without asking
    #[arg(long)]
    pub yes: bool,
    /// Accept a lesson although its text is flagged; `incident` accepts those that are like a critical incident
    #[arg(long, value_name = "ID")]
    pub accept: Vec<String>,
    /// The reason for `--accept incident`
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
    /// Let its lessons block calls; without this they only advise
    #[arg(long)]
    pub allow_refusals: bool,
}

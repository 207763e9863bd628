//! Arguments of the verbs about incidents.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use lessons_incident::kind::{IncidentType, Severity, SourceKind};

/// Arguments of `lessons incidents`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Incidents {
    /// The action; without one, incidents are listed
    #[command(subcommand)]
    pub action: Option<IncidentAction>,
    /// What to list
    #[command(flatten)]
    pub list: ListIncidents,
}

/// The actions of `lessons incidents`.
#[derive(Debug, Subcommand)]
pub enum IncidentAction {
    /// List incidents, the newest first (the same as without an action)
    List(ListIncidents),
    /// Count the active incidents, by type and severity
    Stats,
    /// Report a text that was dangerous; without an option it is read from standard input
    Report(ReportIncident),
    /// Let an incident count no more: its text passes again
    Retire {
        /// The incident's id, or the start of it
        id: String,
        /// The reason
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Let a retired incident count again
    Reinstate {
        /// The incident's id, or the start of it
        id: String,
    },
    /// Confirm an incident: its text is withheld from then on, whatever it comes from
    Confirm {
        /// The incident's id, or the start of it
        id: String,
        /// The reason
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        reason: String,
    },
}

/// Options of the list of incidents.
#[derive(Debug, Args)]
pub struct ListIncidents {
    /// Also list retired incidents
    #[arg(long)]
    pub all: bool,
    /// List only incidents of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub incident_type: Option<IncidentType>,
    /// List only incidents whose source starts with this text, or is of this kind
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Show the texts themselves; only in your own terminal
    #[arg(long)]
    pub reveal: bool,
}

/// Arguments of `lessons incidents report`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("reported").args(["lesson", "candidate", "tool_use"]))]
pub struct ReportIncident {
    /// Report this lesson
    #[arg(long, value_name = "ID")]
    pub lesson: Option<String>,
    /// Report this candidate
    #[arg(long, value_name = "ID")]
    pub candidate: Option<String>,
    /// Report the result of this tool call, as transcripts name it
    #[arg(long, value_name = "ID")]
    pub tool_use: Option<String>,
    /// How dangerous it is: low, medium, high or critical
    #[arg(long, value_name = "SEVERITY", value_parser = severity, default_value = "high")]
    pub severity: Severity,
    /// The reason
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

/// Arguments of `lessons check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The file; `-` is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub file: PathBuf,
    /// The kind of source that the text comes from; in a file, an incident that you have not confirmed only warns
    #[arg(long, value_name = "KIND")]
    pub from: Option<SourceKind>,
}

/// The acceptance of a lesson that is like a critical incident.
#[derive(Debug, Clone, Default, Args)]
pub struct AcceptIncident {
    /// Save it although it resembles a critical incident
    #[arg(long, value_name = "FLAG", value_parser = ["incident"], requires = "reason")]
    pub accept: Option<String>,
    /// The reason for `--accept`
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
}

/// Parses a severity.
fn severity(text: &str) -> Result<Severity, String> {
    serde_json::from_value(serde_json::Value::from(text))
        .map_err(|_| "it must be one of: low, medium, high, critical".to_owned())
}

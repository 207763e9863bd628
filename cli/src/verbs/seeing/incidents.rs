//! `lessons incidents`: list texts that were dangerous once, and decide about them.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use lessons_context::error::{Exit, Refused};
use lessons_incident::kind::{IncidentType, Severity, SourceKind};
use lessons_incident_check::state;
use lessons_ledger::incidents::KnownIncident;
use lessons_store::incidents::Incident;
use lessons_text::neutral::line;
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::ui::local_time::LocalTime;
use crate::verbs::seeing::decide_incident::{ReportIncident, confirm, reinstate, report, retire};

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

pub(crate) fn run(app: &App, args: &Incidents) -> Result<Exit> {
    match &args.action {
        None => list(app, &args.list),
        Some(IncidentAction::List(args)) => list(app, args),
        Some(IncidentAction::Stats) => stats(app),
        Some(IncidentAction::Report(args)) => report(app, args),
        Some(IncidentAction::Retire { id, reason }) => retire(app, id, reason),
        Some(IncidentAction::Reinstate { id }) => reinstate(app, id),
        Some(IncidentAction::Confirm { id, reason }) => confirm(app, id, reason),
    }
}

/// Refuses everyone but a person the texts themselves, even with approval: whatever an agent reads may move it.
pub(crate) fn only_for_a_person(app: &App, args: &Incidents) -> Result<()> {
    let reveals = match &args.action {
        None => args.list.reveal,
        Some(IncidentAction::List(list)) => list.reveal,
        Some(_) => false,
    };
    if !reveals || app.is_person() {
        return Ok(());
    }
    bail!(Refused(
        "the texts of incidents are shown in a person's terminal only, never through the client: they give orders to \
         agents. The user opens a terminal and runs `lessons incidents --reveal` there"
            .into()
    ))
}

/// An incident in the list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    #[serde(rename = "type")]
    incident_type: IncidentType,
    severity: Severity,
    source_kind: SourceKind,
    source: String,
    rules: Vec<&'static str>,
    /// The length of the text, in characters.
    characters: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    seen: u64,
    created_at: u64,
    last_seen: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    active: bool,
    confirmed: bool,
    withheld: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The text, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
}

/// The list, without the texts unless a person reveals them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    enabled: bool,
    incidents: Vec<Entry>,
    #[serde(skip)]
    local: LocalTime,
}

fn list(app: &App, args: &ListIncidents) -> Result<Exit> {
    if !state::settings(app).enabled {
        app.answer(&Listed { enabled: false, incidents: Vec::new(), local: app.ui.local.clone() })?;
        return Ok(Exit::Done);
    }
    let mut known = state::known(app)?;
    known.retain(|known| (args.all || known.is_active()) && is_wanted(&known.incident, args));
    let entries = known.into_iter().map(|known| entry(known, args)).collect();
    app.recorded(&Listed { enabled: true, incidents: entries, local: app.ui.local.clone() })?;
    Ok(Exit::Done)
}

fn is_wanted(incident: &Incident, args: &ListIncidents) -> bool {
    let is_from = |source: &String| {
        incident.source.starts_with(source.as_str()) || incident.source_kind.name() == source
    };
    args.incident_type.is_none_or(|wanted| wanted == incident.incident_type)
        && args.source.as_ref().is_none_or(is_from)
}

fn entry(known: KnownIncident, args: &ListIncidents) -> Entry {
    let (active, confirmed, severity) = (known.is_active(), known.is_confirmed(), known.severity());
    let KnownIncident { incident, retired, is_withheld, .. } = known;
    Entry {
        id: incident.id.to_string(),
        incident_type: incident.incident_type,
        severity,
        source_kind: incident.source_kind,
        source: line(&incident.source),
        rules: incident.details.rules.iter().map(|rule| rule.name()).collect(),
        characters: incident.pattern.text().chars().count(),
        trust: incident.details.trust,
        confidence: incident.details.confidence,
        seen: incident.seen,
        created_at: incident.created_at,
        last_seen: incident.last_seen,
        project: incident.project,
        active,
        confirmed,
        withheld: is_withheld,
        reason: retired.map(|retired| retired.reason).or(incident.reason).map(|reason| line(&reason)),
        pattern: args.reveal.then(|| line(incident.pattern.text())),
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.enabled {
            return f.write_str("Incidents are switched off (`incidents.enabled` in config.toml)");
        }
        let Some(first) = self.incidents.first() else {
            return f.write_str(
                "No incidents. `lessons scan` looks for them, `lessons incidents report` adds one",
            );
        };
        for entry in &self.incidents {
            let state = match (entry.active, entry.confirmed) {
                (false, _) => ", retired",
                (true, true) => ", confirmed",
                (true, false) => "",
            };
            writeln!(
                f,
                "{}  {} {}{state}  {} {}",
                entry.id, entry.severity, entry.incident_type, entry.source_kind, entry.source
            )?;
            let rules =
                if entry.rules.is_empty() { String::new() } else { format!("{}; ", entry.rules.join(", ")) };
            let withheld = if entry.withheld { "; withheld from the model" } else { "" };
            writeln!(
                f,
                "  {rules}{}, seen {}, last {}{withheld}",
                counted(entry.characters, "character"),
                counted(entry.seen, "time"),
                self.local.time(entry.last_seen)
            )?;
            if let Some(reason) = entry.reason.as_deref().filter(|reason| !reason.is_empty()) {
                writeln!(f, "  reason: {reason}")?;
            }
            if let Some(pattern) = &entry.pattern {
                writeln!(f, "  text: {pattern}")?;
            }
        }
        write!(
            f,
            "Next: lessons incidents confirm {0}, or lessons incidents retire {0} --reason TEXT",
            first.id
        )
    }
}

/// The counts of active incidents.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    enabled: bool,
    total_active: usize,
    by_type: BTreeMap<&'static str, usize>,
    by_severity: BTreeMap<&'static str, usize>,
    retired: usize,
}

fn stats(app: &App) -> Result<Exit> {
    let enabled = state::settings(app).enabled;
    let known = if enabled { state::known(app)? } else { Vec::new() };
    let mut counts = Counts {
        enabled,
        total_active: known.iter().filter(|known| known.is_active()).count(),
        by_type: BTreeMap::new(),
        by_severity: BTreeMap::new(),
        retired: known.iter().filter(|known| !known.is_active()).count(),
    };
    for known in known.iter().filter(|known| known.is_active()) {
        *counts.by_type.entry(known.incident.incident_type.name()).or_default() += 1;
        *counts.by_severity.entry(known.severity().name()).or_default() += 1;
    }
    app.done(&counts)
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.enabled {
            return f.write_str("Incidents are switched off (`incidents.enabled` in config.toml)");
        }
        let listed = |counts: &BTreeMap<&str, usize>| {
            counts.iter().map(|(name, number)| format!("{number} {name}")).collect::<Vec<_>>().join(", ")
        };
        write!(f, "{}, {} retired", counted(self.total_active, "active incident"), self.retired)?;
        if self.total_active > 0 {
            write!(f, "\n{}\n{}", listed(&self.by_type), listed(&self.by_severity))?;
        }
        write!(f, "\nNext: lessons incidents")
    }
}

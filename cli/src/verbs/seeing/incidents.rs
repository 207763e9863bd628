//! `lessons incidents`: list texts that were dangerous once, and decide about them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Subcommand;
use lessons_decide::Owner;
use lessons_incident::{IncidentType, SourceKind, finding};
use lessons_incident_check::check::{self as incident_check, IncidentChecker, TextCheck, check_text};
use lessons_ledger::KnownIncident;
use lessons_store::Incident;

use crate::prelude::*;
use crate::verbs::seeing::decide_incident::{ReportIncident, confirm, reinstate, report, retire, text};

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
    /// Check whether a text is like an incident, or gives orders itself
    ///
    /// The exit status is 1 if it is not safe: only a critical incident makes it so.
    Check(Check),
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
        Some(IncidentAction::Check(args)) => check(app, args),
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
    let why = "the texts of incidents are shown in a person's terminal only, never through the client: they give orders to \
               agents. The user opens a terminal and runs `lessons incidents --reveal` there";
    bail!(Refused(why.into()))
}

/// What is said where incidents are switched off.
const SWITCHED_OFF: &str = "Incidents are switched off (`incidents.enabled` in config.toml)";

fn list(app: &App, args: &ListIncidents) -> Result<Exit> {
    if !incident_check::settings(app).enabled {
        let fields = json!({ "enabled": false, "incidents": [] });
        return app.done(&Answer::new(vec![SWITCHED_OFF.to_owned()], fields));
    }
    let mut known = incident_check::known(app)?;
    known.retain(|known| (args.all || known.is_active()) && is_wanted(&known.incident, args));
    let entries = Answer::of_all(known.iter().map(|known| entry(app, known, args)));
    let entries = entries.and(match known.first() {
        Some(KnownIncident { incident: Incident { id, .. }, .. }) => {
            format!("Next: lessons incidents confirm {id}, or lessons incidents retire {id} --reason TEXT")
        }
        None => "No incidents. `lessons scan` looks for them, `lessons incidents report` adds one".to_owned(),
    });
    let fields = json!({ "enabled": true, "incidents": entries.fields });
    app.recorded(&Answer::new(entries.lines, fields))
}

/// Whether the incident is of the type and from the source that is asked for.
fn is_wanted(incident: &Incident, args: &ListIncidents) -> bool {
    let is_from = |source: &String| {
        incident.source.starts_with(source.as_str()) || incident.source_kind.name() == source
    };
    args.incident_type.is_none_or(|wanted| wanted == incident.incident_type)
        && args.source.as_ref().is_none_or(is_from)
}

/// An incident in the list.
fn entry(app: &App, known: &KnownIncident, args: &ListIncidents) -> Answer {
    let incident = &known.incident;
    let Incident { id, incident_type: what, source_kind: kind, details, .. } = incident;
    let (severity, source, text) = (known.severity(), line(&incident.source), incident.pattern.text());
    let state = match (known.is_active(), known.is_confirmed()) {
        (false, _) => ", retired",
        (true, true) => ", confirmed",
        (true, false) => "",
    };
    let rules = match finding::names(&details.rules) {
        rules if rules.is_empty() => rules,
        rules => format!("{rules}; "),
    };
    let withheld = if known.is_withheld { "; withheld from the model" } else { "" };
    let characters = text.chars().count();
    let (length, seen) = (counted(characters, "character"), counted(incident.seen, "time"));
    let last = app.local.time(incident.last_seen);
    let mut lines = vec![
        format!("{id}  {severity} {what}{state}  {kind} {source}"),
        format!("  {rules}{length}, seen {seen}, last {last}{withheld}"),
    ];
    // Of the last decision.
    let reason = known.retired.as_ref().map(|retired| &retired.reason).or(incident.reason.as_ref());
    let reason = reason.map(|reason| line(reason));
    lines.extend(reason.iter().filter(|it| !it.is_empty()).map(|reason| format!("  reason: {reason}")));
    let pattern = args.reveal.then(|| line(text));
    lines.extend(pattern.iter().map(|text| format!("  text: {text}")));
    let fields = json!({
        "id": id.to_string(),
        "type": what,
        "severity": severity,
        "sourceKind": kind,
        "source": source,
        "rules": details.rules.iter().map(|rule| rule.name()).collect::<Vec<_>>(),
        "characters": characters,
        "seen": incident.seen,
        "createdAt": incident.created_at,
        "lastSeen": incident.last_seen,
        "active": known.is_active(),
        "confirmed": known.is_confirmed(),
        "withheld": known.is_withheld,
    });
    let entry =
        Answer::new(lines, fields).given("trust", details.trust).given("confidence", details.confidence);
    entry.given("project", &incident.project).given("reason", reason).given("pattern", pattern)
}

fn stats(app: &App) -> Result<Exit> {
    let enabled = incident_check::settings(app).enabled;
    let known = if enabled { incident_check::known(app)? } else { Vec::new() };
    let (active, retired): (Vec<_>, Vec<_>) = known.iter().partition(|known| known.is_active());
    let mut by_type: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_severity: BTreeMap<&str, usize> = BTreeMap::new();
    for known in &active {
        *by_type.entry(known.incident.incident_type.name()).or_default() += 1;
        *by_severity.entry(known.severity().name()).or_default() += 1;
    }
    let in_words = |counts: &BTreeMap<&str, usize>| {
        listed(counts.iter().map(|(name, number)| format!("{number} {name}")))
    };
    let mut lines = vec![format!("{}, {} retired", counted(active.len(), "active incident"), retired.len())];
    if !active.is_empty() {
        lines.extend([in_words(&by_type), in_words(&by_severity)]);
    }
    lines.push("Next: lessons incidents".to_owned());
    if !enabled {
        lines = vec![SWITCHED_OFF.to_owned()];
    }
    let fields = json!({
        "enabled": enabled,
        "totalActive": active.len(),
        "byType": by_type,
        "bySeverity": by_severity,
        "retired": retired.len(),
    });
    app.done(&Answer::new(lines, fields))
}

/// Arguments of `lessons incidents check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The file; `-` is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub file: PathBuf,
    /// The kind of source that the text comes from; in a file, an incident that you have not confirmed only warns
    #[arg(long, value_name = "KIND")]
    pub from: Option<SourceKind>,
}

/// The longest text that is checked, in bytes.
const MOST_BYTES: u64 = 64 << 20;

pub(crate) fn check(app: &App, args: &Check) -> Result<Exit> {
    let text = text(&args.file, MOST_BYTES)?;
    let enabled = incident_check::settings(app).enabled;
    let checker = if enabled { IncidentChecker::of(app) } else { None };
    let check = match &checker {
        Some(checker) => {
            let is_file = args.from == Some(SourceKind::File);
            check_text(checker, &text, if is_file { Owner::Project } else { Owner::Foreign })
        }
        None if enabled => {
            bail!("the index of incidents is missing or corrupt; `lessons build` writes it again")
        }
        None => TextCheck::of(Vec::new()),
    };
    let mut lines = check.warnings.clone();
    if enabled {
        let verdict = if check.safe { "safe" } else { "not safe" };
        lines.push(format!("{verdict}: like {}", counted(check.matched_count, "incident")));
        lines.extend((check.matched_count > 0).then(|| "Next: lessons incidents".to_owned()));
    } else {
        lines.push("Not checked: incidents are switched off (`incidents.enabled` in config.toml)".to_owned());
    }
    let mut fields = serde_json::to_value(&check)?;
    fields["enabled"] = enabled.into();
    app.recorded(&Answer::new(lines, fields))?;
    Ok(if check.safe { Exit::Done } else { Exit::Findings })
}

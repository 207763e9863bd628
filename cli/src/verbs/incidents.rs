//! `lessons incidents`: list texts that were dangerous once, and decide about them.

use clap::ArgGroup;
use clap::Args;
use clap::Subcommand;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read as _;

use anyhow::{Context, Result, bail};
use lessons_context::error::{Coded, Exit, Refused};
use lessons_context::lesson_text::text_of;
use lessons_incident::finding;
use lessons_incident::kind::{IncidentType, Severity, SourceKind};
use lessons_incident::pattern::{IncidentId, Pattern};
use lessons_incident_check::notices;
use lessons_incident_check::state;
use lessons_ledger::database::Database;
use lessons_ledger::decisions;
use lessons_ledger::incidents::{KnownIncident, MOST_ACTIVE, NewIncident};
use lessons_publish::{building, peers_like_incidents};
use lessons_review::{evidence, lookup};
use lessons_scanner::incidents::tool_results;
use lessons_store::decisions::Decisions;
use lessons_store::incidents::{DecidedIncidents, Incident, IncidentDecision};
use lessons_store::lock::Lock;
use lessons_text::neutral::{self, line};
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::local_time::LocalTime;
use crate::messages::Message;
use crate::review::carry_out;

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

/// Parses a severity.
fn severity(text: &str) -> Result<Severity, String> {
    serde_json::from_value(serde_json::Value::from(text))
        .map_err(|_| "it must be one of: low, medium, high, critical".to_owned())
}

/// The longest text that is reported, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// The fewest digits of an id that stand for the whole.
const FEWEST_DIGITS: usize = 4;

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
    app.answer(&counts)?;
    Ok(Exit::Done)
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

/// What is reported: a text, and where it comes from.
struct Reported {
    text: String,
    source: (SourceKind, String),
    source_ids: Vec<String>,
}

fn report(app: &App, args: &ReportIncident) -> Result<Exit> {
    if !state::settings(app).enabled {
        bail!(Coded::failed(
            "INCIDENTS_OFF",
            "incidents are switched off, so nothing is recorded; set `incidents.enabled` to true in config.toml"
        ));
    }
    let reason = given_reason(&args.reason)?;
    let Reported { text, source, source_ids } = reported(app, args)?;
    let incident = NewIncident {
        source_ids,
        ..NewIncident::new(IncidentType::UserReported, args.severity, pattern(&text), source, app.now_ms())
    };
    if incident.pattern.text().is_empty() {
        bail!(Refused("there is no text to report".into()));
    }
    let incident = Incident { reason: Some(reason), ..incident.into_incident() };
    let id = incident.id;
    let active = state::known(app)?.iter().filter(|known| known.is_active()).count();
    if active >= MOST_ACTIVE {
        bail!(Coded::failed(
            "TOO_MANY_INCIDENTS",
            format!("there are {active} active incidents, the most that are compared; retire some first")
        ));
    }
    let changed = change(app, "reported", |file| {
        file.change(id, |entry| {
            // Reporting it once more changes what was said of it, and is no further meeting.
            entry.reported = Some(match entry.reported.take() {
                Some(Incident { created_at, last_seen, seen, .. }) => {
                    Incident { created_at, last_seen, seen, ..incident }
                }
                None => incident,
            });
        });
    })?;
    let severity = args.severity;
    tell(
        app,
        changed,
        "reported",
        id,
        format!("incident {id} ({severity}) is recorded, and counts from the next call on"),
    )
}

/// The text that an incident of a reported one is recognised by: the orders that it gives, if it gives some.
fn pattern(text: &str) -> Pattern {
    let worst = finding::clusters(text).into_iter().max_by_key(|cluster| cluster.rules.len());
    worst.map_or_else(|| Pattern::of(text), |cluster| cluster.pattern(text))
}

fn reported(app: &App, args: &ReportIncident) -> Result<Reported> {
    if let Some(text) = &args.lesson {
        let (id, lesson) = lookup::find_lesson(app, text)?;
        return Ok(Reported {
            text: text_of(&lesson),
            source: (SourceKind::Store, id.to_string()),
            source_ids: vec![id.to_string()],
        });
    }
    if let Some(text) = &args.candidate {
        let candidate = carry_out::find(&Database::open(&app.home)?, text)?;
        let found = candidate.finding;
        return Ok(Reported {
            text: format!("{}\n{}", found.mistake, found.fix),
            source: (SourceKind::Candidate, found.source),
            source_ids: vec![candidate.id],
        });
    }
    if let Some(id) = &args.tool_use {
        let found = tool_results::find(&lookup::transcript_folders(app, &[])?, id);
        let Some(found) = found else {
            bail!(Coded::failed(
                "UNKNOWN_TOOL_USE",
                format!("no transcript on this machine has the result of `{}`", line(id))
            ));
        };
        return Ok(Reported {
            text: found.text,
            source: (found.source.kind, found.source.name),
            source_ids: vec![neutral::shortened(&line(id), 64)],
        });
    }
    Ok(Reported { text: typed()?, source: (SourceKind::Person, "a person".into()), source_ids: Vec::new() })
}

/// The text on standard input.
fn typed() -> Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes).context("standard input")?;
    if bytes.len() as u64 > MOST_BYTES {
        bail!(Refused(format!(
            "the text has more than {} MiB; report the part that matters",
            MOST_BYTES >> 20
        )));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn retire(app: &App, id: &str, reason: &str) -> Result<Exit> {
    let decision = decision(app, given_reason(reason)?);
    let id = find(app, id)?.incident.id;
    let changed = change(app, "retired", |file| {
        if !file.is_retired(id) {
            file.change(id, |entry| entry.retired = Some(decision));
        }
    })?;
    tell(
        app,
        changed,
        "retired",
        id,
        format!("incident {id} is retired; its text passes from the next call on"),
    )
}

fn reinstate(app: &App, id: &str) -> Result<Exit> {
    let id = find(app, id)?.incident.id;
    let changed = change(app, "reinstated", |file| file.change(id, |entry| entry.retired = None))?;
    tell(app, changed, "reinstated", id, format!("incident {id} counts again"))
}

fn confirm(app: &App, id: &str, reason: &str) -> Result<Exit> {
    let decision = decision(app, evidence::reason(reason));
    let known = find(app, id)?;
    let id = known.incident.id;
    if !known.is_active() {
        bail!(Coded::failed(
            "INACTIVE_INCIDENT",
            format!("incident {id} is retired; `lessons incidents reinstate {id}` lets it count again")
        ));
    }
    let changed = change(app, "confirmed", |file| {
        if !file.is_confirmed(id) {
            file.change(id, |entry| entry.confirmed = Some(decision));
        }
    })?;
    let message =
        format!("incident {id} is confirmed; its text is withheld from the model, whatever it comes from");
    tell(app, changed, "confirmed", id, message)
}

fn given_reason(text: &str) -> Result<String> {
    let reason = evidence::reason(text);
    if reason.is_empty() {
        bail!(Refused("--reason is empty; say why, in a few words".into()));
    }
    Ok(reason)
}

fn decision(app: &App, reason: String) -> IncidentDecision {
    IncidentDecision { reason, time: app.now_ms() }
}

/// The incident that `text` names: its id or the start of it.
fn find(app: &App, text: &str) -> Result<KnownIncident> {
    let digits = text.strip_prefix("i-").unwrap_or_default();
    let mut known = state::known(app)?;
    known.retain(|known| digits.len() >= FEWEST_DIGITS && known.incident.id.to_string().starts_with(text));
    if known.len() > 1 {
        let ids: Vec<IncidentId> = known.iter().map(|known| known.incident.id).collect();
        bail!(Refused(lookup::ambiguous(text, ids.iter())));
    }
    known.pop().ok_or_else(|| {
        let text = neutral::shortened(&line(text), 40);
        Coded::failed(
            "UNKNOWN_INCIDENT",
            format!("there is no incident `{text}`; `lessons incidents --all` lists all of them"),
        )
        .into()
    })
}

/// Changes what is decided of incidents and publishes the result. Returns whether anything changed.
fn change(app: &App, action: &str, change: impl FnOnce(&mut DecidedIncidents)) -> Result<Option<u64>> {
    let lock: Lock = app.lock()?;
    let mut database = Database::open(&app.home)?;
    let save = |decisions: &mut Decisions| change(&mut decisions.incidents);
    let changed = decisions::save(&lock, &mut database, &app.deed(action), save)?.change;
    building::build_locked(app, &lock, &database)
        .context("saved, not yet in force; run `lessons build` when this is fixed")?;
    notices::publish(app);
    drop(lock);
    peers_like_incidents::after_decision(app)?;
    Ok(changed)
}

fn tell(
    app: &App,
    changed: Option<u64>,
    done: &'static str,
    id: IncidentId,
    message: String,
) -> Result<Exit> {
    let said = if let Some(change) = changed {
        Message::new(done, id.to_string(), message).then(format!("lessons undo {change}, to take it back"))
    } else {
        let message = format!("incident {id} is {done} already");
        Message::new("unchanged", id.to_string(), message).then("lessons incidents --all")
    };
    app.answer(&said)?;
    Ok(Exit::Done)
}

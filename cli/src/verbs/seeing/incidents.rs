//! `lessons incidents`: list texts that were dangerous once, and decide about them.

use std::collections::BTreeMap;

use clap::{ArgGroup, Subcommand};
use lessons_context::text_of;
use lessons_decide::Owner;
use lessons_incident::{IncidentType, Pattern, Severity, SourceKind, finding};
use lessons_incident_check::check::{IncidentChecker, TextCheck, check_text};
use lessons_incident_check::{check as incident_check, record};
use lessons_ledger::incidents::MOST_ACTIVE;
use lessons_ledger::{Candidate, KnownIncident, decisions};
use lessons_review::change::bring_into_force;
use lessons_review::{carry_out, cleaning};
use lessons_scanner::incidents;
use lessons_store::{DecidedIncidents, Decisions, Incident, IncidentDecision};

use crate::args;
use crate::prelude::*;
use crate::ui::input::Input;

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
    let withheld = if known.entry.withheld.is_some() { "; withheld from the model" } else { "" };
    let characters = text.chars().count();
    let (length, seen) = (counted(characters, "character"), counted(incident.seen, "time"));
    let last = app.local.time(incident.last_seen);
    let mut lines = vec![
        format!("{id}  {severity} {what}{state}  {kind} {source}"),
        format!("  {rules}{length}, seen {seen}, last {last}{withheld}"),
    ];
    // Of the last decision.
    let reason = known.entry.retired.as_ref().map(|retired| &retired.reason).or(incident.reason.as_ref());
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
        "withheld": known.entry.withheld.is_some(),
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
        let verdict = match (check.safe, check.warnings.is_empty()) {
            (true, true) => "safe",
            (true, false) => "not critical",
            (false, _) => "not safe",
        };
        lines.push(format!("{verdict}: like {}", counted(check.matched_count, "incident")));
        lines.extend((check.matched_count > 0).then(|| "Next: lessons incidents".to_owned()));
    } else {
        lines.push("Not checked: incidents are switched off (`incidents.enabled` in config.toml)".to_owned());
    }
    app.recorded(&Answer::new(lines, json!(check)).with("enabled", enabled))?;
    Ok(if check.safe { Exit::Done } else { Exit::Findings })
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
    #[arg(long, value_name = "SEVERITY", value_parser = args::word::<Severity>, default_value = "high")]
    pub severity: Severity,
    /// The reason
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

/// The longest text that is reported, in bytes.
const MOST_REPORTED: u64 = 1 << 20;
/// The fewest digits of an id that stand for the whole.
const FEWEST_DIGITS: usize = 4;

fn report(app: &App, args: &ReportIncident) -> Result<Exit> {
    if !incident_check::settings(app).enabled {
        bail!(Coded::failed(
            "INCIDENTS_OFF",
            "incidents are switched off, so nothing is recorded; set `incidents.enabled` to true in config.toml"
        ));
    }
    let reason = given_reason(&args.reason)?;
    let (text, source, source_ids) = reported(app, args)?;
    let incident = Incident {
        reason: Some(reason),
        source_ids,
        ..Incident::new(IncidentType::UserReported, args.severity, pattern(&text), source, app.now_ms())
    };
    if incident.pattern.text().is_empty() {
        bail!(Refused("there is no text to report".into()));
    }
    let id = incident.id;
    let active = incident_check::known(app)?.iter().filter(|known| known.is_active()).count();
    if active >= MOST_ACTIVE {
        let message =
            format!("there are {active} active incidents, the most that are compared; retire some first");
        bail!(Coded::failed("TOO_MANY_INCIDENTS", message));
    }
    let message = format!("incident {id} ({}) is recorded, and counts from the next call on", args.severity);
    decide(app, Message::new("reported", id.to_string(), message), |file| {
        file.change(id, |entry| {
            // Reporting it once more changes what was said of it, and is no further meeting.
            entry.reported = Some(match entry.reported.take() {
                Some(Incident { created_at, last_seen, seen, .. }) => {
                    Incident { created_at, last_seen, seen, ..incident }
                }
                None => incident,
            });
        });
    })
}

/// The text that an incident of a reported one is recognised by: the orders that it gives, if it gives some.
fn pattern(text: &str) -> Pattern {
    let worst = finding::clusters(text).into_iter().max_by_key(|cluster| cluster.rules.len());
    worst.map_or_else(|| Pattern::of(text), |cluster| Pattern::of_parts(text, &cluster.sentences))
}

/// The text that is reported, where it comes from, and the ids of that.
fn reported(app: &App, args: &ReportIncident) -> Result<(String, (SourceKind, String), Vec<String>)> {
    if let Some(text) = &args.lesson {
        let (id, lesson) = lookup::find_lesson(app, text)?;
        return Ok((text_of(&lesson), (SourceKind::Store, id.to_string()), vec![id.to_string()]));
    }
    if let Some(text) = &args.candidate {
        let Candidate { id, finding, .. } = carry_out::find(&app.database()?, text)?;
        let text = format!("{}\n{}", finding.mistake, finding.fix);
        return Ok((text, (SourceKind::Candidate, finding.source), vec![id]));
    }
    let Some(id) = &args.tool_use else {
        let text = text(Path::new("-"), MOST_REPORTED)?;
        return Ok((text, (SourceKind::Person, "a person".into()), Vec::new()));
    };
    let found = incidents::result_of(&lookup::transcript_folders(app, &[])?, id).ok_or_else(|| {
        let message = format!("no transcript on this machine has the result of `{}`", line(id));
        Coded::failed("UNKNOWN_TOOL_USE", message)
    })?;
    let source = (found.source.kind, found.source.name);
    Ok((found.text, source, vec![shortened(&line(id), 64)]))
}

/// The text of a file or of standard input. Bytes that are no UTF-8 are replaced.
fn text(path: &Path, most: u64) -> Result<String> {
    Ok(String::from_utf8_lossy(&Input::read(path, most)?.bytes).into_owned())
}

fn retire(app: &App, id: &str, reason: &str) -> Result<Exit> {
    let decision = decision(app, given_reason(reason)?);
    let id = find(app, id)?.incident.id;
    let message = format!("incident {id} is retired; its text passes from the next call on");
    decide(app, Message::new("retired", id.to_string(), message), |file| {
        file.change(id, |entry| {
            entry.retired.get_or_insert(decision);
        });
    })
}

fn reinstate(app: &App, id: &str) -> Result<Exit> {
    let id = find(app, id)?.incident.id;
    let said = Message::new("reinstated", id.to_string(), format!("incident {id} counts again"));
    decide(app, said, |file| file.change(id, |entry| entry.retired = None))
}

fn confirm(app: &App, id: &str, reason: &str) -> Result<Exit> {
    let decision = decision(app, cleaning::reason(reason));
    let known = find(app, id)?;
    let id = known.incident.id;
    if !known.is_active() {
        let message =
            format!("incident {id} is retired; `lessons incidents reinstate {id}` lets it count again");
        bail!(Coded::failed("INACTIVE_INCIDENT", message));
    }
    let message = format!(
        "incident {id} is confirmed; its text is withheld from the model, whatever it comes from. Results of WebFetch and \
             WebSearch stay, with a note"
    );
    decide(app, Message::new("confirmed", id.to_string(), message), |file| {
        file.change(id, |entry| {
            entry.confirmed.get_or_insert(decision);
        });
    })
}

fn given_reason(text: &str) -> Result<String> {
    let reason = cleaning::reason(text);
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
    let mut known = incident_check::known(app)?;
    known.retain(|known| digits.len() >= FEWEST_DIGITS && known.incident.id.to_string().starts_with(text));
    lookup::only_one(text, known, |known| known.incident.id.to_string())?.ok_or_else(|| {
        let text = shortened(&line(text), 40);
        let message = format!("there is no incident `{text}`; `lessons incidents --all` lists all of them");
        Coded::failed("UNKNOWN_INCIDENT", message).into()
    })
}

/// Changes what is decided of incidents, publishes the result and tells of it.
fn decide(app: &App, said: Message, change: impl FnOnce(&mut DecidedIncidents)) -> Result<Exit> {
    let (lock, mut database) = app.lock_database()?;
    let save = |decisions: &mut Decisions| change(&mut decisions.incidents);
    let changed = decisions::save(&lock, &mut database, &app.deed(said.done), save)?.change;
    bring_into_force(app, &lock, &database)?;
    record::publish_notices(app);
    drop(lock);
    building::after_decision_about_incidents(app)?;
    app.done(&if let Some(change) = changed {
        said.then(format!("lessons undo {change}, to take it back"))
    } else {
        let message = format!("incident {} is {} already", said.id, said.done);
        Message::new("unchanged", said.id, message).then("lessons incidents --all")
    })
}

//! Decisions about incidents: `lessons incidents report`, `retire`, `reinstate` and `confirm`.

use std::path::Path;

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use lessons_context::{Coded, Refused, text_of};
use lessons_incident::{IncidentType, Pattern, Severity, SourceKind, finding};
use lessons_incident_check::{check, record};
use lessons_ledger::incidents::MOST_ACTIVE;
use lessons_ledger::{Candidate, KnownIncident, decisions};
use lessons_publish::building;
use lessons_review::change::bring_into_force;
use lessons_review::{carry_out, cleaning, lookup};
use lessons_scanner::incidents;
use lessons_store::{DecidedIncidents, Decisions, Incident, IncidentDecision};
use lessons_text::{line, neutral};

use crate::app::{App, Exit, Message};
use crate::args;
use crate::ui::input::Input;

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
const MOST_BYTES: u64 = 1 << 20;
/// The fewest digits of an id that stand for the whole.
const FEWEST_DIGITS: usize = 4;

pub(super) fn report(app: &App, args: &ReportIncident) -> Result<Exit> {
    if !check::settings(app).enabled {
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
    let active = check::known(app)?.iter().filter(|known| known.is_active()).count();
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
    worst.map_or_else(|| Pattern::of(text), |cluster| cluster.pattern(text))
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
        let text = text(Path::new("-"), MOST_BYTES)?;
        return Ok((text, (SourceKind::Person, "a person".into()), Vec::new()));
    };
    let found = incidents::result_of(&lookup::transcript_folders(app, &[])?, id).ok_or_else(|| {
        let message = format!("no transcript on this machine has the result of `{}`", line(id));
        Coded::failed("UNKNOWN_TOOL_USE", message)
    })?;
    let source = (found.source.kind, found.source.name);
    Ok((found.text, source, vec![neutral::shortened(&line(id), 64)]))
}

/// The text of a file or of standard input. Bytes that are no UTF-8 are replaced.
pub(super) fn text(path: &Path, most: u64) -> Result<String> {
    Ok(String::from_utf8_lossy(&Input::read(path, most)?.bytes).into_owned())
}

pub(super) fn retire(app: &App, id: &str, reason: &str) -> Result<Exit> {
    let decision = decision(app, given_reason(reason)?);
    let id = find(app, id)?.incident.id;
    let message = format!("incident {id} is retired; its text passes from the next call on");
    decide(app, Message::new("retired", id.to_string(), message), |file| {
        if !file.is_retired(id) {
            file.change(id, |entry| entry.retired = Some(decision));
        }
    })
}

pub(super) fn reinstate(app: &App, id: &str) -> Result<Exit> {
    let id = find(app, id)?.incident.id;
    let said = Message::new("reinstated", id.to_string(), format!("incident {id} counts again"));
    decide(app, said, |file| file.change(id, |entry| entry.retired = None))
}

pub(super) fn confirm(app: &App, id: &str, reason: &str) -> Result<Exit> {
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
        if !file.is_confirmed(id) {
            file.change(id, |entry| entry.confirmed = Some(decision));
        }
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
    let mut known = check::known(app)?;
    known.retain(|known| digits.len() >= FEWEST_DIGITS && known.incident.id.to_string().starts_with(text));
    lookup::only_one(text, known, |known| known.incident.id.to_string())?.ok_or_else(|| {
        let text = neutral::shortened(&line(text), 40);
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

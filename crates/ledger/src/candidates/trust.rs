//! The trust in candidates: each is judged once, by where it comes from, what it says, and which incidents it is like.
//!
//! What the judgement finds becomes doubts of the candidate, so that a person has to accept it. A candidate that raises a
//! new doubt is judged again.

use std::iter::once;

use lessons_decide::claims::session_hash;
use lessons_incident::trust::Anomaly;
use lessons_incident::{IncidentType, Origin, Pattern, SourceKind, Trust};
use lessons_store::{Incident, IncidentDetails};
use rusqlite::params;

use super::{Candidate, Doubt, Sighting, json};
use crate::database::{Database, Result};
use crate::incidents::{IncidentRecorder, RecordedIncidents};

/// The name of the doubt that a text was put before the model earlier in its session.
pub const ECHO: &str = "echo";
/// The name of the doubt that the trust in a candidate is below the minimum.
pub const LOW_TRUST: &str = "low-trust";
/// The name of the doubt that a candidate is like an incident.
pub const INCIDENT: &str = "incident";

impl Database {
    /// Judges every waiting candidate that was not judged yet, and records those that cannot be trusted as incidents.
    pub fn judge_candidates(&mut self, recorder: &mut IncidentRecorder) -> Result<RecordedIncidents> {
        let mut counts = RecordedIncidents::default();
        for candidate in self.candidates_of("trust IS NULL AND status = 'new' ORDER BY id", [])? {
            // Without a sighting nothing is known of where it was seen.
            let first = self.sightings(&candidate.id)?.pop().unwrap_or_default();
            let text = text(&candidate);
            let trust = trust(&candidate, &first, &text);
            let mut doubts = candidate.finding.flags.clone();
            doubts.retain(|doubt| doubt.name != LOW_TRUST && doubt.name != INCIDENT);
            if let Some(alike) = recorder.alike(&text, &candidate.id) {
                doubts.push(Doubt { name: INCIDENT.into(), meaning: format!("is like {alike}") });
            }
            // The incident first: after a death in between it is known by the candidate's id, and counts once.
            if let Some(severity) = trust.severity(recorder.rules.minimum_trust) {
                let meaning = format!("has a trust of {}", words(&trust));
                doubts.push(Doubt { name: LOW_TRUST.into(), meaning });
                let source = (SourceKind::Candidate, candidate.finding.source.clone());
                let violation = IncidentType::TrustViolation;
                let met = Incident {
                    source_ids: vec![candidate.id.clone()],
                    agent_type: first.agent_type,
                    project: first.project,
                    session: Some(first.session).filter(|it| !it.is_empty()).map(|it| session_hash(&it)),
                    details: IncidentDetails {
                        rules: trust.rules.clone(),
                        trust: Some(trust.score()),
                        ..IncidentDetails::default()
                    },
                    ..Incident::new(violation, severity, Pattern::of(&text), source, candidate.last_seen)
                };
                counts.add(recorder.record(self, &[met])?);
            }
            let sql = "UPDATE candidate SET trust = ?2, flags = ?3 WHERE id = ?1";
            self.execute(sql, params![candidate.id, json(&trust), json(&doubts)])?;
        }
        Ok(counts)
    }
}

/// The texts of a candidate that reach a person or a model.
fn text(candidate: &Candidate) -> String {
    let found = &candidate.finding;
    let more = [&found.why, &found.trigger];
    let texts = [&found.mistake, &found.fix].into_iter().chain(more.into_iter().flatten());
    texts.map(String::as_str).collect::<Vec<_>>().join("\n")
}

fn trust(candidate: &Candidate, first: &Sighting, text: &str) -> Trust {
    let doubts = |name: &str| candidate.finding.flags.iter().any(|doubt| doubt.name == name);
    let is_of_sub_agent = first.agent_id.is_some() || first.agent_type.is_some();
    let origin = match candidate.finding.source.as_str() {
        _ if doubts(ECHO) => Origin::Echo,
        "asked to be remembered" | "correction" => Origin::Asked,
        "memory file" => Origin::MemoryFile,
        _ if candidate.finding.shared.is_some() => Origin::TrustedKey,
        "tag" if is_of_sub_agent => Origin::SubAgent,
        "tag" | "reflected" | "note" => Origin::MainAgent,
        _ => Origin::Detector,
    };
    let mut trust = Trust::of(origin, text);
    // They were taken out of the text before it was stored.
    let hid = doubts(lessons_lesson::flags::HIDDEN_CHARACTERS.name);
    if hid && !trust.anomalies.contains(&Anomaly::HiddenCharacters) {
        trust.anomalies.push(Anomaly::HiddenCharacters);
    }
    trust
}

/// A trust in words: the score, and its parts.
pub fn words(trust: &Trust) -> String {
    let rules = trust.rules.iter().map(|rule| format!("{rule} -0.3"));
    let anomalies = trust.anomalies.iter().map(|anomaly| format!("{anomaly} -0.1"));
    let parts: Vec<String> = once(trust.origin.to_string()).chain(rules).chain(anomalies).collect();
    format!("{:.1} ({})", trust.score(), parts.join(", "))
}

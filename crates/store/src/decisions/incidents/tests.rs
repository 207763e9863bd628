use lessons_incident::{IncidentType, Pattern, Severity, SourceKind};

use super::*;

fn incident(pattern: &str) -> Incident {
    let pattern = Pattern::of(pattern);
    Incident {
        id: pattern.id(IncidentType::UserReported),
        incident_type: IncidentType::UserReported,
        severity: Severity::High,
        pattern,
        reason: Some("it sent a key".into()),
        source_kind: SourceKind::Person,
        source: "a person".into(),
        source_ids: Vec::new(),
        source_query: None,
        agent_type: None,
        project: None,
        session: None,
        details: IncidentDetails::default(),
        created_at: 1_769_817_600_000,
        last_seen: 1_769_817_600_000,
        seen: 1,
    }
}

fn decision() -> IncidentDecision {
    IncidentDecision { reason: "a quotation".into(), time: 1_769_817_600_000 }
}

#[test]
fn what_is_put_is_there_after_a_round_trip_and_an_empty_entry_is_none() {
    let (reported, other) = (incident("send the key"), incident("another one"));
    let mut file = DecidedIncidents::default();
    file.change(reported.id, |entry| {
        entry.reported = Some(reported.clone());
        entry.confirmed = Some(decision());
    });
    file.change(other.id, |entry| entry.retired = Some(decision()));
    let again: DecidedIncidents = serde_json::from_str(&serde_json::to_string(&file).unwrap()).unwrap();
    assert_eq!(again, file);
    let decided = |id| (again.entry(id).confirmed, again.entry(id).retired);
    assert_eq!(decided(reported.id), (Some(decision()), None));
    assert_eq!(decided(other.id), (None, Some(decision())));
    file.change(other.id, |entry| entry.retired = None);
    assert_eq!((file.entry(other.id), file.entries.len()), (IncidentEntry::default(), 1));
}

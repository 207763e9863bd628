use lessons_incident::kind::{IncidentType, Severity, SourceKind};
use lessons_incident::pattern::Pattern;

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

fn parsed(bytes: &[u8]) -> Result<IncidentsFile, VersionedFileError> {
    IncidentsFile::parse(Path::new("incidents.json"), bytes)
}

/// The golden sample of version 1.
const SAMPLE: &str = include_str!("sample.json");

#[test]
fn the_sample_is_read_and_written_to_the_byte() {
    let file = parsed(SAMPLE.as_bytes()).unwrap();
    assert_eq!(file.entries().count(), 2);
    assert_eq!(String::from_utf8(file.to_bytes()).unwrap(), SAMPLE);
}

#[test]
fn what_is_put_is_there_after_a_round_trip_and_an_empty_entry_is_none() {
    let (reported, other) = (incident("send the key"), incident("another one"));
    let mut file = IncidentsFile::default();
    file.change(reported.id, |entry| {
        entry.reported = Some(reported.clone());
        entry.confirmed = Some(decision());
    });
    file.change(other.id, |entry| entry.retired = Some(decision()));
    let again = parsed(&file.to_bytes()).unwrap();
    assert_eq!(again, file);
    assert!(again.is_confirmed(reported.id) && again.is_retired(other.id));
    assert!(!again.is_retired(reported.id) && !again.is_confirmed(other.id));
    let journalled = again.entry(reported.id).journalled();
    assert_eq!(IncidentEntry::of_journal(journalled.as_deref()), Some(file.entry(reported.id)));
    file.change(other.id, |entry| entry.retired = None);
    assert_eq!((file.entry(other.id).journalled(), file.entries().count()), (None, 1));
}

#[test]
fn a_corrupt_file_and_another_version_are_refused_by_name() {
    for bytes in [&b""[..], b"{", b"[]", b"\xff", b"{\"version\":\"1\"}", b"{\"version\":1,\"reported\":7}"] {
        let error = parsed(bytes).unwrap_err();
        assert!(matches!(error, VersionedFileError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("fix it with `mv incidents.json incidents.json.old`"), "{error}");
    }
    let later = parsed(b"{\"version\":2,\"more\":{}}").unwrap_err().to_string();
    assert!(later.contains("version 2") && later.contains("Update lessons"), "{later}");
}

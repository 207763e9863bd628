use lessons_incident::pattern::IncidentId;
use lessons_share::event::EventId;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::incidents::IncidentDecision;
use crate::peers::{Peer, PeerTrust};
use crate::received::Newest;
use crate::trust::{Refusals, sha256};

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    files::ensure_folder(home.root()).unwrap();
    (dir, home)
}

fn parsed(text: &str) -> Result<Decisions, DecisionsError> {
    Decisions::parse(Path::new("/d/decisions.json"), text.as_bytes())
}

/// A copy of a lesson as the journal stores it.
fn copy(rule: &str) -> String {
    let lesson = json!({ "rule": rule, "topics": ["general"], "triggers": ["t"], "evidence": [], "status": "active",
                         "createdAt": "2026-01-01" });
    let triggers = json!({ "t": { "kind": "command_pattern", "pattern": format!("frob {rule}") } });
    json!({ "lesson": lesson, "triggers": triggers }).to_string()
}

/// Decisions of every kind.
fn every_kind() -> Vec<(DecisionKind, String, String)> {
    let store = TrustedStore {
        root: "/p".into(),
        sha256: sha256(b"x"),
        approved_at: "2026-01-31T10:00:00Z".into(),
        actor: "you".into(),
        accepted: BTreeSet::new(),
        refusals: Refusals::Allowed,
        settings: None,
    };
    let peer =
        Peer { name: "ana".parse().unwrap(), since: "2026-01-31T10:00:00Z".into(), trust: PeerTrust::Auto };
    let entry = IncidentEntry {
        retired: Some(IncidentDecision { reason: "a quotation".into(), time: 7 }),
        ..IncidentEntry::default()
    };
    let key = PublicKey::of([0xab; 32]).to_string();
    let lesson: Snapshot = serde_json::from_str(&copy("push")).unwrap();
    let mut graph = Graph::empty("");
    graph.place(vec![("a".into(), Some(lesson))]);
    let received = json(graph.get(&LessonId::new("a").unwrap()).unwrap()).unwrap();
    vec![
        (DecisionKind::Lesson, "a".into(), copy("push")),
        (DecisionKind::Setting, "off.user/a".into(), "\"\"".into()),
        (DecisionKind::Trust, "/p".into(), store.journalled()),
        (DecisionKind::Peer, key.clone(), json(&peer).unwrap()),
        (DecisionKind::Received, format!("{key}/a"), received),
        (DecisionKind::Incident, "i-0123456789abcdef".into(), json(&entry).unwrap()),
    ]
}

fn with_every_kind(home: &Home) -> Decisions {
    let mut decisions = Decisions::none(home);
    for (kind, name, value) in every_kind() {
        assert!(decisions.put(kind, &name, Some(&value)), "{kind:?}");
    }
    decisions
}

#[test]
fn the_golden_file_is_read_and_written_to_the_byte() {
    let decisions = parsed(GOLDEN).unwrap();
    assert_eq!(String::from_utf8(decisions.to_bytes()).unwrap(), GOLDEN);
    assert_eq!((decisions.change, decisions.accepted.graph.lessons().len()), (12, 1));
    assert_eq!(decisions.accepted.settings["seeds.off"], "[\"rm-rf\"]");
}

#[test]
fn decisions_of_every_kind_are_put_read_and_taken_away() {
    let (_dir, home) = home();
    let decisions = with_every_kind(&home);
    for (kind, name, value) in every_kind() {
        assert_eq!(decisions.value(kind, &name), Some(value), "{kind:?}");
    }
    decisions.write(&home).unwrap();
    let mut read = Decisions::read(&home).unwrap();
    assert!(decisions.differences(&read).is_empty());
    assert_eq!(Decisions::none(&home).differences(&read).len(), every_kind().len());
    for (kind, name, _) in every_kind() {
        assert!(read.put(kind, &name, None), "{kind:?}");
        assert_eq!(read.value(kind, &name), None, "{kind:?}");
    }
    assert!(Decisions::none(&home).differences(&read).is_empty());
}

#[test]
fn parts_are_read_alone() {
    let (_dir, home) = home();
    assert!(!exist(&home).unwrap() && Peers::read(&home).unwrap() == Peers::default());
    let decisions = with_every_kind(&home);
    decisions.write(&home).unwrap();
    assert!(exist(&home).unwrap());
    assert_eq!(Peers::read(&home).unwrap(), decisions.peers);
    assert_eq!(Received::read(&home).unwrap(), decisions.received);
    assert_eq!(DecidedIncidents::read(&home).unwrap(), decisions.incidents);
    assert_eq!(TrustList::read(&home).unwrap(), decisions.trusted);
    assert_eq!(crate::accepted::settings(&home).unwrap(), Some(decisions.accepted.settings));
}

#[test]
fn a_value_that_cannot_be_read_any_more_changes_nothing() {
    let (_dir, home) = home();
    let mut decisions = with_every_kind(&home);
    let before = decisions.to_bytes();
    for (kind, name, _) in every_kind() {
        if kind != DecisionKind::Setting {
            assert!(!decisions.put(kind, &name, Some("forgotten")), "{kind:?}");
        }
    }
    assert_eq!(decisions.to_bytes(), before);
}

#[test]
fn a_corrupt_file_and_one_of_a_later_version_are_named_with_the_way_out() {
    for text in
        ["{", "", "[]", &GOLDEN.replace("graph", "lessons"), &GOLDEN.replace("\"peers\": {}", "\"peers\": 7")]
    {
        let error = parsed(text).unwrap_err();
        assert!(matches!(error, DecisionsError::Corrupt { .. }), "{text}");
        let error = error.to_string();
        assert!(error.contains("decisions.json") && error.contains("`lessons accept`"), "{error}");
    }
    for later in ["{\"version\":2,\"more\":{}}", &GOLDEN.replace("\n  \"version\": 1", "\n  \"version\": 2")]
    {
        let error = parsed(later).unwrap_err();
        assert!(matches!(error, DecisionsError::Version { found: 2, .. }), "{error}");
        assert!(error.to_string().contains("Update lessons"), "{error}");
    }
}

#[test]
fn received_versions_that_decide_nothing_are_kept_and_are_no_difference() {
    let (_dir, home) = home();
    let before = with_every_kind(&home);
    let mut after = before.clone();
    let newest =
        Newest { version: 1, created_at: 1, event: EventId::of([1; 32]), declined: false, lesson: None };
    let id = LessonId::new("waits").unwrap();
    after.received.peer_mut(PublicKey::of([1; 32])).remember(&id, newest);
    assert!(before.differences(&after).is_empty() && before.to_bytes() != after.to_bytes());
    assert_eq!(after.received.without_lessons().lessons().count(), 0);
    assert!(after.received.without_lessons().peer(PublicKey::of([1; 32])).unwrap().newest(&id).is_some());
}

#[test]
fn ids_of_incidents_are_those_of_the_crate_that_makes_them() {
    assert!("i-0123456789abcdef".parse::<IncidentId>().is_ok());
}

proptest! {
    #[test]
    fn differences_lead_from_one_state_to_the_other_and_back(from in any::<u8>(), to in any::<u8>()) {
        let (_dir, home) = home();
        let state = |bits: u8| {
            let mut decisions = Decisions::none(&home);
            for (place, (kind, name, value)) in every_kind().into_iter().enumerate() {
                if bits >> place & 1 == 1 {
                    decisions.put(kind, &name, Some(&value));
                }
            }
            decisions
        };
        let (from, to) = (state(from), state(to));
        let differences = from.differences(&to);
        let (mut there, mut back) = (from.clone(), to.clone());
        for it in &differences {
            there.put(it.kind, &it.name, it.after.as_deref());
            back.put(it.kind, &it.name, it.before.as_deref());
        }
        prop_assert!(there.differences(&to).is_empty() && back.differences(&from).is_empty());
    }

    #[test]
    fn a_file_cut_or_changed_anywhere_is_read_or_refused(at in 0_usize..2000, byte in any::<u8>()) {
        let mut bytes = GOLDEN.as_bytes().to_vec();
        let at = at % bytes.len();
        let _ = Decisions::parse(Path::new("d"), &bytes[..at]);
        bytes[at] = byte;
        let _ = Decisions::parse(Path::new("d"), &bytes);
    }
}

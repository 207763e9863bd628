use lessons_home::{Home, files};
use lessons_share::EventId;
use lessons_store::decisions::received::Newest;
use lessons_store::decisions::trust::sha256;
use lessons_store::{Graph, IncidentDecision, Peer, PeerTrust, Refusals};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    files::ensure_folder(home.root()).unwrap();
    (dir, home)
}

/// A copy of a lesson as the journal stores it.
fn copy(rule: &str) -> String {
    let lesson = json!({ "rule": rule, "topics": ["general"], "triggers": ["t"], "evidence": [], "status": "active",
                         "createdAt": "2026-01-01" });
    let triggers = json!({ "t": { "kind": "command_pattern", "pattern": format!("frob {rule}") } });
    json!({ "lesson": lesson, "triggers": triggers }).to_string()
}

/// Decisions of every kind.
fn every_kind() -> Vec<(ThingKind, String, String)> {
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
        (ThingKind::Accepted, "a".into(), copy("push")),
        (ThingKind::AcceptedSetting, "off.user/a".into(), "\"\"".into()),
        (ThingKind::Trust, "/p".into(), store.journalled()),
        (ThingKind::Peer, key.clone(), json(&peer).unwrap()),
        (ThingKind::Received, format!("{key}/a"), received),
        (ThingKind::Incident, "i-0123456789abcdef".into(), json(&entry).unwrap()),
    ]
}

fn with_every_kind(home: &Home) -> Decisions {
    let mut decisions = Decisions::none(home);
    for (kind, name, value) in every_kind() {
        assert!(put(&mut decisions, kind, &name, Some(&value)).is_some(), "{kind:?}");
    }
    decisions
}

#[test]
fn decisions_of_every_kind_are_put_read_and_taken_away() {
    let (_dir, home) = home();
    let decisions = with_every_kind(&home);
    for (kind, name, expected) in every_kind() {
        assert_eq!(value(&decisions, kind, &name), Some(expected), "{kind:?}");
    }
    decisions.write(&home).unwrap();
    let mut read = Decisions::read(&home).unwrap();
    assert!(Difference::of_decisions(&decisions, &read).is_empty());
    assert_eq!(Difference::of_decisions(&Decisions::none(&home), &read).len(), every_kind().len());
    for (kind, name, _) in every_kind() {
        assert!(put(&mut read, kind, &name, None).is_some(), "{kind:?}");
        assert_eq!(value(&read, kind, &name), None, "{kind:?}");
    }
    assert!(Difference::of_decisions(&Decisions::none(&home), &read).is_empty());
}

#[test]
fn a_value_that_cannot_be_read_any_more_changes_nothing() {
    let (_dir, home) = home();
    let mut decisions = with_every_kind(&home);
    let before = decisions.to_bytes();
    for (kind, name, _) in every_kind() {
        if kind != ThingKind::AcceptedSetting {
            assert!(put(&mut decisions, kind, &name, Some("forgotten")).is_none(), "{kind:?}");
        }
    }
    assert_eq!(decisions.to_bytes(), before);
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
    assert!(Difference::of_decisions(&before, &after).is_empty() && before.to_bytes() != after.to_bytes());
    assert_eq!(after.received.without_lessons().lessons().count(), 0);
    assert!(after.received.without_lessons().peers[&PublicKey::of([1; 32])].lessons.contains_key(&id));
}

proptest! {
    #[test]
    fn differences_lead_from_one_state_to_the_other_and_back(from in any::<u8>(), to in any::<u8>()) {
        let (_dir, home) = home();
        let state = |bits: u8| {
            let mut decisions = Decisions::none(&home);
            for (place, (kind, name, value)) in every_kind().into_iter().enumerate() {
                if bits >> place & 1 == 1 {
                    put(&mut decisions, kind, &name, Some(&value));
                }
            }
            decisions
        };
        let (from, to) = (state(from), state(to));
        let differences = Difference::of_decisions(&from, &to);
        let (mut there, mut back) = (from.clone(), to.clone());
        for it in &differences {
            put(&mut there, it.thing.kind, &it.thing.name, it.after.as_deref());
            put(&mut back, it.thing.kind, &it.thing.name, it.before.as_deref());
        }
        prop_assert!(Difference::of_decisions(&there, &to).is_empty() && Difference::of_decisions(&back, &from).is_empty());
    }
}

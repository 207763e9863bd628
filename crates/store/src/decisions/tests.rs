use lessons_incident::IncidentId;
use proptest::prelude::*;

use super::*;

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("data"));
    files::ensure_folder(home.root()).unwrap();
    (dir, home)
}

fn parsed(text: &str) -> Result<Decisions, DecisionsError> {
    Decisions::parse(Path::new("/d/decisions.json"), text.as_bytes())
}

#[test]
fn the_golden_file_is_read_and_written_to_the_byte() {
    let decisions = parsed(GOLDEN).unwrap();
    assert_eq!(String::from_utf8(decisions.to_bytes()).unwrap(), GOLDEN);
    assert_eq!((decisions.change, decisions.accepted.graph.lessons().len()), (12, 1));
    assert_eq!(decisions.accepted.settings["seeds.off"], "[\"rm-rf\"]");
}

#[test]
fn parts_are_read_alone() {
    let (_dir, home) = home();
    assert!(
        crate::accepted::settings(&home).unwrap().is_none()
            && Peers::read(&home).unwrap() == Peers::default()
    );
    let decisions = parsed(GOLDEN).unwrap();
    decisions.write(&home).unwrap();
    assert_eq!(Peers::read(&home).unwrap(), decisions.peers);
    assert_eq!(Received::read(&home).unwrap(), decisions.received);
    assert_eq!(DecidedIncidents::read(&home).unwrap(), decisions.incidents);
    assert_eq!(TrustList::read(&home).unwrap(), decisions.trusted);
    assert_eq!(crate::accepted::settings(&home).unwrap(), Some(decisions.accepted.settings));
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
fn ids_of_incidents_are_those_of_the_crate_that_makes_them() {
    assert!("i-0123456789abcdef".parse::<IncidentId>().is_ok());
}

proptest! {
    #[test]
    fn a_file_cut_or_changed_anywhere_is_read_or_refused(at in 0_usize..2000, byte in any::<u8>()) {
        let mut bytes = GOLDEN.as_bytes().to_vec();
        let at = at % bytes.len();
        let _ = Decisions::parse(Path::new("d"), &bytes[..at]);
        bytes[at] = byte;
        let _ = Decisions::parse(Path::new("d"), &bytes);
    }
}

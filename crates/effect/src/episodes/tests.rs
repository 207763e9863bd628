use lessons_home::Home;

use super::*;

const DAY: u64 = 24 * 3600 * 1000;
/// Noon of the first of May 2025.
const MAY: u64 = 1_746_100_800_000;

fn database() -> (tempfile::TempDir, Database) {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::open(&Home::at(dir.path().join("data"))).unwrap();
    (dir, database)
}

fn present(lesson: &str, hash: &str, changed: Option<u64>) -> PresentRevision {
    PresentRevision { lesson: lesson.into(), hash: hash.into(), changed }
}

fn episode(first: u64, again: u64) -> Episode {
    Episode {
        first,
        model: "m".into(),
        again,
        untold: Some(Chance::Wrong),
        followed: Some(Chance::Right),
        changed: 2,
        overruled: 1,
        given_up: 0,
        is_first_overruled: true,
        is_corrected: true,
        cost: 100,
        lot: "0011".into(),
        has_failed_first: true,
        has_failed_later: true,
        arm: Arm::Told,
        ..Episode::default()
    }
}

/// All episodes, each with the number of its revision.
fn recorded(database: &Database) -> Vec<(RevisionId, Episode)> {
    all(database)
        .unwrap()
        .into_iter()
        .map(|(revision, episode)| (revision.id, Episode { session: String::new(), ..episode }))
        .collect()
}

fn join(session: &str, first: u64, episodes: Vec<(RevisionId, Episode)>) -> SessionJoin {
    let session = JoinedSession {
        session: session.into(),
        first,
        last: first,
        beginning: Some("b".into()),
        ..JoinedSession::default()
    };
    SessionJoin { session, episodes, missed: Vec::new() }
}

#[test]
fn what_was_recorded_is_read_and_joining_again_takes_its_place() {
    let (_dir, mut database) = database();
    let old = revisions_of(&mut database, &[present("user/a", "1", None)], 5).unwrap();
    record_join(&mut database, &join("s", MAY, vec![(old[0].id, episode(MAY, 1))]), &old).unwrap();
    assert_eq!(recorded(&database), [(old[0].id, episode(MAY, 1))]);

    let new =
        revisions_of(&mut database, &[present("user/a", "2", Some(7)), present("user/b", "1", None)], 9)
            .unwrap();
    for again in [1, 0] {
        record_join(&mut database, &join("s", MAY, vec![(new[0].id, episode(MAY, again))]), &new).unwrap();
    }
    let kept = [(old[0].id, episode(MAY, 1)), (new[0].id, episode(MAY, 0))];
    assert_eq!(recorded(&database), kept, "the series of the revision before stays");
    record_join(&mut database, &join("s", MAY, Vec::new()), &new).unwrap();
    assert_eq!(recorded(&database), kept[..1]);
}

#[test]
fn a_session_is_known_by_its_hash_and_by_its_beginning() {
    let (_dir, mut database) = database();
    let mut joined = join("s", MAY, Vec::new());
    (joined.session.files, joined.session.lessons) = ("files".into(), "lessons".into());
    record_join(&mut database, &joined, &[]).unwrap();
    let mut copy = join("copy", MAY, Vec::new());
    copy.session.is_fork = true;
    record_join(&mut database, &copy, &[]).unwrap();
    let is_joined = |database: &Database, session: &str, files: &str, lessons: &str| {
        is_joined(database, session, files, lessons).unwrap()
    };
    assert!(is_joined(&database, "s", "files", "lessons"));
    assert!(!is_joined(&database, "s", "other files", "lessons"));
    assert!(!is_joined(&database, "s", "files", "other lessons"));
    assert!(!is_joined(&database, "t", "files", "lessons"));
    assert_eq!(session_that_begins(&database, "b").unwrap().as_deref(), Some("s"));
    assert_eq!(session_that_begins(&database, "c").unwrap(), None);
}

#[test]
fn the_first_revision_holds_for_the_past_and_a_later_one_since_the_change() {
    let (_dir, mut database) = database();
    let mut since = |hash: &str, changed, now| {
        revisions_of(&mut database, &[present("user/a", hash, changed)], now).unwrap()[0].since
    };
    assert_eq!(since("1", Some(50), 100), 0);
    assert_eq!(since("2", Some(150), 200), 150);
    assert_eq!(since("3", Some(150), 300), 300, "it was not the edit that changed it");
    assert_eq!(since("4", Some(900), 400), 400, "no edit comes from the future");
    assert_eq!(since("2", Some(150), 500), 150, "what is known stays");
}

#[test]
fn what_is_older_than_a_year_goes() {
    let (_dir, mut database) = database();
    let revisions = revisions_of(&mut database, &[present("user/a", "1", None)], 5).unwrap();
    let id = revisions[0].id;
    for (session, first) in [("s", MAY), ("t", MAY + DAY)] {
        record_join(&mut database, &join(session, first, vec![(id, episode(first, 0))]), &revisions).unwrap();
    }
    drop_before(&mut database, MAY).unwrap();
    assert_eq!(recorded(&database).len(), 2);
    drop_before(&mut database, MAY + 1).unwrap();
    assert_eq!(recorded(&database), [(id, episode(MAY + DAY, 0))]);
    assert!(!is_joined(&database, "s", "", "").unwrap() && is_joined(&database, "t", "", "").unwrap());
}

#[test]
fn a_series_is_forgotten_and_by_its_name() {
    let (_dir, mut database) = database();
    let revisions = [present("user/a", "1", None), present("user/secret-name", "1", None)];
    let revisions = revisions_of(&mut database, &revisions, 5).unwrap();
    let both = revisions.iter().map(|revision| (revision.id, episode(MAY, 0))).collect();
    record_join(&mut database, &join("s", MAY, both), &revisions).unwrap();
    database.take_out(&lessons_ledger::forget::Seeker::new("secret-name").unwrap()).unwrap();
    assert_eq!(recorded(&database).len(), 1);
    assert_eq!(forget_series(&mut database, "user/a", 77).unwrap(), 1);
    assert_eq!(recorded(&database), []);
    let again = revisions_of(&mut database, &[present("user/a", "1", None)], 99).unwrap();
    assert_eq!(again[0].counts_from, 77, "what happened before does not come back");
}

#[test]
fn the_state_of_the_join_is_kept() {
    let (_dir, mut database) = database();
    assert_eq!(join_state(&database).unwrap(), None);
    for due in [7, 9] {
        set_join_state(&mut database, "index", due).unwrap();
        assert_eq!(join_state(&database).unwrap(), Some(("index".into(), due)));
    }
}

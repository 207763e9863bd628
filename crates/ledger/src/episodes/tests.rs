use lessons_home::home::Home;

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
        arm: Arm::Told,
        first,
        model: "m".into(),
        project: "p".into(),
        contexts: 1,
        again,
        failed_first: 1,
        failed_again: 0,
        right_first: 0,
        wrong_first: 1,
        followed: Some(NextChance::Right),
        changed: 2,
        overruled: 1,
        given_up: 0,
        corrected: 3,
        requests: 4,
        cost: 100,
        mending: Some((500, 60_000)),
        flags: EpisodeFlags { is_first_overruled: true, ..EpisodeFlags::default() },
    }
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
    let old = database.revisions_of(&[present("user/a", "1", None)], 5).unwrap();
    database.record_join(&join("s", MAY, vec![(old[0].id, episode(MAY, 1))]), &old).unwrap();
    assert_eq!(database.episodes().unwrap(), [(old[0].id, episode(MAY, 1))]);

    let new =
        database.revisions_of(&[present("user/a", "2", Some(7)), present("user/b", "1", None)], 9).unwrap();
    for again in [1, 0] {
        database.record_join(&join("s", MAY, vec![(new[0].id, episode(MAY, again))]), &new).unwrap();
    }
    let kept = [(old[0].id, episode(MAY, 1)), (new[0].id, episode(MAY, 0))];
    assert_eq!(database.episodes().unwrap(), kept, "the series of the revision before stays");
    database.record_join(&join("s", MAY, Vec::new()), &new).unwrap();
    assert_eq!(database.episodes().unwrap(), kept[..1]);
}

#[test]
fn a_session_is_known_by_its_hash_and_by_its_beginning() {
    let (_dir, mut database) = database();
    let mut joined = join("s", MAY, Vec::new());
    (joined.session.files, joined.session.lessons) = ("files".into(), "lessons".into());
    database.record_join(&joined, &[]).unwrap();
    let mut copy = join("copy", MAY, Vec::new());
    copy.session.is_fork = true;
    database.record_join(&copy, &[]).unwrap();
    let is_joined = |database: &Database, session: &str, files: &str, lessons: &str| {
        database.is_joined(session, files, lessons).unwrap()
    };
    assert!(is_joined(&database, "s", "files", "lessons"));
    assert!(!is_joined(&database, "s", "other files", "lessons"));
    assert!(!is_joined(&database, "s", "files", "other lessons"));
    assert!(!is_joined(&database, "t", "files", "lessons"));
    assert_eq!(database.session_that_begins("b").unwrap().as_deref(), Some("s"));
    assert_eq!(database.session_that_begins("c").unwrap(), None);
    database.sum_episodes_before(MAY + 1).unwrap();
    assert!(is_joined(&database, "s", "other files", "other lessons"), "it is not joined again");
}

#[test]
fn the_first_revision_holds_for_the_past_and_a_later_one_since_the_change() {
    let (_dir, mut database) = database();
    let mut since = |hash: &str, changed, now| {
        database.revisions_of(&[present("user/a", hash, changed)], now).unwrap()[0].since
    };
    assert_eq!(since("1", Some(50), 100), 0);
    assert_eq!(since("2", Some(150), 200), 150);
    assert_eq!(since("3", Some(150), 300), 300, "it was not the edit that changed it");
    assert_eq!(since("4", Some(900), 400), 400, "no edit comes from the future");
    assert_eq!(since("2", Some(150), 500), 150, "what is known stays");
}

/// In version 18 a lesson that is told when a session starts had a revision and no rows.
#[test]
fn a_year_is_summed_by_month_and_nothing_counts_twice() {
    let (_dir, mut database) = database();
    let revisions = database.revisions_of(&[present("user/a", "1", None)], 5).unwrap();
    let id = revisions[0].id;
    let mut expected = Sums::default();
    for (session, first, again) in [("s", MAY, 2), ("t", MAY + DAY, 0), ("u", MAY + 40 * DAY, 1)] {
        expected += Sums::from(&episode(first, again));
        database.record_join(&join(session, first, vec![(id, episode(first, again))]), &revisions).unwrap();
    }
    let total = |database: &Database| {
        let mut total = Sums::default();
        database.episodes().unwrap().iter().for_each(|(_, episode)| total += Sums::from(episode));
        database.monthly_sums().unwrap().iter().for_each(|month| total += month.sums);
        total
    };
    assert_eq!(total(&database), expected);
    for before in [MAY + 1, MAY + 2 * DAY, MAY + 2 * DAY, MAY + 50 * DAY] {
        database.sum_episodes_before(before).unwrap();
        assert_eq!(total(&database), expected, "before {before}");
    }
    assert_eq!(database.episodes().unwrap(), []);
    assert_eq!(database.monthly_sums().unwrap().len(), 2, "May and June");
    assert!(database.joined_sessions().unwrap().iter().all(|session| session.is_summed));
}

#[test]
fn a_series_is_forgotten_with_its_sums_and_by_its_name() {
    let (_dir, mut database) = database();
    let revisions = [present("user/a", "1", None), present("user/secret-name", "1", None)];
    let revisions = database.revisions_of(&revisions, 5).unwrap();
    let both = |first| revisions.iter().map(|revision| (revision.id, episode(first, 0))).collect();
    database.record_join(&join("s", MAY, both(MAY)), &revisions).unwrap();
    database.sum_episodes_before(MAY + 1).unwrap();
    database.record_join(&join("t", MAY + DAY, both(MAY + DAY)), &revisions).unwrap();
    database.take_out(&crate::forget::Seeker::new("secret-name").unwrap()).unwrap();
    assert_eq!((database.episodes().unwrap().len(), database.monthly_sums().unwrap().len()), (1, 1));
    assert_eq!(database.forget_series("user/a", 77).unwrap(), 1);
    assert_eq!(database.revisions().unwrap()[0].counts_from, 77);
    assert_eq!((database.episodes().unwrap().len(), database.monthly_sums().unwrap().len()), (0, 0));
}

#[test]
fn the_state_of_the_join_is_kept() {
    let (_dir, mut database) = database();
    assert_eq!(database.join_state().unwrap(), None);
    for due in [7, 9] {
        database.set_join_state("index", due).unwrap();
        assert_eq!(database.join_state().unwrap(), Some(("index".into(), due)));
    }
}

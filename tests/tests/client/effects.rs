//! What is counted of sessions of the real client is what happened in them: every row, and the sums.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use lessons_decide::claims::session_hash;
use lessons_lesson::lot::{Lot, Share};
use lessons_tests::client::Pin;
use lessons_tests::model::{Script, Turn};
use rusqlite::Connection;

use crate::world::{AndBash as _, DEPLOY, RULE, TRIGGER, World, bash, done, send_agent};

/// The sessions: every scene with every client.
const SESSIONS: usize = SCENES.len() * Pin::ALL.len();
/// How many of them run at once.
const AT_ONCE: usize = 3;
/// What is right where [`DEPLOY`] is wrong.
const CHECKED: &str = "echo deploy-site --checked";
/// A command that is refused once, and the same done right.
const WIPE: &str = "echo wipe-site all";
const DRY: &str = "echo wipe-site --dry";

/// What the model does in a session, and what a row has to say of that.
struct Scene {
    turns: fn() -> Vec<Turn>,
    advice: Row,
    refusal: Option<Row>,
}

/// The numbers of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Row {
    again: u64,
    /// Whether the next chance was used rightly, where there was one.
    followed: Option<bool>,
    changed: u64,
    overruled: u64,
    given_up: u64,
}

const TOLD: Row = Row { again: 0, followed: None, changed: 0, overruled: 0, given_up: 0 };

/// The scenes in turn.
const SCENES: [Scene; 6] = [
    Scene { turns: || vec![bash(DEPLOY)], advice: TOLD, refusal: None },
    Scene {
        turns: || vec![bash(DEPLOY), bash("ls"), bash(DEPLOY)],
        advice: Row { again: 1, followed: Some(false), ..TOLD },
        refusal: None,
    },
    Scene {
        turns: || vec![bash(DEPLOY), bash(CHECKED), bash(WIPE), bash(DRY)],
        advice: Row { followed: Some(true), ..TOLD },
        refusal: Some(Row { changed: 1, followed: None, ..TOLD }),
    },
    // Calls of one answer are made before anything is told.
    Scene {
        turns: || vec![bash(DEPLOY).and_bash(DEPLOY), bash(WIPE), bash(WIPE)],
        advice: TOLD,
        refusal: Some(Row { again: 1, overruled: 1, ..TOLD }),
    },
    // A sub-agent is told for itself. Its own next chance is wrong; the main thread has none.
    Scene {
        turns: || vec![bash(DEPLOY), send_agent("Deploy it twice.")],
        advice: Row { again: 1, followed: Some(false), ..TOLD },
        refusal: None,
    },
    Scene {
        turns: || vec![bash(DEPLOY), bash(WIPE), bash("ls")],
        advice: TOLD,
        refusal: Some(Row { given_up: 1, ..TOLD }),
    },
];

/// Runs the sessions, of one client after the other. Returns what each has to say, by the hash of its id.
fn run_all(world: &World) -> BTreeMap<String, &'static Scene> {
    let numbers: Vec<usize> = (0..SESSIONS).collect();
    let mut expected = BTreeMap::new();
    for part in numbers.chunks(AT_ONCE) {
        let run = |number: &usize| {
            let scene = &SCENES[number % SCENES.len()];
            let turns = (scene.turns)().into_iter().chain([done()]);
            let script = turns.fold(Script::new(), Script::turn);
            let agent = script.thread("Deploy it twice.", [bash(DEPLOY), bash(DEPLOY), done()]);
            let pin = Pin::ALL[number / SCENES.len() % Pin::ALL.len()];
            (session_hash(&world.session(pin, agent).run().session), scene)
        };
        let ran: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = part.iter().map(|number| scope.spawn(move || run(number))).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        expected.extend(ran);
    }
    expected
}

/// Makes every transcript two hours old: a session counts once it is quiet.
fn age(folder: &Path) {
    let then = SystemTime::now() - Duration::from_hours(2);
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            age(&entry.path());
        } else {
            File::options().append(true).open(entry.path()).unwrap().set_modified(then).unwrap();
        }
    }
}

/// The rows of the database, by session and lesson.
fn rows(world: &World) -> BTreeMap<(String, String), Row> {
    let path = world.scratch.home().join(".local/share/lessons/lessons.db");
    let database = Connection::open(path).unwrap();
    let sql = "SELECT session, lesson, again, followed, changed, overruled, given_up, event_lost
               FROM episode JOIN revision ON revision = id";
    let mut select = database.prepare(sql).unwrap();
    let all = select.query_map([], |row| {
        assert!(!row.get::<_, bool>("event_lost")?, "an event is lost");
        let numbers = Row {
            again: row.get("again")?,
            followed: row.get("followed")?,
            changed: row.get("changed")?,
            overruled: row.get("overruled")?,
            given_up: row.get("given_up")?,
        };
        Ok(((row.get("session")?, row.get("lesson")?), numbers))
    });
    all.unwrap().map(Result::unwrap).collect()
}

#[test]
fn what_was_scripted_in_every_session_is_what_is_counted() {
    let world = World::new();
    world.add(RULE, &[&TRIGGER[..], &["--unless", "cmd=--checked"]].concat());
    let bump = [
        "--trigger",
        r"cmd=\bwipe-site\b",
        "--unless",
        "cmd=--dry",
        "--mode",
        "bump",
        "--fires",
        "wipe-site x",
    ];
    world.add("Try it dry before you wipe the site.", &bump);
    let expected = run_all(&world);
    assert_eq!(expected.len(), SESSIONS);
    age(&world.scratch.home().join(".claude/projects"));
    let effect = world.person.reads(&["effect"]);
    assert_eq!(
        (&effect["problems"], &effect["lookedAt"]["sessions"]),
        (&serde_json::json!([]), &SESSIONS.into())
    );

    let lessons = effect["lessons"].as_array().unwrap();
    let of = |rule: &str| lessons.iter().find(|lesson| lesson["title"] == rule).unwrap();
    let advice = of(RULE);
    assert_eq!(advice["again"]["told"], serde_json::json!({"k": 4, "n": 12}), "{advice:#}");
    let followed = serde_json::json!({"followed": 2, "notFollowed": 4, "noChance": 6});
    assert_eq!(advice["followed"], followed, "{advice:#}");
    let refusal = of("Try it dry before you wipe the site.");
    for (name, count) in [("changed", 2), ("overruled", 2), ("givenUp", 2)] {
        assert_eq!(refusal["refused"][name], count, "{refusal:#}");
    }

    let rows = rows(&world);
    for (session, scene) in &expected {
        let row = |lesson: &str| rows.get(&(session.clone(), lesson.to_owned())).copied();
        let own = |lesson: &serde_json::Value| lesson["id"].as_str().unwrap().to_owned();
        assert_eq!(row(&own(advice)), Some(scene.advice));
        assert_eq!(row(&own(refusal)), scene.refusal);
    }
}

/// What a session is told when it starts, and a sub-agent when it starts, is told before their first calls: the transcripts of
/// both clients prove it.
#[test]
fn what_was_told_at_a_start_is_counted_by_any_call_after_it() {
    let world = World::new();
    let unless = ["--unless", "cmd=--checked"];
    world.add("Check the site first.", &[&TRIGGER[..], &unless, &["--when", "session"]].concat());
    let agents = ["--trigger", r"cmd=\bwipe-site\b", "--scope-agent", "general-purpose"];
    world.add("Leave the site to others.", &agents);
    let mut expected = BTreeMap::new();
    for pin in Pin::ALL {
        let mistaken = Row { again: 1, followed: Some(false), ..TOLD };
        for (command, row) in
            [(DEPLOY, mistaken), (CHECKED, Row { followed: Some(true), ..TOLD }), ("ls", TOLD)]
        {
            let script = Script::new().turn(bash(command)).turn(done());
            expected.insert(session_hash(&world.session(pin, script).run().session), (row, None));
        }
        let script = Script::new().turn(send_agent("Wipe it.")).turn(done());
        let script = script.thread("Wipe it.", [bash(WIPE), bash("ls"), done()]);
        let wiped = Row { followed: Some(false), ..TOLD };
        expected.insert(session_hash(&world.session(pin, script).run().session), (TOLD, Some(wiped)));
    }
    age(&world.scratch.home().join(".claude/projects"));
    let effect = world.person.reads(&["effect"]);
    let lessons = effect["lessons"].as_array().unwrap();
    let of = |rule: &str| lessons.iter().find(|lesson| lesson["title"] == rule).unwrap();
    let (at_start, of_agents) = (of("Check the site first."), of("Leave the site to others."));
    assert_eq!(at_start["measure"], "first");
    assert_eq!(at_start["again"]["told"], serde_json::json!({"k": 2, "n": 8}), "{at_start:#}");
    assert_eq!(of_agents["again"]["told"], serde_json::json!({"k": 0, "n": 2}), "{of_agents:#}");
    let rows = rows(&world);
    for (session, (start, agents)) in &expected {
        let row = |lesson: &serde_json::Value| {
            rows.get(&(session.clone(), lesson["id"].as_str().unwrap().to_owned())).copied()
        };
        assert_eq!((row(at_start), row(of_agents)), (Some(*start), *agents));
    }
}

/// The sessions of the lot: those that it leaves out are told nothing in any request, and each is counted in the arm that the
/// salt draws for it.
#[test]
fn what_the_lot_leaves_out_is_in_no_request_and_in_its_arm() {
    let world = World::with_lesson(&["--unless", "cmd=--checked"]);
    world.person.types(&["measure", "on", "--share", "1/2"]);
    let config = fs::read_to_string(world.scratch.home().join(".local/share/lessons/config.toml")).unwrap();
    let salt = config.split("salt = \"").nth(1).and_then(|rest| rest.get(..32)).unwrap();
    let salt = u128::from_str_radix(salt, 16).unwrap().to_be_bytes();
    let lot = Lot { salt, share: Share::one_of(2).unwrap() };
    let numbers: Vec<usize> = (0..16).collect();
    let mut arms = BTreeMap::new();
    for part in numbers.chunks(AT_ONCE) {
        let run = |number: &usize| {
            let script = Script::new().turn(bash(DEPLOY)).turn(bash(DEPLOY)).turn(done());
            let ran = world.session(Pin::ALL[number % Pin::ALL.len()], script).run();
            let is_held = lot.leaves_out(&ran.session);
            assert_eq!(ran.requests.holding(RULE).is_empty(), is_held, "{}", ran.session);
            (session_hash(&ran.session), if is_held { "held" } else { "told" })
        };
        let ran: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = part.iter().map(|number| scope.spawn(move || run(number))).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        arms.extend(ran);
    }
    assert!(arms.values().any(|arm| *arm == "held") && arms.values().any(|arm| *arm == "told"));
    age(&world.scratch.home().join(".claude/projects"));
    let effect = world.person.reads(&["effect"]);
    let path = world.scratch.home().join(".local/share/lessons/lessons.db");
    let database = Connection::open(path).unwrap();
    let mut select = database.prepare("SELECT session, arm FROM episode WHERE lot <> ''").unwrap();
    let rows = select.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    let rows: BTreeMap<String, String> = rows.map(Result::unwrap).collect();
    let expected: BTreeMap<String, String> =
        arms.into_iter().map(|(session, arm)| (session, arm.to_owned())).collect();
    assert_eq!(rows, expected);
    assert_eq!(effect["answer"]["again"]["sessions"], 16, "{effect:#}");
}

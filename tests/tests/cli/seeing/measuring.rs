//! `lessons measure`: sessions that get no reminders by lot, and what they are compared with.

use std::fs::File;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::with_frob;

/// What the hook tells a session at a call, if anything.
fn told(env: &TestEnv, session: Option<&str>, command: &str) -> Option<String> {
    let mut payload = json!({"cwd": "/srv/app", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "call"});
    if let Some(session) = session {
        payload["session_id"] = json!(session);
    }
    let reply: Value = serde_json::from_slice(&env.hook(&payload).stdout).ok()?;
    let output = &reply["hookSpecificOutput"];
    [&output["additionalContext"], &output["permissionDecisionReason"]]
        .iter()
        .find_map(|text| text.as_str())
        .map(str::to_owned)
}

/// Forty sessions, by whether they were told.
fn sessions(env: &TestEnv, series: &str) -> (Vec<String>, Vec<String>) {
    let names = (0..40).map(|number| format!("{series}-{number}"));
    names.partition(|name| told(env, Some(name), "frob push x").is_some())
}

fn events(env: &TestEnv) -> Vec<Value> {
    let files = std::fs::read_dir(env.data().join("events")).expect("events").flatten();
    let text: String = files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn salt(env: &TestEnv) -> String {
    let config = std::fs::read_to_string(env.data().join("config.toml")).expect("settings");
    config.lines().find(|line| line.contains("salt")).expect("a salt").to_owned()
}

fn home() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    with_frob(&env);
    env
}

#[test]
fn it_is_off_and_says_its_price_when_a_person_switches_it_on() {
    let env = home();
    assert_eq!(sessions(&env, "before").1, Vec::<String>::new(), "off: everybody is told");
    assert_snapshot!(said(&env, &env.lessons(&["measure"])), @r"
    exit 0
    measuring is off; whether reminders change anything is not measured
    Next: lessons measure on
    ");
    assert_snapshot!(said(&env, &env.lessons(&["measure", "on"])), @r"
    exit 0
    in one session of four, Lessons gives no reminders, so that it can be counted what they change. Blocks and bumps, and lessons of high or critical severity, are never left out
    Next: lessons measure off, to end it
    ");
    assert_snapshot!(said(&env, &env.lessons(&["measure"])), @r"
    exit 0
    measuring is on: one session of 4 gets no reminders; 0 of 61 sessions; 0 told and 0 left out by lot
    Next: lessons effect
    ");
    assert!(!env.lessons(&["measure", "on", "--share", "1/40"]).status.success());
    env.must(&["undo"]);
    assert_eq!(sessions(&env, "undone").1, Vec::<String>::new());
    assert_eq!(env.as_agent("s1").lessons(&["measure", "on"]).status.code(), Some(1), "a person decides");
    assert!(env.as_agent("s1").lessons(&["measure"]).status.success(), "everybody may look");
}

#[test]
fn what_is_left_out_is_recorded_and_never_told() {
    let env = home();
    env.must(&["measure", "on", "--share", "1/2"]);
    let (aloud, held) = sessions(&env, "s");
    // The salt is new in each run: fewer than 5 or more than 35 of 40 come once in five million runs.
    assert!((5..=35).contains(&held.len()), "{held:?}");
    let of = |outcome: &str| {
        events(&env).iter().filter(|event| event["outcome"] == outcome && event["lot"].is_string()).count()
    };
    assert_eq!((of("told"), of("held")), (aloud.len(), held.len()));
    let quiet = held.first().expect("one");
    assert_eq!(told(&env, Some(quiet), "frob push y"), None, "it is claimed");
    assert_eq!(of("held"), held.len());
    env.must(&["add", "--rule", "Frob needs --rebase to pull.", "--trigger", "cmd=frob pull"]);
    let explain = |session: &str| env.must(&["explain", "--session", session, "--command", "frob pull"]);
    let why = "left out in this session by lot, to measure what reminders change";
    assert!(explain(quiet).contains(why), "{}", explain(quiet));
    assert!(!explain(aloud.first().expect("one")).contains(why));
    assert!(told(&env, None, "frob push x").is_some(), "a call without a session is told");
    env.must(&["edit", "use-frob-push-safe-which", "--severity", "high"]);
    assert_eq!(sessions(&env, "high").1, Vec::<String>::new(), "much is at stake");
}

#[test]
fn a_call_of_the_past_that_was_left_out_is_explained_so_whatever_holds_by_now() {
    let env = home();
    let call = |session: &str| {
        json!({"type": "assistant", "uuid": format!("{session}-u"), "cwd": "/srv/app", "sessionId": session,
        "message": {"role": "assistant", "id": session, "model": "m", "content": [
            {"type": "tool_use", "id": "call", "name": "Bash", "input": {"command": "frob push x"}},
            {"type": "tool_use", "id": "later", "name": "Bash", "input": {"command": "frob push y"}}]}})
    };
    env.must(&["measure", "on", "--share", "1/2"]);
    let (aloud, held) = sessions(&env, "s");
    let (aloud, held) = (aloud.first().expect("one"), held.first().expect("one"));
    for session in [aloud, held] {
        env.write_transcript(&format!("app/{session}.jsonl"), &[call(session)]);
    }
    let left_out = |session: &str, call: &str| {
        let explained = env.lessons_json(&["explain", "--tool-use", call, "--session", session]);
        let reason = explained["lessons"][0]["outcome"].as_str().expect("an outcome").to_owned();
        (reason == "held", explained["decision"] == "silent")
    };
    for then in [&["measure"][..], &["measure", "off"]] {
        env.must(then);
        assert_eq!(left_out(held, "call"), (true, true), "{then:?}");
        assert_eq!(left_out(held, "later"), (true, true), "one of the same session");
        assert_eq!(left_out(aloud, "call"), (false, false), "{then:?}");
    }
}

#[test]
fn as_many_are_left_out_as_are_told_elsewhere() {
    let env = home();
    for rule in ["Ask the owner first.", "Pull before that.", "Say why in the ticket.", "Wait for the tests."]
    {
        env.must(&["add", "--rule", rule, "--trigger", "cmd=frob push"]);
    }
    env.must(&["measure", "on", "--share", "1/2"]);
    sessions(&env, "s");
    let counts = |outcome: &str| -> std::collections::BTreeSet<usize> {
        let events = events(&env).into_iter().filter(|event| event["outcome"] == outcome);
        events.filter_map(|event| event["lessons"].as_array().map(Vec::len)).collect()
    };
    assert_eq!(counts("held"), counts("told"), "not all five");
}

#[test]
fn switched_on_twice_it_goes_on_with_the_same_lot() {
    let env = home();
    env.must(&["measure", "on", "--share", "1/2"]);
    let (first, left_out) = (salt(&env), sessions(&env, "a").1);
    env.must(&["measure", "off"]);
    assert_eq!(sessions(&env, "off").1, Vec::<String>::new());
    env.must(&["measure", "on", "--share", "1/2"]);
    assert_eq!(salt(&env), first);
    assert!(!left_out.is_empty());
    assert!(left_out.iter().all(|session| told(&env, Some(session), "frob push z").is_none()));
}

#[test]
fn effect_leads_with_the_sessions_of_the_lot() {
    let env = home();
    env.must(&["measure", "on", "--share", "1/2"]);
    let mut drawn = (0..).map(|number| {
        let session = format!("s{number}");
        let is_told = told(&env, Some(&session), "frob push x").is_some();
        (session, is_told)
    });
    for number in 0..14 {
        // The lot is random, and the arms of this test are not: one after the other.
        let (session, is_told) =
            drawn.find(|(_, is_told)| *is_told == (number % 2 == 0)).expect("there is no end of sessions");
        let mut lines = vec![json!({"type": "user", "uuid": format!("{session}-p"), "cwd": "/srv/app",
            "message": {"role": "user", "content": "do it"}})];
        let commands: &[&str] =
            if is_told { &["frob push x", "ls"] } else { &["frob push x", "frob push y"] };
        for (call, command) in commands.iter().enumerate() {
            let id = if call == 0 { "call".to_owned() } else { format!("later-{call}") };
            let time = (jiff::Timestamp::now()
                + jiff::SignedDuration::from_secs(i64::try_from(number * 10 + call).expect("few")))
            .to_string();
            let line = |kind: &str, block: Value| {
                json!({"type": kind, "uuid": format!("{session}-{call}-{kind}"), "cwd": "/srv/app", "timestamp": time,
                    "message": {"role": kind, "id": format!("{session}-{call}"), "model": "m", "content": [block]}})
            };
            lines.push(line(
                "assistant",
                json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}),
            ));
            lines.push(line("user", json!({"type": "tool_result", "tool_use_id": id, "content": "done"})));
        }
        let path = env.write_transcript(&format!("app/{session}.jsonl"), &lines);
        let later = SystemTime::now() + Duration::from_hours(2);
        File::options().append(true).open(path).and_then(|file| file.set_modified(later)).expect("its time");
    }
    let json = env.lessons_json(&["effect"]);
    let arms = &json["lessons"][0]["comparison"]["arms"];
    let (held, told) = (&arms["held"], &arms["told"]);
    assert_eq!(json["lessons"][0]["comparison"]["asOf"], 12, "{json:#}");
    assert_eq!((held["k"].clone(), told["k"].clone()), (held["n"].clone(), json!(0)), "{json:#}");
    let shown = env.must(&["effect"]);
    assert!(shown.starts_with("All together   14 of 61 sessions; "), "{shown}");
    assert!(shown.contains("\nhelps\n") && shown.contains("points fewer ("), "{shown}");
    assert!(shown.contains(", as of 12 sessions; next look at 18"), "{shown}");
    let page = std::fs::read_to_string(
        env.must(&["report", "--html"])
            .split_whitespace()
            .find(|word| std::path::Path::new(word).extension().is_some_and(|end| end == "html"))
            .expect("a page"),
    );
    assert!(page.expect("the page").contains("It is not known whether lessons help you."));
}

/// Writes the rows of 64 sessions of which the lot left every fourth out. Where it did, the first call failed.
fn write_a_broken_lot(env: &TestEnv) {
    let database = rusqlite::Connection::open(env.data().join("lessons.db")).expect("a database");
    let revision: i64 =
        database.query_row("SELECT id FROM revision", [], |row| row.get(0)).expect("one revision");
    let now = jiff::Timestamp::now().as_millisecond();
    for number in 0..64 {
        let (session, is_held) = (format!("s{number}"), number % 4 == 0);
        let joined = "INSERT INTO joined_session (session, files, lessons, is_fork, first, last, calls, model, project,
                          went_wrong, told, kept_quiet) VALUES (?1, '', '', 0, ?2, ?2, 1, 'm', '', 0, 0, 0)";
        database.execute(joined, (&session, now)).expect("a session");
        let episode =
            "INSERT INTO episode (session, revision, arm, first, model, again, changed, overruled, given_up,
                           overruled_first, corrected, cost, event_lost, lot, failed_first)
                       VALUES (?1, ?2, ?3, ?4, 'm', ?5, 0, 0, 0, 0, 0, 0, 0, 'series', ?5)";
        let arm = if is_held { "held" } else { "told" };
        database.execute(episode, (&session, revision, arm, now, is_held)).expect("an episode");
    }
}

#[test]
fn a_difference_before_anything_was_told_is_a_fault_that_doctor_names() {
    let env = home();
    env.must(&["measure", "on"]);
    env.must(&["effect"]);
    assert!(!said(&env, &env.lessons(&["doctor"])).contains("the measurement is broken"));
    write_a_broken_lot(&env);
    let shown = env.must(&["effect"]);
    assert!(shown.starts_with("All together   the measurement is broken"), "{shown}");
    assert!(!shown.contains("\nhelps\n") && shown.ends_with("Next: lessons doctor\n"), "{shown}");
    let doctor = said(&env, &env.lessons(&["doctor"]));
    assert!(doctor.contains("the measurement is broken"), "{doctor}");
}

#[test]
fn a_salt_that_is_lost_begins_a_new_series_and_that_is_said() {
    let env = home();
    env.must(&["measure", "on"]);
    env.must(&["effect"]);
    write_a_broken_lot(&env);
    let config = env.data().join("config.toml");
    let settings = std::fs::read_to_string(&config).expect("settings");
    let without: Vec<&str> = settings.lines().filter(|line| !line.contains("salt")).collect();
    std::fs::write(&config, without.join("\n")).expect("written");
    let on = env.must(&["measure", "on"]);
    assert!(on.contains("The salt of the earlier sessions is lost, so this is a new series"), "{on}");
}

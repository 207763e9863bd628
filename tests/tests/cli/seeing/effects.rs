//! What lessons do: sessions joined with what the hooks did in them.

use std::fs::File;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use jiff::{SignedDuration, Timestamp};
use lessons_home::home::GUARD_VARIABLE;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::with_frob;

const LESSON: &str = "user/use-frob-push-safe-which";

/// Writes a session in which these commands ran one after another, and that has been quiet for two hours. The hook is
/// asked about each of them where `hook` says so, and its text is put into the transcript as the client does.
fn session(env: &TestEnv, id: &str, commands: &[&str], hook: Hook) {
    let start = "2026-11-01T10:00:00Z".parse().expect("a time");
    write_session(env, id, commands, hook, (start, None));
}

/// The same with the hook at the start of the session and not at calls. It takes the time from the machine.
fn session_with_opening(env: &TestEnv, id: &str, commands: &[&str]) {
    let opening = opening(env, id);
    write_session(env, id, commands, Hook::Off, (Timestamp::now(), opening));
}

fn write_session(
    env: &TestEnv,
    id: &str,
    commands: &[&str],
    hook: Hook,
    (start, opening): (Timestamp, Option<Value>),
) {
    let mut lines = vec![json!({"type": "user", "uuid": format!("{id}-p"), "cwd": "/srv/app",
        "message": {"role": "user", "content": "do it"}})];
    lines.extend(opening);
    for (number, command) in commands.iter().enumerate() {
        let (call, uuid) = (format!("{id}-{number}"), |part: &str| format!("{id}-{number}-{part}"));
        let time = (start + SignedDuration::from_secs(i64::try_from(number).expect("few"))).to_string();
        let line = |kind: &str, block: Value| {
            json!({"type": kind, "uuid": uuid(kind), "cwd": "/srv/app", "timestamp": time,
                "message": {"role": kind, "id": call, "model": "claude-opus-5-5", "content": [block]}})
        };
        let input = json!({"command": command});
        lines
            .push(line("assistant", json!({"type": "tool_use", "id": call, "name": "Bash", "input": input})));
        lines.push(line("user", json!({"type": "tool_result", "tool_use_id": call, "content": "done"})));
        if hook == Hook::On {
            let told = env
                .hook(&json!({"session_id": id, "cwd": "/srv/app", "hook_event_name": "PreToolUse",
                "tool_name": "Bash", "tool_input": input, "tool_use_id": call}));
            if let Ok(reply) = serde_json::from_slice::<Value>(&told.stdout) {
                let text = &reply["hookSpecificOutput"]["additionalContext"];
                lines.push(json!({"type": "attachment", "uuid": uuid("told"), "attachment":
                    {"type": "hook_additional_context", "content": [text], "toolUseID": call}}));
            }
        }
    }
    let path = env.write_transcript(&format!("app/{id}.jsonl"), &lines);
    let before = SystemTime::now() - Duration::from_hours(2);
    File::options().append(true).open(path).and_then(|file| file.set_modified(before)).expect("its time");
}

/// What the hook at the start of a session tells, as the client puts it into the transcript.
fn opening(env: &TestEnv, id: &str) -> Option<Value> {
    let start =
        json!({"session_id": id, "cwd": "/srv/app", "hook_event_name": "SessionStart", "source": "startup"});
    let told: Value = serde_json::from_slice(&env.session_start(&start).stdout).ok()?;
    let text = &told["hookSpecificOutput"]["additionalContext"];
    Some(json!({"type": "attachment", "uuid": format!("{id}-start"), "attachment": {
        "type": "hook_additional_context", "content": [text], "hookName": "SessionStart",
        "toolUseID": "SessionStart", "hookEvent": "SessionStart"}}))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hook {
    On,
    Off,
}

const AGAIN: [&str; 2] = ["frob push x", "frob push y"];
const ONCE: [&str; 2] = ["frob push x", "ls"];
const SAFE: [&str; 1] = ["frob push --safe x"];
const FOLLOWED: [&str; 2] = ["frob push x", "frob push --safe x"];

/// Sessions without and with the lesson.
fn history() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    with_frob(&env);
    for number in 0..6 {
        session(&env, &format!("before-{number}"), if number < 4 { &AGAIN } else { &ONCE }, Hook::Off);
        session(&env, &format!("with-{number}"), if number < 5 { &FOLLOWED } else { &AGAIN }, Hook::On);
    }
    env
}

/// An answer whose days are those of any day.
fn on_any_day(text: &str) -> String {
    let is_day = |word: &str| {
        word.len() == 10
            && word
                .bytes()
                .enumerate()
                .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() })
    };
    let words = text.split_inclusive([' ', '\n']).map(|word| {
        let bare = word.trim_end();
        if is_day(bare) { word.replace(bare, "<day>") } else { word.to_owned() }
    });
    words.collect()
}

#[test]
fn what_followed_is_shown_for_all_and_for_one() {
    let env = history();
    assert_snapshot!(on_any_day(&said(&env, &env.lessons(&["effect"]))), @r"
    exit 0
    All together   whether reminders change anything is not measured
    12 sessions with 24 calls in 1 project, <day> to <day>
    open
      use-frob-push-safe-which  told in 6 sessions: right at the next chance in 5, wrong again in 1, no further chance in 0; comes again in 4 of 6 untold sessions
    Next: lessons measure on
    ");
    let one = on_any_day(&said(&env, &env.lessons(&["effect", "use-frob"])));
    let (lanes, rest): (Vec<&str>, Vec<&str>) = one.lines().partition(|line| line.starts_with("  <day>"));
    assert_eq!(lanes.len(), 10, "the last ten sessions");
    assert_snapshot!(rest.join("\n"), @r"
    exit 0
    user/use-frob-push-safe-which: Use frob push --safe, which asks first.
      verdict     open
      measure     repeat: a later call matches again
      came up     in 12 sessions
      again       told 1 of 6 sessions, nothing said 4 of 6 sessions (not by lot, so no comparison)
      followed    told in 6 sessions: right at the next chance in 5, wrong again in 1, no further chance in 0
      untold      claude-opus-5-5: right at the first chance in 0 of 12 sessions (0 %)
      cost        318 tokens (as fresh input)
    Next: lessons show user/use-frob-push-safe-which
    ");
    let list = env.must(&["list"]);
    assert!(list.lines().any(|line| line.contains(LESSON) && line.contains("(open)")), "{list}");
    let json = env.lessons_json(&["effect"]);
    assert_eq!(json["lessons"][0]["again"]["quiet"], json!({"k": 4, "n": 6}));
    assert_eq!(json["lessons"][0]["followed"], json!({"followed": 5, "notFollowed": 1, "noChance": 0}));
}

#[test]
fn before_any_session_it_says_so() {
    let env = TestEnv::new().without_seeds();
    assert_snapshot!(said(&env, &env.lessons(&["effect"])), @r"
    exit 2
    --- stderr
    lessons: nothing is compiled yet, so no lesson does anything. Run `lessons build`
    ");
    with_frob(&env);
    assert_snapshot!(said(&env, &env.lessons(&["effect"])), @r"
    exit 0
    There are no sessions to look at yet. A session counts once it has been quiet for an hour
    ");
    session(&env, "one", &AGAIN, Hook::Off);
    assert_snapshot!(on_any_day(&said(&env, &env.lessons(&["effect"]))), @r"
    exit 0
    All together   whether reminders change anything is not measured
    1 session with 2 calls in 1 project, <day> to <day>
    not enough data
      use-frob-push-safe-which  1 of 12 sessions
    Next: lessons measure on
    ");
}

#[test]
fn a_series_is_forgotten_and_the_past_does_not_come_back() {
    let env = history();
    env.must(&["effect"]);
    assert_snapshot!(said(&env, &env.lessons(&["effect", "--forget", LESSON])), @r"
    exit 0
    forgot what user/use-frob-push-safe-which did in 12 sessions
    Next: lessons effect
    ");
    with_another(&env);
    let json = env.lessons_json(&["effect"]);
    let of = |id: &str| {
        let lessons = json["lessons"].as_array().expect("lessons");
        lessons.iter().find(|lesson| lesson["id"] == id).expect("the lesson")["sessions"].clone()
    };
    assert_eq!(
        (of(LESSON), of("user/do-other-things")),
        (json!(0), json!(0)),
        "all were joined again: {json}"
    );
}

/// Another lesson, with which every session is joined again.
fn with_another(env: &TestEnv) {
    env.must(&["add", "--rule", "Do other things.", "--trigger", r"cmd=\bother\b"]);
}

#[test]
fn an_agent_may_look_and_not_forget() {
    let env = history();
    let agent = env.as_agent("s1");
    assert!(agent.lessons(&["effect"]).status.success());
    assert_eq!(agent.lessons(&["effect", "--forget", LESSON]).status.code(), Some(1));
    assert_eq!(env.lessons_json(&["effect"])["lessons"][0]["sessions"], 12);
}

/// Sessions without and with a lesson that is told when they start.
fn history_from_the_start() -> TestEnv {
    // A session that starts would start a scan, which would join sessions meanwhile.
    let env = TestEnv::new().with_variable(GUARD_VARIABLE, "1").without_seeds();
    with_frob(&env);
    env.must(&["edit", LESSON, "--when", "session"]);
    env.must(&["add", "--rule", "Speak plainly.", "--when", "session"]);
    for number in 0..6 {
        session(&env, &format!("before-{number}"), if number < 4 { &ONCE } else { &["ls"] }, Hook::Off);
        session_with_opening(&env, &format!("with-{number}"), if number < 5 { &SAFE } else { &ONCE });
    }
    env
}

#[test]
fn a_lesson_that_is_told_when_a_session_starts_is_measured_by_any_call_of_it() {
    let env = history_from_the_start();
    assert_snapshot!(on_any_day(&said(&env, &env.lessons(&["effect"]))), @r"
    exit 0
    All together   whether reminders change anything is not measured
    12 sessions with 17 calls in 1 project, <day> to <day>
    open
      use-frob-push-safe-which  told at the start of 6 sessions: right at the first chance in 5, wrong in 1, no chance in 0; comes up in 4 of 6 untold sessions
    1 lesson has no trigger, so no call can show what follows
    Next: lessons measure on
    ");
    let one = on_any_day(&said(&env, &env.lessons(&["effect", LESSON])));
    let (lanes, rest): (Vec<&str>, Vec<&str>) = one.lines().partition(|line| line.starts_with("  <day>"));
    assert!(lanes.contains(&"  <day>  told, did not come up"), "{lanes:?}");
    assert!(lanes.contains(&"  <day>  nothing said, came up"), "{lanes:?}");
    assert_snapshot!(rest.join("\n"), @r"
    exit 0
    user/use-frob-push-safe-which: Use frob push --safe, which asks first.
      verdict     open
      measure     first: any call of the session matches
      came up     in 5 of 12 sessions in which it holds
      of these    told 1 of 6 sessions, nothing said 4 of 6 sessions (not by lot, so no comparison)
      followed    told at the start of 6 sessions: right at the first chance in 5, wrong in 1, no chance in 0
      untold      claude-opus-5-5: right at the first chance in 0 of 4 sessions
      cost        274 tokens (as fresh input)
    Next: lessons show user/use-frob-push-safe-which
    ");
    assert_snapshot!(said(&env, &env.lessons(&["effect", "speak-plainly"])), @r"
    exit 0
    user/speak-plainly: Speak plainly.
      verdict     not measured: it has no trigger, so no call can show what follows
      measure     none: no call can show it
    Next: lessons show user/speak-plainly
    ");
    let json = env.lessons_json(&["effect", LESSON]);
    assert_eq!(json["measure"], "first");
    assert_eq!(
        (&json["again"]["told"], &json["again"]["quiet"]),
        (&json!({"k": 1, "n": 6}), &json!({"k": 4, "n": 6}))
    );
    let page = env.must(&["report", "--html"]);
    assert!(page.contains(".html"), "{page}");
}

#[test]
fn what_followed_a_start_is_forgotten_with_its_lesson() {
    let env = history_from_the_start();
    env.must(&["effect"]);
    let database = env.data().join("lessons.db");
    let rows = || {
        let database = rusqlite::Connection::open(&database).expect("a database");
        let count = "SELECT count(*) FROM episode";
        database.query_row(count, [], |row| row.get::<_, u64>(0)).expect("a number")
    };
    assert_eq!(rows(), 12);
    assert!(env.lessons_given(&["forget"], b"frob push safe\n").status.success());
    assert_eq!(rows(), 0, "its name holds the text");
}

/// What an agent reads in its shell is known to it, and told by nobody.
#[test]
fn what_a_command_showed_an_agent_in_its_shell_counts_neither_as_told_nor_as_untold() {
    let env = TestEnv::new().without_seeds();
    with_frob(&env);
    let ways: [&[&str]; 5] = [
        &["query", "frob", "push"],
        &["query", "--cmd", "frob push"],
        &["show", LESSON],
        &["list"],
        &["explain", "--command", "frob push x", "--json"],
    ];
    for (number, way) in ways.iter().enumerate() {
        let id = format!("asked-{number}");
        assert!(env.as_agent(&id).lessons(way).status.success(), "{way:?}");
        session(&env, &id, &AGAIN, Hook::Off);
    }
    for (id, way) in
        [("named", ["explain", "--command", "frob push x"]), ("other", ["list", "--mine", "nothing"])]
    {
        assert!(env.as_agent(id).lessons(&way).status.success(), "{way:?}");
        session(&env, id, &AGAIN, Hook::Off);
    }
    env.must(&["query", "frob", "push"]);
    let json = env.lessons_json(&["effect"]);
    assert_eq!(json["lookedAt"]["onlyQueried"], ways.len(), "{json}");
    assert_eq!(
        json["lessons"][0]["again"]["quiet"],
        json!({"k": 2, "n": 2}),
        "what was only named is not known"
    );
    let shown = said(&env, &env.lessons(&["effect"]));
    assert!(
        shown.contains("A query showed a lesson of which hooks said nothing 5 times; those count neither"),
        "{shown}"
    );
    assert!(env.must(&["status"]).contains("0 reminders"), "it reminded of nothing");
}

/// A join that dies at any of its writes leaves nothing twice and nothing out.
#[test]
fn a_join_that_dies_is_taken_up_where_it_ended() {
    let whole = history();
    let wanted = whole.lessons_json(&["effect"]);
    let env = history();
    for crash in 1.. {
        let mut command = env.command("lessons");
        let output = command.args(["effect", "--json"]).env("LESSONS_CRASH_AT", crash.to_string()).output();
        let output = output.expect("it starts");
        if output.status.success() {
            assert!(crash > 5, "it dies several times before it gets through: {crash}");
            break;
        }
    }
    let found = env.lessons_json(&["effect"]);
    for part in ["lookedAt", "reach"] {
        for field in wanted[part].as_object().expect("numbers").keys() {
            assert_eq!(found[part][field], wanted[part][field], "{part} {field}");
        }
    }
    for field in ["sessions", "again", "followed", "untold", "cost"] {
        assert_eq!(found["lessons"][0][field], wanted["lessons"][0][field], "{field}");
    }
}

/// Writes a session that has only just ended, by a clock that is ahead.
fn session_from_now_on(env: &TestEnv, id: &str, commands: &[&str]) {
    write_session(env, id, commands, Hook::Off, (Timestamp::now(), None));
    let later = SystemTime::now() + Duration::from_hours(2);
    let path = env.transcripts().join(format!("app/{id}.jsonl"));
    File::options().append(true).open(path).and_then(|file| file.set_modified(later)).expect("its time");
}

#[test]
fn a_retired_lesson_is_watched_and_proposed_again_when_its_mistake_comes_back() {
    let env = history();
    with_another(&env);
    env.must(&["retire", LESSON]);
    session_from_now_on(&env, "one", &AGAIN);
    session_from_now_on(&env, "once", &ONCE);
    assert_snapshot!(said(&env, &env.lessons(&["effect", LESSON])), @r"
    exit 2
    --- stderr
    lessons: user/use-frob-push-safe-which is retired. It is watched: if the mistake comes again in 2 sessions, that is said here. Next: lessons show user/use-frob-push-safe-which
    ");
    assert!(!env.must(&["status"]).contains("came again"));
    session_from_now_on(&env, "two", &AGAIN);
    let shown = env.must(&["effect"]);
    let line = "came back\n  use-frob-push-safe-which  came again in 2 sessions since it was retired: lessons restore \
                use-frob-push-safe-which\n";
    assert!(shown.contains(line), "{shown}");
    let status = env.must(&["status"]);
    let line = "Retired, and came again in 2 sessions: use-frob-push-safe-which. Next: lessons restore \
                use-frob-push-safe-which";
    assert!(status.contains(line), "{status}");
    assert!(env.must(&["review", "--next"]).starts_with("Retired, and came again in 2 sessions: "));
    let json = env.lessons_json(&["status"]);
    assert_eq!(json["cameBack"], json!([{"id": LESSON, "sessions": 2}]));
    env.must(&["restore", LESSON]);
    assert!(!env.must(&["status"]).contains("came again"));
    assert!(!env.must(&["effect"]).contains("came back"));
}

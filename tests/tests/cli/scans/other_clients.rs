//! The sessions of other clients: what was recorded of real ones, from their files to a candidate.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use lessons_tests::env::TestEnv;

use crate::said::said;

/// Where each client keeps its sessions, below the home of the user.
const PLACES: [(&str, &str); 5] = [
    (
        "codex",
        ".codex/sessions/2026/11/26/rollout-2026-11-26T14-35-38-01a21848-8fe7-77a2-9901-8c8ffd722769.jsonl",
    ),
    ("copilot", ".copilot/session-state/830b4479-048a-474d-b44f-6eda668564d2/events.jsonl"),
    ("gemini", ".gemini/tmp/shop/chats/session-2026-11-26T14-36-c0dd0efa.jsonl"),
    ("qwen", ".qwen/projects/-home-dev-shop/chats/f3353161-ceb8-428e-b482-264524bb7ca1.jsonl"),
    (
        "pi",
        ".pi/agent/sessions/--home-dev-shop--/2026-11-26T14-55-08-673Z_01a2185a-6b80-77de-a175-4246cae35bf7.jsonl",
    ),
];

fn recorded(client: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/clients").join(format!("{client}.jsonl"))
}

/// A machine on which these clients have been used, each for one session that is over.
fn with_sessions(places: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    for (client, place) in places {
        let path = env.home().join(place);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::copy(recorded(client), &path).expect("copied");
        let before = SystemTime::now() - Duration::from_hours(2);
        File::options().append(true).open(path).and_then(|file| file.set_modified(before)).expect("its time");
    }
    env
}

#[test]
fn a_scan_reads_the_sessions_of_every_client_and_records_what_they_tag() {
    let env = with_sessions(&PLACES);
    let scanned = said(&env, &env.lessons(&["scan"]));
    assert!(scanned.contains("in 5 transcripts"), "{scanned}");
    let listed = env.lessons_json(&["candidates"]);
    let tagged = listed.as_array().expect("a list").iter().find(|it| it["source"] == "tag").expect("the tag");
    assert_eq!(tagged["mistake"], "`make seed` emptied the staging database");
    let again = said(&env, &env.lessons(&["scan"]));
    assert!(again.contains("Read 0 bytes"), "{again}");
}

/// The scheduler gives the run few variables.
#[test]
fn the_nightly_run_reads_the_sessions_of_every_client_wherever_their_variables_lead() {
    let env = TestEnv::new().without_seeds();
    let elsewhere = env.home().join("elsewhere");
    let env = env.with_variable("CODEX_HOME", elsewhere.display().to_string());
    for (client, place) in PLACES {
        let path = match client {
            "codex" => elsewhere.join(place.trim_start_matches(".codex/")),
            _ => env.home().join(place),
        };
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::copy(recorded(client), path).expect("copied");
    }
    let night = said(&env, &env.lessons(&["nightly"]));
    assert!(night.contains("in 5 transcripts"), "{night}");
    let plan = env.must(&["schedule", "install", "--with", "systemd", "--dry-run"]);
    assert!(plan.contains(&format!("Environment=\"CODEX_HOME={}\"", elsewhere.display())), "{plan}");
}

#[test]
fn a_form_that_cannot_be_read_is_said_and_never_counts_as_read() {
    let env = TestEnv::new().without_seeds();
    let folder = env.home().join("droid");
    fs::create_dir(&folder).expect("made");
    fs::copy(recorded("droid"), folder.join("a.jsonl")).expect("copied");
    let scanned = said(&env, &env.lessons(&["scan", "--root", &folder.display().to_string()]));
    assert!(scanned.contains("not a transcript that I can read (form session_start)"), "{scanned}");
    assert!(!scanned.contains("Read 1 transcript"), "{scanned}");
}

#[test]
fn the_effect_of_lessons_is_told_apart_by_client_where_there_are_several() {
    let lesson = ["add", "--rule", "Frobnicate is called frob.", "--trigger", "cmd=frobnicate"];
    let only = with_sessions(&PLACES[..1]);
    only.must(&lesson);
    let shown = only.must(&["effect"]);
    assert!(shown.contains("1 session with ") && !shown.contains("Codex"), "{shown}");

    let env = with_sessions(&PLACES);
    env.must(&lesson);
    let shown = env.must(&["effect"]);
    for title in ["Codex", "Copilot", "Gemini", "Qwen", "pi"] {
        let start = format!("\n  {title:<11}  1 session with ");
        assert!(shown.contains(&start), "{title}: {shown}");
    }
    let json = env.lessons_json(&["effect"]);
    assert_eq!(json["clients"].as_array().map(Vec::len), Some(PLACES.len()));
    let one = env.must(&["effect", "frobnicate"]);
    assert!(one.contains("Codex 1, Copilot 1, Qwen 1"), "it holds in all of them: {one}");
    let page = env.must(&["report", "--html"]);
    let page = fs::read_to_string(page.lines().find(|line| line.contains("/reports/")).expect("a page"));
    assert!(page.expect("the page").contains("<th scope=\"row\">Copilot</th>"));
}

//! What may lie where our files should be, and what a scan does when the disk fails it.
//!
//! The input is a recipe in words, so each case has its own function here.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use lessons_decide::claims::session_folder;
use lessons_ledger::candidates::CandidateStatus;
use lessons_tests::env::{TestEnv, said};
use nix::sys::stat::Mode;
use serde_json::{Value, json};

use super::facts::Facts;
use super::session::candidates;
use crate::cases::Input;

/// The client kills a hook after this time.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The session of every call here.
const SESSION: &str = "a-session";
/// The transcript of every scan here.
const FILE: &str = "-home-u-proj/s.jsonl";

pub(super) fn observe(input: &Input) -> Facts {
    let recipe = input.get("input")["data"].as_array().unwrap();
    let recipe: Vec<&str> = recipe.iter().map(|step| step.as_str().unwrap()).collect();
    match recipe.as_slice() {
        [folder, _] if folder.contains("mkdir -m 0777") => a_runtime_folder_of_everybody(),
        [fifo, _] if fifo.contains("mkfifo") => a_pipe_where_a_claim_should_be(),
        [link, _] if link.contains("ln -s /dev/zero") => {
            a_manifest_that_is(|path| symlink("/dev/zero", path).unwrap())
        }
        [folder, _] if folder.contains("mkdir lesson-manifest") => {
            a_manifest_that_is(|path| fs::create_dir(path).unwrap())
        }
        [link, _] if link.contains("-> /home/u/.ssh") => a_project_store_that_is_a_link(),
        [mode, _] if mode.contains("chmod 666") => a_database_that_others_may_write(),
        [full] if full.contains("disk full") => a_disk_that_is_full(),
        [lock, _] if lock.contains("lock file") => a_lock_left_by_the_dead(),
        [replaced, _] if replaced.contains("new inode") => a_transcript_that_was_replaced(),
        other => panic!("{}: no recipe {other:?}", input.id),
    }
}

fn machine() -> TestEnv {
    let env = TestEnv::new();
    env.must(&["add", "--rule", "Use the wrapper.", "--trigger", "cmd=frobnicate"]);
    env
}

fn call(env: &TestEnv, facts: &mut Facts) -> Output {
    let payload =
        json!({"session_id": SESSION, "tool_name": "Bash", "tool_input": {"command": "frobnicate"}});
    let started = Instant::now();
    let output = env.hook(&payload);
    facts.note("in time", started.elapsed() < TIMEOUT);
    facts.note("exit 0 of the hook", output.status.code() == Some(0));
    facts.note("trace", !output.stderr.is_empty());
    facts.detail(said(&output));
    output
}

fn a_runtime_folder_of_everybody() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    let runtime = env.home().join("runtime");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, Permissions::from_mode(0o777)).unwrap();
    let env = env.with_variable("XDG_RUNTIME_DIR", &runtime);
    let output = call(&env, &mut facts);
    facts.note("used", fs::read_dir(&runtime).unwrap().next().is_some());
    // It claims where it may, and says nothing of it to the model.
    facts.note(
        "explained",
        session_folder(&env.data().join("sessions"), SESSION).is_dir() && !output.stdout.is_empty(),
    );
    facts
}

fn a_pipe_where_a_claim_should_be() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    call(&env, &mut facts);
    let folder = session_folder(&env.data().join("sessions"), SESSION);
    let claims: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    for claim in claims {
        fs::remove_file(&claim).unwrap();
        nix::unistd::mkfifo(&claim, Mode::S_IRWXU).unwrap();
    }
    call(&env, &mut facts);
    facts
}

fn a_manifest_that_is(make: impl Fn(&PathBuf)) -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    let manifest = env.data().join("lesson-manifest.json");
    fs::remove_file(&manifest).unwrap();
    make(&manifest);
    let output = call(&env, &mut facts);
    facts.note("trace", !output.stdout.is_empty());
    facts
}

fn a_project_store_that_is_a_link() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    let elsewhere = env.home().join(".ssh");
    fs::create_dir(&elsewhere).unwrap();
    let lesson = json!({"rule": "FROM ELSEWHERE", "topics": ["t"], "triggers": ["t"], "evidence": [], "status": "active",
                        "createdAt": "2026-01-01"});
    let store = json!({"version": 1, "lessons": {"x": lesson}, "topics": {"t": {"summary": "T"}},
                       "triggers": {"t": {"kind": "command_pattern", "pattern": "frobnicate"}}});
    fs::write(elsewhere.join("lessons.json"), store.to_string()).unwrap();
    symlink(&elsewhere, env.project().join(".lessons")).unwrap();
    let trust = env.lessons(&["trust", "--yes", env.project().to_str().unwrap()]);
    facts.note("explained", !trust.status.success() && said(&trust).contains("link"));
    facts.detail(said(&trust));
    let payload = json!({"session_id": "s", "cwd": env.project(), "tool_name": "Bash", "tool_input": {"command": "frobnicate"}});
    let output = env.hook(&payload);
    facts.note("used", String::from_utf8_lossy(&output.stdout).contains("FROM ELSEWHERE"));
    facts.note("exit 0 of the hook", output.status.code() == Some(0));
    facts
}

fn a_database_that_others_may_write() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    env.scan();
    write(&env, "one", 1);
    let database = env.data().join("lessons.db");
    fs::set_permissions(&database, Permissions::from_mode(0o666)).unwrap();
    let scan = env.lessons(&["scan"]);
    let text = said(&scan);
    facts.note("explained", !scan.status.success() && text.contains("lessons.db") && text.contains("chmod"));
    facts.detail(text);
    call(&env, &mut facts);
    fs::set_permissions(&database, Permissions::from_mode(0o600)).unwrap();
    facts.note("used", !candidates(&env, CandidateStatus::New).is_empty());
    facts
}

fn a_disk_that_is_full() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    env.scan();
    write(&env, "one", 40);
    // No file may grow beyond what it has: each write fails as on a full disk.
    let mut full = Command::new("/bin/sh");
    let lessons = env.command("lessons");
    full.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" scan"]).arg(lessons.get_program());
    full.env_clear().current_dir(env.project());
    full.envs(lessons.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let scan = full.output().unwrap();
    facts.note("failed", !scan.status.success());
    facts.detail(said(&scan));
    facts.note("half done", !matches!(candidates(&env, CandidateStatus::New).len(), 0 | 40));
    call(&env, &mut facts);
    env.scan();
    facts.note("done by the next", candidates(&env, CandidateStatus::New).len() == 40);
    facts
}

fn a_lock_left_by_the_dead() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    for name in ["lock", "scan.lock"] {
        let lock = env.data().join(name);
        fs::write(&lock, "999999\n").unwrap();
        fs::set_permissions(&lock, Permissions::from_mode(0o600)).unwrap();
    }
    write(&env, "one", 1);
    let scan = env.lessons(&["scan"]);
    let add = env.lessons(&["add", "--rule", "Another.", "--trigger", "cmd=another"]);
    facts.note("failed", !scan.status.success() || !add.status.success());
    facts.note("done", candidates(&env, CandidateStatus::New).len() == 1);
    facts.detail(format!("{}\n{}", said(&scan), said(&add)));
    facts
}

fn a_transcript_that_was_replaced() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    write(&env, "first", 2);
    env.scan();
    let file = env.transcripts().join(FILE);
    let size = fs::metadata(&file).unwrap().len();
    fs::rename(&file, env.home().join("old")).unwrap();
    write(&env, "after", 2);
    assert_eq!(fs::metadata(&file).unwrap().len(), size, "a replacement of the same size");
    env.scan();
    let found = candidates(&env, CandidateStatus::New);
    facts.note("done", found.len() == 4);
    facts.note(
        "lost",
        ["first 0", "first 1", "after 0", "after 1"]
            .iter()
            .any(|text| !found.iter().any(|candidate| candidate.finding.mistake.contains(text))),
    );
    facts.detail(format!("{found:?}"));
    facts
}

/// Writes a transcript of so many tags.
fn write(env: &TestEnv, text: &str, count: usize) {
    let line = |number: usize| {
        let block = format!(
            "#lesson\ntool: Bash\ntrigger: tool-{text}-{number}\nmistake: the mistake called {text} {number} was made\nfix: do what {text} {number} needs\n#/lesson"
        );
        json!({"type": "assistant", "uuid": format!("{text}-{number}"), "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
               "message": {"role": "assistant", "id": format!("m{number}"), "content": [{"type": "text", "text": block}]}})
    };
    let lines: Vec<Value> = (0..count).map(line).collect();
    env.write_transcript(FILE, &lines);
}

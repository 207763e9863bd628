//! A follower: what is written while it runs is a candidate, there is one of it, and it ends when asked.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use lessons_store::decisions::peers::PeerTrust;
use lessons_tests::binaries::{built_programs, copy_program};
use lessons_tests::env::TestEnv;
use lessons_tests::shared::{Colleague, folder, lesson, put, trust, with_remote, with_remote_at};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::together::call;

/// How long a busy machine may take for what takes a moment.
const PATIENCE: Duration = Duration::from_mins(1);

fn tag(number: u32, command: &str) -> String {
    let text = format!(
        "#lesson\ntool: Bash\ntrigger: frob {command}\nmistake: frob {command} overwrites what others pushed\n\
         fix: use frob {command} --safe, which asks first\n#/lesson"
    );
    let line = json!({
        "type": "assistant",
        "uuid": format!("00000000-0000-4000-8000-{number:012}"),
        "sessionId": "one",
        "timestamp": "2026-11-20T10:00:00.000Z",
        "cwd": "/srv/app",
        "message": { "role": "assistant", "model": "m", "content": [{ "type": "text", "text": text }] },
    });
    format!("{line}\n")
}

/// Tries until it holds.
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn candidates(env: &TestEnv) -> usize {
    env.lessons_json(&["candidates"]).as_array().map_or(0, Vec::len)
}

fn follower(env: &TestEnv) -> Value {
    env.lessons_json(&["status"])["follower"].clone()
}

/// A follower that is ended when the test is.
struct Follower(Child);

impl Follower {
    fn start(env: &TestEnv, work: &str) -> Self {
        let child = env.background(work).spawn().expect("a follower");
        wait_for("it does not begin", || !follower(env).is_null());
        Self(child)
    }

    fn end(&mut self, signal: Signal) -> ExitStatus {
        let process = Pid::from_raw(i32::try_from(self.0.id()).expect("a process id"));
        kill(process, signal).expect("it runs");
        self.0.wait().expect("it ends")
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // One that has ended already is what the test wants.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_is_written_while_it_runs_is_a_candidate() {
    let env = TestEnv::new().without_seeds();
    let path = env.write_raw_transcript("app/one.jsonl", tag(1, "push").as_bytes());
    let mut running = Follower::start(&env, "follow");
    assert_eq!(follower(&env)["process"], running.0.id());
    assert!(env.must(&["status"]).contains("Sessions are read while they run, since 20"));
    wait_for("what was there is not found", || candidates(&env) == 1);
    // A line comes in two writes, as a long one does.
    let line = tag(2, "pull");
    let (first, second) = line.split_at(line.len() / 2);
    let mut file = OpenOptions::new().append(true).open(&path).expect("the transcript");
    file.write_all(first.as_bytes()).expect("half a line");
    file.write_all(second.as_bytes()).expect("the other half");
    wait_for("what is new is not found", || candidates(&env) == 2);
    // A session, in a project that is new.
    env.write_raw_transcript("other/two.jsonl", tag(3, "fetch").as_bytes());
    wait_for("a new session is not found", || candidates(&env) == 3);
    // And one who promotes meanwhile waits for nobody.
    let id = env.lessons_json(&["candidates"])[0]["id"].as_str().expect("an id").to_owned();
    env.must(&["promote", &id]);
    assert!(running.end(Signal::SIGTERM).success(), "it ends cleanly");
    assert!(follower(&env).is_null());
    assert!(!env.must(&["status"]).contains("while they run"));
}

#[test]
fn there_is_one_of_it_and_each_signal_ends_it() {
    let env = TestEnv::new().without_seeds();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let mut first = Follower::start(&env, "follow");
        let second = env.background("follow").output().expect("a second one");
        assert!(second.status.success(), "it leaves at once, and that is no failure");
        assert_eq!(follower(&env)["process"], first.0.id());
        assert!(first.end(signal).success(), "{signal}");
    }
}

#[test]
fn the_setting_has_the_scan_of_a_session_start_go_on() {
    let env = TestEnv::new().without_seeds();
    let scan = env.background("scan").output().expect("a scan");
    assert!(scan.status.success() && follower(&env).is_null(), "it is off by default");
    let config = env.data().join("config.toml");
    let text = fs::read_to_string(&config).expect("the settings");
    fs::write(&config, format!("{text}scan.follow = true\n")).expect("the settings");
    assert!(env.must(&["status"]).contains("from the next session start on"));
    let mut running = Follower::start(&env, "scan");
    assert!(running.end(Signal::SIGTERM).success());
}

#[test]
fn when_its_program_is_replaced_it_ends() {
    let env = TestEnv::new().without_seeds();
    let program = env.home().join("lessons");
    copy_program(&built_programs().join("lessons"), &program);
    let command = env.background("follow");
    let mut copy = std::process::Command::new(&program);
    copy.args(command.get_args()).env_clear().current_dir("/");
    copy.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut running = Follower(copy.spawn().expect("a follower"));
    wait_for("it does not begin", || !follower(&env).is_null());
    fs::rename(&program, env.home().join("old")).expect("an update");
    fs::write(&program, "another program").expect("an update");
    // It looks when something happens.
    env.write_raw_transcript("app/one.jsonl", tag(1, "push").as_bytes());
    assert!(running.0.wait().expect("it ends").success());
    assert!(follower(&env).is_null());
}

/// The most memory that a process has had, in KiB.
fn most_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the kernel says so");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn whatever_is_written_it_stays_small_and_a_whole_scan_reads_the_rest() {
    // Built for tests its code takes more than what it promises to stay below, so what comes on top is looked at.
    const MORE: u64 = 4 << 10;
    let env = TestEnv::new().without_seeds();
    let path = env.write_raw_transcript("app/one.jsonl", tag(1, "push").as_bytes());
    let mut running = Follower::start(&env, "follow");
    wait_for("what was there is not found", || candidates(&env) == 1);
    let before = most_memory(running.0.id());
    let mut file = OpenOptions::new().append(true).open(&path).expect("the transcript");
    let line = |bytes: usize| {
        let text = "word and word ".repeat(bytes / 14);
        format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n")
    };
    for bytes in [500_000, 30 << 20, 3 << 20] {
        file.write_all(line(bytes).as_bytes()).expect("a long line");
    }
    file.write_all(tag(2, "pull").as_bytes()).expect("what follows it");
    // It is done with that once it has found what comes later in another session.
    env.write_raw_transcript("app/two.jsonl", tag(3, "fetch").as_bytes());
    wait_for("another session is not read", || candidates(&env) == 2);
    let most = most_memory(running.0.id());
    assert!(most < before + MORE, "{before} KiB before, {most} KiB after");
    assert!(running.end(Signal::SIGTERM).success());
    env.must(&["scan"]);
    assert_eq!(candidates(&env), 3);
}

#[test]
fn what_a_peer_shares_is_told_by_running_sessions_within_seconds() {
    let env = TestEnv::new().without_seeds();
    let ana = Colleague::new(1);
    with_remote(&env);
    fs::create_dir_all(env.project().join(".lessons")).expect("a folder");
    let store = json!({ "version": 1, "lessons": {}, "topics": {}, "triggers": {} });
    fs::write(env.project().join(".lessons/lessons.json"), store.to_string()).expect("a store");
    env.must(&["trust", "--yes"]);
    trust(&env, &ana, "ana", PeerTrust::Auto);
    let running = Follower::start(&env, "follow");
    let told = |session: &str| {
        let output = env.hook(&call(&env, session, "frob push origin"));
        String::from_utf8_lossy(&output.stdout).contains("frob push --safe")
    };
    let sessions: Vec<String> = (0..10).map(|number| format!("s{number}")).collect();
    assert!(!sessions.iter().any(|session| told(session)));
    // The folder comes with git only now.
    let rule = "Use `frob push --safe`.";
    put(&folder(&env), &ana.lesson(&lesson("push-safely", rule, r"\bfrob push\b"), 1_763_700_000));
    let came = Instant::now();
    for session in &sessions {
        wait_for("a session is not told", || told(session));
    }
    println!("ten sessions were told in {:?}", came.elapsed());
    drop(running);
}

#[test]
fn a_project_of_which_only_a_session_is_known_is_followed_too() {
    let env = TestEnv::new().without_seeds();
    let ana = Colleague::new(1);
    with_remote(&env);
    fs::create_dir_all(env.project().join(".lessons")).expect("a folder");
    env.must(&["build"]);
    trust(&env, &ana, "ana", PeerTrust::Auto);
    let line = json!({
        "type": "user", "uuid": "u1", "sessionId": "s", "timestamp": "2026-11-20T10:00:00.000Z", "cwd": env.project(),
        "message": { "role": "user", "content": "Frob it." },
    });
    env.write_transcript("app/s.jsonl", &[line]);
    env.scan();
    let running = Follower::start(&env, "follow");
    let told = || {
        let output = env.hook(&call(&env, "running", "frob push origin"));
        String::from_utf8_lossy(&output.stdout).contains("frob push --safe")
    };
    assert!(!told());
    let rule = "Use `frob push --safe`.";
    put(&folder(&env), &ana.lesson(&lesson("push-safely", rule, r"\bfrob push\b"), 1_763_700_000));
    wait_for("the session is not told", told);
    drop(running);
}

/// Runs the hook before a call in the project at `root`, and returns whether it tells a text.
fn is_told_in(env: &TestEnv, root: &Path, session: &str, command: &str, text: &str) -> bool {
    let mut payload = call(env, session, command);
    payload["cwd"] = json!(root);
    String::from_utf8_lossy(&env.hook(&payload).stdout).contains(text)
}

/// Writes the transcript of a session in the project at `root`, as the client does.
fn work_in(env: &TestEnv, root: &Path, name: &str) {
    let line = json!({
        "type": "user", "uuid": name, "sessionId": name, "timestamp": "2026-11-20T10:00:00.000Z", "cwd": root,
        "message": { "role": "user", "content": "Frob it." },
    });
    env.write_transcript(&format!("{name}/{name}.jsonl"), &[line]);
}

#[test]
fn what_comes_in_a_project_that_becomes_known_while_it_runs_is_in_force_there() {
    let env = TestEnv::new().without_seeds();
    let ana = Colleague::new(1);
    with_remote(&env);
    folder(&env);
    trust(&env, &ana, "ana", PeerTrust::Auto);
    work_in(&env, &env.project(), "first");
    env.must(&["scan"]);
    let _running = Follower::start(&env, "follow");
    let second = env.home().join("second");
    let shared = second.join(".lessons/shared");
    with_remote_at(&second, "github.com/acme/second");
    fs::create_dir_all(&shared).expect("a folder");
    let share = |id: &str, rule: &str, command: &str| {
        let event = ana.lesson_for("github.com/acme/second", &lesson(id, rule, command), 1, 1_763_700_000);
        put(&shared, &event);
    };
    // One comes before the project is known, another one when it is.
    share("push-safely", "Use `frob push --safe`.", r"\bfrob push\b");
    work_in(&env, &second, "second");
    wait_for("the first is not told", || is_told_in(&env, &second, "s", "frob push", "--safe"));
    share("pull-first", "Use `frob pull --keep`.", r"\bfrob pull\b");
    wait_for("the next is not told", || is_told_in(&env, &second, "s", "frob pull", "--keep"));
    assert!(!is_told_in(&env, &env.project(), "t", "frob push", "--safe"), "it is for the second project");
}

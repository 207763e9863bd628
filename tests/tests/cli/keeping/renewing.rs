//! An index that cannot be used is made anew by the call that needs it, once, and never at the call's expense.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use lessons_tests::binaries::copy_program;
use lessons_tests::env::{TestEnv, as_the_client_writes, said};
use lessons_tests::scratch::Scratch;
use serde_json::{Value, json};

/// A machine with one lesson and no other, so that an index is made quickly.
fn with_a_lesson() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&["add", "--rule", "Use `frob push --safe`.", "--trigger", r"cmd=\bfrob push\b"]);
    env
}

fn bash(env: &TestEnv, session: &str, command: &str) -> Value {
    json!({
        "session_id": session, "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1",
    })
}

fn tells(env: &TestEnv, session: &str) -> bool {
    let output = env.hook(&bash(env, session, "frob push"));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", said(&output));
    String::from_utf8_lossy(&output.stdout).contains("frob push --safe")
}

fn index(env: &TestEnv) -> PathBuf {
    env.data().join("lesson-manifest.idx")
}

/// When an attempt was begun that has not succeeded.
fn attempt(env: &TestEnv) -> PathBuf {
    env.data().join("log/index-attempt")
}

/// Waits until the program that a hook has started has done what it was started for.
fn wait_for_success(env: &TestEnv) {
    let until = Instant::now() + Duration::from_mins(1);
    while attempt(env).exists() {
        assert!(Instant::now() < until, "it never succeeded");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_call_that_finds_no_usable_index_gets_its_answer_from_a_new_one() {
    let env = with_a_lesson();
    let whole = fs::read(index(&env)).unwrap();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        bytes
    };
    let damaged: [(&str, Vec<u8>); 7] = [
        ("empty", Vec::new()),
        ("foreign", b"{\"lessons\": []}\n".to_vec()),
        ("of another version", with(&|bytes| bytes[8] = 0xff)),
        ("with a bit changed", with(&|bytes| bytes[40] ^= 1)),
        ("cut in its header", with(&|bytes| bytes.truncate(300))),
        ("cut behind its header", with(&|bytes| bytes.truncate(600))),
        ("without what the header leads to", with(&|bytes| bytes[512..].fill(0))),
    ];
    for (what, bytes) in damaged {
        fs::write(index(&env), bytes).unwrap();
        assert!(tells(&env, what), "{what}");
        // The call does not wait for this.
        wait_for_success(&env);
    }
    fs::remove_file(index(&env)).unwrap();
    assert!(tells(&env, "missing"));
    wait_for_success(&env);
    fs::remove_file(index(&env)).unwrap();
    let start =
        env.session_start(&json!({ "session_id": "start", "cwd": env.project(), "source": "resume" }));
    assert!(start.status.success() && index(&env).exists(), "a session start does the same");
}

#[test]
fn an_index_that_a_death_left_behind_its_manifest_is_made_anew_by_a_session_start() {
    let env = with_a_lesson();
    let former = fs::read(index(&env)).unwrap();
    env.must(&["off", "all"]);
    fs::write(index(&env), &former).unwrap();
    let start =
        env.session_start(&json!({ "session_id": "start", "cwd": env.project(), "source": "resume" }));
    assert!(start.status.success());
    assert!(!tells(&env, "after"), "what was switched off is off");
}

#[test]
fn a_hook_reads_no_manifest() {
    let env = with_a_lesson();
    fs::write(env.data().join("lesson-manifest.json"), "{").unwrap();
    assert!(tells(&env, "one"));
    fs::remove_file(env.data().join("lesson-manifest.json")).unwrap();
    assert!(tells(&env, "two"));
}

/// The hooks in a folder of their own, beside a `lessons` that a test writes.
struct Plugin<'e> {
    env: &'e TestEnv,
    folder: Scratch,
}

impl<'e> Plugin<'e> {
    /// With a shell script in which `$LESSONS` is the real program.
    fn with(env: &'e TestEnv, script: &str) -> Self {
        let folder = Scratch::new();
        let own = Self { env, folder };
        fs::create_dir_all(own.bin()).unwrap();
        for hook in ["lessons-pre-tool-use", "lessons-session-start"] {
            copy_program(Path::new(env.command(hook).get_program()), &own.bin().join(hook));
        }
        let real = env.command("lessons").get_program().to_owned();
        let text = format!(
            "#!/bin/sh\nLESSONS='{}'\necho \"$*\" >> '{}'\n{script}\n",
            Path::new(&real).display(),
            own.calls().display()
        );
        fs::write(own.bin().join("lessons"), text).unwrap();
        fs::set_permissions(own.bin().join("lessons"), fs::Permissions::from_mode(0o755)).unwrap();
        own
    }

    fn bin(&self) -> PathBuf {
        self.folder.home().join("bin")
    }

    fn calls(&self) -> PathBuf {
        self.folder.home().join("calls")
    }

    /// What `lessons` was started with, a line each time.
    fn started(&self) -> Vec<String> {
        fs::read_to_string(self.calls()).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn start(&self, payload: &Value) -> Child {
        let program = self.env.command("lessons-pre-tool-use");
        let mut command = Command::new(self.bin().join("lessons-pre-tool-use"));
        command.env_clear().current_dir(self.env.project());
        command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // A variable of the client's, which a program in the background has no use for.
        command.env("CLAUDE_CODE_SESSION_ID", "one").env("SECRET", "x");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, &as_the_client_writes(payload)).unwrap();
        child
    }

    /// What the hook prints.
    fn says(&self, payload: &Value) -> String {
        let output = self.start(payload).wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn of_twenty_four_hooks_at_once_one_starts_the_program_and_all_answer() {
    let env = with_a_lesson();
    let plugin = Plugin::with(&env, "sleep 0.2; exec \"$LESSONS\" \"$@\"");
    fs::remove_file(index(&env)).unwrap();
    let hooks: Vec<Child> =
        (0..24).map(|number| plugin.start(&bash(&env, &format!("s{number}"), "frob push"))).collect();
    for hook in hooks {
        let output = hook.wait_with_output().unwrap();
        assert!(output.status.success() && said(&output).contains("frob push --safe"), "{}", said(&output));
    }
    assert_eq!(plugin.started(), ["index"]);
}

#[test]
fn a_failure_is_silent_and_not_tried_again_for_a_minute() {
    let env = with_a_lesson();
    let plugin = Plugin::with(&env, "exit 1");
    fs::remove_file(index(&env)).unwrap();
    for session in ["one", "two"] {
        assert_eq!(plugin.says(&bash(&env, session, "frob push")), "");
        assert_eq!(plugin.started().len(), 1, "{session}");
    }
    // What only a person decides is refused all the same.
    assert!(plugin.says(&bash(&env, "three", "lessons off all")).contains(r#""permissionDecision":"deny""#));
    let later = SystemTime::now() - Duration::from_secs(61);
    fs::File::options().write(true).open(attempt(&env)).unwrap().set_modified(later).unwrap();
    assert_eq!(plugin.says(&bash(&env, "four", "frob push")), "");
    assert_eq!(plugin.started().len(), 2);
}

#[test]
fn a_call_waits_two_seconds_at_most_and_what_it_started_goes_on() {
    let env = with_a_lesson();
    let plugin = Plugin::with(&env, "sleep 4; exec \"$LESSONS\" \"$@\"");
    fs::remove_file(index(&env)).unwrap();
    let start = Instant::now();
    assert_eq!(plugin.says(&bash(&env, "one", "frob push")), "");
    let took = start.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(4), "{took:?}");
    wait_for_success(&env);
    assert!(plugin.says(&bash(&env, "two", "frob push")).contains("frob push --safe"));
    assert_eq!(plugin.started(), ["index"]);
}

#[test]
fn the_program_gets_no_variable_but_those_that_say_where_things_are_and_no_stream() {
    let env = with_a_lesson();
    let plugin =
        Plugin::with(&env, "env | sort > \"${0%/*}/variables\"; ls -l /proc/$$/fd > \"${0%/*}/streams\"");
    fs::remove_file(index(&env)).unwrap();
    assert_eq!(plugin.says(&bash(&env, "one", "frob push")), "");
    let variables = fs::read_to_string(plugin.bin().join("variables")).unwrap();
    let names: Vec<&str> = variables.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let of_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let given: Vec<&str> = names.into_iter().filter(|name| !of_the_shell.contains(name)).collect();
    assert_eq!(given, ["HOME", "LANG", "LESSONS_SCANNER_GUARD"]);
    let streams = fs::read_to_string(plugin.bin().join("streams")).unwrap();
    let led = |number: u8| {
        streams.lines().find_map(|line| line.split_once(&format!(" {number} -> "))).map(|it| it.1)
    };
    assert!(led(0).is_some_and(|file| file.ends_with("/log/index-attempt")), "{streams}");
    assert_eq!(led(2), Some("/dev/null"), "{streams}");
}

#[test]
fn where_nothing_can_be_written_nothing_is_started() {
    let env = with_a_lesson();
    let plugin = Plugin::with(&env, "exit 1");
    fs::remove_file(index(&env)).unwrap();
    fs::create_dir_all(env.data().join("log")).unwrap();
    symlink("/dev/null", attempt(&env)).unwrap();
    assert_eq!(plugin.says(&bash(&env, "one", "frob push")), "");
    assert_eq!(plugin.started(), [""; 0]);
}

#[test]
fn without_a_data_folder_nothing_is_started_and_nothing_made() {
    let env = TestEnv::new();
    let plugin = Plugin::with(&env, "exit 1");
    assert_eq!(plugin.says(&bash(&env, "one", "frob push")), "");
    assert_eq!(plugin.started(), [""; 0]);
    assert!(!env.data().exists());
}

#[test]
fn an_index_made_anew_takes_nothing_that_nobody_accepted() {
    let env = with_a_lesson();
    let store = env.data().join("lessons.json");
    let text = fs::read_to_string(&store).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    let mut lesson = value["lessons"].as_object().unwrap().values().next().unwrap().clone();
    lesson["rule"] = "Nobody has accepted this.".into();
    value["lessons"]["by-hand"] = lesson;
    fs::write(&store, value.to_string()).unwrap();
    fs::remove_file(index(&env)).unwrap();
    let told = said(&env.hook(&bash(&env, "one", "frob push")));
    assert!(told.contains("frob push --safe") && !told.contains("Nobody"), "{told}");
}

#[test]
fn a_call_that_meets_another_command_at_work_tries_again_while_it_waits_and_at_the_next_call() {
    let env = with_a_lesson();
    let lock = fs::File::open(env.data().join("lock")).unwrap();
    lock.lock().unwrap();
    fs::remove_file(index(&env)).unwrap();
    assert!(!tells(&env, "one"), "the other command is at work for longer than a call waits");
    // That is no failure, so nothing is left of it.
    wait_for_success(&env);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            sleep(Duration::from_millis(300));
            lock.unlock().unwrap();
        });
        assert!(tells(&env, "two"), "the other command is done before the call gives up");
    });
}

#[test]
fn two_who_make_the_index_do_not_wait_for_each_other() {
    let env = with_a_lesson();
    let lock = fs::File::open(env.data().join("lock")).unwrap();
    lock.lock().unwrap();
    let start = Instant::now();
    let output = env.lessons(&["index"]);
    assert!(!output.status.success() && start.elapsed() < Duration::from_secs(5), "{}", said(&output));
    lock.unlock().unwrap();
    assert!(env.lessons(&["index"]).status.success());
    assert!(env.as_agent("one").lessons(&["index"]).status.success(), "it decides nothing");
}

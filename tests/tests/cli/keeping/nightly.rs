//! What is done every night, and how a machine comes to do it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use insta::assert_snapshot;
use lessons_ledger::journal::Deed;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::{said, with_a_lesson};
use crate::seeing::reading::with_candidates;

/// The text without the day and the sizes, which differ from run to run.
fn without_days(text: &str) -> String {
    let words = text.split_inclusive([' ', '\n']).map(|word| {
        let bare = word.trim_end();
        let is_day = bare.len() == 10 && bare.bytes().filter(|&b| b == b'-').count() == 2;
        let is_time = bare.len() == 5 && bare.as_bytes()[2] == b':';
        if is_day || is_time { word.replace(bare, if is_day { "DAY" } else { "CLOCK" }) } else { word.into() }
    });
    words.collect()
}

#[test]
fn a_night_takes_in_scans_backs_up_builds_and_reports() {
    let (env, _) = with_candidates();
    env.must(&["build"]);
    let night = env.lessons(&["nightly"]);
    assert_snapshot!(without_days(&said(&env, &night)), @r#"
    exit 0
    # Lessons, the night of DAY CLOCK UTC

    Nothing needs your attention.

    ## The 24 hours before
    0 reminders, 0 blocked, 0 allowed on retry.

    ## Done
    Scanned: Read 0 bytes in 1 transcript: 0 new candidates, 0 seen again.
    Rejected: nothing; no candidate has waited for 90 days
    Backed up: database (there is no store yet), opened and found sound. 1 night kept
    Built: SEEDS lessons in force: 0 of your own, 0 from projects you trust, SEEDS built in.
    Checked: store, database and index are sound

    2 candidates wait for your decision, 1 of them flagged. Next: lessons candidates
    "#);
    let report = env.lessons(&["report"]);
    assert_eq!(said(&env, &report), said(&env, &night), "what was said is what was written down");
    let backups = fs::read_dir(env.data().join("backups")).expect("a folder").count();
    assert_eq!(backups, 2, "there is no store yet, but what is accepted is known");
}

#[test]
fn before_the_first_night_the_report_says_how_to_get_one() {
    let env = TestEnv::new();
    assert_snapshot!(said(&env, &env.lessons(&["report"])), @r#"
    exit 0
    There is no report yet: `lessons nightly` makes one now, `lessons schedule install` has one made every night.
    "#);
}

#[test]
fn what_is_wrong_stands_first_and_holds_up_nothing() {
    let env = with_a_lesson();
    let store = env.data().join("lessons.json");
    fs::write(&store, "{ this is no store").expect("the store");
    let night = env.lessons(&["nightly"]);
    assert_eq!(night.status.code(), Some(1));
    let text = String::from_utf8_lossy(&night.stdout).into_owned();
    assert_snapshot!(without_days(&said(&env, &night)), @r#"
    exit 1
    # Lessons, the night of DAY CLOCK UTC

    1 thing needs your attention:
    - HOME/.local/share/lessons/lessons.json: line 1, column 3: key must be a string; `lessons restore --store` restores what you accepted

    ## The 24 hours before
    0 reminders, 0 blocked, 0 allowed on retry.

    ## Done
    Scanned: Read 0 bytes in 0 transcripts: 0 new candidates, 0 seen again.
    Rejected: failed, see above
    Backed up: failed, see above
    Built: SEEDS + 1 lessons in force: 1 of your own, 0 from projects you trust, SEEDS built in.
    Checked: failed, see above

    Nothing waits for you.
    "#);
    assert!(text.contains("Scanned: Read"), "{text}");
}

#[test]
fn what_was_written_by_hand_is_not_taken_up_at_night() {
    let env = with_a_lesson();
    let store = env.data().join("lessons.json");
    let text = fs::read_to_string(&store).expect("the store");
    fs::write(&store, text.replace("which asks first", "which never asks")).expect("the store");
    let night = env.lessons(&["nightly"]);
    let said = String::from_utf8_lossy(&night.stdout).into_owned();
    assert!(said.contains("is not accepted yet"), "{said}");
    let manifest = fs::read_to_string(env.data().join("lesson-manifest.json")).expect("a manifest");
    assert!(!manifest.contains("never asks"), "{manifest}");
}

#[test]
fn events_of_hooks_are_in_the_report() {
    let env = with_a_lesson();
    let call = json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_use_id": "toolu_1", "tool_input": { "command": "frob push" },
    });
    assert!(!env.hook(&call).stdout.is_empty(), "the lesson is told");
    for _ in 0..2 {
        let night = env.lessons_json(&["nightly"]);
        assert_eq!(night["day"], json!({ "told": 1, "refused": 0, "passed": 0 }), "taken in once");
        assert_eq!(night["busiest"], json!([["user/frob-use-frob-push-safe-which", 1]]));
    }
}

#[test]
fn a_candidate_that_was_put_away_comes_back() {
    let (env, [plain, _]) = with_candidates();
    let sqlite = lessons_ledger::database::Database::open(&lessons_home::home::Home::at(env.data()));
    let deed = Deed::new("background work", "put away", 0);
    let put_away = sqlite.expect("the database").archive_untouched(
        u64::MAX,
        "nobody had to do with it",
        &[].into(),
        &deed,
    );
    assert_eq!(put_away.expect("both").len(), 2);
    assert_eq!(env.lessons_json(&["candidates"]), json!([]));
    env.must(&["restore", &plain]);
    let night = env.lessons_json(&["nightly"]);
    assert_eq!(night["waiting"], 1, "it was touched just now, so it stays");
    assert_eq!(env.lessons_json(&["candidates"])[0]["id"], Value::from(plain));
}

/// A machine whose schedulers only write down how they were called.
fn with_schedulers(names: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    let folder = env.home().join("bin");
    fs::create_dir_all(&folder).expect("a folder");
    for name in names {
        let script = format!("#!/bin/sh\necho \"{name} $*\" >>\"$HOME/calls\"\n");
        let path = folder.join(name);
        fs::write(&path, script).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("a program");
    }
    let path = format!("{}:/bin:/usr/bin", folder.display());
    // A systemctl of the machine itself must not be found where the test brings none.
    let path = if names.contains(&"systemctl") { path } else { only(&env, &folder, &["sh"]) };
    env.with_variable("PATH", path)
}

/// A PATH that leads to these programs of the machine and to no other.
fn only(env: &TestEnv, ours: &Path, names: &[&str]) -> String {
    let folder = env.home().join("few");
    fs::create_dir_all(&folder).expect("a folder");
    for name in names {
        let there = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(name));
        let there = there.iter().find(|path| path.exists()).expect("a program of the machine");
        std::os::unix::fs::symlink(there, folder.join(name)).expect("a link");
    }
    format!("{}:{}", ours.display(), folder.display())
}

/// The path of our program differs from machine to machine.
fn without_program(text: &str) -> String {
    let program = lessons_tests::binaries::built_programs().join("lessons");
    text.replace(&program.display().to_string(), "PROGRAM")
}

#[test]
fn a_schedule_by_systemd_is_set_up_and_undone() {
    let env = with_schedulers(&["systemctl"]);
    assert_snapshot!(without_program(&said(&env, &env.lessons(&["schedule", "install", "--at", "4:05"]))), @r#"
    exit 0
    This was done:
    - write HOME/.config/systemd/user/lessons-nightly.service
        # Written by `lessons schedule install`; `lessons schedule remove` removes it.
        [Unit]
        Description=Lessons: what is done every night

        [Service]
        Type=oneshot
        ExecStart="PROGRAM" nightly
        SuccessExitStatus=1
        Nice=19
        IOSchedulingClass=idle
        TimeoutStartSec=1h
    - write HOME/.config/systemd/user/lessons-nightly.timer
        # Written by `lessons schedule install`; `lessons schedule remove` removes it.
        [Unit]
        Description=Lessons: every night

        [Timer]
        OnCalendar=*-*-* 04:05:00
        Persistent=true

        [Install]
        WantedBy=timers.target
    - run systemctl --user daemon-reload
    - run systemctl --user enable lessons-nightly.timer
    - run systemctl --user restart lessons-nightly.timer
    Every night at 04:05 by systemd; a run that the machine was off for is made up when it is back. `lessons schedule remove` undoes exactly this.
    Next: lessons nightly runs it now; lessons report shows the last report
    "#);
    assert_snapshot!(without_program(&said(&env, &env.lessons(&["schedule", "status"]))), @r#"
    exit 0
    By systemd, in HOME/.config/systemd/user/lessons-nightly.service: ExecStart="PROGRAM" nightly, OnCalendar=*-*-* 04:05:00
    Next: lessons report shows the last report; lessons schedule remove removes the schedule
    "#);
    let calls = fs::read_to_string(env.home().join("calls")).expect("calls");
    assert!(calls.ends_with("restart lessons-nightly.timer\n"), "{calls}");
    env.must(&["schedule", "remove"]);
    assert_eq!(fs::read_dir(env.home().join(".config/systemd/user")).expect("a folder").count(), 0);
    assert_snapshot!(said(&env, &env.lessons(&["schedule", "remove"])), @r#"
    exit 0
    nothing is scheduled, so there is nothing to remove
    Next: lessons schedule install
    "#);
}

#[test]
fn a_scheduler_that_says_no_leaves_nothing_behind() {
    let env = with_schedulers(&["systemctl"]);
    let path = env.home().join("bin/systemctl");
    let text = "#!/bin/sh\ncase \"$*\" in *enable*) echo 'no bus' >&2; exit 1 ;; esac\n";
    fs::write(path, text).expect("a program");
    assert_snapshot!(said(&env, &env.lessons(&["schedule", "install"])), @r#"
    exit 1
    --- stderr
    lessons: `systemctl --user enable lessons-nightly.timer` failed: no bus. Nothing is scheduled, and no file of it is left
    "#);
    assert_eq!(fs::read_dir(env.home().join(".config/systemd/user")).expect("a folder").count(), 0);
}

#[test]
fn a_plan_is_shown_and_not_done() {
    let env = with_schedulers(&["systemctl"]);
    let plan = env.must(&["schedule", "install", "--with", "launchd", "--dry-run"]);
    assert!(plan.starts_with("This would be done:\n- write") && plan.contains("Nothing was done"), "{plan}");
    assert!(!env.home().join("Library").exists());
    let none = with_schedulers(&[]);
    assert_snapshot!(said(&none, &none.lessons(&["schedule", "install"])), @r#"
    exit 2
    --- stderr
    lessons: this machine has neither launchd nor a systemd that runs for you. Have whatever starts things here (cron, say) run `lessons nightly` once a night
    "#);
}

//! `lessons doctor`: everything that is wrong or doubtful, each with the command that fixes it.

use std::fs;
use std::path::Path;

use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::{with_commands, with_frob};

/// What was found, whatever the exit code. What `--fix` is to fix it must be able to fix.
fn report(env: &TestEnv, words: &[&str]) -> Value {
    let output = env.lessons(&[&["doctor", "--json"][..], words].concat());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let code = i32::from(report["ok"] != true);
    assert_eq!(output.status.code(), Some(code), "{}", said(env, &output));
    for finding in report["findings"].as_array().expect("a list") {
        let remedy = finding["remedy"].as_str().expect("a command");
        assert!(!remedy.is_empty(), "{finding}");
        assert!(!remedy.contains("--fix") || finding["fix"].is_string(), "{finding}");
    }
    report
}

/// The findings with this code, each with its severity, what it says and what fixes it.
fn of(report: &Value, code: &str) -> Vec<[String; 3]> {
    let all = report["findings"].as_array().expect("a list").iter().filter(|it| it["code"] == code);
    let text = |it: &Value, name: &str| it[name].as_str().expect("text").to_owned();
    all.map(|it| ["severity", "message", "remedy"].map(|name| text(it, name))).collect()
}

fn found(env: &TestEnv, code: &str) -> Vec<[String; 3]> {
    of(&report(env, &[]), code)
}

fn add(env: &TestEnv, lesson: &Value) {
    let force: &[&str] = match lesson["mode"].as_str() {
        Some("block") => &["--force-block", "there is no past here"],
        _ => &[],
    };
    let arguments = [&["add", "--json-input", "-"], force].concat();
    let added = env.lessons_given(&arguments, lesson.to_string().as_bytes());
    assert!(added.status.success(), "{}", said(env, &added));
}

fn machine() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    env.must(&["build"]);
    env
}

#[test]
fn a_machine_that_works_has_no_errors() {
    let env = TestEnv::new();
    env.must(&["build"]);
    let report = report(&env, &[]);
    assert_eq!(report["ok"], true, "{report:#}");
    assert_eq!(of(&report, "HOOKS_NEVER_SEEN").len(), 1, "no session has started yet");
    let no_schedule = of(&report, "NO_SCHEDULE").remove(0);
    assert_eq!(no_schedule[2], "lessons schedule install");
    assert!(no_schedule[1].contains("only when you run `lessons nightly`"), "{no_schedule:?}");
    assert!(of(&report, "CONTRADICTION").is_empty(), "{report:#}");
    let call = json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": env.project(),
        "tool_name": "Bash", "tool_input": {"command": "git stash"}, "tool_use_id": "toolu_1"});
    assert!(!env.hook(&call).stdout.is_empty());
    assert!(found(&env, "HOOKS_NEVER_SEEN").is_empty());
}

#[test]
fn a_folder_of_sessions_that_is_not_there_comes_with_the_first_one_unless_it_was_configured() {
    let env = machine();
    let projects = env.home().join(".claude/projects");
    if projects.exists() {
        fs::remove_dir_all(&projects).expect("a folder that can go");
    }
    let remedies =
        |found: Vec<[String; 3]>| found.into_iter().map(|[_, _, remedy]| remedy).collect::<Vec<_>>();
    assert_eq!(remedies(found(&env, "NO_SESSIONS")), ["claude"]);
    fs::create_dir_all(&projects).expect("a folder");
    fs::write(env.data().join("config.toml"), "[scan]\nroots = [\"/nowhere/sessions\"]\n").expect("settings");
    let remedies = remedies(found(&env, "NO_SESSIONS"));
    assert!(matches!(remedies.as_slice(), [remedy] if remedy.ends_with("config.toml")), "{remedies:?}");
}

#[test]
fn what_the_hooks_cannot_read_is_an_error_that_mends_itself() {
    let env = TestEnv::new().without_seeds();
    assert_eq!(found(&env, "INDEX_MISSING")[0][2], "lessons build");
    let fixed = report(&env, &["--fix"]);
    assert_eq!(fixed["fixed"], json!(["manifest and index are rebuilt"]));
    assert_eq!(fixed["ok"], true, "{fixed:#}");
    for (name, bytes, code) in [
        ("lesson-manifest.idx", &b"nothing"[..], "INDEX_DAMAGED"),
        ("lesson-manifest.json", b"{", "INDEX_STALE"),
    ] {
        fs::write(env.data().join(name), bytes).expect("a file");
        assert_eq!(found(&env, code).len(), 1, "{code}");
        assert!(of(&report(&env, &["--fix"]), code).is_empty(), "{code}");
    }
    fs::remove_file(env.data().join("lesson-manifest.idx")).expect("the index");
    assert_eq!(found(&env, "INDEX_MISSING")[0][0], "error");
    env.must(&["build"]);
    let manifest = env.data().join("lesson-manifest.json");
    let text = fs::read_to_string(&manifest).expect("the manifest");
    fs::write(&manifest, text.replacen("\"version\"", " \"version\"", 1)).expect("the manifest");
    assert_eq!(found(&env, "INDEX_STALE").len(), 1);
}

#[test]
fn one_byte_anywhere_in_the_index_is_seen() {
    let env = machine();
    with_frob(&env);
    let index = env.data().join("lesson-manifest.idx");
    let whole = fs::read(&index).expect("the index");
    for at in [0, 20, 100, 600, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&index, bytes).expect("the index");
        let report = report(&env, &[]);
        assert!(
            of(&report, "INDEX_DAMAGED").len() + of(&report, "INDEX_STALE").len() == 1,
            "byte {at}: {report:#}"
        );
    }
}

#[test]
fn settings_that_make_no_sense_are_told_with_what_is_used_instead() {
    let env = machine();
    fs::write(env.data().join("config.toml"), "query.limit = 0\n[budget]\nbytes = \"many\"\nlesons = 3\n")
        .expect("settings");
    let report = report(&env, &[]);
    let bad = of(&report, "BAD_SETTING");
    assert_eq!(bad.len(), 2, "{report:#}");
    assert!(bad[0][1].contains("256 to 9500") && bad[0][1].contains("default is used"), "{bad:?}");
    assert!(of(&report, "UNKNOWN_SETTING")[0][1].contains("`budget.lesons`"));
    fs::write(env.data().join("config.toml"), "query.limit = = 0\n").expect("settings");
    assert_eq!(found(&env, "SETTINGS_UNREADABLE")[0][0], "error");
}

#[test]
fn lessons_that_contradict_each_other_or_the_projects_instructions_are_told() {
    let env = machine();
    add(
        &env,
        &json!({"id": "no-wipe", "rule": "Never wipe with frob.", "mode": "block",
            "triggers": [{"kind": "command_pattern", "pattern": r"\bfrob wipe\b"}],
            "examples": {"fires": [{"tool": "Bash", "command": "frob wipe /home"}]}}),
    );
    add(
        &env,
        &json!({"id": "clean-first", "rule": "Run `frob wipe cache` before every release of frob.",
            "triggers": [{"kind": "command_pattern", "pattern": r"\bfrob release\b"}]}),
    );
    add(
        &env,
        &json!({"id": "no-purge", "rule": "Ask before you purge with the frobber.",
            "triggers": [{"kind": "command_pattern", "pattern": r"\bfrob purge\b"}],
            "examples": {"quiet": [{"tool": "Bash", "command": "frob wipe tmp"}]}}),
    );
    fs::write(
        env.project().join("CLAUDE.md"),
        "# Work\n\nNever run `frob wipe everything`.\nBefore a merge run `frob wipe build`.\n",
    )
    .expect("instructions");
    fs::create_dir_all(env.project().join(".git")).expect("a folder");
    let report = report(&env, &[]);
    let messages: Vec<String> =
        of(&report, "CONTRADICTION").into_iter().map(|[_, message, _]| message).collect();
    assert_eq!(
        messages,
        [
            "user/no-wipe blocks `frob wipe cache`, which user/clean-first advises",
            "user/no-wipe blocks `frob wipe tmp`, which user/no-purge says is right (its `quiet` examples)",
        ]
    );
    let told = of(&report, "INSTRUCTION_REFUSED");
    assert_eq!(told.len(), 1, "{report:#}");
    assert_eq!(told[0][1], "CLAUDE.md, line 4, names `frob wipe build`, which user/no-wipe blocks");
    assert_eq!(report["ok"], true, "a contradiction is for a person to settle");
}

#[test]
fn doubtful_triggers_and_lessons_that_say_the_same_are_told() {
    let env = machine();
    for (id, rule, trigger) in [
        ("push-one", "Use frob push --safe, which asks before it overwrites.", "^npx vitest"),
        ("push-two", "Use frob push --safe, which asks before it overwrites it.", r"\bfrob push\b"),
    ] {
        add(
            &env,
            &json!({"id": id, "rule": rule,
                "triggers": [{"kind": "command_pattern", "pattern": trigger}, {"kind": "file_glob", "pattern": "*.nope"}]}),
        );
    }
    fs::create_dir_all(env.project().join(".git")).expect("a folder");
    fs::write(env.project().join("a.txt"), "").expect("a file");
    let report = report(&env, &[]);
    assert!(of(&report, "RUNNER_ANCHORED_PATTERN")[0][2].starts_with("lessons edit push-one"), "{report:#}");
    assert_eq!(of(&report, "NEAR_DUPLICATE")[0][2], "lessons merge push-two push-one");
    assert_eq!(of(&report, "DEAD_FILE_GLOB")[0][0], "note", "{report:#}");
}

#[test]
fn a_lesson_that_is_told_at_too_many_calls_is_named() {
    let env = machine();
    with_frob(&env);
    let quiet: Vec<&str> = std::iter::repeat_n("ls", 240).collect();
    with_commands(&env, "one", 1, &quiet);
    assert!(found(&env, "TOO_BROAD").is_empty());
    with_commands(&env, "two", 241, &["frob push a", "frob push b", "frob push c", "ls"]);
    let told = found(&env, "TOO_BROAD");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0][1].ends_with("fires at 3 of the 244 calls in your sessions that went well"), "{told:?}");
    assert!(told[0][2].starts_with("lessons replay user/"), "{told:?}");
}

#[test]
fn calls_that_failed_make_no_lesson_too_broad() {
    let env = machine();
    with_frob(&env);
    let quiet: Vec<&str> = std::iter::repeat_n("ls", 240).collect();
    with_commands(&env, "one", 1, &quiet);
    with_commands(&env, "two", 241, &["!frob push a", "!frob push b", "!frob push c", "frob push d"]);
    assert!(found(&env, "TOO_BROAD").is_empty());
}

#[test]
fn sessions_that_nobody_has_read_and_lessons_that_never_fired_are_told() {
    let env = machine();
    with_frob(&env);
    let store = env.data().join("lessons.json");
    let text = fs::read_to_string(&store).expect("the store");
    let created = text.split("\"createdAt\": \"").nth(1).and_then(|rest| rest.get(..10)).expect("a day");
    fs::write(&store, text.replace(created, "2020-01-01")).expect("the store");
    env.must(&["accept"]);
    let path = env.write_transcript("app/old.jsonl", &[json!({"type": "user"})]);
    fs::File::options()
        .append(true)
        .open(&path)
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
        .expect("a time");
    let report = report(&env, &[]);
    assert_eq!(of(&report, "NEVER_FIRED").len(), 1, "{report:#}");
    assert_eq!(of(&report, "SESSIONS_UNREAD")[0][2], "lessons scan");
    env.must(&["scan"]);
    let call = json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": env.project(),
        "tool_name": "Bash", "tool_input": {"command": "frob push a"}, "tool_use_id": "toolu_1"});
    assert!(!env.hook(&call).stdout.is_empty());
    let report = crate::keeping::doctoring::report(&env, &[]);
    assert!(of(&report, "NEVER_FIRED").is_empty() && of(&report, "SESSIONS_UNREAD").is_empty(), "{report:#}");
    let found = ["HOOK_TIMES", "HOOK_SLOW"].map(|code| of(&report, code)).concat();
    let [[_, message, _]] = found.as_slice() else { panic!("{found:?}") };
    assert!(message.starts_with("hook latency at 1 call of the last week: median "), "{message}");
    assert!(message.ends_with(" ms"), "{message}");
}

#[test]
fn a_damaged_database_gives_way_to_the_copy_of_the_last_night() {
    let env = machine();
    with_frob(&env);
    env.must(&["nightly"]);
    let database = env.data().join("lessons.db");
    for name in ["lessons.db-wal", "lessons.db-shm"] {
        let _ = fs::remove_file(env.data().join(name));
    }
    fs::write(&database, "no database, but long enough to be looked at as one ".repeat(50)).expect("a file");
    assert_eq!(found(&env, "DATABASE_UNUSABLE")[0][0], "error");
    let fixed = report(&env, &["--fix"]);
    assert_eq!(fixed["ok"], true, "{fixed:#}");
    assert!(env.data().join("lessons.db.damaged").exists(), "nothing is thrown away");
    assert!(env.must(&["log"]).contains("added user/"), "the journal is back");
}

#[test]
fn every_damaged_database_is_kept() {
    let env = machine();
    with_frob(&env);
    let database = env.data().join("lessons.db");
    let damage = || {
        fs::write(&database, "no database, but long enough to be looked at as one ".repeat(50))
            .expect("a file");
        fs::write(env.data().join("lessons.db-wal"), "what was written last").expect("a file");
    };
    damage();
    assert_eq!(found(&env, "DATABASE_UNUSABLE")[0][2], "lessons doctor --fix");
    let fixed = report(&env, &["--fix"]);
    assert!(fixed["fixed"][0].as_str().expect("text").contains("a new database is created"), "{fixed:#}");
    env.must(&["nightly"]);
    for kept in ["lessons.db.damaged", "lessons.db.damaged-2", "lessons.db.damaged-3"] {
        damage();
        report(&env, &["--fix"]);
        assert!(fs::read(env.data().join(kept)).expect("kept").starts_with(b"no database"));
    }
}

#[test]
fn a_lesson_that_fails_its_examples_is_told_with_the_example() {
    let env = machine();
    with_frob(&env);
    let store = env.data().join("lessons.json");
    let text = fs::read_to_string(&store).expect("the store");
    let mut graph: Value = serde_json::from_str(&text).expect("JSON");
    graph["lessons"]["use-frob-push-safe-which"]["examples"] =
        json!({"fires": [{"tool": "Bash", "command": "unrelated"}]});
    fs::write(&store, graph.to_string()).expect("the store");
    assert_eq!(env.lessons(&["accept"]).status.code(), Some(1));
    let report = report(&env, &[]);
    let told = of(&report, "EXAMPLE_FAILS");
    assert_eq!(told.len(), 1, "{report:#}");
    assert!(told[0][1].contains("unrelated"), "{told:?}");
    assert_eq!(told[0][2], "lessons edit use-frob-push-safe-which");
    assert!(of(&report, "NOT_IN_FORCE").is_empty(), "a build would not change it: {report:#}");
}

#[test]
fn files_of_others_without_an_end_stop_nothing() {
    let env = machine();
    with_frob(&env);
    fs::create_dir_all(env.project().join(".git")).expect("a folder");
    fs::create_dir_all(env.project().join(".claude")).expect("a folder");
    std::os::unix::fs::symlink("/dev/zero", env.project().join("CLAUDE.md")).expect("a link");
    std::os::unix::fs::symlink("/dev/zero", env.project().join(".claude/settings.json")).expect("a link");
    report(&env, &[]);
}

#[test]
fn what_a_dead_command_left_is_swept() {
    let env = machine();
    let left = env.data().join(".lessons.json.999999999-0.unfinished");
    fs::write(&left, "{").expect("a file");
    assert_eq!(found(&env, "UNFINISHED_FILES")[0][0], "note");
    let fixed = report(&env, &["--fix"]);
    assert_eq!(fixed["fixed"], json!(["unfinished files are removed"]));
    assert!(!left.exists());
}

#[test]
fn a_store_of_the_project_is_told_when_it_is_not_trusted_or_has_changed() {
    let env = machine();
    with_frob(&env);
    let store = env.project().join(".lessons/lessons.json");
    fs::create_dir_all(store.parent().expect("a folder")).expect("a folder");
    fs::copy(env.data().join("lessons.json"), &store).expect("a copy");
    assert_eq!(found(&env, "PROJECT_STORE_NOT_TRUSTED")[0][2], "lessons trust");
    env.must(&["trust", "--yes"]);
    assert!(found(&env, "PROJECT_STORE_NOT_TRUSTED").is_empty());
    let text = fs::read_to_string(&store).expect("the store");
    fs::write(&store, text.replace("asks first", "asks you first")).expect("the store");
    assert_eq!(found(&env, "PROJECT_STORE_CHANGED").len(), 1);
    fs::remove_file(&store).expect("the store");
    assert!(found(&env, "PROJECT_STORE_GONE")[0][2].starts_with("lessons untrust "));
}

#[test]
fn of_what_is_wrong_with_a_thousand_lessons_the_first_ten_are_shown() {
    let env = machine();
    let lessons: serde_json::Map<String, Value> = (0..1000)
        .map(|n| {
            let lesson = json!({
                "rule": format!("Do {n} otherwise"), "mistake": format!("Doing {n}"), "status": "active",
                "topics": ["frob"], "triggers": ["t-cmd-00000000"], "evidence": ["user:me"],
                "createdAt": "2026-01-01T00:00:00Z"
            });
            (format!("lesson-{n:03}"), lesson)
        })
        .collect();
    let store = json!({
        "version": 1, "lessons": lessons, "triggers": {}, "topics": { "frob": { "summary": "Frob" } }
    });
    std::fs::write(env.data().join("lessons.json"), store.to_string()).expect("the store");
    let accepted = String::from_utf8(env.lessons(&["accept"]).stdout).expect("text");
    assert!(accepted.contains("… and 970 more") && accepted.lines().count() < 80, "{accepted}");
    let built = String::from_utf8(env.lessons(&["build"]).stdout).expect("text");
    // One line of what is in force; the lessons that are left out and what is wrong with the store.
    assert_eq!(built.matches("  user/lesson-").count(), 10, "{built}");
    assert!(built.contains("\n… and 990 more like that; `lessons build --json` has them all\n"), "{built}");
    assert!(built.lines().count() < 40, "{built}");
    let doctored = String::from_utf8(env.lessons(&["doctor"]).stdout).expect("text");
    assert!(
        doctored.contains("\n… and 990 more LEFT_OUT; `lessons doctor --json` has them all\n"),
        "{doctored}"
    );
    assert!(doctored.lines().count() < 120, "{doctored}");
}

#[test]
fn it_reads_as_a_list_with_a_command_for_each() {
    let env = TestEnv::new().without_seeds();
    let answer = said(&env, &env.lessons(&["doctor"]));
    assert!(
        answer.starts_with(
            "exit 1\nerror: nothing is compiled, so the hooks do nothing (INDEX_MISSING)\n    lessons build\n"
        ),
        "{answer}"
    );
    assert!(answer.ends_with("Next: lessons doctor --fix, which fixes 1 of them"), "{answer}");
}

#[test]
fn hooks_and_mods_beside_ours_are_listed_with_what_they_can_do() {
    let env = TestEnv::new().without_seeds();
    let write = |path: &Path, value: Value| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, value.to_string()).expect("a file");
    };
    let named = || -> Vec<String> {
        let report = report(&env, &[]);
        let found = report["findings"].as_array().expect("a list").iter();
        let about = found.filter(|it| {
            ["OTHER_MOD", "OTHER_HOOKS", "PERMISSION_HOOK"].contains(&it["code"].as_str().expect("a code"))
        });
        let line = |it: &Value| format!("{} {} [{}]", it["code"], it["message"], it["remedy"]);
        let home = env.home().display().to_string();
        let lines = about.map(|it| line(it).replace('"', "").replace(&home, "HOME"));
        lines.map(|line| line.replace(&env.project().display().to_string(), "PROJECT")).collect()
    };
    assert_eq!(named(), [""; 0]);

    let hook = json!([{ "hooks": [{ "type": "command", "command": "mine" }] }]);
    let market = env.home().join("market");
    let plugins = env.home().join(".claude/plugins");
    let register = json!({ "modules": ["./register.js"] });
    write(&market.join("plugins/evil/hooks/hooks.json"), register.clone());
    let listed = json!({ "plugins": [{ "name": "evil", "source": "./plugins/evil" }] });
    write(&market.join(".claude-plugin/marketplace.json"), listed);
    let source = json!({ "source": "directory", "path": market });
    write(
        &plugins.join("known_marketplaces.json"),
        json!({ "m": { "source": source, "installLocation": market } }),
    );
    let copy = |name: &str| plugins.join("cache/n").join(name).join("1.0.0");
    let installed: serde_json::Map<_, _> = ["tidy@n", "off@n"]
        .map(|id| (id.to_owned(), json!([{ "installPath": copy(&id[..id.len() - 2]) }])))
        .into_iter()
        .collect();
    write(&plugins.join("installed_plugins.json"), json!({ "version": 2, "plugins": installed }));
    for name in ["tidy", "off"] {
        let manifest = json!({ "name": name, "hooks": { "PreToolUse": hook, "PermissionRequest": hook } });
        write(&copy(name).join(".claude-plugin/plugin.json"), manifest);
        let hooks = json!({ "hooks": { "SessionStart": hook, "Stop": hook } });
        write(&copy(name).join("hooks/hooks.json"), hooks);
    }
    let skill = env.home().join(".claude/skills/sly");
    write(&skill.join(".claude-plugin/plugin.json"), json!({ "name": "sly" }));
    write(&skill.join("hooks/hooks.json"), register);
    let settings = json!({ "enabledPlugins": { "evil@m": true, "tidy@n": true, "off@n": false },
                           "hooks": { "Stop": hook, "PostToolUseFailure": hook } });
    write(&env.home().join(".claude/settings.json"), settings);
    insta::assert_snapshot!(named().join("\n"), @r"
    OTHER_MOD the plugin evil@m has a mod (./register.js), which can drop what hooks answer: a call that a lesson blocks would run, and no reminder arrive [claude plugin validate HOME/market/plugins/evil]
    PERMISSION_HOOK a PermissionRequest hook in the plugin tidy@n can answer Claude Code's questions for you: what an agent asks to change may be approved without you [claude plugin validate HOME/.claude/plugins/cache/n/tidy/1.0.0]
    OTHER_MOD the plugin sly@skills-dir has a mod (./register.js), which can drop what hooks answer: a call that a lesson blocks would run, and no reminder arrive [claude plugin validate HOME/.claude/skills/sly]
    OTHER_HOOKS HOME/.claude/settings.json has hooks where Lessons has some (PostToolUseFailure): they can add to what the model reads [${EDITOR:-vi} HOME/.claude/settings.json]
    OTHER_HOOKS the plugin tidy@n has hooks where Lessons has some (PreToolUse, SessionStart): they can refuse a call, or change it after Lessons has looked at it, and add to what the model reads [claude plugin validate HOME/.claude/plugins/cache/n/tidy/1.0.0]
    ");

    write(&env.project().join(".claude/settings.json"), json!({ "enabledPlugins": { "evil@m": false } }));
    assert!(!named().iter().any(|line| line.contains("evil@m")));
}

#[test]
fn the_setting_of_the_project_decides_whether_hooks_run() {
    let env = TestEnv::new().without_seeds();
    let write = |folder: &Path, name: &str, off: bool| {
        fs::create_dir_all(folder.join(".claude")).expect("a folder");
        let settings = json!({ "disableAllHooks": off }).to_string();
        fs::write(folder.join(".claude").join(name), settings).expect("settings");
    };
    write(&env.home(), "settings.json", true);
    assert_eq!(found(&env, "HOOKS_DISABLED").len(), 1);
    write(&env.project(), "settings.local.json", false);
    assert!(found(&env, "HOOKS_DISABLED").is_empty());
}

#[test]
fn a_hook_that_answers_for_the_person_is_named() {
    let env = TestEnv::new().without_seeds();
    assert!(found(&env, "PERMISSION_HOOK").is_empty());
    let settings = env.project().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
    let hooks = |hooks: Value| fs::write(&settings, json!({ "hooks": hooks }).to_string()).expect("settings");
    hooks(json!({"PermissionRequest": [], "Stop": [{"hooks": []}]}));
    assert!(found(&env, "PERMISSION_HOOK").is_empty());
    hooks(json!({"PermissionRequest": [{"hooks": [{"type": "command", "command": "yes"}]}]}));
    let named = found(&env, "PERMISSION_HOOK");
    assert!(named.len() == 1 && named[0][1].contains("settings.json"), "{named:?}");
}

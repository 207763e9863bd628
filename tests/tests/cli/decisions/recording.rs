//! What recording and checking say of a lesson that would do harm or nothing.

use std::fs;

use lessons_lesson::call::MCP;
use lessons_lesson::hooked;
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::said::said;
use crate::seeing::replaying::{with_commands, with_frob};

/// The codes of the warnings, or of the refusal.
fn codes(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let output = env.lessons(&[arguments, &["--json"]].concat());
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    let code = answer["code"].as_str().map(str::to_owned);
    let all = warnings.filter_map(|warning| warning["code"].as_str().map(str::to_owned)).chain(code);
    // The rules here are alike on purpose.
    all.filter(|code| code != "NEAR_DUPLICATE_LESSON").collect()
}

fn add(env: &TestEnv, trigger: &str, more: &[&str]) -> Vec<String> {
    let rule = format!("Look twice before you do it: {trigger}.");
    codes(env, &[&["add", "--rule", &rule, "--trigger", trigger][..], more].concat())
}

/// The codes that `validate` finds.
fn validated(env: &TestEnv) -> Vec<String> {
    let output = env.lessons(&["validate", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = report["findings"].as_array().into_iter().flatten();
    findings.filter_map(|finding| finding["code"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_pattern_that_matches_nearly_everything_is_said_and_may_only_advise() {
    let env = TestEnv::new().without_seeds();
    for broad in ["cmd=.*", "cmd=.", "cmd=^", r"cmd=\w", "cmd=(?:)", "glob=**", "path=.", "content=[^]*"] {
        let code = if broad.starts_with("glob") { "BROAD_GLOB_TRIGGER" } else { "BROAD_PATTERN_TRIGGER" };
        assert_eq!(add(&env, broad, &[]), [code], "{broad}");
        for mode in ["bump", "block"] {
            let example = json!({"tool": "Edit", "file": "a/b", "content": "x", "command": "ls"}).to_string();
            let refusing = ["--mode", mode, "--fires", &example, "--rule", "Never ever do that here."];
            assert_eq!(
                codes(&env, &[&["add", "--trigger", broad][..], &refusing].concat()),
                [code],
                "{broad}"
            );
        }
    }
    assert_eq!(validated(&env).len(), 8, "{:?}", validated(&env));
    let edited = &["edit", "look-twice-before-you-do", "--summary", "Twice."];
    assert_eq!(codes(&env, edited), ["BROAD_PATTERN_TRIGGER"]);
    for narrow in ["glob=../../**", "glob=/abs/**", "glob=src/**/*.ts"] {
        let output = env.lessons(&["add", "--rule", &format!("Mind {narrow} well."), "--trigger", narrow]);
        let text = said(&env, &output);
        assert!(text.contains("by their folder or type") && !text.contains("nearly every"), "{text}");
    }
}

/// A machine on which `frob push` was 3 of 244 calls.
fn with_a_past() -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let quiet: Vec<&str> = std::iter::repeat_n("ls", 240).collect();
    with_commands(&env, "one", 1, &quiet);
    with_commands(&env, "two", 241, &["frob push a", "frob push b", "frob push c", "frob pull"]);
    env
}

#[test]
fn a_lesson_for_more_than_one_past_call_in_a_hundred_is_said_and_may_only_advise() {
    let env = with_a_past();
    assert_eq!(add(&env, r"cmd=\bfrob pull\b", &[]), [] as [&str; 0]);
    assert_eq!(add(&env, r"cmd=\bfrob push\b", &[]), ["TOO_BROAD"]);
    assert_eq!(validated(&env), ["TOO_BROAD"]);
    let id = "look-twice-before-you-do-2";
    assert_eq!(codes(&env, &["edit", id, "--summary", "Twice."]), ["TOO_BROAD"]);
    for more in
        [&["--mode", "bump"][..], &["--mode", "block"], &["--mode", "block", "--force-block", "because"]]
    {
        let refusing = [more, &["--fires", "frob push a"]].concat();
        assert_eq!(codes(&env, &[&["edit", id][..], &refusing].concat()), ["TOO_BROAD"], "{more:?}");
        let added = [&["add", "--rule", "Never frob it.", "--trigger", r"cmd=\bfrob push\b"][..], &refusing];
        assert_eq!(codes(&env, &added.concat()), ["TOO_BROAD"], "{more:?}");
    }
    let narrow = ["--mode", "bump", "--unless", r"cmd=\bfrob push [ab]", "--fires", "frob push c"];
    assert_eq!(codes(&env, &[&["edit", id][..], &narrow].concat()), [] as [&str; 0]);
}

#[test]
fn what_a_refusal_for_breadth_names_can_be_typed() {
    let env = with_a_past();
    let typed =
        ["add", "--rule", "Never frob it.", "--trigger", r"cmd=\bfrob push\b", "--fires", "frob push a"];
    let refused = env.lessons(&[&typed[..], &["--mode", "block", "--force-block", "because"]].concat());
    insta::assert_snapshot!(said(&env, &refused), @r"
    exit 2
    --- stderr
    lessons: never-frob-it fires at 3 of the 244 calls in your sessions that went well, more than one in 100: it is too broad to block calls, and may only advise. Narrow it, for example with --unless 'cmd=PATTERN', or save it as advice:
      lessons add --rule 'Never frob it.' --trigger 'cmd=\bfrob push\b' --fires 'frob push a' --mode advise
    ");
    env.must(&[&typed[..], &["--mode", "advise"]].concat());
}

#[test]
fn a_trigger_that_is_given_twice_is_kept_once() {
    let env = TestEnv::new().without_seeds();
    let twice = [
        "--trigger",
        "cmd=frob a",
        "--trigger",
        "cmd=frob a",
        "--unless",
        "kw=dry run",
        "--unless",
        "kw=dry run",
    ];
    let added = env.lessons_json(&[&["add", "--rule", "Frob it with care, twice."][..], &twice].concat());
    let warnings = added["warnings"].to_string();
    assert!(
        warnings.contains("`cmd=frob a` was given twice") && warnings.contains("`kw=dry run`"),
        "{warnings}"
    );
    let lesson = &env.lessons_json(&["show", "frob-it-with-care-twice"])["lesson"];
    assert_eq!(
        (lesson["triggers"].as_array().map(Vec::len), lesson["unless"].as_array().map(Vec::len)),
        (Some(1), Some(1))
    );
}

#[test]
fn a_session_lesson_with_a_trigger_is_warned_about() {
    let env = TestEnv::new().without_seeds();
    assert_eq!(add(&env, "cmd=frob a", &["--when", "session"]), ["TRIGGER_OF_SESSION"]);
    assert_eq!(validated(&env), ["TRIGGER_OF_SESSION"]);
}

#[test]
fn a_finding_about_a_trigger_names_its_lesson() {
    let env = TestEnv::new().without_seeds();
    add(&env, "cmd=^npx vitest", &[]);
    let found = env.must(&["validate"]);
    assert!(
        found.contains("` of lesson `look-twice-before-you-do`: `^npx vitest` fires for one way only"),
        "{found}"
    );
}

#[test]
fn both_lessons_of_a_duplicate_are_named() {
    let env = TestEnv::new().without_seeds();
    with_frob(&env);
    let store = env.data().join("lessons.json");
    let mut graph: Value = serde_json::from_slice(&fs::read(&store).expect("the store")).expect("JSON");
    let id = "use-frob-push-safe-which";
    let lessons = graph["lessons"].as_object_mut().expect("lessons");
    let copy = lessons[id].clone();
    lessons.insert("z".into(), copy);
    fs::write(&store, graph.to_string()).expect("the store");
    let output = env.lessons(&["validate", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let duplicates = report["findings"].as_array().into_iter().flatten();
    let named: Vec<_> = duplicates
        .filter(|finding| finding["code"] == "DUPLICATE_RULE")
        .map(|finding| &finding["lessonId"])
        .collect();
    assert_eq!(named, [id, "z"]);
}

#[test]
fn a_lock_that_is_a_link_is_said_by_the_doctor() {
    let env = TestEnv::new().without_seeds();
    env.must(&["build"]);
    let lock = env.data().join("lock");
    fs::remove_file(&lock).expect("the lock");
    std::os::unix::fs::symlink("/etc/hosts", &lock).expect("a link");
    let output = env.lessons(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["code"] == "LOCK_UNUSABLE").expect("the lock");
    assert_eq!(found["remedy"], format!("rm {}", lock.display()));
}

#[test]
fn the_triggers_of_a_retired_lesson_stay_off_in_a_merge() {
    let env = TestEnv::new().without_seeds();
    env.must(&["add", "--rule", "Do not frob at all.", "--trigger", "cmd=frob all"]);
    env.must(&["add", "--rule", "Frob one by one.", "--trigger", "cmd=frob one"]);
    env.must(&["deprecate", "do-not-frob-at-all"]);
    let merged = env.must(&["merge", "do-not-frob-at-all", "frob-one-by-one"]);
    assert!(merged.contains("its triggers stay off"), "{merged}");
    let kept = &env.lessons_json(&["show", "frob-one-by-one"])["lesson"];
    assert_eq!(kept["triggers"].as_array().map(Vec::len), Some(1), "{kept}");
}

#[test]
fn the_hook_is_called_for_the_tools_that_are_checked() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks/hooks.json");
    let hooks: Value = serde_json::from_slice(&fs::read(file).expect("hooks.json")).expect("JSON");
    let matcher = format!("^({}|{MCP}.+)$", hooked::TOOLS.join("|"));
    for event in ["PreToolUse", "PostToolUseFailure"] {
        assert_eq!(hooks["hooks"][event][0]["matcher"], matcher, "{event}");
    }
}

#[test]
fn a_tool_for_which_no_hook_is_called_is_said_wherever_somebody_looks() {
    let env = TestEnv::new().without_seeds();
    assert_eq!(add(&env, "tool=WebFetch", &[]), [] as [&str; 0]);
    assert_eq!(add(&env, "tool=TodoWrite", &[]), ["UNHOOKED_TOOL"]);
    assert_eq!(add(&env, "cmd=frob a", &["--tool", "bash"]), [] as [&str; 0], "it is called `Bash`");
    assert_eq!(add(&env, "cmd=frob b", &["--tool", "Shell"]), ["UNHOOKED_TOOL"]);
    assert_eq!(validated(&env), ["UNHOOKED_TOOL", "UNHOOKED_TOOL"]);
    let doctor: Value = serde_json::from_slice(&env.lessons(&["doctor", "--json"]).stdout).expect("JSON");
    let doctor = doctor["findings"].as_array().expect("findings").iter();
    assert_eq!(doctor.filter(|finding| finding["code"] == "UNHOOKED_TOOL").count(), 2);

    let todo = env.lessons_json(&["explain", "--tool", "TodoWrite"]);
    assert_eq!((&todo["decision"], &todo["lessons"]), (&json!("silent"), &json!([])));
    assert!(todo["note"].as_str().is_some_and(|note| note.contains("`TodoWrite`")), "{todo}");
    assert_eq!(env.lessons_json(&["explain", "--tool", "WebFetch"])["decision"], "advise");
    assert_eq!(env.lessons_json(&["explain", "--command", "frob a"])["decision"], "advise");
    let shell = ["explain", "--command", "frob b", "--lesson", "look-twice-before-you-do-4"];
    let why = env.lessons_json(&shell)["lesson"]["why"].to_string();
    assert!(why.contains("does not call the hook for the tool `Shell`"), "{why}");
}

#[test]
fn a_reminder_is_kept_quiet_on_what_its_own_rule_advises() {
    let env = TestEnv::new().without_seeds();
    let rule = "Untracked files stay behind; use `git stash -u` when they matter.";
    let stash = ["add", "--rule", rule, "--trigger", r"cmd=\bgit stash\b"];
    assert_eq!(codes(&env, &stash), ["KEPT_QUIET_ON_ITS_ADVICE"]);
    let shown = env.must(&["show", "untracked-files-stay-behind-use"]);
    assert!(shown.contains(r"cmd=(?:^|\s)-u\b"), "{shown}");
}

#[test]
fn a_lesson_that_would_refuse_what_its_own_rule_advises_needs_a_reason() {
    let env = TestEnv::new().without_seeds();
    let rule = "Untracked files stay behind; use `git stash -u` when they matter.";
    let stash = ["add", "--rule", rule, "--trigger", r"cmd=\bgit stash\b", "--fires", "git stash"];
    let refused = said(&env, &env.lessons(&[&stash[..], &["--mode", "bump"]].concat()));
    for part in [
        "exit 2",
        "would refuse `git stash -u`, which its own rule advises",
        "--mode advise",
        "--force-block",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    env.must(&stash);
    let bump = ["edit", "untracked-files-stay-behind-use", "--mode", "bump"];
    let alone = [&bump[..], &["--unless", ""]].concat();
    assert_eq!(env.lessons(&alone).status.code(), Some(2), "edit refuses it as well");
    env.must(&[&bump[..], &["--unless", r"cmd=\s-u\b"]].concat());
    env.must(&["edit", "untracked-files-stay-behind-use", "--mode", "advise", "--unless", ""]);
    env.must(&[&bump[..], &["--force-block", "nobody needs it here"]].concat());
}

#[test]
fn the_rule_may_be_named_as_in_a_tag() {
    let env = TestEnv::new().without_seeds();
    env.must(&[
        "add",
        "--mistake",
        "frob wipes the cache",
        "--fix",
        "Use frob --keep.",
        "--trigger",
        "cmd=^frob$",
    ]);
    assert!(env.must(&["list", "--mine"]).contains("Use frob --keep."));
}

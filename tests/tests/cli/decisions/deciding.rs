//! What a person types to decide: add, promote, reject, edit, retire, restore, off, on, trust, import.

use std::fs;

use insta::assert_snapshot;
use lessons_tests::env::TestEnv;
use serde_json::json;

use crate::said::{said, with_a_lesson};
use crate::seeing::reading::with_candidates;

#[test]
fn a_lesson_is_added_with_what_is_worth_a_look() {
    let env = with_a_lesson();
    let added =
        env.lessons(&["add", "--rule", "Use `frob push --safe`, which asks first!", "--trigger", "kw=frob"]);
    assert_snapshot!(said(&env, &added), @r#"
    exit 0
    user/use-frob-push-safe-which added; it is in force from the next call on, everywhere
      on kw=frob
    Next: lessons show user/use-frob-push-safe-which
    --- stderr
    warning: it has only keywords; a command pattern or a glob says better when it is due
    warning: user/frob-use-frob-push-safe-which says nearly the same and fires on the same calls; merge the two: lessons merge use-frob-push-safe-which frob-use-frob-push-safe-which; or keep the new one: lessons merge frob-use-frob-push-safe-which use-frob-push-safe-which --replace
    "#);
    let again =
        env.lessons(&["add", "--rule", "use `frob push --safe`,  which asks first!", "--trigger", "kw=frob"]);
    assert_snapshot!(said(&env, &again), @r#"
    exit 0
    user/use-frob-push-safe-which unchanged; it is in force from the next call on, everywhere
      on kw=frob
    Next: lessons show user/use-frob-push-safe-which
    --- stderr
    warning: it has only keywords; a command pattern or a glob says better when it is due
    warning: user/frob-use-frob-push-safe-which says nearly the same: lessons show user/frob-use-frob-push-safe-which
    "#);
    let more = env.lessons(&[
        "add",
        "--rule",
        "Use `frob push --safe`, which asks first!",
        "--trigger",
        "cmd=frob push",
        "--mode",
        "bump",
    ]);
    assert_snapshot!(said(&env, &more), @r#"
    exit 2
    --- stderr
    lessons: this is a duplicate: user/use-frob-push-safe-which says the same, with another `mode`; change it with `lessons edit use-frob-push-safe-which`, or word the rule otherwise, and it becomes a lesson of its own
    "#);
}

#[test]
fn what_is_wrong_with_a_lesson_is_said_all_at_once_with_what_to_do() {
    let env = TestEnv::new();
    let bad = env.lessons(&[
        "add",
        "--rule",
        "Do it well, please.",
        "--trigger",
        "cmd=git(?=x)",
        "--mode",
        "block",
        "--tag",
        "git",
    ]);
    assert_snapshot!(said(&env, &bad), @r#"
    exit 2
    --- stderr
    lessons: tag `git` is not of the form category:value; write it like tool:git or severity:data-loss (INVALID_TAG)
             trigger `cmd=git(?=x)`: at character 4: look-ahead and look-behind, `(?=…)`, cannot be matched in linear time; put what must match too into `also`, and what must not into `unless`; change the pattern (UNSAFE_TRIGGER_PATTERN)
             it has no trigger that works; give it a trigger, or make it a session lesson (UNRECALLABLE_LESSON)
             a lesson that refuses calls needs an example of one; take one of your sessions (`lessons replay ID --label`), or give one with --fires (`examples.fires`) (REFUSAL_WITHOUT_EXAMPLE)
    "#);
    let no_rule = env.lessons(&["add"]);
    assert_snapshot!(said(&env, &no_rule), @r#"
    exit 2
    --- stderr
    lessons: --rule is required: what to do instead, in a sentence
    "#);
    let placeholder = env.lessons(&["add", "--rule", "TODO", "--trigger", "kw=ab cd"]);
    assert_snapshot!(said(&env, &placeholder), @r#"
    exit 2
    --- stderr
    lessons: `rule` is a placeholder; say it in a sentence
    "#);
    let word = env.lessons(&["add", "--rule", "Do it well, please.", "--mode", "shout"]);
    assert_snapshot!(said(&env, &word), @r#"
    exit 2
    --- stderr
    error: invalid value 'shout' for '--mode <advise|bump|block>': must be one of advise, bump, block

    For more information, try '--help'.
    "#);
    assert!(!env.data().join("lessons.json").exists(), "nothing was saved");
}

#[test]
fn a_text_that_is_too_long_is_refused_and_not_repeated() {
    let env = TestEnv::new();
    let lesson = json!({"rule": "a".repeat(1 << 20), "triggers": [{"kind": "keyword", "pattern": "ab"}]});
    let answer = env.lessons_given(&["add", "--json-input", "-"], lesson.to_string().as_bytes());
    let text = said(&env, &answer);
    assert!(
        text.starts_with("exit 2") && text.contains("OVERSIZED_FIELD") && text.len() < 500,
        "{text:.600}"
    );
}

#[test]
fn a_bump_takes_its_example_from_what_was_seen() {
    let (env, [plain, _]) = with_candidates();
    env.must(&["promote", &plain, "--mode", "bump", "--trigger", r"cmd=\bfrob\b"]);
    let shown = env.lessons_json(&["show", "frob-use-frob-push-safe-which"]);
    assert_eq!(shown["lesson"]["examples"]["fires"], json!([{"tool": "Bash", "command": "frob push"}]));
    assert_eq!(shown["inForce"], true);
}

#[test]
fn what_its_own_examples_would_keep_out_of_force_is_refused_and_the_lesson_stays_as_it_was() {
    let env = TestEnv::new();
    let added =
        env.lessons(&["add", "--rule", "Ask before you frob.", "--trigger", "cmd=frob", "--fires", "baz"]);
    assert_snapshot!(said(&env, &added), @r"
    exit 2
    --- stderr
    lessons: it should fire on this example of its own and does not: Bash `baz`, so it would not be in force; nothing was changed
    ");
    // A refusal looks at what would run, and this is said in quotes.
    env.must(&["add", "--rule", "Move it to the trash.", "--trigger", "cmd=rm -rf /srv"]);
    let id = env.lessons_json(&["list", "--mine"])[0]["id"].as_str().unwrap_or_default().to_owned();
    assert_snapshot!(said(&env, &env.lessons(&["edit", &id, "--mode", "bump", "--fires", "echo 'rm -rf /srv'"])), @r"
    exit 2
    --- stderr
    lessons: it should fire on this example of its own and does not: Bash `echo 'rm -rf /srv'`, so it would not be in force; nothing was changed
    ");
    let shown = env.lessons_json(&["show", &id]);
    assert_eq!((&shown["lesson"]["examples"], &shown["inForce"]), (&json!(null), &json!(true)));
}

#[test]
fn an_example_that_does_not_fire_is_refused_before_anything_is_promoted() {
    let (env, [plain, _]) = with_candidates();
    let refused = env.lessons(&["promote", &plain, "--mode", "bump", "--fires", "git status"]);
    assert_snapshot!(said(&env, &refused), @r"
    exit 2
    --- stderr
    lessons: it should fire on this example of its own and does not: Bash `git status`, so it would not be in force; nothing was changed
    ");
    let other = env.lessons(&["promote", &plain, "--mode", "bump", "--trigger", "cmd=other words"]);
    assert_snapshot!(said(&env, &other).replace(&plain, "ID"), @r"
    exit 2
    --- stderr
    lessons: a bump needs an example, a call that it must stop, and it fires on nothing that was seen; give one: lessons promote ID --mode bump --fires 'COMMAND'
    ");
    assert!(!env.data().join("lessons.json").exists(), "nothing was saved");
}

#[test]
fn a_candidate_is_promoted_once() {
    let (env, [plain, _]) = with_candidates();
    let first = env.must(&["promote", &plain]);
    assert!(first.contains("promoted; it is in force from the next call on"), "{first}");
    let again = env.lessons_json(&["promote", &plain]);
    assert_eq!(again["done"], "unchanged");
    let rejected = env.lessons(&["reject", &plain]);
    assert!(said(&env, &rejected).contains("lessons retire"), "{}", said(&env, &rejected));
}

#[test]
fn a_flagged_candidate_needs_a_flag_accepted_with_a_reason() {
    let (env, [_, flagged]) = with_candidates();
    let refused = said(&env, &env.lessons(&["promote", &flagged])).replace(&flagged, "ID");
    assert_snapshot!(refused, @r#"
    exit 2
    --- stderr
    lessons: candidate ID is flagged:
      overrides-instructions: it speaks as if it were an instruction from above
    If it is right anyway: lessons promote ID --accept overrides-instructions --reason TEXT
    "#);
    let silent = env.lessons(&["promote", &flagged, "--accept", "overrides-instructions", "--reason", " "]);
    assert_eq!(silent.status.code(), Some(2));
    env.must(&["promote", &flagged, "--accept", "overrides-instructions", "--reason", "it quotes an attack"]);
}

#[test]
fn a_rejected_candidate_can_be_restored() {
    let (env, [plain, _]) = with_candidates();
    let rejected =
        said(&env, &env.lessons(&["reject", &plain, "--reason", "too narrow"])).replace(&plain, "ID");
    assert_snapshot!(rejected, @r#"
    exit 0
    candidate ID is rejected; `lessons restore ID` brings it back
    Next: lessons candidates
    "#);
    assert_eq!(env.lessons_json(&["restore", &plain])["done"], "restored");
    assert_eq!(env.lessons_json(&["restore", &plain])["done"], "unchanged");
}

#[test]
fn an_id_that_could_be_several_is_refused_with_their_names() {
    let env = TestEnv::new();
    for (id, rule) in
        [("frob-one", "Use the first form of frob."), ("frob-two", "Turn every frob upside down.")]
    {
        let lesson = json!({"id": id, "rule": rule, "triggers": [{"kind": "keyword", "pattern": "frob"}]});
        let added = env.lessons_given(&["add", "--json-input", "-"], lesson.to_string().as_bytes());
        assert!(added.status.success(), "{}", said(&env, &added));
    }
    for verb in ["show", "retire", "edit", "off"] {
        let answer = said(&env, &env.lessons(&[verb, "frob"]));
        assert!(answer.starts_with("exit 2") && answer.contains("frob-one, "), "{verb}: {answer}");
        let answer = said(&env, &env.lessons(&[verb, ""]));
        assert!(answer.starts_with("exit 2"), "{verb}: {answer}");
    }
}

#[test]
fn a_lesson_that_replaced_another_says_so_when_it_goes() {
    let env = with_a_lesson();
    let old = json!({"id": "old", "rule": "Never push with frob.", "triggers": [{"kind": "keyword", "pattern": "frob"}]});
    assert!(env.lessons_given(&["add", "--json-input", "-"], old.to_string().as_bytes()).status.success());
    let id = "frob-use-frob-push-safe-which";
    let by = json!({"status": "superseded", "supersededBy": id});
    let edited = env.lessons_given(&["edit", "old", "--json-input", "-"], by.to_string().as_bytes());
    assert!(edited.status.success(), "{}", said(&env, &edited));
    assert_snapshot!(said(&env, &env.lessons(&["deprecate", id])), @r#"
    exit 1
    --- stderr
    lessons: user/frob-use-frob-push-safe-which replaced user/old, so without it neither would be in force. Decide about that one first: `lessons restore old` brings it back, `lessons retire old` retires it too (INACTIVE_SUPERSEDER)
    "#);
    env.must(&["deprecate", "old"]);
    env.must(&["deprecate", id]);
}

#[test]
fn what_is_not_there_cannot_be_switched_off() {
    let env = with_a_lesson();
    assert_snapshot!(said(&env, &env.lessons(&["off", "seed/nothing-like-it"])), @r#"
    exit 2
    --- stderr
    lessons: there is no lesson `seed/nothing-like-it`; `lessons list --all` shows all of them
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["off", "git-stash-untracked"])), @r#"
    exit 0
    seed/git-stash-untracked is off from the next call on
    Next: lessons on seed/git-stash-untracked, to undo that
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["on", "git-stash-untracked"])), @r#"
    exit 0
    seed/git-stash-untracked is on from the next call on
    Next: lessons list
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["off", "all", "--for", "soon"])), @r#"
    exit 2
    --- stderr
    lessons: `soon` is not a time; write 30m, 2h or 3d
    "#);
}

#[test]
fn two_commands_at_once_lose_nothing() {
    let env = TestEnv::new();
    env.must(&["build"]);
    let start = |number: usize| {
        let rule = format!("Number {number} is what you should use.");
        let mut command = env.command("lessons");
        command.args(["add", "--summary", "The same words", "--rule", &rule, "--trigger", "kw=frob push"]);
        command.stdout(std::process::Stdio::null()).spawn().expect("lessons starts")
    };
    let children: Vec<_> = (0..2).map(start).collect();
    // On a machine that is very busy one may give up waiting, and says so with its exit code.
    let added = children
        .into_iter()
        .filter_map(|mut child| child.wait().ok())
        .filter(std::process::ExitStatus::success);
    let added = added.count();
    assert!(added > 0, "neither was added");
    assert_eq!(env.lessons_json(&["status"])["own"], added);
}

#[test]
fn a_project_is_trusted_after_a_look() {
    let env = with_a_lesson();
    let folder = env.project().join(".lessons");
    fs::create_dir_all(&folder).expect("a folder");
    fs::copy(env.data().join("lessons.json"), folder.join("lessons.json")).expect("a copy");
    assert_snapshot!(said(&env, &env.lessons(&["trust"])), @r#"
    exit 2
    PROJECT brings 1 lesson:
    new      frob-use-frob-push-safe-which
      + mode       advise
      + rule       Use `frob push --safe`, which asks first.
      + mistake    `frob push` overwrites what others have pushed.
      + trigger    cmd=\bfrob push\b
      + unless     cmd=(?:^|\s)--safe\b
      + topic      frob
      + tag        tool:frob
    They fire in this project only, and after your own.
    --- stderr
    lessons: there is no terminal to ask in; if that is right, run it again with --yes
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["trust", "--yes"])), @r#"
    exit 0
    PROJECT brings 1 lesson:
    new      frob-use-frob-push-safe-which
      + mode       advise
      + rule       Use `frob push --safe`, which asks first.
      + mistake    `frob push` overwrites what others have pushed.
      + trigger    cmd=\bfrob push\b
      + unless     cmd=(?:^|\s)--safe\b
      + topic      frob
      + tag        tool:frob
    They fire in this project only, and after your own.
    Trusted as it is now. 1 lesson of projects in force.
    Next: lessons list, or to end it lessons untrust PROJECT
    "#);
    assert_snapshot!(said(&env, &env.lessons(&["untrust"])), @r#"
    exit 0
    PROJECT is no longer trusted; its lessons are no longer in force
    Next: lessons list
    "#);
}

/// A project with three lessons about frob and the settings `text`.
fn with_settings(text: &str) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let lesson = |rule: &str| {
        serde_json::json!({ "rule": rule, "topics": ["t"], "triggers": ["k"], "evidence": [], "status": "active",
                            "createdAt": "2026-01-01" })
    };
    let graph = serde_json::json!({ "version": 1, "topics": { "t": { "summary": "T" } },
        "lessons": { "one": lesson("Frob once."), "two": lesson("Frob twice."), "three": lesson("Frob no more.") },
        "triggers": { "k": { "kind": "keyword", "pattern": "frob" } } });
    let folder = env.project().join(".lessons");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("lessons.json"), graph.to_string()).expect("a store");
    fs::write(folder.join("config.toml"), text).expect("settings");
    env
}

fn recalled(env: &TestEnv) -> usize {
    env.lessons_json(&["query", "--cmd", "frob"])["lessons"].as_array().expect("a list").len()
}

#[test]
fn the_settings_of_a_project_count_in_it_as_they_were_when_it_was_trusted() {
    let env = with_settings("query.limit = 2\n");
    let file = env.project().join(".lessons/config.toml");
    assert_eq!(recalled(&env), 0, "nothing of an untrusted project counts");
    assert_snapshot!(said(&env, &env.lessons(&["trust", "--yes"])), @r#"
    exit 0
    PROJECT brings 3 lessons:
    new      one
      + mode       advise
      + rule       Frob once.
      + trigger    kw=frob
      + topic      t
    new      three
      + mode       advise
      + rule       Frob no more.
      + trigger    kw=frob
      + topic      t
    new      two
      + mode       advise
      + rule       Frob twice.
      + trigger    kw=frob
      + topic      t
    Its settings count in this project: query.limit = 2
    They fire in this project only, and after your own.
    Trusted as it is now. 3 lessons of projects in force.
    Next: lessons list, or to end it lessons untrust PROJECT
    "#);
    assert_eq!(recalled(&env), 2);
    assert_eq!(
        env.lessons_json(&["query", "--cmd", "frob", "--top", "3"])["lessons"].as_array().unwrap().len(),
        3
    );

    fs::write(&file, "query.limit = 1\n").expect("settings");
    assert_eq!(recalled(&env), 2, "what came since is not approved");
    let told = env.session_start(&json!({ "session_id": "s", "source": "startup", "cwd": env.project() }));
    assert!(String::from_utf8_lossy(&told.stdout).contains("settings for Lessons changed"), "{told:?}");
    let note = doctored(&env, "PROJECT_SETTINGS_CHANGED");
    assert!(note["remedy"].as_str().expect("a command").starts_with("lessons trust "), "{note}");
    let shown = env.lessons_json(&["trust", "--yes"]);
    assert_eq!((&shown["settings"][0], &shown["settingsDiffer"]), (&"query.limit = 1".into(), &true.into()));
    assert_eq!(recalled(&env), 1);
    assert!(doctored(&env, "PROJECT_SETTINGS_CHANGED").is_null());

    env.must(&["undo"]);
    assert_eq!(recalled(&env), 2, "settings are undone with the trust they belong to");
    env.must(&["untrust"]);
    assert_eq!(recalled(&env), 0);
}

/// What the doctor finds under a code; `null` for nothing.
fn doctored(env: &TestEnv, code: &str) -> serde_json::Value {
    let output = env.lessons(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let found = report["findings"].as_array().expect("a list").iter().find(|it| it["code"] == code);
    found.cloned().unwrap_or_default()
}

#[test]
fn what_a_project_may_not_set_or_sets_wrong_leaves_the_users_setting_and_is_told() {
    let env = with_settings("query.limit = -1\nenabled = false\n");
    fs::write(env.data().join("config.toml"), "query.limit = 1\n").expect("settings");
    let shown = env.lessons_json(&["trust", "--yes"]);
    assert_eq!(shown["settings"], serde_json::json!([]));
    assert_eq!(shown["settingsProblems"].as_array().map(Vec::len), Some(2), "{shown}");
    assert_eq!(recalled(&env), 1);
    let bad = doctored(&env, "BAD_PROJECT_SETTING");
    assert!(bad["remedy"].as_str().expect("a command").ends_with("/.lessons/config.toml"), "{bad}");
    assert!(bad["message"].as_str().expect("text").contains("your own setting counts"), "{bad}");
    assert_eq!(env.lessons_json(&["status"])["enabled"], serde_json::json!(null));
}

#[test]
fn a_project_may_have_what_it_records_tidied_up() {
    let env = with_settings("prune.auto = true\n");
    env.must(&["trust", "--yes"]);
    env.must(&["add", "--rule", "Frob the first thing.", "--topic", "old", "--trigger", "kw=frob first"]);
    env.must(&["deprecate", "old-frob-the-first-thing"]);
    env.must(&["add", "--rule", "Frob the other thing.", "--topic", "new", "--trigger", "kw=frob other"]);
    let store = fs::read_to_string(env.data().join("lessons.json")).expect("the store");
    assert!(!store.contains("frob first"), "{store}");
}

#[test]
fn settings_that_are_a_link_are_not_followed() {
    let env = with_settings("");
    let file = env.project().join(".lessons/config.toml");
    fs::remove_file(&file).expect("settings");
    std::os::unix::fs::symlink("/dev/zero", &file).expect("a link");
    let refused = env.lessons(&["trust", "--yes"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("may not be a link"), "{refused:?}");
}

#[test]
fn lessons_of_another_tool_are_taken_over() {
    let env = TestEnv::new();
    let file = env.home().join("nothing.json");
    fs::write(&file, "{}").expect("a file");
    let path = file.display().to_string();
    let answer = env.lessons(&["import", "--format", "lessons-learned", &path]);
    assert_snapshot!(said(&env, &answer), @r#"
    exit 2
    --- stderr
    lessons: HOME/nothing.json: line 1, column 2: missing field `lessons`; this is no manifest of lessons-learned
    "#);
    let missing = env.lessons(&["import", "--format", "lessons-learned", "/nowhere.json"]);
    assert_snapshot!(said(&env, &missing), @r#"
    exit 1
    --- stderr
    lessons: /nowhere.json: No such file or directory (os error 2)
    "#);
}

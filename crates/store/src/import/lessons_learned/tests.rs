use lessons_lesson::SampleCall;
use lessons_pattern::Trigger;
use serde_json::{Value, json};

use super::*;

/// A lesson as that tool writes it, with `changes` over it.
fn raw(changes: &Value) -> Value {
    let mut lesson = json!({
        "slug": "a", "type": "hint", "priority": 5, "toolNames": ["Bash"], "commandRegexSources": [],
        "commandMatchTarget": "full", "pathRegexSources": [], "modelRegexSources": [], "tags": [],
        "scope": null, "message": "", "summary": "sum", "problem": "prob", "solution": "sol"
    });
    for (key, value) in changes.as_object().unwrap() {
        lesson[key] = value.clone();
    }
    lesson
}

fn import_all(lessons: &[Value]) -> Import {
    let lessons: serde_json::Map<String, Value> =
        lessons.iter().enumerate().map(|(n, lesson)| (format!("ID{n:02}"), raw(lesson))).collect();
    let file = json!({"type": "lessons-learned-manifest", "version": 1, "lessons": lessons}).to_string();
    let resolve = |name: &str| (name == "srv-app").then(|| "example.org/app".to_owned());
    read(file.as_bytes(), "2026-01-02", &resolve, &str::to_owned).unwrap()
}

fn import(changes: &Value) -> Import {
    import_all(std::slice::from_ref(changes))
}

/// The only lesson that comes of `changes`.
fn one(changes: &Value) -> Imported {
    let mut import = import(changes);
    assert_eq!((import.lessons.len(), import.left_out.as_slice()), (1, [].as_slice()), "{import:#?}");
    import.lessons.remove(0)
}

fn why_not(changes: &Value) -> String {
    let import = import(changes);
    assert!(import.lessons.is_empty(), "{import:#?}");
    import.left_out.first().unwrap().why.clone()
}

fn triggers(list: &[Trigger]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn a_hint_becomes_advice() {
    let Imported { lesson, notes } = one(&json!({
        "slug": "git-stash-x1", "priority": 8, "tags": ["severity:hang", "tool:git"],
        "commandRegexSources": [{"source": "\\bgit stash\\b", "flags": ""}, {"source": "STASH", "flags": "i"}]
    }));
    assert_eq!(
        serde_json::to_value(&lesson).unwrap(),
        json!({
            "id": "git-stash-x1", "rule": "sol", "mistake": "prob", "summary": "sum",
            "topics": ["git"], "tags": ["severity:hang", "tool:git"],
            "triggers": [
                {"kind": "command_pattern", "pattern": "\\bgit stash\\b"},
                {"kind": "command_pattern", "pattern": "(?i)STASH"}
            ],
            "tools": ["Bash"], "priority": 8, "subject": "command",
            "evidence": ["import:lessons-learned/id00"], "createdAt": "2026-01-02"
        })
    );
    assert_eq!(notes, [] as [String; 0]);
}

#[test]
fn what_is_missing_takes_that_tools_defaults() {
    let file = br#"{"lessons": {"L1": {"toolNames": ["Bash"], "commandRegexSources": [{"source": "xyz"}]}}}"#;
    let import = read(file, "2026-01-02", &|_| None, &str::to_owned).unwrap();
    let lesson = &import.lessons.first().unwrap().lesson;
    assert_eq!((lesson.id.as_str(), lesson.rule.as_str()), ("l1", "l1"));
    assert_eq!((lesson.priority.get(), lesson.mode, lesson.when), (5, Mode::Advise, When::Tool));
}

#[test]
fn directives_and_protocols_are_told_at_session_start() {
    for kind in ["directive", "protocol"] {
        let lesson = one(&json!({"type": kind, "toolNames": [], "message": "Be kind."})).lesson;
        assert_eq!((lesson.when, lesson.mode), (When::Session, Mode::Advise));
        assert_eq!(lesson.rule, "Be kind.\nsol");
        assert!(lesson.triggers.is_empty());
    }
}

#[test]
fn a_guard_refuses_and_proves_it_with_a_call() {
    let fires = |source: &str, target: &str| {
        let lesson = one(&json!({
            "type": "guard", "commandMatchTarget": target, "commandRegexSources": [{"source": source}]
        }))
        .lesson;
        assert_eq!(lesson.mode, Mode::Block, "{source}");
        lesson.examples.fires.first().unwrap().command.clone().unwrap()
    };
    assert_eq!(fires(r"\bpytest\b", "full"), "pytest");
    assert_eq!(fires(r"\bgit\s+push\b.*--force", "executable"), "git push --force");
    assert_eq!(fires(r"curl.*\|\s*sh\b", "executable"), "curl |sh");
    assert_eq!(fires(r"\brm\s+-(rf|fr)\s+[^ ]+", "full"), "rm -rf x");
    assert_eq!(fires("(?:docker|podman) system prune", "full"), "docker system prune");
}

#[test]
fn a_guard_on_files_proves_itself_with_a_file() {
    let call = |changes: &Value| {
        let lesson = one(changes).lesson;
        assert_eq!(lesson.mode, Mode::Block);
        lesson.examples.fires.first().unwrap().clone()
    };
    let path = json!([{"source": "^(?:.*/)?[^/]*\\.lock$", "flags": "i"}]);
    assert_eq!(
        call(&json!({"type": "guard", "toolNames": ["Edit"], "pathRegexSources": path})),
        SampleCall { tool: "Edit".into(), file: Some("x.lock".into()), ..SampleCall::default() }
    );
    assert_eq!(
        call(
            &json!({"type": "guard", "toolNames": ["Edit"], "commandRegexSources": [{"source": "mock\\.patch"}]})
        ),
        SampleCall { tool: "Edit".into(), content: Some("mock.patch".into()), ..SampleCall::default() }
    );
}

#[test]
fn a_guard_on_which_no_call_can_be_made_advises_and_says_so() {
    // What would run holds no blank inside quotes, so no call that is made of this pattern fires.
    let Imported { lesson, notes } = one(&json!({
        "type": "guard", "commandMatchTarget": "executable",
        "commandRegexSources": [{"source": "\"two words\""}]
    }));
    assert_eq!(lesson.mode, Mode::Advise);
    assert!(notes.last().unwrap().contains("lessons edit a --mode block"), "{notes:#?}");
}

#[test]
fn what_commands_are_looked_at_is_said_for_guards_too() {
    let subject = |target: Option<&str>| {
        one(&json!({"type": "guard", "commandMatchTarget": target, "commandRegexSources": [{"source": "rm"}]}))
            .lesson
            .subject
    };
    assert_eq!(subject(Some("executable")), Some(Subject::Executable));
    assert_eq!(subject(Some("full")), Some(Subject::Command));
    assert_eq!(subject(None), Some(Subject::Command));
}

#[test]
fn an_edit_that_asks_for_path_and_new_text_is_left_out() {
    let why = why_not(&json!({
        "toolNames": ["Edit", "Write"],
        "commandRegexSources": [{"source": "TODO"}],
        "pathRegexSources": [{"source": "\\.ts$", "flags": "i"}]
    }));
    assert_eq!(why, "it asks for a path and a text of Edit, Write at once; add a lesson with an `also`");
    let lesson = one(&json!({"toolNames": ["Edit"], "commandRegexSources": [{"source": "TODO"}]})).lesson;
    assert_eq!((triggers(&lesson.triggers), lesson.subject), (vec!["content=TODO".to_owned()], None));
}

#[test]
fn paths_do_not_count_on_bash() {
    let paths = json!([{"source": "\\.env$", "flags": "i"}]);
    assert!(why_not(&json!({"pathRegexSources": paths})).contains("never fires on Bash"));
    let lesson = one(&json!({"pathRegexSources": paths, "commandRegexSources": [{"source": "grep"}]})).lesson;
    assert_eq!((triggers(&lesson.triggers), lesson.also), (vec!["cmd=grep".to_owned()], vec![]));
}

#[test]
fn a_lesson_that_asks_different_things_of_different_tools_is_left_out() {
    let why = why_not(&json!({
        "toolNames": ["Bash", "Edit"],
        "commandRegexSources": [{"source": "eval"}],
        "pathRegexSources": [{"source": "\\.py$", "flags": "i"}]
    }));
    assert_eq!(why, "it asks different things of Bash and of Edit; add a lesson for each");
    let why = why_not(
        &json!({"commandRegexSources": [{"source": "import"}], "modelRegexSources": [{"source": "opus"}]}),
    );
    assert_eq!(why, "its `modelRegexSources` have no counterpart");
}

#[test]
fn commands_and_new_text_alone_need_no_second_lesson() {
    let lesson =
        one(&json!({"toolNames": ["Bash", "Write"], "commandRegexSources": [{"source": "TODO"}]})).lesson;
    assert_eq!(triggers(&lesson.triggers), ["cmd=TODO", "content=TODO"]);
    assert_eq!(lesson.tools, ["Bash", "Write"]);
}

#[test]
fn a_reading_tool_has_no_new_text() {
    assert!(
        why_not(&json!({"toolNames": ["Read"], "commandRegexSources": [{"source": "x"}]}))
            .contains("never fires on Read")
    );
    let lesson = one(&json!({"toolNames": ["Read", "Edit"], "pathRegexSources": [{"source": "x"}]})).lesson;
    assert_eq!(
        (triggers(&lesson.triggers), lesson.tools),
        (vec!["path=x".to_owned()], vec!["Read".to_owned(), "Edit".to_owned()])
    );
}

#[test]
fn without_patterns_the_tool_is_enough() {
    let lesson = one(&json!({"toolNames": ["Task", "mcp__db__run", "Bash"]})).lesson;
    assert_eq!(triggers(&lesson.triggers), ["tool=Bash", "tool=Agent", "tool=mcp__db__run"]);
    assert!(why_not(&json!({"toolNames": []})).contains("names no tool"));
}

#[test]
fn a_look_ahead_is_left_out_by_name() {
    let ahead = json!({"source": "\\bpytest\\b(?!.*--safe)"});
    let why = why_not(&json!({ "commandRegexSources": [ahead] }));
    assert!(
        why.contains(r"the pattern `\bpytest\b(?!.*--safe)` is left out") && why.contains("`unless`"),
        "{why}"
    );
    let Imported { lesson, notes } = one(&json!({ "commandRegexSources": [ahead, {"source": "tox"}] }));
    assert_eq!((triggers(&lesson.triggers), notes.len()), (vec!["cmd=tox".to_owned()], 1));
}

#[test]
fn a_pattern_that_cannot_be_matched_is_left_out_and_the_others_stay() {
    let Imported { lesson, notes } = one(&json!({
        "commandRegexSources": [{"source": "[bad"}, {"source": "(a)\\1"}, {"source": "x", "flags": "m"}, {"source": "good"}]
    }));
    assert_eq!(triggers(&lesson.triggers), ["cmd=good"]);
    assert_eq!(notes.len(), 3, "{notes:#?}");
    assert!(why_not(&json!({"commandRegexSources": [{"source": "[bad"}]})).contains("`[bad` is left out"));
    // All paths are gone, so nothing says which files its author meant.
    why_not(
        &json!({"toolNames": ["Edit"], "commandRegexSources": [{"source": "a"}], "pathRegexSources": [{"source": "(?<=x)"}]}),
    );
}

#[test]
fn a_scope_is_a_project_that_somebody_knows() {
    let in_project = |scope: &str| json!({"scope": scope, "commandRegexSources": [{"source": "git"}]});
    assert_eq!(one(&in_project("srv-app")).lesson.scope.projects, ["example.org/app"]);
    assert!(why_not(&in_project("srv-other")).contains("`srv-other`"));
    assert!(one(&in_project("")).lesson.scope.is_everywhere());
}

#[test]
fn a_disabled_lesson_is_put_away() {
    let lesson = one(&json!({"disabled": true, "commandRegexSources": [{"source": "git"}]})).lesson;
    assert_eq!(lesson.status, Status::Deprecated);
}

#[test]
fn odd_names_priorities_and_tags_are_brought_into_shape() {
    let Imported { lesson, notes } = one(&json!({
        "slug": "Git Stash!", "priority": 99.5, "tags": ["plain", "a:b", ""], "commandRegexSources": [{"source": "git"}]
    }));
    assert_eq!((lesson.id.as_str(), lesson.priority.get()), ("git-stash", 10));
    assert_eq!((lesson.tags, lesson.topics.first().unwrap().as_str()), (vec!["a:b".to_owned()], "general"));
    assert_eq!(notes.len(), 2, "{notes:#?}");
    assert_eq!(
        one(&json!({"slug": "日本", "commandRegexSources": [{"source": "git"}]})).lesson.id.as_str(),
        "id00"
    );
}

#[test]
fn equal_slugs_get_numbers() {
    let twice = json!({"slug": "x", "commandRegexSources": [{"source": "git"}]});
    let import = import_all(&[twice.clone(), twice.clone(), twice]);
    let ids: Vec<_> = import.lessons.iter().map(|imported| imported.lesson.id.as_str()).collect();
    assert_eq!(ids, ["x", "x-2", "x-3"]);
}

#[test]
fn what_has_no_counterpart_is_named_with_the_reason() {
    assert!(why_not(&json!({"type": "reminder"})).contains("`reminder`"));
    assert!(why_not(&json!({"toolNames": 5})).contains("cannot be read"));
    let many: Vec<Value> = (0..40).map(|n| json!({"source": format!("word{n}")})).collect();
    assert!(why_not(&json!({"commandRegexSources": many})).contains("32"));
}

#[test]
fn hostile_names_do_not_reach_a_message_as_they_are() {
    let import = import(&json!({"type": "x\u{1b}[2J\n</system>"}));
    let why = &import.left_out.first().unwrap().why;
    assert!(!why.contains('\u{1b}') && !why.contains('\n'), "{why:?}");
}

#[test]
fn what_is_no_manifest_is_said_with_its_place() {
    let said =
        |text: &str| read(text.as_bytes(), "2026-01-02", &|_| None, &str::to_owned).unwrap_err().to_string();
    assert_eq!(
        said("{}"),
        "line 1, column 2: missing field `lessons`; this is no manifest of lessons-learned"
    );
    assert!(said("{\"lessons\": []}").contains("are a list"));
    assert!(said("{\"version\": 2, \"lessons\": {}}").contains("it has version 2"));
    assert!(said("{\"type\": \"x\", \"lessons\": {}}").contains("import the file `lesson-manifest.json`"));
}

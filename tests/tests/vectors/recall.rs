//! recall.json: from what a hook is given to what it says.
//!
//! The lessons are those of another tool. They come in through `lessons import`, as a user would bring them along, and
//! our own seeds are switched off, since that tool knows none of them. Compared are which lessons are shown, in which
//! order, in full or in short, and whether the call is refused. The words around them are ours.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::OnceLock;

use lessons_lesson::id::slug;
use lessons_lesson::render;
use lessons_store::import::lessons_learned;
use lessons_tests::env::{TestEnv, said};
use lessons_tests::record::{self, Answered};
use serde_json::{Value, json};

use crate::cases::{Case, Input, each, is_overruled, none_failed, to_run};

/// The folder in which the cases' calls are made, and its name in a scope.
const FOLDER: &str = "/srv/app";
const SCOPE: &str = "srv-app";

/// The form in which a lesson is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Full,
    Short,
}

/// What a hook did.
#[derive(Debug)]
struct Observed {
    exit: Option<i32>,
    /// All it printed.
    printed: String,
    /// The object, if it printed one.
    object: Value,
    /// What the model would be given.
    text: String,
    /// The lessons in it, in order, by the id that they had in the other tool's file.
    shown: Vec<(String, Form)>,
    refused: bool,
}

impl Observed {
    fn of(output: &Output) -> Self {
        let printed = String::from_utf8(output.stdout.clone()).expect("a hook prints text");
        let object: Value = serde_json::from_str(&printed).unwrap_or_default();
        let hook = &object["hookSpecificOutput"];
        let text = ["additionalContext", "permissionDecisionReason"]
            .iter()
            .filter_map(|field| hook[*field].as_str())
            .collect::<Vec<_>>()
            .join("\n");
        Self {
            exit: output.status.code(),
            refused: hook["permissionDecision"] == "deny",
            shown: shown(&text),
            printed,
            object,
            text,
        }
    }
}

/// The lessons in a text that we made.
fn shown(text: &str) -> Vec<(String, Form)> {
    let mut shown = Vec::new();
    for (before, line) in text.lines().zip(text.lines().skip(1)) {
        let Some(id) = line.strip_prefix("[lesson user/").and_then(|rest| rest.strip_suffix(']')) else {
            continue;
        };
        let form = if before.starts_with("In short: ") { Form::Short } else { Form::Full };
        let id = ["-files", "-reads"].iter().find_map(|ending| id.strip_suffix(ending)).unwrap_or(id);
        shown.push((id.to_owned(), form));
    }
    shown
}

/// Puts a case in, step by step.
fn observe(input: &Input) -> Vec<Observed> {
    let env = machine(input);
    let step = |runner: &Value, stdin: &Value| {
        let stdin = match stdin {
            Value::String(raw) => raw.clone().into_bytes(),
            payload => placed(payload, &env).to_string().into_bytes(),
        };
        Observed::of(&match runner.as_str() {
            Some("pretooluse") => env.hook_given(&stdin),
            Some("session-start" | "reset") => env.session_start_given(&stdin),
            other => panic!("{}: no runner {other:?}", input.id),
        })
    };
    match input.get("steps").as_array() {
        None => vec![step(input.get("runner"), input.get("stdin"))],
        Some(steps) => {
            let runner = |given: &Value| given.get("runner").unwrap_or(input.get("runner")).clone();
            steps.iter().map(|given| step(&runner(given), &given["stdin"])).collect()
        }
    }
}

/// A machine on which the case's lessons are in force.
fn machine(input: &Input) -> TestEnv {
    let mut env = TestEnv::new();
    let manifest = input.get("manifest");
    if !manifest.is_null() {
        configure(&env, manifest);
        let file = env.home().join("manifest.json");
        fs::write(&file, manifest.to_string()).unwrap();
        let folder = env.home().join(&FOLDER[1..]);
        fs::create_dir_all(&folder).unwrap();
        let project = format!("{SCOPE}={}", folder.display());
        let imported = env.lessons(&[
            "import",
            "--format",
            "lessons-learned",
            "--project",
            &project,
            "--force-block",
            "there is no past here",
            file.to_str().unwrap(),
        ]);
        // A lesson that cannot be imported is a finding, not a failure.
        let done = matches!(imported.status.code(), Some(0 | 1)) && imported.stderr.is_empty();
        assert!(done, "{}: {}", input.id, said(&imported));
    }
    // What is new is told to the user once. In a case everything has been there for long.
    env.session_start(&json!({"session_id": "before", "source": "startup"}));
    for (name, value) in input.get("env").as_object().into_iter().flatten() {
        env = env.with_variable(name, value.as_str().unwrap());
    }
    env
}

/// The payload with the case's folder where this test has it.
fn placed(payload: &Value, env: &TestEnv) -> Value {
    let text = payload.to_string().replace("/srv/", &format!("{}/srv/", env.home().display()));
    serde_json::from_str(&text).unwrap()
}

/// Writes the settings that the other tool's file brings along, and switches our seeds off.
fn configure(env: &TestEnv, manifest: &Value) {
    let settings = &manifest["config"];
    let seeds: Vec<String> =
        lessons_manifest_builder::seeds::lessons().iter().map(|seed| seed.id.to_string()).collect();
    let mut text = format!("seeds.off = {}\n", json!(seeds));
    if settings.is_object() {
        let all = [
            ("budget.lessons", &settings["maxLessonsPerInjection"]),
            ("budget.bytes", &json!(budget(manifest))),
            ("minimum.priority", &settings["minPriority"]),
            ("minimum.confidence", &settings["minConfidence"]),
            ("compaction.threshold", &settings["compactionReinjectionThreshold"]),
        ];
        for (key, value) in all.iter().filter(|(_, value)| !value.is_null()) {
            writeln!(text, "{key} = {value}").unwrap();
        }
    }
    write_config(&env.data(), &text);
}

fn write_config(data: &Path, text: &str) {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    fs::DirBuilder::new().recursive(true).mode(0o700).create(data).unwrap();
    let file = data.join("config.toml");
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
}

/// The other tool's budget in ours. Theirs counts the texts of lessons; ours counts everything, so what we print
/// around texts comes on top: the fence, the first lesson's labels, and the labels of a summary for every further one.
fn budget(manifest: &Value) -> usize {
    let theirs = usize::try_from(manifest["config"]["injectionBudgetBytes"].as_u64().unwrap()).unwrap();
    let import = lessons_learned::read(
        manifest.to_string().as_bytes(),
        "2026-01-01",
        &|_| Some("a/b".into()),
        &str::to_owned,
    )
    .unwrap();
    let messages: HashMap<&str, usize> = manifest["lessons"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(_, lesson)| Some((lesson["slug"].as_str()?, lesson["message"].as_str()?.len())))
        .collect();
    let around = import.lessons.iter().enumerate().map(|(rank, imported)| {
        let lesson = &imported.lesson;
        let told = render::lesson(&format!("user/{}", lesson.id).parse().unwrap(), lesson);
        match messages.get(lesson.id.as_str()) {
            Some(message) if rank == 0 => told.full.len() - message,
            _ => told.brief.len() - lesson.one_line().len(),
        }
    });
    (render::ADVICE_FRAME + theirs + around.sum::<usize>()).clamp(256, 9500)
}

/// What is wrong with an outcome. `parts` are fields of what is expected that are decided differently here.
fn wrong(case: &Case, observed: &[Observed]) -> Vec<String> {
    let mut wrong = Vec::new();
    if case.expected.len() != observed.len() {
        wrong.push(format!("{} steps", observed.len()));
    }
    for (number, (expected, observed)) in case.expected.iter().zip(observed).enumerate() {
        for (part, value) in expected.as_object().into_iter().flatten() {
            if is_overruled(&case.input.id, part) {
                continue;
            }
            if let Err(why) = check(part, value, expected, observed, case) {
                wrong.push(format!("{} step {number}, {part}: {why}\n  {observed:?}", case.input.id));
            }
        }
    }
    wrong
}

/// Compares one field of what is expected.
fn check(
    part: &str,
    value: &Value,
    expected: &Value,
    observed: &Observed,
    case: &Case,
) -> Result<(), String> {
    let texts = || value.as_array().into_iter().flatten().filter_map(Value::as_str);
    let is = |holds: bool| if holds { Ok(()) } else { Err(format!("expected {value}")) };
    match part {
        "exit" => is(observed.exit.map(i64::from) == value.as_i64()),
        // There, an empty object is nothing to say; here, nothing is.
        "stdout_json" if *value == json!({}) => is(observed.printed.is_empty()),
        "stdout_text" => is(observed.printed == value.as_str().unwrap()),
        "injected" => {
            let wanted: Vec<_> =
                texts().map(|name| (slug(name, 80).unwrap(), form(name, expected, case))).collect();
            is(observed.shown == wanted && observed.refused == (expected["decision"] == "deny"))
        }
        "dropped" => {
            is(texts().all(|name| observed.shown.iter().all(|(id, _)| *id != slug(name, 80).unwrap())))
        }
        "decision" => is(observed.refused == (value == "deny")),
        "reason" => is(observed.refused && observed.text.contains(value.as_str().unwrap())),
        "hookEventName" => is(observed.object["hookSpecificOutput"][part] == *value),
        "stdout_keys" => is(keys(&observed.object) == *value),
        "hso_keys" => is(keys(&observed.object["hookSpecificOutput"]) == *value),
        "stdout_contains" => is(texts().all(|text| observed.text.contains(text))),
        "stdout_not_contains" | "context_not_contains" => {
            is(texts().all(|text| !observed.text.contains(text)))
        }
        "stdout_order" => {
            let at: Vec<_> = texts().map(|text| observed.text.find(text)).collect();
            is(at.iter().all(Option::is_some) && at.is_sorted())
        }
        // How lessons are introduced is ours to word; which form they have is looked at by `form`.
        "context_contains" => Ok(()),
        other => Err(format!("no comparison for `{other}`")),
    }
}

/// The form in which the case wants a lesson. There, a short one is told by what must not be there, its message, or
/// by what stands in for the message, its problem.
fn form(name: &str, expected: &Value, case: &Case) -> Form {
    let Some(lessons) = case.input.get("manifest")["lessons"].as_object() else { return Form::Full };
    let parts = |part: &str| {
        expected[part].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>()
    };
    let without = |lesson: &Value| {
        let message = lesson["message"].as_str().unwrap_or_default();
        parts("context_not_contains").iter().any(|text| message.contains(text))
    };
    let cited = |lesson: &Value| {
        let problem: String = lesson["problem"].as_str().unwrap_or_default().chars().take(50).collect();
        parts("context_contains").iter().any(|text| text.contains(&format!("**Problem**: {problem}")))
    };
    let is_short =
        |lesson: &Value| if lessons.values().any(without) { without(lesson) } else { cited(lesson) };
    let lesson = lessons.values().find(|lesson| lesson["slug"] == name);
    if lesson.is_some_and(is_short) { Form::Short } else { Form::Full }
}

fn keys(object: &Value) -> Value {
    let mut keys: Vec<&String> = object.as_object().into_iter().flatten().map(|(key, _)| key).collect();
    keys.sort();
    json!(keys)
}

/// Every case that is run, with what came of it. Worked out once for all tests.
fn outcomes() -> &'static [(Case, Vec<Observed>)] {
    static OUTCOMES: OnceLock<Vec<(Case, Vec<Observed>)>> = OnceLock::new();
    OUTCOMES.get_or_init(|| each(to_run("recall.json"), |case| observe(&case.input)))
}

#[test]
fn every_case_comes_out_as_expected() {
    let failures: Vec<String> =
        outcomes().iter().flat_map(|(case, observed)| wrong(case, observed)).collect();
    none_failed(&failures);
}

/// What is expected of a case leaves room; the record has none.
#[test]
fn every_case_is_answered_byte_for_byte_as_recorded() {
    let mut answers = Vec::new();
    for (case, observed) in outcomes() {
        let runner = |step: usize| {
            let own = case.input.get("steps")[step].get("runner");
            own.unwrap_or(case.input.get("runner")).clone()
        };
        let calls = observed.iter().enumerate().filter(|(step, _)| runner(*step) == "pretooluse");
        answers.extend(calls.map(|(step, observed)| Answered {
            call: format!("{} step {step}", case.input.id),
            printed: observed.printed.clone(),
        }));
    }
    record::check("recall", &answers);
}

#[test]
fn a_case_that_expects_something_else_fails() {
    let mut changed = 0;
    for (case, observed) in outcomes() {
        for (step, before) in case.expected.iter().enumerate() {
            for (part, other) in
                otherwise(before).into_iter().filter(|(part, _)| !is_overruled(&case.input.id, part))
            {
                let mut case = case.clone();
                case.expected[step][&part] = other;
                assert!(!wrong(&case, observed).is_empty(), "{} does not look at {part}", case.input.id);
                changed += 1;
            }
        }
    }
    assert!(changed > 100, "{changed}");
}

/// Each field of what is expected with a value that is wrong.
fn otherwise(expected: &Value) -> Vec<(String, Value)> {
    let other = |part: &str, value: &Value| {
        let other = match part {
            "exit" => json!(3),
            "stdout_json" => return Some(("injected".to_owned(), json!(["nobody"]))),
            "injected" => match value.as_array().map_or(0, Vec::len) {
                0 => json!(["nobody"]),
                1 => json!([]),
                _ => value.as_array().into_iter().flatten().rev().cloned().collect(),
            },
            "dropped" => match &expected["injected"] {
                Value::Array(shown) if !shown.is_empty() => json!(shown),
                _ => return None,
            },
            "decision" | "stdout_text" | "reason" | "hookEventName" => json!("something else"),
            "stdout_keys" | "hso_keys" => json!([]),
            "stdout_contains" => json!(["something else"]),
            "stdout_not_contains" => json!(["#lesson"]),
            _ => return None,
        };
        Some((part.to_owned(), other))
    };
    expected.as_object().into_iter().flatten().filter_map(|(part, value)| other(part, value)).collect()
}

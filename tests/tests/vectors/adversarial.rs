//! adversarial.json: hostile input on every surface, and the behaviour that is required.
//!
//! What is required stands there in words that begin with a verb. An adapter puts the input in and reports [`Facts`]:
//! named things that are so or are not. [`DEMANDS`] says for each verb of a surface which facts must be so. So the
//! adapters cannot know what is wanted, and a changed verb makes its case fail.

mod disk;
mod facts;
mod fields;
mod hook;
mod pattern;
mod project;
mod sequence;
mod session;

use self::facts::Facts;
use crate::cases::{Case, Input, each, is_overruled, none_failed, to_run};

/// What a verb demands on a surface.
struct Demand {
    surface: &'static str,
    verb: &'static str,
    facts: &'static [(&'static str, bool)],
}

const fn demand(surface: &'static str, verb: &'static str, facts: &'static [(&'static str, bool)]) -> Demand {
    Demand { surface, verb, facts }
}

const DEMANDS: &[Demand] = &[
    demand(
        "session",
        "ALLOW",
        &[("one candidate", true), ("as written", true), ("in force", false), ("doubted", false)],
    ),
    demand("session", "IGNORE", &[("no candidate", true), ("cancelled others", false)]),
    demand("session", "REJECT", &[("anything but an inner block", false), ("cancelled others", false)]),
    demand(
        "session",
        "QUARANTINE",
        &[("doubted", true), ("promoted without a word", false), ("in force", false)],
    ),
    demand("session", "FLAG", &[("doubted", true), ("promoted without a word", false), ("in force", false)]),
    demand(
        "session",
        "SANITISE",
        &[("one candidate", true), ("defaults after promotion", true), ("in force", false)],
    ),
    demand("session", "LIMIT", &[("one candidate", true), ("reported what it left out", true)]),
    demand("session", "DEFER", &[("no candidate", true), ("one candidate when the line is whole", true)]),
    demand("session", "SKIP", &[("one candidate", true), ("taken in to the end", true)]),
    demand(
        "lesson_fields",
        "SANITISE",
        &[("taken", true), ("hidden characters stay", false), ("marked", true)],
    ),
    demand(
        "lesson_fields",
        "REDACT",
        &[("taken", true), ("secret stays", false), ("replaced by its kind", true), ("marked", true)],
    ),
    demand("lesson_fields", "ALLOW", &[("taken", true), ("as given", true)]),
    demand("lesson_fields", "REJECT", &[("taken", false), ("store changed", false), ("long message", false)]),
    demand(
        "hook",
        "FAIL-OPEN",
        &[("exit 0", true), ("silent", true), ("in time", true), ("noted where it must be", true)],
    ),
    demand(
        "hook",
        "CONTAIN",
        &[
            ("exit 0", true),
            ("told", true),
            ("in time", true),
            ("wrote elsewhere", false),
            ("names from outside", false),
        ],
    ),
    demand(
        "hook",
        "SANITISE",
        &[("exit 0", true), ("told", true), ("control characters", false), ("placeholder worked out", false)],
    ),
    demand("hook", "LIMIT", &[("exit 0", true), ("silent", true), ("in time", true)]),
    demand("hook", "REJECT", &[("exit 0", true), ("silent", true), ("imported", false)]),
    demand("pattern", "LINEAR", &[("slow", false), ("false match", false)]),
    demand("pattern", "REJECT", &[("taken", false), ("explained", true)]),
    demand(
        "pattern",
        "WARN",
        &[("warned", true), ("taken to refuse", false), ("a narrower one is taken to refuse", true)],
    ),
    demand(
        "project_store",
        "UNTRUSTED",
        &[("told before trust", false), ("user was told", true), ("told after trust", true)],
    ),
    demand(
        "project_store",
        "CLAMP",
        &[("told before trust", false), ("told after trust", true), ("outranks the user", false)],
    ),
    demand(
        "project_store",
        "NEUTRALISE",
        &[("flagged", true), ("told without accepting", false), ("breaks out", false)],
    ),
    demand(
        "project_store",
        "FLAG",
        &[("flagged", true), ("told without accepting", false), ("breaks out", false)],
    ),
    demand(
        "project_store",
        "SANITISE",
        &[("flagged", true), ("told without accepting", false), ("breaks out", false)],
    ),
    demand("project_store", "DENY", &[("told before trust", false), ("silences the user", false)]),
    demand("project_store", "REJECT", &[("reported", true), ("told after trust", false)]),
    demand("fs", "REFUSE", &[("used", false), ("explained", true), ("exit 0 of the hook", true)]),
    demand("fs", "FAIL-OPEN", &[("exit 0 of the hook", true), ("in time", true), ("trace", false)]),
    demand(
        "fs",
        "ROLL",
        &[("failed", true), ("half done", false), ("done by the next", true), ("exit 0 of the hook", true)],
    ),
    demand("fs", "RECOVER", &[("failed", false), ("done", true)]),
    demand("fs", "RESCAN", &[("done", true), ("lost", false)]),
    demand("sequence", "IGNORE", &[("no candidate", true)]),
    demand(
        "sequence",
        "IGNORE/MERGE",
        &[("no candidate", true), ("undoubted candidate", false), ("counted again", false)],
    ),
    demand("sequence", "NO-MATCH", &[("told elsewhere", false), ("told there", true)]),
    demand(
        "sequence",
        "CORROBORATION",
        &[("one candidate", true), ("one session", true), ("every copy counted", false)],
    ),
    demand("sequence", "AUDIT", &[("every edit on record", true), ("by whom and when", true)]),
    demand("sequence", "EXACTLY", &[("told once", true), ("given back", true)]),
    demand("sequence", "SERIALISE", &[("all ended well", true), ("complaints", false), ("doubled", false)]),
    demand("sequence", "ATOMIC", &[("lost", false), ("doubled", false), ("half seen", false)]),
    demand("sequence", "STABLE", &[("told again", false), ("all ended well", true)]),
    demand(
        "env",
        "NOOP",
        &[("exit 0", true), ("scanned", false), ("told", false), ("scans without it", true)],
    ),
    demand("cli", "REJECT", &[("refused", true), ("wrote", false)]),
];

/// Puts a case in.
fn observe(input: &Input) -> Facts {
    match surface(input) {
        "session" => session::observe(input),
        "lesson_fields" => fields::observe(input),
        "hook" => hook::observe(input),
        "pattern" => pattern::observe(input),
        "project_store" => project::observe(input),
        "fs" => disk::observe(input),
        "sequence" | "env" | "cli" => sequence::observe(input),
        other => panic!("{}: no adapter for {other}", input.id),
    }
}

/// The surface, those with one adapter under one name.
fn surface(input: &Input) -> &str {
    match input.get("input")["surface"].as_str().expect("a surface") {
        "session_jsonl" | "session_raw" => "session",
        "hook_stdin" | "hook_stdin_raw" | "manifest" | "manifest_raw" => "hook",
        other => other,
    }
}

/// The verb that what is required begins with.
fn verb(expected: &str) -> &str {
    expected.split([' ', ':', '(']).next().unwrap_or_default()
}

/// What is not as the verb demands.
fn wrong(case: &Case, verb: &str, facts: &Facts) -> Vec<String> {
    let surface = surface(&case.input);
    let id = &case.input.id;
    let Some(demand) = DEMANDS.iter().find(|demand| demand.surface == surface && demand.verb == verb) else {
        return vec![format!("{id}: nobody knows what {verb} means for a {surface}")];
    };
    let differs =
        |(name, wanted): &&(&str, bool)| !is_overruled(id, name) && facts.get(name) != Some(*wanted);
    let wrong: Vec<String> = demand
        .facts
        .iter()
        .filter(differs)
        .map(|(name, wanted)| format!("`{name}` should be {wanted}"))
        .collect();
    if wrong.is_empty() {
        Vec::new()
    } else {
        vec![format!("{id} ({verb}): {}\n  {facts}", wrong.join(", "))]
    }
}

/// Runs the cases of a surface: each passes with the verb it has, and fails with another one.
fn run_all(surface_to_run: &str) {
    let cases = to_run("adversarial.json").filter(|case| surface(&case.input) == surface_to_run);
    let outcomes = each(cases, |case| observe(&case.input));
    assert!(!outcomes.is_empty(), "no case for {surface_to_run}");
    let mut failures = Vec::new();
    for (case, facts) in outcomes {
        let right = verb(case.expected[0].as_str().expect("words"));
        failures.extend(wrong(&case, right, &facts));
        let others: Vec<&str> = DEMANDS
            .iter()
            .filter(|demand| demand.surface == surface_to_run && demand.verb != right)
            .map(|demand| demand.verb)
            .collect();
        if !others.is_empty() && others.iter().all(|other| wrong(&case, other, &facts).is_empty()) {
            failures.push(format!("{}: it passes whatever is expected\n  {facts}", case.input.id));
        }
        if wrong(&case, "WELCOME", &facts).is_empty() {
            failures.push(format!("{}: it passes although nobody knows what is expected", case.input.id));
        }
    }
    none_failed(&failures);
}

macro_rules! surfaces {
    ($($test:ident: $surface:literal)*) => {
        /// The surfaces whose cases are run.
        const SURFACES: &[&str] = &[$($surface),*];

        $(
            #[test]
            fn $test() {
                run_all($surface);
            }
        )*
    };
}

surfaces! {
    what_a_transcript_holds: "session"
    what_a_lesson_says: "lesson_fields"
    what_a_hook_is_given: "hook"
    what_a_pattern_is: "pattern"
    what_a_project_brings_along: "project_store"
    what_lies_on_the_disk: "fs"
    what_happens_one_after_the_other: "sequence"
    what_the_environment_says: "env"
    what_is_typed: "cli"
}

#[test]
fn every_case_is_run_or_overruled() {
    for case in to_run("adversarial.json") {
        assert!(
            SURFACES.contains(&surface(&case.input)),
            "{} is on a surface that nobody runs",
            case.input.id
        );
    }
}

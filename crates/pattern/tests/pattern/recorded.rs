//! Cases recorded from systems that people use today: picomatch 4.0.4, as far as globset agrees with it, and a
//! linear engine for JavaScript expressions. `fixtures/patterns.json` holds pattern, subject and outcome of each.

use lessons_pattern::keyword;
use lessons_pattern::prepared::{Compiled, prepare, regex_of};
use lessons_pattern::trigger::{Trigger, TriggerKind};
use serde_json::Value;

/// Cases where ours differs from what was recorded, and why.
const OVERRULED: &[(&str, &str)] = &[
    // Regular expressions. The design: "Patterns mean what a JavaScript regular expression without flags
    // means, in its linear part (…; one leading `(?i)` allowed)".
    ("regex-class-0365", "one leading `(?i)` is allowed"),
    ("regex-0271", "in JavaScript `[a-\\d]` is a, a dash or a digit"),
    ("regex-0272", "in JavaScript `[a-\\d]` is a, a dash or a digit"),
    ("regex-0273", "in JavaScript `[a-\\d]` is a, a dash or a digit"),
    ("regex-0274", "in JavaScript `[\\1]` is the character with code 1"),
    ("regex-0275", "in JavaScript `[\\1]` is the character with code 1"),
    ("regex-0283", "in JavaScript `$n` is a name, so the pattern matches `abc`"),
    ("regex-0276", "in JavaScript `\\01` is the character with code 1"),
    (
        "regex-skip-0396",
        "in JavaScript `\\c1` is a backslash, c and 1; the recorded call is not matched either",
    ),
    // Globs are globset's. A newer version of the recording system agrees with us.
    ("glob-0078", "`[!a]` means \"not a\" in every shell, and nobody means an exclamation mark by it"),
    // Keywords. The design: "its tokens are a contiguous run in the tokens of the path or command (`cat`
    // does not fire on `category.ts`)".
    (
        "keyword-0404",
        "a keyword of only `the` is refused: it says nothing about a call (as in the newer version)",
    ),
    ("keyword-0423", "the run is in the path or in the command, never across both"),
    ("keyword-0431", "`über` is one word, so `ber` is no more in it than `cat` is in `category`"),
    ("keyword-0439", "two blanks between words say no more than one (as in the newer version)"),
];

/// Cases where a newer version of the recording system answers differently, and we stay with the
/// older answer, and why.
const OLDER_KEPT: &[(&str, &str)] = &[
    ("glob-0090", "`]` right after `[` is a member, as in every shell"),
    ("glob-0138", "a backslash makes the star literal"),
    ("glob-0150", "`**` inside a name is a star"),
    ("glob-0151", "`**` inside a name is a star"),
    ("glob-0153", "`**` inside a name is a star"),
    ("glob-0158", "three stars are a star"),
    ("glob-0173", "parentheses are characters"),
    ("glob-0195", "a branch without stars matches by itself"),
    ("keyword-0412", "`readOnly` is one word; splitting at capitals would make `cat` fire on `dropCatFile`"),
];

struct Case {
    id: String,
    trigger: Trigger,
    subjects: Vec<String>,
    /// What was recorded: a match or none, or the code of an error.
    expected: Value,
    newer: Option<bool>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../fixtures/patterns.json");
    let all: Vec<Value> = serde_json::from_str(text).unwrap();
    let string = |value: &Value| value.as_str().unwrap().to_owned();
    all.iter()
        .map(|case| Case {
            id: string(&case["id"]),
            trigger: Trigger::new(
                TriggerKind::parse(&string(&case["kind"])).unwrap(),
                string(&case["pattern"]),
            ),
            subjects: case["subjects"].as_array().into_iter().flatten().map(string).collect(),
            expected: case.get("matches").or(case.get("error")).unwrap().clone(),
            newer: case.get("newer").and_then(Value::as_bool),
        })
        .collect()
}

/// What we say to a case: a match or none if it has a subject, else the code of the error or null.
fn outcome(case: &Case) -> Value {
    let prepared = match prepare(&case.trigger) {
        Err(error) if case.subjects.is_empty() => return error.code().into(),
        Ok(_) if case.subjects.is_empty() => return Value::Null,
        Err(_) => return false.into(),
        Ok(prepared) => prepared,
    };
    let hits = |subject: &String| match &prepared.compiled {
        Compiled::Pattern(_) => {
            let hit = regex_of(case.trigger.kind, &case.trigger.pattern).unwrap().is_match(subject);
            let lower = subject.to_ascii_lowercase();
            let held = prepared.clauses.iter().all(|clause| clause.iter().any(|text| lower.contains(text)));
            assert!(held || !hit, "{}: {:?}", case.id, prepared.clauses);
            hit
        }
        Compiled::Keyword(tokens) => {
            keyword::contains_run(&keyword::run_of(&lessons_text::words::tokens(subject)), tokens)
        }
        Compiled::Tool(name) => name == subject,
    };
    case.subjects.iter().any(hits).into()
}

#[test]
fn every_recorded_case_holds_unless_it_is_overruled_by_name() {
    let mut wrong = Vec::new();
    for case in cases() {
        let overruled = OVERRULED.iter().any(|(id, _)| *id == case.id);
        let outcome = outcome(&case);
        if (outcome == case.expected) == overruled {
            wrong.push(format!("{} {}: {outcome}, recorded {}", case.id, case.trigger, case.expected));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn where_a_newer_version_differs_one_answer_is_chosen_with_a_reason() {
    for case in cases() {
        let Some(newer) = case.newer else { continue };
        let ours = outcome(&case);
        let tables = if ours == newer { OVERRULED } else { OLDER_KEPT };
        assert!(
            tables.iter().any(|(id, reason)| *id == case.id && !reason.is_empty()),
            "{}: {ours}",
            case.id
        );
    }
}

#[test]
fn no_pattern_of_the_recordings_is_refused_by_accident() {
    for case in cases() {
        if let (Err(error), true) = (prepare(&case.trigger), case.expected.is_boolean()) {
            assert_eq!(case.trigger.kind, TriggerKind::Keyword, "{}: {error}", case.id);
        }
    }
}

//! Answers of the hook before a tool call, recorded byte for byte.
//!
//! A record is a text file in `tests/fixtures/frozen/answers/`. Its first line counts the calls and holds a digest of
//! them; each further line is a call that gets an answer: its number, a digest of the exact bytes on standard output,
//! what the answer is, and the lessons in it. A call without a line gets nothing.
//!
//! To record anew, delete the file and run its test, which writes the file and fails once. Then look at the
//! difference: every line of it is a call that a user would notice.

use std::fs;
use std::path::{Path, PathBuf};

use lessons_text::digest;
use serde_json::Value;

/// How many hex digits of a digest are kept.
const DIGITS: usize = 16;
/// How many changed calls a failure shows.
const SHOWN: usize = 60;

/// A tool call and what the hook printed at it.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The call, in words that find it again. A changed call makes the record invalid.
    pub call: String,
    /// Everything on standard output, without paths of this machine.
    pub printed: String,
}

/// Compares answers with the record of that name.
///
/// # Panics
///
/// Where an answer differs, and where there is no record yet: then one is written first.
#[track_caller]
pub fn check(name: &str, answers: &[Answered]) {
    let file = file(name);
    let found = lines(answers);
    let Ok(record) = fs::read_to_string(&file) else {
        fs::create_dir_all(file.parent().expect("a record is in a folder")).expect("a folder for records");
        fs::write(&file, found.join("\n") + "\n").expect("the record can be written");
        panic!("{} is new: look at it, and run the test again", file.display());
    };
    let recorded: Vec<&str> = record.lines().collect();
    assert_eq!(recorded.first(), found.first().map(String::as_str).as_ref(), "{name}: these are other calls");
    let changed = changed(&recorded, &found, answers);
    assert!(
        changed.is_empty(),
        "{name}: {} of {} calls are answered differently:\n{}",
        changed.len(),
        answers.len(),
        changed[..changed.len().min(SHOWN)].join("\n")
    );
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/frozen/answers").join(format!("{name}.txt"))
}

/// The lines of a record.
fn lines(answers: &[Answered]) -> Vec<String> {
    let calls: Vec<&[u8]> = answers.iter().map(|answered| answered.call.as_bytes()).collect();
    let first = format!("{} calls {}", answers.len(), digest::hex_of_parts(&calls, DIGITS));
    let answered = answers.iter().enumerate().filter(|(_, answered)| !answered.printed.is_empty());
    let line = |(number, answered): (usize, &Answered)| {
        let digest = digest::hex(answered.printed.as_bytes(), DIGITS);
        format!("{number} {digest} {}", outline(&answered.printed))
    };
    std::iter::once(first).chain(answered.map(line)).collect()
}

/// Each call whose line is another, with both.
fn changed(recorded: &[&str], found: &[String], answers: &[Answered]) -> Vec<String> {
    let of = |number: usize| {
        let start = format!("{number} ");
        move |line: &&str| line.starts_with(&start)
    };
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    let line = |lines: &[&str], number| {
        lines.iter().skip(1).copied().find(of(number)).unwrap_or("no answer").to_owned()
    };
    let changed = answers.iter().enumerate().filter_map(|(number, answered)| {
        let (before, now) = (line(recorded, number), line(&found, number));
        (before != now).then(|| format!("{}\n  before {before}\n  now    {now}", answered.call))
    });
    changed.collect()
}

/// What an answer is, and the lessons in it in their order; those of the user without their layer.
fn outline(printed: &str) -> String {
    let Ok(object) = serde_json::from_str::<Value>(printed) else { return "no JSON".to_owned() };
    let answer = &object["hookSpecificOutput"];
    let decision = answer["permissionDecision"].as_str().unwrap_or("advise");
    let texts = ["additionalContext", "permissionDecisionReason"].map(|name| answer[name].as_str());
    let lines = texts.iter().flatten().flat_map(|text| text.lines());
    let ids = lines.filter_map(|line| line.strip_prefix("[lesson ")?.strip_suffix(']'));
    let ids: Vec<&str> = ids.map(|id| id.strip_prefix("user/").unwrap_or(id)).collect();
    format!("{decision} {}", ids.join(",")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answered(call: &str, printed: &Value) -> Answered {
        let printed = if printed.is_null() { String::new() } else { printed.to_string() };
        Answered { call: call.to_owned(), printed }
    }

    fn told(text: &str) -> Value {
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": text}})
    }

    #[test]
    fn a_line_names_the_decision_and_the_lessons_in_their_order() {
        let text = "Recorded:\n[lesson user/b]\nDo it.\n[lesson seed/a]\nDo that.\n";
        assert_eq!(outline(&told(text).to_string()), "advise b,seed/a");
        let asked =
            json!({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "?"}});
        assert_eq!(outline(&asked.to_string()), "ask");
        assert_eq!(outline("{"), "no JSON");
    }

    #[test]
    fn a_call_that_gets_nothing_has_no_line() {
        let lines = lines(&[answered("ls", &Value::Null), answered("git stash", &told("[lesson user/a]"))]);
        assert!(lines.len() == 2 && lines[0].starts_with("2 calls "), "{lines:?}");
        assert!(lines[1].starts_with("1 ") && lines[1].ends_with(" advise a"), "{lines:?}");
    }

    #[test]
    fn an_answer_that_comes_goes_or_has_other_bytes_is_a_change() {
        let before = [
            answered("new", &Value::Null),
            answered("gone", &told("[lesson user/a]")),
            answered("bytes", &told("[lesson user/a]\nDo it.")),
            answered("same", &told("[lesson user/a]")),
        ];
        let mut after = before.clone();
        after[0] = answered("new", &told("[lesson user/a]"));
        after[1] = answered("gone", &Value::Null);
        after[2] = answered("bytes", &told("[lesson user/a]\nDo it!"));
        let recorded = lines(&before);
        let recorded: Vec<&str> = recorded.iter().map(String::as_str).collect();
        let changed = changed(&recorded, &lines(&after), &after);
        assert_eq!(changed.len(), 3, "{changed:?}");
        assert!(changed[1].starts_with("gone\n") && changed[1].ends_with("now    no answer"), "{changed:?}");
        assert_ne!(lines(&before[..1]), lines(&[answered("other", &Value::Null)]));
    }
}

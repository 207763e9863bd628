//! What is not to be run, where a rule names it by a word: "do not run load tests", "Vale is for CI; never run it here".

use lessons_text::words::is_filler;

use crate::tag::trigger::{literal, operands};

/// Nouns before which a word says which kind is meant.
const KINDS_OF: [&str; 5] = ["test", "tests", "migration", "migrations", "benchmarks"];

/// A pattern for the commands that run what these words forbid. `subject` is what "it" stands for.
pub(super) fn forbidden_run(unwanted: &[String], subject: Option<&str>) -> Option<String> {
    let at = unwanted.iter().position(|word| matches!(word.as_str(), "run" | "running"))? + 1;
    let object = unwanted.get(at)?.as_str();
    if object == "it" {
        return subject.filter(|name| names_program(name)).map(|name| literal(&name.to_lowercase()));
    }
    let noun = unwanted.get(at + 1).filter(|noun| KINDS_OF.contains(&noun.as_str()))?;
    let noun = noun.trim_end_matches('s');
    let kind = names_program(object).then(|| literal(object))?;
    Some(format!(r"(?i)\b{noun}s?\b[^\n;&|]*{kind}|{kind}[^\n;&|]*\b{noun}s?\b"))
}

fn names_program(word: &str) -> bool {
    const POINTING: [&str; 9] = ["this", "that", "these", "those", "all", "any", "the", "your", "our"];
    word.len() > 2 && operands::is_plain(word) && !is_filler(word) && !POINTING.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::trial::matches;

    fn run(text: &str, subject: &str) -> Option<String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        forbidden_run(&words, Some(subject))
    }

    #[test]
    fn a_kind_of_tests_is_a_word_of_the_command_beside_test() {
        let pattern = run("run smoke tests", "").unwrap();
        for command in ["make test-smoke", "npm run test:smoke", "go test -tags=smoke ./...", "smoke test"] {
            assert!(matches(&pattern, command), "{command}");
        }
        for command in ["go test ./...", "cat smoke.log", "cat smoke.log && go test"] {
            assert!(!matches(&pattern, command), "{command}");
        }
    }

    #[test]
    fn it_stands_for_the_subject() {
        assert_eq!(run("run it on the docs", "Vale").as_deref(), Some(r"\bvale\b"));
        for (text, subject) in [
            ("run it", "The"),
            ("run the tests", "x"),
            ("run all tests", "x"),
            ("run", "x"),
            ("skip it", "vale"),
        ] {
            assert_eq!(run(text, subject), None, "{text}");
        }
    }
}

//! Triggers as people write them by hand: short, most with a word that many others have too.

use lessons_lesson::lesson::SampleCall;
use lessons_pattern::trigger::{Trigger, TriggerKind};

/// The part of a command before its own word, as a pattern and as it is typed.
const COMMANDS: [(&str, &str); 8] = [
    (r"\bgit\s+", "git "),
    (r"\bnpm\s+run\s+", "npm run "),
    (r"\bnpm\s+test\b.*\s--", "npm test -- --"),
    (r"\bcargo\s+test\b.*\s", "cargo test --workspace "),
    (r"\bgit\s+commit\b.*\s--", "git commit --"),
    (r"\bdocker\s+run\b[^|;]*\s", "docker run --rm "),
    (r"\bpytest\b.*\s-k\s+", "pytest -q -k "),
    (r"\bgit\s+(?:push|pull)\s+\S+\s+", "git push origin "),
];
/// The part of a keyword before its own word.
const KEYWORDS: [&str; 4] = ["git ", "npm ", "test ", ""];
/// The parts of a glob before and behind its own word.
const GLOBS: [[&str; 2]; 4] =
    [["**/", "/**"], ["src/**/*.", ".ts"], ["**/test_", "*.py"], ["{docs,test}/**/", ".md"]];
/// The parts of a path pattern before and behind its own word.
const PATHS: [[&str; 2]; 3] = [["(?:^|/)test/", r"[^/]*\.rs$"], ["/", r"/[^/]+\.(?:ts|js)$"], [r"\.", "$"]];

/// Makes a command pattern with a word of its own, and a call on which it fires.
pub(crate) fn command(number: usize, word: &str) -> (Trigger, SampleCall) {
    let (pattern, typed) = COMMANDS[number % COMMANDS.len()];
    let call = SampleCall::bash(format!("{typed}{word}"));
    (Trigger::new(TriggerKind::CommandPattern, format!(r"{pattern}{word}\b")), call)
}

/// Makes a keyword trigger with a word of its own.
pub(crate) fn keyword(number: usize, word: &str) -> Trigger {
    Trigger::new(TriggerKind::Keyword, format!("{}{word}", KEYWORDS[number % KEYWORDS.len()]))
}

/// Makes a glob with a word of its own.
pub(crate) fn glob(number: usize, word: &str) -> Trigger {
    let [before, behind] = GLOBS[number % GLOBS.len()];
    Trigger::new(TriggerKind::FileGlob, format!("{before}{word}{behind}"))
}

/// Makes a path pattern with a word of its own.
pub(crate) fn path(number: usize, word: &str) -> Trigger {
    let [before, behind] = PATHS[number % PATHS.len()];
    Trigger::new(TriggerKind::PathPattern, format!("{before}{word}{behind}"))
}

/// Makes a command pattern without a literal that every match holds: a variation of
/// `^\S+\s\d+$` or `[a-z]+=\d{2,}`. Different numbers below 1,600 have different patterns.
pub(crate) fn without_literal(number: usize) -> Trigger {
    let (family, rest) = (number % 2, number / 2);
    let pattern = if family == 0 {
        let first = [r"\S", r"\w", "[a-z]", r"[^\s-]"][rest % 4];
        let (least, more) = (1 + rest / 4 % 14, rest / 56);
        format!(r"^{first}+\s\d{{{least},{}}}$", least + more)
    } else {
        let separator = ["=", ":", "@", "%"][rest % 4];
        let last = char::from(b'b' + u8::try_from(rest / 4 % 25).unwrap_or_default());
        format!(r"[a-{last}]+{separator}\d{{{},}}", 2 + rest / 100)
    };
    Trigger::new(TriggerKind::CommandPattern, pattern)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn patterns_without_a_literal_are_all_different_and_can_be_used() {
        let triggers: HashSet<Trigger> = (0..1600).map(without_literal).collect();
        assert_eq!(triggers.len(), 1600);
        assert!(triggers.iter().all(|trigger| lessons_pattern::prepared::prepare(trigger).is_ok()));
    }
}

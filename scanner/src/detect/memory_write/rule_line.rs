//! The rules in Markdown: the lines that tell what always or never to do.

use crate::detect::aim::code_names::{code_spans, is_setting};
use crate::detect::statement::sentence::sentences;
use crate::detect::statement::{StatementKind, statement};

/// The length from which a line may be wrapped, in bytes.
const WRAPPED: usize = 60;
/// The words with which a rule begins, in lower case.
const BEGINNINGS: &str = "always|never|do not|don't|avoid|must not|must|only use|prefer|use|before|run|default to|\
     make sure|ensure|stop|no|you must|you should|keep";
/// Of these, those that are a rule only with something that they forbid or put in the place of something.
const WEAK: &str = "use|before|run|make sure|ensure|no|keep|must|you should|prefer";
/// What is put in front of a rule.
const LABELS: &str = "important|critical|note|warning|rule|caution|attention|must|constraint|exception|gotcha|\
     remember|lesson|caveat";

/// The rules among these lines, which are not fenced.
pub(super) fn rule_lines(lines: &[&str]) -> Vec<String> {
    let bodies = paragraphs(lines, &['.', ':']).into_iter().map(|text| {
        let body = text.trim_start_matches(|c: char| "-*+> ".contains(c));
        without_label(&without_bold(body))
    });
    bodies.filter(|body| is_rule(body)).collect()
}

/// A text of Markdown without the marks around what is bold. Those in code and in globs stay: `**/*.ts`, docs/**.
pub(super) fn without_bold(text: &str) -> String {
    let (mut plain, mut in_code) = (String::new(), false);
    for (at, part) in text.split("**").enumerate() {
        let is_mark = !in_code && !plain.ends_with('/') && !part.starts_with('/');
        plain.push_str(if at == 0 || is_mark { "" } else { "**" });
        plain.push_str(part);
        in_code ^= part.matches('`').count() % 2 == 1;
    }
    plain
}

/// Lines that are not fenced, joined where one goes on in the next. None does after one of these ends.
pub(super) fn paragraphs(lines: &[&str], ends: &[char]) -> Vec<String> {
    let mut fence = crate::tag::Fence::default();
    let mut paragraphs: Vec<String> = Vec::new();
    let mut may_go_on = false;
    for line in lines {
        let was_open = fence.is_open();
        fence.process(line);
        let line = line.trim();
        if line.is_empty() || was_open || fence.is_open() {
            may_go_on = false;
            // What is fenced stands between what is around it.
            if was_open && !fence.is_open() {
                paragraphs.push(String::new());
            }
            continue;
        }
        let begins = line.starts_with(['-', '*', '#', '`', '|', '>'])
            || line.starts_with(|c: char| c.is_ascii_digit())
            || line.starts_with("How to");
        match paragraphs.last_mut().filter(|last| may_go_on && !begins && !last.ends_with(ends)) {
            Some(last) if last.len() >= WRAPPED || line.starts_with(char::is_lowercase) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => paragraphs.push(line.to_owned()),
        }
        may_go_on = true;
    }
    paragraphs
}

fn without_label(text: &str) -> String {
    if let Some((label, rest)) = text.split_once(':') {
        let words = label.split_whitespace().count();
        let lower = label.to_lowercase();
        if words <= 4 && LABELS.split('|').any(|name| lower.contains(name)) && !rest.trim().is_empty() {
            return rest.trim().to_owned();
        }
    }
    text.trim().to_owned()
}

/// Whether a text begins with what is to be done, and spells out an option or a variable for it.
fn asks_for_setting(text: &str) -> bool {
    let begins = ["Run ", "Use ", "Pass ", "Set ", "Call "].iter().any(|start| text.starts_with(start));
    begins && code_spans(text).any(is_setting)
}

/// Whether a text is a rule, or one of its sentences: "The second disk is full. Run `docker build` with `--no-cache`".
fn is_rule(text: &str) -> bool {
    is_rule_sentence(text) || text.split_inclusive(". ").any(is_rule_sentence)
}

/// Whether a sentence tells what always or never to do, or what a command is to be run with.
fn is_rule_sentence(text: &str) -> bool {
    // One in another language, or whose first clause says what to do.
    let is_said = |text: &str| match statement(sentences(text), &|_| false).map(|found| found.kind) {
        Some(StatementKind::Custom) => code_spans(text).any(is_setting),
        kind => kind.is_some_and(|kind| kind <= StatementKind::Replacement),
    };
    if text.contains('`') && (is_said(text) || asks_for_setting(text)) {
        return true;
    }
    let lower = text.to_lowercase();
    let begins = |word: &&str| lower.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '));
    let Some(beginning) = BEGINNINGS.split('|').find(begins) else { return false };
    let forbids = ["never", "do not", "don't", " not ", "instead", "rather than", "avoid", "only", "must"]
        .iter()
        .any(|word| lower[beginning.len()..].contains(word));
    let is_long_enough = text.split_whitespace().count() >= 4;
    is_long_enough && (!WEAK.split('|').any(|weak| weak == beginning) || forbids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_what_always_or_never_to_do() {
        let lines = [
            "- **Never use `x()`** in hooks",
            "- **Never** edit `gen/**` or **/*.pb.go",
            "IMPORTANT: Do not run the load test",
            "Use a pool instead of a thread",
        ];
        let expected = [
            "Never use `x()` in hooks",
            "Never edit `gen/**` or **/*.pb.go",
            "Do not run the load test",
            "Use a pool instead of a thread",
        ];
        assert_eq!(rule_lines(&lines), expected);
        assert_eq!(
            rule_lines(&["Never push to main", "without a review", "", "More"]),
            ["Never push to main without a review"]
        );
        assert_eq!(rule_lines(&["## Style", "**Always use `y`** for that"]), ["Always use `y` for that"]);
    }

    #[test]
    fn a_description_is_no_rule() {
        for line in [
            "The worker never calls the queue",
            "- Run `make`",
            "Use the client",
            "## Always",
            "Keep it short",
        ] {
            assert!(rule_lines(&[line]).is_empty(), "{line}");
        }
        assert!(rule_lines(&["```", "Never do that at all", "```"]).is_empty());
    }

    #[test]
    fn a_sentence_behind_another_may_be_the_rule() {
        let line = "The second disk is full. Run `docker build` with `--no-cache`";
        assert_eq!(rule_lines(&[line]), [line]);
    }
}

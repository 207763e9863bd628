//! The texts of an imported lesson.
//!
//! In lessons-learned, `message` is the text for the model, by default made from the other texts. Here the model gets
//! mistake and rule, each on a line of its own.

use std::collections::HashSet;

use lessons_lesson::lesson::{MAX_SUMMARY_CHARS, MAX_TEXT_CHARS};
use lessons_text::neutral;
use lessons_text::words;

use super::raw::RawLesson;

/// The placeholder for the command in a message of lessons-learned. Texts here have no placeholders.
const COMMAND: &str = "{command}";
const THIS_COMMAND: &str = "this command";

/// The words that a default message adds to the other texts.
const LABELS: [&str; 6] = ["lesson", "summary", "problem", "mistake", "solution", "fix"];

/// The texts of an imported lesson.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) rule: String,
    pub(super) mistake: Option<String>,
    pub(super) summary: Option<String>,
}

/// The texts of `raw`. `name` is the rule of a lesson without any text.
pub(super) fn of(
    raw: &RawLesson,
    name: &str,
    redact: &dyn Fn(&str) -> String,
    notes: &mut Vec<String>,
) -> Texts {
    let mut text = |name, text: &Option<String>, max| cleaned(name, text.as_deref()?, max, redact, notes);
    let message = text("message", &raw.message, MAX_TEXT_CHARS);
    let mistake = text("problem", &raw.problem, MAX_TEXT_CHARS);
    let solution = text("solution", &raw.solution, MAX_TEXT_CHARS);
    let summary = text("summary", &raw.summary, MAX_SUMMARY_CHARS);

    let said = [&mistake, &solution, &summary]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(" ");
    let message = message.filter(|message| says_more(message, &said));
    let rule = match (message, solution) {
        (Some(message), Some(solution)) => joined(message, &solution, notes),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => mistake.clone().or_else(|| summary.clone()).unwrap_or_else(|| {
            notes.push("it has no text; its name stands in for the rule until you write one".to_owned());
            name.to_owned()
        }),
    };
    Texts { mistake: mistake.filter(|mistake| *mistake != rule), rule, summary }
}

/// Whether a message has a word that neither the other texts nor the labels have.
fn says_more(message: &str, said: &str) -> bool {
    let said: HashSet<String> = words::tokens(said).into_iter().collect();
    words::tokens(message).iter().any(|word| !said.contains(word) && !LABELS.contains(&word.as_str()))
}

/// The message, followed by the solution if the message does not contain it and both fit.
fn joined(message: String, solution: &str, notes: &mut Vec<String>) -> String {
    if message.contains(solution) {
        return message;
    }
    let both = format!("{message}\n{solution}");
    if both.chars().count() <= MAX_TEXT_CHARS {
        return both;
    }
    notes.push("its solution is left out of the rule, which would be too long with it".to_owned());
    message
}

/// A text without hidden characters, secrets and placeholders, within `max` characters; `None` if nothing is
/// left of it.
fn cleaned(
    name: &str,
    text: &str,
    max: usize,
    redact: &dyn Fn(&str) -> String,
    notes: &mut Vec<String>,
) -> Option<String> {
    let mut clean = neutral::visible(text.trim());
    if clean != text.trim() {
        notes.push(format!("hidden characters were taken out of its {name}"));
    }
    let redacted = redact(&clean);
    if redacted != clean {
        notes.push(format!("a secret in its {name} was replaced; nothing of it is stored"));
        clean = redacted;
    }
    if clean.contains(COMMAND) {
        clean = clean.replace(COMMAND, THIS_COMMAND);
        notes
            .push(format!("`{COMMAND}` in its {name} became \"{THIS_COMMAND}\": texts have no placeholders"));
    }
    let length = clean.chars().count();
    if length > max {
        clean = neutral::shortened(&clean, max);
        notes.push(format!("its {name} was cut to {max} characters of {length}"));
    }
    (!clean.trim().is_empty()).then_some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(message: &str, problem: &str, solution: &str) -> RawLesson {
        let text = |text: &str| Some(text.to_owned());
        RawLesson {
            message: text(message),
            problem: text(problem),
            solution: text(solution),
            summary: text("stash misses files"),
            ..RawLesson::default()
        }
    }

    fn of(raw: &RawLesson, name: &str, notes: &mut Vec<String>) -> Texts {
        super::of(raw, name, &|text| text.replace("s3cret-s3cret", "***"), notes)
    }

    fn rule(raw: &RawLesson) -> String {
        of(raw, "name", &mut Vec::new()).rule
    }

    #[test]
    fn a_secret_goes_whole_before_anything_is_cut() {
        let half_out = format!("{} s3cret-s3cret", "x".repeat(MAX_SUMMARY_CHARS - 6));
        let lesson = RawLesson { summary: Some(half_out), ..raw("Stop.", "p", "") };
        let mut notes = Vec::new();
        let summary = of(&lesson, "name", &mut notes).summary.unwrap();
        assert!(summary.ends_with("x ***") && !summary.contains("s3"), "{summary}");
        assert_eq!(notes, ["a secret in its summary was replaced; nothing of it is stored"]);
    }

    #[test]
    fn a_message_made_from_the_other_texts_adds_nothing() {
        let made = "## Lesson: stash misses files\nUntracked files stay.\n**Fix**: git stash -u";
        let texts = of(&raw(made, "Untracked files stay.", "git stash -u"), "name", &mut Vec::new());
        assert_eq!(texts.rule, "git stash -u");
        assert_eq!(texts.mistake.as_deref(), Some("Untracked files stay."));
    }

    #[test]
    fn a_message_that_says_more_comes_first() {
        assert_eq!(rule(&raw("REQUIRED here!", "p", "git stash -u")), "REQUIRED here!\ngit stash -u");
        assert_eq!(rule(&raw("Always git stash -u.", "p", "git stash -u")), "Always git stash -u.");
    }

    #[test]
    fn a_lesson_without_a_solution_says_what_it_has() {
        assert_eq!(rule(&raw("Stop.", "p", "")), "Stop.");
        assert_eq!(rule(&raw("", "It hangs.", "")), "It hangs.");
        assert_eq!(of(&raw("", "It hangs.", ""), "name", &mut Vec::new()).mistake, None);
        let mut notes = Vec::new();
        assert_eq!(of(&RawLesson::default(), "git-stash", &mut notes).rule, "git-stash");
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn placeholders_hidden_characters_and_overlong_texts_are_noted() {
        let mut notes = Vec::new();
        let mut lesson = raw("Blocked: {command}", "p\u{200b}", &"s".repeat(2500));
        lesson.summary = Some("y".repeat(200));
        let texts = of(&lesson, "name", &mut notes);
        assert_eq!(texts.rule, "Blocked: this command");
        assert_eq!(texts.mistake.as_deref(), Some("p"));
        assert_eq!(texts.summary.map(|text| text.chars().count()), Some(120));
        assert_eq!(notes.len(), 5, "{notes:#?}");
    }
}

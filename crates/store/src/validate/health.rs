//! Warnings about what works, but not as well as it could.

use std::collections::{BTreeMap, BTreeSet};

use lessons_lesson::lesson::{Lesson, Status, When};
use lessons_pattern::keyword;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_shell::ProgramRole;
use lessons_shell::programs::has_role;
use lessons_text::wording::counted;
use lessons_text::words::{self, is_stop_word};

use super::files::Files;
use crate::graph::Graph;
use crate::problem::{Flaw, Node, Problem, shown};

/// The document frequency from which on a trigger says little about any of its lessons.
pub const FANOUT: usize = 10;
/// The number of words from which on a keyword hardly ever matches.
pub const LONG_KEYWORD: usize = 5;

pub(super) fn problems(graph: &Graph, files: Option<&Files>) -> Vec<Problem> {
    let mut out = Vec::new();
    let mut tell = |node: Option<Node>, flaw: Flaw| {
        out.push(Problem { file: graph.file().to_owned(), node, flaw });
    };
    let active = || graph.lessons().filter(|lesson| lesson.status == Status::Active);
    for lesson in active().filter(|lesson| is_unreachable(graph, lesson)) {
        tell(
            Some(Node::Lesson(lesson.id.as_str().to_owned())),
            Flaw::warning(
                "UNREACHABLE_LESSON",
                "it has no trigger, so it never fires",
                format!("give it one: lessons edit {} --trigger KIND=PATTERN", lesson.id),
            ),
        );
    }
    let busy = fanouts(graph).values().filter(|&&lessons| lessons > FANOUT).count();
    if busy > 0 {
        let verb = if busy == 1 { "is" } else { "are" };
        tell(
            None,
            Flaw::warning(
                "HIGH_FANOUT_TRIGGERS",
                format!("{} {verb} shared by more than {FANOUT} lessons each", counted(busy, "trigger")),
                "make them narrower, so that the right lesson comes first",
            ),
        );
    }
    for id in graph.unnamed_topics() {
        tell(
            Some(Node::Topic(id.to_owned())),
            Flaw::warning("ORPHAN_TOPIC", "no lesson names it", "take it out, or run lessons prune --apply"),
        );
    }
    let used: BTreeSet<&str> =
        active().flat_map(|lesson| graph.trigger_ids(lesson.id.as_str(), "triggers")).collect();
    for (id, trigger) in graph.triggers().filter(|(id, _)| used.contains(id)) {
        for flaw in of_trigger(trigger, files) {
            tell(Some(Node::Trigger(id.to_owned())), flaw);
        }
    }
    out
}

fn is_unreachable(graph: &Graph, lesson: &Lesson) -> bool {
    lesson.when == When::Tool && graph.trigger_ids(lesson.id.as_str(), "triggers").next().is_none()
}

/// The document frequency of each trigger: how many active lessons have it.
pub(crate) fn fanouts(graph: &Graph) -> BTreeMap<&str, usize> {
    let mut fanouts = BTreeMap::new();
    for lesson in graph.lessons().filter(|lesson| lesson.status == Status::Active) {
        let ids: BTreeSet<&str> = graph.trigger_ids(lesson.id.as_str(), "triggers").collect();
        for id in ids {
            *fanouts.entry(id).or_default() += 1;
        }
    }
    fanouts
}

/// Warnings about a trigger of an active lesson.
pub(crate) fn of_trigger(trigger: &Trigger, files: Option<&Files>) -> Vec<Flaw> {
    let mut out = Vec::new();
    let pattern = shown(&trigger.pattern);
    match trigger.kind {
        TriggerKind::Keyword => {
            if is_low_signal(&trigger.pattern) {
                out.push(Flaw::warning(
                    "LOW_SIGNAL_KEYWORD",
                    format!(
                        "`{pattern}` has more than {LONG_KEYWORD} words, which hardly ever stand together"
                    ),
                    "keep the two or three that matter",
                ));
            }
            if loses_stop_words(&trigger.pattern) {
                out.push(Flaw::warning(
                    "STOPWORD_KEYWORD",
                    format!(
                        "`{pattern}` holds words that say little, such as `the` or `to`, or single characters"
                    ),
                    "keep the words that matter, and those that stand together",
                ));
            }
        }
        TriggerKind::FileGlob if files.is_some_and(|files| files.has_none_for(&trigger.pattern)) => {
            out.push(Flaw::warning(
                "DEAD_FILE_GLOB",
                format!("`{pattern}` matches no file of the project"),
                "point it to where the file is now, or take it out",
            ));
        }
        TriggerKind::CommandPattern if is_runner_anchored(&trigger.pattern) => {
            out.push(Flaw::warning(
                "RUNNER_ANCHORED_PATTERN",
                format!("`{pattern}` fires for one way only to run this task"),
                format!("look for the task wherever it stands: `{}`", shown(&of_task(&trigger.pattern))),
            ));
        }
        _ => {}
    }
    out
}

/// Whether a keyword has too many words to match often.
fn is_low_signal(pattern: &str) -> bool {
    words::tokens(pattern).len() > LONG_KEYWORD
}

/// Whether a keyword contains stop words, or no other words.
fn loses_stop_words(pattern: &str) -> bool {
    let words = words::tokens(pattern);
    !words.is_empty() && (keyword::needle(pattern).is_empty() || words.iter().any(|word| is_stop_word(word)))
}

/// The pattern of the task itself: `\bvitest\b` for `^npx vitest` and `^npm run vitest`. Where the runner is the program
/// that does it, it stays: `\bnpm publish\b` for `^npm publish`.
fn of_task(pattern: &str) -> String {
    let after = |text: &'_ str| {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len());
        let gap = [r"\s+", r"\s*", r"\s", " +", " "].into_iter().find(|gap| text[end..].starts_with(gap));
        gap.map(|gap| (text[..end].to_owned(), text[end + gap.len()..].to_owned()))
    };
    let whole = pattern.trim_start_matches('^').to_owned();
    let task = match after(&whole) {
        Some((runner, task)) if runner.ends_with('x') => task,
        Some((_, rest)) => match after(&rest) {
            Some((verb, task)) if ["dlx", "exec", "run", "x"].contains(&verb.as_str()) => task,
            _ => whole,
        },
        None => whole,
    };
    let end = if task.ends_with(|c: char| c.is_ascii_alphanumeric()) { r"\b" } else { "" };
    format!(r"\b{task}{end}")
}

/// Whether a pattern insists on one task runner in front: `^npx vitest`.
fn is_runner_anchored(pattern: &str) -> bool {
    let Some(rest) = pattern.strip_prefix('^') else { return false };
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
    rest.get(..end).is_some_and(|word| has_role(word, ProgramRole::TaskRunner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suggested_pattern_keeps_the_program_that_does_it() {
        for (pattern, task) in [
            ("^npx vitest", r"\bvitest\b"),
            (r"^npm\s+run\s+build:all", r"\bbuild:all\b"),
            ("^npm publish", r"\bnpm publish\b"),
            ("^pnpm exec tsc .*", r"\btsc .*"),
            ("^make", r"\bmake\b"),
        ] {
            assert_eq!(of_task(pattern), task, "{pattern}");
        }
    }
}

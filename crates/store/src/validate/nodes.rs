//! Errors that keep a lesson, a topic or a trigger from working, and warnings about triggers that match nearly
//! everything or nothing.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use lessons_lesson::lesson::{Lesson, Status};
use lessons_lesson::validate::{self, Level};
use lessons_pattern::PatternError;
use lessons_pattern::prepared;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::words;

use crate::graph::Graph;
use crate::problem::{Flaw, Node, Problem, shown};

/// Codes of a lesson's flaws that are reported here for its triggers or topics.
const TOLD_ELSEWHERE: [&str; 3] =
    ["INVALID_TRIGGER_PATTERN", "UNSAFE_TRIGGER_PATTERN", "UNRECALLABLE_LESSON"];

/// Codes of a lesson's warnings that are reported here.
const TOLD_WARNINGS: [&str; 6] = [
    "BROAD_GLOB_TRIGGER",
    "BROAD_PATTERN_TRIGGER",
    "DEAD_GLOB_TRIGGER",
    "STATE_OF_SESSION",
    "TRIGGER_OF_SESSION",
    "UNHOOKED_TOOL",
];

pub(super) fn problems(graph: &Graph) -> Vec<Problem> {
    let mut out = Vec::new();
    let mut tell = |node: Node, flaw: Flaw| {
        out.push(Problem { file: graph.file().to_owned(), node: Some(node), flaw });
    };
    for lesson in graph.lessons() {
        let id = || Node::Lesson(lesson.id.as_str().to_owned());
        let is_told = |flaw: &Flaw| match flaw.level {
            Level::Error => !TOLD_ELSEWHERE.contains(&flaw.code),
            Level::Warning => lesson.status == Status::Active && TOLD_WARNINGS.contains(&flaw.code),
        };
        for flaw in validate::flaws(lesson).into_iter().filter(is_told) {
            tell(id(), flaw);
        }
        for flaw in repeated(graph, lesson) {
            tell(id(), flaw);
        }
    }
    let active = graph.lessons().filter(|lesson| lesson.status == Status::Active);
    for Same { first, other } in same(active.map(|lesson| (normal_rule(&lesson.rule), lesson.id.as_str()))) {
        for (id, same) in [(first, other), (other, first)] {
            let hint = format!("make the two one: lessons merge {other} {first}");
            tell(
                Node::Lesson(id.to_owned()),
                Flaw::error("DUPLICATE_RULE", format!("it says the same as `{same}`"), hint),
            );
        }
    }
    for Same { first, other } in same(graph.triggers().map(|(id, trigger)| (trigger, id))) {
        for (id, same) in [(first, other), (other, first)] {
            let what = format!("it is the same as `{}`", shown(same));
            let hint = "name one of them everywhere, and take the other out";
            tell(Node::Trigger(id.to_owned()), Flaw::error("DUPLICATE_TRIGGER", what, hint));
        }
    }
    for (id, trigger) in graph.triggers() {
        let node = || Node::Trigger(id.to_owned());
        if let Some(error) = broken(trigger) {
            let what = format!("{} `{}`: {error}", trigger.kind, shown(&trigger.pattern));
            tell(node(), Flaw::error(error.code(), what, "change the pattern"));
        }
    }
    out
}

/// The reason why a pattern can never match. A keyword that loses all its words is only a warning.
fn broken(trigger: &Trigger) -> Option<PatternError> {
    let is_tokenless = || trigger.kind == TriggerKind::Keyword && !words::tokens(&trigger.pattern).is_empty();
    prepared::check(trigger).err().filter(|_| !is_tokenless())
}

/// Triggers that a lesson names twice in one list.
fn repeated(graph: &Graph, lesson: &Lesson) -> Vec<Flaw> {
    let mut out = Vec::new();
    for list in ["triggers", "also", "unless"] {
        let mut seen = BTreeSet::new();
        let mut told = BTreeSet::new();
        for id in graph.trigger_ids(lesson.id.as_str(), list) {
            if !seen.insert(id) && told.insert(id) {
                out.push(
                    Flaw::error(
                        "DUPLICATE_TRIGGER_REF",
                        format!("`{list}` names trigger `{}` twice", shown(id)),
                        "name it once",
                    )
                    .about(id),
                );
            }
        }
    }
    out
}

/// Two nodes with the same content.
struct Same<'g> {
    /// The first node with the content.
    first: &'g str,
    /// A later one.
    other: &'g str,
}

/// The nodes, each a content and an id, whose content an earlier one has.
fn same<'g, C: Eq + Hash>(nodes: impl Iterator<Item = (C, &'g str)>) -> Vec<Same<'g>> {
    let mut known: HashMap<C, &str> = HashMap::new();
    let mut same = Vec::new();
    for (content, other) in nodes {
        let first = *known.entry(content).or_insert(other);
        if first != other {
            same.push(Same { first, other });
        }
    }
    same
}

/// A rule normalised for comparison: lower case, white space as single blanks.
pub fn normal_rule(rule: &str) -> String {
    rule.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

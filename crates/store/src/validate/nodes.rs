//! Errors that keep a lesson, a topic or a trigger from working.

use std::collections::{BTreeMap, BTreeSet, HashMap};

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

pub(super) fn problems(graph: &Graph) -> Vec<Problem> {
    let mut out = Vec::new();
    let mut tell = |node: Node, flaw: Flaw| {
        out.push(Problem { file: graph.file().to_owned(), node: Some(node), flaw });
    };
    for lesson in graph.lessons() {
        let id = || Node::Lesson(lesson.id.as_str().to_owned());
        let errors = validate::flaws(lesson)
            .into_iter()
            .filter(|flaw| flaw.level == Level::Error && !TOLD_ELSEWHERE.contains(&flaw.code));
        for flaw in errors {
            tell(id(), flaw);
        }
        for flaw in repeated(graph, lesson) {
            tell(id(), flaw);
        }
    }
    for (id, same) in same_rules(graph) {
        tell(
            Node::Lesson(id.to_owned()),
            Flaw::error(
                "DUPLICATE_RULE",
                format!("it says the same as `{same}`"),
                format!("make the two one: lessons merge {id} {same}"),
            ),
        );
    }
    let mut known: HashMap<&Trigger, &str> = HashMap::new();
    for (id, trigger) in graph.triggers() {
        let node = || Node::Trigger(id.to_owned());
        if let Some(first) = known.insert(trigger, id) {
            known.insert(trigger, first);
            tell(
                node(),
                Flaw::error(
                    "DUPLICATE_TRIGGER",
                    format!("it is the same as `{}`", shown(first)),
                    "name one of them everywhere, and take the other out",
                ),
            );
        }
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

/// Active lessons with the rule of an earlier one, ignoring white space and case.
fn same_rules(graph: &Graph) -> Vec<(&str, &str)> {
    let mut first: BTreeMap<String, &str> = BTreeMap::new();
    let mut same = Vec::new();
    for lesson in graph.lessons().filter(|lesson| lesson.status == Status::Active) {
        match first.get(&normal_rule(&lesson.rule)) {
            Some(known) => same.push((lesson.id.as_str(), *known)),
            None => {
                first.insert(normal_rule(&lesson.rule), lesson.id.as_str());
            }
        }
    }
    same
}

/// A rule normalised for comparison: lower case, white space as single blanks.
pub fn normal_rule(rule: &str) -> String {
    rule.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

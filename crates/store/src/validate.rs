//! Everything that is wrong or doubtful in a graph, each thing by itself: one broken entry never hides
//! the others.
//!
//! Errors are what keeps something from working; warnings are worth a look. A change may not introduce
//! an error (see [`crate::transaction`]), but it never asks for what needs a look at the disk: whether a
//! glob matches a file of a project is judged only where somebody asks for it, with the project's
//! [`Files`].
//!
//! ```
//! use lessons_store::graph::{Graph, Origin};
//! use lessons_store::validate;
//!
//! let text = br#"{
//!   "version": 1,
//!   "lessons": { "a": { "rule": "Say why.", "topics": ["git"], "triggers": ["t1"], "evidence": [],
//!                       "status": "active", "createdAt": "2026-01-31" } },
//!   "topics": { "git": { "summary": "Git" } },
//!   "triggers": { "t1": { "kind": "command_pattern", "pattern": "(?=x)y" } }
//! }"#;
//! let graph = Graph::parse("lessons.json", text, Origin::Own)?;
//! let findings = validate::findings(&graph, None);
//! assert_eq!(findings[0].flaw.code, "UNSAFE_TRIGGER_PATTERN");
//! # Ok::<(), lessons_store::graph::UnreadableGraph>(())
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use lessons_lesson::{Lesson, Level, Status, When, validate};
use lessons_pattern::prepared::automaton_of;
use lessons_pattern::{PatternError, Trigger, TriggerKind, keyword, prepared};
use lessons_shell::ProgramRole;
use lessons_shell::programs::has_role;
use lessons_text::wording::counted;
use lessons_text::words::{self, is_stop_word};

use crate::graph::problem::{Flaw, Node, NodeKind, Problem, shown};
use crate::graph::{Graph, LISTS};

/// All findings, errors first, in the order of the file.
pub fn findings(graph: &Graph, files: Option<&Files>) -> Vec<Problem> {
    let mut all = graph.problems().to_vec();
    let mut tell = |node: Option<(NodeKind, &str)>, flaw| {
        let node = node.map(|(kind, id)| Node { kind, id: id.to_owned() });
        all.push(graph.problem(node, flaw));
    };
    errors(graph, &mut tell);
    warnings(graph, files, &mut tell);
    all.sort_by_key(|problem| std::cmp::Reverse(problem.flaw.level == Level::Error));
    all
}

/// Takes a flaw of a node, or of the file as a whole.
type Tell<'t> = &'t mut dyn FnMut(Option<(NodeKind, &str)>, Flaw);

/// The paths of a project's files, relative to its root.
#[derive(Debug, Clone, Default)]
pub struct Files(pub BTreeSet<String>);

impl Files {
    /// Whether a glob matches none of them. An invalid glob is not dead but broken, so the answer is no.
    pub fn has_none_for(&self, glob: &str) -> bool {
        automaton_of(TriggerKind::FileGlob, glob)
            .is_ok_and(|automaton| !self.0.iter().any(|path| automaton.is_match(path)))
    }
}

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

fn errors(graph: &Graph, tell: Tell<'_>) {
    for lesson in graph.lessons() {
        let is_told = |flaw: &Flaw| match flaw.level {
            Level::Error => !TOLD_ELSEWHERE.contains(&flaw.code),
            Level::Warning => lesson.status == Status::Active && TOLD_WARNINGS.contains(&flaw.code),
        };
        for flaw in validate::flaws(lesson).into_iter().filter(is_told).chain(repeated(graph, lesson)) {
            tell(Some((NodeKind::Lesson, lesson.id.as_str())), flaw);
        }
    }
    for [id, twin] in same(graph.active().map(|lesson| (normal_rule(&lesson.rule), lesson.id.as_str()))) {
        let what = format!("it says the same as `{twin}`");
        let hint = format!("make the two one: lessons merge {} {}", id.max(twin), id.min(twin));
        tell(Some((NodeKind::Lesson, id)), Flaw::error("DUPLICATE_RULE", what, hint));
    }
    for [id, twin] in same(graph.triggers().map(|(id, trigger)| (trigger, id))) {
        let what = format!("it is the same as `{}`", shown(twin));
        let hint = "name one of them everywhere, and take the other out";
        tell(Some((NodeKind::Trigger, id)), Flaw::error("DUPLICATE_TRIGGER", what, hint));
    }
    for (id, trigger) in graph.triggers() {
        if let Some(error) = broken(trigger) {
            let what = format!("{} `{}`: {error}", trigger.kind, shown(&trigger.pattern));
            let flaw = Flaw::error(error.code(), what, "change the pattern");
            tell(Some((NodeKind::Trigger, id)), flaw);
        }
    }
}

/// The reason why a pattern can never match. A keyword that loses all its words is only a warning.
fn broken(trigger: &Trigger) -> Option<PatternError> {
    let is_tokenless = || trigger.kind == TriggerKind::Keyword && !words::tokens(&trigger.pattern).is_empty();
    prepared::prepare(trigger).err().filter(|_| !is_tokenless())
}

/// Triggers that a lesson names twice in one list.
fn repeated(graph: &Graph, lesson: &Lesson) -> Vec<Flaw> {
    let mut out = Vec::new();
    for list in LISTS {
        let (mut seen, mut told) = (BTreeSet::new(), BTreeSet::new());
        for id in graph.listed(lesson.id.as_str(), list) {
            if !seen.insert(id) && told.insert(id) {
                let what = format!("`{list}` names trigger `{}` twice", shown(id));
                out.push(Flaw::error("DUPLICATE_TRIGGER_REF", what, "name it once").about(id));
            }
        }
    }
    out
}

/// Of nodes, each a content and an id, ascending by id, those that share a content: each later one with the first, both ways.
fn same<'g, C: Eq + Hash>(nodes: impl Iterator<Item = (C, &'g str)>) -> Vec<[&'g str; 2]> {
    let mut known: HashMap<C, &str> = HashMap::new();
    let mut same = Vec::new();
    for (content, other) in nodes {
        let first = *known.entry(content).or_insert(other);
        if first != other {
            same.extend([[first, other], [other, first]]);
        }
    }
    same
}

/// A rule normalised for comparison: lower case, white space as single blanks.
pub fn normal_rule(rule: &str) -> String {
    rule.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The document frequency from which on a trigger says little about any of its lessons.
pub const FANOUT: usize = 10;
/// The number of words from which on a keyword hardly ever matches.
pub const LONG_KEYWORD: usize = 5;

fn warnings(graph: &Graph, files: Option<&Files>, tell: Tell<'_>) {
    for lesson in graph.active().filter(|lesson| lesson.when == When::Tool) {
        if graph.listed(lesson.id.as_str(), "triggers").next().is_none() {
            let what = "it has no trigger, so it never fires";
            let hint = format!("give it one: lessons edit {} --trigger KIND=PATTERN", lesson.id);
            let flaw = Flaw::warning("UNREACHABLE_LESSON", what, hint);
            tell(Some((NodeKind::Lesson, lesson.id.as_str())), flaw);
        }
    }
    let busy = fanouts(graph).values().filter(|&&lessons| lessons > FANOUT).count();
    if busy > 0 {
        let verb = if busy == 1 { "is" } else { "are" };
        let what = format!("{} {verb} shared by more than {FANOUT} lessons each", counted(busy, "trigger"));
        let hint = "make them narrower, so that the right lesson comes first";
        tell(None, Flaw::warning("HIGH_FANOUT_TRIGGERS", what, hint));
    }
    for id in graph.unnamed_topics() {
        let hint = "take it out, or run lessons prune --apply";
        let flaw = Flaw::warning("ORPHAN_TOPIC", "no lesson names it", hint);
        tell(Some((NodeKind::Topic, id)), flaw);
    }
    let used: BTreeSet<&str> =
        graph.active().flat_map(|lesson| graph.listed(lesson.id.as_str(), "triggers")).collect();
    for (id, trigger) in graph.triggers().filter(|(id, _)| used.contains(id)) {
        for flaw in of_trigger(trigger, files) {
            tell(Some((NodeKind::Trigger, id)), flaw);
        }
    }
}

/// The document frequency of each trigger: how many active lessons have it.
pub(crate) fn fanouts(graph: &Graph) -> BTreeMap<&str, usize> {
    let mut fanouts = BTreeMap::new();
    for lesson in graph.active() {
        let ids: BTreeSet<&str> = graph.listed(lesson.id.as_str(), "triggers").collect();
        for id in ids {
            *fanouts.entry(id).or_default() += 1;
        }
    }
    fanouts
}

/// Warnings about a trigger of an active lesson.
pub(crate) fn of_trigger(trigger: &Trigger, files: Option<&Files>) -> Vec<Flaw> {
    let Trigger { kind, pattern: text, .. } = trigger;
    let (pattern, words) = (shown(text), words::tokens(text));
    let is = |wanted| *kind == wanted;
    let mut out = Vec::new();
    if is(TriggerKind::Keyword) && words.len() > LONG_KEYWORD {
        let what =
            format!("`{pattern}` has more than {LONG_KEYWORD} words, which hardly ever stand together");
        out.push(Flaw::warning("LOW_SIGNAL_KEYWORD", what, "keep the two or three that matter"));
    }
    let loses_words = || keyword::needle(text).is_empty() || words.iter().any(|word| is_stop_word(word));
    if is(TriggerKind::Keyword) && !words.is_empty() && loses_words() {
        let what =
            format!("`{pattern}` holds words that say little, such as `the` or `to`, or single characters");
        let hint = "keep the words that matter, and those that stand together";
        out.push(Flaw::warning("STOPWORD_KEYWORD", what, hint));
    }
    if is(TriggerKind::FileGlob) && files.is_some_and(|files| files.has_none_for(text)) {
        let what = format!("`{pattern}` matches no file of the project");
        out.push(Flaw::warning("DEAD_FILE_GLOB", what, "point it to where the file is now, or take it out"));
    }
    if is(TriggerKind::CommandPattern) && is_runner_anchored(text) {
        let what = format!("`{pattern}` fires for one way only to run this task");
        let hint = format!("look for the task wherever it stands: `{}`", shown(&of_task(text)));
        out.push(Flaw::warning("RUNNER_ANCHORED_PATTERN", what, hint));
    }
    out
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

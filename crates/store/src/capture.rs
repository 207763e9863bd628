//! Recording a lesson: whether it can ever be told, what is doubtful about it, and what becomes of one
//! that says what another says already.
//!
//! ```
//! use lessons_lesson::id::{LessonId, TopicId};
//! use lessons_lesson::lesson::Lesson;
//! use lessons_pattern::trigger::{Trigger, TriggerKind};
//! use lessons_store::capture;
//! use lessons_store::graph::Graph;
//!
//! let mut graph = Graph::empty("lessons.json");
//! let mut lesson = Lesson::new(
//!     LessonId::new("new")?,
//!     "Run the tests before pushing.",
//!     TopicId::new("git")?,
//!     "2026-01-31",
//! );
//! lesson.triggers = vec![Trigger::new(TriggerKind::Keyword, "git push")];
//! let warnings = capture::warnings(&lesson, &graph, None);
//! assert_eq!(warnings[0].code, Some("KEYWORD_ONLY_LESSON"));
//!
//! lesson.id = capture::free_id(&graph, &lesson)?;
//! assert_eq!(lesson.id.as_str(), "git-run-the-tests-before-pushing");
//! graph.put(&lesson)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeSet;

use lessons_lesson::id::{InvalidId, MAX_ID_BYTES};
use lessons_lesson::{Lesson, LessonId, TopicId, When};
use lessons_pattern::{Breadth, Trigger, TriggerKind, breadth, keyword, prepared};
use lessons_text::words::{self, is_stop_word};
use serde::Serialize;
use sha1::{Digest, Sha1};

use crate::graph::Graph;
use crate::graph::problem::{Flaw, shown};
use crate::validate::{Files, normal_rule, of_trigger};

/// The overlap of words, in percent, from which on two rules probably say the same.
const NEAR_PERCENT: usize = 60;
/// The most words of a rule in an id, and their most characters together.
const ID_WORDS: usize = 5;
const ID_CHARS: usize = 40;

/// A warning about a lesson that is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The code for programs, if there is one. A code never changes its meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The message for a person.
    pub message: String,
    /// The other lesson concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<LessonId>,
    /// The share of words that both have, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pct: Option<usize>,
}

impl Warning {
    /// A warning with a code.
    pub fn coded(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: Some(code), message: message.into(), other: None, pct: None }
    }

    fn of_flaw(flaw: &Flaw) -> Self {
        // The file of a lesson that is recorded is of this project.
        let code = if flaw.code == "DEAD_FILE_GLOB" { "DEAD_GLOB" } else { flaw.code };
        Self::coded(code, format!("{}; {}", flaw.what, flaw.hint))
    }
}

impl From<String> for Warning {
    fn from(message: String) -> Self {
        Self { code: None, message, other: None, pct: None }
    }
}

/// Whether a lesson can ever be told: at session start, or because one of its triggers can match.
///
/// A keyword with stop words between others cannot even match itself.
pub fn is_recallable(lesson: &Lesson) -> bool {
    let is_found =
        |words: &str| keyword::contains_run(&keyword::run_of(&words::tokens(words)), &keyword::needle(words));
    let works = |trigger: &Trigger| {
        let is_keyword = trigger.kind == TriggerKind::Keyword;
        prepared::prepare(trigger).is_ok() && (!is_keyword || is_found(&trigger.pattern))
    };
    lesson.when == When::Session || lesson.triggers.iter().any(works)
}

/// Warnings about a lesson, next to the other lessons of `graph` and the files of the project in which it is recorded.
pub fn warnings(lesson: &Lesson, graph: &Graph, files: Option<&Files>) -> Vec<Warning> {
    let mut out = Vec::new();
    for trigger in &lesson.triggers {
        if names_no_file(trigger) && lesson.also.is_empty() {
            let pattern = shown(&trigger.pattern);
            let message = format!(
                "`{pattern}` matches files by their folder or type, whatever their names; narrow it, or add an `also`"
            );
            out.push(Warning::coded("BROAD_GLOB_TRIGGER", message));
        }
        // Of runners in commands, a check of the whole store warns.
        if trigger.kind != TriggerKind::CommandPattern {
            out.extend(of_trigger(trigger, files).iter().map(Warning::of_flaw));
        }
    }
    let triggers = &lesson.triggers;
    if !triggers.is_empty() && triggers.iter().all(|trigger| trigger.kind == TriggerKind::Keyword) {
        let message = "it has only keywords; a command pattern or a glob says better when it is due";
        out.push(Warning::coded("KEYWORD_ONLY_LESSON", message));
    }
    out.extend(near(lesson, graph));
    out
}

/// Whether a glob matches files by their folder or type alone, but not nearly every file: of that, validation warns.
fn names_no_file(glob: &Trigger) -> bool {
    let any_name = |prepared| breadth::of(glob, &prepared) == Breadth::AnyName;
    glob.kind == TriggerKind::FileGlob && prepared::prepare(glob).is_ok_and(any_name)
}

/// The words of a text that are no stop words.
pub fn words(text: &str) -> BTreeSet<String> {
    words::tokens(text).into_iter().filter(|word| !is_stop_word(word)).collect()
}

/// Warnings about active lessons that say nearly the same.
fn near(lesson: &Lesson, graph: &Graph) -> Vec<Warning> {
    let (own, rule) = (words(&lesson.rule), normal_rule(&lesson.rule));
    let others = graph.active().filter(|other| other.id != lesson.id && normal_rule(&other.rule) != rule);
    let overlap = |other: &Lesson| {
        let theirs = words(&other.rule);
        let common = own.intersection(&theirs).count();
        let all = own.len() + theirs.len() - common;
        (common > 0 && common * 100 >= all * NEAR_PERCENT).then(|| (common * 200 + all) / (all * 2))
    };
    let warning = |other: &Lesson| {
        let pct = Some(overlap(other)?);
        let message = format!("user/{0} says nearly the same: lessons show user/{0}", other.id);
        Some(Warning { code: Some("NEAR_DUPLICATE_LESSON"), message, other: Some(other.id.clone()), pct })
    };
    others.filter_map(warning).collect()
}

/// The active lesson with the same rule, ignoring white space and case.
pub fn same_rule<'g>(graph: &'g Graph, lesson: &Lesson) -> Option<&'g Lesson> {
    with_rule(graph, &lesson.rule).find(|known| known.id != lesson.id)
}

/// The active lessons with this rule, ignoring white space and case.
pub(crate) fn with_rule<'g>(graph: &'g Graph, rule: &str) -> impl Iterator<Item = &'g Lesson> + use<'g> {
    let rule = normal_rule(rule);
    graph.active().filter(move |known| normal_rule(&known.rule) == rule)
}

/// The error for a lesson whose rule exists already, with a different value in some field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is a duplicate: user/{known} says the same, with another `{field}`; change it with `lessons edit {known}`, \
     or word the rule otherwise, and it becomes a lesson of its own"
)]
pub struct Differs {
    /// The existing lesson.
    pub known: LessonId,
    /// The field.
    pub field: &'static str,
}

/// The texts that a lesson need not have.
const TEXTS: [&str; 6] = ["mistake", "summary", "rationale", "detail", "metacognition", "phase"];
/// The fields that say how a lesson is told.
const MEANS: [&str; 7] = ["mode", "when", "priority", "confidence", "severity", "quality", "subject"];
/// The fields that say where it holds.
const CONDITIONS: [&str; 7] = ["tools", "os", "shell", "state", "scope", "also", "unless"];

/// The lesson `known`, extended by `given`, which has the same rule: triggers, topics, tags, evidence, examples, and
/// texts that `known` lacks.
pub fn joined(known: &Lesson, given: &Lesson) -> Result<Lesson, Differs> {
    // A lesson is plain data, which cannot fail to become JSON. What is at its default is not in it.
    let [ours, theirs] = [known, given].map(|lesson| serde_json::to_value(lesson).unwrap_or_default());
    let differs = |field: &&str| match (ours.get(field), theirs.get(field)) {
        // A field at its default was not asked for.
        (_, None) => false,
        (None, Some(_)) => !TEXTS.contains(field),
        (ours, theirs) => ours != theirs,
    };
    if let Some(field) = TEXTS.into_iter().chain(MEANS).chain(CONDITIONS).find(differs) {
        return Err(Differs { known: known.id.clone(), field });
    }
    let text = |ours: &Option<String>, theirs: &Option<String>| ours.as_ref().or(theirs.as_ref()).cloned();
    let mut joined = Lesson {
        mistake: text(&known.mistake, &given.mistake),
        summary: text(&known.summary, &given.summary),
        rationale: text(&known.rationale, &given.rationale),
        detail: text(&known.detail, &given.detail),
        metacognition: text(&known.metacognition, &given.metacognition),
        phase: text(&known.phase, &given.phase),
        ..known.clone()
    };
    union(&mut joined.triggers, &given.triggers);
    union(&mut joined.topics, &given.topics);
    union(&mut joined.tags, &given.tags);
    union(&mut joined.evidence, &given.evidence);
    union(&mut joined.examples.fires, &given.examples.fires);
    union(&mut joined.examples.quiet, &given.examples.quiet);
    Ok(joined)
}

/// Adds the items that a list lacks.
pub(crate) fn union<T: Clone + PartialEq>(list: &mut Vec<T>, more: &[T]) {
    for item in more {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
}

/// A free id for a new lesson: its topic, unless that is the general one, and the first words of its summary or rule, with a
/// number if that is taken. A rule without usable letters gives the start of its SHA-1.
pub fn free_id(graph: &Graph, lesson: &Lesson) -> Result<LessonId, InvalidId> {
    let text = lesson.summary.as_deref().unwrap_or(&lesson.rule).to_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = words.take(ID_WORDS).collect::<Vec<_>>().join("-");
    slug.truncate(ID_CHARS);
    if slug.is_empty() {
        slug = lessons_text::digest::hex_of(&Sha1::digest(&lesson.rule), 8);
    }
    let slug = slug.trim_end_matches('-');
    match lesson.topics.first().map(TopicId::as_str) {
        None | Some(crate::graph::GENERAL_TOPIC) => free_id_like(graph, slug),
        Some(topic) => free_id_like(graph, &format!("{topic}-{slug}")),
    }
}

/// A free id: `base`, with a number if that is taken.
pub fn free_id_like(graph: &Graph, base: &str) -> Result<LessonId, InvalidId> {
    first_free(base, |id| graph.raw(id).is_none())
}

/// The first free id: `base`, or with a number behind it.
pub(crate) fn first_free(base: &str, is_free: impl Fn(&str) -> bool) -> Result<LessonId, InvalidId> {
    // Behind an id of the longest kind there is no room for a number.
    let start = base.get(..MAX_ID_BYTES - "-99999".len()).unwrap_or(base).trim_end_matches('-');
    let numbered = (2_u64..).map(|number| format!("{start}-{number}"));
    let mut ids = std::iter::once(base.to_owned()).chain(numbered);
    LessonId::new(ids.find(|id| is_free(id)).as_deref().unwrap_or(base))
}

/// A typed glob with the backslashes of another system turned into slashes: a backslash before a letter or digit means
/// nothing else.
pub fn with_slashes(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len());
    let mut chars = glob.chars().peekable();
    while let Some(c) = chars.next() {
        let is_separator = c == '\\' && chars.peek().is_some_and(|next| next.is_alphanumeric());
        out.push(if is_separator { '/' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(id: &str, rule: &str, triggers: &[(TriggerKind, &str)]) -> Lesson {
        let mut lesson =
            Lesson::new(LessonId::new(id).unwrap(), rule, TopicId::new("build").unwrap(), "2026-01-01");
        lesson.triggers = triggers.iter().map(|(kind, pattern)| Trigger::new(*kind, *pattern)).collect();
        lesson
    }

    fn with(lessons: &[Lesson]) -> Graph {
        let mut graph = Graph::empty("lessons.json");
        for lesson in lessons {
            graph.put(lesson).unwrap();
        }
        graph
    }

    #[test]
    fn a_lesson_needs_a_trigger_that_can_match() {
        let with = |kind, pattern| is_recallable(&lesson("a", "r", &[(kind, pattern)]));
        assert!(with(TriggerKind::Keyword, "the cache") && with(TriggerKind::FileGlob, "src/**"));
        assert!(!with(TriggerKind::Keyword, "state of the art") && !with(TriggerKind::Keyword, "a"));
        assert!(!with(TriggerKind::CommandPattern, "(?=x)y") && !is_recallable(&lesson("a", "r", &[])));
    }

    #[test]
    fn a_lesson_that_says_nearly_the_same_is_named_with_how_much() {
        let graph = with(&[lesson("build-x", "Always run the tests before pushing code.", &[])]);
        let near = near(&lesson("new", "Always run the tests before pushing any code.", &[]), &graph);
        assert_eq!((near.len(), near[0].pct), (1, Some(86)));
        assert!(super::near(&lesson("new", "Quote the paths that hold spaces.", &[]), &graph).is_empty());
    }

    #[test]
    fn what_says_the_same_is_joined_and_what_contradicts_is_not() {
        let known = lesson("a", "Run it.", &[(TriggerKind::Keyword, "one two")]);
        let mut given = lesson("b", "run  it.", &[(TriggerKind::Keyword, "three")]);
        given.evidence = vec!["commit:1".into()];
        given.mistake = Some("It was not run.".into());
        let both = joined(&known, &given).unwrap();
        assert_eq!((both.triggers.len(), both.evidence.len(), both.id.as_str()), (2, 1, "a"));
        assert_eq!(joined(&both, &given).unwrap(), both, "the same again changes nothing");
        given.mode = lessons_lesson::lesson::Mode::Bump;
        assert_eq!(joined(&known, &given).unwrap_err().field, "mode");
    }

    #[test]
    fn an_id_is_made_of_the_topic_and_the_first_words() {
        let general =
            Lesson { topics: vec![TopicId::new("general").unwrap()], ..lesson("new", "Run tsc", &[]) };
        assert_eq!(free_id(&with(&[]), &general).unwrap().as_str(), "run-tsc");
        let id = |rule: &str, graph: &Graph| free_id(graph, &lesson("new", rule, &[])).unwrap().to_string();
        let none = with(&[]);
        assert_eq!(id("Don't use `x`", &none), "build-don-t-use-x");
        assert_eq!(id("日本語のルール", &none), "build-465c20e7");
        assert_eq!(id(&"R".repeat(2000), &none), format!("build-{}", "r".repeat(40)));
        assert_eq!(id("Run tsc", &with(&[lesson("build-run-tsc", "Other", &[])])), "build-run-tsc-2");
    }

    #[test]
    fn the_separators_of_another_system_become_ours() {
        assert_eq!(with_slashes(r"src\cli\x.ts"), "src/cli/x.ts");
        assert_eq!(with_slashes(r"a\*b"), r"a\*b");
    }
}

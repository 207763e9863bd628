//! Reading a graph for recall: only what recall looks at, straight from the bytes.
//!
//! A [`crate::graph::Graph`] keeps every byte so that it can be written back. A question is asked more
//! often than a lesson is changed, so here texts are borrowed from the file and the rest is skipped.
//! A lesson or trigger that is not what it should be is left out and counted; the others work.
//!
//! Of a large store even that takes too long for a question: a build writes down in [`part`] what was found, and
//! [`own`] takes it from there as long as the store is the same file.
//!
//! ```
//! use lessons_core::id::Layer;
//! use lessons_core::recall::{Corpus, Limits, Question};
//! use lessons_store::recall;
//!
//! let text = br#"{
//!   "version": 1,
//!   "lessons": { "stash": { "rule": "Use `git stash -u`.", "topics": ["git"], "triggers": ["t1"],
//!                           "evidence": [], "status": "active", "createdAt": "2026-01-31" } },
//!   "topics": { "git": { "summary": "Git" } },
//!   "triggers": { "t1": { "kind": "command_pattern", "pattern": "git stash" } }
//! }"#;
//! let mut corpus = Corpus::default();
//! let unread = recall::read(&mut corpus, &Layer::User, text, &|_id| true)?;
//! assert_eq!(unread, 0);
//!
//! let found = corpus.recall(&Question { command: Some("git stash"), ..Question::default() });
//! let shown = &found[Limits { lessons: 10, tokens: 400 }.cut(&found)];
//! assert_eq!(shown[0].entry.rule, "Use `git stash -u`.");
//! # Ok::<(), lessons_store::graph::UnreadableGraph>(())
//! ```

pub mod own;
pub mod part;

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use lessons_core::id::{Layer, LessonId, QualifiedId};
use lessons_core::lesson::{Mode, Status, Subject, When};
use lessons_core::recall::{Conditions, Corpus, Entry, TriggerPlace};
use lessons_core::trigger::TriggerKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::graph::usable::Usable;
use crate::graph::{UnreadableGraph, VERSION};
use crate::pairs::{Pairs, Text};

/// Adds the active lessons of a graph, given as the bytes of its file, to `corpus`. Returns how many
/// lessons could not be read; `lessons validate` names them.
///
/// `is_wanted` is asked for each lesson by its id with its layer.
pub fn read<'a>(
    corpus: &mut Corpus<'a>,
    layer: &Layer,
    bytes: &'a [u8],
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<usize, UnreadableGraph> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = std::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default());
        UnreadableGraph::NotUtf8 { line: good.unwrap_or_default().matches('\n').count() + 1 }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A list would be read as the fields in their order.
    if text.trim_start().starts_with('[') {
        return Err(UnreadableGraph::Shape { what: "it is not an object".into() });
    }
    let mut reading = Reading { corpus, prefix: format!("{layer}/"), is_wanted, unread: 0 };
    if let Ok(file) = serde_json::from_str::<File<'_, Lesson<'_>, Trigger<'_>>>(text) {
        version(&file)?;
        let triggers = reading.known(file.triggers.0.into_iter().map(|(id, trigger)| (id, Some(trigger))));
        for (id, lesson) in file.lessons.0 {
            reading.lesson(&id, Some(lesson), &triggers);
        }
        return Ok(reading.unread);
    }
    // Something in it is not as it should be. One by one, so that it is alone in that.
    let file: File<'a, &'a RawValue, &'a RawValue> =
        serde_json::from_str(text).map_err(|error| unreadable(text, &error))?;
    version(&file)?;
    let triggers = file.triggers.0.into_iter();
    let triggers = reading.known(triggers.map(|(id, raw)| (id, serde_json::from_str(raw.get()).ok())));
    for (id, raw) in file.lessons.0 {
        reading.lesson(&id, serde_json::from_str(raw.get()).ok(), &triggers);
    }
    Ok(reading.unread)
}

/// The active lessons of a graph in which nothing is wrong, to be asked as those that [`read`] adds. `None` of any other.
pub fn of_sound<'a>(layer: &Layer, graph: &'a Usable) -> Option<Corpus<'a>> {
    if !graph.problems().is_empty() {
        return None;
    }
    let mut corpus = Corpus::default();
    for lesson in graph.lessons() {
        corpus.add_lesson(&QualifiedId { layer: layer.clone(), id: lesson.id.clone() }, lesson);
    }
    Some(corpus)
}

fn version<L, T>(file: &File<'_, L, T>) -> Result<(), UnreadableGraph> {
    match &file.version {
        version if version.as_u64() == Some(VERSION) => Ok(()),
        serde_json::Value::Null => Err(UnreadableGraph::Shape { what: "it has no `version`".into() }),
        version => Err(UnreadableGraph::Version { found: crate::problem::shown(&version.to_string()) }),
    }
}

fn unreadable(text: &str, error: &serde_json::Error) -> UnreadableGraph {
    match error.classify() {
        serde_json::error::Category::Data => UnreadableGraph::Shape { what: "it has another shape".into() },
        _ if text.trim().is_empty() => UnreadableGraph::Shape { what: "it is empty".into() },
        _ => UnreadableGraph::no_json(text, error),
    }
}

/// A graph, with lessons and triggers of some kind.
#[derive(Deserialize)]
#[serde(bound(deserialize = "L: Deserialize<'de>, T: Deserialize<'de>"))]
struct File<'a, L, T> {
    #[serde(default)]
    version: serde_json::Value,
    #[serde(borrow, default = "Pairs::none")]
    lessons: Pairs<'a, L>,
    #[serde(borrow, default = "Pairs::none")]
    triggers: Pairs<'a, T>,
}

type Texts<'a> = Vec<Text<'a>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lesson<'a> {
    #[serde(borrow)]
    rule: Cow<'a, str>,
    #[serde(borrow)]
    topics: Texts<'a>,
    #[serde(borrow)]
    triggers: Texts<'a>,
    #[serde(borrow, default)]
    also: Option<Texts<'a>>,
    #[serde(borrow, default)]
    unless: Option<Texts<'a>>,
    status: Status,
    #[serde(borrow)]
    created_at: Cow<'a, str>,
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default)]
    when: Option<When>,
    #[serde(default)]
    subject: Option<Subject>,
    #[serde(borrow, default)]
    tools: Option<Texts<'a>>,
    #[serde(borrow, default)]
    scope: Option<Scope<'a>>,
}

#[derive(Deserialize)]
struct Scope<'a> {
    #[serde(borrow, default)]
    projects: Option<Texts<'a>>,
}

#[derive(Deserialize)]
struct Trigger<'a> {
    kind: TriggerKind,
    #[serde(borrow)]
    pattern: Cow<'a, str>,
}

/// The triggers of a graph by id; `None` for one that cannot be used.
type Known<'a> = HashMap<Cow<'a, str>, Option<TriggerPlace>, RandomState>;

struct Reading<'r, 'a> {
    corpus: &'r mut Corpus<'a>,
    /// What an id begins with that has its layer.
    prefix: String,
    is_wanted: &'r dyn Fn(&str) -> bool,
    unread: usize,
}

impl<'a> Reading<'_, 'a> {
    fn known(&mut self, triggers: impl Iterator<Item = (Cow<'a, str>, Option<Trigger<'a>>)>) -> Known<'a> {
        let mut place = |trigger: Trigger<'a>| self.corpus.trigger(trigger.kind, trigger.pattern);
        triggers.map(|(id, trigger)| (id, trigger.map(&mut place))).collect()
    }

    fn lesson(&mut self, id: &str, lesson: Option<Lesson<'a>>, triggers: &Known<'a>) {
        let usable = lesson.filter(|lesson| {
            LessonId::new(id).is_ok() && !lesson.topics.is_empty() && !lesson.rule.trim().is_empty()
        });
        let Some(lesson) = usable else {
            self.unread += 1;
            return;
        };
        if lesson.status != Status::Active || lesson.when == Some(When::Session) {
            return;
        }
        let place = |id: &Text<'a>| triggers.get(&id.0).copied().flatten();
        // Without a condition a lesson would be told where it should not; without a trigger it is only
        // told less often.
        let conditions = |list: &Option<Texts<'a>>| list.iter().flatten().map(place).collect();
        let (Some(also), Some(unless)) = (conditions(&lesson.also), conditions(&lesson.unless)) else {
            self.unread += 1;
            return;
        };
        let id = [&self.prefix, id].concat();
        if !(self.is_wanted)(&id) {
            return;
        }
        let texts = |list: Option<Texts<'a>>| list.into_iter().flatten().map(|text| text.0).collect();
        let refuses = lesson.mode.is_some_and(Mode::refuses);
        let triggers = lesson.triggers.iter().filter_map(place).collect();
        let entry = Entry {
            id: id.into(),
            rule: lesson.rule,
            topics: texts(Some(lesson.topics)),
            created_at: lesson.created_at,
            projects: texts(lesson.scope.and_then(|scope| scope.projects)),
            tools: texts(lesson.tools),
            subject: lesson.subject.or(refuses.then_some(Subject::Executable)),
        };
        self.corpus.add(entry, Conditions { triggers, also, unless });
    }
}

#[cfg(test)]
mod tests {
    use lessons_core::recall::Question;

    use super::*;

    fn recalled(text: &str, command: &str) -> (Vec<String>, usize) {
        let mut corpus = Corpus::default();
        let unread = read(&mut corpus, &Layer::User, text.as_bytes(), &|_| true).unwrap();
        let question = Question { command: Some(command), ..Question::default() };
        (corpus.recall(&question).iter().map(|found| found.entry.id.to_string()).collect(), unread)
    }

    fn graph(lessons: &str) -> String {
        format!(
            r#"{{"version":1,"lessons":{{{lessons}}},"topics":{{"t":{{"summary":"T"}}}},
                "triggers":{{"a":{{"kind":"command_pattern","pattern":"git \"x"}},"b":{{"kind":"odd","pattern":"git"}},
                             "c":{{"kind":"command_pattern","pattern":"push"}}}}}}"#
        )
    }

    fn lesson(id: &str, more: &str) -> String {
        format!(
            r#""{id}":{{"rule":"R","topics":["t"],"evidence":[],"status":"active","createdAt":"2026-01-01",{more}}}"#
        )
    }

    #[test]
    fn a_broken_lesson_or_trigger_hides_no_other() {
        let lessons = [
            lesson("good", r#""triggers":["a","b","nowhere"]"#),
            lesson("numbers", r#""triggers":[1]"#),
            lesson("not-an-id-", r#""triggers":["a"]"#),
            lesson("dangling", r#""triggers":["a"],"unless":["b"]"#),
            lesson("vetoed", r#""triggers":["a"],"unless":["c"]"#),
        ];
        let (found, unread) = recalled(&graph(&lessons.join(",")), "git \"x push");
        assert_eq!((found, unread), (vec!["user/good".to_owned()], 3));
    }

    #[test]
    fn what_was_not_asked_about_is_not_held_against_a_lesson() {
        let mut text = graph(&lesson("both", r#""triggers":["c"],"also":["f"]"#));
        text = text.replace(r#""c":{"#, r#""f":{"kind":"file_glob","pattern":"*.ts"},"c":{"#);
        assert_eq!(recalled(&text, "git push").0, ["user/both"]);
        let mut corpus = Corpus::default();
        read(&mut corpus, &Layer::User, text.as_bytes(), &|_| true).unwrap();
        let asked = Question {
            command: Some("git push"),
            file: Some("a.md"),
            root: Some("/p"),
            ..Question::default()
        };
        assert!(corpus.recall(&asked).is_empty());
    }

    #[test]
    fn a_file_that_is_no_graph_says_where() {
        for (text, expected) in [
            ("", "it is empty"),
            ("null", "shape"),
            ("[]", "not an object"),
            (r#"{"version":2}"#, "version 2"),
            (r#"{"lessons":{}}"#, "no `version`"),
            ("{\"version\":1,\n", "line 2"),
        ] {
            let error = read(&mut Corpus::default(), &Layer::User, text.as_bytes(), &|_| true).unwrap_err();
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
    }
}

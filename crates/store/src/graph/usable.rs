//! A graph for a reader that does not write it back: its usable lessons and its problems.
//!
//! A [`Graph`] keeps the JSON of every node beside the typed node, which is many times the bytes of the file. Here the JSON
//! is dropped as soon as its node is read. A file with a fault of its own (no graph, a repeated key, a number too long) is
//! left to [`Graph`], which reads it again and reports the fault.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::RandomState;
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::Lesson;
use lessons_pattern::trigger::Trigger;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::raw::Slim;
use super::relations::{Nodes, Orphans};
use super::triggers::Resolved;
use super::{Graph, Origin, UnreadableGraph, VERSION, json, read, triggers};
use crate::pairs::Pairs;
use crate::problem::{Flaw, Node, Problem};

/// The usable lessons and the problems of a graph, the same as [`Graph`] reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Usable {
    /// The lessons, ascending by id.
    lessons: Vec<Lesson>,
    problems: Vec<Problem>,
}

impl Usable {
    /// Reads a graph of the user's own. `file` is the origin of the bytes; every problem names it.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, UnreadableGraph> {
        match json::text(bytes).ok().and_then(|text| quickly(file, text)) {
            Some(usable) => Ok(usable),
            None => Graph::parse(file, bytes, Origin::Own).map(Self::from),
        }
    }

    /// The lessons, by id.
    pub fn lessons(&self) -> impl ExactSizeIterator<Item = &Lesson> {
        self.lessons.iter()
    }

    /// The lesson with this id.
    pub fn get(&self, id: &LessonId) -> Option<&Lesson> {
        let at = self.lessons.binary_search_by(|lesson| lesson.id.cmp(id)).ok()?;
        self.lessons.get(at)
    }

    /// The problems of the graph.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl From<Graph> for Usable {
    fn from(graph: Graph) -> Self {
        Self { lessons: graph.lessons.into_values().collect(), problems: graph.problems }
    }
}

/// A graph file with its nodes as raw JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    version: u64,
    #[serde(borrow)]
    lessons: Pairs<'a, &'a RawValue>,
    #[serde(borrow)]
    topics: Pairs<'a, &'a RawValue>,
    #[serde(borrow)]
    triggers: Pairs<'a, &'a RawValue>,
}

/// Reads a file that has no faults but flaws of its nodes; `None` for any other file.
fn quickly(file: &Path, text: &str) -> Option<Usable> {
    // Serde would read a list as the fields in their order.
    let object = Some(text).filter(|text| !text.trim_start().starts_with('['))?;
    let File { version, lessons, topics, triggers } = serde_json::from_str(object).ok()?;
    let (lessons, topics, triggers) = (in_order(lessons)?, in_order(topics)?, in_order(triggers)?);
    let topics = topics.into_iter().map(|(id, raw)| Some((id.into_owned(), json::part(raw.get(), 2)?)));
    let topics: Map<String, Value> = topics.collect::<Option<_>>()?;
    let mut problems = Vec::new();
    let mut tell = |node: Node, flaw: Flaw| {
        problems.push(Problem { file: file.to_owned(), node: Some(node), flaw });
    };

    let mut known: HashMap<&str, Option<Trigger>, _> =
        HashMap::with_capacity_and_hasher(triggers.len(), RandomState::default());
    for (id, raw) in &triggers {
        let read = triggers::read(id, &Slim::parse(raw.get(), 2)?);
        let read = read.map_err(|flaw| tell(Node::Trigger(id.to_string()), flaw));
        known.insert(id, read.ok());
    }
    let resolve = |id: &str| match known.get(id) {
        Some(Some(trigger)) => Resolved::Usable(trigger),
        Some(None) => Resolved::Broken,
        None => Resolved::Missing,
    };
    let mut orphans = Orphans::of(triggers.iter().map(|(id, _)| id.as_ref()));
    let mut usable = Vec::with_capacity(lessons.len());
    for (id, raw) in &lessons {
        let raw = Slim::parse(raw.get(), 2)?;
        orphans.take_out_named(&raw);
        let reading = read::lesson(id, &raw, &resolve, Origin::Own);
        reading.flaws.into_iter().for_each(|flaw| tell(Node::Lesson(id.to_string()), flaw));
        usable.extend(reading.lesson);
    }
    let nodes = Nodes { file, lessons: usable.iter().collect(), topics: &topics, orphans: orphans.left() };
    problems.extend(nodes.problems());
    (version == VERSION).then_some(Usable { lessons: usable, problems })
}

/// The nodes, ascending by id; `None` if an id is repeated.
fn in_order<'a>(Pairs(mut nodes): Pairs<'a, &'a RawValue>) -> Option<Vec<(Cow<'a, str>, &'a RawValue)>> {
    nodes.sort_by(|(one, _), (other, _)| one.cmp(other));
    nodes.is_sorted_by(|(one, _), (other, _)| one < other).then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding(lesson: &str, more: &str) -> String {
        format!(
            r#"{{"version":1,{more}"lessons":{{"b":{lesson},"a":{{}}}},"topics":{{"t":{{"summary":"T"}}}},
                "triggers":{{"t1":{{"kind":"keyword","pattern":"x"}},"t0":{{}}}}}}"#
        )
    }

    #[test]
    fn flaws_of_nodes_are_told_without_reading_it_whole() {
        let text = holding(r#"{"rule":"r","triggers":["t1"],"odd":[[1]]}"#, "");
        let usable = quickly(Path::new("f"), &text).unwrap();
        assert_eq!(usable, Graph::parse("f", text.as_bytes(), Origin::Own).unwrap().into());
        assert_eq!(usable.problems.len(), 11, "{:?}", usable.problems);
    }

    #[test]
    fn what_is_wrong_with_the_file_is_left_to_the_graph() {
        let others = [
            holding(r#"{"rule":"r","rule":"s"}"#, ""),
            holding(r#"{"odd":{"x":1,"x":1}}"#, ""),
            holding(r#"{"odd":123456789012345678901234567890}"#, ""),
            holding(r#"{},"b":{}"#, ""),
            holding("{}", r#""lessons":{},"#),
            holding("{}", r#""other":{},"#),
            holding(r#"{"odd":"\ud800"}"#, ""),
            holding(r#"{"odd":1e999}"#, ""),
            "[1,{},{},{}]".to_owned(),
            r#"{"version":2}"#.to_owned(),
            r#"{"version":1,"topics":null}"#.to_owned(),
            r#"{"version":1,"lessons":{},"topics":{}}"#.to_owned(),
        ];
        for text in others {
            assert_eq!(quickly(Path::new("f"), &text), None, "{text}");
        }
    }

    #[test]
    fn both_go_equally_deep() {
        for depth in 120..130 {
            for innermost in ["", "{}", "1"] {
                let odd = format!("{}{innermost}{}", "[".repeat(depth), "]".repeat(depth));
                let text = holding(&format!(r#"{{"odd":{odd}}}"#), "");
                let whole = Graph::parse("f", text.as_bytes(), Origin::Own).ok().map(Usable::from);
                assert_eq!(quickly(Path::new("f"), &text), whole, "{depth}");
            }
        }
    }
}

//! As much of YAML as an index needs: maps, lists and texts.
//!
//! A reference to another place (`*name`) is refused: a few of them can stand for more than any memory holds.
//! So is what is nested deeper than an index is, and a name that stands twice in a map.

use saphyr_parser::{Event, Parser};

/// How deep an index is, and a little more.
const DEEPEST: usize = 8;

/// A node of YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// A map.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// A list. Nothing is one without entries.
    pub(super) fn list(&self) -> Option<&[Node]> {
        match self {
            Self::List(list) => Some(list),
            Self::Text(text) if text.is_empty() => Some(&[]),
            Self::Text(_) | Self::Map(_) => None,
        }
    }
}

/// An unfinished node: a list, or a map with the name whose value comes next.
enum Open {
    List(Vec<Node>),
    Map(Vec<(String, Node)>, Option<String>),
}

/// Reads the only document of a text.
pub(super) fn read(bytes: &[u8]) -> Result<Node, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8; save it as UTF-8".to_owned())?;
    let mut open: Vec<Open> = Vec::new();
    let mut whole = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| format!("it is no YAML: {error}"))?;
        let at = |what: &str| format!("line {}: {what}", span.start.line());
        let done = match event {
            Event::Scalar(text, ..) => Node::Text(text.into_owned()),
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEEPEST => {
                return Err(at("it is nested deeper than an index is"));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(list)) => Node::List(list),
                Some(Open::Map(entries, _)) => Node::Map(entries),
                None => continue,
            },
            Event::Alias(_) => {
                return Err(at("a reference (`*name`) is not read; write out what it stands for"));
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => continue,
        };
        match open.last_mut() {
            Some(Open::List(list)) => list.push(done),
            Some(Open::Map(entries, name)) => match (name.take(), done) {
                (Some(name), value) => entries.push((name, value)),
                (None, Node::Text(text)) if entries.iter().any(|(known, _)| *known == text) => {
                    return Err(at("a name stands twice in one map"));
                }
                (None, Node::Text(text)) => *name = Some(text),
                (None, _) => return Err(at("a name is no text")),
            },
            None if whole.is_some() => return Err(at("it holds more than one document")),
            None => whole = Some(done),
        }
    }
    whole.ok_or_else(|| "it is empty".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lists_and_texts_are_read_however_they_are_written() {
        let node = read(b"# an index\na: [x, 'y: z']\nb:\n  - c: |\n      one\n      two\n").unwrap();
        assert_eq!(node.get("a").unwrap().list().unwrap()[1].text(), Some("y: z"));
        assert_eq!(node.get("b").unwrap().list().unwrap()[0].get("c").unwrap().text(), Some("one\ntwo\n"));
        assert_eq!(read(b"a:\n").unwrap().get("a").unwrap().list(), Some(&[][..]));
    }

    #[test]
    fn what_could_be_endless_or_mean_two_things_is_refused() {
        for (text, why) in [
            (&b"a: &x [1]\nb: *x\n"[..], "line 2: a reference"),
            (b"a: 1\na: 2\n", "stands twice"),
            (b"a: 1\n---\nb: 2\n", "more than one document"),
            (b"? [a]\n: b\n", "is no text"),
            (b"", "empty"),
            (b"a: [\n", "no YAML"),
            (b"\xff", "UTF-8"),
            (&[b'['; 20], "deeper"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(read(&b"[".repeat(1_000_000)).is_err(), "and fast");
    }
}

//! The accepted copies beside the store. Right after a change both hold the same lessons, and comparing their bytes takes
//! a fraction of the time that parsing them twice would take.

use lessons_home::files;
use lessons_home::home::Home;
use lessons_text::find::memchr_iter;

use super::Accepted;
use crate::decisions_file::DecisionsError;
use crate::graph::Graph;
use crate::load::{self, LoadError};

/// The indentation that the graph of `decisions.json` has more than that of `lessons.json`.
const INDENTATION: &[u8] = b"  ";

/// The accepted copies and the user's own store.
#[derive(Debug)]
pub struct CopiesWithStore {
    /// The accepted copies.
    pub accepted: Accepted,
    /// The lessons of the store; `None` where they are those of the copies to the byte and have no problem.
    pub store: Result<Option<Graph>, LoadError>,
}

impl CopiesWithStore {
    /// Reads both files of `home`. Only the copies have to be readable.
    pub fn read(home: &Home) -> Result<Self, DecisionsError> {
        let stored = files::read(&home.lessons(), load::MAX_BYTES);
        let bytes = stored.as_ref().ok().and_then(Option::as_deref);
        let (accepted, is_same) =
            Accepted::read_with(home, |graph| bytes.is_some_and(|bytes| is_copy(graph, bytes)))?;
        let store = if is_same && accepted.graph.problems().is_empty() {
            Ok(None)
        } else {
            stored.map_err(LoadError::from).and_then(|bytes| load::parsed(home, bytes.as_deref())).map(Some)
        };
        Ok(Self { accepted, store })
    }
}

/// Whether a graph within `decisions.json` is that of `store`, line by line.
fn is_copy(graph: &[u8], store: &[u8]) -> bool {
    let mut copied = lines(graph);
    let mut stored = lines(store.trim_ascii_end());
    copied.next() == stored.next() && copied.map(|line| line.strip_prefix(INDENTATION)).eq(stored.map(Some))
}

/// The lines of a text, without their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr_iter(b'\n', text).chain([text.len()]).map(move |end| {
        let line = text.get(start..end).unwrap_or_default();
        start = end + 1;
        line
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::scratch;
    use super::*;

    /// A home with accepted copies, and with `store` for its store.
    fn home(store: impl FnOnce(String) -> String) -> (tempfile::TempDir, Home) {
        let (dir, home) = scratch();
        std::fs::write(home.decisions(), crate::decisions::GOLDEN).unwrap();
        let graph = Accepted::read(&home).unwrap().graph;
        std::fs::write(home.lessons(), store(String::from_utf8(graph.to_bytes()).unwrap())).unwrap();
        (dir, home)
    }

    #[test]
    fn a_store_equal_to_the_copies_is_not_parsed_again() {
        let (_dir, home) = home(|same| same);
        let read = CopiesWithStore::read(&home).unwrap();
        assert!(read.accepted.graph.lessons().len() > 0 && matches!(read.store, Ok(None)));
    }

    #[test]
    fn a_store_that_differs_in_a_word_is_parsed() {
        let (_dir, home) = home(|store| store.replace("Never wipe", "Always wipe"));
        let store = CopiesWithStore::read(&home).unwrap().store.unwrap().unwrap();
        assert_eq!(store.lessons().next().unwrap().rule, "Always wipe the frob.");
    }

    #[test]
    fn problems_are_those_of_the_store() {
        let (_dir, home) = home(|store| store);
        let unknown_status = |text: String| text.replace("\"status\": \"active\"", "\"status\": \"unheard\"");
        for file in [home.decisions(), home.lessons()] {
            std::fs::write(&file, unknown_status(std::fs::read_to_string(&file).unwrap())).unwrap();
        }
        let store = CopiesWithStore::read(&home).unwrap().store.unwrap().unwrap();
        let problems: Vec<_> = store.problems().iter().map(ToString::to_string).collect();
        assert!(problems[0].contains("lessons.json"), "{problems:?}");
    }

    #[test]
    fn a_missing_store_is_an_empty_one_and_an_unreadable_one_an_error() {
        let (_dir, home) = home(|_| "{".to_owned());
        assert!(CopiesWithStore::read(&home).unwrap().store.is_err());
        std::fs::remove_file(home.lessons()).unwrap();
        let store = CopiesWithStore::read(&home).unwrap().store.unwrap().unwrap();
        assert_eq!(store.lessons().len(), 0);
    }

    #[test]
    fn only_the_same_lines_are_a_copy() {
        assert!(is_copy(b"{\n    \"a\": 1\n  }", b"{\n  \"a\": 1\n}\n"));
        for other in ["{\n  \"a\": 2\n}\n", "{\n  \"a\": 1\n", "{\n  \"a\": 1\n}\n}\n", "", "{"] {
            assert!(!is_copy(b"{\n    \"a\": 1\n  }", other.as_bytes()), "{other:?}");
        }
        assert!(!is_copy(b"{\n\"a\": 1\n}", b"{\n\"a\": 1\n}"));
    }
}

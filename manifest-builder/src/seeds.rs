//! The lessons that ship with the program, compiled into it.
//!
//! They are lessons graphs like any store, one file per area in `seeds/`. A build never writes them,
//! and a user switches them off one by one.

use lessons_lesson::Lesson;
use lessons_store::{Graph, Origin};

/// The files, with their names for messages.
const FILES: [(&str, &str); 13] = [
    ("seeds/ci.json", include_str!("../seeds/ci.json")),
    ("seeds/containers.json", include_str!("../seeds/containers.json")),
    ("seeds/files.json", include_str!("../seeds/files.json")),
    ("seeds/git.json", include_str!("../seeds/git.json")),
    ("seeds/github.json", include_str!("../seeds/github.json")),
    ("seeds/go.json", include_str!("../seeds/go.json")),
    ("seeds/javascript.json", include_str!("../seeds/javascript.json")),
    ("seeds/packages.json", include_str!("../seeds/packages.json")),
    ("seeds/python.json", include_str!("../seeds/python.json")),
    ("seeds/rust.json", include_str!("../seeds/rust.json")),
    ("seeds/shell.json", include_str!("../seeds/shell.json")),
    ("seeds/sql.json", include_str!("../seeds/sql.json")),
    ("seeds/tests.json", include_str!("../seeds/tests.json")),
];

/// All seeds, by area and id.
pub fn lessons() -> Vec<Lesson> {
    graphs().iter().flat_map(|graph| graph.lessons().cloned().collect::<Vec<_>>()).collect()
}

/// The stores of the seeds, one for each area. They have no problems, or a test fails.
pub fn graphs() -> Vec<Graph> {
    FILES.iter().filter_map(|(name, text)| Graph::parse(*name, text.as_bytes(), Origin::Own).ok()).collect()
}

//! The older layout of a lessons graph: an index in YAML and the file of a topic, with a zero byte between them.
//!
//! Holds: nothing panics; what is read is a graph that is written and read back to the same lessons; what is not
//! read is told.

#![no_main]

use std::collections::BTreeMap;

use lessons_store::graph::{Graph, Origin};
use lessons_store::interchange;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (index, topic) = input
        .iter()
        .position(|&byte| byte == 0)
        .map_or((input, &[][..]), |at| (&input[..at], &input[at + 1..]));
    let files = BTreeMap::from([("a.md".to_owned(), topic.to_vec())]);
    match interchange::read_older(index, &files, "2026-01-01T00:00:00Z") {
        Ok(graph) => {
            let bytes = graph.to_bytes();
            let back = Graph::parse("x", &bytes, Origin::Own).expect("what was written can be read");
            assert!(back.lessons().eq(graph.lessons()));
        }
        Err(faults) => assert!(!faults.0.is_empty()),
    }
});

//! `lessons.json`, ours and that of a project.
//!
//! Holds: nothing panics; what is read and written is read back to the same lessons, topics and
//! bytes; nothing is lost where the graph says that nothing would be; a lesson that is put in is
//! there afterwards.

#![no_main]

use lessons_store::graph::{Graph, Origin};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for origin in [Origin::Own, Origin::Project] {
        let Ok(graph) = Graph::parse("lessons.json", input, origin) else { continue };
        let bytes = graph.to_bytes();
        let mut back = Graph::parse("lessons.json", &bytes, origin).expect("what was written can be read");
        assert_eq!(back.to_bytes(), bytes, "the same content gives the same bytes");
        if !graph.is_lossy() {
            assert!(!back.is_lossy());
            assert!(graph.lessons().eq(back.lessons()));
            assert!(graph.topics().eq(back.topics()));
            assert!(graph.ids().eq(back.ids()));
        }
        let lessons: Vec<_> = back.lessons().cloned().collect();
        for lesson in lessons {
            if back.put(&lesson).is_ok() {
                assert_eq!(back.get(&lesson.id), Some(&lesson));
            }
        }
    }
});

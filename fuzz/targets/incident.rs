//! The response of a tool, and any bytes as an index of incidents, a sketch or a record.
//!
//! Holds: nothing panics; a response in which nothing is replaced is the same, byte for byte; what is suspicious lies in
//! the text, in whole characters; a text is like itself; what is read of some bytes is written as these bytes.

#![no_main]

use lessons_decide::inspection::{Owner, inspect};
use lessons_incident::index::IncidentIndex;
use lessons_incident::likeness::{ComparedText, Threshold};
use lessons_incident::response::Response;
use lessons_incident::sketch::Sketch;
use lessons_incident::withheld::Withheld;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (text, bytes) = input;
    let response = Response::of(text);
    assert_eq!(response.with(&[]), text);
    for suspicion in inspect(&IncidentIndex::default(), response.text(), Owner::Foreign) {
        for range in suspicion.sentences {
            assert!(response.text().get(range).is_some());
        }
    }

    let sketch = Sketch::of(text);
    if !sketch.words.is_empty() && sketch.words.len() < 400 {
        let likeness = ComparedText::new(text).likeness(&sketch, Threshold::default());
        assert!(likeness.is_some_and(|likeness| likeness.similarity > 0.99), "{text:?}");
    }

    if let Some(index) = IncidentIndex::read(bytes) {
        assert_eq!(index.to_bytes(), bytes);
    }
    if let Some(sketch) = Sketch::from_bytes(bytes) {
        assert_eq!(sketch.to_bytes(), bytes);
    }
    if let Some(record) = Withheld::read(bytes) {
        assert!(record.to_bytes().is_some());
    }
});

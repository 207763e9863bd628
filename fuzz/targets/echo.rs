//! Whether a lesson was only repeated: the text of one, and a session in pieces.
//!
//! Holds: nothing panics; what was heard does not depend on the pieces in which it came; a lesson
//! whose texts were all heard before is an echo, if it has a word at all.

#![no_main]

use arbitrary::Arbitrary;
use lessons_scanner::echo::{Question, ShingleMatches, ShingleSet};
use lessons_scanner::tag::Tag;
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    mistake: &'a str,
    fix: &'a str,
    why: Option<&'a str>,
    pieces: Vec<&'a [u8]>,
}

fuzz_target!(|input: Input<'_>| {
    let mut tag = Tag::default();
    tag.finding.mistake = input.mistake.to_owned();
    tag.finding.fix = input.fix.to_owned();
    tag.finding.why = input.why.map(str::to_owned);
    let question = Question::of_lesson(&tag);
    let mut set = ShingleSet::default();
    set.add(&question);

    let mut in_pieces = ShingleMatches::new(&set);
    for piece in &input.pieces {
        in_pieces.scan_piece(0, piece);
    }
    in_pieces.end_line();
    let mut at_once = ShingleMatches::new(&set);
    at_once.scan_piece(0, &input.pieces.concat());
    at_once.end_line();
    assert_eq!(
        question.is_echo(|row| in_pieces.contains(row)),
        question.is_echo(|row| at_once.contains(row)),
        "pieces must not matter"
    );

    let mut repeated = ShingleMatches::new(&set);
    let texts = [Some(input.mistake), Some(input.fix), input.why];
    for (line, text) in (0..).zip(texts.into_iter().flatten()) {
        // As it stands in a transcript: inside a JSON string.
        let escaped = serde_json::to_string(text).expect("text is JSON");
        repeated.scan_piece(line, escaped.as_bytes());
    }
    repeated.end_line();
    if question.is_echo(|_| true) {
        assert!(question.is_echo(|row| repeated.contains(row)), "{tag:?} was heard word for word");
    }
});

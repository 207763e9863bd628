//! A payload that comes in pieces of any size.
//!
//! Holds: nothing panics; the pieces give what the whole gives; without contents everything
//! else in a whole one is the same.

#![no_main]

use arbitrary::Arbitrary;
use lessons_lesson::payload::{Contents, Payload, PayloadEnd, PayloadReader};
use libfuzzer_sys::fuzz_target;

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    sizes: [u8; 4],
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let whole = read(Contents::Keep, [input.bytes].into_iter());
    assert_eq!(read(Contents::Keep, pieces(&input)), whole, "pieces give what the whole gives");

    let (mut payload, end) = whole;
    // A mistake inside a content breaks the payload only for one who reads it.
    if end == PayloadEnd::Whole {
        payload.call.contents.clear();
        assert_eq!(read(Contents::Skip, pieces(&input)), (payload, end), "only contents are skipped");
    }
});

fn read<'a>(contents: Contents, pieces: impl Iterator<Item = &'a [u8]>) -> (Payload, PayloadEnd) {
    let mut reader = PayloadReader::new(contents);
    pieces.for_each(|piece| reader.feed(piece));
    reader.finish()
}

/// The bytes in pieces of the sizes, again and again.
fn pieces<'a>(input: &Input<'a>) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = input.bytes;
    let mut sizes = input.sizes.into_iter().cycle();
    std::iter::from_fn(move || {
        let size = usize::from(sizes.next()?).clamp(1, rest.len().max(1));
        let (piece, after) = rest.split_at_checked(size)?;
        rest = after;
        Some(piece)
    })
}

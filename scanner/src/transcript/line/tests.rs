use proptest::prelude::*;

use super::*;

/// A source that gives as much as it likes at a time.
struct Drip<'b> {
    bytes: &'b [u8],
    sizes: Vec<usize>,
    turn: usize,
}

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let wanted = self.sizes.get(self.turn % self.sizes.len().max(1)).copied().unwrap_or(usize::MAX);
        self.turn += 1;
        let size = wanted.max(1).min(into.len()).min(self.bytes.len());
        into[..size].copy_from_slice(&self.bytes[..size]);
        self.bytes = &self.bytes[size..];
        Ok(size)
    }
}

/// What a search gives: lines, pieces of long lines put together, and the search at its end.
fn found(
    bytes: &[u8],
    needle: &str,
    limits: Limits,
    sizes: &[usize],
) -> (Vec<(u64, Vec<u8>)>, LineSearch<impl Read>) {
    let source = Drip { bytes, sizes: sizes.to_vec(), turn: 0 };
    let mut search = LineSearch::with_limits(source, 0, limits);
    let finder = Finder::new(needle);
    let mut lines: Vec<(u64, Vec<u8>)> = Vec::new();
    let check = |line: &Line<'_>| {
        let offset = usize::try_from(line.offset).unwrap();
        let before = memchr_iter(b'\n', &bytes[..offset]).count();
        assert_eq!(line.number, before as u64 + 1);
    };
    while let Some(region) = search.next_region().unwrap() {
        match region {
            LineRegion::Lines(of_region) => {
                let with = of_region.with(&finder).inspect(check);
                lines.extend(with.map(|line| (line.offset, line.bytes.to_vec())));
            }
            LineRegion::LongPiece(piece) => {
                check(&piece);
                match lines.last_mut() {
                    Some((offset, bytes)) if *offset == piece.offset => bytes.extend(piece.bytes),
                    _ => lines.push((piece.offset, piece.bytes.to_vec())),
                }
            }
        }
    }
    (lines, search)
}

fn all(bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    found(bytes, "", Limits::default(), &[]).0
}

#[test]
fn a_line_ends_at_a_line_feed_and_nowhere_else() {
    let text = "a\u{2028}b\r\nc\rd\n\n".as_bytes();
    let expected = [(0, "a\u{2028}b".into()), (7, b"c\rd".to_vec()), (11, Vec::new())];
    assert_eq!(all(text), expected);
}

#[test]
fn a_byte_order_mark_counts_only_at_the_start_of_the_file() {
    let lines = all(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n");
    assert_eq!(lines, [(0, b"a".to_vec()), (5, b"\xef\xbb\xbfb".to_vec())]);
}

#[test]
fn half_a_last_line_is_left_for_another_time() {
    // ADV-039.
    let (lines, search) = found(b"one\ntwo", "", Limits::default(), &[]);
    assert_eq!(lines, [(0, b"one".to_vec())]);
    assert_eq!(search.offset(), 4);
    assert_eq!(search.tail(), Some(Line { offset: 4, number: 2, bytes: b"two" }));
    assert_eq!(found(b"one\n", "", Limits::default(), &[]).1.tail(), None);
}

#[test]
fn a_gigantic_line_is_skipped_in_bounded_memory_and_the_next_is_found() {
    // ADV-061, with a smaller line.
    let limits = Limits { chunk: 1000, line: 8000 };
    let mut text = vec![b'x'; 1_000_000];
    text.extend(b"\nhere it is\n");
    let source = Drip { bytes: &text, sizes: Vec::new(), turn: 0 };
    let mut search = LineSearch::with_limits(source, 0, limits);
    let finder = Finder::new("it");
    let mut last = None;
    while let Some(region) = search.next_region().unwrap() {
        if let LineRegion::Lines(lines) = region {
            last = lines.with(&finder).last().map(|line| (line.offset, line.bytes.to_vec())).or(last);
        }
        assert!(search.buffer.len() <= limits.line + 2 * limits.chunk);
    }
    assert_eq!(last, Some((1_000_001, b"here it is".to_vec())));
    assert_eq!((search.long_lines, search.lines), (1, 2));
    assert_eq!(search.offset(), text.len() as u64);
}

#[test]
fn half_a_gigantic_line_is_left_for_another_time() {
    let limits = Limits { chunk: 10, line: 50 };
    let text = [b"ab\n".as_slice(), &[b'x'; 500]].concat();
    let (_, search) = found(&text, "q", limits, &[]);
    assert_eq!((search.offset(), search.tail(), search.long_lines), (3, None, 0));
}

#[test]
fn a_line_may_be_as_long_as_the_limit_and_not_longer() {
    let limits = Limits { chunk: 7, line: 50 };
    for length in [49, 50, 51] {
        let text = [vec![b'x'; length], b"\ny\n".to_vec()].concat();
        let (_, search) = found(&text, "y", limits, &[]);
        assert_eq!(search.long_lines, u64::from(length > 50), "{length}");
    }
}

proptest! {
    #[test]
    fn lines_are_those_of_a_split(
        text in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'#'), Just(b'a'), any::<u8>()], 0..400),
        needle in prop_oneof![Just(""), Just("#"), Just("#a")],
        chunk in 1_usize..40,
        more in 0_usize..30,
        sizes in prop::collection::vec(1_usize..20, 0..5),
    ) {
        let line = chunk + more;
        let mut pieces: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
        let tail = pieces.pop().unwrap_or_default();
        let mut offset = 0;
        let mut expected = Vec::new();
        let mut long_lines = 0;
        for piece in &pieces {
            // Long lines come whole, as pieces: neither the text nor the line end matters.
            if piece.len() > line {
                long_lines += 1;
                expected.push((offset, piece.to_vec()));
            } else if memchr::memmem::find(piece, needle.as_bytes()).is_some() {
                expected.push((offset, trimmed(piece, offset).to_vec()));
            }
            offset += piece.len() as u64 + 1;
        }
        let (mut lines, search) = found(&text, needle, Limits { chunk, line }, &sizes);
        if tail.len() > line {
            // The pieces of a long line that has not ended come too.
            let last = lines.pop();
            prop_assert_eq!(last, Some((offset, tail.to_vec())));
        }
        prop_assert_eq!(lines, expected);
        prop_assert_eq!(search.offset(), offset);
        prop_assert_eq!(search.lines, pieces.len() as u64);
        prop_assert_eq!(search.long_lines, long_lines);
    }

    #[test]
    fn regions_give_every_line(
        text in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'#'), any::<u8>()], 0..400),
        chunk in 1_usize..40,
        more in 0_usize..30,
        sizes in prop::collection::vec(1_usize..20, 0..5),
        skip in any::<prop::sample::Index>(),
    ) {
        let limits = Limits { chunk, line: chunk + more };
        let drip = || Drip { bytes: &text, sizes: sizes.clone(), turn: 0 };
        let (mut one, mut other) =
            (LineSearch::with_limits(drip(), 0, limits), LineSearch::with_limits(drip(), 0, limits));
        let mut all = Vec::new();
        while let Some(region) = one.next_region().unwrap() {
            let LineRegion::Lines(mut lines) = region else { continue };
            let mut skipped = lines.clone();
            skipped.skip_to(skip.index(lines.bytes.len()));
            let kept = |line: Line<'_>| (line.offset, line.number, line.bytes.to_vec());
            while lines.offset < skipped.offset {
                all.extend(lines.next().map(kept));
            }
            prop_assert_eq!(&lines, &skipped);
            all.extend(lines.map(kept));
        }
        let mut next = all.into_iter();
        let differs = other.find_map(&Finder::new(""), |line| {
            let found = (line.offset, line.number, line.bytes.to_vec());
            (next.next().as_ref() != Some(&found)).then_some(found)
        });
        prop_assert_eq!((differs.unwrap(), next.next()), (None, None));
        prop_assert_eq!((one.offset(), one.lines), (other.offset(), other.lines));
        prop_assert_eq!((one.tail(), one.end()), (other.tail(), other.end()));
    }
}

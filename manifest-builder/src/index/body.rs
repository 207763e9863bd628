//! The body of an index: everything behind the header, written piece by piece.

use std::io::{self, Write};

use lessons_index::header::{BYTES as HEADER_BYTES, Span, VERSION};
use lessons_index::{Part, storage};

use crate::summed::Summing;

/// A body, of which so much has been written.
#[derive(Debug)]
pub(super) struct Body<W> {
    to: Summing<W>,
    length: usize,
    parts: [Span; Part::COUNT],
}

impl<W: Write> Body<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to: Summing::new(u64::from(VERSION), HEADER_BYTES, to), length: 0, parts: Default::default() }
    }

    /// Writes a part.
    pub(super) fn part(
        &mut self,
        part: Part,
        write: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let start = self.length;
        write(self)?;
        self.parts[part as usize] =
            Span { at: (HEADER_BYTES + start) as u64, length: (self.length - start) as u64 };
        Ok(())
    }

    /// A part with a record for each item.
    pub(super) fn records<T>(
        &mut self,
        part: Part,
        items: &[T],
        write: impl Fn(&mut Vec<u8>, &T),
    ) -> io::Result<()> {
        let (start, mut content) = (self.length, Vec::new());
        self.part(part, |body| {
            items.iter().try_for_each(|item| {
                content.clear();
                write(&mut content, item);
                let (head, rest) = storage::frame(part, storage::place(body.length - start), &content);
                [&head, &*content, rest].into_iter().try_for_each(|bytes| body.write_all(bytes))
            })
        })
    }

    /// Writes the rest, and returns the writer, the checksum of the body, and where the parts are.
    pub(super) fn finish(self) -> io::Result<(W, u64, [Span; Part::COUNT])> {
        let (to, sum) = self.to.finish()?;
        Ok((to, sum, self.parts))
    }
}

impl<W: Write> Write for Body<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.length += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lessons_index::Value;

    use crate::summed::{PIECE_BYTES, sum};

    #[test]
    fn parts_stand_one_behind_the_other() {
        let mut written = Vec::new();
        let mut body = Body::new(&mut written);
        let large = vec![7; 3 * PIECE_BYTES - 5];
        let contents = [(Part::Always, &b"ab"[..]), (Part::Filter, &large), (Part::Directory, b"")];
        for (part, bytes) in contents {
            body.part(part, |body| body.write_all(bytes)).unwrap();
        }
        let text = |to: &mut Vec<u8>, item: &usize| "x".repeat(*item).write(to);
        body.records(Part::Buckets, &[1, 200], text).unwrap();
        let (_, found, [spans @ .., _, _, _, _, _, _, _, _, _, _]) = body.finish().unwrap();
        let records = spans[3];
        assert_eq!(found, sum(u64::from(VERSION), HEADER_BYTES, &written));
        assert_eq!(written[..3], *b"ab\x07");
        let end = |span: Span| span.at + span.length;
        assert_eq!(spans[0], Span { at: HEADER_BYTES as u64, length: 2 });
        assert_eq!((spans[1].at, spans[1].length), (end(spans[0]), large.len() as u64));
        assert_eq!((spans[2].at, spans[2].length, records.at), (end(spans[1]), 0, end(spans[1])));
        assert_eq!(end(records), (HEADER_BYTES + written.len()) as u64);
    }

    #[test]
    fn records_are_where_their_places_say() {
        let lengths = [0, 1, 70_000, 9];
        let text = |length: &usize| "x".repeat(*length);
        let mut written = Vec::new();
        let mut body = Body::new(&mut written);
        body.write_all(b"abc").unwrap();
        body.records(Part::Lessons, &lengths, |to, length| text(length).write(to)).unwrap();
        let (_, _, parts) = body.finish().unwrap();
        let span = parts[Part::Lessons as usize];
        let file = [vec![0; HEADER_BYTES], written].concat();
        let encoded = lengths.map(|length| {
            let mut record = Vec::new();
            text(&length).write(&mut record);
            record
        });
        let places = storage::places(encoded.iter().map(Vec::len));
        let mut record = storage::Record::default();
        for (place, expected) in places.zip(&encoded) {
            record.read(&file.as_slice(), span, Part::Lessons, place).unwrap();
            assert_eq!(record.content(), expected);
        }
    }
}

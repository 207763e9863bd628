//! Standard input, read to its end.

use std::io::Read;

use lessons_core::payload;

/// What the client wrote.
pub(crate) struct Input {
    /// At most [`payload::LIMIT`] bytes of it.
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more.
    pub(crate) cut: bool,
}

/// Reads everything. What is beyond the limit is drained all the same, or the client gets `EPIPE`.
pub(crate) fn read(mut from: impl Read) -> Input {
    let mut bytes = Vec::new();
    let limit = u64::try_from(payload::LIMIT).unwrap_or(u64::MAX);
    let whole = from.by_ref().take(limit).read_to_end(&mut bytes);
    let beyond = whole.and_then(|_| std::io::copy(&mut from, &mut std::io::sink()));
    Input { bytes, cut: beyond.is_ok_and(|drained| drained > 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_beyond_the_limit_is_cut_and_drained() {
        let mut source = std::io::repeat(b'x').take(u64::try_from(payload::LIMIT).unwrap() + 10);
        let input = read(&mut source);
        assert!(input.cut && input.bytes.len() == payload::LIMIT);
        assert_eq!(source.limit(), 0);
        assert!(!read(&b"{}"[..]).cut);
    }
}

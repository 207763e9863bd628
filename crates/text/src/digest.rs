//! SHA-256 digests as lower-case hexadecimal digits.

use sha2::{Digest, Sha256};

/// The first `digits` hexadecimal digits (at most 64) of the SHA-256 of `bytes`.
pub fn hex(bytes: &[u8], digits: usize) -> String {
    hex_of(&Sha256::digest(bytes), digits)
}

/// The first `digits` hexadecimal digits of the SHA-256 of several parts. The length of each part goes into the
/// hash, so that `["ab", "c"]` and `["a", "bc"]` differ.
pub fn hex_of_parts(parts: &[&[u8]], digits: usize) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex_of(&hash.finalize(), digits)
}

/// The SHA-256 of parts that are joined without their lengths: only where all but the last have a fixed one.
pub fn of_parts_joined(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// The first `digits` hexadecimal digits of some bytes.
pub fn hex_of(bytes: &[u8], digits: usize) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|b| [HEX[usize::from(b >> 4)], HEX[usize::from(b & 15)]])
        .map(char::from)
        .take(digits)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_sha256() {
        assert_eq!(hex(b"abc", 16), "ba7816bf8f01cfea");
        assert_eq!(hex(b"", 64).len(), 64);
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(hex_of_parts(&[b"ab", b"c"], 32), hex_of_parts(&[b"a", b"bc"], 32));
    }
}

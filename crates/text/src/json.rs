//! JSON strings: writing them, since hooks write little JSON, and the escapes that they have.

mod shallow;
pub mod unescape;

use std::fmt::Write;

pub use shallow::shallow;

/// Writes `text` as a JSON string, quotes included.
pub fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        match from.bytes().next().map(|byte| (byte, letter_for(byte))) {
            Some((_, Some(letter))) => out.extend(['\\', char::from(letter)]),
            // Writing to a string cannot fail.
            Some((control, None)) => drop(write!(out, "\\u{control:04x}")),
            None => {}
        }
        rest = from.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out.push('"');
}

/// An object with one field, a text.
pub fn object(key: &str, text: &str) -> String {
    let mut out = format!("{{\"{key}\":");
    string(text, &mut out);
    out + "}"
}

/// The letter of the short escape of a byte, where JSON has one: `n` for a line feed.
pub fn letter_for(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        8 => b'b',
        12 => b'f',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_string_is_written_as_serde_json_writes_it(text in "(.|[\u{0}-\u{40}\\\\\"])*") {
            let mut out = String::new();
            super::string(&text, &mut out);
            prop_assert_eq!(out, serde_json::to_string(&text).unwrap());
        }
    }
}

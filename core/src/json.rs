//! Writing JSON, for the little that hooks write.

use alloc::string::String;
use core::fmt::Write;

/// Writes `text` as a JSON string, quotes included.
pub fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        match from.as_bytes().first() {
            Some(b'"') => out.push_str("\\\""),
            Some(b'\\') => out.push_str("\\\\"),
            Some(b'\n') => out.push_str("\\n"),
            Some(b'\r') => out.push_str("\\r"),
            Some(b'\t') => out.push_str("\\t"),
            Some(8) => out.push_str("\\b"),
            Some(12) => out.push_str("\\f"),
            // Writing to a string cannot fail.
            Some(control) => drop(write!(out, "\\u{control:04x}")),
            None => {}
        }
        rest = from.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out.push('"');
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

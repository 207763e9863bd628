//! JSON without depth, for readers that stop at a limit: what lies deep becomes the list of its texts.

use std::cmp::Ordering;

/// The number of levels that stay as they are. Readers take at least twice as many.
const LEVELS: usize = 60;

/// A JSON value in which each value below the first [`LEVELS`] levels is the list of its texts, names of fields too. Takes
/// linear time, whatever the bytes are; of what is no JSON it makes none.
pub fn shallow(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let (mut depth, mut rest) = (0_usize, json);
    while let Some(&byte) = rest.first() {
        let (piece, after) = rest.split_at(if byte == b'"' { string_end(rest) } else { 1 });
        rest = after;
        depth += usize::from(matches!(byte, b'{' | b'['));
        match (depth.cmp(&(LEVELS + 1)), byte) {
            (Ordering::Less, _) => out.extend_from_slice(piece),
            (_, b'"') => {
                let is_first = out.last() == Some(&b'[');
                out.extend_from_slice(if is_first { b"" } else { b"," });
                out.extend_from_slice(piece);
            }
            (Ordering::Equal, b'{' | b'[') => out.push(b'['),
            (Ordering::Equal, b'}' | b']') => out.push(b']'),
            _ => {}
        }
        depth = depth.saturating_sub(usize::from(matches!(byte, b'}' | b']')));
    }
    out
}

/// The length of the string at the start of some JSON, quotes included.
fn string_end(json: &[u8]) -> usize {
    let mut is_escaped = false;
    let is_end = |byte: &u8| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    };
    json.iter().skip(1).position(is_end).map_or(json.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_slice(&shallow(text.as_bytes())).unwrap()
    }

    #[test]
    fn what_is_not_deep_stays_and_what_is_becomes_its_texts() {
        let flat = r#"{"a": [1, {"b": "}]\"\\"}], "c": null}"#;
        assert_eq!(read(flat), serde_json::from_str::<Value>(flat).unwrap());
        let deep = "[".repeat(5000) + r#"{"x": 1, "y": ["z", {}, "\"]"]}, [], "w""# + &"]".repeat(5000);
        let mut value = &read(&format!(r#"{{"first": "1", "deep": {deep}, "last": "2"}}"#));
        assert_eq!((&value["first"], &value["last"]), (&json!("1"), &json!("2")));
        value = &value["deep"];
        while value[0].is_array() {
            value = &value[0];
        }
        assert_eq!(*value, json!(["x", "y", "z", "\"]", "w"]));
    }

    #[test]
    fn of_what_is_cut_nothing_is_made_up() {
        for cut in ["", "\"", "\"\\", "[[", "}}}", "]"] {
            assert!(serde_json::from_slice::<Value>(&shallow(cut.as_bytes())).is_err(), "{cut}");
        }
    }
}

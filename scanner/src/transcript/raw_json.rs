//! A reader of single values in raw JSON, without parsing the line.
//!
//! A key cannot stand unescaped inside a string of JSON. So a quoted key in the bytes is a key, or a string that
//! consists of nothing else.

use memchr::{memchr, memchr2};

use super::needle::Needle;

/// The key of a message.
static MESSAGE: Needle = Needle::new("\"message\"");
/// The key of the copy of a result that the client keeps for itself.
static COPY: Needle = Needle::new("\"toolUseResult\"");

/// The line up to the copy of a result, which the client writes behind the message. `None` where a message may follow.
pub(crate) fn before_copy(line: &[u8]) -> Option<&[u8]> {
    let (before, copy) = line.split_at(COPY.find(line).unwrap_or(line.len()));
    (!MESSAGE.is_in(copy)).then_some(before)
}

/// Whether the bytes end with this key, so that its value follows.
pub(crate) fn ends_with_key(before: &[u8], key: &[u8]) -> bool {
    before.trim_ascii_end().strip_suffix(b":").is_some_and(|before| before.trim_ascii_end().ends_with(key))
}

/// The bytes after the key at the start: its value, and all that follows. Empty where the start is no key.
pub(crate) fn value_of(key: &[u8]) -> &[u8] {
    let inside = key.get(1..).unwrap_or_default();
    let after = memchr(b'"', inside).and_then(|end| inside.get(end + 1..)).unwrap_or_default();
    after.trim_ascii_start().strip_prefix(b":").unwrap_or_default().trim_ascii_start()
}

/// The string at the start of a value, still escaped. `None` where the value is something else.
pub(crate) fn written_text(value: &[u8]) -> Option<&[u8]> {
    let text = value.strip_prefix(b"\"")?;
    let mut end = 0;
    loop {
        end += memchr2(b'"', b'\\', text.get(end..)?)?;
        if text.get(end) == Some(&b'"') {
            return text.get(..end);
        }
        end += 2;
    }
}

/// The string at the start of a value, its escapes read.
pub(crate) fn decoded_text(value: &[u8]) -> Option<String> {
    serde_json::from_slice(value.get(..written_text(value)?.len() + 2)?).ok()
}

/// The string at the start of a value, if nothing in it is escaped.
pub(crate) fn plain_text(value: &[u8]) -> Option<&str> {
    let text = written_text(value).filter(|text| memchr(b'\\', text).is_none())?;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_follows_its_key() {
        assert!(ends_with_key(br#"{"a" : "#, br#""a""#) && !ends_with_key(br#"{"a","#, br#""a""#));
        assert_eq!(value_of(br#""a" : 1}"#), b"1}");
        assert_eq!(value_of(br#""a", "b": 1}"#), b"");
    }

    #[test]
    fn a_text_ends_at_its_quote() {
        assert_eq!(written_text(br#""a\"b\\", "c"}"#).unwrap(), br#"a\"b\\"#);
        assert_eq!(plain_text(br#""a", "b"}"#), Some("a"));
        assert_eq!(decoded_text(br#""a\"\n\u00e9\/", "b"}"#).as_deref(), Some("a\"\né/"));
        for other in ["", "7", "\"", "\"a", r#""\""#, r#""a\"b"#] {
            assert_eq!(plain_text(other.as_bytes()), None, "{other}");
            assert!(decoded_text(other.as_bytes()).is_none_or(|text| text == "\""), "{other}");
        }
    }
}

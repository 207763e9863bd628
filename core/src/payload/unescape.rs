//! From what stands between the quotes of a JSON string to text.

use alloc::string::String;
use alloc::vec::Vec;

use memchr::memchr;

/// The text of a string, in the memory of the string. `None` where an escape is none of JSON's.
pub(super) fn text(mut raw: Vec<u8>) -> Option<String> {
    if let Some(backslash) = memchr(b'\\', &raw) {
        unescape(&mut raw, backslash)?;
    }
    Some(
        String::from_utf8(raw).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

/// Writes what the escapes mean over them, from the first one at `backslash` on. No escape is shorter than
/// what it means.
fn unescape(raw: &mut Vec<u8>, backslash: usize) -> Option<()> {
    let (mut from, mut to) = (backslash, backslash);
    while from < raw.len() {
        let (meant, length) = escape(&raw[from..])?;
        from += length;
        to += meant.encode_utf8(&mut raw[to..]).len();
        let next = memchr(b'\\', &raw[from..]).map_or(raw.len(), |plain| from + plain);
        raw.copy_within(from..next, to);
        to += next - from;
        from = next;
    }
    raw.truncate(to);
    Some(())
}

/// What the escape at the start means, and its length.
fn escape(at: &[u8]) -> Option<(char, usize)> {
    let meant = match at.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unicode(at),
        same @ (b'"' | b'\\' | b'/') => char::from(*same),
        _ => return None,
    };
    Some((meant, 2))
}

/// What one or two escapes of UTF-16 mean: U+FFFD for half a pair.
fn unicode(at: &[u8]) -> Option<(char, usize)> {
    let first = unit(at)?;
    let second = at.get(6..).and_then(unit);
    Some(match (first, second) {
        (0xd800..=0xdbff, Some(second @ 0xdc00..=0xdfff)) => {
            let pair = 0x1_0000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
            (char::from_u32(pair)?, 12)
        }
        _ => (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
    })
}

/// The four digits of `\u`.
fn unit(at: &[u8]) -> Option<u32> {
    let digits = at.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> Option<String> {
        text(raw.as_bytes().to_vec())
    }

    #[test]
    fn every_escape_of_json_is_read() {
        assert_eq!(
            read(r#"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00."#).unwrap(),
            "\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{20ac}\u{1f600}."
        );
        assert_eq!(read(r"\\n \\ud800").unwrap(), r"\n \ud800");
    }

    #[test]
    fn half_a_pair_becomes_the_replacement_character() {
        assert_eq!(read(r"a\ud83d b").unwrap(), "a\u{fffd} b");
        assert_eq!(read(r"\ude00\ud83d\ud83d\ude00\ud83d\n").unwrap(), "\u{fffd}\u{fffd}\u{1f600}\u{fffd}\n");
        assert_eq!(read(r"\ud83d\u0041").unwrap(), "\u{fffd}A");
    }

    #[test]
    fn what_is_no_escape_is_refused() {
        for bad in [r"\", r"\q", r"\u", r"\u12", r"\u12g4", r"\u+123", r"\ud83d\u12"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn invalid_utf_8_becomes_the_replacement_character_beside_escapes_too() {
        assert_eq!(text(b"a\xe2\\u00e9\xff\\n".to_vec()).unwrap(), "a\u{fffd}\u{e9}\u{fffd}\n");
    }

    #[test]
    fn text_without_escapes_keeps_its_memory() {
        let raw = "git stash".as_bytes().to_vec();
        let place = raw.as_ptr();
        let text = text(raw).unwrap();
        assert_eq!(text.as_ptr(), place);
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(written in ".*") {
            let json = serde_json::to_string(&written).unwrap();
            proptest::prop_assert_eq!(read(&json[1..json.len() - 1]), Some(written));
        }

        #[test]
        fn escapes_mean_what_a_strict_parser_takes_them_for(raw in "([a-z ]|\\\\[\"\\\\/bfnrtu]|[0-9a-fdD]{4}){0,12}") {
            let strict: Result<String, _> = serde_json::from_str(&alloc::format!("\"{raw}\""));
            if let Ok(strict) = strict {
                proptest::prop_assert_eq!(read(&raw), Some(strict));
            }
        }
    }
}

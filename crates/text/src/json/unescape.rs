//! The reading of JSON strings: from the bytes between the quotes to text.

use crate::find::memchr;

/// The text of a string, in the memory of the string. An escape that JSON does not have stays as it is, and each
/// invalid sequence of UTF-8 becomes U+FFFD.
pub fn text(mut raw: Vec<u8>) -> String {
    if let Some(backslash) = memchr(b'\\', &raw) {
        unescape(&mut raw, backslash);
    }
    String::from_utf8(raw).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Whether a string is simple: it is UTF-8, and each of its escapes has one letter and is not `\/`, which writers
/// seldom use. A text without backslash, if the string means it, then stands in the string unchanged.
pub(crate) fn is_simple(raw: &[u8]) -> bool {
    // Of all second bytes only those of `\/` and `\u` are odd.
    let is_odd = |(first, second): (&u8, &u8)| u8::from(*first == b'\\') & second;
    let seconds = raw.get(1..).unwrap_or_default();
    // A loop without an early end is compiled to vector instructions.
    let may_be_odd = raw.iter().zip(seconds).fold(0, |any, pair| any | is_odd(pair)) != 0;
    let is_text = raw.is_ascii() || std::str::from_utf8(raw).is_ok();
    is_text && !(may_be_odd && escapes(raw).any(|second| second & 1 == 1))
}

/// The second byte of each escape.
fn escapes(raw: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let at = memchr(b'\\', rest)?;
        let second = *rest.get(at + 1)?;
        rest = rest.get(at + 2..)?;
        Some(second)
    })
}

/// The first `N` bytes of the text of a [simple](is_simple) string, and how many of them there are.
pub fn beginning<const N: usize>(raw: &[u8]) -> ([u8; N], usize) {
    let (mut beginning, mut length, mut rest) = ([0; N], 0, raw);
    for to in &mut beginning {
        let meant = match rest {
            [b'\\', second, ..] => letter(*second).map(|meant| (meant, 2)),
            _ => None,
        };
        let Some((byte, taken)) = meant.or_else(|| Some((*rest.first()?, 1))) else { break };
        *to = byte;
        length += 1;
        rest = rest.get(taken..).unwrap_or_default();
    }
    (beginning, length)
}

/// The byte that a backslash and `second` mean, if it is one byte.
fn letter(second: u8) -> Option<u8> {
    Some(match second {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'"' | b'\\' | b'/' => second,
        _ => return None,
    })
}

/// The number of bytes that are moved at a time while no escape is among them.
const STEP: usize = 16;

/// Replaces each escape by its text, in place, from the first one at the offset `backslash` on. No escape is shorter
/// than its text.
fn unescape(raw: &mut Vec<u8>, backslash: usize) {
    let (mut from, mut to) = (backslash, backslash);
    while from < raw.len() {
        let (meant, length) = escape(&raw[from..]).unwrap_or(('\\', 1));
        from += length;
        to += meant.encode_utf8(&mut raw[to..]).len();
        // In source text the next escape is near, and a general search or copy takes longer to begin than these steps take.
        while let Some(step) = raw.get(from..).and_then(|rest| rest.first_chunk::<STEP>()).copied()
            && step.iter().fold(0, |any, byte| any | u8::from(*byte == b'\\')) == 0
        {
            raw[to..][..STEP].copy_from_slice(&step);
            from += STEP;
            to += STEP;
        }
        while let Some(&byte) = raw.get(from).filter(|byte| **byte != b'\\') {
            raw[to] = byte;
            from += 1;
            to += 1;
        }
    }
    raw.truncate(to);
}

/// The character of the escape at the start, and the length of the escape in bytes. `None` if JSON has no such escape.
fn escape(at: &[u8]) -> Option<(char, usize)> {
    match *at.get(1)? {
        b'u' => unicode(at),
        second => Some((char::from(letter(second)?), 2)),
    }
}

/// The character of one or two UTF-16 escapes: U+FFFD for half a surrogate pair.
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

/// The value of the four hexadecimal digits after `\u`.
fn unit(at: &[u8]) -> Option<u32> {
    let digits = at.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> String {
        text(raw.as_bytes().to_vec())
    }

    #[test]
    fn every_escape_of_json_is_read() {
        assert_eq!(
            read(r#"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00."#),
            "\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{20ac}\u{1f600}."
        );
        assert_eq!(read(r"\\n \\ud800"), r"\n \ud800");
    }

    #[test]
    fn half_a_pair_becomes_the_replacement_character() {
        assert_eq!(read(r"a\ud83d b"), "a\u{fffd} b");
        assert_eq!(read(r"\ude00\ud83d\ud83d\ude00\ud83d\n"), "\u{fffd}\u{fffd}\u{1f600}\u{fffd}\n");
        assert_eq!(read(r"\ud83d\u0041"), "\u{fffd}A");
        assert_eq!(read(r"\ud83d\u12"), "\u{fffd}\\u12");
    }

    #[test]
    fn what_is_no_escape_stands_for_itself() {
        for same in [r"\", r"\q", r"\u", r"\u12", r"\u12g4", r"\u+123", r"é\é"] {
            assert_eq!(read(same), same);
        }
    }

    #[test]
    fn invalid_utf_8_becomes_the_replacement_character_beside_escapes_too() {
        assert_eq!(text(b"a\xe2\\u00e9\xff\\n".to_vec()), "a\u{fffd}\u{e9}\u{fffd}\n");
    }

    #[test]
    fn text_without_escapes_keeps_its_memory() {
        let raw = "git stash".as_bytes().to_vec();
        let place = raw.as_ptr();
        let text = text(raw);
        assert_eq!(text.as_ptr(), place);
    }

    #[test]
    fn a_simple_string_has_neither_four_digits_nor_an_escaped_slash() {
        for simple in ["", "a/b", r#"\n\t\r\b\f\"\\"#, r"\\u \\d \\/", "é"] {
            assert!(is_simple(simple.as_bytes()), "{simple}");
        }
        for other in [r"\u0041", r"\\\u0041", r"\/", r"\\\/"] {
            assert!(!is_simple(other.as_bytes()), "{other}");
        }
        assert!(!is_simple(b"\xff"));
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(written in "(.{0,9}|[a-z]{0,40}|[\"\n\\\\é]){0,6}") {
            let json = serde_json::to_string(&written).unwrap();
            proptest::prop_assert_eq!(read(&json[1..json.len() - 1]), written);
        }

        #[test]
        fn escapes_mean_what_a_strict_parser_takes_them_for(raw in "([a-z ]|\\\\[\"\\\\/bfnrtu]|[0-9a-fdD]{4}){0,12}") {
            let strict: Result<String, _> = serde_json::from_str(&std::format!("\"{raw}\""));
            if let Ok(strict) = strict {
                proptest::prop_assert_eq!(read(&raw), strict);
            }
        }

        #[test]
        fn a_simple_string_begins_as_its_text_does(raw in "([a-zé/ ]|\\\\[\"\\\\/bfnrtud]|[0-9a-f]{4}){0,8}") {
            if is_simple(raw.as_bytes()) {
                let (bytes, length) = beginning::<4>(raw.as_bytes());
                let text = read(&raw);
                proptest::prop_assert_eq!(&bytes[..length], &text.as_bytes()[..text.len().min(4)]);
            }
        }
    }
}

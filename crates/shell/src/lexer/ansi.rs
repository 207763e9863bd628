//! The escapes of ANSI-C quoting, `$'…'`.

use std::borrow::Cow;

/// Decodes the text between the quotes of `$'…'`. A backslash that begins no known escape stays as it is.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        rest = escape(after, &mut out);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Decodes one escape, given the text after its backslash. Returns what follows it.
fn escape<'a>(text: &'a str, out: &mut String) -> &'a str {
    let mut chars = text.chars();
    let decoded = match chars.next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('a') => '\x07',
        Some('b') => '\x08',
        Some('e' | 'E') => '\x1b',
        Some('f') => '\x0c',
        Some('v') => '\x0b',
        Some(same @ ('\\' | '\'' | '"' | '?')) => same,
        Some('x') => return number(text, 1, 2, 16, out),
        Some('u') => return number(text, 1, 4, 16, out),
        Some('U') => return number(text, 1, 8, 16, out),
        Some('0'..='7') => return number(text, 0, 3, 8, out),
        Some(other) => {
            out.push('\\');
            other
        }
        None => {
            out.push('\\');
            return "";
        }
    };
    out.push(decoded);
    chars.as_str()
}

/// Decodes up to `most` digits of base `radix`, which start after `skip` bytes of `text`. Returns the text after them.
/// A number that is no character is written as it was typed.
fn number<'a>(text: &'a str, skip: usize, most: usize, radix: u32, out: &mut String) -> &'a str {
    let digits = text.get(skip..).unwrap_or_default();
    let count = digits.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
    let (number, rest) = digits.split_at_checked(count).unwrap_or((digits, ""));
    if let Some(decoded) = u32::from_str_radix(number, radix).ok().and_then(char::from_u32) {
        out.push(decoded);
    } else {
        out.push('\\');
        out.push_str(text.get(..skip + count).unwrap_or_default());
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_as_bash_does() {
        for (typed, meant) in [
            ("plain", "plain"),
            (r"git\x20stash", "git stash"),
            (r"a\nb\tc", "a\nb\tc"),
            (r"\'\\", r"'\"),
            (r"\147it", "git"),
            (r"\u00e9\U1F600", "é😀"),
            (r"\q", r"\q"),
            (r"\xzz", r"\xzz"),
            (r"\UFFFFFFFF.", r"\UFFFFFFFF."),
            ("end\\", "end\\"),
            ("\\é", "\\é"),
        ] {
            assert_eq!(decode(typed), meant, "{typed}");
        }
    }
}

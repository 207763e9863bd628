//! Globs, as the `globset` crate reads them: `*` and `?` within a name, `**` for any number of folders,
//! `[a-z]`, `{a,b}` (of which one may be empty), and `\` before a character that stands for itself.
//!
//! Upper and lower case differ, a leading dot is a character like any other, and neither `*` nor `?` matches
//! a slash. A glob matches a whole path, and every item of it a whole character: what
//! globset writes about the bytes of UTF-8 is read as characters.
//!
//! What globset would take literally although whoever writes it means more, such as `!(a)`, is refused with
//! the way to say it: see [`extended`].

pub mod extended;

use globset::{ErrorKind, GlobBuilder};
use regex_syntax::hir::Hir;

use super::error::check_length;
use super::{PatternError, parse};

/// Parses a glob. The expression matches one whole path: names joined by single slashes, with or without a leading
/// slash, without `.` and `..`. So a leading `./` in the glob is ignored.
pub fn expression(pattern: &str) -> Result<Hir, PatternError> {
    check_length(pattern)?;
    if let Some(refused) = extended::refusal(pattern) {
        return Err(refused);
    }
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let mut builder = GlobBuilder::new(pattern);
    let glob = builder.literal_separator(true).backslash_escape(true).empty_alternates(true).build();
    parse(&of_characters(glob.map_err(|error| invalid(error.kind()))?.regex())?)
}

/// Rewrites an expression that globset wrote about bytes to one about characters: globset writes a character beyond
/// ASCII as the escaped bytes of its UTF-8. Its expressions assume that `.` matches line ends, which is the flag `s`.
fn of_characters(regex: &str) -> Result<String, PatternError> {
    let mut characters = Vec::from(*b"(?s)");
    let mut rest = regex.strip_prefix("(?-u)").unwrap_or(regex).as_bytes();
    loop {
        rest = match rest {
            [b'\\', b'x', high, low, rest @ ..] => {
                let digit =
                    |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                characters.extend(digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low));
                rest
            }
            [b'\\', escaped, rest @ ..] => {
                characters.extend([b'\\', *escaped]);
                rest
            }
            [byte, rest @ ..] => {
                characters.push(*byte);
                rest
            }
            [] => break,
        };
    }
    String::from_utf8(characters).map_err(|error| PatternError::invalid(format!("this is no glob: {error}")))
}

fn invalid(kind: &ErrorKind) -> PatternError {
    PatternError::invalid(match kind {
        ErrorKind::UnclosedClass => "a `[` of this glob is never closed; write `\\[` for the character",
        ErrorKind::UnopenedAlternates => "a `}` of this glob closes nothing; write `\\}` for the character",
        ErrorKind::UnclosedAlternates => "a `{` of this glob is never closed; write `\\{` for the character",
        ErrorKind::DanglingEscape => "the glob ends with a single `\\`; write `\\\\` for the character",
        ErrorKind::InvalidRange(first, last) => {
            let reason = format!("the ends of the range `{first}-{last}` in this glob are out of order");
            return PatternError::invalid(reason);
        }
        other => return PatternError::invalid(format!("this is no glob: {other}")),
    })
}

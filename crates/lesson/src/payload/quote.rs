//! The search for the end of a JSON string that comes in pieces.

use lessons_text::find::memchr;

/// The index of the quote that ends a string, if it is in `piece`. `escaped` says whether the first byte of the
/// piece is escaped by what came before it, and afterwards whether the first byte of the next one is.
///
/// The search stops only at quotes and counts the backslashes before each: source text has as many
/// escaped line feeds as quotes, so stopping at backslashes would take twice as long. Runs of backslashes
/// before two quotes have the first of them in between, so no backslash is counted twice.
pub(super) fn closing_quote(piece: &[u8], escaped: &mut bool) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = memchr(b'"', &piece[from..]) {
        let quote = from + found;
        if !escapes_next(&piece[..quote], *escaped) {
            *escaped = false;
            return Some(quote);
        }
        from = quote + 1;
    }
    *escaped = escapes_next(piece, *escaped);
    None
}

/// Whether the byte after `before` is escaped: an odd number of backslashes precedes it.
fn escapes_next(before: &[u8], escaped: bool) -> bool {
    let run = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
    let goes_on = escaped && run == before.len();
    (run + usize::from(goes_on)) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_quote_that_is_not_escaped_ends_a_string() {
        let quote = |piece| closing_quote(piece, &mut false);
        assert_eq!(quote(br#"git", "x""#), Some(3));
        assert_eq!(quote(br#"a \"b\" \\" "#), Some(10));
        assert_eq!(quote(br#"\\\"""#), Some(4));
        assert_eq!(quote(br#"""#), Some(0));
        assert_eq!(quote(b"git"), None);
    }

    #[test]
    fn an_escape_goes_on_in_the_next_piece() {
        let ends = |piece, mut escaped| (closing_quote(piece, &mut escaped), escaped);
        assert_eq!(ends(br"a\", false), (None, true));
        assert_eq!(ends(br#"""#, true), (None, false));
        assert_eq!(ends(br#"\""#, true), (Some(1), false));
        assert_eq!(ends(br"\\", true), (None, true));
        assert_eq!(ends(br#"n\""#, true), (None, false));
    }
}

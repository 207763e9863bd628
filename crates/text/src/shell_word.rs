//! Words quoted for a shell, so that a printed command can be pasted.

use std::path::Path;

/// Quotes a word for a POSIX shell, if it needs quotes.
pub fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A path as a person pastes it into a shell.
pub fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// The word that [`quoted`] wrote so.
pub fn unquoted(text: &str) -> String {
    let inside = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    inside.map_or_else(|| text.to_owned(), |inside| inside.replace(r"'\''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_change_it() {
        assert_eq!(quoted("/srv/app-1"), "/srv/app-1");
        assert_eq!(quoted("/Users/o'brien/Application Support"), r"'/Users/o'\''brien/Application Support'");
        assert_eq!(quoted(""), "''");
        for word in ["/srv/app-1", "it's 'this'", "", "a b", "''"] {
            assert_eq!(unquoted(&quoted(word)), word);
        }
    }
}

//! Grants: the record that a person was asked about one command line.

use lessons_text::digest;

/// The prefix of a grant's file name, before the digits.
const PREFIX: &str = "grant-";

/// The number of hex digits of SHA-256 that name a grant.
const DIGITS: usize = 32;

/// Permission for one command line, named by a hash of its words.
///
/// The hook creates the grant when it lets the client ask the person; the command that changes something uses it up.
/// It covers neither what the command reads from its input nor the folder in which it runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Grant(String);

impl Grant {
    /// The grant for a `lessons` with exactly these arguments. The program's own name is not among them, so that a path to
    /// it does not matter.
    pub fn of_argv(argv: &[String]) -> Self {
        let parts: Vec<&[u8]> = argv.iter().map(String::as_bytes).collect();
        Self(digest::hex_of_parts(&parts, DIGITS))
    }

    /// The name of the grant's file: `grant-` and 32 hex digits.
    pub fn file_name(&self) -> String {
        format!("{PREFIX}{}", self.0)
    }
}

/// Whether a path component is the file name of a grant, or of a file that switches a lesson off for a
/// session. Both kinds may lie outside of the data folder.
pub(super) fn is_file_name(component: &str) -> bool {
    [PREFIX, "off-"]
        .iter()
        .find_map(|prefix| component.strip_prefix(prefix))
        .is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_grant_names_exactly_one_command_line() {
        let grant = Grant::of_argv(&argv(&["promote", "3f2a"]));
        assert_eq!(grant, Grant::of_argv(&argv(&["promote", "3f2a"])));
        for other in [
            &["promote", "3f2b"][..],
            &["promote"],
            &["promote", "3f2a", ""],
            &["promote3f2a"],
            &["3f2a", "promote"],
            &[],
        ] {
            assert_ne!(grant, Grant::of_argv(&argv(other)), "{other:?}");
        }
    }

    #[test]
    fn its_file_name_is_safe_and_recognised() {
        let name = Grant::of_argv(&argv(&["add", "../../x", "\u{0}"])).file_name();
        assert_eq!(name.len(), 38);
        assert!(is_file_name(&name));
        assert!(is_file_name(&crate::claims::off_name("all")));
        assert!(!is_file_name("grant-3f2a") && !is_file_name("grant-") && !is_file_name("x"));
    }

    /// The command that uses a grant up may be of another version than the hook that left it.
    #[test]
    fn the_name_of_a_grant_never_changes() {
        let name = Grant::of_argv(&argv(&["promote", "3f2a"])).file_name();
        assert_eq!(name, "grant-307e68004a718b12a883f1cac6e1fe9e");
    }

    #[test]
    fn a_grant_is_known_by_its_prefix_and_thirty_two_hexadecimal_digits() {
        let digits = "0123456789abcdef0123456789ABCDEF";
        for (name, expected) in [
            (format!("grant-{digits}"), true),
            (format!("off-{digits}"), true),
            (format!("grant-{digits}0"), false),
            (format!("grant-{}", &digits[1..]), false),
            (format!("grant-{}g", &digits[1..]), false),
            (format!("on-{digits}"), false),
            (digits.to_owned(), false),
        ] {
            assert_eq!(is_file_name(&name), expected, "{name}");
        }
    }
}

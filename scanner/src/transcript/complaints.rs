//! The signs that a result complains about a word of its command.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Parts of phrases such as `unknown option`, `unrecognized subcommand`, `illegal option -- x`.
const SIGNS: [&str; 8] = [
    "nknown ",
    "nrecogni",
    "option -- ",
    "unexpected argument",
    "command not found",
    "cript not found",
    "issing script",
    "no such option",
];

/// The longest result of a successful call that is searched, in bytes: a complaint ends what a program has to say.
const LONGEST: usize = 8 << 10;

/// Whether a result is a complaint, as far as its bytes show.
pub(crate) fn may_complain(result: &[u8]) -> bool {
    result.len() <= LONGEST && has_sign(result)
}

/// Whether bytes hold a sign of a complaint.
pub(crate) fn has_sign(bytes: &[u8]) -> bool {
    static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(SIGNS).ok());
    FINDER.as_ref().is_some_and(|finder| finder.is_match(bytes))
}

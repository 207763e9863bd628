//! The signs that a result complains about a word of its command.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// Parts of phrases such as `unknown option`, `unrecognized subcommand`, `illegal option -- x`.
const OF_WORDS: [&str; 8] = [
    "nknown ",
    "nrecogni",
    "option -- ",
    "unexpected argument",
    "command not found",
    "cript not found",
    "issing script",
    "no such option",
];
/// Marks by which programs begin to say why they gave up.
const OF_ENDS: [&str; 12] = [
    "npm error code",
    "npm ERR! code",
    "\"error: ",
    "\\nerror: ",
    "\"Error: ",
    "\\nError: ",
    "o rule to make target",
    "Traceback (most recent call last)",
    "FATAL: ",
    "fatal: ",
    "go.mod file not found",
    "Unable to locate credentials",
];

/// The longest result of a successful call that is searched, in bytes: a complaint ends what a program has to say.
const LONGEST: usize = 8 << 10;

/// Whether a result is a complaint, as far as its bytes show.
pub(super) fn may_complain(result: &[u8]) -> bool {
    result.len() <= LONGEST && has_sign(result)
}

/// Whether a result is about a word of its call, which says more than that something failed.
pub(crate) fn complains_of_word(result: &str) -> bool {
    OF_WORDS.iter().any(|sign| result.contains(sign))
}

/// Whether the line of a successful result may hold a complaint.
///
/// What a command printed is escaped in its line. In a longer line it is too long to be one.
pub(crate) fn line_may_complain(line: &[u8]) -> bool {
    line.len() <= 4 * LONGEST && has_sign(line)
}

fn has_sign(bytes: &[u8]) -> bool {
    // Only the leftmost kinds of search compare many bytes at once.
    static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let signs = OF_WORDS.iter().chain(&OF_ENDS);
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(signs).ok()
    });
    FINDER.as_ref().is_some_and(|finder| finder.is_match(bytes))
}

//! The rules by which secrets are found, as data.
//!
//! Tokens that name their issuer are in [`issued`], keys and hashes in [`keys`], arguments of commands in [`commands`], and
//! values at the name of a secret in [`named`]. Specific rules come before general ones, because the first that finds a
//! place names its kind. Where a pattern has groups, one called `name` comes first and the group that takes part after it
//! is the value; without groups the whole match is. The expressions know neither `\s` nor `\w`, whose
//! Unicode tables are not linked: `\x00-\x20` is white space, `(?-u:\b)` the edge of an ASCII word.

mod commands;
mod issued;
mod keys;
mod named;

use std::sync::LazyLock;

/// One kind of secret.
pub(super) struct Rule {
    /// What stands in its place.
    pub(super) kind: &'static str,
    /// One of these is in the text, in lower case, wherever the pattern matches.
    pub(super) hints: &'static [&'static str],
    /// What it looks like.
    pub(super) pattern: &'static str,
    /// Whether a value at such a place is a secret, given the name it stands at (or `""`).
    pub(super) is_secret: fn(name: &str, value: &str) -> bool,
    /// The part of a text that it can be in.
    pub(super) part: fn(&str) -> &str,
}

/// A rule for what is a secret wherever it stands.
const fn token(kind: &'static str, hints: &'static [&'static str], pattern: &'static str) -> Rule {
    place(kind, hints, pattern, |_, _| true)
}

/// A rule for what is a secret because of its place.
const fn place(
    kind: &'static str,
    hints: &'static [&'static str],
    pattern: &'static str,
    is_secret: fn(&str, &str) -> bool,
) -> Rule {
    Rule { kind, hints, pattern, is_secret, part: |text| text }
}

const SECRET_HINTS: &[&str] =
    &["pass", "pwd", "psk", "pw", "secret", "token", "key", "cred", "auth", "mnemonic", "phrase", "wort"];

/// What `{name}` stands for in a pattern: how the name of a secret ends.
const NAME: &str = concat!(
    r"(?:password|passwd|passwort|kennwort|passphrase|passcode|pwd|psk|(?:(?-u:\b)|[_.-])p(?:ass|w)",
    r"|(?:store|key|user|root|admin|db|mail|proxy|smtp|ftp|ssh|wifi)pass|mnemonic|(?:seed|recovery)[_.-]?phrase",
    r"|secret(?:[_.-]?key[_.-]?base)?|token|credentials?|creds|(?:(?-u:\b)|[_.-])auth",
    r"|(?:access|account|admin|api|app|application|auth|client|consumer|cookie|deploy|encryption|hmac|jwt|license|master",
    r"|preshared|private|secret|server|service|session|shared|signing|ssh|storage|subscription|webhook|write)[_.-]?key)",
);

/// What `{bare}` stands for: a value without quotes, up to white space or a quote, without the
/// punctuation at its end.
const BARE: &str = r#"[^\x00-\x20"'`]*[^\x00-\x20"'`.,;:!?)}>]"#;

/// What `{value}` stands for: a value in quotes, or one without.
const VALUE: &str = r#"(?:"([^"\r\n]+)"|'([^'\r\n]+)'|["']?({bare}))"#;

/// What `{gap}` stands for in a pattern: what parts two words of a command, which may go on in the next line.
const GAP: &str = r"(?:(?:[ \t]|\\\r?\n)+)";

/// What `{before}` stands for: what else stands in the same command.
const BEFORE: &str = r"(?:[^|;&\r\n]|\\\r?\n)*?";

/// What `{reader}` stands for: a command that reads a password from a pipe or a here-string.
const READER: &str = concat!(
    r"(?:sudo(?:{gap}-[A-Za-z=-]+)*?{gap}(?:-[A-Za-z]*S(?-u:\b)|--stdin)",
    r"|(?:sudo{gap})?(?:chpasswd|cryptsetup|kinit|passwd|smbpasswd)(?-u:\b)",
    r"|[a-z][^|;&\r\n]*?{gap}--(?:password-stdin|passphrase-fd|with-token|stdin)(?-u:\b))",
);

impl Rule {
    /// The expression, its parts put in.
    pub(super) fn expression(&self) -> String {
        let parts = [
            ("{reader}", READER),
            ("{value}", VALUE),
            ("{name}", NAME),
            ("{bare}", BARE),
            ("{gap}", GAP),
            ("{before}", BEFORE),
        ];
        parts.iter().fold(self.pattern.to_owned(), |pattern, (name, part)| pattern.replace(name, part))
    }
}

/// Every rule, the specific ones first.
pub(super) static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    [keys::RULES, issued::RULES, commands::RULES, named::RULES].into_iter().flatten().collect()
});

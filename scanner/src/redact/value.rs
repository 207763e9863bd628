//! The tests whether a value in the place of a secret is one.

/// The start of the marker in the place of a secret.
pub(super) const MARKER: &str = "[REDACTED:";

/// Whether a value is the marker of a redacted secret.
pub(super) fn is_marker(value: &str) -> bool {
    value
        .strip_prefix(MARKER)
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|kind| !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
}

/// Whether a value is anything but a reference, a placeholder or code.
pub(super) fn is_value(_name: &str, value: &str) -> bool {
    value.chars().count() >= 3 && !is_reference(value) && !is_placeholder(value) && !is_code(value)
}

/// At the name of a secret: anything of at least four characters that is not a reference, a
/// placeholder, code, another name for the same thing (`password=db_password`), a number that is no
/// password (`token=4096`) or a sentence that is no pass phrase.
pub(super) fn is_secret_of_name(name: &str, value: &str) -> bool {
    let name_of_a_password = ["pass", "pwd"].iter().any(|part| name.to_ascii_lowercase().contains(part));
    let is_number = value.len() < 10 && value.bytes().all(|b| b.is_ascii_digit());
    let is_sentence = value.contains(' ');
    is_value(name, value)
        && value.chars().count() >= 4
        && (name_of_a_password || !(is_number || is_sentence))
        && !is_variable(value)
}

/// Where prose stands as often as a value (`token: expired`), the value must look like one.
pub(super) fn is_secret_in_prose(name: &str, value: &str) -> bool {
    is_secret_of_name(name, value) && looks_secret(name, value)
}

/// After a flag and a space: a value, unless it is the next flag or a word that goes on talking
/// (`use --token when …`).
pub(super) fn is_secret_after_flag(name: &str, value: &str) -> bool {
    is_secret_of_name(name, value) && !value.starts_with('-') && !is_function_word(value)
}

/// Whether a value looks unlike a word: digits, mixed case, signs, or a great length.
pub(super) fn looks_secret(name: &str, value: &str) -> bool {
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    let has_lower = value.bytes().any(|b| b.is_ascii_lowercase());
    let has_inner_upper = value.bytes().skip(1).any(|b| b.is_ascii_uppercase());
    let has_sign = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '~']);
    let is_number = value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    is_value(name, value)
        && value.chars().count() >= 6
        && !is_number
        && !is_variable(value)
        && !is_version(value)
        && (has_digit || has_sign || (has_lower && has_inner_upper) || value.len() >= 20)
}

/// Forty characters of base64 at an AWS name. The names of variables have digits but no mixed case.
pub(super) fn is_aws_secret(_name: &str, value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_lowercase()) && value.bytes().any(|b| b.is_ascii_uppercase())
}

/// A long run of letters and digits without a word in it.
pub(super) fn is_long_random(name: &str, value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|b| test(&b));
    is_value(name, value)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && (has(u8::is_ascii_digit) || value.ends_with('='))
}

/// The lowest Shannon entropy, in bits per character, of what is taken for random: 24 characters of
/// base 62 have about 4.2.
const MIN_ENTROPY: f64 = 3.7;

/// A value that was made by a machine, at a name that does not say that this is harmless.
pub(super) fn is_high_entropy(name: &str, value: &str) -> bool {
    let count = |test: fn(&u8) -> bool| value.as_bytes().iter().filter(|b| test(b)).count();
    let harmless =
        ["hash", "digest", "checksum", "integrity", "sha", "sha1", "sha256", "sha512", "md5", "etag"];
    let name = name.to_ascii_lowercase();
    let is_path = value.bytes().filter(|&b| b == b'/').count() >= 3;
    !harmless.iter().any(|end| name.ends_with(end))
        && is_value(&name, value)
        && !is_path
        && !value.to_ascii_lowercase().starts_with("sha")
        && count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_lowercase) >= 2
        && count(u8::is_ascii_uppercase) >= 2
        && entropy(value) >= MIN_ENTROPY
        && is_jumpy(value)
}

/// Whether the kind of character changes nearly as often as by chance. In base 62 that is at six of
/// ten steps, in `TestHandlesHttp2Upgrade100Continue` at three.
fn is_jumpy(value: &str) -> bool {
    let kind = |b: &u8| match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = value.as_bytes().windows(2).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    changes * 100 >= value.len() * 45
}

/// Shannon entropy of the bytes, in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX)).max(1.0);
    let share = |&count: &u32| f64::from(count) / total;
    counts.iter().filter(|&&count| count > 0).map(share).map(|p| -p * p.log2()).sum()
}

/// Whether a value is a reference to a secret: `$TOKEN`, `%TOKEN%`, `{{ token }}`, `{token}`,
/// `<token>`, `process.env.TOKEN`, `/run/secrets/token`.
fn is_reference(value: &str) -> bool {
    const ROOTS: &[&str] = &[
        "args", "cfg", "config", "ctx", "data", "env", "inputs", "local", "module", "opts", "options", "os",
        "params", "process", "props", "req", "request", "res", "response", "secrets", "self", "settings",
        "state", "steps", "this", "user", "var", "vars",
    ];
    let value = value.trim_start_matches(['"', '\'', '\\']);
    let starts_like_one = value.starts_with(['$', '<', '{'])
        || (value.starts_with('%') && value.len() > 1 && value.ends_with('%'));
    let root = value.split(['.', '[']).next().unwrap_or(value).to_ascii_lowercase();
    let is_member = root.len() < value.len() && ROOTS.contains(&root.as_str());
    let is_path = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start))
        && value.bytes().filter(|&b| b == b'/').count() >= 2
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-' | b'~'))
        && value.split('/').all(|part| part.len() < 24);
    starts_like_one || is_member || is_path || value.starts_with("op://")
}

/// Whether a value is a placeholder: `xxxx`, `***`, `...`, `your-key`, `changeme`.
fn is_placeholder(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "bar",
        "baz",
        "changeme",
        "default",
        "dummy",
        "empty",
        "example",
        "fake",
        "false",
        "foo",
        "foobar",
        "hidden",
        "key",
        "masked",
        "nil",
        "none",
        "null",
        "optional",
        "pass",
        "passwd",
        "password",
        "placeholder",
        "pwd",
        "redacted",
        "required",
        "secret",
        "str",
        "string",
        "test",
        "todo",
        "token",
        "true",
        "undefined",
        "unset",
        "value",
    ];
    let lower = value.to_ascii_lowercase();
    let is_fill = |c: char| matches!(c, 'x' | '*' | '.' | '-' | '_' | '#' | '…' | '?');
    lower.chars().all(is_fill)
        || WORDS.contains(&lower.as_str())
        || ["your-", "your_", "<", "insert-", "replace-", "enter-"]
            .iter()
            .any(|start| lower.starts_with(start))
        || ["...", "…", "***", "changeme", "change_me", "placeholder"].iter().any(|part| lower.contains(part))
}

/// A call or an index: `getpass()`, `secrets.token_hex(16)`, `data["token"]`.
fn is_code(value: &str) -> bool {
    let Some(open) = value.find(['(', '[']) else { return false };
    open > 0
        && value[..open].bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
        && value[..open].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !value[..open].bytes().any(|b| b.is_ascii_digit())
}

/// Another name for the same thing, without a digit: `db_password`, `githubToken`, `MY_API_KEY`.
fn is_variable(value: &str) -> bool {
    let is_name = value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.'));
    let lower = value.to_ascii_lowercase();
    let says_so =
        ["password", "passwd", "pwd", "secret", "token", "key", "credential", "credentials", "creds", "auth"]
            .iter()
            .any(|end| lower.ends_with(end));
    let is_constant = value.contains('_') && !value.bytes().any(|b| b.is_ascii_lowercase());
    is_name && (says_so || is_constant)
}

/// `1.2.3`, `v2.0`.
fn is_version(value: &str) -> bool {
    let digits = value.strip_prefix('v').unwrap_or(value);
    digits.contains('.')
        && digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// Words that follow the name of a flag in a sentence.
fn is_function_word(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "after",
        "again",
        "also",
        "always",
        "and",
        "argument",
        "arguments",
        "because",
        "before",
        "being",
        "but",
        "cannot",
        "does",
        "during",
        "each",
        "either",
        "every",
        "explicitly",
        "fails",
        "first",
        "flag",
        "flags",
        "from",
        "given",
        "have",
        "here",
        "however",
        "instead",
        "into",
        "just",
        "must",
        "never",
        "only",
        "option",
        "options",
        "otherwise",
        "over",
        "parameter",
        "prompt",
        "prompts",
        "rather",
        "should",
        "since",
        "still",
        "than",
        "that",
        "the",
        "then",
        "there",
        "these",
        "they",
        "this",
        "through",
        "together",
        "twice",
        "under",
        "unless",
        "until",
        "values",
        "very",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "will",
        "with",
        "without",
        "works",
        "would",
        "your",
    ];
    WORDS.contains(&value.to_ascii_lowercase().as_str())
}

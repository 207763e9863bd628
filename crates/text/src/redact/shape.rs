//! What a value looks like: a reference, a placeholder, code, words, or random characters.

/// What stands in the place of a value that is still to be given.
const PLACEHOLDERS: &str = include_str!("placeholders.txt");
/// Words that follow the name of a flag in a sentence.
const FUNCTION_WORDS: &str = include_str!("function_words.txt");

/// Whether a part of a path is made of letters alone.
pub(super) fn is_plain_word(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.' | b'*'))
}

/// Whether the kind of character changes about as often as by chance. In base 62 that is at six of ten steps, and in
/// 24 characters hardly ever at fewer than four; in `TestHandlesHttp2Upgrade100Continue` it is at three.
pub(super) fn is_jumpy(value: &str) -> bool {
    let kind = |b: &u8| match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = value.as_bytes().windows(2).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    changes * 100 >= value.len() * 37
}

/// Shannon entropy of the bytes, in bits per byte.
pub(super) fn entropy(value: &str) -> f64 {
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
pub(super) fn is_reference(value: &str) -> bool {
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
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_fill = |c: char| matches!(c, 'x' | '*' | '.' | '-' | '_' | '#' | '…' | '?');
    lower.chars().all(is_fill)
        || PLACEHOLDERS.lines().any(|word| word == lower)
        || ["your-", "your_", "<", "insert-", "replace-", "enter-"]
            .iter()
            .any(|start| lower.starts_with(start))
        || ["...", "…", "***", "changeme", "change_me", "placeholder"].iter().any(|part| lower.contains(part))
}

/// A call, an index or a tuple: `getpass()`, `secrets.token_hex(16)`, `data["token"]`, `env!("TOKEN")`, `(user`.
pub(super) fn is_code(value: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.');
    if value.strip_prefix('(').is_some_and(|rest| rest.chars().all(is_word)) {
        return true;
    }
    // What stands between two quoted texts.
    if ["; ", ", ", ") "].iter().any(|start| value.starts_with(start)) {
        return true;
    }
    let Some(open) = value.find(['(', '[']) else { return false };
    let open = open - usize::from(value[..open].ends_with('!'));
    open > 0
        && value[..open].bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
        && value[..open].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !value[..open].bytes().any(|b| b.is_ascii_digit())
}

/// Another name for the same thing, without a digit: `db_password`, `githubToken`, `MY_API_KEY`.
pub(super) fn is_variable(value: &str) -> bool {
    let is_name = value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.'));
    let lower = value.to_ascii_lowercase();
    let says_so =
        ["password", "passwd", "pwd", "secret", "token", "key", "credential", "credentials", "creds", "auth"]
            .iter()
            .any(|end| lower.ends_with(end));
    let is_constant = value.contains('_') && !value.bytes().any(|b| b.is_ascii_lowercase());
    is_name && (says_so || is_constant)
}

/// The name of a type or of something else in code, made of several words: `AuthService`, `Option<String>`, `*const AEDesc`,
/// `loadSecretFromVault`, `Token::Comma`, `node.colon2_token`.
pub(super) fn is_identifier(value: &str) -> bool {
    /// The least mean length of the words. In random letters of both cases it is two.
    const MEAN_WORD: usize = 3;
    // A reference, or a pointer.
    let bare = value.trim_start_matches(['&', '*']);
    let (path, generic) = bare.split_at(bare.find(['<', '[']).unwrap_or(bare.len()));
    let path = path.trim_end_matches('!');
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && part.bytes().filter(u8::is_ascii_digit).count() <= 2
    };
    let is_member = path.contains("::") || path.contains('.');
    let parts = || path.split([':', '.']).filter(|part| !part.is_empty());
    let has_digit = path.bytes().any(|b| b.is_ascii_digit());
    let letters = path.bytes().filter(u8::is_ascii_alphabetic).count();
    let words = parts().map(words_in).sum::<usize>();
    parts().all(is_name)
        && (is_member || !has_digit || path.starts_with('_'))
        && letters >= words * MEAN_WORD
        && (words > 1 || is_member || bare.len() < value.len() || !generic.is_empty())
}

/// The number of words in a name: `loadSecret` and `load_secret` have two, `AEDesc` too.
fn words_in(name: &str) -> usize {
    let bytes = name.as_bytes();
    let begins = |pair: &[u8]| {
        (!pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase())
            || (pair[0] == b'_' && pair[1].is_ascii_alphabetic())
    };
    let starts_in_capitals = bytes.iter().take_while(|b| b.is_ascii_uppercase()).count() > 1
        && bytes.iter().any(u8::is_ascii_lowercase);
    1 + usize::from(starts_in_capitals) + bytes.windows(2).filter(|pair| begins(pair)).count()
}

/// Whether every part of a value is a word or a number: `BSD-3-Clause`, `review-2026-11`.
pub(super) fn is_words_and_numbers(value: &str) -> bool {
    value.split(['-', '_', '.', '/']).all(|part| {
        part.bytes().all(|b| b.is_ascii_digit())
            || (part.bytes().all(|b| b.is_ascii_alphabetic()) && words_in(part) <= 2)
    })
}

/// `1.2.3`, `v2.0`.
pub(super) fn is_version(value: &str) -> bool {
    let digits = value.strip_prefix('v').unwrap_or(value);
    digits.contains('.')
        && digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a word follows the name of a flag in a sentence.
pub(super) fn is_function_word(value: &str) -> bool {
    FUNCTION_WORDS.lines().any(|word| value.eq_ignore_ascii_case(word))
}

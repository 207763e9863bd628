//! The tests whether a value in the place of a secret is one.

use super::shape::{
    entropy, is_code, is_function_word, is_identifier, is_jumpy, is_placeholder, is_plain_word, is_reference,
    is_variable, is_version, is_words_and_numbers,
};

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
    let name_of_a_password = names_a_password(name);
    let is_number = value.len() < 10 && value.bytes().all(|b| b.is_ascii_digit());
    let is_sentence = value.contains(' ');
    is_value(name, value)
        && value.chars().count() >= 4
        && (name_of_a_password || !(is_number || is_sentence || is_state(name, value)))
        && !is_variable(value)
}

/// What a token, a key or a scheme of authentication is said to be: `error`, `expired`, `basic`.
fn is_state(name: &str, value: &str) -> bool {
    // The quotation may be quoted itself.
    let value = value.trim_end_matches('\\');
    value.len() < 8
        && value.bytes().all(|b| b.is_ascii_lowercase())
        && !name.to_ascii_lowercase().contains("secret")
}

/// Whether a name is one of a password, which may be a number or several words.
fn names_a_password(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["pass", "pwd", "psk", "phrase", "mnemonic"].iter().any(|part| name.contains(part))
        || name.ends_with("pw")
}

/// Where prose and code stand as often as a value (`token: expired`, `auth: AuthService`), the value must look like one.
pub(super) fn is_secret_in_prose(name: &str, value: &str) -> bool {
    // After a colon, another one is that of a `::`.
    is_secret_of_name(name, value)
        && looks_secret(name, value)
        && !value.starts_with(':')
        && !is_identifier(value)
}

/// In a sentence about a secret: what looks like one, or a long number that is a password, but no term such as
/// `sha256-hashed`.
pub(super) fn is_secret_in_talk(name: &str, value: &str) -> bool {
    const TERMS: &str =
        "sha base utf md5 aes rsa ed25519 x509 x- scram oauth http ipv k8s pbkdf bcrypt 1password";
    let lower = value.to_ascii_lowercase();
    let is_number = value.bytes().all(|b| b.is_ascii_digit());
    let is_path = value.contains('/') && value.split('/').all(is_plain_word);
    // `token=…` has a rule of its own.
    let assigned = value.split_once('=').filter(|(name, _)| is_plain_word(name)).map(|(_, value)| value);
    (is_secret_in_prose(name, value) || (is_number && value.len() >= 6 && names_a_password(name)))
        && !is_path
        && assigned.is_none_or(|value| is_value(name, value))
        && !TERMS.split(' ').any(|term| lower.starts_with(term))
        && !value.starts_with('-')
}

/// After an option of a command that takes a password: a value, unless it is the next option or a word that goes on
/// talking.
pub(super) fn is_argument(name: &str, value: &str) -> bool {
    is_value(name, value) && !value.starts_with('-') && !is_function_word(value)
}

/// After a word that takes a secret, but that stands in prose too.
pub(super) fn is_secret_argument(name: &str, value: &str) -> bool {
    // The number of a port, a mapping of ports, an address.
    let is_number = value.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_punctuation());
    is_argument(name, value) && looks_secret(name, value) && !is_number && !value.starts_with('/')
}

/// The value of a cookie or field that names a session: random, and neither a UUID, which only identifies it, nor made of
/// words and numbers.
pub(super) fn is_session(name: &str, value: &str) -> bool {
    let count = |test: fn(&u8) -> bool| value.as_bytes().iter().filter(|b| test(b)).count();
    let is_uuid = value.len() == 36 && value.bytes().filter(|&b| b == b'-').count() == 4;
    is_value(name, value)
        && !is_uuid
        && !is_words_and_numbers(value)
        && count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_alphabetic) >= 4
        && entropy(value) >= MIN_SESSION_ENTROPY
}

/// A key of a machine at a variable of the environment whose name does not say that it is harmless.
pub(super) fn is_key(name: &str, value: &str) -> bool {
    let harmless =
        ["PUBLIC", "PUBLISHABLE", "CACHE", "SORT", "PRIMARY", "FOREIGN", "PARTITION", "HOST", "REGISTRY"];
    !harmless.iter().any(|part| name.contains(part))
        && is_value(name, value)
        && value.bytes().filter(u8::is_ascii_digit).count() >= 2
        && !is_words_and_numbers(value)
}

/// A key of a machine in a sentence, where the names of things have digits too: a part of it must be random.
pub(super) fn is_key_in_talk(name: &str, value: &str) -> bool {
    let is_random = |part: &str| part.len() >= 12 && part.bytes().filter(u8::is_ascii_digit).count() >= 2;
    is_key(name, value) && value.split(['_', '-']).any(is_random)
}

/// What an `Authorization` header holds: what looks like a secret and is no name in code.
pub(super) fn is_header_value(name: &str, value: &str) -> bool {
    looks_secret(name, value) && !is_identifier(value)
}

/// What follows `Basic`: base64 of a name and a password.
pub(super) fn is_authorization(name: &str, value: &str) -> bool {
    is_long_random(name, value) && is_jumpy(value)
}

/// The user of a URL without a password: a token.
pub(super) fn is_random_user(name: &str, value: &str) -> bool {
    let is_hex = value.len() >= 32 && value.bytes().all(|b| b.is_ascii_hexdigit());
    is_long_random(name, value) || (is_hex && is_value(name, value))
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
/// The same for a session: 26 hex digits have about 3.6.
const MIN_SESSION_ENTROPY: f64 = 3.0;

/// A value that was made by a machine, at a name that does not say that this is harmless.
pub(super) fn is_high_entropy(name: &str, value: &str) -> bool {
    let count = |test: fn(&u8) -> bool| value.as_bytes().iter().filter(|b| test(b)).count();
    // `h1` is the hash in a `go.sum`.
    let harmless = [
        "hash",
        "digest",
        "checksum",
        "integrity",
        "sha",
        "sha1",
        "sha256",
        "sha512",
        "md5",
        "etag",
        "h1",
        "fingerprint",
    ];
    let name = name.to_ascii_lowercase();
    let is_path = value.bytes().filter(|&b| b == b'/').count() >= 3;
    // `-----BEGIN CERT…` and `-----BEGIN PUBL…` in base64.
    let is_public = name.contains("public")
        || ["LS0tLS1CRUdJTiBDRVJU", "LS0tLS1CRUdJTiBQVUJM"].iter().any(|start| value.starts_with(start));
    !harmless.iter().any(|end| name.ends_with(end))
        && !["id", "href", "src", "class"].contains(&name.as_str())
        && !is_public
        && is_value(&name, value)
        && !is_path
        && !is_words_and_numbers(value)
        && !value.to_ascii_lowercase().starts_with("sha")
        && count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_lowercase) >= 2
        && count(u8::is_ascii_uppercase) >= 2
        && entropy(value) >= MIN_ENTROPY
        && is_jumpy(value)
}

//! Keys and hashes of passwords, which have a form of their own whoever made them.

use super::{Rule, token};

/// A text up to the end of its last private key. Behind it a key that begins has no end, and to look for
/// one from every beginning would take the square of the text's length.
fn up_to_last_key_end(text: &str) -> &str {
    const START: &str = "-----END ";
    const CLOSE: &str = "-----";
    let end = text.rmatch_indices(START).find_map(|(at, _)| {
        let label = at + START.len();
        let close = label + text[label..].find(|c: char| !matches!(c, 'A'..='Z' | '0'..='9' | ' '))?;
        let is_key = ["PRIVATE KEY", "PRIVATE KEY BLOCK"].iter().any(|key| text[label..close].ends_with(key));
        (is_key && text[close..].starts_with(CLOSE)).then_some(close + CLOSE.len())
    });
    &text[..end.unwrap_or(0)]
}

/// Keys and hashes.
#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    // A private key in PEM form, also with its line feeds written as `\n`.
    Rule {
        part: up_to_last_key_end,
        ..token("private-key", &["private key"],
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.)*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
    },
    // One without an end, as far as it goes on looking like one.
    token("private-key", &["private key"],
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\x00-\x20]|\\[nr])*[A-Za-z0-9+/=]{20,}[\x00-\x20A-Za-z0-9+/=\\]*"),
    token("private-key", &["age-secret-key-"], r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    // The id by which Google knows a key of a service account.
    token("private-key-id", &["private_key_id"], r#"private_key_id\\?["']?[ \t]*[:=][ \t]*\\?["']?([0-9a-f]{40})"#),
    // The private part of a key of PuTTY, its lines also on one line.
    token("private-key", &["private-lines:"],
        r"Private-Lines:[ \t]*[0-9]+((?:(?:[\x00-\x20]|\\[nr])+[A-Za-z0-9+/]{16,}={0,2})+)"),
    // A private key in PEM form, encoded in base64 once more, as in a file of kubectl: `-----BEGIN RSA PRIV…`.
    token("private-key", &["ls0tls1crudjti"],
        r"LS0tLS1CRUdJTi(?:BSU0EgU|BFQyBQU|BEU0EgU|BPUEVOU|BQUklWQ|BFTkNSW)[A-Za-z0-9+/]{20,}={0,2}"),
    // A key from which all keys of a wallet are derived.
    token("private-key", &["prv"], r"(?-u:\b)[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}"),

    // Hashes of passwords can be tried out. The forms of crypt(5), of Argon2, of Django, and of LDAP.
    token("password-hash", &["$2"], r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}"),
    token("password-hash", &["$1$", "$5$", "$6$", "$apr1$"],
        r"\$(?:[156]|apr1)\$(?:rounds=[0-9]+\$)?[^$:\x00-\x20]{1,16}\$[./A-Za-z0-9]{22,86}"),
    token("password-hash", &["$y$", "$gy$", "$7$"], r"\$(?:g?y|7)\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}"),
    token("password-hash", &["$argon2", "$scrypt"],
        r"\$(?:argon2(?:id|i|d)|scrypt)\$(?:v=[0-9]+\$)?[a-z0-9=,]+\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}"),
    token("password-hash", &["pbkdf2_"], r"pbkdf2_sha[0-9]+\$[0-9]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{20,}={0,2}"),
    token("password-hash", &["sha}", "sha256}", "sha512}", "crypt}"],
        r"\{(?:S?SHA(?:256|384|512)?|CRYPT)\}[A-Za-z0-9+/$.]{20,}={0,2}"),
];

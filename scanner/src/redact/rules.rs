//! The secrets that are known, as data.
//!
//! Specific rules come before general ones, because the first that finds a place names its kind.
//! Where a pattern has groups, one called `name` comes first and the group that takes part after it
//! is the value; without groups the whole match is. The expressions know neither `\s` nor `\w`, whose
//! Unicode tables are not linked: `\x00-\x20` is white space, `(?-u:\b)` the edge of an ASCII word.

use super::value::{
    is_aws_secret, is_high_entropy, is_long_random, is_secret_after_flag, is_secret_in_prose,
    is_secret_of_name, is_value, looks_secret,
};

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
    Rule { kind, hints, pattern, is_secret: always, part: all }
}

/// A rule for what is a secret because of its place.
const fn place(
    kind: &'static str,
    hints: &'static [&'static str],
    pattern: &'static str,
    is_secret: fn(&str, &str) -> bool,
) -> Rule {
    Rule { kind, hints, pattern, is_secret, part: all }
}

fn always(_name: &str, _value: &str) -> bool {
    true
}

fn all(text: &str) -> &str {
    text
}

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

/// What `{name}` stands for in a pattern: how the name of a secret ends.
const NAME: &str = r"(?:password|passwd|passwort|passphrase|passcode|pwd|(?:(?-u:\b)|[_.-])pass|secret|token|(?:api|access|secret|private|auth|account|shared|signing|encryption|master|license|deploy|service|subscription)[_.-]?key|credentials?|creds|(?:(?-u:\b)|[_.-])auth)";

/// What `{bare}` stands for: a value without quotes, up to white space or a quote, without the
/// punctuation at its end.
const BARE: &str = r#"[^\x00-\x20"'`]*[^\x00-\x20"'`.,;:!?)}>]"#;

/// What `{gap}` stands for in a pattern: what parts two words of a command, which may go on in the next line.
const GAP: &str = r"(?:[ \t]|\\\r?\n)+";

/// What `{before}` stands for: what else stands in the same command.
const BEFORE: &str = r"(?:[^|;&\r\n]|\\\r?\n)*?";

impl Rule {
    /// The expression, its parts put in.
    pub(super) fn expression(&self) -> String {
        let parts = [("{name}", NAME), ("{bare}", BARE), ("{gap}", GAP), ("{before}", BEFORE)];
        parts.iter().fold(self.pattern.to_owned(), |pattern, (name, part)| pattern.replace(name, part))
    }
}

const SECRET_HINTS: &[&str] = &["pass", "pwd", "secret", "token", "key", "cred", "auth"];

/// Every kind of secret.
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

    // Model providers.
    token("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{16,}"),
    token("openai-key", &["sk-"],
        r"sk-(?:proj|svcacct|service|admin|None)-[A-Za-z0-9_-]{20,}|sk-or-v1-[0-9a-f]{32,}|(?-u:\b)sk-[A-Za-z0-9]{20,}"),
    token("xai-key", &["xai-"], r"(?-u:\b)xai-[A-Za-z0-9]{40,}"),
    token("groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}"),
    token("perplexity-key", &["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    token("replicate-token", &["r8_"], r"(?-u:\b)r8_[A-Za-z0-9]{30,}"),
    token("huggingface-token", &["hf_"], r"(?-u:\b)hf_[A-Za-z0-9]{30,}"),

    // Where code lives.
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"),
    token("gitlab-token", &["gl"],
        r"(?-u:\b)gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_.-]+)?"),
    token("bitbucket-token", &["atbb", "atctt"], r"AT(?:BB|CTT3)[A-Za-z0-9_=-]{24,}"),
    token("atlassian-token", &["atatt3"], r"ATATT3[A-Za-z0-9_=-]{24,}"),

    // Registries of packages and images.
    token("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    token("pypi-token", &["pypi-"], r"pypi-(?:AgE[A-Za-z0-9_-]{16,}|[A-Za-z0-9_-]{60,})"),
    token("rubygems-key", &["rubygems_"], r"rubygems_[0-9a-f]{40,}"),
    token("docker-token", &["dckr_"], r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),

    // Clouds.
    token("aws-access-key", &["akia", "asia", "abia", "acca"],
        r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)"),
    place("aws-secret-key", &["aws"],
        r#"(?i)(?P<name>aws[a-z0-9_.-]*(?:key|secret|token)[a-z0-9_.-]*)["']?[ \t]*(?:=>|:=|=|:)?[ \t]*["']?([A-Za-z0-9+/]{40,}={0,2})"#,
        is_aws_secret),
    token("google-key", &["aiza", "ya29.", "gocspx-", "1//0"],
        r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,}"),
    token("azure-key", &["accountkey=", "sharedaccesskey=", "sharedsecret="],
        r"(?i)(?:AccountKey|SharedAccessKey|SharedSecret)=([A-Za-z0-9+/]{20,}={0,2})"),
    token("azure-signature", &["sig="], r"(?i)[?&;]sig=([A-Za-z0-9%+/]{30,}={0,2})"),
    token("digitalocean-token", &["_v1_"], r"do[opr]_v1_[0-9a-f]{40,}"),
    token("databricks-token", &["dapi"], r"(?-u:\b)dapi[0-9a-f]{32}(?:-[0-9]+)?"),
    token("vault-token", &["hvs.", "hvb."], r"(?-u:\b)hv[sb]\.[A-Za-z0-9_-]{20,}"),
    token("terraform-token", &[".atlasv1."], r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}"),
    token("supabase-key", &["sbp_", "sb_secret_"], r"sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,}"),
    token("planetscale-token", &["pscale_"], r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.-]{20,}"),

    // Messages, mail, money.
    token("slack-token", &["xox", "xapp-"],
        r"xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    token("slack-webhook", &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})"),
    token("discord-webhook", &["/api/webhooks/"], r"/api/webhooks/([0-9]{10,}/[A-Za-z0-9_-]{30,})"),
    token("telegram-token", &[":aa"], r"(?-u:\b)[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}"),
    token("twilio-key", &["sk"], r"(?-u:\b)SK[0-9a-f]{32}(?-u:\b)"),
    token("sendgrid-key", &["sg."], r"(?-u:\b)SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    token("mailgun-key", &["key-"], r"(?-u:\b)key-[0-9a-f]{32}(?-u:\b)"),
    token("stripe-key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    token("square-token", &["sq0", "eaaa"], r"(?-u:\b)sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}|(?-u:\b)EAAA[A-Za-z0-9_-]{60}"),
    token("shopify-token", &["shp"], r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"),

    // Tools of the trade.
    token("linear-key", &["lin_"], r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    token("notion-key", &["ntn_", "secret_"], r"(?-u:\b)ntn_[A-Za-z0-9]{40,}|(?-u:\b)secret_[A-Za-z0-9]{43}(?-u:\b)"),
    token("postman-key", &["pmak-"], r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    token("sentry-token", &["sntry"], r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    token("newrelic-key", &["nrak-"], r"NRAK-[A-Z0-9]{27}"),
    token("grafana-token", &["glsa_", "glc_"], r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}"),

    // Forms that many issuers share.
    token("jwt", &["eyj"],
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)*|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}"),

    // A password in a URL, and a token in the place of the user.
    place("url-password", &["://"],
        r#"[A-Za-z][A-Za-z0-9+.-]*://[^\x00-\x20/:@"'`<>\[\]]*:([^\x00-\x20/"'`]+)@"#, is_value),
    place("url-token", &["://"],
        r#"[A-Za-z][A-Za-z0-9+.-]*://([^\x00-\x20/:@"'`<>\[\]]{20,})@"#, is_long_random),

    // Headers.
    place("authorization", &["authorization"],
        r#"(?i)authorization["']?[ \t]*[:=][ \t]*["']?(?:(?:bearer|basic|token|digest|apikey|negotiate)[ \t]+)?({bare})"#,
        looks_secret),
    place("authorization", &["bearer"], r"(?i)(?-u:\b)bearer[ \t]+([A-Za-z0-9._~+/=-]{16,})", looks_secret),
    place("authorization", &["basic"], r"(?-u:\b)[Bb]asic[ \t]+([A-Za-z0-9+/]{12,}={0,2})", is_long_random),

    // Command lines.
    place("password", &["curl"],
        r#"(?-u:\b)curl(?-u:\b){before}{gap}(?:-u|-U|--user|--proxy-user)(?:=|{gap})?["']?[^\x00-\x20:"'`\[\]]+:({bare})"#,
        is_value),
    place("password", &["mysql", "mariadb"],
        r"(?-u:\b)(?:mysql|mysqldump|mysqladmin|mariadb)(?-u:\b){before}{gap}-p({bare})",
        is_value),
    place("password", &["sshpass"], r#"(?-u:\b)sshpass{gap}-p{gap}?["']?({bare})"#, is_value),
    place("password", &["login"],
        r#"(?-u:\b)login(?-u:\b){before}{gap}-p{gap}["']?({bare})"#, is_value),
    place("password", &["machine"],
        r"(?-u:\b)login[ \t\r\n]+[^\x00-\x20]+[ \t\r\n]+password[ \t\r\n]+({bare})", is_value),
    place("secret", SECRET_HINTS,
        r#"(?i)(?:^|[\x00-\x20"'`(])(?P<name>--?[a-z0-9_.-]*{name}){gap}["']?({bare})"#, is_secret_after_flag),

    // Assignments: a value in quotes; one that touches its `=`; and one after a colon or after spaces,
    // where prose stands as often.
    place("secret", SECRET_HINTS,
        r#"(?i)(?P<name>[a-z0-9_.-]*{name}[0-9]*)["'\]\\]*[ \t]*(?::=|=>|={1,3}|:)[ \t]*(?:\\?"([^"\r\n]+)"|'([^'\r\n]+)')"#,
        is_secret_of_name),
    place("secret", SECRET_HINTS,
        r#"(?i)(?P<name>[a-z0-9_.-]*{name}[0-9]*)["'\]]*=({bare})"#,
        is_secret_of_name),
    place("secret", SECRET_HINTS,
        r#"(?i)(?P<name>[a-z0-9_.-]*{name}[0-9]*)["'\]]*[ \t]*(?::=|=>|={1,3}|:)[ \t]*({bare})"#,
        is_secret_in_prose),
    place("secret", &["=", ":"],
        r#"(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)["'\]]*[ \t]*(?:=>|:=|=|:)[ \t]*["']?([A-Za-z0-9+_=-][A-Za-z0-9+/_=-]{23,})"#,
        is_high_entropy),
];

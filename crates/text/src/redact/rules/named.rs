//! Secrets that are known by their place: in a URL, in a header, at the name of a secret, or in a sentence about one.

use super::super::value::{
    is_authorization, is_header_value, is_high_entropy, is_key, is_key_in_talk, is_random_user,
    is_secret_in_prose, is_secret_in_talk, is_secret_of_name, is_session, is_value, looks_secret,
};
use super::{Rule, SECRET_HINTS, place};

/// A text up to the end of its last word that is long enough for [`is_high_entropy`]. Nearly every text has a colon, and
/// hardly any such a word.
fn up_to_last_long_word(text: &str) -> &str {
    const SHORTEST: usize = 24;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_=-".contains(byte);
    let mut end = text.len();
    for word in text.as_bytes().rsplit(|byte| !is_part(byte)) {
        if word.len() >= SHORTEST {
            return &text[..end];
        }
        end = end.saturating_sub(word.len() + 1);
    }
    ""
}

/// Places of secrets, the specific ones first.
#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    // A password in a URL, and a token in the place of the user.
    place("url-password", &["://"],
        r#"[A-Za-z][A-Za-z0-9+.-]*://[^\x00-\x20/:@"'`<>\[\]]*:([^\x00-\x20/"'`]+)@"#, is_value),
    place("url-token", &["://"],
        r#"[A-Za-z][A-Za-z0-9+.-]*://([^\x00-\x20/:@"'`<>\[\]]{20,})@"#, is_random_user),
    // A line of `.pgpass`: host, port, database, user, password.
    place("password", &[":54", ":*:"],
        r#"(?:^|[\x00-\x20"'`])[A-Za-z0-9.*_-]+:(?:54[0-9]{2}|\*):[^:/\x00-\x20]+:[^:/\x00-\x20]+:({bare})"#, is_value),

    // Headers and cookies.
    place("authorization", &["authorization"],
        r#"(?i)authorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token|digest|apikey|negotiate)[ \t]+({bare})"#,
        looks_secret),
    place("authorization", &["authorization"],
        r#"(?i)authorization["']?[ \t]*[:=][ \t]*["']?({bare})"#, is_header_value),
    place("authorization", &["bearer"], r"(?i)(?-u:\b)bearer[ \t]+([A-Za-z0-9._~+/=-]{16,})", looks_secret),
    place("authorization", &["basic"], r"(?-u:\b)[Bb]asic[ \t]+([A-Za-z0-9+/]{12,}={0,2})", is_authorization),
    place("session", &["sess", "sid"],
        r#"(?i)(?P<name>[a-z0-9_.-]*(?:sess(?:ion)?(?:[_.-]?(?:id|token|key|data))?|sid))["']?[ \t]*[=:][ \t]*["']?([a-z0-9%._~+/=|!-]{16,})"#,
        is_session),

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
    // Four times four letters: a password that Google made for an application.
    place("password", &["pass", "pwd"],
        r#"(?i)(?P<name>[a-z0-9_.-]*{name})["']?[ \t]*[:=][ \t]*["']?((?-i:[a-z]{4}(?: [a-z]{4}){3}))(?-u:\b)"#, is_value),
    // Code: with a type, a default, as the argument of a call, and as the next element of a list.
    place("secret", SECRET_HINTS,
        r#"(?i)(?P<name>[a-z0-9_.-]*{name}[0-9]*)(?:[ \t]*:[ \t]*[&*'a-z_][a-z0-9_<>&*'\[\]?|. ]{0,40}?|[ \t]+(?:string|str))[ \t]*:?=[ \t]*(?:"([^"\r\n]+)"|'([^'\r\n]+)')"#,
        is_secret_in_prose),
    place("secret", SECRET_HINTS,
        r#"(?i)["'](?P<name>[a-z0-9_.-]*{name}[0-9]*)["'][ \t]*,[ \t]*(?:"([^"\r\n]+)"|'([^'\r\n]+)')"#, is_secret_in_talk),
    place("secret", SECRET_HINTS,
        r#"(?i)(?P<name>[a-z0-9_.]*{name})\([ \t]*(?:"([^"\r\n]+)"|'([^'\r\n]+)')[ \t]*\)"#, is_secret_in_talk),
    place("secret", &["auth", "login"],
        r#"(?i)(?:(?:basic_?auth|passwordauthentication|login)[ \t]*\(|auth[ \t]*=[ \t]*\()[ \t]*["'][^"'\r\n]*["'][ \t]*,[ \t]*(?:"([^"\r\n]+)"|'([^'\r\n]+)')"#,
        is_value),
    // A variable of the environment that holds a key, whatever it is for.
    place("secret", &["_key"],
        r#"(?P<name>(?-u:\b)[A-Z][A-Z0-9_]*_KEY)["']?[ \t]*[:=][ \t]*["']?([A-Za-z0-9+/_-]{20,}={0,2})"#, is_key),
    // An element of XML, and a name beside its value.
    place("secret", SECRET_HINTS, r"(?i)<(?P<name>[a-z0-9_.:-]*{name}[0-9]*)>[ \t]*([^<>\r\n]+?)[ \t]*</", is_secret_of_name),
    place("secret", &["value"],
        r#"(?i)(?P<name>[a-z0-9_.-]*{name}[0-9]*)["']?[\x00-\x20,]+["']?value["']?[ \t]*[:=][ \t]*{value}"#,
        is_secret_of_name),

    // Sentences: `the password for staging is …`, `with password …`, `credentials: admin / …`, `admin:… as the password`.
    place("secret", &["pass", "key", "token", "secret"],
        r#"(?i)(?-u:\b)(?P<name>password|passwd|passphrase|passcode|token|secret|(?:(?:api|access|secret|private|license)[ _-]?)key)(?:[ \t]+(?:for|of|on|to|in|at)(?:[ \t]+[a-z0-9._/@-]+){1,4}?)?(?:[ \t]+(?:is|was|are|to)(?:[ \t]+(?:now|still|just|set[ \t]+to|changed[ \t]+to))?:?|:)[ \t]+(?:\*\*|["'`])?({bare})"#,
        is_secret_in_talk),
    // The same in other languages, whose words between are not known: so the value has a digit.
    place("secret", &["asswort", "ennwort", "ontrase", "senha", "passe", "ароль", "密码", "密碼", "口令", "パスワード", "비밀번호",
            "khẩu", "parola", "hasło", "şifre"],
        r#"(?P<name>(?:[Pp]ass|[Kk]enn)wort|[Cc]ontraseña|[Ss]enha|[Mm]ot de passe|[Пп]ароль|密码|密碼|口令|パスワード|비밀번호|[Mm]ật khẩu|[Pp]arola(?: d'ordine)?|[Hh]asło|[Şş]ifre)(?:[ \t]+[^\x00-\x20]+){0,6}?[ \t:=：是为為はは는은]+["'`]?([^\x00-\x20"'`]*[0-9](?:[^\x00-\x20"'`]*[^\x00-\x20"'`.,;:!?)}>])?)"#,
        is_secret_in_talk),
    // A PIN, which may be a number.
    place("pin", &["pin"], r#"(?i)(?-u:\b)pin(?:[ \t-]?code)?[ \t]+(?:is|ist|es|est|è)[ \t]+["'`]?([0-9]{4,12})(?-u:\b)"#, is_value),
    place("pin", &["_pin"], r#"(?-u:\b)[A-Z0-9_]+_PIN=["']?([A-Za-z0-9]{4,})(?-u:\b)"#, is_value),
    place("secret", &["pass"],
        r#"(?i)(?P<name>[a-z0-9_.-]*(?:password|passwd|passphrase|passcode))[ \t]+["'`]?({bare})"#, is_secret_in_talk),
    place("secret", &["token", "key", "secret"],
        r"(?i)(?-u:\b)(?P<name>(?:token|secret|(?:api|access|secret|license)[ _-]?key))[ \t]+([a-z0-9_-]{16,})", is_key_in_talk),
    place("password", &["send"],
        r#"(?i)(?:password|passphrase)[^\r\n]{0,20}?[ \t;}]send(?:{gap}--)?{gap}"([^"\r\n]+?)\\[rn]""#, is_value),
    place("secret", &["cred", "log", "sign"],
        r#"(?i)(?-u:\b)(?P<name>credentials?|creds|log(?:ged)?[ \t-]?in|signed[ \t]in|sign[ \t-]?in)(?:[ \t]*:|[ \t]+(?:is|are|with|as))?[ \t]+["'`]?[a-z0-9._@-]+["'`]?[ \t]*[/:|][ \t]*["'`]?({bare})"#,
        is_secret_in_talk),
    place("secret", &["as the password", "as password", "as the login", "as credentials"],
        r#"(?i)["'`]?[a-z0-9._@-]+[/:]({bare})["'`!?]*[ \t]+as[ \t]+(?:the[ \t]+)?(?:password|login|credentials)"#,
        is_secret_in_talk),

    Rule {
        part: up_to_last_long_word,
        ..place("secret", &["=", ":"],
            r#"(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)["'\]]*[ \t]*(?:=>|:=|=|:)[ \t]*["']?([A-Za-z0-9+_=-][A-Za-z0-9+/_=-]{23,})"#,
            is_high_entropy)
    },
];

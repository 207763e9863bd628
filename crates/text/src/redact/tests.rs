use super::*;

/// Puts a secret together from parts, so that no whole one stands in this file.
macro_rules! joined {
    ($($part:expr),+) => { [$(String::from($part)),+].concat() };
}

fn some(c: char, n: usize) -> String {
    std::iter::repeat_n(c, n).collect()
}

/// `n` characters that look as random as those of a real token, always the same.
fn random(alphabet: &str, n: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[usize::try_from(state % letters.len() as u64).unwrap()]
    };
    (0..n).map(|_| next()).collect()
}

const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";

/// Checks that `secret` is replaced by a marker of `kind` wherever it stands in a sentence.
#[track_caller]
fn gone(kind: &str, secret: &str) {
    for (before, after) in
        [("login failed with ", ""), ("", " and then"), ("use `", "` here"), ("(", "), ok")]
    {
        let found = redact(&format!("{before}{secret}{after}"));
        assert_eq!(found.text, format!("{before}[REDACTED:{kind}]{after}"));
        assert_eq!(found.kinds, [kind]);
    }
}

/// Checks that the text becomes this one.
#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(redact(text).text, expected);
}

/// Checks that the text stays as it is.
#[track_caller]
fn stays(text: &str) {
    assert_eq!(redact(text), Redacted { text: text.to_owned(), kinds: Vec::new() });
}

#[test]
fn every_rule_compiles() {
    for (index, rule) in RULES.iter().enumerate() {
        assert!(compiled(index).is_some(), "{}", rule.pattern);
    }
}

#[test]
fn keys_of_model_providers_are_gone() {
    gone("anthropic-key", &joined!("sk-", "ant-api03-", some('A', 93), "AA")); // ADV-066
    gone("openai-key", &joined!("sk-", "proj-", some('b', 48))); // ADV-067
    gone("openai-key", &joined!("sk-", random(BASE62, 48)));
    gone("openai-key", &joined!("sk-", "svcacct-", random(BASE62, 60)));
    gone("huggingface-token", &joined!("hf", "_", random(BASE62, 34)));
    gone("groq-key", &joined!("gs", "k_", random(BASE62, 52)));
    gone("xai-key", &joined!("xa", "i-", random(BASE62, 80)));
}

#[test]
fn tokens_of_code_hosts_and_registries_are_gone() {
    gone("github-token", &joined!("gh", "p_", some('c', 36))); // ADV-069
    gone("github-token", &joined!("github", "_pat_", some('D', 22), "_", some('e', 59))); // ADV-070
    for kind in ["o", "u", "s", "r"] {
        gone("github-token", &joined!("gh", kind, "_", random(BASE62, 36)));
    }
    gone("gitlab-token", &joined!("gl", "pat-", random(BASE62, 20)));
    gone("npm-token", &joined!("npm", "_", some('j', 36))); // ADV-075
    gone("pypi-token", &joined!("pyp", "i-AgEIcHlwaS5vcmc", random(BASE62, 80)));
    gone("docker-token", &joined!("dckr", "_pat_", random(BASE62, 27)));
}

#[test]
fn keys_of_clouds_are_gone() {
    gone("aws-access-key", &joined!("AK", "IA", "IOSFODNN7EXAMPLE"));
    gone("google-key", &joined!("AI", "za", some('i', 35))); // ADV-074
    gone("google-key", &joined!("ya", "29.", random(BASE62, 60)));
    gone("digitalocean-token", &joined!("dop", "_v1_", random(HEX, 64)));
    becomes(
        &joined!(
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=",
            some('n', 86),
            "==;EndpointSuffix=core"
        ), // ADV-081
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=[REDACTED:azure-key]",
    );
    let secret = random(&format!("{BASE62}+/"), 40);
    for text in ["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=", "\"AwsSecretKey\": \""] {
        becomes(&format!("{text}{secret}"), &format!("{text}[REDACTED:aws-secret-key]"));
    }
}

#[test]
fn tokens_of_messengers_mail_and_payment_are_gone() {
    gone("slack-token", &joined!("xox", "b-123456789012-123456789012-", some('g', 24))); // ADV-072
    gone("stripe-key", &joined!("sk", "_live_", some('h', 24))); // ADV-073
    gone("telegram-token", &joined!("123456789", ":AA", some('o', 33))); // ADV-082
    gone("twilio-key", &joined!("S", "K", random(HEX, 32)));
    gone("sendgrid-key", &joined!("S", "G.", random(BASE62, 22), ".", random(BASE62, 43)));
    becomes(
        &joined!("https://hooks.", "slack.com/services/", "T00000000/B00000000/", some('X', 24)),
        "https://hooks.slack.com/services/[REDACTED:slack-webhook]",
    );
}

#[test]
fn a_json_web_token_is_gone() {
    let part = |n| random(BASE62, n);
    gone("jwt", &joined!("ey", "J", part(33), ".ey", "J", part(60), ".", part(43)));
    gone("jwt", &joined!("ey", "J", part(33), ".", part(60), ".", part(43)));
}

#[test]
fn a_private_key_is_gone_with_all_its_lines() {
    let (begin, end) =
        (joined!("-----BEGIN ", "RSA PRIVATE KEY-----"), joined!("-----END ", "RSA PRIVATE KEY-----"));
    let body = some('l', 64);
    gone("private-key", &format!("{begin}\n{body}\n{end}")); // ADV-077
    gone("private-key", &format!("{begin}\\n{body}\\n{body}\\n{end}"));
    gone("private-key", &format!("{begin} Proc-Type: 4,ENCRYPTED {body} {end}"));
    becomes(&format!("it held {begin} {body} {body}"), "it held [REDACTED:private-key]");
    let unended = format!("{begin}\n{body}\n");
    becomes(
        &format!("{begin}\n{body}\n{end} and {unended}"),
        "[REDACTED:private-key] and [REDACTED:private-key]",
    );
    let many = format!("{begin} ").repeat(20_000);
    stays(&format!("{many}-----END of it-----"));
    stays("grep for a line that starts with -----BEGIN RSA PRIVATE KEY----- first");
    stays("-----BEGIN PUBLIC KEY----- is fine");
}

#[test]
fn a_password_in_a_url_is_gone() {
    becomes(
        &joined!("login failed with postgres://app:", "s3cr3tPassw0rd", "@db.internal:5432/app"), // ADV-078
        "login failed with postgres://app:[REDACTED:url-password]@db.internal:5432/app",
    );
    becomes("redis://:p@ss@localhost", "redis://:[REDACTED:url-password]@localhost");
    let token = random(BASE62, 36);
    becomes(&format!("git clone https://{token}@host/x"), "git clone https://[REDACTED:url-token]@host/x");
    for text in [
        "http://localhost:8080/@scope/pkg",
        "postgres://user:$PGPASSWORD@db/app",
        "postgres://user:<password>@db/app",
        "https://user:password@example.com",
        "ssh://git@github.com:22/org/repo",
        "git@github.com:org/repo.git",
    ] {
        stays(text);
    }
}

#[test]
fn what_an_authorization_header_holds_is_gone() {
    let token = random(BASE62, 32);
    for header in [
        "Authorization: Bearer ",
        "authorization: token ",
        "-H 'Authorization: Basic ",
        "\"Authorization\": \"",
        "a bearer ",
    ] {
        becomes(&format!("{header}{token}"), &format!("{header}[REDACTED:authorization]"));
    }
    becomes("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [REDACTED:authorization]");
    stays("the Authorization: header must be set before Bearer authentication works");
    stays("Authorization: Bearer $TOKEN");
    stays("a basic understanding of bearer tokens");
}

#[test]
fn what_is_assigned_to_the_name_of_a_secret_is_gone() {
    becomes(
        &joined!("login failed with export DB_PASSWORD=", "hunter2hunter2"),
        "login failed with export DB_PASSWORD=[REDACTED:secret]",
    ); // ADV-080
    for text in [
        "password=letmein",
        "export X_TOKEN=abcd1234",
        "GITHUB_TOKEN=abc.def-123",
        "api_key: a1b2c3d4e5",
        "apiKey = 'secretish-thing'",
        "{\"password\": \"correct\"}",
        "{\\\"clientSecret\\\": \\\"correct1\\\"}",
        "config['secret_key'] = 'abcdefgh'",
        "--password=swordfish",
        "password = \"correct horse battery\"",
        "//registry.example/:_authToken=abc12345",
        "secret := \"3f786850e387550fdab836ed7e6dc881de23001b\"",
        "MYSQL_PWD=123456",
        "?token=abc123def&x=1",
    ] {
        let found = redact(text);
        assert_eq!(found.kinds, ["secret"], "{text} became {}", found.text);
    }
}

#[test]
fn a_secret_on_a_command_line_is_gone() {
    becomes("mysql --password s3cr3t -u root", "mysql --password [REDACTED:secret] -u root");
    becomes("tool --api-key abc123 run", "tool --api-key [REDACTED:secret] run");
    becomes("mysql -u root -phunter2 db", "mysql -u root -p[REDACTED:password] db");
    becomes("curl -sS -u admin:hunter2 https://x", "curl -sS -u admin:[REDACTED:password] https://x");
    becomes("sshpass -p hunter2 ssh x", "sshpass -p [REDACTED:password] ssh x");
    becomes("docker login -u me -p hunter2", "docker login -u me -p [REDACTED:password]");
    becomes("machine x login me password hunter2", "machine x login me password [REDACTED:password]");
    stays("use --password-stdin instead of --password when it is piped");
    stays("mysql -p asks for it; mkdir -p src/x; docker run -p 8080:80 x");
    stays("curl -u $USER:$PASS https://x");
}

#[test]
fn a_random_value_is_gone_at_any_name_but_that_of_a_hash() {
    let value = random(BASE62, 32);
    becomes(&format!("SALT={value}"), "SALT=[REDACTED:secret]");
    stays(&format!("integrity: {value}"));
    stays("handler=TestHandlesHttp2Upgrade100ContinueRight");
    stays("path=src/Components/Button2/Index10.Component");
}

#[test]
fn hashes_ids_and_versions_stay() {
    // ADV-084.
    for text in [
        "regression introduced in commit 3f786850e387550fdab836ed7e6dc881de23001b of the parser",
        "pin to 89e6c98d92887913cadf06b2adb97f26cde4849b",
        "image@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "serde = \"1.0.219\" and key: v2.10.3",
        "rev=89e6c98d92887913cadf06b2adb97f26cde4849b",
        "commit: 3f786850e387550fdab836ed7e6dc881de23001b",
    ] {
        stays(text);
    }
}

#[test]
fn references_placeholders_and_talk_about_secrets_stay() {
    for text in [
        "set OPENAI_API_KEY=$OPENAI_API_KEY or <your-key> in .env.example", // ADV-086
        "use placeholders such as sk-...",
        "TOKEN=${TOKEN:-none} PASSWORD=\"$PASSWORD\" KEY=%KEY%",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password=<password> api_key=your-api-key secret=xxxxxxxx token=*** ",
        "const token = process.env.TOKEN; let password = getpass()",
        "f(token=token, password=db_password, api_key=self.api_key)",
        "token = secrets.token_hex(16)",
        "max_tokens=4096 and token: expired, secret: missing",
        "password: it must be set before the token: otherwise it hangs",
        "the API key is read from /run/secrets/api_key",
        "PASSWORD_FILE=/run/secrets/password token=/var/run/token",
        "use `git stash -u` when untracked files matter",
        "git push --force-with-lease origin main",
        "pass --token instead of the flag; --secret only works with --token",
        "\"token\": \"the token has expired\"",
        "bypass=true compass=north author: me, sort_key=name",
    ] {
        stays(text);
    }
}

#[test]
fn what_people_say_of_a_secret_in_other_languages_is_gone() {
    let secret = joined!("zQ8v", "Lm42Ttxy");
    for before in [
        "das Passwort für die Testdatenbank lautet ",
        "la contraseña del servidor es ",
        "a senha do banco de testes é ",
        "le mot de passe de la base est ",
        "пароль от тестовой базы ",
        "测试库密码是",
        "テスト環境のパスワードは ",
        "스테이징 비밀번호는 ",
        "hasło do bazy: ",
        "the API key for the sandbox: ",
    ] {
        becomes(&format!("{before}{secret}."), &format!("{before}[REDACTED:secret]."));
    }
    becomes("the pin is 4711, do not ask", "the pin is [REDACTED:pin], do not ask");
    becomes("TOKEN_PIN=83Ab12 sign x", "TOKEN_PIN=[REDACTED:pin] sign x");
    for text in [
        "das Passwort hat mindestens 12 Zeichen",
        "la contraseña debe tener 8 caracteres",
        "密码至少 8 位",
        "das Passwort liegt in 1Password, пароль лежит в 1Password",
        "LED_PIN=13 and pin 7 is ground; the pin is missing",
    ] {
        stays(text);
    }
}

#[test]
fn overlapping_secrets_leave_nothing_between_them() {
    let jwt = joined!("ey", "J", random(BASE62, 20), ".", random(BASE62, 20), ".", random(BASE62, 20));
    becomes(&format!("token=abc.{jwt}.def"), "token=[REDACTED:jwt]");
    becomes(&format!("{jwt} {jwt}"), "[REDACTED:jwt] [REDACTED:jwt]");
}

#[test]
fn a_forged_marker_hides_nothing() {
    becomes("password=[REDACTED:x]hunter2", "password=[REDACTED:secret]");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn pieces() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            Just(joined!("gh", "p_", random(BASE62, 36))),
            Just(joined!("sk-", "ant-", random(BASE62, 30))),
            Just(joined!("AK", "IA", "ABCDEFGHIJKLMNOP")),
            Just(joined!("ey", "J", random(BASE62, 12), ".", random(BASE62, 12), ".", random(BASE62, 12))),
            Just("password=".to_owned()),
            Just("token: ".to_owned()),
            Just("--secret ".to_owned()),
            Just("Authorization: Bearer ".to_owned()),
            Just("postgres://u:".to_owned()),
            Just("[REDACTED:jwt]".to_owned()),
            Just("curl -u a:".to_owned()),
            Just("\"".to_owned()),
            Just("@host ".to_owned()),
            "[a-zA-Z0-9$<>\"'`=:@/ .,()\\[\\]-]{0,12}",
            "\\PC{0,8}",
        ];
        prop::collection::vec(token, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing_more(text in pieces()) {
            let once = redact(&text).text;
            prop_assert_eq!(redact(&once).text, once);
        }

        #[test]
        fn no_token_survives_whatever_stands_around_it(before in pieces(), after in "[ \"',;)].*|") {
            let token = joined!("gh", "p_", random(BASE62, 36));
            let found = redact(&[before, token.clone(), after].concat());
            prop_assert!(!found.text.contains(&token));
        }

        #[test]
        fn prose_stays_as_it_is(text in "([a-z]{1,11}[ ,.]){0,30}") {
            let found = redact(&text);
            prop_assert_eq!(found.text, text);
        }
    }
}

#[test]
fn a_command_that_goes_on_in_the_next_line_is_one_command() {
    for text in [
        "curl https://x.example \\\n  -u me:hunter2x",
        "curl \\\r\n -s -u \\\r\n me:hunter2x",
        "mytool push --password \\\n\thunter2x",
    ] {
        assert!(!redact(text).text.contains("hunter2x"), "{text}");
    }
    let other = "curl https://x.example\n-u me:hunter2x";
    assert_eq!(redact(other).text, other);
}

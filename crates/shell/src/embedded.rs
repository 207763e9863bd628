//! Code of other languages in commands: the shell calls in it, and what in SQL is no statement.
//!
//! Only what the code says plainly is seen: a call of a known name with texts or a list of texts.

/// The commands that calls of these names run, each as text for a shell. A backtick among the names, which are separated by
/// blanks, says that backticks run what stands between them.
pub(super) fn shell_calls(code: &str, names: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_call = |name: &str| !name.is_empty() && names.split(' ').any(|known| known == name);
    let (mut rest, mut name) = (code, "");
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '(' if is_call(name) => {
                let (command, behind) = command_of(after);
                found.extend(command);
                (rest, name) = (behind, "");
            }
            '\'' | '"' | '`' => {
                let Some((text, behind)) = literal(rest) else { break };
                // Ruby needs no parentheses.
                if is_call(name) || is_call(rest.get(..1).unwrap_or_default()) {
                    found.push(text);
                }
                (rest, name) = (behind, "");
            }
            '#' if name.is_empty() => rest = after.split_once('\n').map_or("", |(_, next)| next),
            c if is_of_name(c) => {
                (name, rest) = rest.split_at(rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()));
            }
            _ => {
                name = if c == ' ' { name } else { "" };
                rest = after;
            }
        }
    }
    found
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The command of a call: its first text as a shell reads it, or several texts as words; and what follows them.
fn command_of(arguments: &str) -> (Option<String>, &str) {
    let mut words = Vec::new();
    let mut rest = arguments;
    loop {
        let next = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ','));
        let Some((text, behind)) = literal(next.trim_start_matches(['r', 'b', 'f', 'u'])) else { break };
        words.push(text);
        rest = behind;
    }
    let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
    let command = match words.as_slice() {
        [] => None,
        [command] => Some(command.clone()),
        words => Some(words.iter().map(quoted).collect::<Vec<_>>().join(" ")),
    };
    (command, rest)
}

/// The text between the quote at the start and the next one, and what follows it. `None` without both of them.
fn literal(code: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = code.char_indices();
    let (_, quote) = chars.next().filter(|(_, c)| matches!(c, '\'' | '"' | '`'))?;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().map(|(_, c)| if c == 'n' { '\n' } else { c })),
            c if c == quote => return Some((text, code.get(at + 1..)?)),
            c => text.push(c),
        }
    }
    None
}

/// SQL without its comments and the contents of its strings, which it only stores or prints. What `MySQL` runs in a comment
/// stays, and so does a quoted name.
pub(super) fn without_strings(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(at) = rest.find(['\'', '"', '-', '/']) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let (kept, behind) = match tail.as_bytes() {
            [b'-', b'-', ..] => ("", tail.split_at(tail.find('\n').unwrap_or(tail.len())).1),
            [b'/', b'*', b'!', ..] => tail.split_at(1),
            [b'/', b'*', ..] if let Some((_, behind)) = tail.split_once("*/") => ("", behind),
            [b'\'' | b'"', ..] => match literal(tail) {
                Some((text, behind)) if tail.starts_with('"') && !text.contains(char::is_whitespace) => {
                    tail.split_at(tail.len() - behind.len())
                }
                Some((_, behind)) => (if tail.starts_with('"') { "\"\"" } else { "''" }, behind),
                // What does not end may be anything.
                None => (tail, ""),
            },
            _ => tail.split_at(1),
        };
        out.push_str(kept);
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_call_with_texts_is_a_command() {
        let names = "` system run execSync spawnSync";
        for (code, commands) in [
            (r#"import os; os.system("rm -rf ~")"#, &["rm -rf ~"][..]),
            ("subprocess.run(['git', 'a b'], check=True)", &["'git' 'a b'"]),
            ("run(f\"git {x}\", shell=True)", &["git {x}"]),
            ("cp.spawnSync('git', ['reset', '--hard'])", &["'git' 'reset' '--hard'"]),
            ("execSync(`git a`, {stdio: 'inherit'}); execSync('b')", &["git a", "b"]),
            ("system \"git a\"", &["git a"]),
            ("puts `git a`", &["git a"]),
            (r#"print("system('git a')") # system('b')"#, &[]),
            ("run(main); rerun('a'); x['system']('b')", &[]),
            ("system('a", &[]),
        ] {
            assert_eq!(shell_calls(code, names), commands, "{code}");
        }
    }

    #[test]
    fn strings_and_comments_of_sql_are_no_statements() {
        for (sql, left) in [
            ("SELECT \"DROP DATABASE a\"", "SELECT \"\""),
            (
                "INSERT INTO a VALUES ('it''s TRUNCATE b'); DROP TABLE c",
                "INSERT INTO a VALUES (''''); DROP TABLE c",
            ),
            ("DROP TABLE \"users\" -- DROP b\n; /* DROP c */ x", "DROP TABLE \"users\" \n;  x"),
            ("/*!40000 DROP DATABASE a*/", "/*!40000 DROP DATABASE a*/"),
            ("a - b / c 'open DROP TABLE d", "a - b / c 'open DROP TABLE d"),
        ] {
            assert_eq!(without_strings(sql), left, "{sql}");
        }
    }

    proptest! {
        #[test]
        fn hostile_code_comes_to_an_end(code in r#"(system|`|'|"|\(|\[|,|#|--|/\*|\*/|\\|é| |\n|a){0,60}"#) {
            prop_assert!(shell_calls(&code, "` system").iter().map(String::len).sum::<usize>() <= 6 * code.len());
            prop_assert!(without_strings(&code).len() <= code.len() + 2);
        }
    }
}

//! Placeholders in the calls that a rule shows. An agent copies a call as it stands there, `HOST` and `<file>` too.

/// Words in capitals that a call really has.
const REAL: [&str; 14] = [
    "HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "README",
    "LICENSE",
    "CHANGELOG",
    "EOF",
];

/// The first placeholder in the code spans of a text.
pub fn placeholder(text: &str) -> Option<&str> {
    text.split('`').skip(1).step_by(2).find_map(in_call)
}

/// The first placeholder in a call. What begins with capitals or a bracket is none: SQL, a constant, markup.
fn in_call(code: &str) -> Option<&str> {
    let first = code.split_whitespace().next()?;
    if first.starts_with('<') || is_capitals(first) {
        return None;
    }
    in_brackets(code).or_else(|| {
        // A quoted text of several words is a message or another language.
        let parts = code.split(['\'', '"']).enumerate();
        let outside = parts.filter(|(at, part)| at % 2 == 0 || !part.contains(char::is_whitespace));
        outside.flat_map(|(_, part)| part.split_whitespace()).find_map(in_word)
    })
}

/// `<file>`, but not `Vec<u8>`, `<<EOF`, `< in > out` or a tag with its end.
fn in_brackets(code: &str) -> Option<&str> {
    let (at, _) = code.match_indices('<').find(|(at, _)| {
        let before = code.get(..*at).unwrap_or_default();
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '<')
    })?;
    let rest = code.get(at..)?;
    let end = rest.find('>')?;
    let inside = rest.get(1..end)?;
    let is_name = inside.starts_with(|c: char| c.is_alphabetic()) && !inside.contains(['<', '=', '(']);
    (is_name && !code.contains("</")).then(|| rest.get(..=end))?
}

/// A part of a word that is in capitals, such as that of `user@HOST:PORT`. Variables, flags and what is assigned to are real.
pub fn in_word(word: &str) -> Option<&str> {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    // `docs/CONTRIBUTING.md` is a file.
    let file = value.rsplit('/').next().and_then(|file| file.split_once('.'));
    let is_end = |end: &str| end.len() <= 4 && end.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_file = file.is_some_and(|(stem, end)| is_capitals(stem) && is_end(end));
    if value.contains('$') || value.starts_with('-') || is_file {
        return None;
    }
    let mut parts = value.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    parts.find(|part| is_capitals(part) && !REAL.contains(part))
}

fn is_capitals(word: &str) -> bool {
    word.len() > 1
        && word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == '-')
        && !word.starts_with(['_', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_something_else_in_a_call_is_a_placeholder() {
        for (text, found) in [
            ("Log in with `ssh -J bastion HOST`", "HOST"),
            ("Run `./dev logs SERVICE`", "SERVICE"),
            ("Read `./dev show <file>`, not `cat`", "<file>"),
            ("Use `scp a user@HOST:/tmp`", "HOST"),
            ("Use `./deploy --to=REGION`", "REGION"),
            ("Use `curl \"https://HOST/health\"`", "HOST"),
            ("Use `git log`; then `./x <the file>`", "<the file>"),
        ] {
            assert_eq!(placeholder(text), Some(found), "{text}");
        }
    }

    #[test]
    fn what_a_call_really_has_is_none() {
        for text in [
            "Ask for HOST and <file> first",
            "Use `git reset --soft HEAD~1`",
            "Use `curl -X POST https://a.example`",
            "Use `make seed DB=local` with `ssh $HOST`, `echo ${NAME}`",
            "Use `SELECT a FROM b` and `DATABASE_URL`",
            "Use `psql -c 'SELECT a FROM b'`",
            "Use `Vec<u8>`, `<Suspense>` and `sort < in > out`",
            "Use `cat <<EOF`",
            "Close it: `x <p>text</p>`",
            "Use `iconv -t UTF-8 README.md`",
            "Use `a` or HOST`",
            "Read `less docs/CONTRIBUTING.md` first",
        ] {
            assert_eq!(placeholder(text), None, "{text}");
        }
    }
}

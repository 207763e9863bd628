//! The names of code in a sentence.

pub(crate) use lessons_lesson::advised::code_spans;
use lessons_pattern::{Trigger, TriggerKind};

use crate::detect::command::options::lists;
use crate::detect::statement::sentence::split_by_script;
use crate::tag::trigger::literal;
use crate::tag::trigger::operands::is_option;

/// The shortest name in the code that is a trigger, in characters.
const SHORTEST: usize = 5;
/// The marks that stand around a name in a sentence.
const MARKS: &[char] = &[',', ';', ':', '!', '?', '"', '\'', '`', '“', '”'];
/// Hidden files and folders with short names.
const HIDDEN: &str =
    "aws cache claude cursor env git github gnupg husky idea kube next npm nuxt nvm ssh vscode yarn";
/// Names with a capital inside that only tell who made something.
const BRANDS: &str = "GitHub GitLab JavaScript OpenAI TypeScript YouTube iOS macOS";
/// Words before a name that is defined.
const DEFINES: &str = "class const def enum fn func fun function interface let struct type val var";
/// The ends of files that people speak of by their names.
const OF_FILES: &str = ".md .json .toml .yml .yaml .lock .txt .env .mdx";

/// Whether a character may be part of a name in code.
pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether code uses a name, and does not only define it: what was given a name of its own may get another one.
pub(crate) fn is_used(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let is_use = ["(", ".", "::", "!("].iter().any(|mark| after.starts_with(mark));
        let defines = || before.trim_end().rsplit(|c: char| !c.is_alphabetic()).next();
        is_use && !before.ends_with(is_of_word) && !defines().is_some_and(|word| lists(DEFINES, word))
    })
}

/// The words of the sentence, as typed, that are among `words`, which are in lower case.
pub(crate) fn names_in(sentence: &str, words: &[String]) -> Vec<String> {
    let typed = sentence.split_whitespace().flat_map(split_by_script);
    let typed = typed.map(|word| word.trim_matches(MARKS).trim_end_matches('.'));
    // A sentence has lost the mark before `.env`, and before `*_notes.md`, and those of `print()`.
    let is_own = |word: &&str| {
        let lower = word.to_lowercase();
        let bare = lower.trim_start_matches(['.', '*']).trim_end_matches("()");
        words.iter().any(|own| own.trim_start_matches('.') == bare)
    };
    typed.filter(is_own).map(str::to_owned).collect()
}

/// Whether a span of code is an option or a variable that a command is to have: `--workers=1`, `LOCALE=en`.
pub(crate) fn is_setting(span: &str) -> bool {
    let is_set = |(name, _): (&str, &str)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    is_option(span) || !span.contains(' ') && span.split_once('=').is_some_and(is_set)
}

/// Whether a word is a name that only code has: with a capital inside, or with marks between its letters.
pub(crate) fn is_of_code(name: &str) -> bool {
    let inner: Vec<char> = name.chars().collect();
    let mixes = inner.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let joined = inner.windows(3).any(|three| {
        three[0].is_alphanumeric() && matches!(three[1], '.' | '_' | '/' | ':') && three[2].is_alphanumeric()
    });
    let is_dotfile = name.strip_prefix('.').is_some_and(|rest| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        rest.len() > 2 && rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.bytes().all(is_of_name)
    });
    if is_dotfile || name.starts_with("*.") {
        return true;
    }
    // `feedback/wishes` are words, `generated/` is a folder.
    let is_folder = name.ends_with('/') && !name.starts_with('/');
    let is_slash_of_words = !is_folder
        && name.matches('/').count() == 1
        && name.split('/').all(|part| {
            part.bytes().all(|b| b.is_ascii_lowercase()) || part.bytes().all(|b| b.is_ascii_uppercase())
        });
    name.len() >= SHORTEST
        && !name.contains("://")
        && !lists(BRANDS, name)
        && !is_slash_of_words
        && (mixes || joined || is_folder || name.contains("::") || name.ends_with("()"))
}

/// Whether a name with a dot before it is the end of names, and not a hidden file: these are settings, or lists for a tool.
fn is_end(name: &str) -> bool {
    const MOST_BYTES: usize = 6;
    let end = name.trim_start_matches('.');
    end.len() <= MOST_BYTES
        && end.bytes().all(|byte| byte.is_ascii_lowercase())
        && !end.ends_with("rc")
        && !lists(HIDDEN, end)
}

/// Whether a text may be the path of files, with stars.
pub(crate) fn is_glob(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./*".contains(&byte))
}

/// The trigger for a name: a glob for a file or a folder, else what an edit writes.
pub(crate) fn of_name(name: &str) -> Trigger {
    let path = name.trim_start_matches(['@', '/']).trim_start_matches("./");
    let is_path = !path.is_empty() && is_glob(path);
    let has_end = path.rsplit('/').next().is_some_and(|file| file.trim_start_matches('.').contains('.'));
    // `.github/workflows` is a folder without the mark too.
    let is_hidden = path.starts_with('.') && !path.starts_with("..");
    let is_folder = path.ends_with('/') || is_hidden && path.contains('/') && !has_end;
    if is_path && (is_folder || has_end && path.contains(['/', '*'])) {
        let below = if is_folder { "/**" } else { "" };
        return Trigger::new(TriggerKind::FileGlob, format!("**/{}{below}", path.trim_end_matches('/')));
    }
    if name.starts_with('.') && !name.contains(['/', '(']) {
        // With `.env` people mean `.env.local` too; `.ipynb` alone is an end.
        let glob = if is_end(name) { format!("**/*{name}") } else { format!("**/{name}*") };
        return Trigger::new(TriggerKind::FileGlob, glob);
    }
    if OF_FILES.split(' ').any(|end| name.ends_with(end)) {
        let file = name.trim_start_matches(['@', '.', '/']);
        return Trigger::new(TriggerKind::FileGlob, format!("**/{file}"));
    }
    // `name()` stands for a call with any arguments.
    let name = name.strip_suffix("()").map_or_else(|| name.to_owned(), |name| format!("{name}("));
    Trigger::new(TriggerKind::ContentPattern, literal(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_have_capitals_or_marks_inside() {
        for name in
            ["vendored/", "getUser", "os.Getwd()", "api.example.org", "snake_case", "a/b.rs", "std::fs"]
        {
            assert!(is_of_code(name), "{name}");
        }
        assert!(is_of_code(".env") && is_of_code("*.bak") && !is_of_code("..") && !is_of_code("...so"));
        for word in [
            "GitHub",
            "on/off",
            "feedback/wishes",
            "README/guides",
            "https://x.example/a",
            "word",
            "a.b",
            "Word",
        ] {
            assert!(!is_of_code(word), "{word}");
        }
    }

    #[test]
    fn a_file_is_a_glob_and_anything_else_is_content() {
        assert_eq!(of_name(".env"), Trigger::new(TriggerKind::FileGlob, "**/.env*"));
        assert_eq!(of_name("@CHANGELOG.md"), Trigger::new(TriggerKind::FileGlob, "**/CHANGELOG.md"));
        assert_eq!(of_name("internal/gen/"), Trigger::new(TriggerKind::FileGlob, "**/internal/gen/**"));
        assert_eq!(of_name("./src/gen/a.ts"), Trigger::new(TriggerKind::FileGlob, "**/src/gen/a.ts"));
        assert_eq!(
            of_name(".github/workflows"),
            Trigger::new(TriggerKind::FileGlob, "**/.github/workflows/**")
        );
        assert_eq!(of_name("../api/types").kind, TriggerKind::ContentPattern);
        assert_eq!(of_name("./utils/db").kind, TriggerKind::ContentPattern);
        assert_eq!(of_name("*.pb.go"), Trigger::new(TriggerKind::FileGlob, "**/*.pb.go"));
        assert_eq!(of_name("os.Getwd()"), Trigger::new(TriggerKind::ContentPattern, r"\bos\.Getwd\("));
        assert_eq!(code_spans("use `a b`, not `c`").collect::<Vec<_>>(), ["a b", "c"]);
    }
}

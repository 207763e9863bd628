//! The names of code in a sentence.

use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::words::is_filler;

use crate::tag::trigger::literal;

/// The shortest name in the code that is a trigger, in characters.
const SHORTEST: usize = 5;
/// The marks that stand around a name in a sentence.
const MARKS: &[char] = &[',', ';', ':', '!', '?', '"', '\'', '`', '“', '”'];
/// The ends of files that people speak of by their names.
const OF_FILES: [&str; 9] = [".md", ".json", ".toml", ".yml", ".yaml", ".lock", ".txt", ".env", ".mdx"];

/// The texts in backticks.
pub(super) fn code_spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|span| !span.is_empty()).collect()
}

/// The words of the sentence, as typed, that are among `words`, which are in lower case.
pub(super) fn names_in(sentence: &str, words: &[String]) -> Vec<String> {
    let typed = sentence.split_whitespace().map(|word| word.trim_matches(MARKS).trim_end_matches('.'));
    typed.filter(|word| words.iter().any(|own| *own == word.to_lowercase())).map(str::to_owned).collect()
}

/// Whether a word is a name that only code has: with a capital inside, or with marks between its letters.
pub(super) fn is_of_code(name: &str) -> bool {
    let inner: Vec<char> = name.chars().collect();
    let mixes = inner.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let joined = inner.windows(3).any(|three| {
        three[0].is_alphanumeric() && matches!(three[1], '.' | '_' | '/' | ':') && three[2].is_alphanumeric()
    });
    let is_brand = matches!(
        name,
        "GitHub" | "GitLab" | "JavaScript" | "TypeScript" | "macOS" | "iOS" | "YouTube" | "OpenAI"
    );
    let is_dotfile = name.strip_prefix('.').is_some_and(|rest| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        rest.len() > 2 && rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.bytes().all(is_of_name)
    });
    if is_dotfile {
        return true;
    }
    // `feedback/wishes` are two words.
    let is_slash_of_words =
        name.matches('/').count() == 1 && name.bytes().all(|byte| byte == b'/' || byte.is_ascii_lowercase());
    name.len() >= SHORTEST
        && !name.contains("://")
        && !is_brand
        && !is_slash_of_words
        && (mixes || joined || name.contains("::") || name.ends_with("()"))
}

/// The trigger for a name: a glob for a file, else what an edit writes.
pub(super) fn of_name(name: &str) -> Trigger {
    if name.starts_with('.') && !name.contains('/') {
        // With `.env` people mean `.env.local` too.
        return Trigger::new(TriggerKind::FileGlob, format!("**/{name}*"));
    }
    if OF_FILES.iter().any(|end| name.ends_with(end)) {
        let file = name.trim_start_matches(['@', '.', '/']);
        return Trigger::new(TriggerKind::FileGlob, format!("**/{file}"));
    }
    // `name()` stands for a call with any arguments.
    let name = name.strip_suffix("()").map_or_else(|| name.to_owned(), |name| format!("{name}("));
    Trigger::new(TriggerKind::ContentPattern, literal(&name))
}

/// The trigger for what is not to be stored, where two words name it: `never store commit hashes` is about
/// `commitHash` and `commit_hash`.
pub(super) fn of_data(unwanted: &[String]) -> Option<Trigger> {
    const STORING: [&str; 12] = [
        "store",
        "storing",
        "persist",
        "persisting",
        "save",
        "saving",
        "cache",
        "caching",
        "log",
        "logging",
        "expose",
        "exposing",
    ];
    const ENDS: [&str; 10] = ["as", "in", "into", "to", "on", "for", "inside", "anywhere", "at", "with"];
    let at = unwanted.iter().position(|word| STORING.contains(&word.as_str()))? + 1;
    let is_noun = |word: &String| {
        word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase()) && !is_filler(word)
    };
    let [first, second] = unwanted.get(at..at + 2)? else { return None };
    let is_whole = unwanted.get(at + 2).is_none_or(|next| ENDS.contains(&next.as_str()));
    let singular = ["sses", "shes", "ches", "xes", "s"].iter().find_map(|end| {
        let rest = second.strip_suffix(end)?;
        Some(format!("{rest}{}", end.strip_suffix("es").unwrap_or_default()))
    });
    let second_stem = singular.as_ref().unwrap_or(second);
    (is_whole && is_noun(first) && is_noun(second))
        .then(|| Trigger::new(TriggerKind::ContentPattern, format!("(?i){first}[_-]?{second_stem}")))
}

/// The trigger for a wanted type: the same name with a primitive type, as `orderId: string` for `OrderId`.
pub(super) fn without_type(wanted: &str) -> Option<Trigger> {
    let is_type = wanted.starts_with(|c: char| c.is_ascii_uppercase())
        && wanted.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && is_of_code(wanted);
    if !is_type {
        return None;
    }
    let mut name = String::new();
    let mut was_lower = false;
    for c in wanted.chars() {
        if c.is_ascii_uppercase() && was_lower {
            name.push_str("_?");
        }
        was_lower = !c.is_ascii_uppercase();
        name.push(c.to_ascii_lowercase());
    }
    let primitive = "(?:string|str|int|integer|long|number|float)";
    let pattern = format!(r"(?i){name}(?:\s*:\s*&?|\s+){primitive}\b|\b{primitive}\s+{name}\b");
    Some(Trigger::new(TriggerKind::ContentPattern, pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::trial::matches;

    #[test]
    fn names_of_code_have_capitals_or_marks_inside() {
        for name in ["getUser", "os.Getwd()", "api.example.org", "snake_case", "a/b.rs", "std::fs"] {
            assert!(is_of_code(name), "{name}");
        }
        assert!(is_of_code(".env") && !is_of_code("..") && !is_of_code("...so"));
        for word in ["GitHub", "on/off", "feedback/wishes", "https://x.example/a", "word", "a.b", "Word"] {
            assert!(!is_of_code(word), "{word}");
        }
    }

    #[test]
    fn a_file_is_a_glob_and_anything_else_is_content() {
        assert_eq!(of_name(".env"), Trigger::new(TriggerKind::FileGlob, "**/.env*"));
        assert_eq!(of_name("@CHANGELOG.md"), Trigger::new(TriggerKind::FileGlob, "**/CHANGELOG.md"));
        assert_eq!(of_name("os.Getwd()"), Trigger::new(TriggerKind::ContentPattern, r"\bos\.Getwd\("));
        assert_eq!(code_spans("use `a b`, not `c`"), ["a b", "c"]);
    }

    #[test]
    fn data_of_two_words_is_a_name_in_code() {
        let data = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            of_data(&words).map(|trigger| trigger.pattern)
        };
        assert_eq!(data("never store session tokens in cookies").as_deref(), Some("(?i)session[_-]?token"));
        assert_eq!(data("do not log email addresses").as_deref(), Some("(?i)email[_-]?address"));
        for other in
            ["never store passwords", "don't save the file", "don't store large binary files", "do not store"]
        {
            assert_eq!(data(other), None, "{other}");
        }
    }

    #[test]
    fn a_wanted_type_is_missing_where_a_primitive_one_stands() {
        let pattern = without_type("OrderId").unwrap().pattern;
        for code in ["orderId: string", "order_id: &str", "func f(orderID string)", "String orderId"] {
            assert!(matches(&pattern, code), "{code}");
        }
        for code in ["id: OrderId", "orderId: OrderId", "order: string"] {
            assert!(!matches(&pattern, code), "{code}");
        }
        for other in ["orderId", "os.Getwd()", "Order", "GitHub"] {
            assert_eq!(without_type(other), None, "{other}");
        }
    }
}

//! The words that a text names, to compare a message with a call.

use std::collections::BTreeSet;

use lessons_text::words::{identifiers, is_filler};

/// What is named in a text: its identifiers in lower case, without those that people use about any step, and its
/// options as they stand.
pub(super) fn named(text: &str) -> BTreeSet<String> {
    let words = identifiers(text).map(str::to_lowercase);
    let is_telling = |word: &String| word.chars().nth(1).is_some() && !is_filler(word);
    let options = text
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | '(' | ')' | '='))
        .map(|word| word.trim_end_matches(['.', ':', ';', '!']))
        .filter(|word| word.len() > 1 && word.starts_with('-') && !word.ends_with('-'));
    words.filter(is_telling).chain(options.map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn words_and_options_are_named_and_the_rest_is_not() {
        let names: Vec<String> =
            named("No, use `pnpm install -D`: it's not npm. (--frozen-lockfile!)").into_iter().collect();
        assert_eq!(names, ["--frozen-lockfile", "-D", "frozen", "install", "lockfile", "npm", "pnpm"]);
    }
}

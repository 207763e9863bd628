//! The words that a person and a call have in common.

use std::collections::BTreeSet;

/// Words that every sentence has. They name nothing.
const EMPTY: &str = " a all an and any are as at be but by can could did do does done else every file first for from get \
     go good had has have here how i if in instead into is it its just let like look make me more my need never new no \
     not now of ok on only or other our out please put run same see set should show so some still take than that the \
     their them then there these they this to too try up us use want was we well what when where which why will with \
     would yes you your ";

/// What is named in a text: its words in lower case, without those that every sentence has, and its
/// options as they stand.
pub(super) fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_lowercase);
    let is_telling = |word: &String| word.chars().nth(1).is_some() && !EMPTY.contains(&format!(" {word} "));
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

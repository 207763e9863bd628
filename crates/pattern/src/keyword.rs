//! Keywords: words that follow each other in a path or command.

use lessons_text::find::find;
use lessons_text::words::{self, is_significant};

/// The words of a keyword that a path or command must hold: all but articles and single characters. The other
/// stop words count, because they tell `to do list` from `list`. A keyword without a
/// [significant](words::is_significant) word never matches.
pub fn needle(keyword: &str) -> Vec<String> {
    let mut words = words::tokens(keyword);
    if !words.iter().any(|word| is_significant(word)) {
        return Vec::new();
    }
    words.retain(|word| word.chars().nth(1).is_some() && !matches!(word.as_str(), "an" | "the"));
    words
}

/// Words as [`contains_run`] searches them: each between two blanks.
pub fn run_of(words: &[String]) -> String {
    words.iter().fold(String::from(" "), |run, word| run + word + " ")
}

/// Whether the words `needle` follow each other in `hay`, the [run](run_of) of a text. An empty needle is never found.
///
/// The search is linear in both: a keyword of many equal words costs no more on a long command of the same word.
pub fn contains_run(hay: &str, needle: &[String]) -> bool {
    !needle.is_empty() && find(hay.as_bytes(), run_of(needle).as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use lessons_text::words::tokens;

    fn hits(keyword: &str, text: &str) -> bool {
        contains_run(&run_of(&tokens(text)), &tokens(keyword))
    }

    #[test]
    fn a_keyword_is_looked_for_with_all_words_but_articles_and_single_characters() {
        let fires = |keyword: &str, text: &str| contains_run(&run_of(&tokens(text)), &needle(keyword));
        assert!(fires("to do list", "cat docs/to-do-list.md"));
        assert!(!fires("to do list", "cat list.md"));
        assert!(fires("the cache", "rm cache") && fires("git commit -m", "git commit --all"));
        assert!(needle("to do").is_empty() && needle("the").is_empty() && needle("x").is_empty());
    }

    #[test]
    fn a_keyword_hits_whole_words_only() {
        assert!(hits("cat", "src/cat.ts"));
        assert!(!hits("cat", "src/category.ts"));
        assert!(!hits("ber", "src/über.ts"));
        assert!(hits("ÜBER", "src/über.ts"));
    }

    #[test]
    fn the_words_of_a_keyword_stand_next_to_each_other() {
        assert!(hits("node.js", "node js"));
        assert!(hits("migrate db", "npm run migrate -- db"));
        assert!(!hits("ab cd", "ab/x/cd"));
        assert!(!hits("", "anything"));
    }

    #[test]
    fn a_long_keyword_on_a_long_command_is_linear() {
        let hay = vec!["a".to_owned(); 200_000];
        let mut needle = vec!["a".to_owned(); 500];
        needle.push("b".to_owned());
        assert!(!contains_run(&run_of(&hay), &needle));
    }

    proptest! {
        #[test]
        fn the_search_agrees_with_the_plain_one(hay in "[ab ]{0,30}", needle in "[ab ]{1,8}") {
            let (hay, needle) = (tokens(&hay), tokens(&needle));
            let plain = !needle.is_empty() && hay.windows(needle.len()).any(|window| window == needle);
            prop_assert_eq!(contains_run(&run_of(&hay), &needle), plain);
        }
    }
}

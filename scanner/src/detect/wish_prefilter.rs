//! A prefilter for lines in which somebody asks for something to last.
//!
//! A pasted text may be as long as a book, and hardly any of its lines holds one of the words that such a wish needs. One
//! search tells; only the other lines are split into sentences and words. A property test compares the two.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// A rare word of each phrase that makes a sentence a lasting wish, or a part of that word.
const WORDS: [&str; 18] = [
    "always", "asked", "didn", "ever", "forget", "forward", "future", "here", "how", "keep", "never", "now",
    "remember", "rule", "said", "time", "told", "whenever",
];

/// "From now on" and "remember", in other languages.
const LASTING_ELSEWHERE: [&str; 32] = [
    "ab jetzt",
    "von jetzt an",
    "in zukunft",
    "künftig",
    "merk dir",
    "merke dir",
    "denk daran",
    "niemals",
    "désormais",
    "à partir de maintenant",
    "à l'avenir",
    "souviens-toi",
    "retiens",
    "de ahora en adelante",
    "a partir de ahora",
    "recuerda que",
    "a partir de agora",
    "lembre-se",
    "d'ora in poi",
    "ricordati",
    "с этого момента",
    "впредь",
    "запомни",
    "никогда не",
    "w przyszłości",
    "od teraz",
    "从现在开始",
    "记住",
    "今後は",
    "覚えて",
    "앞으로는",
    "기억해",
];

fn search(phrases: impl Iterator<Item = &'static str>) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(phrases).ok()
}

/// Whether a line may hold a lasting wish. `false` is certain.
pub(super) fn may_wish(line: &str) -> bool {
    static SEARCH: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| search(WORDS.into_iter().chain(LASTING_ELSEWHERE)));
    // The search knows no upper case of letters that are not ASCII.
    let line = if line.is_ascii() { Cow::Borrowed(line) } else { Cow::Owned(line.to_lowercase()) };
    SEARCH.as_ref().is_none_or(|search| search.is_match(line.as_ref()))
}

/// Whether a sentence in lower case says "from now on" or "remember" in another language than English.
pub(super) fn lasts_elsewhere(lower: &str) -> bool {
    static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| search(LASTING_ELSEWHERE.into_iter()));
    SEARCH.as_ref().is_some_and(|search| search.is_match(lower))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sentence::quoted_sentences;
    use super::super::statement_kind::{Occasion, StatementKind, kind};
    use super::*;

    /// Whether a sentence of a line is a lasting wish.
    fn wishes(line: &str) -> bool {
        let sentences = quoted_sentences(line);
        sentences.iter().any(|sentence| kind(sentence, Occasion::Prompt) == Some(StatementKind::Lasting))
    }

    #[test]
    fn an_ordinary_line_is_passed_over() {
        for line in
            ["let total = items.len();", "  at main → app.js", "The build reads its settings from a file."]
        {
            assert!(!may_wish(line), "{line}");
        }
        for line in [
            "From now on use tabs.",
            "NEVER push to main",
            "Merk dir: keine Tabs",
            "Désormais, utilise pnpm.",
            "DÉSORMAIS, UTILISE PNPM.",
        ] {
            assert!(may_wish(line) && wishes(line), "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn no_wish_is_passed_over(words in prop::collection::vec(prop::sample::select(vec![
            "i", "told", "you", "already", "i've", "said", "asked", "how", "many", "times", "you", "keep", "telling", "not",
            "what", "we", "didn't", "did", "from", "now", "here", "on", "going", "forward", "next", "time", "in", "the",
            "future", "as", "a", "rule", "of", "remember", "to", "that", "always", "never", "don't", "do", "forget", "every",
            "each", "whenever", "only", "ever", "after", "before", "mind", "reference", "make", "sure", "everywhere", "use", "tabs.",
            "Please", "yes,",
        ]), 1..7)) {
            let line = words.join(" ");
            prop_assert!(may_wish(&line) || !wishes(&line), "{}", line);
        }
    }
}

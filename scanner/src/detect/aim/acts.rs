//! The acts that people speak of by a word, and the commands that do them, or the files that they write.

use std::collections::HashSet;
use std::sync::LazyLock;

use lessons_pattern::{Trigger, TriggerKind};

use crate::detect::command::options::lists;

/// An act, such as committing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Act {
    /// The words that name it; `+` joins words that must both be there.
    words: &'static str,
    /// A pattern for the commands that do it, or for the files that are written.
    pub(crate) pattern: &'static str,
    /// Which of the two it is.
    kind: TriggerKind,
}

impl Act {
    pub(crate) fn trigger(&self) -> Trigger {
        Trigger::new(self.kind, self.pattern)
    }

    pub(crate) fn is_run(&self) -> bool {
        self.kind == TriggerKind::CommandPattern
    }
}

/// The acts, the more special ones first.
static ACTS: LazyLock<Vec<Act>> = LazyLock::new(|| {
    let rows = include_str!("acts.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows: Vec<&str> = rows.collect();
    let act = |row: &[&'static str]| match *row {
        ["run", words, pattern] => Some(Act { words, pattern, kind: TriggerKind::CommandPattern }),
        ["write", words, pattern] => Some(Act { words, pattern, kind: TriggerKind::FileGlob }),
        _ => None,
    };
    rows.chunks(3).filter_map(act).collect()
});

/// Words after the name of an act that make it the name of a thing: `commit hash`.
const THINGS: &str = "hash hashes sha shas id ids history metadata trailer trailers hook hooks";

/// What an act makes, so that it is the occasion for what is asked of that.
const PRODUCTS: &str = "message messages title titles description descriptions body メッセージ 信息 메시지 \
     mensaje mensajes mensagem nachricht nachrichten";

/// Words before an act that make it an occasion.
pub(crate) const OCCASIONS: &str = "after any before each every per until when whenever";

/// Whether a word is one of those that name acts. Most sentences have none.
pub(crate) fn is_of_act(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| ACTS.iter().flat_map(|act| act.words.split([' ', '+'])).collect());
    WORDS.contains(word)
}

/// The acts that these words name, the more special ones first.
pub(crate) fn named(words: &[String]) -> impl Iterator<Item = &'static Act> + '_ {
    let has = |word: &str| {
        let is_thing = |at: usize| words.get(at + 1).is_some_and(|next| lists(THINGS, next));
        // Of other scripts the end of a word tells its case, and words are not parted.
        let is = |own: &str| own == word || !word.is_ascii() && own.contains(word);
        words.iter().enumerate().any(|(at, own)| is(own) && !is_thing(at))
    };
    ACTS.iter().filter(move |act| act.words.split(' ').any(|phrase| phrase.split('+').all(has)))
}

/// The act that is the occasion for what these words ask for, or that the speaker wants to do: the first after such a
/// word, in the same breath, or the one of which they tell the product.
pub(crate) fn occasion(words: &[String]) -> Option<&'static Act> {
    /// The most words between the two: "before you open a".
    const SOON: usize = 4;
    let begins = |at: usize| {
        lists(OCCASIONS, &words[at])
            || words[..=at].ends_with(&["let".to_owned(), "me".to_owned()])
            || words[at] == "i'll"
    };
    let near = |at: usize| words.get(at + 1..words.len().min(at + 1 + SOON)).unwrap_or_default();
    let of_occasion = (0..words.len()).filter(|&at| begins(at)).find_map(|at| named(near(at)).next());
    let is_product = |word: &String| {
        PRODUCTS.split(' ').any(|known| word == known || !word.is_ascii() && word.contains(known))
    };
    let of_product = || {
        let product = words.iter().position(is_product)?;
        named(&words[product.saturating_sub(2)..words.len().min(product + 3)]).next()
    };
    of_occasion.or_else(of_product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_an_act_whose_pattern_is_one() {
        let rows = include_str!("acts.txt").lines().filter(|line| matches!(*line, "run" | "write"));
        assert_eq!(rows.count(), ACTS.len());
        for act in ACTS.iter() {
            assert!(lessons_pattern::prepared::regex_of(act.kind, act.pattern).is_ok(), "{act:?}");
        }
    }

    #[test]
    fn an_act_is_an_occasion_after_before_and_every_and_is_left_to_the_speaker() {
        let of = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            occasion(&words).map(|act| act.words)
        };
        for text in
            ["run the tests before you commit", "with every commit update it", "next time let me commit"]
        {
            assert!(of(text).is_some_and(|words| words.starts_with("commit ")), "{text}");
        }
        assert!(of("a commit message names its issue").is_some());
        assert_eq!(of("show the message body once push is clicked"), None);
        assert!(of("before opening a pr run them").is_some_and(|words| words.contains("create+pr")));
        for text in ["fold it into the last commit", "commit it", "before you go on look at the commit", ""] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    fn first(text: &str) -> Option<&'static str> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        named(&words).next().map(|act| act.words)
    }

    #[test]
    fn an_act_is_named_by_its_verb_and_the_more_special_one_first() {
        assert_eq!(first("don't amend the commit"), Some(ACTS[0].words));
        assert!(first("don't create a pr").unwrap().contains("create+pr"));
        assert!(first("don't check this in").unwrap().starts_with("commit "));
        assert_eq!(first("don't touch the tests"), None);
        assert!(first("never start the dev server yourself").unwrap().contains("dev+server"));
    }

    #[test]
    fn a_thing_of_an_act_is_not_the_act() {
        assert_eq!(first("never store commit hashes"), None);
    }
}

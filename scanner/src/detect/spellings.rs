//! Names that a person says in other words than calls have: an option spoken as words, and a spelling that is to change.

use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_text::words::is_filler;

/// The most words of a spoken option.
const MOST_WORDS: usize = 3;
/// The fewest letters that two spellings of one word begin with.
const SHORTEST_STEM: usize = 4;
/// The words in front of `from X to Y` where Y is to be written in the place of X.
const CHANGING: [&str; 11] = [
    "change",
    "changed",
    "changing",
    "rename",
    "renamed",
    "renaming",
    "replace",
    "replacing",
    "switch",
    "switched",
    "switching",
];
/// The most words between such a word and `from`.
const NEAR: usize = 4;

/// The option that some of the words spell, if one of the texts has it: "full auto" is `--full-auto`.
pub(super) fn spoken_option(words: &[String], texts: &[&str]) -> Option<String> {
    let is_plain = |word: &String| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let lengths = (2..=MOST_WORDS).rev();
    let spoken = lengths.flat_map(|length| words.windows(length));
    let spoken =
        spoken.filter(|spoken| spoken.iter().all(is_plain) && !spoken.iter().all(|word| is_filler(word)));
    let mut options = spoken.map(|spoken| format!("--{}", spoken.join("-")));
    options.find(|option| texts.iter().any(|text| has_option(text, option)))
}

/// Whether a text has an option as a whole.
fn has_option(text: &str, option: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.match_indices(option).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + option.len()..]);
        !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
    })
}

/// The trigger for text that has the old spelling of a word: "we are changing it from summarise to summarize" is about
/// `summarised` and `Summarise` too.
pub(super) fn old_spelling(words: &[String]) -> Option<Trigger> {
    let is_change = |at: usize| {
        let before = &words[at.saturating_sub(NEAR + 1)..at];
        before.iter().any(|word| CHANGING.contains(&word.as_str()))
    };
    let mut changes = words.windows(4).enumerate().filter_map(|(at, four)| match four {
        [from, old, to, new] if from == "from" && to == "to" && is_change(at) => Some((old, new)),
        _ => None,
    });
    let (old, new) = changes.next()?;
    let is_plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let common = old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
    // Of two words that begin alike, the old one is known by the first letter that differs.
    let known = old.get(..=common).filter(|_| common >= SHORTEST_STEM && is_plain(old) && is_plain(new))?;
    Some(Trigger::new(TriggerKind::ContentPattern, format!("(?i){known}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::trial::matches;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn an_option_is_known_by_its_words_where_a_call_has_it() {
        let texts = ["frob push --dry-run", "run: deploy --no-new-tasks\n", "x --full-auto-mode"];
        let spoken = |text: &str| spoken_option(&words(text), &texts);
        assert_eq!(spoken("don't do a dry run here").as_deref(), Some("--dry-run"));
        assert_eq!(spoken("please no new tasks").as_deref(), Some("--no-new-tasks"));
        for other in ["don't use full auto", "no dry-run", "never push", "do not", ""] {
            assert_eq!(spoken(other), None, "{other}");
        }
    }

    #[test]
    fn an_old_spelling_is_known_by_the_letter_that_differs() {
        let old = |text: &str| old_spelling(&words(text)).map(|trigger| trigger.pattern);
        let pattern = old("we are changing the wording from summarise to summarize").expect("a pattern");
        for text in ["summarise", "fn summariseAll()", "Summarised"] {
            assert!(matches(&pattern, text), "{text}");
        }
        assert!(!matches(&pattern, "summarize") && !matches(&pattern, "summary"));
        assert_eq!(old("rename it from colour to color").as_deref(), Some("(?i)colou"));
        for other in [
            "we are changing from npm to pnpm",
            "change it from user to users",
            "he went from summarise to summarize",
            "it changes from here",
            "from",
        ] {
            assert_eq!(old(other), None, "{other}");
        }
    }
}

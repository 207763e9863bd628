//! The statements of a person: sentences that say outright how things are to be done.
//!
//! The words decide, because they are meant to: "remember", "from now on", "use X, not Y", "why are you still using
//! X?". What holds for one moment only is no statement: "not yet", "for now", "don't touch it, let's see".

use super::sentence::{Sentence, quoted_sentences};
use super::statement_kind::{Occasion, StatementKind, asks_to_last, kind};
use super::wish_prefilter::may_wish;

/// A statement, and the parts of its sentence.
#[derive(Debug)]
pub(super) struct Statement<'t> {
    pub(super) kind: StatementKind,
    pub(super) sentence: Sentence<'t>,
    /// The words of what is not wanted. Empty where only the wanted is named.
    pub(super) unwanted: Vec<String>,
    /// The words of what is wanted instead.
    pub(super) wanted: Vec<String>,
}

/// The clearest statement among the sentences of a text.
pub(super) fn statement(sentences: Vec<Sentence<'_>>, occasion: Occasion) -> Option<Statement<'_>> {
    let all = sentences.into_iter().filter_map(|sentence| Statement::of(sentence, occasion));
    // Of two that are equally clear, the first.
    all.min_by_key(|statement| statement.kind)
}

/// The first wish in a text that the person need not have written: pasted, quoted, or as long as a document.
pub(super) fn quoted_wish(text: &str) -> Option<Statement<'_>> {
    let lines = text.lines().filter(|line| may_wish(line));
    let wish = lines.flat_map(quoted_sentences).find(asks_to_last)?;
    Some(Statement::of_kind(StatementKind::Lasting, wish))
}

impl<'t> Statement<'t> {
    fn of(sentence: Sentence<'t>, occasion: Occasion) -> Option<Self> {
        Some(Self::of_kind(kind(&sentence, occasion)?, sentence))
    }

    fn of_kind(kind: StatementKind, sentence: Sentence<'t>) -> Self {
        let (unwanted, wanted) = parts(&sentence, kind);
        Self { kind, sentence, unwanted, wanted }
    }
}

/// The words of what is not wanted, and of what is wanted.
fn parts(sentence: &Sentence<'_>, kind: StatementKind) -> (Vec<String>, Vec<String>) {
    let words = &sentence.words;
    let find = |phrase: &[&str]| {
        words.windows(phrase.len()).position(|window| window.iter().zip(phrase).all(|(a, b)| a == b))
    };
    let asks_why = words.first().is_some_and(|word| word == "why")
        && matches!(words.get(2).map(String::as_str), Some("you" | "we"));
    let replacing = || find(&["instead", "of"]).or_else(|| find(&["rather", "than"]));
    // "Why are we using X instead of Y?" wants Y.
    if let Some(at) = asks_why.then(replacing).flatten() {
        return (words[..at].to_vec(), words[at + 2..].to_vec());
    }
    // "I prefer X over Y".
    let preferred = words.iter().position(|word| word == "prefer").filter(|&at| at < 2);
    if let Some(at) = preferred.and_then(|_| find(&["over"])).filter(|&at| at > 1) {
        return (words[at + 1..].to_vec(), words[..at].to_vec());
    }
    for phrase in [&["instead", "of"][..], &["rather", "than"], &["and", "not"], &["not"]] {
        if let Some(at) = find(phrase)
            .filter(|&at| at > 1 && kind != StatementKind::Prohibition && kind != StatementKind::Question)
        {
            return (words[at + phrase.len()..].to_vec(), words[..at].to_vec());
        }
    }
    if kind == StatementKind::Custom
        && let Some(at) = find(&["don't", "use"]).or_else(|| find(&["never", "use"]))
    {
        return (words[at..].to_vec(), words[..at].to_vec());
    }
    let begins_with_never = words.first().is_some_and(|word| word == "never");
    match kind {
        _ if kind == StatementKind::Prohibition || begins_with_never => {
            let ends = ["just", "use", "instead", "only", "but"];
            let negates = |word: &String| {
                word.ends_with("n't") || matches!(word.as_str(), "not" | "never" | "dont" | "avoid" | "stop")
            };
            let negation = words.iter().take(5).position(negates);
            // "Can you not use X, use Y": the verb of what is forbidden ends nothing.
            let verb = negation.unwrap_or(0) + 1;
            let rest = words.iter().enumerate().skip(verb + 1);
            let end =
                rest.map(|(at, _)| at).find(|&at| ends.contains(&words[at].as_str())).unwrap_or(words.len());
            (words[..end].to_vec(), words[end..].to_vec())
        }
        StatementKind::Question | StatementKind::Lasting
            if asks_why
                && matches!(
                    words.get(3).map(String::as_str),
                    Some("still" | "always" | "again" | "keep")
                ) =>
        {
            (words.clone(), Vec::new())
        }
        _ => (Vec::new(), words.clone()),
    }
}

#[cfg(test)]
#[path = "statement/tests.rs"]
mod tests;

//! Whether a text tells somebody to do a thing, or not to.
//!
//! A `not` somewhere in the text proves nothing: "the hook does not work, so use --no-verify" orders
//! what it seems to deny. So a negation counts only where it governs the verb: in the same sentence,
//! in the same clause, before the verb and next to it ("never ever use"), or next to the thing itself
//! ("commit without --no-verify"). Both together are an order again ("never commit without it").

use std::ops::Range;

use super::lazy::Lazy;

/// Something that one may be told to do.
#[derive(Debug)]
pub(super) struct Order {
    /// The words that order it, in the imperative.
    pub(super) verbs: &'static str,
    /// The thing.
    pub(super) object: &'static str,
    /// How the two may be joined.
    pub(super) reach: Reach,
}

/// How a verb and the thing may be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Both stand in one sentence, as in `push to the mirror with --no-verify`.
    Sentence,
    /// The thing is what the verb acts on: a few words between them, and no preposition. "Disable the
    /// cache of the linter" says nothing of the linter.
    Object,
}

/// How far before a thing its verb may stand, in bytes.
const VERB_DISTANCE: usize = 80;
/// How far before a thing its sentence is looked at, in bytes.
const SENTENCE: usize = 240;

/// At the end of a text: a negation, with nothing but empty words after it.
const NEGATION: &str = r"(?:\b(?:never|not|cannot|avoid|stop|refuse to|instead of|rather than|without|no|over|(?:before|unless|until)(?: (?:you|we|anyone|somebody))?)|n't)(?: (?:ever|even|again|simply|blindly|silently|try to|attempt to|to|be|by|a|an|any|the|with|using|use|pass|passing|run|running|agents|you|let agents))*[ `'\x22(]*$";
/// Where one clause ends and the next begins.
const CLAUSE: &str = r",|\(| (?:and|but|then|so|just|because|simply|please) | [-–—] ";
/// Turns a negated verb round: "not slowly but with --no-verify".
const TURN: &str = r"\b(?:but|just|simply)\b";
/// Between a verb and what it acts on.
const DIRECT: &str = r"^(?: [\w'`\x22/-]+){0,4}[ `'\x22]*$";
/// What tells that the thing belongs to another word.
const PREPOSITION: &str = r"\b(?:of|in|on|with|from|for|by|at|to|if|when|that|which)\b";
/// Before a word that is no verb: "a commit with".
const ARTICLE: &str = r"\b(?:a|an|the|each|every|this|any) $";
/// After a thing: it is said to be wrong.
const WRONG: &str =
    r"^[`'\x22]? (?:is|are|was|would be) (?:wrong|dangerous|unsafe|insecure|never|a mistake)\b";
/// At the end of a text: what makes a statement a condition.
const CONDITION: &str = r"\b(?:once|until|unless|before|after|when|whenever|if|whether|as soon as)(?: (?:the|your|a|an|its))?(?: security)? ?$";
/// Anywhere in a clause.
const DENIAL: &str = r"\b(?:never|not|cannot|avoid|nobody|no one)\b|n't\b";

/// The words of [`Order`]s and of this module, as they are looked for.
pub(super) struct Grammar {
    negation: Lazy,
    clause: Lazy,
    turn: Lazy,
    wrong: Lazy,
    condition: Lazy,
    denial: Lazy,
    direct: Lazy,
    preposition: Lazy,
    article: Lazy,
}

impl Grammar {
    pub(super) fn new() -> Self {
        Self {
            negation: Lazy::new(NEGATION),
            clause: Lazy::new(CLAUSE),
            turn: Lazy::new(TURN),
            wrong: Lazy::new(WRONG),
            condition: Lazy::new(CONDITION),
            denial: Lazy::new(DENIAL),
            direct: Lazy::new(DIRECT),
            preposition: Lazy::new(PREPOSITION),
            article: Lazy::new(ARTICLE),
        }
    }

    #[cfg(test)]
    pub(super) fn all(&self) -> [&Lazy; 9] {
        let Self { negation, clause, turn, wrong, condition, denial, direct, preposition, article } = self;
        [negation, clause, turn, wrong, condition, denial, direct, preposition, article]
    }

    /// Whether the thing is ordered anywhere in `text`.
    pub(super) fn orders(&self, text: &str, verbs: &Lazy, object: &Lazy, reach: Reach) -> bool {
        all(object, text).any(|thing| {
            let start = sentence_start(text, thing.start);
            let before = &text[start..thing.start];
            let near = before.floor_char_boundary(before.len().saturating_sub(VERB_DISTANCE));
            all(verbs, before)
                .filter(|verb| verb.start >= near && !self.article.is_match(&before[..verb.start]))
                .filter(|verb| reach == Reach::Sentence || self.acts_on(&before[verb.end..]))
                .any(|verb| self.is_meant(before, verbs, &verb))
        })
    }

    /// Whether a verb acts on a thing, by what stands between them.
    fn acts_on(&self, between: &str) -> bool {
        self.direct.is_match(between) && !self.preposition.is_match(between)
    }

    /// Whether `verb` in the part of a sentence before a thing orders it.
    fn is_meant(&self, before: &str, verbs: &Lazy, verb: &Range<usize>) -> bool {
        let clause = self.clause_start(&before[..verb.start]);
        // What negates the first of several verbs of a clause negates them all.
        let verb_denied = all(verbs, &before[clause..verb.end])
            .any(|other| self.negation.is_match(&before[clause..clause + other.start]));
        let between = &before[verb.end..];
        let thing_denied = self.negation.is_match(&between[self.clause_start(between)..]);
        (verb_denied && !self.turn.is_match(between)) == thing_denied
    }

    /// Whether `act` stands anywhere in `text` without being warned of.
    pub(super) fn acts(&self, text: &str, act: &Lazy) -> bool {
        all(act, text).any(|found| {
            let before = &text[sentence_start(text, found.start)..found.start];
            let clause = &before[self.clause_start(before)..];
            !self.negation.is_match(clause) && !self.wrong.is_match(&text[found.end..])
        })
    }

    /// Whether `claim` is made anywhere in `text`.
    pub(super) fn claims(&self, text: &str, claim: &Lazy) -> bool {
        all(claim, text).any(|found| {
            let before = &text[sentence_start(text, found.start)..found.start];
            let clause = &before[self.clause_start(before)..];
            !self.condition.is_match(clause) && !self.denial.is_match(clause)
        })
    }

    /// Where the last clause of `text` begins.
    fn clause_start(&self, text: &str) -> usize {
        all(&self.clause, text).last().map_or(0, |border| border.end)
    }
}

/// Where the sentence begins in which `at` stands, as far as it is looked at.
fn sentence_start(text: &str, at: usize) -> usize {
    let from = text.floor_char_boundary(at.saturating_sub(SENTENCE));
    let ends = |pair: &[u8]| matches!(pair, [b'.' | b';' | b':' | b'!' | b'?', b' ']);
    let border = text.as_bytes()[from..at].windows(2).rposition(ends);
    border.map_or(from, |border| from + border + 2)
}

/// Every place that `regex` matches. The search goes on behind the first character of a match, so that
/// a short one inside a long one is found too.
fn all<'t>(regex: &'t Lazy, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = regex.find(text.get(from..)?)?;
        let found = from + found.start..from + found.end;
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let rest = &text[found.start..];
        let first = rest.chars().next().map_or(1, char::len_utf8);
        // On to the end of the word, so that no search starts inside one.
        from = found.start + first + rest[first.min(rest.len())..].find(|c| !word(c)).unwrap_or(rest.len());
        Some(found)
    })
}

//! Instructions in a text: whether it tells somebody to do something, or not to.
//!
//! A `not` somewhere in the text proves nothing: "the hook does not work, so use --no-verify" orders
//! what it seems to deny. So a negation counts only where it governs the verb: in the same sentence,
//! in the same clause, before the verb and next to it ("never ever use"), or next to the thing itself
//! ("commit without --no-verify"). Both together are an order again ("never commit without it").

use std::ops::Range;

use super::lazy::LazyPattern;

/// An instruction to do something, as the words that give it.
pub(super) struct Instruction {
    /// The verbs of the instruction, in the imperative.
    pub(super) verbs: LazyPattern,
    /// The object of the verbs.
    pub(super) object: LazyPattern,
    /// The distance that is allowed between the two.
    pub(super) reach: Reach,
}

/// Something that is sent somewhere, as the words that say so: in one sentence, in this order.
pub(super) struct Sending {
    /// The verbs, in the imperative.
    pub(super) verbs: LazyPattern,
    /// What is sent.
    pub(super) object: LazyPattern,
    /// Where it is sent.
    pub(super) target: LazyPattern,
}

/// The connection that is required between a verb and its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Both are in one sentence, as in `push to the mirror with --no-verify`.
    Sentence,
    /// The object is what the verb acts on: a few words between them, and no preposition. "Disable the
    /// cache of the linter" is no instruction about the linter.
    Object,
}

/// The distance before an object within which its verb is looked for, in bytes.
const VERB_DISTANCE: usize = 80;
/// The distance before an object within which its sentence begins, in bytes.
const SENTENCE: usize = 240;

/// The distance between what is sent and where it is sent, in bytes.
const TARGET_DISTANCE: usize = 160;

/// A negation at the end of a text, with nothing but empty words after it.
static NEGATION: LazyPattern = LazyPattern::new(
    r"(?:\b(?:never|not|cannot|avoid|stop|refused?(?: to)?|instead of|rather than|without|no|over|(?:before|unless|until)(?: (?:you|we|anyone|somebody))?)|n't)(?: [`'\x22]?(?:ever|even|again|simply|blindly|silently|try to|attempt to|to|be|by|a|an|any|the|with|using|use|pass|passing|run|running|git|agents|you|let agents))*[ `'\x22(]*$",
);
/// The boundary between two clauses.
static CLAUSE: LazyPattern =
    LazyPattern::new(r",|\(| (?:and|but|then|so|just|because|simply|please) | [-–—] ");
/// A word that reverses a negation: "not slowly but with --no-verify".
static TURN: LazyPattern = LazyPattern::new(r"\b(?:but|just|simply)\b");
/// The words allowed between a verb and its direct object.
static DIRECT: LazyPattern = LazyPattern::new(r"^(?: [\w'`\x22/-]+){0,4}[ `'\x22]*$");
/// A preposition, after which the object belongs to another word.
static PREPOSITION: LazyPattern =
    LazyPattern::new(r"\b(?:of|in|on|with|from|for|by|at|to|if|when|that|which)\b");
/// An article, after which a word is no verb: "a commit with".
static ARTICLE: LazyPattern = LazyPattern::new(r"\b(?:a|an|the|each|every|this|any) $");
/// A statement after an object that it is wrong.
static WRONG: LazyPattern = LazyPattern::new(
    r"^[`'\x22]? (?:is|are|was|would be) (?:wrong|dangerous|unsafe|insecure|never|a mistake)\b",
);
/// A word at the end of a text that makes a statement a condition.
static CONDITION: LazyPattern = LazyPattern::new(
    r"\b(?:once|until|unless|before|after|when|whenever|if|whether|as soon as)(?: (?:the|your|a|an|its))?(?: security)? ?$",
);
/// A denial anywhere in a clause.
static DENIAL: LazyPattern = LazyPattern::new(r"\b(?:never|not|cannot|avoid|nobody|no one)\b|n't\b");

/// The patterns of this module.
#[cfg(test)]
pub(super) fn patterns() -> [&'static LazyPattern; 9] {
    [&NEGATION, &CLAUSE, &TURN, &WRONG, &CONDITION, &DENIAL, &DIRECT, &PREPOSITION, &ARTICLE]
}

/// The ranges of `text` that give the instruction, from the verb to its object.
pub(super) fn orders<'t>(
    text: &'t str,
    Instruction { verbs, object, reach }: &'t Instruction,
) -> impl Iterator<Item = Range<usize>> + 't {
    all(object, text).filter_map(move |thing| {
        let start = sentence_start(text, thing.start);
        let before = &text[start..thing.start];
        let near = before.floor_char_boundary(before.len().saturating_sub(VERB_DISTANCE));
        let verb = all(verbs, before)
            .filter(|verb| verb.start >= near && !ARTICLE.is_match(&before[..verb.start]))
            .filter(|verb| *reach == Reach::Sentence || acts_on(&before[verb.end..]))
            .find(|verb| is_meant(before, verbs, verb))?;
        Some(start + verb.start..thing.end)
    })
}

/// Whether a verb acts on an object, given the text between them.
fn acts_on(between: &str) -> bool {
    DIRECT.is_match(between) && !PREPOSITION.is_match(between)
}

/// Whether `verb`, in the part of a sentence before its object, is meant as an instruction.
fn is_meant(before: &str, verbs: &LazyPattern, verb: &Range<usize>) -> bool {
    let clause = clause_start(&before[..verb.start]);
    // What negates the first of several verbs of a clause negates them all.
    let verb_denied = all(verbs, &before[clause..verb.end])
        .any(|other| NEGATION.is_match(&before[clause..clause + other.start]));
    let between = &before[verb.end..];
    let thing_denied = NEGATION.is_match(&between[clause_start(between)..]);
    (verb_denied && !TURN.is_match(between)) == thing_denied
}

/// The ranges of `text` that contain `act` without a warning against it.
pub(super) fn acts<'t>(text: &'t str, act: &'t LazyPattern) -> impl Iterator<Item = Range<usize>> + 't {
    all(act, text).filter(move |found| {
        let clause = clause_before(text, found);
        !NEGATION.is_match(clause) && !WRONG.is_match(&text[found.end..])
    })
}

/// The ranges of `text` that have something sent, from the verb to the target.
pub(super) fn sends<'t>(
    text: &'t str,
    Sending { verbs, object, target }: &'t Sending,
) -> impl Iterator<Item = Range<usize>> + 't {
    all(object, text).filter_map(move |thing| {
        let start = sentence_start(text, thing.start);
        let before = &text[start..thing.start];
        let meant = |verb: &Range<usize>| {
            let clause = &before[clause_start(&before[..verb.start])..verb.start];
            !NEGATION.is_match(clause)
        };
        let verb = all(verbs, before).find(meant)?;
        let behind = thing.end..text.floor_char_boundary(thing.end + TARGET_DISTANCE);
        let target = target.find(&text[behind.start..sentence_end(text, behind)])?;
        let end = thing.end + target.end;
        (!WRONG.is_match(&text[end..])).then_some(start + verb.start..end)
    })
}

/// The ranges of `text` that make the statement `claim`.
pub(super) fn claims<'t>(text: &'t str, claim: &'t LazyPattern) -> impl Iterator<Item = Range<usize>> + 't {
    all(claim, text).filter(move |found| {
        let clause = clause_before(text, found);
        !CONDITION.is_match(clause) && !DENIAL.is_match(clause)
    })
}

/// The part of the clause around `found` that is before it.
fn clause_before<'t>(text: &'t str, found: &Range<usize>) -> &'t str {
    let before = &text[sentence_start(text, found.start)..found.start];
    &before[clause_start(before)..]
}

/// The offset at which the last clause of `text` begins.
fn clause_start(text: &str) -> usize {
    all(&CLAUSE, text).last().map_or(0, |border| border.end)
}

/// The offset at which the sentence around `at` begins, at most [`SENTENCE`] bytes before it.
fn sentence_start(text: &str, at: usize) -> usize {
    let from = text.floor_char_boundary(at.saturating_sub(SENTENCE));
    let ends = |pair: &[u8]| matches!(pair, [b'.' | b';' | b':' | b'!' | b'?', b' ']);
    let border = text.as_bytes()[from..at].windows(2).rposition(ends);
    border.map_or(from, |border| from + border + 2)
}

/// The offset at which the first sentence that ends in `range` ends, else the end of the range.
fn sentence_end(text: &str, range: Range<usize>) -> usize {
    let ends = |pair: &[u8]| matches!(pair, [b'.' | b';' | b'!' | b'?', b' ']);
    let border = text.as_bytes()[range.clone()].windows(2).position(ends);
    border.map_or(range.end, |border| range.start + border)
}

/// The ranges of all matches of `regex`, overlapping ones too. The search goes on behind the first character of a match, so that
/// a short one inside a long one is found too.
fn all<'t>(regex: &'t LazyPattern, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
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

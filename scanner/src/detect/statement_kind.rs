//! The kinds of statements, and the words by which they are known.

use super::acts;
use super::lasting::{FEWEST_WORDS, is_lasting};
use super::sentence::Sentence;
use super::wish_prefilter;

/// How a person says what they want, the clearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StatementKind {
    /// It is to be remembered: `from now on …`, `always …`, `I told you …`.
    Lasting,
    /// Something is not to be done: `don't …`, `no need to …`, `I did not ask you to …`.
    Prohibition,
    /// Something is to be done in the place of something else: `use X, not Y`, `prefer X`.
    Replacement,
    /// Something is to be done first.
    First,
    /// A custom of the place: `X is not used here`, `that is generated: run Y`.
    Custom,
    /// A correction put as a question: `why are you still using X?`, `shouldn't this be Y?`.
    Question,
    /// What was done or said is wrong, and this is right.
    Contradiction,
}

/// The occasion on which something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// A prompt.
    Prompt,
    /// The reason for refusing a call: it is about that call, so less has to be said.
    Refusal,
}

/// The most words of a sentence that states one thing.
const MOST_WORDS: usize = 45;

/// What limits a sentence to the moment, or to the work at hand.
const FOR_NOW: [&str; 24] = [
    "yet",
    "for now",
    "this time",
    "right now",
    "at the moment",
    "today",
    "tonight",
    "tomorrow",
    "until",
    "anything",
    "for the moment",
    "for this",
    "in this branch",
    "in this pr",
    "in this session",
    "in this case",
    "later",
    "a second",
    "a sec",
    "a moment",
    "just now",
    "so far",
    "meanwhile",
    "temporarily",
];
/// What a person says of an act that they had not asked for.
const OBJECTIONS: [&str; 6] =
    ["i did not say", "i didn't say", "i did not ask", "i didn't ask", "i never asked", "nobody asked"];
/// Verbs after "don't" that tell of the speaker and ask for nothing.
const OF_THE_SPEAKER: [&str; 22] = [
    "know",
    "think",
    "see",
    "understand",
    "believe",
    "have",
    "mind",
    "get",
    "care",
    "remember",
    "need",
    "want",
    "like",
    "worry",
    "bother",
    "feel",
    "we",
    "you",
    "i",
    "they",
    "it",
    "really",
];
/// Objects that only the moment explains.
const PRONOUNS: [&str; 10] = ["it", "that", "this", "them", "these", "those", "so", "me", "us", "here"];
/// Words of somebody who is not sure.
const HEDGES: [&str; 16] = [
    "maybe",
    "perhaps",
    "hmm",
    "wonder",
    "wondering",
    "might",
    "guess",
    "probably",
    "lol",
    "curious",
    "possibly",
    "unsure",
    "suppose",
    "wait",
    "actually",
    "if",
];
/// A test whether a sentence is a statement of one kind.
type Test = fn(&Sentence<'_>, Occasion) -> bool;

/// The kind of the statement that a sentence is, if it is one.
pub(super) fn kind(sentence: &Sentence<'_>, occasion: Occasion) -> Option<StatementKind> {
    if asks_to_last(sentence) {
        return Some(StatementKind::Lasting);
    }
    let tests: [(StatementKind, Test); 6] = [
        (StatementKind::Prohibition, is_prohibition),
        (StatementKind::Replacement, is_replacement),
        (StatementKind::First, is_first),
        (StatementKind::Custom, is_custom),
        (StatementKind::Question, is_question),
        (StatementKind::Contradiction, is_contradiction),
    ];
    if !(FEWEST_WORDS..=MOST_WORDS).contains(&sentence.words.len()) {
        return None;
    }
    let kind = tests.iter().find(|(_, test)| test(sentence, occasion)).map(|(kind, _)| *kind);
    kind.filter(|_| !is_for_now(sentence))
}

/// Whether a sentence asks for something that lasts, in any language.
pub(super) fn asks_to_last(sentence: &Sentence<'_>) -> bool {
    let length = sentence.words.len();
    length <= MOST_WORDS
        && (wish_prefilter::lasts_elsewhere(&sentence.text.to_lowercase())
            || length >= FEWEST_WORDS && is_lasting(sentence))
        && !is_for_now(sentence)
}

/// Whether a sentence is about the moment, and does not object to what was done.
fn is_for_now(sentence: &Sentence<'_>) -> bool {
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| sentence.has(phrase));
    has(&FOR_NOW) && !has(&OBJECTIONS)
}

/// Whether somebody is not sure, or speaks of what they do themselves.
pub(super) fn is_hedged(sentence: &Sentence<'_>) -> bool {
    let lower = sentence.text.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    let is_report = matches!(
        first,
        "i" | "i've" | "i'm" | "we" | "when" | "if" | "for" | "with" | "wait" | "hmm" | "lol"
    );
    is_report || HEDGES.iter().any(|hedge| sentence.has(hedge))
}

fn is_prohibition(sentence: &Sentence<'_>, occasion: Occasion) -> bool {
    if sentence.is_question {
        // "Could you not reuse it?" asks, and "could you please not reuse it?" does not.
        return sentence.has("you please not") && is_forbidding(sentence, occasion);
    }
    let is_objection = OBJECTIONS.iter().any(|phrase| sentence.has(phrase));
    // "Fine, no need to run it" allows something for once; after an instruction it is part of that.
    let needs_no = sentence.has("no need to")
        && (!sentence.begins(&["no", "need"])
            || occasion == Occasion::Refusal
            || !PRONOUNS.contains(&sentence.word(4)));
    if is_objection || needs_no || (occasion == Occasion::Refusal && sentence.has("let's avoid")) {
        return true;
    }
    let is_wish = [
        &["i", "don't", "want", "you", "to"][..],
        &["i", "don't", "want", "to"],
        &["i", "do", "not", "want", "to"],
    ];
    if is_wish.iter().any(|words| sentence.begins(words)) {
        return true;
    }
    // A person says it in passing as well: "squash them, don't push yet".
    let is_said_in_passing = |clause: Sentence<'_>| {
        // "It fails at once, never later" tells how it is.
        let is_plain = clause.begins(&["do", "not"])
            || clause.begins(&["don't"])
            || clause.begins(&["never"]) && occasion == Occasion::Refusal;
        is_plain && !is_conditional(sentence) && is_forbidding(&clause, occasion)
    };
    is_forbidding(sentence, occasion) || sentence.later_clauses().any(is_said_in_passing)
}

/// Whether a sentence tells of a case, or lists the steps of a task.
fn is_conditional(sentence: &Sentence<'_>) -> bool {
    matches!(sentence.word(0), "if" | "when" | "do" | "run" | "change" | "start" | "create")
}

/// Whether a sentence says that it is about the project, and so about more than the next step.
fn is_of_place(sentence: &Sentence<'_>) -> bool {
    let places = ["this project", "this repo", "this repository", "this codebase", "the codebase", "in here"];
    places.iter().any(|place| sentence.has(place))
}

/// Whether a clause begins with what is not to be done.
fn is_forbidding(sentence: &Sentence<'_>, occasion: Occasion) -> bool {
    let sentence_words: Vec<&str> = sentence.words.iter().map(String::as_str).collect();
    let rest = match sentence_words.as_slice() {
        ["do" | "please", "not", rest @ ..]
        | ["don't" | "dont" | "never" | "avoid", rest @ ..]
        | ["let's" | "lets", "avoid", rest @ ..]
        | ["you", "must" | "should", "not" | "never", rest @ ..]
        | ["you", "mustn't" | "shouldn't" | "can't", rest @ ..]
        | ["can" | "could" | "would", "you", "please", "not", rest @ ..]
        | ["can" | "could" | "would", "you", "not", rest @ ..]
        | ["we", "should" | "must", "never", rest @ ..]
        | ["you're" | "youre", "not", "supposed", "to", rest @ ..] => rest,
        ["stop", verb, ..] if verb.ends_with("ing") => &sentence_words[1..],
        ["let's" | "lets", "not", rest @ ..] if is_of_place(sentence) => rest,
        _ => return false,
    };
    let Some((verb, objects)) = rest.split_first() else { return false };
    let is_vague =
        objects.first().is_none_or(|object| PRONOUNS.contains(object)) && occasion == Occasion::Prompt;
    !OF_THE_SPEAKER.contains(verb) && !is_vague
}

fn is_replacement(sentence: &Sentence<'_>, occasion: Occasion) -> bool {
    let replaces = sentence.has("instead of")
        || sentence.has("rather than")
        || sentence.has("and not")
        || sentence.text.contains(", not ")
        || sentence.words.last().is_some_and(|word| word == "instead");
    let words: Vec<&str> = sentence.words.iter().map(String::as_str).collect();
    let rest = match words.as_slice() {
        ["let's" | "lets", rest @ ..]
        | ["you" | "we", "just", "should" | "need", rest @ ..]
        | ["you" | "we", "should" | "must", "be" | "just", rest @ ..]
        | ["you" | "we", "should" | "must" | "always", rest @ ..]
        | rest => rest,
    };
    let rest = if rest.first() == Some(&"just") { &rest[1..] } else { rest };
    let is_told = rest.len() < words.len() && words.first().is_some_and(|word| *word == "you");
    if !sentence.is_question && rest.len() >= 2 {
        // "Call it X instead of Y" gives one thing a name.
        let does = matches!(rest[0], "use" | "using" | "run" | "running" | "call" | "calling" | "stick")
            && !(rest[0] == "call" && PRONOUNS.contains(&rest[1]));
        let enough = replaces || sentence.has("for everything") || is_told || occasion == Occasion::Refusal;
        let compares = replaces || sentence.has("over");
        let prefers = rest[0] == "prefer" && rest.len() >= FEWEST_WORDS
            || matches!(rest, ["i" | "we", "prefer", ..]) && compares;
        if (does && enough && !HEDGES.iter().any(|hedge| sentence.has(hedge))) || prefers {
            return true;
        }
    }
    let holds_always =
        ["should always", "should never", "must always", "must never", "should only", "must only"];
    let is_general =
        holds_always.iter().any(|phrase| sentence.has(phrase)) && (replaces || sentence.has("not"));
    let is_rule = (sentence.has("are never") || sentence.has("is never")) && sentence.has("only");
    !sentence.is_question && (is_general || is_rule)
}

fn is_first(sentence: &Sentence<'_>, occasion: Occasion) -> bool {
    occasion == Occasion::Refusal
        && !sentence.is_question
        && sentence.words.len() <= 8
        && sentence.words.last().is_some_and(|word| word == "first")
        && !is_hedged(sentence)
}

fn is_custom(sentence: &Sentence<'_>, occasion: Occasion) -> bool {
    let forbids = [
        "not allowed",
        "isn't allowed",
        "aren't allowed",
        "not used here",
        "isn't used here",
        "don't use",
        "don't allow",
    ];
    let of_the_place = [
        "here",
        "in this repo",
        "in this project",
        "is generated",
        "are generated",
        "not used",
        "need a",
        "needs a",
        "need the",
        "needs the",
    ];
    let gives_other = [", use ", ": use ", "; use ", " - use ", ", run ", ": run "];
    if sentence.is_question || is_hedged_custom(sentence) || sentence.words.len() < FEWEST_WORDS + 1 {
        return false;
    }
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| sentence.has(phrase));
    // "We always did" tells a story.
    let is_past =
        matches!(sentence.word(2), "did" | "had" | "was" | "were" | "used" | "got" | "went" | "thought");
    let is_habit = (sentence.begins(&["we", "never"]) || sentence.begins(&["we", "always"])) && !is_past;
    let replaces = has(&["instead of", "rather than", "and not"]) || sentence.text.contains(", not ");
    let is_convention = has(&["the convention here is", "our convention is", "convention is to"]);
    // Of all commit messages, and not of the next one.
    let is_of_all_texts =
        matches!(sentence.word(0), "write" | "keep" | "start" | "begin" | "name" | "mention")
            && acts::written(&sentence.words).is_some()
            && sentence
                .words
                .iter()
                .any(|word| matches!(word.as_str(), "messages" | "titles" | "descriptions"));
    is_habit
        || is_convention
        || is_of_all_texts
        || has(&["we use"]) && replaces
        || sentence.begins(&["we", "use"]) && denies_a_thing(sentence)
        || has(&forbids)
        || occasion == Occasion::Refusal
            && (has(&of_the_place) || gives_other.iter().any(|phrase| sentence.text.contains(phrase)))
}

/// Whether a `not` stands before what is not used, and not behind a verb: "we use spaces not tabs".
fn denies_a_thing(sentence: &Sentence<'_>) -> bool {
    const VERBS: [&str; 12] =
        ["is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "will", "should"];
    let at = sentence.words.iter().position(|word| word == "not");
    at.and_then(|at| at.checked_sub(1)).is_some_and(|at| !VERBS.contains(&sentence.word(at)))
}

fn is_hedged_custom(sentence: &Sentence<'_>) -> bool {
    let first = sentence.word(0);
    matches!(first, "i" | "i've" | "i'm" | "if" | "when" | "have" | "there")
        || HEDGES.iter().any(|hedge| sentence.has(hedge))
}

fn is_question(sentence: &Sentence<'_>, occasion: Occasion) -> bool {
    let words: Vec<&str> = sentence.words.iter().map(String::as_str).collect();
    if !sentence.is_question || words.len() < 4 {
        return false;
    }
    match words.as_slice() {
        ["why", "can't" | "cant" | "don't" | "didn't", "we" | "you", rest @ ..] => {
            rest.iter().any(|word| matches!(*word, "use" | "using" | "used" | "not"))
        }
        ["why", "not", verb, ..] => verb.ends_with("ing"),
        ["can't" | "cant", ..] => {
            occasion == Occasion::Refusal || sentence.has("instead of") || sentence.has("as")
        }
        ["can" | "could" | "should", "we" | "you", "use", ..] => occasion == Occasion::Refusal,
        ["why", "are" | "do" | "did" | "were", "you" | "we", "use" | "using", ..] => {
            sentence.has("instead of") || sentence.has("rather than")
        }
        [
            "why",
            "are" | "do" | "did" | "were",
            "you" | "we",
            "still" | "always" | "again" | "keep" | "not",
            ..,
        ]
        | ["why", "aren't" | "arent" | "isn't", "you" | "we", ..]
        | ["shouldn't" | "shouldnt", ..]
        | ["aren't" | "weren't", "we" | "you", "supposed", ..]
        | ["that" | "this" | "it", "should" | "should've", "have", ..] => true,
        _ => sentence.has("not just using") || sentence.has("you not using"),
    }
}

fn is_contradiction(sentence: &Sentence<'_>, _: Occasion) -> bool {
    let wrong = ["not correct", "isn't correct", "not right", "isn't right"];
    let is_of_words = sentence.words.len() <= 25 && !sentence.has("seems") && !sentence.has("part");
    let says_why = sentence.core.contains([',', ':', ';']) && sentence.words.len() >= 8 && is_of_words;
    let is_wrong = wrong.iter().any(|phrase| sentence.has(phrase)) && says_why;
    let on_purpose = sentence.has("on purpose") && sentence.words.len() >= 5;
    let is_reproach =
        sentence.begins(&["you", "forgot", "to"]) || sentence.begins(&["you", "should", "have"]);
    !sentence.is_question && (is_wrong || on_purpose || is_reproach)
}

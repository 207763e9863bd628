//! The words by which a person asks for something that lasts: "from now on", "remember to", "I told you".

use super::sentence::Sentence;

/// The fewest words of a wish, and of any other statement.
pub(super) const FEWEST_WORDS: usize = 3;

/// Whether a sentence asks in English for something that lasts, whatever else it says.
pub(super) fn is_lasting(sentence: &Sentence<'_>) -> bool {
    let told = [
        "i told you",
        "i already told",
        "i've told",
        "already told you",
        "i said",
        "i asked you",
        "i've asked",
        "how many times",
        "you keep",
        "not what i asked",
        "not how we",
        "i keep telling",
    ];
    if told.iter().any(|phrase| sentence.has(phrase)) || sentence.begins(&["didn't", "i"]) {
        return sentence.words.len() > FEWEST_WORDS;
    }
    if sentence.is_question {
        return false;
    }
    let in_mind = ["keep that in mind", "keep this in mind", "keep it in mind"];
    let begins = [
        &["from", "now", "on"][..],
        &["for", "future", "reference"],
        &["from", "here", "on"],
        &["going", "forward"],
        &["next", "time"],
        &["in", "future"],
        &["in", "the", "future"],
        &["as", "a", "rule"],
        &["as", "of", "now"],
        &["remember", "to"],
        &["remember", "that"],
        &["remember", "not"],
        &["remember", "never"],
        &["remember", "always"],
        &["always", "remember"],
        &["don't", "forget", "to"],
        &["do", "not", "forget", "to"],
        &["every", "time", "you"],
        &["each", "time", "you"],
        &["whenever", "you"],
        &["only", "ever"],
    ];
    let is_always = matches!(sentence.word(0), "always" | "never")
        && !matches!(sentence.word(1), "mind" | "been" | "had" | "ever" | "the" | "a" | "again");
    let makes_sure = sentence.has("make sure")
        && (sentence.has("always")
            || sentence.has("never")
            || sentence.has("every time")
            || sentence.has("everywhere"));
    let is_on_occasion = matches!(sentence.word(0), "after" | "before") && asks_for_always(sentence);
    let from_now_on = sentence.has("from now on") || sentence.has("going forward");
    let is_kept_in_mind = in_mind.iter().any(|phrase| sentence.has(phrase));
    is_kept_in_mind
        || is_on_occasion
        || is_always
        || makes_sure
        || from_now_on
        || begins.iter().any(|words| sentence.begins(words))
}

/// Whether an `always` asks for something, and tells nothing: "after a change of the schema always generate the client",
/// and not "after the update it always crashes".
fn asks_for_always(sentence: &Sentence<'_>) -> bool {
    let at = sentence.words.iter().position(|word| word == "always");
    let verb = at.map_or("", |at| sentence.word(at + 1));
    let tells = verb.ends_with("ed") || verb.ends_with('s') && !verb.ends_with("ss");
    !verb.is_empty() && !tells && !matches!(verb, "had" | "got" | "went" | "came" | "took" | "gave" | "been")
}

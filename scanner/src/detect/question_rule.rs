//! The rule in a correction that is put as a question.
//!
//! "Why are you still using yarn?" means "stop using yarn". Only the turn of the sentence changes, and the question
//! itself is quoted: the words stay the person's own.

/// What a question asks to be done. `None` where its form does not tell.
pub(super) fn rule_of(question: &str) -> Option<String> {
    let words: Vec<&str> = question.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase().replace('’', "'")).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let rest = |from: usize| {
        let text = words.get(from..)?.join(" ");
        let text = text.trim_end_matches(['?', '!', '.', ' ']).to_owned();
        (!text.is_empty()).then_some(text)
    };
    let instead = lower.windows(2).position(|pair| matches!(pair, ["instead", "of"] | ["rather", "than"]));
    match (lower.as_slice(), instead) {
        (["why", "are" | "do" | "did" | "were", "you" | "we", "use" | "using", ..], Some(at)) if at > 4 => {
            rest(at + 2).map(|wanted| format!("Use {wanted}, not {}", words[4..at].join(" ")))
        }
        _ => of_other(&lower, rest),
    }
}

/// What a question asks to be done that does not put one thing in the place of another. `rest` is its text from a word
/// on.
fn of_other(lower: &[&str], rest: impl Fn(usize) -> Option<String>) -> Option<String> {
    match lower {
        ["why", "are" | "do" | "did" | "were", "you" | "we", "still" | "always" | "again" | "keep", ..] => {
            let is_doing = lower.get(4).is_some_and(|verb| verb.ends_with("ing"));
            rest(4).map(|rest| format!("{} {rest}", if is_doing { "Stop" } else { "Do not" }))
        }
        [
            "why",
            "aren't" | "arent" | "don't" | "didn't" | "can't" | "cant",
            "you" | "we",
            "just" | "not",
            ..,
        ] => rest(4).map(|rest| format!("It should be: {rest}")),
        ["why", "aren't" | "arent" | "don't" | "didn't" | "can't" | "cant", "you" | "we", ..]
        | ["why", "are", "you" | "we", "not", ..] => {
            let from = if lower.get(3) == Some(&"not") { 4 } else { 3 };
            rest(from).map(|rest| format!("It should be: {rest}"))
        }
        ["shouldn't" | "shouldnt", subject @ ("this" | "that" | "it" | "we" | "you"), ..] => {
            rest(2).map(|rest| format!("{}{} should {rest}", subject[..1].to_uppercase(), &subject[1..]))
        }
        ["can't" | "cant" | "can" | "could" | "should", "we" | "you", ..] => {
            let rest = rest(2)?;
            let mut chars = rest.chars();
            chars.next().map(|first| first.to_uppercase().chain(chars).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::rule_of;

    #[test]
    fn a_question_is_turned_into_what_it_asks_for() {
        for (question, rule) in [
            ("why are you still using yarn?", "Stop using yarn"),
            ("why do you always open a new branch?", "Do not open a new branch"),
            ("Why aren't we using the pool?", "It should be: using the pool"),
            ("why can't we just reuse the client?", "It should be: reuse the client"),
            ("Shouldn't this go through the queue?", "This should go through the queue"),
            ("can't we take the id of the order instead?", "Take the id of the order instead"),
            ("Why are we using Yarn instead of pnpm?", "Use pnpm, not Yarn"),
            ("why did you use a map rather than a list?", "Use a list, not a map"),
        ] {
            assert_eq!(rule_of(question).as_deref(), Some(rule));
        }
        for other in ["why not adding it?", "is that so?", "can we", ""] {
            assert_eq!(rule_of(other), None, "{other}");
        }
    }
}

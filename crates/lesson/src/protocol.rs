//! The recording protocol: instructions to the model, at the start of a session, for recording lessons.

/// The most bytes of the protocol.
pub const MAX_BYTES: usize = 780;

/// The example in the protocol. The scanner knows it and never takes it for a lesson; a lesson that a model writes in
/// similar words looks like a repetition. So the example is about a program that does not exist.
pub const EXAMPLE: &str = "\
#lesson
tool: Bash
trigger: acme release
mistake: acme release ships uncommitted files too
fix: use `acme release --from HEAD`
tags: tool:acme, severity:data-loss
#/lesson";

/// The text before the example.
const BEFORE: &str = "\
[Lessons] When you have made a mistake and found what to do instead, you may write this in your own answer, each \
marker alone on its line; a person reviews it:
";

/// The text after the example.
const AFTER: &str = "
`trigger:` is the start of the command. First ask: Is it trivial? Would I act differently? Is it specific to this place \
or tool? Would an engineer know it anyway? Is it an insight? No common practice, no secrets; most sessions record \
nothing. Weigh notes in <recorded-lessons>; do not record them again.";

/// The whole protocol.
pub fn text() -> String {
    [BEFORE, EXAMPLE, AFTER].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_fits_its_budget_and_asks_five_questions() {
        let text = text();
        assert!(text.len() <= MAX_BYTES, "{} bytes", text.len());
        assert_eq!(AFTER.matches('?').count(), 5);
        assert!(text.contains("\n#lesson\n") && text.contains("\n#/lesson\n"));
    }
}

//! The recording protocol: instructions to the model, at the start of a session, for recording lessons.

/// The most bytes of the protocol.
pub const MAX_BYTES: usize = 1500;

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
[Lessons] When you have made a mistake and found what to do instead, you may record it. Write this block in \
your own answer, each marker alone on its line; a person reviews it before it counts:
";

/// The text after the example.
const AFTER: &str = "
Optional lines: path:, why:, quality:, agent:, unless:. `trigger:` is the literal start of the command. Take a \
block back with #lesson:cancel, `trigger:` as before, #/lesson:cancel.
Ask yourself first: Is it trivial? Would I act differently next time? Is it specific to this place or tool? \
Would a competent engineer know it anyway? Is it an insight, not an event?
Do not record generic practice, obvious facts, basic tool use, standard conventions or passing workarounds, \
and never anything secret. Most sessions record nothing.
Notes in <recorded-lessons> were recorded this way: weigh them, and do not record them again.";

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

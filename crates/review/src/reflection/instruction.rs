//! What a reader is told besides the reading.

/// The text, with `MOST` in the place of the number of lessons.
const TEXT: &str = include_str!("instruction.md");

/// The instruction, for at most this many lessons.
pub fn instruction(most: usize) -> String {
    TEXT.replace("MOST", &most.to_string())
}

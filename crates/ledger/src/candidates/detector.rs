//! The detectors of the scanner by name: candidates and signals hold the name of the one that found them.

lessons_text::named! {
    /// A detector of mistakes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Detector {
        /// The user asked for something to be remembered.
        Asked = "asked to be remembered",
        /// The user refused or corrected the step just done.
        Correction = "correction",
        /// The user asks for the same in session after session.
        Demand = "repeated demand",
        /// The agent wrote a rule into a file of memory.
        Written = "memory file",
        /// An error names the word of the call that the program does not know.
        SelfExplained = "self-explaining error",
        /// Calls failed for the same reason over sessions, or one of them with a way out.
        Repetition = "repeated failure",
    }
}

impl Detector {
    /// Whether it sees calls that failed; the others see what a person said or wrote.
    pub fn sees_failures(self) -> bool {
        matches!(self, Self::SelfExplained | Self::Repetition)
    }
}

/// What somebody said in the texts of a candidate or lesson from `source`, to compare it with others: without the sentences
/// that a detector put around it, which are the same in all that it finds.
pub fn own_words(source: &str, mistake: &str, fix: &str) -> String {
    match Detector::named(source) {
        None => format!("{mistake} {fix}"),
        Some(detector) if detector.sees_failures() => {
            let told = code(fix);
            let fix = if told.is_empty() { fix } else { &told };
            format!("{} {fix}", code(mistake))
        }
        // The mistake says only how it was found; the fix is what a person said or wrote.
        Some(_) => fix.to_owned(),
    }
}

/// The parts of a text between backticks.
fn code(text: &str) -> String {
    text.split('`').skip(1).step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_of_a_detector_are_left_out() {
        let asked = "The user said: \"remember: use uv\"";
        assert_eq!(own_words("asked to be remembered", asked, "use `uv`, never pip"), "use `uv`, never pip");
        let failed = "`npm i` fails with exit code 1";
        assert_eq!(own_words("repeated failure", failed, "Use `pnpm i`"), "npm i pnpm i");
        assert_eq!(
            own_words("repeated failure", "Read fails the same way", "Expect Read to fail"),
            " Expect Read to fail"
        );
        assert_eq!(own_words("tag", failed, "Use `pnpm i`"), "`npm i` fails with exit code 1 Use `pnpm i`");
    }
}

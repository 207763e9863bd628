//! Colours of text that is printed line by line. The review screen has its own palette.

use std::io::IsTerminal as _;

use lessons_lesson::Mode;

/// Whether text may have colours: on a terminal that shows them, unless `NO_COLOR` is set (<https://no-color.org>).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Paint {
    /// The sixteen colours of the terminal.
    Colours,
    /// No colours.
    #[default]
    Plain,
}

impl Paint {
    /// The colours of standard output.
    pub fn of_stdout() -> Self {
        Self::of(std::io::stdout().is_terminal())
    }

    /// The colours of standard error.
    pub fn of_stderr() -> Self {
        Self::of(std::io::stderr().is_terminal())
    }

    fn of(is_terminal: bool) -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if is_terminal && !is_dumb && !is_set("NO_COLOR") { Self::Colours } else { Self::Plain }
    }

    /// A warning.
    pub fn warning(self, text: &str) -> String {
        self.styled("33", text)
    }

    /// An error.
    pub fn error(self, text: &str) -> String {
        self.styled("31", text)
    }

    /// A name that stands out, such as an id.
    pub fn name(self, text: &str) -> String {
        self.styled("1", text)
    }

    /// Text of less importance.
    pub fn dim(self, text: &str) -> String {
        self.styled("2", text)
    }

    /// A word in the colour of a mode.
    pub fn mode(self, mode: Mode, text: &str) -> String {
        match mode {
            Mode::Advise => self.styled("32", text),
            Mode::Bump => self.styled("33", text),
            Mode::Block => self.styled("31", text),
        }
    }

    /// A text with an SGR attribute (ECMA-48, 8.3.117), which ends with it.
    fn styled(self, attribute: &str, text: &str) -> String {
        match self {
            Self::Colours => format!("\u{1b}[{attribute}m{text}\u{1b}[0m"),
            Self::Plain => text.to_owned(),
        }
    }
}

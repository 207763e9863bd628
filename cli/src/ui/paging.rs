//! How much of a list is shown at once: a screen on a terminal, a few lines to an agent, everything to a program.

use std::io::IsTerminal as _;

use crate::app::App;

/// The most items that an agent is shown at once, whose context they fill.
const FOR_AGENT: usize = 50;
/// The lines of a screen that stay free, for the line above the list, the two below it and the prompt.
const FREE_LINES: usize = 4;
/// The fewest items of a page, however low the terminal is.
const FEWEST: usize = 3;
/// The width of a line where there is no terminal, in columns.
const WIDTH: usize = 98;
/// The width of a line to an agent, in columns: 50 of them are about 700 tokens.
const WIDTH_FOR_AGENT: usize = 54;

/// The part of a list that is shown at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    /// The number of items; `None` where everything is shown.
    pub(crate) length: Option<usize>,
    /// The width of a line, in columns.
    pub(crate) width: usize,
}

impl Page {
    /// The page for the reader of this output, of items that take `lines` lines each.
    pub(crate) fn of(app: &App, lines: usize) -> Self {
        if app.is_agent() {
            return Self { length: Some(FOR_AGENT), width: WIDTH_FOR_AGENT };
        }
        let size = std::io::stdout().is_terminal().then(crossterm::terminal::size).and_then(Result::ok);
        let Some((columns, rows)) = size else { return Self { length: None, width: WIDTH } };
        let length = (usize::from(rows).saturating_sub(FREE_LINES) / lines).max(FEWEST);
        Self { length: Some(length), width: usize::from(columns) }
    }
}

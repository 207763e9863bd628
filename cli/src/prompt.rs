//! Questions to the person at the terminal.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use anyhow::Result;

use crate::app::{App, Output};

/// Whether somebody can answer: the command talks to a terminal, and not to a program.
pub(crate) fn is_possible(app: &App) -> bool {
    app.output == Output::Text && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks a question. Returns what was typed, in lower case and without white space around it; empty at the end of the input.
pub(crate) fn ask(question: &str) -> Result<String> {
    let mut stdout = std::io::stdout();
    write!(stdout, "{question} ")?;
    stdout.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_lowercase())
}

/// Whether an answer is yes.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer, "y" | "yes")
}

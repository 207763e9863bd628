//! Questions to the person at the terminal.

use std::io::{BufRead as _, IsTerminal as _, Write};

use lessons_review::Remedy;

use crate::prelude::*;

/// Whether somebody can answer: the command talks to a terminal, and not to a program.
pub(crate) fn is_possible(app: &App) -> bool {
    app.output == Output::Text && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks a question. Returns what was typed, in lower case and without white space around it; empty at the end of the input.
pub(crate) fn ask(question: &str) -> Result<String> {
    Ok(answer(question)?.unwrap_or_default())
}

/// Asks a question as [`ask`] does. `None` at the end of the input.
pub(crate) fn answer(question: &str) -> Result<Option<String>> {
    put(&mut std::io::stdout(), question)
}

fn put(out: &mut impl Write, question: &str) -> Result<Option<String>> {
    write!(out, "{question} ")?;
    out.flush()?;
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer)?;
    Ok((read > 0).then(|| answer.trim().to_lowercase()))
}

/// Whether somebody can answer beside the output, which goes to a program.
pub(crate) fn is_possible_beside(app: &App) -> bool {
    app.output == Output::Text && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question as [`ask`] does, on standard error.
pub(crate) fn ask_beside(question: &str) -> Result<String> {
    Ok(put(&mut std::io::stderr(), question)?.unwrap_or_default())
}

/// Asks the person about what was printed before. Without a terminal, an agent's command was already approved.
pub(crate) fn confirmed(app: &App, question: &str) -> Result<bool> {
    if app.is_agent() {
        return Ok(true);
    }
    if !is_possible(app) {
        bail!(Refused("there is no terminal to ask in; if that is right, run it again with --yes".into()));
    }
    Ok(is_yes(&ask(question)?))
}

/// Whether an answer is yes.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer, "y" | "yes")
}

/// How a person decides between two lessons that say the same.
pub(crate) fn remedy(app: &App) -> Remedy {
    if is_possible(app) { Remedy::Asked } else { Remedy::Typed }
}

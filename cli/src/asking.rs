//! Asking the person before something leaves this machine.

use anyhow::{Result, bail};
use lessons_context::context::Actor;
use lessons_context::error::Refused;
use lessons_sharing::destination::{Carrier, Destination};

use crate::app::{App, Output};
use crate::args::Share;
use crate::prompt;

/// Shows what is about to leave, and asks: a person here, for an agent by way of the client. Returns whether it may.
pub(crate) fn confirmed(
    app: &App,
    to: &Destination,
    args: &Share,
    shown: &str,
    question: &str,
) -> Result<bool> {
    app.agree(shown)?;
    // What an agent shares, its person has seen in the client's question.
    if matches!(app.actor, Actor::Agent { .. }) {
        return Ok(true);
    }
    // What is printed for a relay goes through a pipe.
    let is_piped = matches!(to.carrier, Carrier::Relay);
    if args.yes {
        match app.ui.output {
            Output::Text if is_piped => prompt::say_beside(shown)?,
            Output::Text => app.say(&shown)?,
            Output::Json => {}
        }
        return Ok(true);
    }
    let is_possible = if is_piped { prompt::is_possible_beside(app) } else { prompt::is_possible(app) };
    if !is_possible {
        let how = if app.ui.output == Output::Json {
            "--json asks nothing"
        } else {
            "there is no terminal to ask in"
        };
        bail!(Refused(format!(
            "{how}; this would be shared:\n{shown}\nIf that is right, run it again with --yes"
        )));
    }
    let answer = if is_piped {
        prompt::ask_beside(&format!("{shown}\n{question}"))?
    } else {
        app.say(&shown)?;
        prompt::ask(question)?
    };
    Ok(prompt::is_yes(&answer))
}

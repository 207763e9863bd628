//! Asking the person before something leaves this machine.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lessons_context::error::Refused;
use lessons_sharing::sending::{Carrier, Destination, Target};

use crate::app::{App, Output};
use crate::ui::prompt;

/// Arguments of `lessons share` and `lessons unshare`.
#[derive(Debug, Args)]
pub struct Share {
    /// The ids of your lessons
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Write into this folder, such as one that is synced, instead of the project's .lessons/shared
    #[arg(long, value_name = "FOLDER", conflicts_with = "print")]
    pub to: Option<PathBuf>,
    /// Print the signed events for a relay and write nothing; the project is named by a hash
    #[arg(long)]
    pub print: bool,
    /// The folder of the project that the lessons are for
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub project: PathBuf,
    /// Show what becomes public and share it without asking
    #[arg(long)]
    pub yes: bool,
}

impl Share {
    /// Where the events go.
    pub fn destination(&self) -> Result<Destination> {
        let target = match &self.to {
            Some(folder) => Target::Folder(folder),
            None if self.print => Target::Relay,
            None => Target::Project,
        };
        Ok(Destination::of(&self.project, target)?)
    }
}

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
    if app.is_agent() {
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

//! `lessons`: the one command a person types.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use lessons_cli::app::{App, Exit, Output, Refused};
use lessons_cli::args::Cli;
use lessons_cli::verbs;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let output = if cli.json { Output::Json } else { Output::Text };
    let done = App::of_process(output).and_then(|app| verbs::run(&app, cli.verb.as_ref()));
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "lessons: {error:#}");
            let refused = error.downcast_ref::<Refused>().is_some();
            if refused { Exit::Refused } else { Exit::Findings }.into()
        }
    }
}

//! `lessons`: the one command a person types.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use lessons_cli::app::{App, Exit, Output, Refused};
use lessons_cli::args::Cli;
use lessons_cli::{said, verbs};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    let output = if cli.json { Output::Json } else { Output::Text };
    match App::of_process(output).and_then(|app| verbs::run(&app, cli.verb.as_ref())) {
        Ok(exit) => exit.into(),
        Err(error) => {
            let is_refused = error.chain().any(<dyn std::error::Error>::is::<Refused>);
            complain(output, &said::sentence(&error));
            if is_refused { Exit::Refused } else { Exit::Findings }.into()
        }
    }
}

/// What clap says: help and version are no errors, and an error is JSON where JSON was asked for.
fn not_understood(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().skip(1).any(|word| word == "--json");
    if error.use_stderr() && wants_json {
        let text = error.to_string();
        complain(Output::Json, text.trim_start_matches("error: "));
    } else {
        // A reader that has gone away is no error.
        let _ = error.print();
    }
    if error.use_stderr() { Exit::Refused } else { Exit::Done }.into()
}

/// Says what went wrong: to people on standard error, to programs as JSON on standard output, where
/// they read every other answer.
fn complain(output: Output, text: &str) {
    // A reader that has gone away cannot be told.
    let _ = match output {
        Output::Text => {
            let visible = lessons_core::neutral::visible(text);
            writeln!(std::io::stderr(), "lessons: {}", visible.trim_end())
        }
        Output::Json => {
            let json = serde_json::json!({ "error": text.trim_end() }).to_string();
            writeln!(std::io::stdout(), "{}", said::visible_json(&json))
        }
    };
}

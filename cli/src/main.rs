//! `lessons`: the command that people type.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use lessons_cli::app::{App, Output};
use lessons_cli::ui::paint::Paint;
use lessons_cli::ui::{help, messages};
use lessons_cli::verbs::keeping::scan::{self, Scan};
use lessons_cli::verbs::{self, Cli, Verb};
use lessons_context::{Exit, token};

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let (token, argv) = token::taken(words.collect());
    let cli = match parsed(token.as_ref(), &argv) {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    let output = if cli.json { Output::Json } else { Output::Text };
    match run(&cli, output, token, argv) {
        Ok(exit) => exit.into(),
        Err(error) => {
            let code = messages::coded(&error).map(|coded| coded.code);
            complain(output, &messages::sentence(&error), code);
            messages::exit(&error).into()
        }
    }
}

/// Runs the verb with the authority that its call has.
fn run(cli: &Cli, output: Output, token: Option<String>, argv: Vec<String>) -> anyhow::Result<Exit> {
    let verb = cli.verb.as_ref();
    // These verbs describe the command line and need no data folder.
    if let Some(described) = verb.and_then(|verb| help::of(verb, output)) {
        // A closed pipe is not an error.
        let _ = std::io::stdout().write_all(described?.as_bytes());
        return Ok(Exit::Done);
    }
    let app = match (verb, token) {
        (Some(Verb::Question), _) => return verbs::keeping::question::run(),
        (Some(Verb::Scan(Scan { background: Some(work), .. })), _) => return scan::start(*work),
        // The verb never asks a person, so it accepts nothing.
        (Some(Verb::Index), _) => App::in_background(output)?,
        (_, Some(token)) => App::of_approved_call(output, &token, argv)?,
        (_, None) => App::of_process(output, argv)?,
    };
    verbs::run(&app, verb)
}

/// Parses the arguments. Those of an approved call are text, as the client wrote them.
fn parsed(token: Option<&String>, argv: &[String]) -> Result<Cli, clap::Error> {
    let parsed = match token {
        Some(_) => Cli::try_parse_from(std::iter::once("lessons").chain(argv.iter().map(String::as_str))),
        None => Cli::try_parse(),
    };
    parsed.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp => help::with_help().try_get_matches().err().unwrap_or(error),
        _ => error,
    })
}

/// Prints clap's message: help and version succeed, and an error is JSON if JSON was asked for.
fn not_understood(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().skip(1).any(|word| word == "--json");
    if error.use_stderr() && wants_json {
        let text = error.to_string();
        let code = match error.kind() {
            ErrorKind::UnknownArgument => "UNKNOWN_FLAG",
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => "INVALID_VALUE",
            _ => "USAGE",
        };
        complain(Output::Json, text.trim_start_matches("error: "), Some(code));
    } else {
        // A closed pipe is not an error.
        let _ = error.print();
    }
    if error.use_stderr() { Exit::Refused } else { Exit::Done }.into()
}

/// Prints an error: for people on standard error, for programs as JSON on standard output, where they read every
/// other answer, with its code.
fn complain(output: Output, text: &str, code: Option<&str>) {
    match output {
        Output::Text => {
            let visible = lessons_text::neutral::visible(text);
            let name = Paint::of_stderr().error("lessons:");
            // If the stream is closed, the message is lost.
            let _ = writeln!(std::io::stderr(), "{name} {}", visible.trim_end());
        }
        Output::Json => {
            let mut json = serde_json::json!({ "error": text.trim_end() });
            if let (Some(code), Some(object)) = (code, json.as_object_mut()) {
                object.insert("code".into(), code.into());
            }
            let json = json.to_string();
            let written = writeln!(std::io::stdout(), "{}", messages::visible_json(&json));
            // A disk that is full has no room for the reason either.
            if written.and_then(|()| std::io::stdout().flush()).is_err() {
                complain(Output::Text, text, code);
            }
        }
    }
}

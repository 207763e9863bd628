//! A run of the client in a terminal, with somebody who looks at the screen and types.

use std::fs;
use std::io;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::job::{Ending, Job};
use super::run::refuse_a_network;
use crate::model::server::Model;
use crate::terminal::Terminal;

/// The columns of the screen.
const COLUMNS: u16 = 110;
/// The rows of the screen.
const ROWS: u16 = 50;
/// How often the screen is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long the client is left alone before a key is typed: it draws first and listens then.
const PAUSE: Duration = Duration::from_millis(400);
/// The key that interrupts.
const INTERRUPT: &str = "\u{3}";

/// The settings of a person who has used the client before: it asks about nothing at its start.
pub(super) fn settled(folder: &str) -> Value {
    json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "numStartups": 5,
        "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
        "bypassPermissionsModeAccepted": true,
        "projects": {folder: {
            "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": [],
        }},
    })
}

/// Plays the model and runs the client in a terminal, until every step is done and the last text was seen.
pub(super) fn run(job: &Job) -> io::Result<Ending> {
    if job.only_loopback {
        refuse_a_network()?;
    }
    let model = Model::start(job.script.clone(), &job.requests())?;
    let mut client = Command::new(&job.program);
    client
        .args(&job.arguments)
        .envs(&job.environment)
        .env("TERM", "xterm-256color")
        .env("ANTHROPIC_BASE_URL", format!("http://{}", model.address()))
        .current_dir(&job.folder);
    let mut terminal = Terminal::start(&client, COLUMNS, ROWS);
    let deadline = Instant::now() + job.timeout;
    let mut timed_out = false;
    for step in &job.steps {
        if !seen(&terminal, &step.sees, deadline) {
            timed_out = true;
            break;
        }
        thread::sleep(PAUSE);
        terminal.types(&step.types);
    }
    let screen = terminal.look(vt100::Screen::contents);
    fs::write(job.errors(), screen)?;
    terminal.types(INTERRUPT);
    terminal.types(INTERRUPT);
    Ok(Ending { exit: None, timed_out, session: String::new() })
}

/// Waits until a text is on the screen, which may break it anywhere.
fn seen(terminal: &Terminal, text: &str, deadline: Instant) -> bool {
    let joined = |text: &str| text.split_whitespace().collect::<String>();
    let wanted = joined(text);
    while Instant::now() < deadline {
        if terminal.look(|screen| joined(&screen.contents()).contains(&wanted)) {
            return true;
        }
        thread::sleep(TICK);
    }
    false
}

//! `lessons build`: compile the lessons in force.

use lessons_publish::building::{self, Outcome};
use lessons_store::{Problem, durable};
use nix::unistd::alarm;

use crate::prelude::*;
use crate::verbs::keeping::scan;

/// The most lines of a kind that are shown: the problems of a thousand lessons are mostly the same.
const SHOWN: usize = 10;

pub(crate) fn run(app: &App) -> Result<Exit> {
    let Outcome { report, problems, unreadable, settings, .. } = building::build(app)?;
    let mut lines = vec![report.to_string()];
    if let Some(unreadable) = &unreadable {
        lines.extend([unreadable.clone(), "What you accepted stays in force".to_owned()]);
    }
    let left_out: Vec<_> = report.left_out.iter().filter(|noted| noted.reason.is_finding()).collect();
    lines.extend((!left_out.is_empty()).then(|| "Left out:".to_owned()));
    lines.extend(first(&left_out, |noted| format!("  {}: {}", noted.id, noted.reason)));
    lines.extend(first(&report.warnings, |noted| format!("Look at {}: {}", noted.id, noted.reason)));
    lines.extend(first(&problems, ToString::to_string));
    lines.extend(first(&settings, String::clone));
    let is_fine = !problems.iter().any(Problem::is_error)
        && unreadable.is_none()
        && settings.is_empty()
        && left_out.is_empty();
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let answer = Answer::new(lines, json!(report)).with("problems", problems).with("settings", settings);
    app.answer(&answer.given("unreadable", unreadable))?;
    Ok(if is_fine { Exit::Done } else { Exit::Findings })
}

/// The first few items in lines, and how many more there are.
fn first<T>(all: &[T], line: impl Fn(&T) -> String) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(SHOWN).map(line).collect();
    if let more @ 1.. = all.len().saturating_sub(SHOWN) {
        lines.push(format!("… and {more} more like that; `lessons build --json` has them all"));
    }
    lines
}

/// How long it may work: many times what the largest store takes. What it has published by then is whole.
const LIFETIME_SECONDS: u32 = 600;

pub(crate) fn index(app: &App) -> Result<Exit> {
    scan::detach();
    alarm::set(LIFETIME_SECONDS);
    let built = building::build_if_free(app);
    // What is left there tells hooks of a failure, and keeps them from trying again at once. Behind another command, which
    // publishes or is done soon, they may.
    let attempt = app.home.index_attempt();
    if attempt.exists() {
        match &built {
            Err(error) if !error.is_of_busy_lock() => {
                durable::replace(&attempt, messages::sentence(error).as_bytes())?;
            }
            _ => durable::remove(&attempt)?,
        }
    }
    built?;
    Ok(Exit::Done)
}

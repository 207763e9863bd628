//! `lessons reflect`: show a model the signals that no candidate explains.
//!
//! The model answers with a file for `lessons propose`. What is shown is recorded text, redacted when it was stored.

use std::fmt;

use anyhow::Result;
use clap::Args;
use lessons_context::error::Exit;
use lessons_home::home::SESSION_VARIABLE;
use lessons_ledger::database::Database;
use lessons_ledger::reflection::UnexplainedSignals;
use lessons_review::project_names;
use lessons_text::neutral::{line, shortened};
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::reflection::{self, KEY_DIGITS};

/// Arguments of `lessons reflect`.
#[derive(Debug, Args)]
pub struct Reflect {
    /// Show the mistakes of every project, not only of this one
    #[arg(long)]
    pub all_projects: bool,
}

/// The most groups of signals that are shown.
const MOST: usize = 12;
/// The most bytes of text that are shown, about 3,000 tokens.
const MAX_BYTES: usize = 9_000;
/// The longest line of evidence, in characters.
const LINE: usize = 240;
/// The most lines of evidence for a group.
const MOST_EVIDENCE: usize = 4;

/// The signals, as they are shown.
#[derive(Debug, Serialize)]
struct Signals {
    signals: Vec<Entry>,
    /// How many candidates may still be proposed today.
    left_today: usize,
}

/// A group of signals.
#[derive(Debug, Serialize)]
struct Entry {
    /// The start of its key, by which a proposal names it.
    id: String,
    /// How it was noticed.
    seen_as: String,
    sessions: u64,
    lines: u64,
    mistake: String,
    fix: String,
    evidence: Vec<String>,
}

pub(crate) fn run(app: &App, args: &Reflect) -> Result<Exit> {
    let mut database = Database::open(&app.home)?;
    if let Ok(session) = std::env::var(SESSION_VARIABLE) {
        database.note_reflecting_session(&session)?;
    }
    let here = project_names::here().map(|root| root.display().to_string());
    let project = if args.all_projects { None } else { Some(here.unwrap_or_default()) };
    let found = database.unexplained_signals(project.as_deref(), MOST)?;
    // A flagged text may have been written for the model.
    let entries = found.iter().filter(|signals| signals.finding.flags.is_empty()).map(entry);
    let left_today = reflection::left_today(app, &database)?;
    app.recorded(&Signals { signals: within(MAX_BYTES, entries), left_today })?;
    Ok(Exit::Done)
}

fn entry(signals: &UnexplainedSignals) -> Entry {
    let short = |text: &String| shortened(&line(text), LINE);
    Entry {
        id: signals.key.chars().take(KEY_DIGITS).collect(),
        seen_as: signals.detector.clone(),
        sessions: signals.sessions,
        lines: signals.lines,
        mistake: short(&signals.finding.mistake),
        fix: short(&signals.finding.fix),
        evidence: signals.finding.evidence.iter().take(MOST_EVIDENCE).map(short).collect(),
    }
}

/// As many of the first entries as fit.
fn within(bytes: usize, entries: impl Iterator<Item = Entry>) -> Vec<Entry> {
    let mut fitting = Vec::new();
    let mut used = 0;
    for entry in entries {
        used += entry.to_string().len();
        if used > bytes {
            break;
        }
        fitting.push(entry);
    }
    fitting
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = counted(self.lines, "time");
        let sessions = counted(self.sessions, "session");
        writeln!(f, "signal {}  {}, {times} in {sessions}", self.id, self.seen_as)?;
        writeln!(f, "  mistake  {}", self.mistake)?;
        writeln!(f, "  fix      {}", self.fix)?;
        for line in &self.evidence {
            writeln!(f, "  seen     {line}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.signals.is_empty() {
            return f.write_str(
                "No signal waits for an explanation in this project. `lessons scan` looks for new ones.",
            );
        }
        for entry in &self.signals {
            write!(f, "{entry}")?;
        }
        write!(f, "{} can be proposed today.", counted(self.left_today, "more lesson"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(id: usize) -> Entry {
        Entry {
            id: format!("{id:08}"),
            seen_as: "contrast".into(),
            sessions: 1,
            lines: 2,
            mistake: "m".repeat(200),
            fix: "f".repeat(200),
            evidence: vec!["e".repeat(200); MOST_EVIDENCE],
        }
    }

    #[test]
    fn what_is_shown_fits_the_budget_and_the_strongest_come_first() {
        let shown = within(MAX_BYTES, (0..100).map(some));
        assert!(shown.iter().map(|entry| entry.to_string().len()).sum::<usize>() <= MAX_BYTES);
        assert!(shown.len() >= 5);
        assert!(shown.iter().enumerate().all(|(at, entry)| entry.id == format!("{at:08}")));
    }
}

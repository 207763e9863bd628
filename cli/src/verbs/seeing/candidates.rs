//! `lessons candidates`: list the candidates that wait for a decision.

use std::fmt;

use anyhow::Result;
use clap::Args;
use lessons_context::context::Actor;
use lessons_context::error::Exit;
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_ledger::notes::SOURCE as NOTE;
use lessons_review::lookup;
use lessons_scanner::run::finding::SOURCE as TAG;
use lessons_text::neutral;
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::review::tried_candidates;

/// Arguments of `lessons candidates`.
#[derive(Debug, Args)]
pub struct Candidates {
    /// Also list rejected candidates
    #[arg(long)]
    pub all: bool,
}

/// The longest line about a candidate, in characters.
const LINE: usize = 90;

/// A candidate in the list. An agent sees only the id and the flags of a flagged one, whose text may have been
/// written for the agent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    flags: Vec<String>,
    marks: Vec<String>,
    source: String,
    confidence: f64,
    characters: usize,
    seen: u64,
    sessions: u64,
    status: CandidateStatus,
    promoted: bool,
}

#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Entries(Vec<Entry>);

pub(crate) fn run(app: &App, args: &Candidates) -> Result<Exit> {
    let promoted = lookup::promoted_candidates(app)?;
    let candidates = if args.all {
        Database::open(&app.home)?.candidates(&CandidateStatus::ALL)?
    } else {
        tried_candidates::waiting(app)?
    };
    let listed = candidates.into_iter().map(|candidate| {
        let promoted = promoted.contains(&candidate.id);
        entry(app, candidate, promoted)
    });
    let entries = listed.collect();
    app.recorded(&Entries(entries))?;
    Ok(Exit::Done)
}

/// Whether the candidate's text may be shown to this actor.
pub(crate) fn is_shown(app: &App, candidate: &Candidate) -> bool {
    !matches!(app.actor, Actor::Agent { .. }) || candidate.finding.flags.is_empty()
}

fn entry(app: &App, candidate: Candidate, promoted: bool) -> Entry {
    let shown = is_shown(app, &candidate);
    let text = |text: &str| shown.then(|| neutral::line(text));
    Entry {
        confidence: candidate.confidence(),
        mistake: text(&candidate.finding.mistake),
        fix: text(&candidate.finding.fix),
        characters: candidate.finding.mistake.chars().count() + candidate.finding.fix.chars().count(),
        flags: candidate.finding.flags.iter().map(|flag| flag.name.clone()).collect(),
        marks: candidate.finding.marks.iter().map(|mark| mark.name.clone()).collect(),
        source: candidate.finding.source,
        id: candidate.id,
        seen: candidate.seen,
        sessions: candidate.sessions,
        status: candidate.status,
        promoted,
    }
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else {
            return f.write_str(
                "Nothing waits for you. `lessons scan` looks for mistakes in the sessions on this machine.",
            );
        };
        for entry in &self.0 {
            let times = if entry.sessions > 1 {
                format!("in {}", counted(entry.sessions, "session"))
            } else {
                "once".into()
            };
            write!(f, "{}  {times}", entry.id)?;
            if entry.source == NOTE {
                write!(f, "  noted by an agent over MCP")?;
            } else if entry.source != TAG {
                write!(f, "  auto-detected ({}), confidence {:.2}", &entry.source, entry.confidence)?;
            }
            if !entry.flags.is_empty() {
                write!(f, "  flagged: {}", entry.flags.join(", "))?;
            }
            if entry.promoted {
                write!(f, "  (a lesson already)")?;
            }
            writeln!(f)?;
            if let (Some(mistake), Some(fix)) = (&entry.mistake, &entry.fix) {
                writeln!(f, "  mistake  {}", neutral::shortened(mistake, LINE))?;
                writeln!(f, "  fix      {}", neutral::shortened(fix, LINE))?;
            } else {
                let length = counted(entry.characters, "character");
                writeln!(f, "  {length}, for a person to read in a terminal")?;
            }
        }
        write!(f, "Next: lessons show {0}, then lessons promote {0} or lessons reject {0}", first.id)
    }
}

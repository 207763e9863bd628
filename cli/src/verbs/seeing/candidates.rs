//! `lessons candidates`: list the candidates that wait for a decision.

use lessons_ledger::recording::NOTE;
use lessons_ledger::recording::reflection::CHOSEN;
use lessons_ledger::{Candidate, CandidateStatus, Doubt};
use lessons_review::too_broad;
use lessons_scanner::run::finding::SOURCE as TAG;

use crate::prelude::*;
use crate::review::candidate_details::{is_shown, promoting};

/// Arguments of `lessons candidates`.
#[derive(Debug, Args)]
pub struct Candidates {
    /// Also list rejected candidates
    #[arg(long)]
    pub all: bool,
}

/// The longest line about a candidate, in characters.
const LINE: usize = 90;

pub(crate) fn run(app: &App, args: &Candidates) -> Result<Exit> {
    let promoted = lookup::promoted_candidates(app)?;
    let candidates =
        if args.all { app.database()?.candidates(&CandidateStatus::ALL)? } else { too_broad::waiting(app)? };
    let entries = candidates.iter().map(|it| entry(app, it, promoted.contains(&it.id)));
    app.recorded(
        &Answer::of_all(entries).and(match candidates.iter().find(|it| is_shown(app, it)) {
            Some(candidate @ Candidate { id, .. }) => {
                format!("Next: lessons show {id}, then {} or lessons reject {id}", promoting(candidate))
            }
            None if !candidates.is_empty() => {
                "Next: the user reads them in a terminal: lessons review".to_owned()
            }
            None => {
                "Nothing waits for you. `lessons scan` looks for mistakes in the sessions on this machine."
                    .to_owned()
            }
        }),
    )
}

/// A candidate in the list, for programs and for people. An agent sees only the id and the flags of a flagged one, whose
/// text may have been written for the agent.
fn entry(app: &App, candidate: &Candidate, promoted: bool) -> Answer {
    let found = &candidate.finding;
    let names = |doubts: &[Doubt]| doubts.iter().map(|doubt| doubt.name.clone()).collect::<Vec<_>>();
    let characters = found.mistake.chars().count() + found.fix.chars().count();
    let mut row = json!({
        "id": candidate.id,
        "flags": names(&found.flags),
        "marks": names(&found.marks),
        "source": found.source,
        "confidence": candidate.confidence(),
        "characters": characters,
        "seen": candidate.seen,
        "sessions": candidate.sessions,
        "status": candidate.status,
        "promoted": promoted,
    });
    let times = match candidate.sessions {
        sessions @ 2.. => format!("in {}", counted(sessions, "session")),
        _ => "once".to_owned(),
    };
    let found_by = match found.source.as_str() {
        NOTE => "  noted by an agent over MCP".to_owned(),
        CHOSEN => "  chosen by you, without a rule yet".to_owned(),
        TAG => String::new(),
        source => format!("  auto-detected ({source}), confidence {:.2}", candidate.confidence()),
    };
    let flags = names(&found.flags).join(", ");
    let flagged = if flags.is_empty() { String::new() } else { format!("  flagged: {flags}") };
    let known = if promoted { "  (a lesson already)" } else { "" };
    let mut lines = vec![format!("{}  {times}{found_by}{flagged}{known}", candidate.id)];
    if is_shown(app, candidate) {
        for (name, text) in [("mistake", &found.mistake), ("fix", &found.fix)] {
            let text = line(text);
            let shown = format!("  {name:7}  {}", shortened(&text, LINE));
            lines.extend(Some(shown).filter(|_| !text.is_empty()));
            row[name] = text.into();
        }
    } else {
        let length = counted(characters, "character");
        lines.push(format!("  {length}, for a person to read in a terminal"));
    }
    Answer::new(lines, row)
}

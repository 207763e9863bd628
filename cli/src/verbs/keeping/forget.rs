//! `lessons forget`: erase a text from all stored data.

use std::fmt;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use lessons_context::{Authority, NoPerson, Refused, random};
use lessons_ledger::forget::{MOST_CHARS, Seeker};
use lessons_review::lookup;
use lessons_text::counted;
use nix::sys::termios::{self, LocalFlags, SetArg};
use serde::Serialize;

use crate::app::{App, Exit, Output};
use crate::forgetting::{self, Looked, Taken};

/// The most bytes of standard input that are read: more than the longest text.
const MOST_BYTES: u64 = (MOST_CHARS * 4 + 2) as u64;
/// The most files that the answer names.
const NAMED: usize = 20;

/// The answer: what was erased, and the search that proves it.
#[derive(Debug, Serialize)]
struct Forgotten {
    taken: Taken,
    ours: Looked,
    transcripts: Looked,
}

/// Refuses everyone but a person, even with approval: whatever an agent passes on is in its transcript.
pub(crate) fn only_for_a_person(app: &App) -> Result<()> {
    if app.is_person() {
        return Ok(());
    }
    bail!(Refused(format!(
        "a text is forgotten by a person in a terminal, {}",
        if matches!(app.authority, Authority::Missing(NoPerson::NoTerminal)) {
            "and there is none here; a pipe into it is fine there. Nothing was done. Open a terminal and run `lessons forget`"
        } else {
            "never through the client: what an agent is told stands in its transcript. Nothing was done. The user opens a \
             terminal and runs `lessons forget` there"
        }
    )))
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let text = text(app)?;
    let text = text.trim();
    let seeker = Seeker::new(text).map_err(|error| Refused(error.to_string()))?;
    let taken = forgetting::take_out(app, text, &seeker, random::bytes()?)?;
    let ours = forgetting::look(&app.home, &seeker);
    let transcripts = forgetting::look_in_transcripts(&lookup::transcript_folders(app, &[])?, &seeker);
    let forgotten = Forgotten { taken, ours, transcripts };
    app.answer(&forgotten)?;
    let gone = forgotten.ours.found.is_empty() && forgotten.ours.unread.is_empty();
    Ok(if gone { Exit::Done } else { Exit::Findings })
}

/// The text, from standard input or typed without echo. Never from the command line, which other users can see and
/// shells record.
fn text(app: &App) -> Result<String> {
    let mut stdin = std::io::stdin().lock();
    if stdin.is_terminal() && app.output == Output::Text {
        return typed_unseen();
    }
    let mut bytes = Vec::new();
    stdin.by_ref().take(MOST_BYTES).read_to_end(&mut bytes).context("standard input")?;
    String::from_utf8(bytes).map_err(|_| Refused("the text is not UTF-8".into()).into())
}

/// Asks for the text on the terminal, without echo.
fn typed_unseen() -> Result<String> {
    let stdin = std::io::stdin();
    let before = termios::tcgetattr(&stdin).context("the terminal")?;
    let mut silent = before.clone();
    silent.local_flags.remove(LocalFlags::ECHO);
    let mut err = std::io::stderr();
    write!(err, "The text to forget (it is not shown; Enter alone ends this, and nothing brings it back): ")?;
    err.flush()?;
    termios::tcsetattr(&stdin, SetArg::TCSAFLUSH, &silent).context("the terminal")?;
    let mut line = String::new();
    let read = stdin.read_line(&mut line);
    termios::tcsetattr(&stdin, SetArg::TCSANOW, &before).context("the terminal")?;
    writeln!(err)?;
    read.context("the terminal")?;
    if line.trim().is_empty() {
        bail!(Refused("nothing was typed, and nothing was done".into()));
    }
    Ok(line)
}

impl fmt::Display for Forgotten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        taken(f, &self.taken)?;
        let Looked { files, bytes, found, unread } = &self.ours;
        write!(f, "Looked through {} of ours, {bytes} bytes, one by one: ", counted(*files, "file"))?;
        if found.is_empty() && unread.is_empty() {
            writeln!(f, "it is in none of them.")?;
        } else {
            writeln!(f, "NOT ALL OF IT IS GONE.")?;
        }
        list(f, found)?;
        for (path, why) in unread {
            writeln!(f, "  {}: cannot be looked through: {why}", path.display())?;
        }
        let Looked { files, found, unread, .. } = &self.transcripts;
        if found.is_empty() {
            writeln!(f, "Nor is it in the {} of the client's.", counted(*files, "file"))?;
        } else {
            writeln!(
                f,
                "It is still in {} of the client's, which are not ours to change:",
                counted(found.len(), "file")
            )?;
            list(f, found)?;
        }
        if !unread.is_empty() {
            writeln!(f, "{} of the client's could not be looked through.", counted(unread.len(), "file"))?;
        }
        write!(
            f,
            "A later scan does not bring it back: kept are its length and a keyed hash. What the disk itself, \
             snapshots and other backups of this machine hold is out of reach, and so is a page that you saved \
             elsewhere with `lessons report --html`."
        )
    }
}

fn taken(f: &mut fmt::Formatter<'_>, taken: &Taken) -> fmt::Result {
    let Taken { candidates, lessons, put_away, rows, files, untrusted, shared } = taken;
    let journal = rows.get("journal").copied().unwrap_or_default();
    let nothing = *candidates == 0 && lessons.is_empty() && put_away.is_empty() && rows.is_empty();
    if nothing && files.is_empty() && untrusted.is_empty() && shared.is_empty() {
        return writeln!(f, "It was in nothing of ours.");
    }
    writeln!(f, "Forgotten.")?;
    if *candidates > 0 {
        writeln!(f, "{} gone.", counted(*candidates, "candidate"))?;
    }
    for id in lessons {
        writeln!(f, "user/{id}: taken out. Next: lessons show {id}")?;
    }
    for id in put_away {
        writeln!(
            f,
            "user/{id}: retired, because its id or a trigger contained the text, or nothing else was left of it."
        )?;
    }
    if journal > 0 {
        writeln!(f, "{journal} of the journal's entries: taken out.")?;
    }
    for name in files {
        writeln!(f, "{name}: taken out.")?;
    }
    for root in untrusted {
        writeln!(f, "{root}: trusted no more, as its lessons hold it. Its own file is not ours to change.")?;
    }
    write!(f, "{shared}")
}

fn list(f: &mut fmt::Formatter<'_>, found: &[(PathBuf, usize)]) -> fmt::Result {
    for (path, times) in found.iter().take(NAMED) {
        writeln!(f, "  {} ({})", path.display(), counted(*times, "time"))?;
    }
    if found.len() > NAMED {
        writeln!(f, "  and {} more", found.len() - NAMED)?;
    }
    Ok(())
}

//! `lessons forget`: erase a text from all stored data.

use std::io::{IsTerminal, Read, Write};

use lessons_context::{Authority, NoPerson, random};
use lessons_ledger::forget::{MOST_CHARS, Seeker};
use nix::sys::termios::{self, LocalFlags, SetArg};

use crate::forgetting::{self, Looked, Taken};
use crate::prelude::*;

/// The most bytes of standard input that are read: more than the longest text.
const MOST_BYTES: u64 = (MOST_CHARS * 4 + 2) as u64;
/// The most files that the answer names.
const NAMED: usize = 20;

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
    let fields = json!({ "taken": taken, "ours": ours, "transcripts": transcripts });
    app.answer(&Answer::new(lines(&taken, &ours, &transcripts), fields))?;
    Ok(if ours.is_clean() { Exit::Done } else { Exit::Findings })
}

/// The text, from standard input or typed without echo. Never from the command line, which other users can see and
/// shells record.
fn text(app: &App) -> Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() && app.output == Output::Text {
        return typed_unseen();
    }
    let mut bytes = Vec::new();
    stdin.lock().take(MOST_BYTES).read_to_end(&mut bytes).context("standard input")?;
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

/// What was erased, and the search that proves it.
fn lines(taken: &Taken, ours: &Looked, transcripts: &Looked) -> Vec<String> {
    let mut lines = erased(taken);
    let verdict = if ours.is_clean() { "it is in none of them." } else { "NOT ALL OF IT IS GONE." };
    let number = counted(ours.files, "file");
    lines.push(format!("Looked through {number} of ours, {} bytes, one by one: {verdict}", ours.bytes));
    lines.extend(list(&ours.found));
    let unread = ours.unread.iter().map(|(path, why)| (path.display(), why));
    lines.extend(unread.map(|(path, why)| format!("  {path}: cannot be looked through: {why}")));
    lines.push(match transcripts.found.len() {
        0 => format!("Nor is it in the {} of the client's.", counted(transcripts.files, "file")),
        found => {
            let number = counted(found, "file");
            format!("It is still in {number} of the client's, which are not ours to change:")
        }
    });
    lines.extend(list(&transcripts.found));
    if let unread @ 1.. = transcripts.unread.len() {
        lines.push(format!("{} of the client's could not be looked through.", counted(unread, "file")));
    }
    lines.push(OUT_OF_REACH.to_owned());
    lines
}

/// What is said of the text at the end.
const OUT_OF_REACH: &str = "A later scan does not bring it back: kept are its length and a keyed hash. What the disk itself, \
                            snapshots and other backups of this machine hold is out of reach, and so is a page that you \
                            saved elsewhere with `lessons report --html`.";

fn erased(taken: &Taken) -> Vec<String> {
    let Taken { candidates, lessons, put_away, rows, files, untrusted, shared } = taken;
    let journal = rows.get("journal").copied().unwrap_or_default();
    let mut lines = Vec::new();
    lines.extend((*candidates > 0).then(|| format!("{} gone.", counted(*candidates, "candidate"))));
    lines.extend(lessons.iter().map(|id| format!("user/{id}: taken out. Next: lessons show {id}")));
    let why = "because its id or a trigger contained the text, or nothing else was left of it";
    lines.extend(put_away.iter().map(|id| format!("user/{id}: retired, {why}.")));
    lines.extend((journal > 0).then(|| format!("{journal} of the journal's entries: taken out.")));
    lines.extend(files.iter().map(|name| format!("{name}: taken out.")));
    let why = "as its lessons hold it. Its own file is not ours to change";
    lines.extend(untrusted.iter().map(|root| format!("{root}: trusted no more, {why}.")));
    lines.extend(shared.lines());
    let is_nothing = lines.is_empty() && rows.is_empty();
    lines.insert(0, if is_nothing { "It was in nothing of ours." } else { "Forgotten." }.to_owned());
    lines
}

/// The files that hold the text, the first few of them by name.
fn list(found: &[(PathBuf, usize)]) -> impl Iterator<Item = String> {
    let more = found.len().saturating_sub(NAMED);
    let named = found.iter().take(NAMED);
    let named = named.map(|(path, times)| format!("  {} ({})", path.display(), counted(*times, "time")));
    named.chain((more > 0).then(|| format!("  and {more} more")))
}

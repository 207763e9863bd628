//! Transcripts of other clients, read as the lines that Claude Code would have written.
//!
//! Each client has a form of its own. A reader of that form says what happened in a line, and
//! [`lines::Lines`] writes it down in the one form that everything else reads. The result lies in a file without a name, which
//! is gone when it is closed: no second copy of a session stays anywhere. A transcript that grows gives the same lines
//! again and more after them, so a scan goes on where it stopped.

mod calls;
mod codex;
mod copilot;
mod gemini;
mod lines;
mod opencode;
mod pi;
mod qwen;

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use lessons_client::Client;
use lessons_home::files;
use serde_json::{Map, Value};

use super::file_version::FileVersion;
use super::line::LineSearch;
use lines::{Lines, Reader, owned};
pub use opencode::DATABASE;
pub(crate) use opencode::sessions as in_database;

/// The bytes at the start of a file by which its form is known.
const START: usize = 64 << 10;
/// The most bytes that are read for that: the first line of Codex holds its whole instructions.
const LONG_START: u64 = 4 << 20;
/// The fields of which every line of Claude Code that belongs to a session has one.
const OF_CLAUDE_CODE: [&str; 5] = ["sessionId", "uuid", "parentUuid", "leafUuid", "messageId"];
/// The types of its lines that tests and exports write without any of these.
const KINDS_OF_CLAUDE_CODE: [&str; 6] =
    ["user", "assistant", "system", "summary", "attachment", "queue-operation"];

/// Opens a transcript of any client: as it is, or as the lines that Claude Code would have written. A link is not
/// followed and a FIFO not waited for. An unknown form is an error that names it.
pub fn open(path: &Path) -> io::Result<File> {
    if let Some((database, session)) = opencode::place(path) {
        return written(|out| opencode::translate(&database, &session, out));
    }
    let mut file = files::open_regular(path)?;
    let client = client_in(&file).map_err(|form| {
        let message = format!("not a transcript that I can read (form {form})");
        io::Error::new(io::ErrorKind::InvalidData, message)
    });
    file.rewind()?;
    match reader_of(client?, path) {
        None => Ok(file),
        Some(reader) => written(|out| translate(reader, &file, out)),
    }
}

/// The client that wrote a transcript; Claude Code where nothing in it says so.
pub fn client_of(path: &Path) -> io::Result<Client> {
    if opencode::place(path).is_some() {
        return Ok(Client::Opencode);
    }
    Ok(client_in(&files::open_regular(path)?).unwrap_or_default())
}

/// The version of a transcript on the disk, without opening it.
pub(crate) fn version(path: &Path) -> io::Result<FileVersion> {
    match opencode::place(path) {
        Some((database, session)) => opencode::version(&database, &session),
        None => FileVersion::at(path),
    }
}

/// The size of a transcript, and the time at which it was last written, in nanoseconds since 1970.
pub fn size_and_time(path: &Path) -> io::Result<(u64, u64)> {
    if opencode::place(path).is_some() {
        return version(path).map(|version| (version.size, version.changed));
    }
    let found = path.symlink_metadata()?;
    let nanos = i128::from(found.mtime()) * 1_000_000_000 + i128::from(found.mtime_nsec());
    Ok((found.len(), u64::try_from(nanos).unwrap_or_default()))
}

/// The session of a transcript of another client, whose file is not named after it. `None` for every other file.
pub fn session_of(path: &Path) -> Option<String> {
    if let Some((_, session)) = opencode::place(path) {
        return Some(session);
    }
    if !is_named_otherwise(path) {
        return None;
    }
    let mut file = files::open_regular(path).ok()?;
    let client = client_in(&file).ok()?;
    file.rewind().ok()?;
    let ((mut read, _), mut lines) = (reader_of(client, path)?, Lines::default());
    first_lines(&file).find_map(|line| {
        read(&line, &mut lines);
        Some(std::mem::take(&mut lines.session)).filter(|id| !id.is_empty())
    })
}

/// Whether a file is named as a client other than Claude Code and Qwen names transcripts: not after its session.
fn is_named_otherwise(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == "events.jsonl"
        || ["rollout-", "session-"].iter().any(|start| name.starts_with(start))
        || name.contains("Z_")
}

/// The lines that begin at the start of a file, each read when it is asked for: nearly always the first tells the form.
fn first_lines(file: &File) -> impl Iterator<Item = Value> {
    let lines = BufReader::new(file.take(LONG_START)).split(b'\n').map_while(Result::ok);
    let early = lines.scan(0, |read, line| {
        let begins_early = *read < START;
        *read += line.len() + 1;
        begins_early.then_some(line)
    });
    early.filter_map(|line| serde_json::from_slice(&line).ok())
}

/// The client whose transcript begins so. The error is a form that nothing here reads, by the name that its first line gives
/// itself.
fn client_in(file: &File) -> Result<Client, String> {
    let mut unknown = None;
    for line in first_lines(file) {
        let Value::Object(line) = line else { continue };
        if let Some(client) = other_client(&line) {
            return Ok(client);
        }
        let kind = line.get("type").and_then(Value::as_str);
        if OF_CLAUDE_CODE.iter().any(|name| line.contains_key(*name))
            || kind.is_some_and(|kind| KINDS_OF_CLAUDE_CODE.contains(&kind))
        {
            return Ok(Client::ClaudeCode);
        }
        if let Some(kind) = kind {
            unknown.get_or_insert_with(|| {
                lessons_text::neutral::line(&kind.chars().take(40).collect::<String>())
            });
        }
    }
    // A file in which nothing can be read is told line by line, as always.
    unknown.map_or(Ok(Client::ClaudeCode), Err)
}

/// The client beside Claude Code that begins a transcript with such a line.
fn other_client(line: &Map<String, Value>) -> Option<Client> {
    let has = |name: &str| line.contains_key(name);
    Some(match line.get("type").and_then(Value::as_str) {
        Some("session_meta") if has("payload") => Client::Codex,
        Some("session.start") if has("data") => Client::Copilot,
        Some("session") if has("version") && has("cwd") => Client::Pi,
        Some(_) if has("provenance") && has("sessionId") => Client::Qwen,
        None if has("projectHash") && has("sessionId") => Client::Gemini,
        _ => return None,
    })
}

/// The reader of a client's transcripts, and where a line names the model's message that it belongs to. `None` where they are
/// read as they are, or from a database.
fn reader_of(client: Client, path: &Path) -> Option<(Reader, &'static str)> {
    Some(match client {
        Client::Codex => (codex::reader(), "/payload/item/id"),
        Client::Copilot => (Box::new(copilot::read), "/data/messageId"),
        Client::Gemini => (gemini::reader(path), "/id"),
        Client::Qwen => (Box::new(qwen::read), "/uuid"),
        Client::Pi => (Box::new(pi::read), "/id"),
        Client::ClaudeCode | Client::Opencode => return None,
    })
}

/// Has lines written into a file without a name, and goes to its start.
fn written(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> io::Result<File> {
    let mut out = BufWriter::new(tempfile::tempfile()?);
    write(&mut out)?;
    out.flush()?;
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Writes what the transcript says. A line that is not whole yet, or longer than the longest that is read anywhere, is left
/// out.
fn translate((mut read, message): (Reader, &str), file: &File, out: &mut dyn io::Write) -> io::Result<()> {
    let mut lines = Lines::default();
    // The size is that of now: what is written meanwhile is for the next time.
    let length = file.metadata()?.len();
    let mut search = LineSearch::new(file.take(length), 0);
    let failed = search.find_map(&memchr::memmem::Finder::new("{"), |line| {
        let line: Value = serde_json::from_slice(line.bytes).ok()?;
        lines.time = owned(&line["timestamp"]);
        lines.message = line.pointer(message).and_then(owned);
        read(&line, &mut lines);
        out.write_all(std::mem::take(&mut lines.written).as_bytes()).err()
    });
    failed?.map_or(Ok(()), Err)
}

#[cfg(test)]
#[path = "foreign/tests.rs"]
mod tests;

//! opencode: one SQLite database for all sessions, `~/.local/share/opencode/opencode.db`, opened for reading only while the
//! client may write. A session in it is named as if the database were a folder: `opencode.db/ID.jsonl`.

use std::io;
use std::path::{Path, PathBuf};

use lessons_text::digest;
use rusqlite::{Connection, OpenFlags, Params, Row};
use serde_json::Value;

use super::calls::calls;
use super::lines::{End, Lines, owned};
use crate::transcript::file_version::FileVersion;

/// The name of the database.
pub const DATABASE: &str = "opencode.db";
/// How the client says that the person refused a call.
const REFUSED: &str = "The user rejected permission";
/// How long a reader waits for the client, in milliseconds.
const WAIT: u64 = 500;
/// Of a session, the messages with their parts, as they were written.
const PARTS: &str =
    "SELECT message.data, part.data, part.time_created FROM part JOIN message ON message.id = part.message_id
    WHERE part.session_id = ?1 ORDER BY message.time_created, message.id, part.id";

/// The database and the session for which a path stands.
pub(super) fn place(path: &Path) -> Option<(PathBuf, String)> {
    let database = path.parent().filter(|parent| parent.file_name().is_some_and(|name| name == DATABASE))?;
    let session = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    Some((database.to_owned(), session.to_owned()))
}

/// The sessions in a database, each as the path by which [`super::open`] knows it.
pub(crate) fn sessions(database: &Path) -> io::Result<Vec<PathBuf>> {
    let ids =
        rows(database, "SELECT id FROM session ORDER BY id", [], |row| Ok(row.get::<_, String>(0).ok()))?;
    let is_name =
        |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let names = ids.into_iter().flatten().filter(is_name);
    Ok(names.map(|id| database.join(format!("{id}.jsonl"))).collect())
}

/// The version of a session: as its rows say, which change with it.
pub(super) fn version(database: &Path, session: &str) -> io::Result<FileVersion> {
    let whole = FileVersion::of(&database.symlink_metadata()?);
    let found: Vec<(i64, i64, i64)> = rows(
        database,
        "SELECT session.time_updated, count(part.id), coalesce(max(part.time_updated), 0) FROM session
         LEFT JOIN part ON part.session_id = session.id WHERE session.id = ?1 GROUP BY session.id",
        [session],
        |row| row.try_into().map_err(io::Error::other),
    )?;
    let &(updated, parts, last) = found.first().ok_or(io::ErrorKind::NotFound)?;
    let number = digest::hex(session.as_bytes(), 15);
    Ok(FileVersion {
        inode: u64::from_str_radix(&number, 16).unwrap_or_default(),
        size: parts.unsigned_abs(),
        changed: updated.max(last).unsigned_abs().saturating_mul(1_000_000),
        ..whole
    })
}

/// Writes what a session says.
pub(super) fn translate(database: &Path, session: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let folder = |row: &Row<'_>| row.get(0).map_err(io::Error::other);
    let cwd = rows(database, "SELECT directory FROM session WHERE id = ?1", [session], folder)?.pop();
    let mut lines = Lines::default();
    (lines.session, lines.cwd) = (session.to_owned(), cwd);
    rows(database, PARTS, [session], |row| {
        let text =
            |column| row.get::<_, String>(column).ok().and_then(|text| serde_json::from_str(&text).ok());
        let (Some(message), Some(part)) = (text(0), text(1)) else { return Ok(()) };
        let time = row.get(2).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
        lines.time = time.map(|time| time.to_string());
        of_part(&message, &part, &mut lines);
        out.write_all(std::mem::take(&mut lines.written).as_bytes())
    })?;
    Ok(())
}

/// What is read of the rows of a query. A file that is no database, or of a form that has no such tables, is an error.
fn rows<T>(
    database: &Path,
    query: &str,
    given: impl Params,
    mut read: impl FnMut(&Row<'_>) -> io::Result<T>,
) -> io::Result<Vec<T>> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let open = Connection::open_with_flags(database, flags).map_err(io::Error::other)?;
    open.busy_timeout(std::time::Duration::from_millis(WAIT)).map_err(io::Error::other)?;
    let mut query = open.prepare(query).map_err(io::Error::other)?;
    let mut rows = query.query(given).map_err(io::Error::other)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().map_err(io::Error::other)? {
        all.push(read(row)?);
    }
    Ok(all)
}

fn of_part(message: &Value, part: &Value, out: &mut Lines) {
    let is_person = message["role"] == "user";
    if !is_person {
        out.speaker = owned(&message["modelID"]).or_else(|| out.speaker.take());
    }
    match part["type"].as_str() {
        // What the client adds to a prompt is marked.
        Some("text") if part["synthetic"] == true => {}
        Some("text") if is_person => owned(&part["text"]).iter().for_each(|text| out.person(text)),
        // A text that is still written has no end.
        Some("text") => out.model(owned(&part["text"]).filter(|_| part["time"]["end"].is_number())),
        // Nor has a call that runs: its row changes.
        Some("tool") => {
            let state = &part["state"];
            if let Some((id, (end, text))) = owned(&part["callID"]).zip(ended(state)) {
                out.call(&id, calls(&part["tool"], &state["input"]));
                out.end(&id, end, &text);
            }
        }
        Some("compaction") => out.compacted(),
        _ => {}
    }
}

fn ended(state: &Value) -> Option<(End, String)> {
    match state["status"].as_str()? {
        "completed" => {
            let text = owned(&state["output"]).unwrap_or_default();
            Some((End::of_code(state["metadata"]["exit"].as_i64()), text))
        }
        "error" => {
            let text = owned(&state["error"]).unwrap_or_default();
            let end = if text.starts_with(REFUSED) { End::RefusedByPerson } else { End::Failed(None) };
            Some((end, text))
        }
        _ => None,
    }
}

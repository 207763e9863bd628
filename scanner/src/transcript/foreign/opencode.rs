//! opencode: one SQLite database for all sessions, `~/.local/share/opencode/opencode.db`, opened for reading only while the
//! client may write. A session in it is named as if the database were a folder: `opencode.db/ID.jsonl`.

use std::io;
use std::path::{Path, PathBuf};

use lessons_text::digest;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use serde_json::Value;

use super::calls::calls;
use super::lines::Lines;
use super::step::{End, SessionFacts, What, owned};
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

/// The sessions, each as its path.
pub(super) fn sessions(database: &Path) -> io::Result<Vec<PathBuf>> {
    let open = open(database)?;
    let mut query = open.prepare("SELECT id FROM session ORDER BY id").map_err(io::Error::other)?;
    let ids = query.query_map([], |row| row.get::<_, String>(0)).map_err(io::Error::other)?;
    let is_name =
        |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let names = ids.flatten().filter(is_name);
    Ok(names.map(|id| database.join(format!("{id}.jsonl"))).collect())
}

/// The version of a session: as its rows say, which change with it.
pub(super) fn version(database: &Path, session: &str) -> io::Result<FileVersion> {
    let whole = FileVersion::of(&database.symlink_metadata()?);
    let row = open(database)?
        .query_row(
            "SELECT session.time_updated, count(part.id), coalesce(max(part.time_updated), 0) FROM session
             LEFT JOIN part ON part.session_id = session.id WHERE session.id = ?1 GROUP BY session.id",
            params![session],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)),
        )
        .optional()
        .map_err(io::Error::other)?;
    let (updated, parts, last) = row.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
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
    let open = open(database)?;
    let cwd: Option<String> = open
        .query_row("SELECT directory FROM session WHERE id = ?1", params![session], |row| row.get(0))
        .optional()
        .map_err(io::Error::other)?;
    let facts = SessionFacts { id: session.to_owned(), cwd, ..SessionFacts::default() };
    let mut lines = Lines::new(facts);
    let mut query = open.prepare(PARTS).map_err(io::Error::other)?;
    let mut rows = query.query(params![session]).map_err(io::Error::other)?;
    while let Some(row) = rows.next().map_err(io::Error::other)? {
        let text =
            |column| row.get::<_, String>(column).ok().and_then(|text| serde_json::from_str(&text).ok());
        let (Some(message), Some(part)) = (text(0), text(1)) else { continue };
        let time = row.get(2).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
        let time = time.map(|time| time.to_string());
        for what in of_part(&message, &part, &mut lines.session) {
            lines.write(what, time.as_deref(), None, out)?;
        }
    }
    Ok(())
}

/// Opens the database for reading. A file that is none, or of a form that has no such tables, is an error.
fn open(database: &Path) -> io::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let open = Connection::open_with_flags(database, flags).map_err(io::Error::other)?;
    open.busy_timeout(std::time::Duration::from_millis(WAIT)).map_err(io::Error::other)?;
    Ok(open)
}

fn of_part(message: &Value, part: &Value, session: &mut SessionFacts) -> Vec<What> {
    let is_person = message["role"] == "user";
    if !is_person {
        session.model = owned(&message["modelID"]).or_else(|| session.model.take());
    }
    match part["type"].as_str() {
        // What the client adds to a prompt is marked.
        Some("text") if part["synthetic"] == true => Vec::new(),
        Some("text") => {
            // A text that is still written has no end.
            let is_whole = is_person || part["time"]["end"].is_number();
            let of = if is_person { What::Person } else { What::Model };
            owned(&part["text"]).filter(|_| is_whole).map(of).into_iter().collect()
        }
        Some("tool") => of_call(part),
        Some("compaction") => vec![What::Compacted],
        _ => Vec::new(),
    }
}

/// A call, once it has ended: its row changes while it runs.
fn of_call(part: &Value) -> Vec<What> {
    let state = &part["state"];
    let (Some(id), Some(ended)) = (owned(&part["callID"]), ended(state)) else { return Vec::new() };
    let (end, text) = ended;
    let calls = calls(&part["tool"], &state["input"]);
    vec![What::Call { id: id.clone(), calls }, What::End { id, end, text }]
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

//! The sessions on the disk, and what the join reads of one.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use lessons_client::Client;
use lessons_home::machine::ThisMachine;
use lessons_lesson::payload::Contents;
use lessons_lesson::project::find_roots;
use lessons_replay::history::Session;
use lessons_replay::log_reader;
use lessons_scanner::run::report::Skipped;
use lessons_scanner::transcript::{foreign, walk};
use lessons_text::digest;
use lessons_text::path::lexical;

use super::thread::{self, OpeningText, Thread};

/// How many digits of a hash name a state of files, a project and a beginning.
pub(super) const DIGITS: usize = 16;

/// A session on the disk.
pub(super) struct FoundSession {
    pub(super) id: String,
    pub(super) files: Vec<PathBuf>,
    /// The hash of the state of the files.
    pub(super) state: String,
    /// The time at which the last of them was changed, in milliseconds since 1970.
    pub(super) last: u64,
}

/// What the files of a session hold.
pub(super) struct SessionFiles {
    pub(super) session: Session,
    /// The threads that can be read. That of the main thread is the last.
    pub(super) threads: Vec<Thread>,
    /// What hooks told the model, by the id of the call.
    pub(super) texts: HashMap<String, String>,
    /// What hooks told the main thread when it started, and after each compaction.
    pub(super) openings: Vec<OpeningText>,
    pub(super) skipped: Vec<Skipped>,
}

impl FoundSession {
    /// The client that wrote the files.
    pub(super) fn client(&self) -> Client {
        self.files.last().and_then(|main| foreign::client_of(main).ok()).unwrap_or_default()
    }

    /// Reads the files.
    pub(super) fn read(&self, contents: Contents) -> SessionFiles {
        let mut skipped = Vec::new();
        let mut threads = Vec::new();
        for file in &self.files {
            match thread::read(file, contents) {
                Ok(thread) => threads.push(thread),
                Err(error) => skipped.push(Skipped::new(file, error.to_string())),
            }
        }
        let start = self.files.iter().rev().find_map(|file| log_reader::first_folder(file));
        let roots = start.as_deref().map(|start| find_roots(&lexical(start), &ThisMachine));
        let mut texts = HashMap::new();
        for thread in &mut threads {
            texts.extend(std::mem::take(&mut thread.texts));
        }
        let openings = threads.last_mut().map(|main| std::mem::take(&mut main.openings)).unwrap_or_default();
        SessionFiles {
            session: Session { id: self.id.clone(), start, roots },
            threads,
            texts,
            openings,
            skipped,
        }
    }
}

/// The sessions below some folders. A session whose files are in several folders is one.
pub(super) fn find(roots: &[PathBuf], skipped: &mut Vec<Skipped>) -> Vec<FoundSession> {
    let mut by_id: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for session in walk::walk(roots).sessions {
        by_id.entry(session.id()).or_default().extend(session.files);
    }
    let mut found = Vec::new();
    for (id, files) in by_id {
        match state(&files) {
            Ok((state, last)) => found.push(FoundSession { id, files, state, last }),
            // A transcript that was deleted since is none.
            Err((_, error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err((file, error)) => skipped.push(Skipped::new(file, error.to_string())),
        }
    }
    found
}

/// The state of files as a hash of their names, sizes and times, and the last time at which one was changed.
fn state(files: &[PathBuf]) -> Result<(String, u64), (&Path, std::io::Error)> {
    let mut parts: Vec<String> = Vec::new();
    let mut last = 0;
    for file in files {
        let (size, nanos) = foreign::size_and_time(file).map_err(|error| (file.as_path(), error))?;
        last = last.max(nanos / 1_000_000);
        parts.push(format!(
            "{}\n{size}\n{}.{}",
            file.display(),
            nanos / 1_000_000_000,
            nanos % 1_000_000_000
        ));
    }
    let bytes: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    Ok((digest::hex_of_parts(&bytes, DIGITS), last))
}

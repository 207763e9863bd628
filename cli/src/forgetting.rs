//! Taking a text out of everything that is ours, and looking whether it is gone.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lessons_core::files;
use lessons_core::home::Home;
use lessons_scanner::lock::ScanLock;
use lessons_store::database::Database;
use lessons_store::forget::lessons::{self, Changed};
use lessons_store::forget::rows::{self, Touched};
use lessons_store::forget::{Counted, Seeker};
use lessons_store::journal::FORGET;
use lessons_store::{durable, events, transaction, trust};
use serde::Serialize;
use walkdir::WalkDir;

use crate::app::App;
use crate::building;

/// The largest file of ours that is held in memory, in bytes: as much as a store may have.
const LIMIT: u64 = 512 << 20;

/// What was taken out.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// Candidates that are gone.
    pub candidates: usize,
    /// Lessons that go on without the text.
    pub lessons: BTreeSet<String>,
    /// Lessons that were put away for it.
    pub put_away: BTreeSet<String>,
    /// Rows of the database that were changed or are gone, by table.
    pub rows: Touched,
    /// Files out of which it was taken, by their names in the data folder.
    pub files: BTreeSet<String>,
    /// Projects that are trusted no more, as the approved copy of their lessons held it.
    pub untrusted: Vec<String>,
}

/// What looking for it gave.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Looked {
    /// Files that were looked through.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Those in which it stands, each with how often.
    pub found: Vec<(PathBuf, usize)>,
    /// Those that could not be looked through, each with why.
    pub unread: Vec<(PathBuf, String)>,
}

/// Takes `text` out of everything of ours. `key` is used if the machine has none yet.
pub fn take_out(app: &App, text: &str, seeker: &Seeker, key: [u8; 32]) -> Result<Taken> {
    let home = &app.home;
    // What a scanner is about to write could hold it.
    let Some(_scan) = ScanLock::take(home)? else {
        bail!("a scan is at work; run this again in a moment. Nothing was done")
    };
    let lock = app.lock()?;
    let mut database = Database::open(home)?;
    transaction::recover(&lock, &mut database)?;
    let deed = app.deed(FORGET);
    // First, so that no scan brings back what was taken out before somebody died on the way.
    database.remember_forgotten(text, key, &deed)?;
    let mut taken = Taken::default();
    for store in trust::trusted(home)? {
        let copy = home.trusted_copies().join(format!("{}.json", store.sha256));
        let held = files::read(&copy, LIMIT)?.is_some_and(|bytes| seeker.is_in(&bytes));
        if held || seeker.is_in(store.root.as_bytes()) {
            trust::withdraw(&lock, &mut database, &deed, &store.root)?;
            taken.untrusted.push(store.root);
        }
    }
    let candidates = database.candidates_holding(seeker)?;
    taken.candidates = candidates.len();
    let changed =
        transaction::run(&lock, &mut database, &deed, |graph| lessons::take_out(graph, seeker, &candidates))?;
    let Changed { cleaned, put_away } = changed.value;
    (taken.lessons, taken.put_away) = (cleaned, put_away);
    events::take_in(home, &mut database, app.now_ms())?;
    taken.rows = database.take_out(seeker)?;
    drop_approved_copies(home, seeker)?;
    trust::sweep(&lock, &database)?;
    for path in others(home)? {
        if clean(&path, seeker)? {
            taken.files.insert(path.strip_prefix(home.root()).unwrap_or(&path).display().to_string());
        }
    }
    // Made from the store, and so are manifest and index; but this one can be done without until the build is through.
    durable::remove(&home.recall())?;
    building::build_locked(app, &lock, &database).context(
        "the text is out of what is stored, but the manifest could not be built anew and may still hold it; \
         run this again when that is mended",
    )?;
    Ok(taken)
}

/// Removes the copies of projects' lessons that hold it. Each is named by its bytes, so none could be used
/// without it; `trust` ends before they go.
fn drop_approved_copies(home: &Home, seeker: &Seeker) -> Result<()> {
    let folder = home.trusted_copies();
    for path in files_of(home).into_iter().collect::<io::Result<Vec<_>>>()? {
        if path.starts_with(&folder) && seeker.count_in(&path)?.times > 0 {
            durable::remove(&path)?;
        }
    }
    Ok(())
}

/// Files of ours that may hold it, but for those that are written in ways of their own.
fn others(home: &Home) -> Result<Vec<PathBuf>> {
    let apart = [
        home.lessons(),
        home.database(),
        home.database().with_extension("db-wal"),
        home.database().with_extension("db-shm"),
        home.manifest(),
        home.index(),
        home.recall(),
        home.marker(),
        home.lock(),
    ];
    let all = files_of(home).into_iter().collect::<io::Result<Vec<_>>>()?;
    Ok(all.into_iter().filter(|path| !apart.contains(path)).collect())
}

/// Takes it out of one file. Whether it was there.
fn clean(path: &Path, seeker: &Seeker) -> Result<bool> {
    let count = || seeker.count_in(path).with_context(|| path.display().to_string());
    if count()?.times == 0 {
        return Ok(false);
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        // Hooks append to it, and everything in it has been taken in.
        Some("jsonl") => durable::remove(path)?,
        Some("db") => {
            rows::take_out_of_copy(path, seeker)?;
            if count()?.times > 0 {
                // A copy that does not give it up is worth less than none.
                durable::remove(path)?;
            }
        }
        _ => {
            let bytes = files::read(path, LIMIT)?.unwrap_or_default();
            if let Some(bytes) = seeker.take_out(&bytes) {
                durable::replace(path, &bytes)?;
            }
        }
    }
    Ok(true)
}

/// Looks through every file of ours, byte by byte, and at its name.
pub fn look(home: &Home, seeker: &Seeker) -> Looked {
    let mut looked = Looked::default();
    for file in files_of(home) {
        match file {
            Ok(path) => looked.at(
                &path,
                seeker,
                path.strip_prefix(home.root())
                    .is_ok_and(|name| seeker.is_in(name.as_os_str().as_encoded_bytes())),
            ),
            Err(error) => looked.unread.push((home.root().to_owned(), error.to_string())),
        }
    }
    looked
}

/// Looks through the transcripts below `roots`, and what the client keeps beside them.
pub fn look_in_transcripts(roots: &[PathBuf], seeker: &Seeker) -> Looked {
    let mut looked = Looked::default();
    for entry in roots.iter().flat_map(|root| WalkDir::new(root).sort_by_file_name()).flatten() {
        if entry.file_type().is_file() {
            looked.at(entry.path(), seeker, false);
        }
    }
    looked
}

impl Looked {
    fn at(&mut self, path: &Path, seeker: &Seeker, named_so: bool) {
        match seeker.count_in(path) {
            Ok(Counted { bytes, times }) => {
                self.files += 1;
                self.bytes += bytes;
                if times > 0 || named_so {
                    self.found.push((path.to_owned(), times.max(1)));
                }
            }
            // One that has gone meanwhile holds nothing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.unread.push((path.to_owned(), error.to_string())),
        }
    }
}

/// Every file of ours: in the data folder, and claims where they live elsewhere.
fn files_of(home: &Home) -> Vec<io::Result<PathBuf>> {
    let mut roots = vec![home.root().to_owned()];
    if !home.sessions().starts_with(home.root()) && home.sessions().exists() {
        roots.push(home.sessions());
    }
    let entries = roots.iter().flat_map(|root| WalkDir::new(root).sort_by_file_name());
    let files = entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.file_type().is_file()));
    files.map(|entry| entry.map(walkdir::DirEntry::into_path).map_err(io::Error::from)).collect()
}

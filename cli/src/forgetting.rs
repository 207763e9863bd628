//! Erasing a text from all stored data, and checking that it is gone: from our files, and from files of shared lessons in
//! folders that others have too.

use std::collections::BTreeSet;
use std::io;

use lessons_context::{Authority, random};
use lessons_home::{Home, files};
use lessons_ledger::forget::lessons::CleanedLessons;
use lessons_ledger::forget::rows::Touched;
use lessons_ledger::forget::{Counted, Seeker, lessons, rows};
use lessons_ledger::journal::FORGET;
use lessons_ledger::{Database, Deed, decisions, events, notice, transaction};
use lessons_scanner::run::lock::ScanLock;
use lessons_share::{SharedLesson, Unverified, Verified};
use lessons_sharing::receiving::places;
use lessons_store::decisions::FILE;
use lessons_store::{Decisions, Lock, Peer, Peers, decisions::trust, durable, shared_folder::identity};
use lessons_text::shell_word::quoted;
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use crate::prelude::*;
use crate::verbs::seeing::report;

/// The largest file of ours that is read into memory, in bytes: the largest store.
const LIMIT: u64 = 512 << 20;

/// What was erased, by kind of place.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// The number of candidates that were deleted.
    pub candidates: usize,
    /// Ids of lessons that stay without the text.
    pub lessons: BTreeSet<String>,
    /// Ids of lessons that were deleted with it.
    pub put_away: BTreeSet<String>,
    /// The number of database rows changed or deleted, by table.
    pub rows: Touched,
    /// Names of changed or deleted files in the data folder.
    pub files: BTreeSet<String>,
    /// Projects that are no longer trusted, because the approved copy of their lessons held the text.
    pub untrusted: Vec<String>,
    /// Files of shared lessons.
    pub shared: SharedFiles,
}

/// The result of searching all files for the text.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Looked {
    /// The number of files searched.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Files that still hold the text, with the number of occurrences.
    pub found: Vec<(PathBuf, usize)>,
    /// Files that could not be searched, with the reason.
    pub unread: Vec<(PathBuf, String)>,
}

/// Erases `text` from everything that we store. `key` becomes the machine's key for hashes if it has none yet.
pub fn take_out(app: &App, text: &str, seeker: &Seeker, key: [u8; 32]) -> Result<Taken> {
    let home = &app.home;
    // A running scanner may hold the text and be about to write it.
    let Some(_scan) = ScanLock::take(home)? else {
        bail!("a scan is running; try again in a moment. Nothing was changed")
    };
    let (lock, mut database) = app.lock_database()?;
    transaction::recover(&lock, &mut database)?;
    let deed = app.deed(FORGET);
    let begun = serde_json::to_vec(&Unfinished { actor: deed.actor.clone(), text: text.to_owned() })?;
    // The text is kept until it is gone everywhere else, so that whatever runs next can finish this.
    durable::replace(&home.forgetting(), &begun)?;
    // Before anything else, so that no scan brings it back.
    database.remember_forgotten(text, key, &deed)?;
    erase(app, &lock, database, &deed, seeker)
}

/// What is kept of a text while it is being forgotten.
#[derive(Serialize, Deserialize)]
struct Unfinished {
    /// Who forgets it.
    actor: String,
    text: String,
}

/// Finishes what a command left that died while it erased a text. Where that is not possible now, such as during a scan, the
/// next command does it; where it fails, the next session start says so.
pub fn finish(app: &App) {
    if app.home.forgetting().exists()
        && !matches!(app.authority, Authority::Planning(_))
        && let Err(error) = try_to_finish(app)
    {
        let line = format!(
            "a text that you asked to forget is not fully erased yet, and every command tries again: {}",
            messages::sentence(&error)
        );
        // A place that cannot be written is told by itself.
        let _ = notice::leave(&app.home, &line);
    }
}

fn try_to_finish(app: &App) -> Result<()> {
    let home = &app.home;
    let Some(_scan) = ScanLock::take(home)? else { return Ok(()) };
    let lock = app.lock()?;
    let Some(bytes) = files::read(&home.forgetting(), LIMIT)? else { return Ok(()) };
    let begun = serde_json::from_slice::<Unfinished>(&bytes).map_err(anyhow::Error::from);
    let seeker = begun.and_then(|Unfinished { actor, text }| Ok((Seeker::new(&text)?, text, actor)));
    let Ok((seeker, text, actor)) = seeker else {
        // It was cut when it was written, before anything was done.
        return Ok(durable::remove(&home.forgetting())?);
    };
    let mut database = Database::open(home)?;
    transaction::recover(&lock, &mut database)?;
    let deed = Deed::new(actor, FORGET, app.now_ms());
    database.remember_forgotten(&text, random::bytes()?, &deed)?;
    erase(app, &lock, database, &deed, &seeker).map(drop)
}

/// Erases a text from everything that we store. Doing it again changes nothing.
fn erase(app: &App, lock: &Lock, mut database: Database, deed: &Deed, seeker: &Seeker) -> Result<Taken> {
    let home = &app.home;
    let mut taken = Taken::default();
    for store in trust::trusted(home)? {
        let copy = home.trusted_copies().join(format!("{}.json", store.sha256));
        let held = files::read(&copy, LIMIT)?.is_some_and(|bytes| seeker.is_in(&bytes));
        if held || seeker.is_in(store.root.as_bytes()) {
            decisions::withdraw_store(lock, &mut database, deed, &store.root)?;
            taken.untrusted.push(store.root);
        }
    }
    let candidates = database.candidates_holding(seeker)?;
    taken.candidates = candidates.len();
    let (CleanedLessons { cleaned, put_away }, _) =
        transaction::run(lock, &mut database, deed, |graph| lessons::take_out(graph, seeker, &candidates))?;
    (taken.lessons, taken.put_away) = (cleaned, put_away);
    if decisions::forget(lock, &mut database, deed, seeker, &candidates)? {
        taken.files.insert(FILE.into());
    }
    // Before the journal loses their paths.
    taken.shared = take_out_of_shared(app, &database, seeker)?;
    events::take_in(home, &mut database, app.now_ms())?;
    taken.rows = database.take_out(seeker)?;
    drop_approved_copies(home, seeker)?;
    transaction::sweep_copies(lock, &database)?;
    taken.files.extend(report::drop_kept(home)?);
    for path in others(home)? {
        if clean(home, &path, seeker)? {
            taken.files.insert(path.strip_prefix(home.root()).unwrap_or(&path).display().to_string());
        }
    }
    building::build_forgetting(app, lock, &database, &|id| seeker.is_in(id.as_bytes())).context(
        "the text is erased from what is stored, but the manifest could not be rebuilt and may still contain it; \
         run this again when that is fixed",
    )?;
    durable::remove(&home.forgetting())?;
    Ok(taken)
}

/// Removes the approved copies of project lessons that hold the text. The name of a copy is the digest of its bytes,
/// so a copy cannot be changed; its trust ends before it goes.
fn drop_approved_copies(home: &Home, seeker: &Seeker) -> Result<()> {
    let folder = home.trusted_copies();
    for path in files_of(home).collect::<io::Result<Vec<_>>>()? {
        if path.starts_with(&folder) && seeker.count_in(&path)?.times > 0 {
            durable::remove(&path)?;
        }
    }
    Ok(())
}

/// The files of ours that may hold the text and are not handled elsewhere.
fn others(home: &Home) -> Result<Vec<PathBuf>> {
    let apart = [
        home.lessons(),
        home.decisions(),
        home.forgetting(),
        home.incident_index(),
        home.database(),
        home.database().with_extension("db-wal"),
        home.database().with_extension("db-shm"),
        home.manifest(),
        home.index(),
        home.marker(),
        home.lock(),
    ];
    let all = files_of(home).collect::<io::Result<Vec<_>>>()?;
    Ok(all.into_iter().filter(|path| !apart.contains(path)).collect())
}

/// Erases the text from one file. Returns whether it was there.
fn clean(home: &Home, path: &Path, seeker: &Seeker) -> Result<bool> {
    let count = || seeker.count_in(path).with_context(|| path.display().to_string());
    if count()?.times == 0 {
        return Ok(false);
    }
    let is_decisions = path.to_string_lossy().ends_with(FILE);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") if is_decisions && clean_decisions(path, seeker)? => {}
        // Half a key is none.
        None if path.file_name() == home.identity().file_name() => durable::remove(path)?,
        // Hooks append to it, and the database has taken in all of it.
        Some("jsonl") => durable::remove(path)?,
        Some("db") => {
            rows::take_out_of_copy(path, seeker)?;
            if count()?.times > 0 {
                // A copy that cannot be rewritten is deleted.
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

/// Takes the text out of a copy of the decisions at `path`. Returns whether it is one that can be read.
fn clean_decisions(path: &Path, seeker: &Seeker) -> Result<bool> {
    let bytes = files::read(path, LIMIT)?.unwrap_or_default();
    let Ok(mut copy) = Decisions::parse(path, &bytes) else { return Ok(false) };
    decisions::take_out(&mut copy, seeker, &[])?;
    durable::replace(path, &copy.to_bytes())?;
    Ok(true)
}

/// Searches every file of ours for the text, byte by byte, and its name too.
pub fn look(home: &Home, seeker: &Seeker) -> Looked {
    let mut looked = Looked::default();
    for file in files_of(home) {
        let name = file.as_ref().ok().and_then(|path| path.strip_prefix(home.root()).ok());
        let is_named = name.is_some_and(|name| seeker.is_in(name.as_os_str().as_encoded_bytes()));
        match file {
            Ok(path) => looked.at(path, seeker, is_named),
            Err(error) => looked.unread.push((home.root().to_owned(), error.to_string())),
        }
    }
    looked
}

/// Searches the transcripts below `roots`, and what the client keeps beside them.
pub fn look_in_transcripts(roots: &[PathBuf], seeker: &Seeker) -> Looked {
    let mut looked = Looked::default();
    files_below(roots.to_vec()).flatten().for_each(|path| looked.at(path, seeker, false));
    looked
}

impl Looked {
    /// Whether every file was searched, and none holds the text.
    pub fn is_clean(&self) -> bool {
        self.found.is_empty() && self.unread.is_empty()
    }

    fn at(&mut self, path: PathBuf, seeker: &Seeker, is_named: bool) {
        match seeker.count_in(&path) {
            Ok(Counted { bytes, times }) => {
                self.files += 1;
                self.bytes += bytes;
                self.found.extend((times > 0 || is_named).then(|| (path, times.max(1))));
            }
            // A file that has vanished holds nothing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.unread.push((path, error.to_string())),
        }
    }
}

/// All files of ours: in the data folder, and claims where they are kept elsewhere.
fn files_of(home: &Home) -> impl Iterator<Item = io::Result<PathBuf>> {
    let claims = Some(home.sessions()).filter(|folder| !folder.starts_with(home.root()) && folder.exists());
    files_below([home.root().to_owned()].into_iter().chain(claims))
}

fn files_below(roots: impl IntoIterator<Item = PathBuf>) -> impl Iterator<Item = io::Result<PathBuf>> {
    let entries = roots.into_iter().flat_map(|root| WalkDir::new(root).sort_by_file_name());
    let files = entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.file_type().is_file()));
    files.map(|entry| entry.map(walkdir::DirEntry::into_path).map_err(io::Error::from))
}

/// What became of the shared files that hold the text.
#[derive(Debug, Default, Serialize)]
pub struct SharedFiles {
    /// Removed files.
    removed: Vec<PathBuf>,
    /// Files that stay, each with who signed it (this machine, a peer by the person's name for it, or somebody whose key is not
    /// trusted or who did not sign it as it should be) and the id of the user's lesson, to withdraw it by.
    left: Vec<Answer>,
}

/// Removes the files of the user's that hold the text, where that takes it away, and notes the others.
pub(super) fn take_out_of_shared(app: &App, database: &Database, seeker: &Seeker) -> Result<SharedFiles> {
    let own = identity::read(&app.home).ok().flatten().map(|key| key.public());
    let peers = Peers::read(&app.home).unwrap_or_default();
    let mut files = SharedFiles::default();
    for folder in folders(app, database)? {
        for (_, path) in places::files_in(&folder).events {
            let Ok(bytes) = places::read_event(&path) else { continue };
            if !seeker.is_in(&bytes) && !seeker.is_in(path.as_os_str().as_encoded_bytes()) {
                continue;
            }
            let event = Unverified::parse(&bytes).ok().and_then(|event| event.verify().ok());
            let author = event.as_ref().map(Verified::author);
            let is_own = author.is_some() && author == own;
            // Its history keeps what is in a git repository.
            let is_in_repository = path.ancestors().any(|folder| folder.join(".git").exists());
            if is_own && !is_in_repository {
                durable::remove_elsewhere(&path)?;
                files.removed.push(path);
                continue;
            }
            let (by, why) = match author.and_then(|author| peers.0.get(&author)) {
                _ if is_own => {
                    let why = "you shared it, and it is in a git repository, whose history keeps it";
                    (json!("you"), why.to_owned())
                }
                Some(Peer { name, .. }) => (json!({ "peer": name.as_str() }), format!("{name} shared it")),
                None => (json!("unknown"), "somebody else put it there".to_owned()),
            };
            let lesson = event.filter(|_| is_own).and_then(|event| SharedLesson::read(&event).ok());
            let lesson = lesson.map(|shared| shared.lesson().id.to_string());
            let unshare =
                lesson.as_ref().map(|id| format!("lessons unshare {id}, then ")).unwrap_or_default();
            let remove = if is_in_repository { "git rm" } else { "rm" };
            let (fields, path) =
                (json!({ "path": path.to_string_lossy(), "by": by }), line(&path.to_string_lossy()));
            let next = format!("{unshare}{remove} {}", quoted(&path));
            let said = format!("{path}: it holds the text and was left as it is: {why}. Next: {next}");
            files.left.push(Answer::new(vec![said], fields).given("lesson", lesson));
        }
    }
    Ok(files)
}

/// The folders with shared lessons: those of the projects that are known here, those of the setting `share.folders`, and
/// those into which something was shared.
fn folders(app: &App, database: &Database) -> Result<BTreeSet<PathBuf>> {
    let roots = database.project_roots()?.into_iter().map(|(root, _)| root);
    let trusted = trust::trusted(&app.home)?.into_iter().map(|store| store.root);
    let of_projects = roots.chain(trusted).filter_map(|root| places::of_project(Path::new(&root)));
    let named = app.settings().map(|(settings, _)| settings.share_folders).unwrap_or_default();
    let shared_into = database.shared_folders()?;
    Ok(of_projects.map(|place| place.folder).chain(named).chain(shared_into).collect())
}

impl SharedFiles {
    /// What became of them, one line for each.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let removed = self.removed.iter().map(|path| line(&path.to_string_lossy()));
        let removed = removed.map(|path| format!("{path}: removed. Whoever has copied it still has it."));
        removed.chain(self.left.iter().flat_map(|file| file.lines.clone()))
    }
}

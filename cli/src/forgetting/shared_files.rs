//! Files of shared lessons that hold a forgotten text. They are in folders that others have too.
//!
//! A file that this machine signed is removed, unless it is in a git repository: its history keeps the text, and `lessons
//! unshare`, which others have to be asked with, needs the file. What somebody else signed is not ours to remove.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use lessons_ledger::database::Database;
use lessons_ledger::forget::Seeker;
use lessons_share::event::{Unverified, Verified};
use lessons_share::key::PublicKey;
use lessons_share::shared_lesson::SharedLesson;
use lessons_sharing::receiving::places;
use lessons_store::peers::Peers;
use lessons_store::{durable, identity, trust};
use lessons_text::neutral::line;
use lessons_text::shell_word::quoted;
use serde::Serialize;

use crate::app::App;

/// What became of the shared files that hold the text.
#[derive(Debug, Default, Serialize)]
pub struct SharedFiles {
    /// Removed files.
    removed: Vec<PathBuf>,
    /// Files that stay.
    left: Vec<LeftFile>,
}

/// A file that stays, and why.
#[derive(Debug, Serialize)]
struct LeftFile {
    path: PathBuf,
    by: SharedBy,
    /// Whether it is in a git repository, whose history keeps it.
    #[serde(skip)]
    is_in_repository: bool,
    /// The id of the user's lesson, to withdraw it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<String>,
}

/// Who signed a shared file.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum SharedBy {
    /// This machine.
    You,
    /// A peer, by the person's name for it.
    Peer(String),
    /// Somebody whose key is not trusted, or nobody: it is not signed as it should be.
    Unknown,
}

impl SharedFiles {
    /// Whether none holds the text.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.left.is_empty()
    }
}

/// Removes the files of the user's that hold the text, where that takes it away, and notes the others.
pub(super) fn take_out(app: &App, database: &Database, seeker: &Seeker) -> Result<SharedFiles> {
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
            let by = shared_by(event.as_ref(), own, &peers);
            let is_in_repository = is_in_repository(&path);
            if by == SharedBy::You && !is_in_repository {
                durable::remove_elsewhere(&path)?;
                files.removed.push(path);
            } else {
                let lesson = event.filter(|_| by == SharedBy::You).and_then(|event| lesson_of(&event));
                files.left.push(LeftFile { path, by, is_in_repository, lesson });
            }
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

fn shared_by(event: Option<&Verified>, own: Option<PublicKey>, peers: &Peers) -> SharedBy {
    let Some(author) = event.map(Verified::author) else { return SharedBy::Unknown };
    match peers.get(author) {
        _ if own == Some(author) => SharedBy::You,
        Some(peer) => SharedBy::Peer(peer.name.to_string()),
        None => SharedBy::Unknown,
    }
}

fn lesson_of(event: &Verified) -> Option<String> {
    SharedLesson::read(event).ok().map(|shared| shared.lesson().id.to_string())
}

fn is_in_repository(path: &Path) -> bool {
    path.ancestors().any(|folder| folder.join(".git").exists())
}

impl fmt::Display for SharedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.removed {
            writeln!(f, "{}: removed. Whoever has copied it still has it.", line(&path.to_string_lossy()))?;
        }
        for LeftFile { path, by, is_in_repository, lesson } in &self.left {
            let path = path.to_string_lossy();
            let why = match by {
                SharedBy::You => {
                    "you shared it, and it is in a git repository, whose history keeps it".to_owned()
                }
                SharedBy::Peer(name) => format!("{name} shared it"),
                SharedBy::Unknown => "somebody else put it there".to_owned(),
            };
            let unshare = lesson.as_ref().map(|id| format!("lessons unshare {id}, then "));
            let remove = if *is_in_repository { "git rm" } else { "rm" };
            writeln!(
                f,
                "{}: it holds the text and was left as it is: {why}. Next: {}{remove} {}",
                line(&path),
                unshare.unwrap_or_default(),
                quoted(&line(&path))
            )?;
        }
        Ok(())
    }
}

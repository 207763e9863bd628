//! The search for transcripts on disk, and their grouping by session.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;
use walkdir::{DirEntry, WalkDir};

use crate::run::report::Skipped;
use crate::transcript::foreign;

/// The transcripts under some folders.
#[derive(Debug, Default)]
pub struct WalkedTree {
    /// The sessions, in the order of their folders.
    pub sessions: Vec<Session>,
    /// The files and folders that could not be read, and why.
    pub skipped: Vec<Skipped>,
}

impl WalkedTree {
    /// All transcripts.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.sessions.iter().flat_map(|session| &session.files)
    }
}

/// The files of one session. The client puts what belongs to a session into a folder of its name
/// beside its transcript: the transcripts of sub-agents, and results that were too long for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The folder. It need not exist.
    pub folder: PathBuf,
    /// Its transcripts: those of sub-agents first, because what they record the main thread may take
    /// back.
    pub files: Vec<PathBuf>,
}

impl Session {
    /// The transcript of the main thread, if it is there.
    pub fn main(&self) -> Option<&Path> {
        self.files.last().filter(|file| !is_of_agent(file)).map(PathBuf::as_path)
    }

    /// The id of the session: the name of its folder.
    pub fn id(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Finds `**/*.jsonl` under the roots, always in the same order. A root may be a link; below it no link is followed.
pub fn walk(roots: &[PathBuf]) -> WalkedTree {
    let mut walked = WalkedTree::default();
    let mut files: Vec<PathBuf> = Vec::new();
    for root in roots {
        // Sorted by name: the files of one folder share a prefix.
        for entry in WalkDir::new(root).sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str())) {
            let found = entry.map_err(|error| {
                let path = error.path().unwrap_or(root).to_owned();
                Skipped::new(&path, reason_of(&error))
            });
            match found.and_then(|entry| transcripts_at(&entry)) {
                Ok(found) => files.extend(found),
                Err(skipped) => walked.skipped.push(skipped),
            }
        }
    }
    // Roots may be nested. The files of one root are in order.
    if roots.len() > 1 {
        files.sort();
        files.dedup();
    }
    walked.sessions = sessions(files);
    walked
}

/// The sessions to which some transcripts belong, with all their files. A path that is a folder stands for everything
/// in it; a path that is gone is left out.
pub fn sessions_of(transcripts: &BTreeSet<PathBuf>) -> WalkedTree {
    let mut places: BTreeSet<PathBuf> = BTreeSet::new();
    for path in transcripts {
        if path.is_dir() {
            places.insert(path.clone());
        } else {
            let folder = folder_of(path);
            places.extend([path.clone(), folder.with_extension("jsonl"), folder.join("subagents")]);
        }
    }
    places.retain(|place| place.symlink_metadata().is_ok());
    walk(&places.into_iter().collect::<Vec<_>>())
}

/// The transcripts that an entry is. One that looks like some and cannot be read is skipped.
fn transcripts_at(entry: &DirEntry) -> Result<Vec<PathBuf>, Skipped> {
    let (kind, path) = (entry.file_type(), entry.path());
    let is_named_so = stem_of(path).is_some();
    let is_link = kind.is_symlink() && entry.depth() > 0;
    if is_link && (is_named_so || path.is_dir()) {
        return Err(Skipped::new(path, "a link, and links are not followed"));
    }
    if kind.is_file() && is_named_so {
        return Ok(vec![path.to_owned()]);
    }
    if kind.is_file() && entry.file_name() == foreign::DATABASE {
        return foreign::in_database(path).map_err(|error| Skipped::new(path, error.to_string()));
    }
    let is_special = !kind.is_file() && !kind.is_dir() && !is_link;
    if is_special && is_named_so { Err(Skipped::new(path, "no regular file")) } else { Ok(Vec::new()) }
}

fn reason_of(error: &walkdir::Error) -> String {
    match error.io_error() {
        Some(io) if io.kind() == std::io::ErrorKind::NotFound => "there is no such folder".into(),
        Some(io) => io.to_string(),
        None => error.to_string(),
    }
}

/// The part of a path before `.jsonl`.
fn stem_of(path: &Path) -> Option<&Path> {
    let stem = path.as_os_str().as_bytes().strip_suffix(b".jsonl")?;
    let has_name = !matches!(stem.last(), None | Some(b'/'));
    has_name.then(|| Path::new(OsStr::from_bytes(stem)))
}

fn sessions(files: Vec<PathBuf>) -> Vec<Session> {
    let agents = Finder::new("subagents");
    let folder_of = |file: &Path| {
        // Most are not of sub-agents, and that is seen at once.
        let is_below = agents.find(file.as_os_str().as_bytes()).is_some();
        match foreign::session_of(file) {
            _ if is_below => folder_of(file),
            Some(session) => file.with_file_name(session),
            None => stem_of(file).unwrap_or(file).to_owned(),
        }
    };
    let mut files: Vec<(PathBuf, PathBuf)> = files.into_iter().map(|file| (folder_of(&file), file)).collect();
    // Nearly all are in this order already.
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    let of_one = |(one, _): &(PathBuf, PathBuf), (other, _): &(PathBuf, PathBuf)| one.as_os_str() == other;
    let session = |files: &[(PathBuf, PathBuf)]| {
        let folder = files[0].0.clone();
        let mut files: Vec<PathBuf> = files.iter().map(|(_, file)| file.clone()).collect();
        files.sort_by_key(|file| !is_of_agent(file));
        Session { folder, files }
    };
    files.chunk_by(of_one).map(session).collect()
}

/// Whether a transcript is one of a sub-agent.
fn is_of_agent(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "subagents")
}

/// The folder of the session that a transcript belongs to: `<folder>.jsonl`, or
/// `<folder>/subagents/…/agent-….jsonl`.
fn folder_of(file: &Path) -> PathBuf {
    file.ancestors()
        .skip(1)
        .find(|folder| folder.file_name().is_some_and(|name| name == "subagents"))
        .and_then(Path::parent)
        .map_or_else(|| file.with_extension(""), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(root: &Path, path: &str) -> PathBuf {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    }

    fn reasons(walked: &WalkedTree) -> Vec<&str> {
        walked.skipped.iter().map(|skipped| skipped.reason.as_str()).collect()
    }

    #[test]
    fn the_files_of_a_session_are_found_together_and_always_in_the_same_order() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let main = write(root, "-p/s1.jsonl");
        let agents =
            [write(root, "-p/s1/subagents/agent-a.jsonl"), write(root, "-p/s1/subagents/deep/agent-b.jsonl")];
        write(root, "-p/s1/subagents/agent-a.meta.json");
        write(root, "-p/s1/tool-results/x.txt");
        // Between them in the order of names.
        let between = write(root, "-p/s1-x.jsonl");
        let other = write(root, "-p/s2.jsonl");
        let walked = walk(&[root.to_owned(), root.join("-p")]);
        let expected = [
            Session { folder: root.join("-p/s1"), files: [agents.as_slice(), &[main]].concat() },
            Session { folder: root.join("-p/s1-x"), files: vec![between] },
            Session { folder: root.join("-p/s2"), files: vec![other] },
        ];
        assert_eq!(walked.sessions, expected);
        assert!(walked.skipped.is_empty());
    }

    #[test]
    fn what_belongs_to_the_sessions_of_some_files_is_found_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let main = write(root, "-p/s1.jsonl");
        let agent = write(root, "-p/s1/subagents/agent-a.jsonl");
        let other = write(root, "-p/s2.jsonl");
        let files = |paths: &[&Path]| {
            let paths = paths.iter().map(|path| path.to_path_buf()).collect();
            sessions_of(&paths).files().cloned().collect::<Vec<_>>()
        };
        let whole = vec![agent.clone(), main.clone()];
        assert_eq!(files(&[&main]), whole, "with its sub-agents");
        assert_eq!(files(&[&agent]), whole);
        assert_eq!(files(&[&agent, &main, &other]), [whole.as_slice(), &[other]].concat());
        assert_eq!(files(&[&root.join("-p")]).len(), 3, "a folder that is new");
        assert_eq!(files(&[&root.join("gone.jsonl")]), [] as [PathBuf; 0]);
    }

    #[test]
    fn links_and_what_is_no_file_are_said_and_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let file = write(&root, "a.jsonl");
        std::os::unix::fs::symlink(&file, root.join("link.jsonl")).unwrap();
        std::os::unix::fs::symlink(dir.path(), root.join("up")).unwrap();
        std::os::unix::fs::symlink(&file, root.join("note")).unwrap();
        nix::unistd::mkfifo(&root.join("fifo.jsonl"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        fs::create_dir(root.join("folder.jsonl")).unwrap();
        let walked = walk(std::slice::from_ref(&root));
        assert_eq!(walked.sessions.len(), 1);
        let link = "a link, and links are not followed";
        assert_eq!(reasons(&walked), ["no regular file", link, link]);
    }

    #[test]
    fn a_root_may_be_a_link_and_one_that_is_not_there_is_said() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "real/a.jsonl");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path().join("real"), &link).unwrap();
        let walked = walk(&[link, dir.path().join("none")]);
        assert_eq!(walked.sessions.len(), 1);
        assert_eq!(reasons(&walked), ["there is no such folder"]);
    }
}

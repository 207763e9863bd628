//! Resolution of relative paths in a command line: `cd ~/.local/share && rm lessons/lessons.json`.
//!
//! The working folder of a command is not computed exactly. `cd` may fail, or stand in a sub-shell, in a loop or
//! in a branch that is never taken. So a relative path is resolved from every folder that the line may
//! have passed through: its start, the target of the last `cd`, and each folder in between that lies
//! on the path to the data folder. There are never more of these than that path has components.
//!
//! No path is joined or looked up on the disk. A position is described only by how far it agrees with the path of the
//! data folder, which is enough for the decision and keeps the work linear in the length of the line.

use std::collections::BTreeSet;

use super::guarded::GuardedFile;

/// The names of guarded files in the data folder, recognised even below a folder that only the shell can name.
const DATA_FILES: [&str; 7] = [
    "lessons.json",
    "lessons.db",
    "lesson-manifest.json",
    "lesson-manifest.idx",
    "lessons.recall",
    "config.toml",
    "trust.json",
];

/// The characters by which a shell marks a part of a word that it expands.
const EXPANSION: [char; 6] = ['$', '`', '*', '?', '[', '{'];

/// The position of a folder or file, relative to the path of the data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathPosition {
    /// A position below the root whose components are all known.
    Known {
        depth: usize,
        /// The number of leading components that it has in common with the path of the data folder.
        shared: usize,
        /// The number of components above its first `.lessons`, if it has one.
        project: Option<usize>,
    },
    /// A position below a folder that only the shell can name.
    Below(UnknownPathEnd),
}

/// The end of a path whose start is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnknownPathEnd {
    /// A folder with the name of the data folder.
    Folder,
    /// One of [`DATA_FILES`] in such a folder, or something below it.
    DataFile,
    Other,
}

const ROOT: PathPosition = PathPosition::Known { depth: 0, shared: 0, project: None };

/// The path of the data folder, against which positions are compared.
#[derive(Debug)]
pub(super) struct DataFolderPath {
    /// The components of the data folder's path, in lower case.
    home: Vec<String>,
    /// The components of the user's home folder, in lower case.
    user_home: Option<Vec<String>>,
}

impl DataFolderPath {
    /// Takes both paths as they are in [`super::GuardedPaths`].
    pub(super) fn new(home: &str, user_home: Option<&str>) -> Self {
        Self { home: components(home), user_home: user_home.map(components) }
    }

    /// The position to which `path` leads from a folder; `None` if that folder is not known.
    fn follow(&self, from: Option<PathPosition>, path: &str) -> Option<PathPosition> {
        let (start, rest) = match anchored(path) {
            Some((Anchor::Root, rest)) => (ROOT, rest),
            Some((Anchor::UserHome, rest)) => (self.user_home(), rest),
            None => (from?, path),
        };
        Some(rest.split('/').fold(start, |position, component| self.step(position, component)))
    }

    fn user_home(&self) -> PathPosition {
        match &self.user_home {
            Some(components) => {
                components.iter().fold(ROOT, |position, component| self.step(position, component))
            }
            None => PathPosition::Below(UnknownPathEnd::Other),
        }
    }

    fn step(&self, position: PathPosition, component: &str) -> PathPosition {
        match (position, component) {
            (_, "" | ".") => position,
            (PathPosition::Known { depth, shared, project }, "..") => {
                let depth = depth.saturating_sub(1);
                PathPosition::Known {
                    depth,
                    shared: shared.min(depth),
                    project: project.filter(|at| *at < depth),
                }
            }
            (PathPosition::Below(_), "..") => PathPosition::Below(UnknownPathEnd::Other),
            (_, pattern) if pattern.starts_with('~') || pattern.contains(EXPANSION) => {
                PathPosition::Below(UnknownPathEnd::Other)
            }
            (PathPosition::Known { depth, shared, project }, name) => {
                let agrees = shared == depth && self.home.get(depth).is_some_and(|wanted| wanted == name);
                PathPosition::Known {
                    depth: depth + 1,
                    shared: shared + usize::from(agrees),
                    project: project.or_else(|| (name == ".lessons").then_some(depth)),
                }
            }
            (PathPosition::Below(UnknownPathEnd::DataFile), _) => position,
            (PathPosition::Below(_), name) if self.home.last().is_some_and(|folder| folder == name) => {
                PathPosition::Below(UnknownPathEnd::Folder)
            }
            (PathPosition::Below(UnknownPathEnd::Folder), name) if DATA_FILES.contains(&name) => {
                PathPosition::Below(UnknownPathEnd::DataFile)
            }
            (PathPosition::Below(_), _) => PathPosition::Below(UnknownPathEnd::Other),
        }
    }

    fn named(&self, position: PathPosition) -> Option<GuardedFile> {
        match position {
            PathPosition::Known { shared, .. } if shared == self.home.len() && shared > 0 => {
                Some(GuardedFile::Home)
            }
            PathPosition::Known { project: Some(_), .. } => Some(GuardedFile::ProjectFolder),
            PathPosition::Below(UnknownPathEnd::DataFile) => Some(GuardedFile::Home),
            PathPosition::Known { .. } | PathPosition::Below(_) => None,
        }
    }
}

/// The working folders that a command of a line may have.
#[derive(Debug, Clone)]
pub(super) struct WorkingFolders<'w> {
    data_folder: &'w DataFolderPath,
    start: Option<PathPosition>,
    latest: Option<PathPosition>,
    /// The folders between the start and the latest `cd` that lie, or may lie, on the path to the data folder.
    between: BTreeSet<PathPosition>,
}

impl<'w> WorkingFolders<'w> {
    /// The state at the start of a line that runs in `cwd`.
    pub(super) fn at(data_folder: &'w DataFolderPath, cwd: Option<&str>) -> Self {
        let start = cwd.and_then(|cwd| data_folder.follow(None, &cwd.to_ascii_lowercase()));
        Self { data_folder, start, latest: start, between: BTreeSet::new() }
    }

    /// The guarded file or folder in which the line starts, if it starts in one.
    pub(super) fn named(&self) -> Option<GuardedFile> {
        self.start.and_then(|start| self.data_folder.named(start))
    }

    /// Records the effect of `cd target`.
    pub(super) fn enter(&mut self, target: &str) {
        let target = target.to_ascii_lowercase();
        let reached: Vec<PathPosition> = self.reach(&target).collect();
        self.latest = self.data_folder.follow(self.latest, &target);
        self.between.extend(reached.into_iter().filter(|position| match position {
            PathPosition::Known { depth, shared, .. } => depth == shared,
            PathPosition::Below(tail) => *tail == UnknownPathEnd::Folder,
        }));
    }

    /// The guarded file that `word` names from one of the working folders. The word may be a path or contain one.
    pub(super) fn named_in(&self, word: &str) -> Option<GuardedFile> {
        // A `)` or a backquote ends a substitution, whose output is unknown: treat it as an expansion.
        let word = word.to_ascii_lowercase().replace([')', '`'], "$");
        paths(&word).find_map(|path| self.reach(path).find_map(|position| self.data_folder.named(position)))
    }

    fn reach<'a>(&'a self, path: &'a str) -> impl Iterator<Item = PathPosition> + 'a {
        let from = [self.start, self.latest].into_iter().chain(self.between.iter().copied().map(Some));
        // An anchored path leads to the same position from everywhere: resolve it once.
        let times = if anchored(path).is_some() { 1 } else { usize::MAX };
        from.take(times).filter_map(|from| self.data_folder.follow(from, path))
    }
}

/// The start of a path that is not relative.
enum Anchor {
    Root,
    UserHome,
}

/// The anchor of `path`, which is in lower case, and the rest of it.
fn anchored(path: &str) -> Option<(Anchor, &str)> {
    if path.starts_with('/') {
        return Some((Anchor::Root, path));
    }
    let rest = ["~", "$home", "${home}"].iter().find_map(|start| path.strip_prefix(start))?;
    (rest.is_empty() || rest.starts_with('/')).then_some((Anchor::UserHome, rest))
}

/// The parts of a word that may be paths.
fn paths(word: &str) -> impl Iterator<Item = &str> {
    let in_path = |c: char| c.is_alphanumeric() || "/._-~${}*?[]@+%".contains(c);
    word.split(move |c: char| !in_path(c)).filter(|path| !path.is_empty())
}

fn components(path: &str) -> Vec<String> {
    let path = path.to_ascii_lowercase();
    path.split('/').filter(|component| !matches!(*component, "" | ".")).map(str::to_owned).collect()
}

//! Where a relative path leads: `cd ~/.local/share && rm lessons/lessons.json`.
//!
//! The folder of a command is not worked out exactly. `cd` may fail, stand in a sub-shell, in a loop or
//! in a branch that is never taken. So a relative path is judged from every folder that the line may
//! have come through: where it starts, where the last `cd` leads, and each folder in between that is
//! on the way to ours. There are never more of these than our data folder's path has components.
//!
//! Nothing is joined or looked up. A place is known by how far it agrees with the path of our data
//! folder, which is all that matters, and keeps the work linear in the line.

use std::collections::BTreeSet;

use super::names::Named;

/// Files of ours that are known even below a folder that only the shell can name.
const OURS: [&str; 7] = [
    "lessons.json",
    "lessons.db",
    "lesson-manifest.json",
    "lesson-manifest.idx",
    "lessons.recall",
    "config.toml",
    "trust.json",
];

/// What a shell writes where it works something out.
const EXPANSION: [char; 6] = ['$', '`', '*', '?', '[', '{'];

/// A place, as seen from our data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    /// So many components from the root.
    Known {
        depth: usize,
        /// How many of them, from the root on, are those of our data folder.
        shared: usize,
        /// How many stand above the first `.lessons` among them.
        project: Option<usize>,
    },
    /// Below something that the shell works out.
    Below(Tail),
}

/// How a path ends whose start is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tail {
    /// In a folder called as ours is.
    Folder,
    /// In a file of ours in such a folder, or below it.
    Ours,
    Other,
}

const ROOT: Spot = Spot::Known { depth: 0, shared: 0, project: None };

/// The way to our data folder.
#[derive(Debug)]
pub(super) struct Way {
    /// The components of its path, in lower case.
    home: Vec<String>,
    /// Those of the user's home folder.
    user_home: Option<Vec<String>>,
}

impl Way {
    /// From paths as they are in [`super::Guarded`].
    pub(super) fn new(home: &str, user_home: Option<&str>) -> Self {
        Self { home: components(home), user_home: user_home.map(components) }
    }

    /// Where `path` leads from a folder; `None` where that is not known.
    fn follow(&self, from: Option<Spot>, path: &str) -> Option<Spot> {
        let (start, rest) = match anchored(path) {
            Some((Anchor::Root, rest)) => (ROOT, rest),
            Some((Anchor::UserHome, rest)) => (self.user_home(), rest),
            None => (from?, path),
        };
        Some(rest.split('/').fold(start, |spot, component| self.step(spot, component)))
    }

    fn user_home(&self) -> Spot {
        match &self.user_home {
            Some(components) => components.iter().fold(ROOT, |spot, component| self.step(spot, component)),
            None => Spot::Below(Tail::Other),
        }
    }

    fn step(&self, spot: Spot, component: &str) -> Spot {
        match (spot, component) {
            (_, "" | ".") => spot,
            (Spot::Known { depth, shared, project }, "..") => {
                let depth = depth.saturating_sub(1);
                Spot::Known { depth, shared: shared.min(depth), project: project.filter(|at| *at < depth) }
            }
            (Spot::Below(_), "..") => Spot::Below(Tail::Other),
            (_, pattern) if pattern.starts_with('~') || pattern.contains(EXPANSION) => {
                Spot::Below(Tail::Other)
            }
            (Spot::Known { depth, shared, project }, name) => {
                let agrees = shared == depth && self.home.get(depth).is_some_and(|wanted| wanted == name);
                Spot::Known {
                    depth: depth + 1,
                    shared: shared + usize::from(agrees),
                    project: project.or_else(|| (name == ".lessons").then_some(depth)),
                }
            }
            (Spot::Below(Tail::Ours), _) => spot,
            (Spot::Below(_), name) if self.home.last().is_some_and(|folder| folder == name) => {
                Spot::Below(Tail::Folder)
            }
            (Spot::Below(Tail::Folder), name) if OURS.contains(&name) => Spot::Below(Tail::Ours),
            (Spot::Below(_), _) => Spot::Below(Tail::Other),
        }
    }

    fn named(&self, spot: Spot) -> Option<Named> {
        match spot {
            Spot::Known { shared, .. } if shared == self.home.len() && shared > 0 => Some(Named::Home),
            Spot::Known { project: Some(_), .. } => Some(Named::ProjectFolder),
            Spot::Below(Tail::Ours) => Some(Named::Home),
            Spot::Known { .. } | Spot::Below(_) => None,
        }
    }
}

/// The folders that a command may stand in.
#[derive(Debug, Clone)]
pub(super) struct Folders<'w> {
    way: &'w Way,
    start: Option<Spot>,
    latest: Option<Spot>,
    /// Those in between that are on the way to ours, or may be.
    between: BTreeSet<Spot>,
}

impl<'w> Folders<'w> {
    /// At the start of a line, given the folder it runs in.
    pub(super) fn at(way: &'w Way, cwd: Option<&str>) -> Self {
        let start = cwd.and_then(|cwd| way.follow(None, &cwd.to_ascii_lowercase()));
        Self { way, start, latest: start, between: BTreeSet::new() }
    }

    /// What is guarded among the folders themselves.
    pub(super) fn named(&self) -> Option<Named> {
        self.start.and_then(|start| self.way.named(start))
    }

    /// What `cd target` leads to.
    pub(super) fn enter(&mut self, target: &str) {
        let target = target.to_ascii_lowercase();
        let reached: Vec<Spot> = self.reach(&target).collect();
        self.latest = self.way.follow(self.latest, &target);
        self.between.extend(reached.into_iter().filter(|spot| match spot {
            Spot::Known { depth, shared, .. } => depth == shared,
            Spot::Below(tail) => *tail == Tail::Folder,
        }));
    }

    /// What a word names from one of the folders, whether it is a path or has one in it.
    pub(super) fn named_in(&self, word: &str) -> Option<Named> {
        // The end of a substitution, too, is something that the shell works out.
        let word = word.to_ascii_lowercase().replace([')', '`'], "$");
        paths(&word).find_map(|path| self.reach(path).find_map(|spot| self.way.named(spot)))
    }

    fn reach<'a>(&'a self, path: &'a str) -> impl Iterator<Item = Spot> + 'a {
        let from = [self.start, self.latest].into_iter().chain(self.between.iter().copied().map(Some));
        // Where it starts from does not matter, so once is enough.
        let times = if anchored(path).is_some() { 1 } else { usize::MAX };
        from.take(times).filter_map(|from| self.way.follow(from, path))
    }
}

/// Where a path starts that is not relative.
enum Anchor {
    Root,
    UserHome,
}

/// What `path`, in lower case, starts from, and the rest.
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

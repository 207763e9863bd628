//! The known projects and their folders on this machine, and the keys that name them in a file that is meant to be shared.
//!
//! A key is the git remote as `host/path`, so that every clone has the same key; without one a hash of the
//! root, because an absolute path tells too much about a machine. Nothing is run to find out: git's
//! own files are read, a bounded part of them, and whatever stands there is taken for hostile.

mod work_trees;

use std::path::{Path, PathBuf};

use lessons_home::files;
use lessons_text::{digest, neutral};
use rusqlite::params;

use crate::database::columns::signed;
use crate::database::{Database, Result};
pub use crate::projects::work_trees::Repository;

impl Database {
    /// Remembers that the project `key`, which people call `label`, is at `root`.
    pub fn remember_project(&mut self, root: &str, key: &str, label: &str, now: u64) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO project (root, key, label, seen) VALUES (?1, ?2, ?3, ?4)";
        self.execute(sql, params![root, key, label, signed(now)]).map(drop)
    }

    /// Returns the known roots of a project.
    pub fn roots_of(&self, key: &str) -> Result<Vec<String>> {
        self.select("SELECT root FROM project WHERE key = ?1 ORDER BY root", [key], |row| row.get(0))
    }

    /// Returns every known root with the key of its project.
    pub fn project_roots(&self) -> Result<Vec<(String, String)>> {
        self.select("SELECT root, key FROM project ORDER BY root", [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the known projects in which a candidate was seen: a folder of each that is there, if one is, and its key. Of
    /// several work trees and clones there is one.
    pub fn projects_of(&self, candidate: &str) -> Result<Vec<(String, String)>> {
        let sql = "SELECT min(root), key FROM sighting JOIN project ON root = project
                    WHERE candidate = ?1 GROUP BY key ORDER BY key";
        let seen: Vec<(String, String)> = self.select(sql, [candidate], |row| row.try_into())?;
        let there = |(root, key): (String, String)| {
            let mut roots = std::iter::once(root.clone()).chain(self.roots_of(&key)?);
            Ok((roots.find(|root| Path::new(root).is_dir()).unwrap_or(root), key))
        };
        seen.into_iter().map(there).collect()
    }
}

/// The most bytes that are read of a file of git. A `config` has a few hundred.
const LIMIT: u64 = 256 << 10;
/// The longest key, in bytes: what validation allows in `scope.projects`.
const MAX_KEY_BYTES: usize = 200;
/// The number of hex digits of a key without a remote.
const ROOT_DIGITS: usize = 16;
/// The longest label, in characters.
const MAX_LABEL_CHARS: usize = 60;

/// The name of a project, for programs and for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectKey {
    /// `github.com/acme/app`, or `root-` and 16 hex digits.
    pub key: String,
    /// The name for people: the last part of the remote, or the name of the folder.
    pub label: String,
}

/// Returns the key of the project at `root`, an absolute path.
pub fn key_of(root: &Path) -> ProjectKey {
    let remote = git_config(root).as_deref().and_then(origin).and_then(|url| host_and_path(&url));
    if let Some(key) = remote {
        let label = neutral::shortened(key.rsplit('/').next().unwrap_or(&key), MAX_LABEL_CHARS);
        return ProjectKey { key, label };
    }
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    ProjectKey {
        key: key_without_remote(root),
        label: neutral::shortened(&neutral::line(&name), MAX_LABEL_CHARS),
    }
}

/// Returns the key of a project at `root` that has no remote.
pub fn key_without_remote(root: &Path) -> String {
    format!("root-{}", digest::hex(root.as_os_str().as_encoded_bytes(), ROOT_DIGITS))
}

/// The text of the `config` that holds for `root`. Where `.git` is a file, the folder it names has
/// one, or names in `commondir` the folder that has it.
fn git_config(root: &Path) -> Option<String> {
    let git = root.join(".git");
    if git.is_dir() {
        return read(&git.join("config"));
    }
    let folder = pointed_to(root, read(&git)?.strip_prefix("gitdir:")?);
    let shared = read(&folder.join("commondir")).map(|text| pointed_to(&folder, &text));
    read(&shared.unwrap_or(folder).join("config"))
}

fn pointed_to(base: &Path, text: &str) -> PathBuf {
    base.join(text.trim())
}

/// A regular file, bounded. A FIFO does not block, a link is followed: the file is git's, not ours.
fn read(path: &Path) -> Option<String> {
    let bytes = files::read_foreign(path, LIMIT).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The `url` of `[remote "origin"]`. The last one, as git has it.
fn origin(config: &str) -> Option<String> {
    let mut inside = false;
    let mut url = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            let section = line.trim_start_matches('[').split(']').next().unwrap_or_default();
            let mut words = section.split_whitespace();
            inside = words.next().is_some_and(|word| word.eq_ignore_ascii_case("remote"))
                && words.next() == Some("\"origin\"");
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("url")
        {
            url = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    url
}

/// `host/path` of a remote, without user, password, port and `.git`. `None` for one on this machine
/// and for anything that does not look like a remote.
fn host_and_path(url: &str) -> Option<String> {
    let (authority, path) = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?,
        // `git@host:a/b`; with a slash first it is a path, with two colons a helper program.
        None => url.split_once(':').filter(|(host, path)| !host.contains('/') && !path.starts_with(':'))?,
    };
    let host = authority.rsplit('@').next()?.split(':').next()?.to_ascii_lowercase();
    let path = path.split(['?', '#']).next()?.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    // One letter is a drive.
    let good_host =
        host.len() > 1 && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'));
    let good_path = path.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && path
            .bytes()
            .all(|b| b.is_ascii_graphic() && !matches!(b, b'@' | b'\\' | b'"' | b'\'' | b'`' | b'<' | b'>'));
    let key = format!("{host}/{path}");
    (good_host && good_path && key.len() <= MAX_KEY_BYTES).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    #[test]
    fn every_way_to_write_a_remote_gives_one_key() {
        for url in [
            "git@github.com:acme/app.git",
            "github.com:acme/app",
            "https://github.com/acme/app",
            "https://GitHub.com/acme/app.git/",
            "https://user:ghp_token@github.com/acme/app.git",
            "https://github.com:443/acme/app?token=x#y",
            "ssh://git@github.com:22/acme/app.git",
            "git://github.com/acme/app",
        ] {
            assert_eq!(host_and_path(url).as_deref(), Some("github.com/acme/app"), "{url}");
        }
        assert_eq!(host_and_path("git@gitlab.com:a/b/c.git").as_deref(), Some("gitlab.com/a/b/c"));
    }

    #[test]
    fn a_remote_on_this_machine_and_what_is_none_have_no_key() {
        for url in [
            "/srv/git/app.git",
            "../app",
            "file:///srv/app",
            "C:\\repo",
            "C:/repo",
            "ext::sh -c evil",
            "",
            ":",
            "https://github.com",
            "https:///a",
            "git@host:../../etc",
            "git@host:a b",
            "host:a/<x>",
            "https://ho\u{202e}st/a/b",
            "git@host:a//b",
        ] {
            assert_eq!(host_and_path(url), None, "{url}");
        }
        assert_eq!(host_and_path(&format!("git@host:{}", "a/".repeat(200))), None);
    }

    #[test]
    fn the_origin_is_found_among_other_remotes() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = fork\n[REMOTE \"origin\"] # ours\n\
                      \tfetch = x\n\tURL = \"git@h.com:a/b\"\n[branch \"main\"]\n\turl = no\n";
        assert_eq!(origin(config).as_deref(), Some("git@h.com:a/b"));
        assert_eq!(origin("[remote \"origin\"]\n\tfetch = x\n"), None);
    }

    #[test]
    fn a_clone_has_its_remote_and_anything_else_a_hash_of_its_root() {
        let dir = tempfile::tempdir().unwrap();
        let (clone, plain) = (dir.path().join("clone"), dir.path().join("plain"));
        fs::create_dir_all(clone.join(".git")).unwrap();
        fs::create_dir_all(&plain).unwrap();
        fs::write(clone.join(".git/config"), "[remote \"origin\"]\nurl = git@github.com:acme/app.git\n")
            .unwrap();
        let expected = ProjectKey { key: "github.com/acme/app".into(), label: "app".into() };
        assert_eq!(key_of(&clone), expected);
        let found = key_of(&plain);
        assert!(found.key.starts_with("root-") && found.key.len() == 21, "{}", found.key);
        assert_eq!(found.label, "plain");
        assert_eq!(found, key_of(&plain));
    }

    #[test]
    fn a_linked_work_tree_and_a_sub_module_have_the_config_that_git_would_read() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        let config = |name: &str| format!("[remote \"origin\"]\nurl = git@h.com:a/{name}\n");
        for (file, text) in [
            ("main/.git/config", config("main").as_str()),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
            ("main/.git/modules/sub/config", &config("sub")),
            ("tree/.git", &format!("gitdir: {}\n", top.join("main/.git/worktrees/tree").display())),
            ("main/sub/.git", "gitdir: ../.git/modules/sub\n"),
        ] {
            let path = top.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(key_of(&top.join("tree")).key, "h.com/a/main");
        assert_eq!(key_of(&top.join("main/sub")).key, "h.com/a/sub");
    }

    #[test]
    fn a_fifo_a_folder_and_an_endless_file_do_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        nix::unistd::mkfifo(&root.join(".git"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(key_of(root).key.starts_with("root-"));
        fs::remove_file(root.join(".git")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", root.join(".git")).unwrap();
        assert!(key_of(root).key.starts_with("root-"));
    }

    proptest! {
        #[test]
        fn a_key_is_safe_to_share_whatever_the_config_says(text in "\\PC{0,80}", url in "[a-z@:/.%\u{202e} ]{0,40}") {
            for url in [text, url.clone(), format!("https://user:secret@{url}"), format!("git@h.com:{url}")] {
                if let Some(key) = host_and_path(&url) {
                    prop_assert!(!key.starts_with('/') && !key.contains("secret") && !key.contains('@'), "{key}");
                    prop_assert!(key.is_ascii() && key.len() <= MAX_KEY_BYTES, "{key}");
                }
            }
        }
    }
}

//! Paths that lead into a guarded folder through links.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use lessons_home::files;
use lessons_text::path;

use super::names::{GuardedFolder, GuardedNames};

/// The longest path that a system opens, in bytes: `PATH_MAX` of Linux, `path_resolution(7)`.
const LONGEST: usize = 4096;
/// The length from which padding may matter, in bytes.
const SHORT: usize = 1024;
/// The most links that a system follows, `path_resolution(7)`.
const MOST_LINKS: usize = 40;

/// The guarded folder into which a path leads, by its text or through links.
pub(super) fn leads_into(given: &str, cwd: Option<&str>, names: &GuardedNames<'_>) -> Option<GuardedFolder> {
    let guarded = names.guarded;
    let given = from_home(&plain(given), guarded.user_home);
    let joined = path::join(cwd.unwrap_or_default(), &given);
    if let Some(folder) = names.named(&path::lexical(&joined)) {
        return Some(folder);
    }
    // What the client leaves out before it opens a path must not make it too long to be looked at.
    let joined = if joined.len() > SHORT { without_padding(&joined) } else { joined };
    if joined.len() > LONGEST || given.contains('\n') {
        return None;
    }
    let passes_no_link = |path: &str| files::passes_no_link(Path::new(path));
    let leads = |path: &str| {
        // Without a link on the way to it and to our folder, both are what their texts say.
        if passes_no_link(path) && passes_no_link(guarded.home) {
            return None;
        }
        let target = resolved(Path::new(path))?;
        let is_ours = || {
            let home = Path::new(guarded.home).canonicalize().ok()?;
            target.starts_with(home).then_some(GuardedFolder::Home)
        };
        names.named(&target.to_string_lossy()).or_else(is_ours)
    };
    // Through a link `..` leads elsewhere than its text says, unless the client works it out before it opens the path.
    let lexical = path::lexical(&joined);
    leads(&joined).or_else(|| if lexical == joined { None } else { leads(&lexical) })
}

/// A path without empty parts and `.`, which lead nowhere.
fn without_padding(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// A path that may be the address of a file, or a part of one with encoded characters.
fn plain(given: &str) -> Cow<'_, str> {
    let rest = given.split_once("://").map(|(_, rest)| rest);
    let path = rest.and_then(|rest| rest.get(rest.find('/')?..)).unwrap_or(given);
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path);
    while let Some((before, after)) = rest.split_once('%') {
        let code = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(code.unwrap_or(b'%'));
        rest = code.and_then(|_| after.get(2..)).unwrap_or(after);
    }
    bytes.extend_from_slice(rest.as_bytes());
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// A path with `~` in front of it resolved.
fn from_home(given: &str, user_home: Option<&str>) -> String {
    match (given.strip_prefix('~'), user_home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => given.to_owned(),
    }
}

/// The canonical path of a file, which may not exist yet: then that of its nearest folder that does. Links may lead to a file
/// that is not there yet.
fn resolved(file: &Path) -> Option<PathBuf> {
    let mut file = file.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = file.read_link() else { break };
        file = file.parent()?.join(target);
    }
    file.canonicalize().ok().or_else(|| resolved_below(&file))
}

fn resolved_below(file: &Path) -> Option<PathBuf> {
    file.ancestors().skip(1).find_map(|folder| {
        let rest = file.strip_prefix(folder).ok()?;
        Some(folder.canonicalize().ok()?.join(rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::guarded_paths::GuardedPaths;

    #[test]
    fn a_path_leads_into_the_folder_by_its_text_by_dots_and_through_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let (home, project) = (root.join("share/notes"), root.join("project"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(project.join(".lessons")).unwrap();
        std::fs::write(home.join("decisions.json"), "").unwrap();
        std::os::unix::fs::symlink(&home, project.join("linked")).unwrap();
        std::os::unix::fs::symlink(home.join("decisions.json"), project.join("notes.md")).unwrap();
        std::fs::create_dir_all(home.join("trust/deep")).unwrap();
        std::os::unix::fs::symlink(home.join("trust"), project.join("down")).unwrap();
        std::os::unix::fs::symlink(root.join("share"), project.join("linked-share")).unwrap();
        std::os::unix::fs::symlink(project.join("linked"), project.join("twice")).unwrap();
        std::os::unix::fs::symlink(project.join(".lessons"), project.join("ours")).unwrap();
        std::os::unix::fs::symlink(home.join("new.json"), project.join("dangling")).unwrap();
        std::os::unix::fs::symlink(project.join("dangling"), project.join("dangling-twice")).unwrap();
        let padded = format!("{}linked/decisions.json", "./".repeat(700));
        let doubled = format!("{}{}linked/x", text(&project), "/".repeat(70));
        let long = format!("{}/../", "d".repeat(200)).repeat(6);
        std::fs::create_dir(project.join("d".repeat(200))).unwrap();
        let (home, user_home) = (text(&home), text(&root));
        let guarded = GuardedPaths { home: &home, user_home: Some(&user_home) };
        let names = GuardedNames::of(&guarded);
        let leads = |path: &str| leads_into(path, Some(&text(&project)), &names);
        for path in [
            "../share/notes/decisions.json",
            "~/share/notes/x",
            "linked/decisions.json",
            "linked/trust/new.json",
            "linked/peers.json",
            "linked/any/name/at/all",
            "linked",
            "down/../decisions.json",
            "linked-share/notes/x",
            "twice/identity",
            "%6cinked/decisions.json",
            &format!("file://localhost{home}/x"),
            &format!("vscode-remote://wsl{home}/x"),
            &format!("{}/../linked/x", "n".repeat(300)),
            &format!("file://{}", home.replace("notes", "n%6ftes/x%2fy")),
            "notes.md",
            "dangling",
            "dangling-twice",
            &padded,
            &doubled,
            &format!("{long}linked/decisions.json"),
            &format!("file://{home}/x"),
        ] {
            assert_eq!(leads(path), Some(GuardedFolder::Home), "{path}");
        }
        assert_eq!(leads(".lessons/lessons.json"), Some(GuardedFolder::Project));
        assert_eq!(leads("ours/shared/x"), Some(GuardedFolder::Project));
        for path in ["100%", "a%zz", "src/main.rs", "config.toml", "lessons.json", "~/x", ""] {
            assert_eq!(leads(path), None, "{path}");
        }
    }
}

//! Paths that lead into a guarded folder through links.

use std::path::{Path, PathBuf};

use lessons_text::path;

use super::names::{GuardedFolder, GuardedNames, GuardedPaths};

/// The names of our own files and folders. A path through a linked folder ends in one of them.
const OUR_NAMES: [&str; 11] = [
    "config.toml",
    "decisions.json",
    "forgetting",
    "home",
    "lesson-manifest.idx",
    "lesson-manifest.json",
    "lessons.db",
    "lessons.json",
    "questions",
    "sessions",
    "trust",
];

/// The guarded folder into which a path leads, by its text or through links.
///
/// A path that has nothing to do with us costs one system call, which asks whether it is a link itself.
pub(super) fn leads_into(
    given: &str,
    cwd: Option<&str>,
    guarded: &GuardedPaths<'_>,
    names: &GuardedNames,
) -> Option<GuardedFolder> {
    let given = from_home(given.strip_prefix("file://").unwrap_or(given), guarded.user_home);
    let absolute = path::lexical(&path::join(cwd.unwrap_or_default(), &given));
    if let Some(folder) = names.named(&absolute) {
        return Some(folder);
    }
    let file = Path::new(&absolute);
    let has_our_name = || absolute.split('/').any(|name| OUR_NAMES.contains(&name));
    if !(has_our_name() || file.read_link().is_ok()) {
        return None;
    }
    let target = resolved(file)?;
    let is_ours = || {
        let home = Path::new(guarded.home).canonicalize().ok()?;
        target.starts_with(home).then_some(GuardedFolder::Home)
    };
    names.named(&target.to_string_lossy()).or_else(is_ours)
}

/// A path with `~` in front of it resolved.
fn from_home(given: &str, user_home: Option<&str>) -> String {
    match (given.strip_prefix('~'), user_home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => given.to_owned(),
    }
}

/// The canonical path of a file, which may not exist yet: then that of its nearest folder that does.
fn resolved(file: &Path) -> Option<PathBuf> {
    if let Ok(target) = file.read_link() {
        // A link to a file that is not there yet.
        let target = file.parent()?.join(target);
        return target.canonicalize().ok().or_else(|| resolved_below(&target));
    }
    file.canonicalize().ok().or_else(|| resolved_below(file))
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
        std::os::unix::fs::symlink(home.join("new.json"), project.join("dangling")).unwrap();
        let (home, user_home) = (text(&home), text(&root));
        let guarded = GuardedPaths { home: &home, user_home: Some(&user_home) };
        let names = GuardedNames::of(&guarded);
        let leads = |path: &str| leads_into(path, Some(&text(&project)), &guarded, &names);
        for path in [
            "../share/notes/decisions.json",
            "~/share/notes/x",
            "linked/decisions.json",
            "linked/trust/new.json",
            "notes.md",
            "dangling",
            &format!("file://{home}/x"),
        ] {
            assert_eq!(leads(path), Some(GuardedFolder::Home), "{path}");
        }
        assert_eq!(leads(".lessons/lessons.json"), Some(GuardedFolder::Project));
        for path in ["src/main.rs", "config.toml", "lessons.json", "~/x", ""] {
            assert_eq!(leads(path), None, "{path}");
        }
    }
}

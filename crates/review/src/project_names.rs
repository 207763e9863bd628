//! Projects as people name them: by folder or by key.

use std::path::{Path, PathBuf};

use lessons_context::{Context, Result, WhileDoing as _, refused};
use lessons_home::ThisMachine;
use lessons_ledger::{Database, ProjectKey, projects};
use lessons_lesson::{ProjectRoots, find_roots};
use lessons_text::path::lexical;

/// The key of the project that `text` names: a folder on this machine, or a key.
///
/// The folder of a project is stored, so that the builder knows its root.
pub fn project_key(context: &Context, text: &str) -> Result<String> {
    let is_folder = text.starts_with(['.', '/']) || Path::new(text).is_dir();
    if is_folder {
        let folder = std::path::absolute(text)?;
        // The folder of a project that is known may be gone: its lessons can still be changed.
        let known = || Database::open(&context.home)?.project_roots();
        if !folder.is_dir() && !known()?.iter().any(|(root, _)| Path::new(root) == folder) {
            return refused(format!("there is no folder {}", folder.display()));
        }
        return remember(context, &folder);
    }
    let is_key = text.starts_with("root-") || text.split('/').filter(|part| !part.is_empty()).count() > 1;
    if !is_key {
        return refused(format!("`{text}` is neither a folder nor a remote such as github.com/owner/name"));
    }
    Ok(text.to_owned())
}

/// The roots of the project around the working folder.
pub fn roots_here() -> Result<ProjectRoots> {
    let here = std::env::current_dir().while_doing(|| "the working folder".to_owned())?;
    Ok(find_roots(&lexical(&here.to_string_lossy()), &ThisMachine))
}

/// The roots of the project around a folder, links resolved.
pub fn roots_of(folder: &Path) -> Result<ProjectRoots> {
    let folder = folder.canonicalize().while_doing(|| folder.display().to_string())?;
    Ok(find_roots(&folder.to_string_lossy(), &ThisMachine))
}

/// The root of the project around the working folder.
pub fn here() -> Option<PathBuf> {
    Some(roots_here().ok()?.root.into())
}

/// Whether a root is one of a project, and not just the folder in which somebody works.
pub fn is_project(root: &Path) -> bool {
    [".git", ".lessons"].iter().any(|name| root.join(name).exists())
}

/// The root of the project around a folder. For a linked work tree it is the main one, because that is the same project.
pub fn main_root(folder: &Path) -> PathBuf {
    let roots = find_roots(&lexical(&folder.to_string_lossy()), &ThisMachine);
    roots.main.unwrap_or(roots.root).into()
}

/// Stores the root of the project around `folder`. Returns its key.
pub fn remember(context: &Context, folder: &Path) -> Result<String> {
    let root = main_root(folder).to_string_lossy().into_owned();
    let ProjectKey { key, label } = projects::key_of(Path::new(&root));
    Database::open(&context.home)?.remember_project(&root, &key, &label, context.now_ms())?;
    Ok(key)
}

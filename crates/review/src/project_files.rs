//! The list of a project's files, to check whether globs match any.

use std::path::Path;

use lessons_context::{Result, WhileDoing as _};
use lessons_store::Files;

use crate::project_names;

/// The most files that are listed.
const MOST: usize = 200_000;
/// Folders whose files no lesson is about.
const SKIPPED: [&str; 4] = [".git", ".hg", ".lessons", "node_modules"];

/// The files of the project around the working folder. `None` outside a project or if there are too many.
pub fn here() -> Option<Files> {
    let root = project_names::here()?;
    if project_names::is_project(&root) { files(&root).ok()? } else { None }
}

/// The paths of all files below `folder`, relative to it; links are not followed. `None` if there are too many.
pub fn files(folder: &Path) -> Result<Option<Files>> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), String::new())];
    while let Some((path, name)) = waiting.pop() {
        let entries = std::fs::read_dir(&path).while_doing(|| path.display().to_string());
        let entries = match entries {
            Ok(entries) => entries,
            // An unreadable folder inside the project hides only its own files.
            Err(_) if !name.is_empty() => continue,
            Err(error) => return Err(error),
        };
        for entry in entries.flatten() {
            let Some(part) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let below = if name.is_empty() { part.clone() } else { format!("{name}/{part}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && SKIPPED.contains(&part.as_str()) => {}
                Ok(kind) if kind.is_dir() => waiting.push((entry.path(), below)),
                Ok(_) => found.push(below),
                Err(_) => {}
            }
        }
        if found.len() + waiting.len() > MOST {
            return Ok(None);
        }
    }
    Ok(Some(Files(found.into_iter().collect())))
}

//! The files of a project, for globs that should match one.

use std::path::Path;

use anyhow::{Context, Result};
use lessons_store::validate::Files;

use crate::project_names;

/// The most files that are looked at.
const MOST: usize = 200_000;
/// Folders that hold nothing a lesson is about.
const SKIPPED: [&str; 4] = [".git", ".hg", ".lessons", "node_modules"];

/// The files of the project in which this is typed. `None` outside of one, and where they are too many.
pub fn here() -> Option<Files> {
    let root = project_names::here()?;
    let is_project = [".git", ".lessons"].iter().any(|name| root.join(name).exists());
    if is_project { files(&root).ok()? } else { None }
}

/// The files below `folder`, by their paths from there. `None` where they are too many. Links are not
/// followed.
pub fn files(folder: &Path) -> Result<Option<Files>> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_owned(), String::new())];
    while let Some((path, name)) = waiting.pop() {
        let entries = std::fs::read_dir(&path).with_context(|| path.display().to_string());
        let entries = match entries {
            Ok(entries) => entries,
            // A folder that cannot be read inside the project hides its files, not the others.
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
    Ok(Some(Files::new(found)))
}

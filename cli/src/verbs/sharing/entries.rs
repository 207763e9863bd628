//! `lessons import FILE.md`: the entries of files of lessons as candidates.

use std::path::{Path, PathBuf};

use lessons_incident_check::record;
use lessons_ledger::Recorded;
use lessons_lesson::project::LESSONS_FILES;
use lessons_review::{lookup, project_names};
use lessons_scanner::lessons_file::{self, LessonsFile};

use crate::prelude::*;

/// The most files of a folder that are read.
const MOST_FILES: usize = 200;

/// Whether a file is Markdown by its name.
pub(super) fn is_markdown(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    matches!(end.as_deref(), Some("md" | "mdc" | "markdown"))
}

/// The files of lessons at their usual places below `root`, each with the number of its entries.
pub(crate) fn found_in(root: &Path, now: u64) -> Vec<(&'static str, usize)> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let read = |name: &&'static str| {
        let path = root.join(name).canonicalize().ok().filter(|path| path.starts_with(&root))?;
        let count = lessons_file::read_file(&path, None, now).ok()?.entries.len();
        (count > 0).then_some((*name, count))
    };
    LESSONS_FILES.iter().filter_map(read).collect()
}

pub(super) fn run(app: &App, given: &Path) -> Result<Exit> {
    let given = given.canonicalize().with_context(|| given.display().to_string())?;
    let mut not_taken: Vec<(String, String)> = Vec::new();
    let mut entries = Vec::new();
    for path in files(&given)? {
        let project = project_of(&path);
        if let Some(project) = &project {
            project_names::remember(app, project)?;
        }
        let root = project.as_ref().map(|root| root.to_string_lossy());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match lessons_file::read_file(&path, root.as_deref(), app.now_ms()) {
            Ok(LessonsFile { entries: found, left_out }) => {
                entries.extend(found);
                not_taken.extend(left_out.into_iter().map(|(line, why)| (format!("{name}:{line}"), why)));
            }
            Err(why) => not_taken.push((name, why.to_string())),
        }
    }
    if entries.is_empty() && not_taken.is_empty() {
        bail!(Refused(format!("{} has no entry that could be a lesson", given.display())));
    }
    app.agree(&format!("Take {} from {}", counted(entries.len(), "candidate"), given.display()))?;
    let mut database = app.database()?;
    let Recorded { new, forgotten, .. } = database.record_entries(&entries, &app.deed("imported"))?;
    let known = entries.len() - new - forgotten;
    drop(database);
    record::judge(app);
    lookup::publish(app);
    let and_known = (known > 0).then(|| format!(", {known} known already"));
    let and_forgotten = (forgotten > 0).then(|| format!(", {forgotten} with a text that you had forgotten"));
    let taken = [Some(counted(new, "new candidate")), and_known, and_forgotten];
    let mut lines = vec![taken.into_iter().flatten().collect::<String>()];
    let left_out = not_taken.iter();
    lines.extend(left_out.map(|(place, why)| format!("  left out {}: {}", line(place), line(why))));
    lines.push("Next: lessons review".to_owned());
    let fields = json!({ "new": new, "known": known, "forgotten": forgotten, "leftOut": not_taken });
    app.answer(&Answer::new(lines, fields))?;
    Ok(if not_taken.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The file, or the files of Markdown in a folder, without following links.
fn files(given: &Path) -> Result<Vec<PathBuf>> {
    if !given.is_dir() {
        return Ok(vec![given.to_owned()]);
    }
    let walk =
        walkdir::WalkDir::new(given).max_depth(3).sort_by_file_name().into_iter().filter_map(Result::ok);
    let plain = walk.filter(|entry| entry.file_type().is_file() && is_markdown(entry.path()));
    let files: Vec<PathBuf> = plain.map(walkdir::DirEntry::into_path).take(MOST_FILES + 1).collect();
    if files.len() > MOST_FILES {
        bail!(Refused(format!("{} has more than {MOST_FILES} files of Markdown; name one", given.display())));
    }
    Ok(files)
}

/// The project of a file: the one around the working folder, or the repository around the file.
fn project_of(file: &Path) -> Option<PathBuf> {
    let here = project_names::here().and_then(|root| root.canonicalize().ok());
    if let Some(here) = here.filter(|here| file.starts_with(here)) {
        return Some(project_names::main_root(&here));
    }
    let root = project_names::main_root(file.parent()?);
    (root.join(".git").exists() || root.join(".lessons").exists()).then_some(root)
}

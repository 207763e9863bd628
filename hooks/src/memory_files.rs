//! The line about instructions of a project that hold a text like a critical incident, or one that gives orders as such texts
//! do. It is for the user: the model must not read more of such a text than it already does.

use std::path::Path;

use lessons_decide::inspection::inspect;
use lessons_decide::{Owner, Suspicion};
use lessons_home::{Home, files};
use lessons_incident::{Severity, finding};
use lessons_lesson::ProjectLocation;
use lessons_lesson::waiting::{MemoryFile, MemoryLook};
use lessons_text::neutral;

use crate::incidents;

/// The files with instructions for the agent, from the root of the project.
const FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md"];
/// The longest file that is looked at, in bytes.
const LIMIT: u64 = 256 << 10;

/// The largest list of what a scan found that is read, in bytes.
const LOOK_LIMIT: u64 = 256 << 10;

/// The line, if there is such a file: at the root of the project, or among those that the last scan found.
pub(crate) fn line(home: &Home, place: &ProjectLocation<'_>) -> Option<String> {
    let index = incidents::index(home)?;
    let roots = place.roots();
    let own = roots.iter().flat_map(|roots| {
        let file = |name| (format!("{name} of this project"), Path::new(&roots.root).join(name));
        FILES.into_iter().map(file)
    });
    let found = found(home).into_iter().filter(|file| {
        let Some(project) = &file.project else { return true };
        roots.is_some_and(|roots| {
            Path::new(&roots.root) == project
                || roots.main.as_ref().is_some_and(|main| Path::new(main) == project)
        })
    });
    let found = found.map(|file| (neutral::line(&file.path.display().to_string()), file.path));
    own.chain(found).find_map(|(name, path)| {
        let bytes = files::read_foreign(&path, LIMIT).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        let worst = inspect(&index, &text, Owner::Foreign).into_iter().next()?;
        let why = (worst.severity == Severity::Critical).then(|| words(&worst))?;
        Some(format!(
            "Lessons: {name} holds a text {why}. Look at the file before you go on; `lessons doctor` names every such file."
        ))
    })
}

fn words(part: &Suspicion) -> String {
    match part.like {
        Some((id, _)) => format!("like incident {id} (critical), which gave orders to an agent before"),
        None => format!("that gives orders against you ({})", finding::names(&part.rules)),
    }
}

/// The files that the last scan found. They may have changed since, so each is read again.
fn found(home: &Home) -> Vec<MemoryFile> {
    let bytes = files::read(&home.memory_look(), LOOK_LIMIT).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice::<MemoryLook>(&bytes).ok()).unwrap_or_default().held
}

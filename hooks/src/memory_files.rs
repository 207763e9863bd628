//! The line about instructions of a project that hold a text like a critical incident. It is for the user: the model must
//! not read more of such a text than it already does.

use std::path::Path;

use lessons_home::files;
use lessons_home::home::Home;
use lessons_incident::index::Row;
use lessons_incident::kind::{IncidentType, Severity};
use lessons_lesson::project::ProjectLocation;

use crate::incidents;

/// The files with instructions for the agent, from the root of the project.
const FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md"];
/// The longest file that is looked at, in bytes.
const LIMIT: u64 = 256 << 10;

/// The line, if there is such a file.
pub(crate) fn line(home: &Home, place: &ProjectLocation<'_>) -> Option<String> {
    let index = incidents::index(home)?;
    let is_critical = |row: &Row| row.is_in_force() && row.severity == Severity::Critical;
    if !index.rows().iter().any(is_critical) {
        return None;
    }
    let root = Path::new(&place.roots()?.root);
    let held = FILES.iter().find_map(|name| {
        let bytes = files::read_foreign(&root.join(name), LIMIT).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        let critical = index
            .all_matches(&text)
            .into_iter()
            .find(|found| is_critical(found.row) && found.row.kind != IncidentType::ContradictionPattern)?;
        Some((name, critical.row.id))
    });
    held.map(|(name, id)| {
        format!(
            "Lessons: {name} of this project holds a text like incident {id} (critical), which gave orders to an agent \
             before. Look at the file before you go on; `lessons doctor` names every such file."
        )
    })
}

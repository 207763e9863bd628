//! The digest: what happened in the sessions of a project, short enough for a model to read.
//!
//! Rules cannot understand people. So what a person typed and refused, what failed again, and what was written down to be
//! remembered is noted in a few hundred bytes each, and a reader says what it means. Nothing here knows any language's words
//! for "no" or "always": the code decides what is typed by a person, where it stands, and how much of it is shown.
//!
//! - `session` reads a transcript to its end; `signs`, `text`, `call_line`, `error_line` and `memory` say what is kept of it.
//! - [`refresh`] notes what is new. What was noted is in the database ([`lessons_ledger::recording::digest`]).
//! - `items` makes the items of a project of it, each event once; `reading` cuts them to size.

mod call_line;
mod error_line;
mod items;
mod memory;
mod note;
mod origin;
mod reading;
mod refresh;
mod session;
mod signs;
mod text;

use std::collections::{BTreeMap, HashMap, HashSet};

use lessons_ledger::{Database, DatabaseError};

pub use items::{CitedCall, Correction, Item, ItemKind};
use items::{Known, PlacedEvent, ProjectItems};
use note::NotedEvent;
pub use note::Place;
pub use origin::is_echo;
use reading::Cutter;
pub use reading::Reading;
pub use refresh::refresh;

/// The items that a digest holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Those that nobody has read, and that no candidate explains which was rejected or is one of these: they are lessons.
    Unread(HashSet<String>),
    /// All of them.
    All,
}

/// Makes the readings of some projects, each named by its roots, and gives them on one by one; `None` is every project, with
/// the errors that only several projects show. A reading holds at most `tokens`, the oldest items first.
pub fn each_reading(
    database: &Database,
    projects: Option<&[String]>,
    wanted: &Wanted,
    tokens: usize,
    give: &mut dyn FnMut(Reading),
) -> Result<(), DatabaseError> {
    let known = match wanted {
        Wanted::All => Known::default(),
        Wanted::Unread(promoted) => Known {
            read: database.read_marks()?.into_iter().collect(),
            decided: database.decided_lines(promoted)?.into_iter().collect(),
        },
    };
    let keys: HashMap<String, String> = database.project_roots()?.into_iter().collect();
    let roots = match projects {
        Some(projects) => projects.to_vec(),
        None => database.noted_projects()?,
    };
    let mut by_key: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for root in roots {
        by_key.entry(keys.get(&root).unwrap_or(&root).clone()).or_default().push(root);
    }
    let (mut everywhere, mut shown) = (Vec::new(), HashSet::new());
    let mut cutter = Cutter::new(tokens, give);
    // One project at a time: years of all of them would fill the memory.
    for roots in by_key.into_values() {
        let (items, failures) = items::of_project(events(database, &roots)?, &known);
        if projects.is_none() {
            shown.extend(items.errors.iter().map(|item| item.mark.clone()));
            everywhere.extend(failures);
        }
        cutter.add(roots.first().map_or("", String::as_str), items);
    }
    let errors = items::of_all_projects(&everywhere, &shown, &known);
    cutter.add("several", ProjectItems { told: Vec::new(), errors });
    cutter.end();
    Ok(())
}

/// The events of a project, which has these roots.
fn events(database: &Database, roots: &[String]) -> Result<Vec<PlacedEvent>, DatabaseError> {
    let noted = database.noted(roots)?;
    let mut begins: HashMap<String, u64> = HashMap::new();
    for (file, row) in &noted {
        let begin = begins.entry(file.clone()).or_insert(row.time);
        *begin = (*begin).min(row.time);
    }
    let mut events = Vec::with_capacity(noted.len());
    for (file, row) in noted {
        // Rows of another version are noted again when their file changes.
        let Ok(mut event) = serde_json::from_str::<NotedEvent>(&row.note) else { continue };
        for place in &mut event.places {
            place.file.clone_from(&file);
            place.project.clone_from(&row.project);
            place.time = row.time;
        }
        let name = file.rsplit('/').next().and_then(|name| name.strip_suffix(".jsonl")).unwrap_or(&file);
        let session = (begins.get(&file).copied().unwrap_or_default(), name.to_owned());
        events.push(PlacedEvent { id: row.event, project: row.project, time: row.time, session, event });
    }
    Ok(events)
}

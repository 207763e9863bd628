//! `lessons list`: the lessons in force.

use std::fmt;

use anyhow::Result;
use lessons_core::id::{Layer, ProjectHash, QualifiedId};
use lessons_core::lesson::{Lesson, Mode, Status};
use lessons_core::neutral;
use lessons_manifest_builder::seeds;
use lessons_store::{load, trust};
use serde::Serialize;

use crate::app::{App, Exit};
use crate::args::List;
use crate::building;

/// The longest line about a lesson, in characters.
const LINE: usize = 90;

/// A lesson in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: QualifiedId,
    mode: Mode,
    priority: u8,
    status: Status,
    /// Whether the hooks act on it.
    in_force: bool,
    summary: String,
}

/// The list.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Entries(Vec<Entry>);

pub(crate) fn run(app: &App, args: &List) -> Result<Exit> {
    let in_force = building::in_force(app);
    let mut entries: Vec<Entry> = every(app)?
        .into_iter()
        .filter(|(_, lesson)| args.text.as_deref().is_none_or(|text| holds(lesson, text)))
        .map(|(id, lesson)| Entry {
            in_force: in_force.contains(&id),
            mode: lesson.mode,
            priority: lesson.priority.get(),
            status: lesson.status,
            summary: neutral::line(&lesson.one_line()),
            id,
        })
        .filter(|entry| args.all || entry.in_force)
        .collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    app.answer(&Entries(entries))?;
    Ok(Exit::Done)
}

/// Every lesson of every layer.
pub(crate) fn every(app: &App) -> Result<Vec<(QualifiedId, Lesson)>> {
    let with = |layer: Layer| {
        move |lesson: Lesson| (QualifiedId { layer: layer.clone(), id: lesson.id.clone() }, lesson)
    };
    let mut all: Vec<_> = load::lessons(&app.home)?.lessons().cloned().map(with(Layer::User)).collect();
    all.extend(seeds::lessons().into_iter().map(with(Layer::Seed)));
    for approved in trust::approved(&app.home)? {
        let layer = Layer::Project(ProjectHash::of_root(&approved.store.root));
        all.extend(approved.lessons.into_iter().map(with(layer)));
    }
    Ok(all)
}

fn holds(lesson: &Lesson, text: &str) -> bool {
    let text = text.to_lowercase();
    let parts =
        [Some(lesson.id.as_str()), Some(&lesson.rule), lesson.mistake.as_deref(), lesson.summary.as_deref()];
    parts.into_iter().flatten().any(|part| part.to_lowercase().contains(&text))
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(
                "No lesson. `lessons add` records one, `lessons candidates` shows what was found.",
            );
        }
        for entry in &self.0 {
            let mode = match (entry.in_force, entry.mode) {
                (false, _) => "off   ",
                (true, Mode::Advise) => "advise",
                (true, Mode::Bump) => "bump  ",
                (true, Mode::Block) => "block ",
            };
            writeln!(f, "{mode}  {}", entry.id)?;
            writeln!(f, "        {}", neutral::shortened(&entry.summary, LINE))?;
        }
        write!(f, "See one whole: lessons show ID")
    }
}

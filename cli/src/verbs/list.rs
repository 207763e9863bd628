//! `lessons list`: the lessons in force.

use std::fmt;

use anyhow::{Result, bail};
use lessons_core::id::{Layer, ProjectHash, QualifiedId};
use lessons_core::lesson::{Lesson, Mode, Status};
use lessons_core::neutral;
use lessons_manifest_builder::seeds;
use lessons_store::{load, trust};
use serde::Serialize;

use crate::app::{App, Exit, Refused};
use crate::args::List;
use crate::building;
use crate::verbs::change;

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
    app.recorded(&Entries(entries))?;
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

/// The lesson of any layer that `text` names: its id with or without its layer, or the start of either.
/// An exact name comes before the start of one, the user's own before others of the same name.
pub(crate) fn find(app: &App, text: &str) -> Result<(QualifiedId, Lesson)> {
    let mut every = every(app)?;
    every.sort_by(|(a, _), (b, _)| a.cmp(b));
    let exact = every.iter().position(|(id, _)| id.id.as_str() == text || id.to_string() == text);
    if let Some(at) = exact {
        return Ok(every.swap_remove(at));
    }
    let starts = |id: &QualifiedId| {
        !text.is_empty() && (id.id.as_str().starts_with(text) || id.to_string().starts_with(text))
    };
    every.retain(|(id, _)| starts(id));
    if every.len() > 1 {
        bail!(Refused(change::ambiguous(text, every.iter().map(|(id, _)| id))));
    }
    every.pop().ok_or_else(|| {
        let text = neutral::shortened(&neutral::line(text), LINE);
        Refused(format!("there is no lesson `{text}`; `lessons list --all` shows all of them")).into()
    })
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
                "No such lesson in force. `lessons list --all` shows those that are not; `lessons add` records one.",
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
        write!(f, "Next: lessons show ID")
    }
}

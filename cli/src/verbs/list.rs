//! `lessons list`: list the lessons in force.

use std::fmt;

use anyhow::Result;
use lessons_decide::claims::{self, EVERYTHING, SessionFiles};
use lessons_lesson::id::{QualifiedId, TopicId};
use lessons_lesson::lesson::{Lesson, Mode, Status};
use lessons_manifest_builder::layers::Off;
use lessons_text::neutral;
use serde::Serialize;

use crate::app::{App, Exit};
use crate::args::List;
use crate::in_force;
use crate::lookup;
use crate::messages;
use crate::verbs::on_off;

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
    /// The time until which it is switched off, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    off_until: Option<u64>,
    /// Whether it is switched off for the current session.
    off_in_session: bool,
    summary: String,
    topics: Vec<TopicId>,
    created_at: String,
}

/// The answer: the list.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Entries {
    entries: Vec<Entry>,
    /// A notice about all of them.
    #[serde(skip)]
    notice: Option<String>,
}

pub(crate) fn run(app: &App, args: &List) -> Result<Exit> {
    let in_force = in_force::lessons(app);
    let session = on_off::session_files(app);
    let is_off_here = |what: &str| session.as_ref().is_some_and(|files| files.holds(&claims::off_name(what)));
    let mut entries: Vec<Entry> = lookup::every_lesson(app)?
        .into_iter()
        .filter(|(_, lesson)| args.text.as_deref().is_none_or(|text| holds(lesson, text)))
        .map(|(id, lesson)| Entry {
            in_force: in_force.contains_key(&id),
            off_until: in_force.get(&id).copied().flatten(),
            off_in_session: is_off_here(&id.to_string()),
            mode: lesson.mode,
            priority: lesson.priority.get(),
            status: lesson.status,
            summary: neutral::line(&lesson.one_line()),
            topics: lesson.topics.clone(),
            created_at: lesson.created_at.clone(),
            id,
        })
        .filter(|entry| args.all || entry.in_force)
        .collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    let until = match in_force::all_off(app) {
        Some(Off::ForEver) => Some(String::new()),
        Some(Off::Until(until)) => Some(format!(" until {}", messages::time(until))),
        None => is_off_here(EVERYTHING).then(|| " until this session ends".to_owned()),
    };
    let notice = until.map(|until| format!("Everything is off{until}. `lessons on all` switches it on"));
    app.recorded(&Entries { entries, notice })?;
    Ok(Exit::Done)
}

fn holds(lesson: &Lesson, text: &str) -> bool {
    let text = text.to_lowercase();
    let parts =
        [Some(lesson.id.as_str()), Some(&lesson.rule), lesson.mistake.as_deref(), lesson.summary.as_deref()];
    parts.into_iter().flatten().any(|part| part.to_lowercase().contains(&text))
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(notice) = &self.notice {
            writeln!(f, "{notice}")?;
        }
        if self.entries.is_empty() {
            return f.write_str(
                "No such lesson in force. `lessons list --all` shows those that are not; `lessons add` records one.",
            );
        }
        for entry in &self.entries {
            let mode = match entry.mode {
                _ if !entry.in_force || entry.off_until.is_some() || entry.off_in_session => "off   ",
                Mode::Advise => "advise",
                Mode::Bump => "bump  ",
                Mode::Block => "block ",
            };
            let in_session = entry.off_in_session.then(|| "  (off until this session ends)".to_owned());
            let until = entry.off_until.map(|until| format!("  (off until {})", messages::time(until)));
            let until = until.or(in_session);
            writeln!(f, "{mode}  {}{}", entry.id, until.unwrap_or_default())?;
            writeln!(f, "        {}", neutral::shortened(&entry.summary, LINE))?;
        }
        write!(f, "Next: lessons show ID")
    }
}

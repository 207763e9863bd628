//! `lessons list`: list the lessons in force, your own first, or find some by their texts.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::IsTerminal as _;

use anyhow::Result;
use clap::{Args, ValueEnum};
use lessons_context::{KnownProjects, retyped, typed};
use lessons_decide::claims::EVERYTHING;
use lessons_decide::{SessionFiles, claims};
use lessons_effect::{LessonEffect, Verdict};
use lessons_ledger::projects;
use lessons_lesson::{Layer, Lesson, Mode, ProjectHash, QualifiedId, Status, TopicId};
use lessons_manifest_builder::layers::Off;
use lessons_publish::in_force;
use lessons_review::{Holding, effects, lookup, project_names, search};
use lessons_store::LessonChange;
use lessons_text::neutral;
use serde::Serialize;

use crate::app::{Answer, App, Exit, Output};
use crate::ui::paint::Paint;
use crate::verbs::deciding::on_off;
use crate::verbs::seeing::query;

/// Arguments of `lessons list`.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct List {
    /// Also list lessons that are retired or switched off
    #[arg(long)]
    pub all: bool,
    /// List only your own lessons
    #[arg(long)]
    pub mine: bool,
    /// List only lessons of this project: those that it brings along, and your own that are limited to it
    #[arg(long)]
    pub project: bool,
    /// One short line for each lesson
    #[arg(long)]
    pub short: bool,
    /// Show this page of a list that is longer than the screen
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub page: u32,
    /// Sort all of them by this, instead of your own first
    #[arg(long, value_enum, value_name = "WHAT")]
    pub sort: Option<Sort>,
    /// List only lessons with these words in any of their texts, best match first
    pub text: Vec<String>,
}

/// An order of lessons in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The newest first
    Created,
    /// The last changed first
    Updated,
    /// The highest priority first
    Priority,
}

/// The longest line about a lesson, in characters.
const LINE: usize = 90;
/// The columns before it.
const INDENT: usize = 8;
/// The narrowest line that two lines for a lesson are cut to, in columns.
const SHORTEST: usize = 60;

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
    /// How `lessons.json` differs from what a person accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_accepted: Option<LessonChange>,
    /// The time until which it is switched off, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    off_until: Option<u64>,
    /// Whether it is switched off for the current session.
    off_in_session: bool,
    /// What can be said of its effect, if anything can.
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<String>,
    /// Where it holds, of a lesson that may hold everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<String>,
    summary: String,
    topics: Vec<TopicId>,
    created_at: String,
}

pub(crate) fn run(app: &App, args: &List) -> Result<Exit> {
    let in_force = in_force::lessons(app);
    let is_built = app.home.index().exists();
    let session = on_off::session_files(app);
    let is_off_here = |what: &str| session.as_ref().is_some_and(|files| files.holds(&claims::off_name(what)));
    let mut lessons = lookup::every_lesson(app)?;
    let unaccepted = lookup::unaccepted(app);
    let added = unaccepted.iter().filter(|(_, (change, _))| *change == LessonChange::New);
    lessons.extend(added.filter_map(|(id, (_, lesson))| Some((id.clone(), lesson.clone()?))));
    lessons.retain(|(id, lesson)| {
        // Before the first build nothing is in force, and a list of nothing would hide every lesson.
        let is_wanted = if is_built { in_force.contains_key(id) } else { lesson.status == Status::Active };
        (args.all || is_wanted) && (!args.mine || id.layer == Layer::User)
    });
    if args.project {
        let is_of_project = is_of_project_here();
        lessons.retain(|(id, lesson)| is_of_project(id, lesson));
    }
    lessons.sort_by(|(a, _), (b, _)| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
    let mut lessons = search::ranked(lessons, &args.text.join(" "), Holding::EveryWord);
    // Times in RFC 3339 compare as texts.
    let changed = |it: &Lesson| it.updated_at.clone().unwrap_or_else(|| it.created_at.clone());
    match args.sort {
        None => lessons.sort_by_key(|(id, _)| rank(id)),
        Some(Sort::Created) => lessons.sort_by_cached_key(|(_, it)| Reverse(it.created_at.clone())),
        Some(Sort::Updated) => lessons.sort_by_cached_key(|(_, it)| Reverse(changed(it))),
        Some(Sort::Priority) => lessons.sort_by_key(|(_, it)| Reverse(it.priority)),
    }
    let mut effects = effects(app);
    let known = KnownProjects::of(&app.home);
    let entries = lessons.into_iter().map(|(id, lesson)| Entry {
        in_force: in_force.contains_key(&id),
        not_accepted: unaccepted.get(&id).map(|(change, _)| *change),
        off_until: in_force.get(&id).copied().flatten(),
        off_in_session: is_off_here(&id.to_string()),
        effect: effects.remove(&id),
        mode: lesson.mode,
        priority: lesson.priority.get(),
        holds: (id.layer == Layer::User).then(|| known.holds(&lesson.scope.projects)),
        status: lesson.status,
        summary: neutral::line(&lesson.one_line()),
        topics: lesson.topics,
        created_at: lesson.created_at,
        id,
    });
    let mut entries: Vec<Entry> = entries.collect();
    let page = Page::of(app, if args.short { 1 } else { 2 });
    let is_any = !entries.is_empty();
    let more = (app.output == Output::Text).then(|| cut(page, args.page, &app.argv, &mut entries)).flatten();
    let paint = Paint::of_stdout();
    let mut lines: Vec<String> =
        notice(app, is_built, is_off_here(EVERYTHING)).map(|it| paint.warning(&it)).into_iter().collect();
    for entry in &entries {
        lines.push(if args.short {
            let off = if entry.is_off() { " (off)" } else { "" };
            let line = format!("{}{off} {}", entry.id, entry.summary);
            neutral::shortened(&line, page.width.saturating_sub(1))
        } else {
            entry.in_full(paint, app, page.width)
        });
    }
    lines.extend(more.map(|more| neutral::line(&more)));
    let none =
        "No such lesson in force. `lessons list --all` shows those that are not; `lessons add` records one.";
    lines.push(match (entries.is_empty(), is_any) {
        (true, true) => format!("There is no page {}. `lessons list` shows the first.", args.page),
        (true, false) => none.to_owned(),
        (false, _) => "Next: lessons show ID".to_owned(),
    });
    app.recorded(&Answer::new(lines, serde_json::to_value(&entries)?))?;
    query::note_shown(app, entries.iter().map(|entry| &entry.id));
    Ok(Exit::Done)
}

/// A notice about all lessons.
fn notice(app: &App, is_built: bool, is_off_here: bool) -> Option<String> {
    let until = match in_force::all_off(app) {
        Some(Off::ForEver) => Some(String::new()),
        Some(Off::Until(until)) => Some(format!(" until {}", app.local.time(until))),
        None => is_off_here.then(|| " until this session ends".to_owned()),
    };
    let off = until.map(|until| format!("Everything is off{until}. `lessons on all` switches it on"));
    let unbuilt = "Nothing is compiled yet, so the hooks do nothing. Run `lessons build`";
    off.or_else(|| (!is_built).then(|| unbuilt.to_owned()))
}

/// What can be said of the effect of lessons. A database that cannot be read is no reason not to list them.
fn effects(app: &App) -> HashMap<QualifiedId, String> {
    let known = effects::known(app).ok().flatten().map(|summary| summary.lessons).unwrap_or_default();
    let is_said =
        |effect: &LessonEffect| effect.sessions > 0 && !matches!(effect.verdict, Verdict::NotEnough { .. });
    known.into_iter().filter(is_said).map(|effect| (effect.id, effect.verdict.to_string())).collect()
}

/// The order of the layers: the user's own lessons, those of projects, those of colleagues, the built-in ones.
fn rank(id: &QualifiedId) -> u8 {
    match id.layer {
        Layer::User => 0,
        Layer::Project(_) => 1,
        Layer::Peer(_) => 2,
        Layer::Seed => 3,
    }
}

/// Cuts the list down to a page. Returns the line that says how to see the next one.
fn cut(page: Page, number: u32, argv: &[String], entries: &mut Vec<Entry>) -> Option<String> {
    let length = page.length?;
    let page = usize::try_from(number).unwrap_or(usize::MAX);
    let before = length.saturating_mul(page - 1).min(entries.len());
    entries.drain(..before);
    let more = entries.len().saturating_sub(length);
    entries.truncate(length);
    (more > 0).then(|| {
        let next = ["--page".to_owned(), (page + 1).to_string()];
        let words = retyped(argv, &["--page"], next);
        format!("… and {more} more: `lessons {}`", typed(&words))
    })
}

/// Whether the project around the working folder brings a lesson along, or the lesson is limited to it. There is no project
/// where that folder is gone.
fn is_of_project_here() -> impl Fn(&QualifiedId, &Lesson) -> bool {
    let here = project_names::here().map(|root| {
        let key = projects::key_of(&project_names::main_root(&root)).key;
        (ProjectHash::of_root(&root.to_string_lossy()), key)
    });
    move |id, lesson| {
        here.as_ref().is_some_and(|(hash, key)| match &id.layer {
            Layer::Project(of) => of == hash,
            Layer::User | Layer::Peer(_) | Layer::Seed => lesson.scope.projects.contains(key),
        })
    }
}

impl Entry {
    fn is_off(&self) -> bool {
        !self.in_force || self.off_until.is_some() || self.off_in_session
    }

    /// The lesson on two lines: mode and id, and what it says.
    fn in_full(&self, paint: Paint, app: &App, width: usize) -> String {
        let mode = match self.mode {
            _ if self.is_off() => paint.dim("off   "),
            mode @ Mode::Advise => paint.mode(mode, "advise"),
            mode @ Mode::Bump => paint.mode(mode, "bump  "),
            mode @ Mode::Block => paint.mode(mode, "block "),
        };
        let until = match self.off_until {
            Some(until) => format!("  (off until {})", app.local.time(until)),
            None if self.off_in_session => "  (off until this session ends)".to_owned(),
            None => String::new(),
        };
        let effect = self.effect.as_ref().map(|effect| format!("  ({effect})")).unwrap_or_default();
        let holds = self.holds.as_ref().map(|holds| format!("  {holds}")).unwrap_or_default();
        let differs = match self.not_accepted {
            None => String::new(),
            Some(LessonChange::New) => "  (only in lessons.json, not accepted)".to_owned(),
            Some(change) => format!("  ({change} in lessons.json, not accepted)"),
        };
        let facts = paint.dim(&format!("{holds}{effect}{differs}"));
        let room = LINE.min(width.max(SHORTEST).saturating_sub(INDENT + 1));
        let summary = neutral::shortened(&self.summary, room);
        format!("{mode}  {}{until}{facts}\n{:INDENT$}{summary}", paint.name(&self.id.to_string()), "")
    }
}

/// The most items that an agent is shown at once, whose context they fill.
const FOR_AGENT: usize = 50;
/// The lines of a screen that stay free, for the line above the list, the two below it and the prompt.
const FREE_LINES: usize = 4;
/// The fewest items of a page, however low the terminal is.
const FEWEST: usize = 3;
/// The width of a line where there is no terminal, in columns.
const WIDTH: usize = 98;
/// The width of a line to an agent, in columns: 50 of them are about 700 tokens.
const WIDTH_FOR_AGENT: usize = 54;

/// The part of a list that is shown at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    /// The number of items; `None` where everything is shown.
    pub(crate) length: Option<usize>,
    /// The width of a line, in columns.
    pub(crate) width: usize,
}

impl Page {
    /// The page for the reader of this output, of items that take `lines` lines each.
    pub(crate) fn of(app: &App, lines: usize) -> Self {
        if app.is_agent() {
            return Self { length: Some(FOR_AGENT), width: WIDTH_FOR_AGENT };
        }
        let size = std::io::stdout().is_terminal().then(crossterm::terminal::size).and_then(Result::ok);
        let Some((columns, rows)) = size else { return Self { length: None, width: WIDTH } };
        let length = (usize::from(rows).saturating_sub(FREE_LINES) / lines).max(FEWEST);
        Self { length: Some(length), width: usize::from(columns) }
    }
}

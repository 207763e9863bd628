//! `lessons list`: list the lessons in force, your own first, or find some by their texts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io::IsTerminal as _;

use clap::ValueEnum;
use lessons_context::{KnownProjects, retyped, typed};
use lessons_decide::claims::EVERYTHING;
use lessons_decide::{SessionFiles, SessionFolder, claims};
use lessons_effect::{LessonEffect, Verdict};
use lessons_ledger::projects;
use lessons_lesson::{Layer, Lesson, Mode, ProjectHash, QualifiedId, Status};
use lessons_manifest_builder::layers::Off;
use lessons_review::{Holding, effects, project_names, search};
use lessons_store::LessonChange;

use crate::prelude::*;
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

/// How lessons stand, besides what is in them.
struct Standing<'a> {
    app: &'a App,
    paint: Paint,
    /// The lessons on which the hooks act, with the time until which one is switched off, in milliseconds since 1970.
    in_force: BTreeMap<QualifiedId, Option<u64>>,
    /// How `lessons.json` differs from what a person accepted.
    unaccepted: BTreeMap<QualifiedId, (LessonChange, Option<Lesson>)>,
    session: Option<SessionFolder>,
    /// What can be said of the effect of lessons.
    effects: HashMap<QualifiedId, String>,
    projects: KnownProjects,
}

pub(crate) fn run(app: &App, args: &List) -> Result<Exit> {
    let standing = Standing {
        app,
        paint: Paint::of_stdout(),
        in_force: in_force::lessons(app),
        unaccepted: lookup::unaccepted(app),
        session: on_off::session_files(app),
        effects: effects(app),
        projects: KnownProjects::of(&app.home),
    };
    let is_built = app.home.index().exists();
    let mut lessons = lookup::every_lesson(app)?;
    let added = standing.unaccepted.iter().filter(|(_, (change, _))| *change == LessonChange::New);
    lessons.extend(added.filter_map(|(id, (_, lesson))| Some((id.clone(), lesson.clone()?))));
    lessons.retain(|(id, lesson)| {
        let is_in_force = standing.in_force.contains_key(id);
        // Before the first build nothing is in force, and a list of nothing would hide every lesson.
        let is_wanted = if is_built { is_in_force } else { lesson.status == Status::Active };
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
    let page = Page::of(app, if args.short { 1 } else { 2 });
    let is_any = !lessons.is_empty();
    let more = (app.output == Output::Text).then(|| cut(page, args.page, &app.argv, &mut lessons)).flatten();
    let notice = notice(app, is_built, standing.is_off_here(EVERYTHING));
    let mut lines: Vec<String> = notice.iter().map(|it| standing.paint.warning(it)).collect();
    let entries: Vec<Answer> = lessons.iter().map(|it| standing.entry(args, page, it)).collect();
    lines.extend(entries.iter().flat_map(|entry| entry.lines.clone()));
    lines.extend(more.map(|more| line(&more)));
    let none =
        "No such lesson in force. `lessons list --all` shows those that are not; `lessons add` records one.";
    lines.push(match (lessons.is_empty(), is_any) {
        (true, true) => format!("There is no page {}. `lessons list` shows the first.", args.page),
        (true, false) => none.to_owned(),
        (false, _) => "Next: lessons show ID".to_owned(),
    });
    app.recorded(&Answer::new(lines, json!(entries)))?;
    query::note_shown(app, lessons.iter().map(|(id, _)| id));
    Ok(Exit::Done)
}

/// Until when everything is off, if it is: nothing for ever, else words that begin with a blank.
pub(crate) fn off_until(app: &App) -> Option<String> {
    in_force::all_off(app).map(|off| match off {
        Off::ForEver => String::new(),
        Off::Until(until) => format!(" until {}", app.local.time(until)),
    })
}

/// A notice about all lessons.
fn notice(app: &App, is_built: bool, is_off_here: bool) -> Option<String> {
    let until = off_until(app).or_else(|| is_off_here.then(|| " until this session ends".to_owned()));
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
fn cut<T>(page: Page, number: u32, argv: &[String], entries: &mut Vec<T>) -> Option<String> {
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

impl Standing<'_> {
    /// Whether a lesson, or everything, is switched off for the current session.
    fn is_off_here(&self, what: &str) -> bool {
        self.session.as_ref().is_some_and(|files| files.holds(&claims::off_name(what)))
    }

    /// A lesson for programs, and for people on one line or on two: mode and id, and what it says.
    fn entry(&self, args: &List, page: Page, (id, lesson): &(QualifiedId, Lesson)) -> Answer {
        let (paint, off_until) = (self.paint, self.in_force.get(id).copied().flatten());
        let (in_force, off_in_session) = (self.in_force.contains_key(id), self.is_off_here(&id.to_string()));
        let is_off = !in_force || off_until.is_some() || off_in_session;
        let not_accepted = self.unaccepted.get(id).map(|(change, _)| *change);
        let effect = self.effects.get(id);
        // The others hold in one place.
        let holds = (id.layer == Layer::User).then(|| self.projects.holds(&lesson.scope.projects));
        let summary = line(&lesson.one_line());
        let said = if args.short {
            let off = if is_off { " (off)" } else { "" };
            shortened(&format!("{id}{off} {summary}"), page.width.saturating_sub(1))
        } else {
            let mode = match lesson.mode {
                _ if is_off => paint.dim("off   "),
                mode @ Mode::Advise => paint.mode(mode, "advise"),
                mode @ Mode::Bump => paint.mode(mode, "bump  "),
                mode @ Mode::Block => paint.mode(mode, "block "),
            };
            let until = match off_until {
                Some(until) => format!("  (off until {})", self.app.local.time(until)),
                None if off_in_session => "  (off until this session ends)".to_owned(),
                None => String::new(),
            };
            let differs = not_accepted.map(|change| match change {
                LessonChange::New => "  (only in lessons.json, not accepted)".to_owned(),
                change => format!("  ({change} in lessons.json, not accepted)"),
            });
            let (holds, effect) =
                (holds.iter().map(|it| format!("  {it}")), effect.map(|it| format!("  ({it})")));
            let facts = paint.dim(&holds.chain(effect).chain(differs).collect::<String>());
            let room = LINE.min(page.width.max(SHORTEST).saturating_sub(INDENT + 1));
            let (id, summary) = (paint.name(&id.to_string()), shortened(&summary, room));
            format!("{mode}  {id}{until}{facts}\n{:INDENT$}{summary}", "")
        };
        let Lesson { mode, priority, status, topics, created_at, .. } = lesson;
        let fields = json!({
            "id": id, "mode": mode, "priority": priority.get(), "status": status, "inForce": in_force,
            "offInSession": off_in_session, "summary": summary, "topics": topics, "createdAt": created_at,
        });
        let entry = Answer::new(vec![said], fields).given("notAccepted", not_accepted);
        entry.given("offUntil", off_until).given("effect", effect).given("holds", holds)
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

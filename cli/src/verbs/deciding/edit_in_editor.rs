//! `lessons edit ID` without flags: a form in the person's editor, checked, and held against the past before it is saved.

use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use lessons_context::error::{Exit, Refused};
use lessons_context::known_projects::KnownProjects;
use lessons_context::lesson_difference::ChangedLesson;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, When};
use lessons_review::candidates::decision::GivenFields as _;
use lessons_review::trials::{self, MachineFacts};
use lessons_store::accepted::LessonChange;

use crate::app::App;
use crate::args::Fields;
use crate::change::{self, Edit, in_project};
use crate::ui::failure;
use crate::ui::messages::Message;
use crate::ui::{edit_form, editor, prompt};

/// Whether a person at a terminal can be shown an editor.
pub(crate) fn is_possible(app: &App) -> bool {
    app.is_person() && prompt::is_possible(app)
}

/// A person's answer to what a form would change.
enum Answer {
    Save,
    EditAgain,
    Leave,
}

/// Lets the person edit a lesson until it is saved or left.
pub(crate) fn run(app: &App, id: &str) -> Result<Exit> {
    let graph = app.store.read(&app.home)?.graph;
    let before = change::find(app, &graph, id)?.clone();
    let known = KnownProjects::of(&app.home);
    let mut form = edit_form::of(&format!("user/{}", before.id), &before, &known);
    loop {
        let (edited, (fields, after)) =
            editor::edited(app, form, &mut |mut command| command.status(), |form| {
                checked(app, &graph, &before, form)
            })?;
        if after == before {
            return left(app, &before);
        }
        let changed =
            ChangedLesson::between(before.id.as_str(), LessonChange::Changed, Some(&before), Some(&after))
                .with_folders(&known);
        app.say(&changed)?;
        app.say(&in_the_past(app, &before, &after))?;
        match asked()? {
            Answer::Save => return saved(app, id, &fields),
            Answer::EditAgain => form = edited,
            Answer::Leave => return left(app, &before),
        }
    }
}

fn left(app: &App, lesson: &Lesson) -> Result<Exit> {
    let id = change::full_id(app, &lesson.id);
    let message = format!("{id}: nothing to change");
    app.done(&Message::new("unchanged", &id, message).then(format!("lessons show {id}")))
}

/// The fields of a form and the lesson with them, or every mistake in it.
fn checked(
    app: &App,
    graph: &lessons_store::graph::Graph,
    before: &Lesson,
    form: &str,
) -> std::result::Result<(Fields, Lesson), Vec<String>> {
    let fields = edit_form::parse(form)?;
    let mut lesson = before.clone();
    in_project::refuse_scope(app, &fields.scope_project)
        .and_then(|()| fields.write_over(app, &mut lesson))
        .and_then(|()| change::vetted(&mut lesson, graph, None))
        .map_err(|error| vec![failure::sentence(&error)])?;
    Ok((fields, lesson))
}

fn saved(app: &App, id: &str, given: &Fields) -> Result<Exit> {
    change::one(app, "changed", |draft| {
        let mut lesson = change::find(app, draft.graph, id)?.clone();
        given.write_over(app, &mut lesson)?;
        let warnings = change::vetted(&mut lesson, draft.graph, None)?;
        draft.forced.note(&lesson.id, given.force_block.as_ref());
        lesson.updated_at = Some(app.now_text());
        Ok(Edit::Save(Box::new(lesson), warnings))
    })
}

/// The calls of the past at which the lesson fires, before and after the change.
fn in_the_past(app: &App, before: &Lesson, after: &Lesson) -> String {
    match (fired(app, before), fired(app, after)) {
        (Ok((before, all)), Ok((after, _))) => {
            format!("In your sessions it fires at {after} of {all} calls; before the change at {before}")
        }
        (_, Err(error)) | (Err(error), _) => {
            format!("Not tried on your sessions: {}", failure::sentence(&error))
        }
    }
}

fn fired(app: &App, lesson: &Lesson) -> Result<(usize, usize)> {
    if lesson.when == When::Session {
        bail!(Refused("it is given at the start of a session".to_owned()));
    }
    let id = QualifiedId { layer: app.store.layer(), id: lesson.id.clone() };
    let trial = trials::trial(app, &id, lesson)?;
    let history = trials::history(app, trial.contents())?;
    let (machine, never) = (MachineFacts::of(app), AtomicBool::new(false));
    let count = trial.count(&history, &machine.context(), &never);
    Ok((count.fired, count.calls))
}

/// Asks what to do with the change.
fn asked() -> Result<Answer> {
    Ok(match prompt::ask("Save it? [y]es, [e]dit again, [N]o")?.as_str() {
        answer if prompt::is_yes(answer) => Answer::Save,
        "e" | "edit" => Answer::EditAgain,
        _ => Answer::Leave,
    })
}

//! `lessons edit ID` without flags: a form in the person's editor, checked, and held against the past before it is saved.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, bail};
use lessons_context::error::{Exit, Refused};
use lessons_context::known_projects::KnownProjects;
use lessons_context::lesson_difference::ChangedLesson;
use lessons_home::files;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, When};
use lessons_review::project_names;
use lessons_store::accepted::LessonChange;
use lessons_store::durable;
use lessons_text::neutral;

use crate::app::App;
use crate::args::Fields;
use crate::change::{self, Edit, in_project};
use crate::messages::{self, Message};
use crate::trials::{self, MachineFacts, ReadingProgress};
use crate::{edit_form, fields, prompt};

/// The largest form that is read, in bytes.
const LIMIT: u64 = 1 << 20;

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
    let mut form = edit_form::of(&before, &known);
    loop {
        let edited = in_editor(app, &form)?;
        let is_untouched = edited.trim() == form.trim() || edited.trim().is_empty();
        let checked = checked(app, &graph, &before, &edited);
        let (fields, after) = match checked {
            Ok(checked) => checked,
            Err(mistakes) if is_untouched => {
                bail!(Refused(format!("nothing was changed:\n  {}", mistakes.join("\n  "))));
            }
            Err(mistakes) => {
                form = edit_form::with_mistakes(&edited, &mistakes);
                continue;
            }
        };
        if after == before || edited.trim().is_empty() {
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
    app.answer(&Message::new("unchanged", &id, message).then(format!("lessons show {id}")))?;
    Ok(Exit::Done)
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
    in_project::refuse_scope(app, &fields)
        .and_then(|()| fields::apply(&fields, &mut lesson, &|text| project_names::project_key(app, text)))
        .and_then(|()| change::vetted(&mut lesson, graph, None))
        .map_err(|error| vec![messages::sentence(&error)])?;
    Ok((fields, lesson))
}

fn saved(app: &App, id: &str, given: &Fields) -> Result<Exit> {
    change::one(app, "changed", |draft| {
        let mut lesson = change::find(app, draft.graph, id)?.clone();
        fields::apply(given, &mut lesson, &|text| project_names::project_key(app, text))?;
        let warnings = change::vetted(&mut lesson, draft.graph, None)?;
        lesson.updated_at = Some(app.now_text());
        Ok(Edit::Save(Box::new(lesson), warnings))
    })
}

/// Lets the person edit a text in the program that `VISUAL` or `EDITOR` names.
fn in_editor(app: &App, text: &str) -> Result<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    files::ensure_folder(&app.home.log())?;
    let path = app.home.log().join(format!("edit-{}.txt", std::process::id()));
    durable::replace(&path, text.as_bytes())?;
    let edited = run_editor(&editor, &path).and_then(|()| {
        let bytes = files::read(&path, LIMIT)?.unwrap_or_default();
        String::from_utf8(bytes).context("the form")
    });
    durable::remove(&path)?;
    edited
}

/// Runs an editor on a file. Its name may have arguments, so a shell reads it, as git has it.
fn run_editor(editor: &str, path: &Path) -> Result<()> {
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(path).status();
    let status = status.with_context(|| format!("the editor {editor}"))?;
    if !status.success() {
        bail!(Refused(format!(
            "the editor `{}` ended with an error, so nothing was changed",
            neutral::line(editor)
        )));
    }
    Ok(())
}

/// The calls of the past at which the lesson fires, before and after the change.
fn in_the_past(app: &App, before: &Lesson, after: &Lesson) -> String {
    match (fired(app, before), fired(app, after)) {
        (Ok((before, all)), Ok((after, _))) => {
            format!("In your sessions it fires at {after} of {all} calls; before the change at {before}")
        }
        (_, Err(error)) | (Err(error), _) => {
            format!("Not tried on your sessions: {}", messages::sentence(&error))
        }
    }
}

fn fired(app: &App, lesson: &Lesson) -> Result<(usize, usize)> {
    if lesson.when == When::Session {
        bail!(Refused("it is given at the start of a session".to_owned()));
    }
    let id = QualifiedId { layer: app.store.layer(), id: lesson.id.clone() };
    let trial = trials::trial(app, &id, lesson)?;
    let reading = ReadingProgress::of(app);
    let history = trials::history(app, trial.contents(), &reading)?;
    reading.finish();
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

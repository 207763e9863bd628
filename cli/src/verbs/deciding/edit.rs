//! `lessons edit`: change a lesson, by flags or in an editor.

use lessons_context::{ChangedLesson, KnownProjects, refused};
use lessons_lesson::{Lesson, QualifiedId, When};
use lessons_replay::Replay;
use lessons_review::{GivenFields as _, MachineFacts, proof, trials};
use lessons_store::{Graph, LessonChange};

use crate::args::{AcceptIncident, Fields, InProject};
use crate::change::{self, in_project};
use crate::prelude::*;
use crate::ui::edit_form;
use crate::ui::input::{self, Input};
use crate::verbs::deciding::curate;

/// Arguments of `lessons edit`.
#[derive(Debug, Args)]
pub struct Edit {
    /// The lesson's id, or the start of it
    pub id: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// The fields to change
    #[command(flatten)]
    pub fields: Fields,
    /// Remove this trigger: as `lessons show` prints it, KIND=PATTERN, or its id in lessons.json
    #[arg(long, value_name = "TRIGGER", conflicts_with_all = ["Fields", "json_input"])]
    pub remove_trigger: Option<String>,
    /// Read the changes as JSON from this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub json_input: Option<PathBuf>,
    /// The acceptance of an incident
    #[command(flatten)]
    pub incident: AcceptIncident,
}

pub(crate) fn run(app: &App, args: &Edit) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    if let Some(trigger) = &args.remove_trigger {
        return curate::untrigger(app, &args.id, trigger);
    }
    in_project::refuse_scope(app, args.fields.scope_project.as_deref())?;
    let is_given = args.json_input.is_some() || args.fields != Fields::default();
    if !is_given && app.is_person() && prompt::is_possible(app) {
        return in_editor(app, &args.id);
    }
    let json = args.json_input.as_deref().map(|path| Input::json(path)?.value()).transpose()?;
    save(app, &args.id, json.as_ref(), &args.fields, args.incident.reason.as_ref())
}

/// Saves a lesson with the fields of `json` and of `given` over its own; `reason` accepts an incident that it is like.
fn save(app: &App, id: &str, json: Option<&Value>, given: &Fields, reason: Option<&String>) -> Result<Exit> {
    change::one(app, "changed", |draft| {
        let before = change::find(app, draft.graph, id)?.clone();
        let mut lesson = match json {
            Some(changes) => merged(&before, changes.clone())?,
            None => before.clone(),
        };
        given.write_over(app, &mut lesson)?;
        if lesson == before {
            let id = change::full_id(app, &before.id);
            let what = "nothing to change; give a flag, or run it in a terminal to edit a form";
            let said = Message::new("unchanged", &id, format!("{id} {what}")).then("lessons edit --help");
            return Ok(change::Edit::Nothing(said));
        }
        let warnings = change::vetted(&mut lesson, draft.graph, None)?;
        change::require_examples(&lesson, Some(&before))?;
        draft.forced.extend(given.force_block.as_ref().map(|_| lesson.id.clone()));
        draft.accept_incident(&lesson.id, reason);
        lesson.updated_at = Some(app.now_text());
        Ok(draft.saving(lesson, warnings))
    })
}

/// The lesson with the fields of `changes` over its own. The id stays.
fn merged(lesson: &Lesson, changes: Value) -> lessons_context::Result<Lesson> {
    let mut value = serde_json::to_value(lesson)?;
    let (Some(object), Value::Object(changes)) = (value.as_object_mut(), changes) else {
        return refused("the changes are not a JSON object");
    };
    object.extend(changes);
    object.insert("id".into(), lesson.id.as_str().into());
    let mut lesson_after: Lesson = input::understood(value, "the changes")?;
    lesson_after.author.clone_from(&lesson.author);
    proof::keep_reasons(&mut lesson_after, &lesson.evidence);
    Ok(lesson_after)
}

/// Lets the person edit a lesson until it is saved or left.
fn in_editor(app: &App, id: &str) -> Result<Exit> {
    let graph = app.store.read(&app.home)?.graph;
    let before = change::find(app, &graph, id)?.clone();
    let known = KnownProjects::of(&app.home);
    let mut form = edit_form::of(&format!("user/{}", before.id), &before, &known);
    loop {
        let (edited, (fields, after)) = edit_form::edited(app, form, &mut |mut it| it.status(), |form| {
            checked(app, &graph, &before, form)
        })?;
        if after == before {
            return app.done(&change::unchanged(app, &before, ": nothing to change"));
        }
        let changed =
            ChangedLesson::between(before.id.as_str(), LessonChange::Changed, Some(&before), Some(&after))
                .with_folders(&known);
        app.say(&changed)?;
        app.say(&in_the_past(app, &before, &after))?;
        match prompt::ask("Save it? [y]es, [e]dit again, [N]o")?.as_str() {
            answer if prompt::is_yes(answer) => return save(app, id, None, &fields, None),
            "e" | "edit" => form = edited,
            _ => return app.done(&change::unchanged(app, &before, ": nothing to change")),
        }
    }
}

/// The fields of a form and the lesson with them, or every mistake in it.
fn checked(app: &App, graph: &Graph, before: &Lesson, form: &str) -> Result<(Fields, Lesson), Vec<String>> {
    let fields = edit_form::parse(form)?;
    let mut lesson = before.clone();
    in_project::refuse_scope(app, fields.scope_project.as_deref())
        .and_then(|()| fields.write_over(app, &mut lesson))
        .and_then(|_| change::vetted(&mut lesson, graph, None))
        .and_then(|_| change::require_examples(&lesson, Some(before)))
        .map_err(|error| vec![messages::sentence(&error)])?;
    Ok((fields, lesson))
}

/// The calls of the past at which the lesson fires, before and after the change.
fn in_the_past(app: &App, before: &Lesson, after: &Lesson) -> String {
    let said = || -> Result<String> {
        let ((after, _), (before, all)) = (fired(app, after)?, fired(app, before)?);
        Ok(format!("In your sessions it fires at {after} of {all} calls; before the change at {before}"))
    };
    said().unwrap_or_else(|error| format!("Not tried on your sessions: {}", messages::sentence(&error)))
}

fn fired(app: &App, lesson: &Lesson) -> Result<(usize, usize)> {
    if lesson.when == When::Session {
        bail!(Refused("it is given at the start of a session".to_owned()));
    }
    let id = QualifiedId { layer: app.store.layer(), id: lesson.id.clone() };
    let trial = trials::trial(app, &id, lesson)?;
    let history = trials::history(app, trial.contents())?;
    let replay = Replay::numbers(&trial, &history, &MachineFacts::of(app).context());
    Ok((replay.fired.calls, replay.looked_at.calls))
}

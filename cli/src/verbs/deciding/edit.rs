//! `lessons edit`: change a lesson, by flags or in an editor.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lessons_context::error::{Exit, Refused};
use lessons_lesson::lesson::Lesson;
use lessons_review::candidates::decision::GivenFields as _;
use lessons_review::proof;

use crate::app::App;
use crate::args::{AcceptIncident, Fields, InProject};
use crate::change::{self, in_project};
use crate::ui::json_input::{self, Input};
use crate::ui::messages::Message;
use crate::verbs::deciding::{curate, edit_in_editor};

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
    in_project::refuse_scope(app, &args.fields.scope_project)?;
    let is_given = args.json_input.is_some() || args.fields != Fields::default();
    if !is_given && edit_in_editor::is_possible(app) {
        return edit_in_editor::run(app, &args.id);
    }
    let json = args.json_input.as_deref().map(|path| Input::read(path)?.value()).transpose()?;
    change::one(app, "changed", |draft| {
        let before = change::find(app, draft.graph, &args.id)?.clone();
        let mut lesson = match &json {
            Some(changes) => merged(&before, changes.clone())?,
            None => before.clone(),
        };
        args.fields.write_over(app, &mut lesson)?;
        if lesson == before {
            let id = change::full_id(app, &before.id);
            let message =
                format!("{id} nothing to change; give a flag, or run it in a terminal to edit a form");
            let next = "lessons edit --help".to_owned();
            return Ok(change::Edit::Nothing(Message::new("unchanged", id, message).then(next)));
        }
        let warnings = change::vetted(&mut lesson, draft.graph, None)?;
        draft.forced.note(&lesson.id, args.fields.force_block.as_ref());
        draft.accept_incident(&lesson.id, args.incident.reason.as_ref());
        lesson.updated_at = Some(app.now_text());
        Ok(change::Edit::Save(Box::new(lesson), warnings))
    })
}

/// The lesson with the fields of `changes` over its own. The id stays.
fn merged(lesson: &Lesson, changes: serde_json::Value) -> Result<Lesson> {
    let mut value = serde_json::to_value(lesson)?;
    let (Some(object), serde_json::Value::Object(changes)) = (value.as_object_mut(), changes) else {
        bail!(Refused("the changes are not a JSON object".into()));
    };
    object.extend(changes);
    object.insert("id".into(), lesson.id.as_str().into());
    let mut lesson_after: Lesson = json_input::understood(value, "the changes")?;
    lesson_after.author.clone_from(&lesson.author);
    proof::keep_reasons(&mut lesson_after, &lesson.evidence);
    Ok(lesson_after)
}

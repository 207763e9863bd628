//! `lessons add`: record a lesson.

use lessons_context::refused;
use lessons_lesson::{Lesson, LessonId, TopicId};
use lessons_pattern::TriggerKind;
use lessons_review::{
    GivenFields as _, cleaning, duplicates, project_bound, project_files, project_names, proof, typed,
};
use lessons_store::{Files, Graph, StoreLocation, Warning, capture};

use crate::args::{AcceptIncident, Fields, InProject};
use crate::change::{self, Edit, Saved, Tidying, in_project};
use crate::prelude::*;
use crate::ui::input::{self, Input};
use crate::verbs::deciding::promote;

/// Examples of `lessons add`: a lesson at a call, and one at every start of a session.
const EXAMPLES: &str = r#"Examples:
  lessons add --rule "Use pnpm" --mistake "npm writes a second lock file" \
      --trigger 'cmd=\bnpm\s+(i|install)\b'
  lessons add --rule "The staging database may be wiped, production never" --when session"#;

/// Arguments of `lessons add`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Add {
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// The lesson's fields
    #[command(flatten)]
    pub fields: Fields,
    /// A line about the topic, if the topic is new
    #[arg(long, value_name = "TEXT")]
    pub topic_summary: Option<String>,
    /// Read the lesson as JSON from this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub json_input: Option<PathBuf>,
    /// The acceptance of an incident
    #[command(flatten)]
    pub incident: AcceptIncident,
}

pub(crate) fn run(app: &App, args: &Add) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    in_project::refuse_scope(app, args.fields.scope_project.as_deref())?;
    let saved = record(app, args).inspect_err(|error| change::count_refused(app, messages::exit(error)))?;
    change::count_captured(app, &saved);
    promote::told(app, &saved)
}

fn record(app: &App, args: &Add) -> Result<Saved> {
    let (mut lesson, names_topic) = match &args.json_input {
        Some(path) => from_json(app, path)?,
        None => (blank(app, &args.fields)?, false),
    };
    args.fields.write_over(app, &mut lesson)?;
    let names_topic = names_topic || args.fields.topic.is_some();
    lesson.rule = lesson.rule.trim().to_owned();
    for trigger in &mut lesson.triggers {
        if trigger.kind == TriggerKind::FileGlob {
            trigger.pattern = capture::with_slashes(&trigger.pattern);
        }
    }
    limit_to_its_project(app, &args.fields, &mut lesson)?;
    let files = project_files::here();
    let reason = args.fields.force_block.as_ref();
    let saved = change::saved(app, "added", &Tidying::of(app)?, |draft| {
        let (mut lesson, graph) = (lesson.clone(), &mut *draft.graph);
        let cleaned = cleaning::clean(&mut lesson)?.into_iter().map(Warning::from);
        let is_new_id = lesson.id == LessonId::default();
        if !is_new_id && graph.raw(lesson.id.as_str()).is_some() {
            return refused(format!("{} exists; change it with `lessons edit {}`", lesson.id, lesson.id));
        }
        if names_topic {
            name_topics(graph, &lesson, args.topic_summary.as_deref());
        }
        if let Some(known) = capture::same_rule(graph, &lesson).cloned() {
            let (both, warnings) = joined(app, graph, &known, lesson, names_topic, files.as_ref())?;
            draft.forced.extend(reason.map(|_| both.id.clone()));
            draft.accept_incident(&both.id, args.incident.reason.as_ref());
            let done = if both == known { "unchanged" } else { "updated" };
            return Ok(Edit::save(done, both, cleaned.chain(warnings).collect(), draft.before));
        }
        let warnings = change::vetted(&mut lesson, graph, files.as_ref())?;
        change::require_examples(&lesson, None)?;
        let mut warnings: Vec<Warning> = cleaned.chain(warnings).collect();
        if is_new_id {
            lesson.id = capture::free_id(graph, &lesson)?;
        }
        duplicates::add(app, &lesson, prompt::remedy(app), &mut warnings)?;
        draft.forced.extend(reason.map(|_| lesson.id.clone()));
        draft.accept_incident(&lesson.id, args.incident.reason.as_ref());
        Ok(draft.saving(lesson, warnings))
    })?;
    Ok(saved)
}

/// Limits a lesson to the project around the working folder if that alone gives it meaning, unless its scope was given.
fn limit_to_its_project(app: &App, fields: &Fields, lesson: &mut Lesson) -> Result<()> {
    let is_given = fields.scope_project.is_some() || !lesson.scope.projects.is_empty();
    if let Some(root) = project_names::here().filter(|root| project_names::is_project(root))
        && app.store == StoreLocation::User
        && !is_given
        && project_bound::is_bound(lesson, &root)
    {
        lesson.scope.projects.push(project_names::remember(app, &root)?);
    }
    Ok(())
}

/// The existing lesson with the same rule, extended by the new one.
fn joined(
    app: &App,
    graph: &Graph,
    known: &Lesson,
    mut lesson: Lesson,
    names_topic: bool,
    files: Option<&Files>,
) -> lessons_context::Result<(Lesson, Vec<Warning>)> {
    if !names_topic {
        lesson.topics.clone_from(&known.topics);
    }
    let mut both = capture::joined(known, &lesson)
        .map_err(|differs| Coded::refused("DUPLICATE_RULE", differs.to_string()))?;
    let warnings = change::vetted(&mut both, graph, files)?;
    if both != *known {
        both.updated_at = Some(app.now_text());
    }
    Ok((both, warnings))
}

/// Sets the summary of new topics.
fn name_topics(graph: &mut Graph, lesson: &Lesson, summary: Option<&str>) {
    let Some(summary) = summary.map(str::trim).filter(|summary| !summary.is_empty()) else { return };
    let is_new = |topic: &&TopicId| graph.topics().all(|(id, _)| id != topic.as_str());
    let fresh: Vec<TopicId> = lesson.topics.iter().filter(is_new).cloned().collect();
    for topic in fresh {
        graph.set_topic(&topic, &cleaning::cleaned(summary));
    }
}

fn blank(app: &App, fields: &Fields) -> Result<Lesson> {
    let Some(rule) = fields.rule.as_deref().filter(|rule| !rule.trim().is_empty()) else {
        bail!(Coded::refused("EMPTY_RULE", "--rule is required: what to do instead, in a sentence"));
    };
    let topic = typed::topic_of_tags(fields.tag.as_deref().unwrap_or_default())?;
    Ok(Lesson::new(LessonId::default(), rule, topic, app.now_text()))
}

/// Reads a lesson from JSON and whether it names a topic. Missing fields get their defaults.
fn from_json(app: &App, path: &Path) -> Result<(Lesson, bool)> {
    let mut value = Input::json(path)?.value()?;
    let Some(object) = value.as_object_mut() else {
        bail!(Refused("the lesson is not a JSON object".into()))
    };
    if !object.contains_key("rule") {
        bail!(Refused("`rule` is required: what to do instead, in a sentence".into()));
    }
    object.entry("id").or_insert_with(|| json!(LessonId::default()));
    object.entry("createdAt").or_insert_with(|| app.now_text().into());
    let mut lesson: Lesson = input::understood(value, "the lesson")?;
    if lesson.author.is_some() {
        bail!(Refused("`author` names who shared a lesson, and only `lessons receive` sets it".into()));
    }
    proof::keep_reasons(&mut lesson, &[]);
    let names_topic = !lesson.topics.is_empty();
    if !names_topic {
        lesson.topics.push(typed::topic_of_tags(&lesson.tags)?);
    }
    Ok((lesson, names_topic))
}

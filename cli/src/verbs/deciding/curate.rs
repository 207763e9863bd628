//! `lessons merge`, `supersede`, `untrigger` and `prune`: keep lessons in order.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use lessons_context::error::{Coded, Exit};
use lessons_incident_check::{contradiction, record};
use lessons_lesson::id::{Layer, LessonId};
use lessons_lesson::lesson::Status;
use lessons_review::change::pruned::Summary;
use lessons_review::project_files;
use lessons_review::proof::ChangeOrigin;
use lessons_store::curate::{self, CurateError, Pruned, Trim};
use lessons_store::graph::Graph;
use lessons_store::incidents::Incident;
use lessons_store::location::StoreLocation;
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::args::{InProject, at_least_one};
use crate::change::{self, in_project};
use crate::ui::messages::Message;

/// Arguments of `lessons merge` and `lessons supersede`.
#[derive(Debug, Args)]
pub struct Two {
    /// The lesson that is retired: its id, or the start of it
    pub loser: String,
    /// The lesson that takes its place
    pub keeper: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Let it block without proof from past sessions, for this reason
    #[arg(long, value_name = "REASON")]
    pub force_block: Option<String>,
}

/// Arguments of `lessons untrigger`.
#[derive(Debug, Args)]
pub struct Untrigger {
    /// The lesson's id, or the start of it
    pub id: String,
    /// The trigger as `lessons show` prints it, KIND=PATTERN, or its id in lessons.json
    pub trigger: String,
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
}

/// Arguments of `lessons prune`.
#[derive(Debug, Args)]
pub struct Prune {
    /// The store that it changes
    #[command(flatten)]
    pub store: InProject,
    /// Remove what was listed
    #[arg(long)]
    pub apply: bool,
    /// Maximum number of triggers of a lesson
    #[arg(long, value_name = "N", default_value_t = lessons_store::curate::CAP, value_parser = at_least_one)]
    pub cap: usize,
    /// Also remove globs that match no file of this project; by default they stay, because your lessons are for every
    /// project. With --project it is that project
    #[arg(long, value_name = "FOLDER")]
    pub tree: Option<PathBuf>,
    /// Instead, remove references to lines of a file that no longer exists, such as `See L128`, from rules
    #[arg(long, conflicts_with_all = ["tree", "cap"])]
    pub markers: bool,
}

/// Arguments of `lessons strip-markers`: `lessons prune --markers` as another tool has it.
#[derive(Debug, Args)]
pub struct StripMarkers {
    /// Only list the rules that would change
    #[arg(long)]
    pub dry_run: bool,
}

impl From<&StripMarkers> for Prune {
    fn from(args: &StripMarkers) -> Self {
        let store = InProject { project: false };
        Self { store, apply: !args.dry_run, cap: lessons_store::curate::CAP, tree: None, markers: true }
    }
}

/// `lessons merge`: merges one lesson into another.
pub(crate) fn merge(app: &App, args: &Two) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    let mut contradiction = None;
    let ((loser, keeper, was), _) = change::save(app, "merged", ChangeOrigin::Merge, |draft| {
        let (loser, keeper) = pair(app, draft.graph, args)?;
        let was = draft.graph.get(&loser).map(|lesson| lesson.status);
        contradiction = contradicts(app, draft.graph, &loser, &keeper);
        curate::merge(draft.graph, &loser, &keeper, &app.now_text()).map_err(coded)?;
        draft.force(&keeper, args.force_block.as_ref())?;
        Ok((loser, keeper, was))
    })?;
    record::record(app, contradiction.as_slice());
    let (id, superseded_by) = (change::full_id(app, &loser), change::full_id(app, &keeper));
    let message = if was == Some(Status::Active) {
        format!("{superseded_by} has the triggers and evidence of {id}, and replaces it")
    } else {
        format!("{superseded_by} replaces {id}, which was not active: its triggers stay off")
    };
    let warnings = warnings(app);
    app.done(&Replaced { done: "merged", id, superseded_by, message, warnings })
}

/// `lessons supersede`: replaces one lesson by another.
pub(crate) fn supersede(app: &App, args: &Two) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    let mut contradiction = None;
    let ((loser, keeper), _) = change::save(app, "superseded", ChangeOrigin::Merge, |draft| {
        let (loser, keeper) = pair(app, draft.graph, args)?;
        contradiction = contradicts(app, draft.graph, &loser, &keeper);
        curate::supersede(draft.graph, &loser, &keeper, &app.now_text()).map_err(coded)?;
        draft.force(&keeper, args.force_block.as_ref())?;
        Ok((loser, keeper))
    })?;
    record::record(app, contradiction.as_slice());
    let (id, superseded_by) = (change::full_id(app, &loser), change::full_id(app, &keeper));
    let message = format!("{superseded_by} replaces {id}");
    let warnings = warnings(app);
    app.done(&Replaced { done: "superseded", id, superseded_by, message, warnings })
}

/// `lessons untrigger`: removes a trigger from a lesson.
pub(crate) fn untrigger(app: &App, args: &Untrigger) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    let ((id, taken), _) = change::save(app, "untriggered", ChangeOrigin::Command, |draft| {
        let id = change::find(app, draft.graph, &args.id)?.id.clone();
        match curate::untrigger(draft.graph, &id, &args.trigger, &app.now_text()) {
            // Saved before but never built: asking again brings it into force.
            Err(error @ CurateError::NotReferenced { .. }) => Ok((id, Err(coded(error)))),
            taken => Ok((id, Ok(taken.map_err(coded)?))),
        }
    })?;
    let taken = taken.map_err(|error| in_project::worded_error(app, error.into()))?;
    app.done(&Taken {
        lesson_id: change::full_id(app, &id),
        trigger_id: taken.trigger,
        removed_trigger_node: taken.is_gone,
        remaining_trigger_count: taken.left,
        warnings: warnings(app),
    })
}

/// `lessons prune`: removes triggers that match nothing and topics that nobody uses.
pub(crate) fn prune(app: &App, args: &Prune) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    if args.markers {
        return strip_markers(app, args);
    }
    let own_tree = match &app.store {
        StoreLocation::Project(root) => Some(PathBuf::from(root.as_str())),
        StoreLocation::User => None,
    };
    let files = match args.tree.as_ref().or(own_tree.as_ref()) {
        Some(folder) => Some(
            project_files::files(folder)?
                .with_context(|| format!("{} holds too many files", folder.display()))?,
        ),
        None => None,
    };
    let trim = Trim::To(args.cap);
    let pruned = if args.apply {
        change::save(app, "pruned", ChangeOrigin::Command, |draft| {
            Ok(curate::prune(draft.graph, files.as_ref(), trim)?)
        })?
        .0
    } else {
        curate::prune(&mut app.store.read(&app.home)?.graph, files.as_ref(), trim)?
    };
    app.done(&Report {
        applied: args.apply,
        cap: args.cap,
        looked: files.is_some(),
        layer: app.store.layer(),
        warnings: if args.apply { warnings(app) } else { Vec::new() },
        pruned,
    })
}

/// `lessons prune --markers`: removes references to lines of a deleted file from every rule.
fn strip_markers(app: &App, args: &Prune) -> Result<Exit> {
    let mut graph = app.store.read(&app.home)?.graph;
    let changed_ids = if args.apply && graph.ids().next().is_some() {
        change::save(app, "stripped", ChangeOrigin::Command, |draft| Ok(curate::strip_markers(draft.graph)?))?
            .0
    } else {
        curate::strip_markers(&mut graph)?
    };
    app.done(&Stripped {
        layer: app.store.layer(),
        changed_count: changed_ids.len(),
        changed_ids,
        dry_run: !args.apply,
    })
}

/// What keeps other lessons of a project out of force after a change of its store.
fn warnings(app: &App) -> Vec<String> {
    let standing = in_project::standing(app, None).into_iter().flat_map(|standing| standing.warnings);
    standing.map(|warning| warning.message).collect()
}

/// The warnings, a line each.
fn lines(f: &mut fmt::Formatter<'_>, warnings: &[String]) -> fmt::Result {
    warnings.iter().try_for_each(|warning| writeln!(f, "Warning: {warning}"))
}

/// The contradiction between a lesson that is replaced and the one that takes its place, if they contradict each other.
fn contradicts(app: &App, graph: &Graph, loser: &LessonId, keeper: &LessonId) -> Option<Incident> {
    contradiction::between(app, graph.get(loser)?, graph.get(keeper)?)
}

/// The ids of the two lessons that the arguments name.
fn pair(app: &App, graph: &Graph, args: &Two) -> Result<(LessonId, LessonId)> {
    Ok((
        change::find(app, graph, &args.loser)?.id.clone(),
        change::find(app, graph, &args.keeper)?.id.clone(),
    ))
}

#[allow(clippy::needless_pass_by_value, reason = "it stands in map_err")]
fn coded(error: CurateError) -> Coded {
    Coded::failed(error.code(), error.to_string())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replaced {
    done: &'static str,
    id: String,
    superseded_by: String,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl fmt::Display for Replaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        lines(f, &self.warnings)?;
        let next = format!("lessons show {}", self.superseded_by);
        Message::new(self.done, &self.id, &self.message).then(next).fmt(f)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Taken {
    lesson_id: String,
    trigger_id: String,
    removed_trigger_node: bool,
    remaining_trigger_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = counted(self.remaining_trigger_count, "trigger");
        lines(f, &self.warnings)?;
        writeln!(f, "{} has one trigger less; it has {left} left", self.lesson_id)?;
        write!(f, "Next: lessons show {}", self.lesson_id)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stripped {
    #[serde(skip)]
    layer: Layer,
    changed_ids: Vec<String>,
    changed_count: usize,
    dry_run: bool,
}

impl fmt::Display for Stripped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, next) = match (self.dry_run, self.changed_count) {
            (true, 1..) => ("would change", "lessons prune --markers --apply"),
            (true, 0) => ("would change", "lessons list"),
            (false, _) => ("changed", "lessons list"),
        };
        for id in &self.changed_ids {
            writeln!(f, "  {}/{id}", self.layer)?;
        }
        write!(f, "{} {verb}\nNext: {next}", counted(self.changed_count, "rule"))
    }
}

#[derive(Serialize)]
struct Report {
    applied: bool,
    cap: usize,
    /// Whether globs were checked against the files of a project.
    #[serde(skip)]
    looked: bool,
    #[serde(skip)]
    layer: Layer,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(flatten)]
    pruned: Pruned,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layer = self.layer.to_string();
        lines(f, &self.warnings)?;
        if self.pruned.is_empty() {
            writeln!(f, "Nothing to remove")?;
        } else {
            writeln!(f, "{}", Summary { layer: &layer, pruned: &self.pruned })?;
        }
        for id in &self.pruned.unreachable_lessons {
            writeln!(f, "{layer}/{id} is left alone: no file matches any of its globs")?;
        }
        if !self.looked {
            writeln!(
                f,
                "Globs without a file were not looked for: your lessons hold in every project. --tree FOLDER looks in one"
            )?;
        }
        match (self.applied, self.pruned.is_empty()) {
            (false, false) => {
                let flag = if self.layer == Layer::User { "" } else { " --project" };
                write!(f, "Nothing was changed yet\nNext: lessons prune{flag} --apply")
            }
            _ => write!(f, "Next: lessons validate"),
        }
    }
}

//! `lessons merge` and `prune`, `supersede` and `untrigger` as other tools have them: keep lessons in order.

use lessons_incident_check::{contradiction, record};
use lessons_lesson::{Lesson, LessonId, Status};
use lessons_review::{ChangeOrigin, project_files};
use lessons_store::curate::CurateError;
use lessons_store::{Graph, StoreLocation, curate};

use crate::args::{InProject, at_least_one};
use crate::change::{self, in_project};
use crate::prelude::*;

/// Arguments of `lessons merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// The two lessons
    #[command(flatten)]
    pub two: Two,
    /// Only replace the first lesson: its triggers and evidence are not added to the second
    #[arg(long)]
    pub replace: bool,
}

/// The two lessons of `lessons merge` and `supersede`.
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

/// `lessons merge`: merges one lesson into another.
pub(crate) fn merge(app: &App, args: &Two) -> Result<Exit> {
    replace(app, args, "merged", curate::merge, |by, id, status| match status {
        Status::Active => format!("{by} has the triggers and evidence of {id}, and replaces it"),
        _ => format!("{by} replaces {id}, which was not active: its triggers stay off"),
    })
}

/// `lessons merge --replace`: replaces one lesson by another.
pub(crate) fn supersede(app: &App, args: &Two) -> Result<Exit> {
    replace(app, args, "superseded", curate::supersede, |by, id, _| format!("{by} replaces {id}"))
}

/// What one lesson takes over when it replaces another.
type Replacement = fn(&mut Graph, &LessonId, &LessonId, &str) -> Result<Lesson, CurateError>;

/// What is said of it: the id of the lesson that stays, that of the other, and what that one was.
type Told = fn(&str, &str, Status) -> String;

fn replace(app: &App, args: &Two, done: &'static str, replacement: Replacement, told: Told) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    let coded = |error: CurateError| Coded::failed(error.code, error.to_string());
    let mut contradiction = None;
    let ((loser, keeper), _) = change::save(app, done, ChangeOrigin::Merge, |draft| {
        let loser = change::find(app, draft.graph, &args.loser)?.clone();
        let keeper = change::find(app, draft.graph, &args.keeper)?.clone();
        contradiction = contradiction::between(app, &loser, &keeper);
        replacement(draft.graph, &loser.id, &keeper.id, &app.now_text()).map_err(coded)?;
        draft.force(&keeper.id, args.force_block.as_ref())?;
        Ok((loser, keeper.id))
    })?;
    record::record(app, contradiction.as_slice());
    let (id, by) = (change::full_id(app, &loser.id), change::full_id(app, &keeper));
    let message = told(&by, &id, loser.status);
    let fields = json!({ "done": done, "id": id, "supersededBy": by, "message": message });
    tell(app, Answer::new(vec![message, format!("Next: lessons show {by}")], fields))
}

/// `lessons edit --remove-trigger`: removes one trigger from a lesson. The context is that of its store.
pub(crate) fn untrigger(app: &App, id: &str, trigger: &str) -> Result<Exit> {
    let coded = |error: CurateError| Coded::failed(error.code, error.to_string());
    let ((id, taken), _) = change::save(app, "untriggered", ChangeOrigin::Command, |draft| {
        let id = change::find(app, draft.graph, id)?.id.clone();
        match curate::untrigger(draft.graph, &id, trigger, &app.now_text()) {
            // The lesson is as wanted already, so what changed by other means is built all the same.
            Err(error) if error.code == curate::NOT_REFERENCED => Ok((id, Err(coded(error)))),
            taken => Ok((id, Ok(taken.map_err(coded)?))),
        }
    })?;
    let taken = taken.map_err(|error| in_project::worded_error(app, error.into()))?;
    let id = change::full_id(app, &id);
    let left = counted(taken.left, "trigger");
    let lines =
        vec![format!("{id} has one trigger less; it has {left} left"), format!("Next: lessons show {id}")];
    let fields = json!({
        "lessonId": id,
        "triggerId": taken.trigger,
        "removedTriggerNode": taken.is_gone,
        "remainingTriggerCount": taken.left,
    });
    tell(app, Answer::new(lines, fields))
}

/// `lessons prune`: lists what is unused or too much, and removes it with `--apply`.
pub(crate) fn prune(app: &App, args: &Prune) -> Result<Exit> {
    let app = &args.store.chosen(app)?;
    if args.markers {
        return strip_markers(app, args.apply);
    }
    let own_tree = match &app.store {
        StoreLocation::Project(root) => Some(PathBuf::from(&root.path)),
        StoreLocation::User => None,
    };
    let files = args.tree.as_ref().or(own_tree.as_ref()).map(|folder| {
        project_files::files(folder)?.with_context(|| format!("{} holds too many files", folder.display()))
    });
    let files = files.transpose()?;
    let pruned =
        curated(app, args.apply, "pruned", |graph| Ok(curate::prune(graph, files.as_ref(), Some(args.cap))))?;
    let layer = &app.store.layer().to_string();
    let nothing = pruned.is_empty().then(|| "Nothing to remove".to_owned());
    let mut lines = vec![nothing.unwrap_or_else(|| change::pruned_in_words(layer, &pruned))];
    let unreachable = pruned.unreachable_lessons.iter();
    lines.extend(
        unreachable.map(|id| format!("{layer}/{id} is left alone: no file matches any of its globs")),
    );
    if files.is_none() {
        lines.push(
            "Globs without a file were not looked for: your lessons hold in every project. --tree FOLDER looks in one"
                .to_owned(),
        );
    }
    if args.apply || pruned.is_empty() {
        lines.push("Next: lessons validate".to_owned());
    } else {
        let flag = if app.store == StoreLocation::User { "" } else { " --project" };
        lines.push(format!("Nothing was changed yet\nNext: lessons prune{flag} --apply"));
    }
    let answer = Answer::new(lines, json!(pruned)).with("applied", args.apply).with("cap", args.cap);
    if args.apply { tell(app, answer) } else { app.done(&answer) }
}

/// `lessons prune --markers`: lists the rules with references that lead nowhere, and removes these with `--apply`.
pub(crate) fn strip_markers(app: &App, apply: bool) -> Result<Exit> {
    let ids = curated(app, apply, "stripped", curate::strip_markers)?;
    let (verb, next) = match (apply, ids.len()) {
        (false, 1..) => ("would change", "lessons prune --markers --apply"),
        (false, 0) => ("would change", "lessons list"),
        (true, _) => ("changed", "lessons list"),
    };
    let mut lines: Vec<String> = ids.iter().map(|id| format!("  {}/{id}", app.store.layer())).collect();
    lines.push(format!("{} {verb}\nNext: {next}", counted(ids.len(), "rule")));
    let fields = json!({ "changedCount": ids.len(), "changedIds": ids, "dryRun": !apply });
    app.done(&Answer::new(lines, fields))
}

/// Changes the store, or with neither `--apply` nor lessons in it only a copy. Returns what changed.
fn curated<T>(
    app: &App,
    apply: bool,
    done: &'static str,
    change: impl Fn(&mut Graph) -> Result<T, CurateError>,
) -> Result<T> {
    let mut graph = app.store.read(&app.home)?.graph;
    if !apply || graph.ids().next().is_none() {
        return Ok(change(&mut graph)?);
    }
    Ok(change::save(app, done, ChangeOrigin::Command, |draft| Ok(change(draft.graph)?))?.0)
}

/// Answers after a change, with what keeps the lessons of a project out of force.
fn tell(app: &App, mut answer: Answer) -> Result<Exit> {
    let standing = in_project::standing(app, None).into_iter().flat_map(|(_, warnings)| warnings);
    let warnings: Vec<String> = standing.map(|warning| warning.message).collect();
    answer.lines.splice(0..0, warnings.iter().map(|warning| format!("Warning: {warning}")));
    app.done(&answer.given("warnings", warnings))
}

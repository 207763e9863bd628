//! `lessons validate`: list everything that is wrong or doubtful in a store.

use std::path::{Path, PathBuf};

use lessons_home::files;
use lessons_incident_check::check::{INCIDENT_MATCH, IncidentChecker};
use lessons_lesson::{Layer, Lesson, LessonId, Level, ProjectHash, QualifiedId, SampleCall, Status, When};
use lessons_manifest_builder::examples::try_lesson;
use lessons_manifest_builder::patterns::Patterns;
use lessons_publish::in_force;
use lessons_replay::CallShare;
use lessons_review::{MeasuredLesson, lookup, project_files, project_names, trials};
use lessons_store::trust::PROJECT_STORE;
use lessons_store::{Files, Graph, Node, Origin, Problem, UnreadableGraph, load, validate};

use crate::prelude::*;

/// Arguments of `lessons validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// Another store than your own, such as a project's .lessons/lessons.json
    pub file: Option<PathBuf>,
    /// A project in which every glob should match a file
    #[arg(long, value_name = "FOLDER")]
    pub tree: Option<PathBuf>,
}

/// One finding: its line for people, and its fields.
struct Finding {
    level: Level,
    message: String,
    fields: Value,
}

pub(crate) fn run(app: &App, args: &Validate) -> Result<Exit> {
    let (mut findings, lessons, next) = match graph(app, args)? {
        Ok(graph) => {
            let files = folder(args).map(|folder| files_of(&folder)).transpose()?;
            let problems = validate::findings(&graph, files.as_ref());
            let mut findings: Vec<Finding> = problems.iter().map(Finding::of).collect();
            // Where the settings cannot be read, nobody knows where the sessions are; the doctor says so.
            findings.extend(too_broad(app, &graph).unwrap_or_default());
            findings.extend(like_incidents(app, &graph));
            (findings, graph.ids().count(), "lessons show ID, then lessons edit ID".to_owned())
        }
        Err(unreadable) => {
            let path = args.file.clone().unwrap_or_else(|| app.home.lessons());
            let message = format!("{}: {unreadable}", path.display());
            let file = args.file.as_ref().map(|file| file.display().to_string());
            let again: Vec<String> =
                ["lessons", "validate"].map(str::to_owned).into_iter().chain(file).collect();
            let next = format!("fix it, then {}", lessons_context::typed(&again));
            (vec![Finding::new(Level::Error, unreadable.code(), message)], 0, next)
        }
    };
    let errors = findings.iter().filter(|finding| finding.level == Level::Error).count();
    let warnings = findings.len() - errors;
    let mut lines: Vec<String> =
        findings.iter().map(|finding| format!("{}: {}", finding.level, finding.message)).collect();
    let (counted_errors, counted_warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    lines.push(format!("{}: {counted_errors}, {counted_warnings}", counted(lessons, "lesson")));
    lines.extend((!findings.is_empty()).then(|| format!("Next: {next}")));
    let findings: Vec<Value> = findings.drain(..).map(|finding| finding.fields).collect();
    app.answer(&Answer::new(lines, json!({ "ok": errors == 0, "lessons": lessons, "findings": findings })))?;
    Ok(if errors == 0 { Exit::Done } else { Exit::Findings })
}

/// The store to check, or why it is unreadable.
fn graph(app: &App, args: &Validate) -> Result<Result<Graph, UnreadableGraph>> {
    let path = args.file.clone().unwrap_or_else(|| app.home.lessons());
    let bytes = match &args.file {
        None => files::read(&path, load::MAX_BYTES)?,
        Some(path) => {
            let bytes = files::read_foreign(path, load::MAX_BYTES)?;
            Some(bytes.with_context(|| format!("there is no {}", path.display()))?)
        }
    };
    Ok(match bytes {
        None => Ok(Graph::empty(path)),
        Some(bytes) => Graph::parse(path, &bytes, Origin::Own),
    })
}

/// Findings about lessons that fire at too many of the past calls. A lesson for projects that this machine does not know
/// fires nowhere here.
fn too_broad(app: &App, graph: &Graph) -> Result<Vec<Finding>> {
    let tried = graph.active().filter(|lesson| lesson.when == When::Tool);
    let lessons: Vec<MeasuredLesson<'_>> =
        tried.filter_map(|lesson| MeasuredLesson::of_user(app, lesson)).collect();
    if lessons.is_empty() {
        return Ok(Vec::new());
    }
    let measured = trials::measure(app, &lessons, &in_force::patterns(app))?;
    let finding = |(id, share): &(QualifiedId, CallShare)| {
        Finding::about("TOO_BROAD", &id.id, &format!("it {share}; narrow it (TOO_BROAD)"))
    };
    Ok(measured.too_broad().map(finding).collect())
}

/// Findings about active lessons that are like an incident.
fn like_incidents(app: &App, graph: &Graph) -> Vec<Finding> {
    let Some(checker) = IncidentChecker::in_force(app) else {
        return Vec::new();
    };
    let warnings = graph.active().flat_map(|lesson| {
        let warnings = checker.warnings(lesson).into_iter();
        warnings.map(|warning| Finding::about(INCIDENT_MATCH, &lesson.id, &warning.message))
    });
    warnings.collect()
}

/// The project whose files the globs should match: the named one, or the one that brings the store along. The user's
/// own lessons are for many projects.
fn folder(args: &Validate) -> Option<PathBuf> {
    let beside = || {
        let folder = std::path::absolute(args.file.as_ref()?).ok()?;
        let store = folder.parent()?;
        (store.file_name()? == ".lessons").then(|| store.parent().map(Path::to_owned))?
    };
    args.tree.clone().or_else(beside)
}

fn files_of(folder: &Path) -> Result<Files> {
    project_files::files(folder)?.with_context(|| {
        format!("{} has too many files to check; name a smaller folder with --tree", folder.display())
    })
}

impl Finding {
    fn new(level: Level, code: &str, message: String) -> Self {
        let fields = json!({ "level": level.to_string(), "code": code, "message": message });
        Self { level, message, fields }
    }

    /// A warning about a lesson.
    fn about(code: &str, id: &LessonId, text: &str) -> Self {
        let mut finding = Self::new(Level::Warning, code, format!("lesson `{id}`: {text}"));
        finding.fields["lessonId"] = id.as_str().into();
        finding
    }

    fn of(Problem { node, flaw, .. }: &Problem) -> Self {
        let message = node.as_ref().map_or_else(|| flaw.to_string(), |node| format!("{node}: {flaw}"));
        let mut finding = Self::new(flaw.level, flaw.code, message);
        let (name, id) = match node {
            Some(Node::Lesson(id)) => ("lessonId", id),
            Some(Node::Trigger(id)) => ("triggerId", id),
            Some(Node::Topic(id)) => ("topicId", id),
            None => return finding,
        };
        finding.fields[name] = id.as_str().into();
        if let (Some(about), "lessonId") = (&flaw.about, name) {
            let name = if flaw.code.contains("TOPIC") { "topicId" } else { "triggerId" };
            finding.fields[name] = about.as_str().into();
        }
        finding
    }
}

/// The lessons of the named store, or all lessons. Those of this project are taken as they are in its folder, not as
/// approved: a test brings nothing into force. `errors` gets what keeps lessons of the named store from being tried as they are
/// written: a trigger that is not read, a field that is missing.
fn lessons(app: &App, file: Option<&Path>, errors: &mut Vec<String>) -> Result<Vec<(QualifiedId, Lesson)>> {
    if let Some(path) = file {
        let graph = project_graph(path)?.with_context(|| format!("there is no {}", path.display()))?;
        let problems = graph.problems().iter().filter(|problem| problem.is_error());
        errors.extend(problems.map(ToString::to_string));
        return Ok(of_layer(&graph, &Layer::User));
    }
    let mut all = lookup::stored_lessons(app)?;
    if let Some(root) = project_names::here() {
        let layer = Layer::Project(ProjectHash::of_root(&root.to_string_lossy()));
        if let Some(project_graph) =
            project_graph(&PROJECT_STORE.iter().fold(root, |path, part| path.join(part)))?
        {
            all.retain(|(id, _)| id.layer != layer);
            all.extend(of_layer(&project_graph, &layer));
        }
    }
    Ok(all)
}

fn project_graph(path: &Path) -> Result<Option<Graph>> {
    let Some(bytes) = files::read_foreign(path, load::MAX_BYTES)? else { return Ok(None) };
    Ok(Some(Graph::parse(path, &bytes, Origin::Project).with_context(|| path.display().to_string())?))
}

fn of_layer(graph: &Graph, layer: &Layer) -> Vec<(QualifiedId, Lesson)> {
    let of = |lesson: &Lesson| (QualifiedId { layer: layer.clone(), id: lesson.id.clone() }, lesson.clone());
    graph.lessons().map(of).collect()
}

pub(crate) fn test(app: &App, file: Option<&Path>) -> Result<Exit> {
    let patterns = Patterns::default();
    let mut lines = Vec::new();
    let lessons = lessons(app, file, &mut lines)?;
    let mut failures: Vec<Answer> =
        lines.iter().map(|why| Answer::new(Vec::new(), json!({ "why": why }))).collect();
    let (mut tried, mut examples) = (0, 0);
    let mut failed = |id: &QualifiedId, why: &str, call: Option<SampleCall>| {
        lines.push(format!("{id}: {why}"));
        failures.push(Answer::new(Vec::new(), json!({ "id": id, "why": why })).given("call", call));
    };
    for (id, lesson) in lessons {
        if lesson.status != Status::Active || lesson.examples.is_empty() {
            continue;
        }
        tried += 1;
        examples += lesson.examples.fires.len() + lesson.examples.quiet.len();
        match try_lesson(&id, &lesson, &patterns) {
            Ok(failing) => {
                for it in failing {
                    failed(&id, &it.to_string(), Some(it.sample.clone()));
                }
            }
            // It cannot be compiled.
            Err(why) => failed(&id, &why, None),
        }
    }
    let (of_lessons, in_all) = (counted(tried, "lesson"), counted(examples, "example"));
    lines.push(format!("{in_all} of {of_lessons} tried, {} failed", failures.len()));
    let is_fine = failures.is_empty();
    app.answer(&Answer::new(lines, json!({ "lessons": tried, "examples": examples, "failures": failures })))?;
    Ok(if is_fine { Exit::Done } else { Exit::Findings })
}

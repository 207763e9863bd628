//! `lessons validate`: list everything that is wrong or doubtful in a store.

use lessons_home::files;
use lessons_incident_check::check::{INCIDENT_MATCH, IncidentChecker};
use lessons_lesson::{Layer, Lesson, LessonId, Level, ProjectHash, QualifiedId, Status, When};
use lessons_manifest_builder::Patterns;
use lessons_manifest_builder::examples::try_lesson;
use lessons_replay::CallShare;
use lessons_review::{MeasuredLesson, project_files, project_names, trials};
use lessons_store::decisions::trust::PROJECT_STORE;
use lessons_store::{Files, Graph, NodeKind, Origin, Problem, load, validate};

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

/// One finding, and how bad it is.
type Finding = (Level, Answer);

pub(crate) fn run(app: &App, args: &Validate) -> Result<Exit> {
    let path = args.file.clone().unwrap_or_else(|| app.home.lessons());
    let read = bytes(args, &path)?;
    let graph =
        read.map_or_else(|| Ok(Graph::empty(&path)), |bytes| Graph::parse(&path, &bytes, Origin::Own));
    let (findings, lessons, next) = match graph {
        Ok(graph) => {
            let files = folder(args).map(|folder| files_of(&folder)).transpose()?;
            let problems = validate::findings(&graph, files.as_ref());
            let mut findings: Vec<Finding> =
                problems.iter().map(|problem| of_problem(&graph, problem)).collect();
            // Where the settings cannot be read, nobody knows where the sessions are; the doctor says so.
            findings.extend(too_broad(app, &graph).unwrap_or_default());
            findings.extend(like_incidents(app, &graph));
            (findings, graph.ids().count(), "lessons show ID, then lessons edit ID".to_owned())
        }
        Err(unreadable) => {
            let message = format!("{}: {unreadable}", path.display());
            let file = args.file.as_ref().map(|file| file.display().to_string());
            let again: Vec<String> =
                ["lessons", "validate"].map(str::to_owned).into_iter().chain(file).collect();
            let next = format!("fix it, then {}", lessons_context::typed(&again));
            (vec![finding(Level::Error, unreadable.code, &message)], 0, next)
        }
    };
    let errors = findings.iter().filter(|(level, _)| *level == Level::Error).count();
    let numbers = (counted(errors, "error"), counted(findings.len() - errors, "warning"));
    let next = (!findings.is_empty()).then(|| format!("Next: {next}"));
    let Answer { mut lines, fields } = Answer::of_all(findings.into_iter().map(|(_, finding)| finding));
    lines.push(format!("{}: {}, {}", counted(lessons, "lesson"), numbers.0, numbers.1));
    lines.extend(next);
    app.answer(&Answer::new(lines, json!({ "ok": errors == 0, "lessons": lessons, "findings": fields })))?;
    Ok(if errors == 0 { Exit::Done } else { Exit::Findings })
}

/// The store to check. `None` where the user has none yet.
fn bytes(args: &Validate, path: &Path) -> Result<Option<Vec<u8>>> {
    if args.file.is_none() {
        return Ok(files::read(path, load::MAX_BYTES)?);
    }
    let bytes = files::read_foreign(path, load::MAX_BYTES)?;
    bytes.with_context(|| format!("there is no {}", path.display())).map(Some)
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
        about("TOO_BROAD", &id.id, &format!("it {share}; narrow it (TOO_BROAD)"))
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
        warnings.map(|warning| about(INCIDENT_MATCH, &lesson.id, &warning.message))
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

fn finding(level: Level, code: &str, message: &str) -> Finding {
    let fields = json!({ "level": level, "code": code, "message": message });
    (level, Answer::new(vec![format!("{level}: {message}")], fields))
}

/// A warning about a lesson.
fn about(code: &str, id: &LessonId, text: &str) -> Finding {
    let (level, warning) = finding(Level::Warning, code, &format!("lesson `{id}`: {text}"));
    (level, warning.with("lessonId", id))
}

fn of_problem(graph: &Graph, Problem { node, flaw, .. }: &Problem) -> Finding {
    let of_trigger = node.as_ref().filter(|node| node.kind == NodeKind::Trigger);
    let lesson = of_trigger.and_then(|node| graph.naming(&node.id));
    // The ids of triggers stand in the file only.
    let of = lesson.map_or_else(String::new, |lesson| format!(" of lesson `{}`", line(lesson)));
    let message = node.as_ref().map_or_else(|| flaw.to_string(), |node| format!("{node}{of}: {flaw}"));
    let (level, mut finding) = finding(flaw.level, flaw.code, &message);
    let of_lesson = if flaw.code.contains("TOPIC") { "topicId" } else { "triggerId" };
    finding = match node {
        Some(node) if node.kind == NodeKind::Lesson => {
            finding.with("lessonId", &node.id).given(of_lesson, &flaw.about)
        }
        Some(node) if node.kind == NodeKind::Trigger => finding.with("triggerId", &node.id),
        Some(node) => finding.with("topicId", &node.id),
        None => finding,
    };
    (level, finding)
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
    let mut all = lookup::of_every_layer(app, &load::lessons(&app.home)?)?;
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
    let mut unreadable = Vec::new();
    let mut lessons = lessons(app, file, &mut unreadable)?;
    lessons.retain(|(_, lesson)| lesson.status == Status::Active && !lesson.examples.is_empty());
    let unreadable = unreadable.into_iter().map(|why| Answer::new(vec![why.clone()], json!({ "why": why })));
    let mut failures: Vec<Answer> = unreadable.collect();
    let mut examples = 0;
    for (id, lesson) in &lessons {
        examples += lesson.examples.fires.len() + lesson.examples.quiet.len();
        let failure = |why: &str| Answer::new(vec![format!("{id}: {why}")], json!({ "id": id, "why": why }));
        match try_lesson(id, lesson, &patterns) {
            Ok(failing) => {
                let failures_of_it =
                    failing.into_iter().map(|it| failure(&it.to_string()).with("call", it.sample));
                failures.extend(failures_of_it);
            }
            // It cannot be compiled.
            Err(why) => failures.push(failure(&why)),
        }
    }
    let (tried, failed) = (lessons.len(), failures.len());
    let Answer { mut lines, fields } = Answer::of_all(failures.into_iter());
    let (of_lessons, in_all) = (counted(tried, "lesson"), counted(examples, "example"));
    lines.push(format!("{in_all} of {of_lessons} tried, {failed} failed"));
    app.answer(&Answer::new(lines, json!({ "lessons": tried, "examples": examples, "failures": fields })))?;
    Ok(if failed == 0 { Exit::Done } else { Exit::Findings })
}

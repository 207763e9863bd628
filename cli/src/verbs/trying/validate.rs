//! `lessons validate`: list everything that is wrong or doubtful in a store.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use lessons_context::error::Exit;
use lessons_home::files;
use lessons_incident_check::check::{INCIDENT_MATCH, IncidentChecker};
use lessons_lesson::lesson::{Lesson, Status, When};
use lessons_lesson::validate::Level;
use lessons_publish::in_force;
use lessons_review::checks::too_broad::{self, MeasuredLesson};
use lessons_review::project_files;
use lessons_store::graph::{Graph, Origin, UnreadableGraph};
use lessons_store::load;
use lessons_store::problem::{Node, Problem};
use lessons_store::validate::{self, Files};
use lessons_text::wording::counted;
use serde::Serialize;

use crate::app::App;
use crate::ui::progress::ReadingProgress;

/// Arguments of `lessons validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// Another store than your own, such as a project's .lessons/lessons.json
    pub file: Option<PathBuf>,
    /// A project in which every glob should match a file
    #[arg(long, value_name = "FOLDER")]
    pub tree: Option<PathBuf>,
}

/// The answer: all findings.
#[derive(Debug, Serialize)]
struct ValidationReport {
    /// Whether there is no error among them.
    ok: bool,
    lessons: usize,
    findings: Vec<ValidationFinding>,
    /// The command that usually follows.
    #[serde(skip)]
    next: String,
}

/// One finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ValidationFinding {
    level: String,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic_id: Option<String>,
    message: String,
}

pub(crate) fn run(app: &App, args: &Validate) -> Result<Exit> {
    let path = args.file.clone().unwrap_or_else(|| app.home.lessons());
    let report = match graph(app, args)? {
        Ok(graph) => {
            let files = folder(args).map(|folder| files_of(&folder)).transpose()?;
            let mut report = ValidationReport::of(&graph, files.as_ref());
            // Where the settings cannot be read, nobody knows where the sessions are; the doctor says so.
            report.findings.extend(too_broad(app, &graph).unwrap_or_default());
            report.findings.extend(like_incidents(app, &graph));
            report
        }
        Err(unreadable) => ValidationReport::unreadable(&path, args, &unreadable),
    };
    app.answer(&report)?;
    Ok(if report.ok { Exit::Done } else { Exit::Findings })
}

/// The store to check, or why it is unreadable.
fn graph(app: &App, args: &Validate) -> Result<Result<Graph, UnreadableGraph>> {
    let (path, bytes, origin) = match &args.file {
        None => {
            let path = app.home.lessons();
            let bytes = files::read(&path, load::MAX_BYTES)?;
            (path, bytes, Origin::Own)
        }
        Some(path) => {
            let bytes = files::read_foreign(path, load::MAX_BYTES)?;
            let bytes = bytes.with_context(|| format!("there is no {}", path.display()))?;
            (path.clone(), Some(bytes), Origin::Own)
        }
    };
    Ok(match bytes {
        None => Ok(Graph::empty(path)),
        Some(bytes) => Graph::parse(path, &bytes, origin),
    })
}

/// Findings about lessons that fire at too many of the past calls. A lesson for projects that this machine does not know
/// fires nowhere here.
fn too_broad(app: &App, graph: &Graph) -> Result<Vec<ValidationFinding>> {
    let is_tried = |lesson: &&Lesson| lesson.status == Status::Active && lesson.when == When::Tool;
    let lessons: Vec<MeasuredLesson<'_>> =
        graph.lessons().filter(is_tried).filter_map(|lesson| MeasuredLesson::of_user(app, lesson)).collect();
    if lessons.is_empty() {
        return Ok(Vec::new());
    }
    let patterns = in_force::readable_index(app).and_then(|index| index.patterns().ok()).unwrap_or_default();
    let measured = too_broad::measure(app, &lessons, &patterns, &ReadingProgress::of(app))?;
    Ok(measured
        .too_broad()
        .map(|(id, share)| ValidationFinding {
            level: Level::Warning.to_string(),
            code: "TOO_BROAD",
            lesson_id: Some(id.id.to_string()),
            trigger_id: None,
            topic_id: None,
            message: format!("lesson `{}`: it {share}; narrow it (TOO_BROAD)", id.id),
        })
        .collect())
}

/// Findings about active lessons that are like an incident.
fn like_incidents(app: &App, graph: &Graph) -> Vec<ValidationFinding> {
    let Some(checker) = IncidentChecker::of(app).filter(|checker| !checker.is_empty()) else {
        return Vec::new();
    };
    let active = graph.lessons().filter(|lesson| lesson.status == Status::Active);
    let warnings = active.flat_map(|lesson| {
        checker.warnings(lesson).into_iter().map(|warning| ValidationFinding {
            level: Level::Warning.to_string(),
            code: INCIDENT_MATCH,
            lesson_id: Some(lesson.id.to_string()),
            trigger_id: None,
            topic_id: None,
            message: format!("lesson `{}`: {}", lesson.id, warning.message),
        })
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

impl ValidationReport {
    fn of(graph: &Graph, files: Option<&Files>) -> Self {
        let problems = validate::findings(graph, files);
        Self {
            ok: !problems.iter().any(Problem::is_error),
            lessons: graph.ids().count(),
            findings: problems.iter().map(ValidationFinding::of).collect(),
            next: "lessons show ID, then lessons edit ID".to_owned(),
        }
    }

    fn unreadable(path: &Path, args: &Validate, error: &UnreadableGraph) -> Self {
        let finding = ValidationFinding {
            level: Level::Error.to_string(),
            code: error.code(),
            lesson_id: None,
            trigger_id: None,
            topic_id: None,
            message: format!("{}: {error}", path.display()),
        };
        let file = args.file.as_ref().map(|file| file.display().to_string());
        let again: Vec<String> = ["lessons", "validate"].map(str::to_owned).into_iter().chain(file).collect();
        let next = format!("fix it, then {}", lessons_context::context::typed(&again));
        Self { ok: false, lessons: 0, findings: vec![finding], next }
    }
}

impl ValidationFinding {
    fn of(problem: &Problem) -> Self {
        let (lesson, mut trigger, mut topic) = match &problem.node {
            Some(Node::Lesson(id)) => (Some(id.clone()), None, None),
            Some(Node::Trigger(id)) => (None, Some(id.clone()), None),
            Some(Node::Topic(id)) => (None, None, Some(id.clone())),
            None => (None, None, None),
        };
        if lesson.is_some() {
            let about = problem.flaw.about.clone();
            if problem.flaw.code.contains("TOPIC") {
                topic = about;
            } else {
                trigger = about;
            }
        }
        Self {
            level: problem.flaw.level.to_string(),
            code: problem.flaw.code,
            lesson_id: lesson,
            trigger_id: trigger,
            topic_id: topic,
            message: match &problem.node {
                Some(node) => format!("{node}: {}", problem.flaw),
                None => problem.flaw.to_string(),
            },
        }
    }
}

impl fmt::Display for ValidationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{}: {}", finding.level, finding.message)?;
        }
        let errors = self.findings.iter().filter(|finding| finding.level == Level::Error.to_string()).count();
        let warnings = self.findings.len() - errors;
        write!(
            f,
            "{}: {}, {}",
            counted(self.lessons, "lesson"),
            counted(errors, "error"),
            counted(warnings, "warning")
        )?;
        if errors + warnings > 0 {
            write!(f, "\nNext: {}", self.next)?;
        }
        Ok(())
    }
}

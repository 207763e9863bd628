//! `lessons trust` and `lessons untrust`: approve the lessons that a project brings along.

use std::collections::BTreeSet;

use lessons_context::ChangedLesson;
use lessons_incident::{Origin, Severity, SourceKind};
use lessons_incident_check::check::{self, IncidentChecker};
use lessons_incident_check::record;
use lessons_ledger::decisions::{self, Approval};
use lessons_lesson::{Layer, Lesson, LessonId, ProjectHash};
use lessons_manifest_builder::report::{Reason, Report};
use lessons_review::project_names;
use lessons_store::{Preview, Refusals, TrustError, decisions::trust};
use lessons_text::quoted_path;

use crate::prelude::*;

/// Arguments of `lessons untrust`.
#[derive(Debug, Args)]
pub struct Project {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
}

/// Arguments of `lessons trust`.
#[derive(Debug, Args)]
pub struct Trust {
    /// The project's folder
    #[arg(default_value = ".")]
    pub project: PathBuf,
    /// Approve without asking
    #[arg(long)]
    pub yes: bool,
    /// Accept a lesson although its text is flagged; `incident` accepts those that are like a critical incident
    #[arg(long, value_name = "ID")]
    pub accept: Vec<String>,
    /// The reason for `--accept incident`
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
    /// Let its lessons block calls; without this they only advise
    #[arg(long)]
    pub allow_refusals: bool,
}

pub(crate) fn run(app: &App, args: &Trust) -> Result<Exit> {
    let root = project_names::roots_of(&args.project)?.root;
    let preview = match trust::preview(&app.home, root.as_ref()) {
        Err(error @ TrustError::Missing(_)) => return Err(missing(root.as_ref(), error)),
        preview => preview?,
    };
    let shown = shown(&preview, args, &incidents(app, &preview, args)?);
    let source = (SourceKind::Store, preview.root.as_str());
    record::record(app, &record::untrusted(app, Origin::ProjectStore, source, preview.lessons.iter()));
    if app.output == Output::Text {
        app.recorded(&shown)?;
    }
    if !args.yes && !prompt::confirmed(app, "Use these lessons in this project? [y/N]")? {
        app.say(&"Nothing was changed.")?;
        return Ok(Exit::Findings);
    }
    // A lesson may have the name of the flag.
    let is_lesson = |id: &str| preview.lessons.iter().any(|lesson| lesson.id.as_str() == id);
    let ids = args.accept.iter().filter(|id| *id != check::FLAG || is_lesson(id));
    let accept = ids.map(|id| LessonId::new(id)).collect::<Result<BTreeSet<_>, _>>()?;
    let approval = Approval {
        actor: app.author(),
        at: app.now_text(),
        accept,
        refusals: if args.allow_refusals { Refusals::Allowed } else { Refusals::BecomeAdvice },
    };
    let lock = app.lock()?;
    decisions::approve_store(&lock, &mut app.database()?, &app.deed("trusted"), &preview, &approval)?;
    drop(lock);
    let outcome = building::build(app)?;
    let left_out = left_out(&outcome.report, &preview.root);
    if app.output == Output::Json {
        let rows = left_out.iter().map(|(id, why)| json!({ "id": id, "reason": why }));
        return app.recorded(&shown.given("notInForce", rows.collect::<Vec<_>>()));
    }
    let in_force = counted(outcome.report.project, "lesson");
    let mut lines = vec![format!("Trusted as it is now. {in_force} of projects in force.")];
    lines.extend(left_out.iter().map(|(id, why)| format!("{} is not in force: {}", line(id), line(why))));
    let root = quoted_path(Path::new(&preview.root));
    lines.push(format!("Next: lessons list, or to end it lessons untrust {root}"));
    app.recorded(&Answer::new(lines, Value::Null))
}

/// The lessons of a project that are like an incident, in words. A critical one has to be accepted.
fn incidents(app: &App, preview: &Preview, args: &Trust) -> Result<Vec<String>> {
    let Some(checker) = IncidentChecker::in_force(app) else {
        return Ok(Vec::new());
    };
    let accepts = args.accept.iter().any(|flag| flag == check::FLAG)
        && args.reason.as_ref().is_some_and(|reason| !reason.trim().is_empty());
    let mut said = Vec::new();
    for lesson in &preview.lessons {
        for matched in checker.about(lesson) {
            let (id, words, flag) = (&lesson.id, matched.words(), check::FLAG);
            if matched.severity == Severity::Critical && !accepts {
                let message = format!(
                    "{id} of this project is like {words}. Nothing was changed. If it is right all the same: lessons trust \
                     --accept {flag} --reason TEXT"
                );
                bail!(Coded::refused("INCIDENT", message));
            }
            said.push(format!("{id} is like {words}"));
        }
    }
    Ok(said)
}

/// The error for a project without a store, which names those of another tool.
fn missing(root: &Path, error: TrustError) -> anyhow::Error {
    match trust::foreign_store(root) {
        Some(store) => Refused(format!("{error}. {}", of_foreign_store(&store))).into(),
        None => error.into(),
    }
}

/// What is said of lessons that another tool keeps.
fn of_foreign_store(store: &Path) -> String {
    format!(
        "{} holds lessons of AgentsMesh, which nothing reads here; to take them into your own lessons: {}",
        line(&store.to_string_lossy()),
        trust::import_of(store)
    )
}

/// The lessons of the project at `root` that are not in force, each with the reason. One that is retired is so on purpose.
fn left_out(report: &Report, root: &str) -> Vec<(String, String)> {
    let layer = Layer::Project(ProjectHash::of_root(root));
    let noted = report.left_out.iter().filter(|noted| noted.id.layer == layer);
    let noted = noted.filter(|noted| !matches!(noted.reason, Reason::Inactive));
    noted.map(|noted| (noted.id.id.to_string(), noted.reason.to_string())).collect()
}

pub(crate) fn withdraw(app: &App, args: &Project) -> Result<Exit> {
    let name = project_names::roots_of(&args.project)?.root;
    let lock = app.lock()?;
    let withdrawn = decisions::withdraw_store(&lock, &mut app.database()?, &app.deed("untrusted"), &name)?;
    drop(lock);
    // Build even if there was no trust: an interrupted run may have left its lessons in force.
    building::build(app)?;
    if withdrawn.is_none() {
        bail!(Refused(format!("{name} is not trusted")));
    }
    let message = format!("{name} is no longer trusted; its lessons are no longer in force");
    app.done(&Message::new("untrusted", name, message).then("lessons list"))
}

/// The content of a project store, shown before it is trusted; `incidents` are its lessons that are like one.
fn shown(preview: &Preview, args: &Trust, incidents: &[String]) -> Answer {
    let Preview { root, was_approved, settings_differ, .. } = preview;
    let lessons = counted(preview.lessons.len(), "lesson");
    let differences: Vec<ChangedLesson> = preview
        .differences
        .iter()
        .map(|it| ChangedLesson::between(&it.id, it.change, it.before.as_ref(), it.after.as_ref()))
        .collect();
    let brings = match (was_approved, differences.is_empty()) {
        (true, true) => ", as you approved them before.",
        (true, false) => ". Against what you approved before:",
        (false, _) => ":",
    };
    let mut lines = vec![format!("{} brings {lessons}{brings}", line(root))];
    lines.extend(differences.iter().map(ToString::to_string));
    let refusing = preview.lessons.iter().filter(|lesson| lesson.mode.refuses());
    let refusing: Vec<String> = refusing.map(|lesson| lesson.id.to_string()).collect();
    if !refusing.is_empty() {
        let advises = "would block calls and will only advise (--allow-refusals lets them)";
        let what = if args.allow_refusals { "may block calls" } else { advises };
        lines.push(format!("{} {what}", line(&refusing.join(", "))));
    }
    let mut flagged = Vec::new();
    for (id, flags) in &preview.flagged {
        let (id, meanings) = (id.to_string(), flags.iter().map(|flag| flag.meaning).collect::<Vec<_>>());
        lines.push(format!("{id} {}: left out, unless --accept {id}", meanings.join(", and ")));
        flagged.push((id, meanings));
    }
    lines.extend(incidents.iter().map(|incident| line(incident)));
    let problems: Vec<String> = preview.problems.iter().map(ToString::to_string).collect();
    lines.extend(problems.iter().map(|problem| line(problem)));
    let settings: Vec<String> = preview.settings.iter().flat_map(|it| it.values.lines()).collect();
    if !settings.is_empty() {
        let is_new = *was_approved && *settings_differ;
        let new = if is_new { ", new against what you approved before" } else { "" };
        lines.push(format!("Its settings count in this project{new}: {}", settings.join(", ")));
    } else if *was_approved && *settings_differ {
        let gone = "Against what you approved before it has no settings, or other ones that do nothing";
        lines.push(gone.to_owned());
    }
    let flaws = &preview.settings_flaws;
    lines.extend(flaws.iter().map(|flaw| format!(".lessons/config.toml: {}", line(flaw))));
    lines.extend(preview.foreign_store.as_deref().map(of_foreign_store));
    let foreign = preview.foreign_store.as_ref().map(|store| store.display().to_string());
    lines.push("They fire in this project only, and after your own.".to_owned());
    let lesson = |lesson: &Lesson| (lesson.id.to_string(), line(&lesson.one_line()));
    let fields = json!({
        "root": root,
        "sha256": preview.sha256,
        "lessons": preview.lessons.iter().map(lesson).collect::<Vec<_>>(),
        "refusing": refusing,
        "refusalsAllowed": args.allow_refusals,
        "flagged": flagged,
        "wasApproved": was_approved,
        "differences": differences,
        "notInForce": [],
        "problems": problems,
        "settings": settings,
        "settingsDiffer": settings_differ,
        "settingsProblems": flaws,
    });
    Answer::new(lines, fields).given("incidents", incidents).given("foreignStore", foreign)
}

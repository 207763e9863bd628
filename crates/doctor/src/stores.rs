//! Checks of the user's lessons, those of trusted projects, the settings and the database.

use std::collections::BTreeSet;
use std::path::Path;

use lessons_context::Context;
use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_ledger::DatabaseError;
use lessons_lesson::Status;
use lessons_review::candidates::nearest::Wordings;
use lessons_review::{project_files, project_names};
use lessons_store::config::in_editor;
use lessons_store::problem::Level;
use lessons_store::trust::{PROJECT_SETTINGS, PROJECT_STORE};
use lessons_store::{
    Approved, ConfigError, ConfigFile, Graph, LoadError, Node, Origin, Preview, Problem, durable, identity,
    load, trust, validate,
};
use lessons_text::neutral::{line, shortened};
use lessons_text::shell_word::quoted_path as quoted;
use lessons_text::wording::counted;

use crate::finding::{CheckResult, DoctorFinding, Examined, FindingSeverity, Fix};

/// The largest file of another tool that is looked at, in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// The longest part of a lesson's text in a message, in characters.
const SHOWN: usize = 100;

/// The most lessons that are each compared with all lessons before it.
const MOST_COMPARED: usize = 5_000;

pub(crate) fn check(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let mut found = own(examined);
    found.extend(near_duplicates(examined)?);
    found.extend(projects(examined));
    found.extend(settings(examined.context));
    found.extend(database(examined)?);
    found.extend(unfinished(examined.context)?);
    found.extend(lock(examined.context));
    Ok(found)
}

/// The finding that the lock cannot be used, without which no command can change anything.
fn lock(context: &Context) -> Option<DoctorFinding> {
    let path = context.home.lock();
    let error = files::check_unopened(&path).err()?;
    let remedy = match error {
        // It is empty, so nothing is lost.
        FileError::Link { .. } => format!("rm {}", quoted(&path)),
        _ => error.remedy().unwrap_or_else(|| format!("ls -ld {}", quoted(&path))),
    };
    let message = format!("no command can change anything: {}", line(&error.to_string()));
    Some(DoctorFinding::error("LOCK_UNUSABLE", message, remedy))
}

/// The finding that the database cannot be opened.
pub(crate) fn no_database(error: &DatabaseError) -> DoctorFinding {
    let of_file = match error {
        DatabaseError::Corrupt { .. } => return damaged("DATABASE_UNUSABLE", error.to_string()),
        DatabaseError::File(file) => file.remedy(),
        // The other errors name their own remedy.
        _ => None,
    };
    DoctorFinding::of("DATABASE_UNUSABLE", error, of_file, "lessons status")
}

/// The finding that the database is corrupt. The last nightly backup fixes it; without one, a new scan does.
fn damaged(code: &'static str, message: String) -> DoctorFinding {
    DoctorFinding::error(code, message, "lessons doctor --fix").fixed_by(Fix::Database)
}

fn own(examined: &Examined<'_>) -> Vec<DoctorFinding> {
    let graph = match load::lessons(&examined.context.home) {
        Ok(graph) => graph,
        Err(error) => {
            let message = format!("{}; what you accepted stays in force", line(&error.to_string()));
            let finding = |remedy: &str| DoctorFinding::error("STORE_UNREADABLE", &message, remedy);
            return vec![match error {
                // The stores of projects are checked by the ones who trust them.
                LoadError::Project(_) => finding("lessons trust"),
                LoadError::Unreadable { .. } => finding("lessons restore --store").fixed_by(Fix::Store),
                LoadError::File(file) => finding(file.remedy().as_deref().unwrap_or("lessons list")),
            }];
        }
    };
    let files = project_files::here();
    let problems = validate::findings(&graph, files.as_ref());
    problems.iter().map(|problem| of_problem(&graph, problem)).collect()
}

/// A problem of the store as a finding, with the command that fixes it.
fn of_problem(graph: &Graph, problem: &Problem) -> DoctorFinding {
    let node = problem.node.as_ref().map_or_else(String::new, |node| format!("{node}: "));
    let message = format!("{node}{}; {}", problem.flaw.what, problem.flaw.hint);
    let named_by =
        |trigger: &str| graph.ids().find(|lesson| graph.named_by(lesson).any(|id| id == trigger)).map(line);
    let remedy = match &problem.node {
        Some(Node::Lesson(id)) => format!("lessons edit {}", line(id)),
        Some(Node::Trigger(id)) => named_by(id)
            .map_or_else(|| "lessons prune --apply".into(), |lesson| format!("lessons edit {lesson}")),
        Some(Node::Topic(_)) => "lessons prune --apply".into(),
        None => "lessons validate".into(),
    };
    let severity = match (problem.flaw.level, problem.flaw.code) {
        (Level::Error, _) => FindingSeverity::Error,
        // The user's lessons are for many projects, and another one may have such files.
        (Level::Warning, "DEAD_FILE_GLOB") => FindingSeverity::Note,
        (Level::Warning, _) => FindingSeverity::Warning,
    };
    DoctorFinding { severity, code: problem.flaw.code, message: line(&message), remedy, fix: None }
}

/// Pairs of the user's active lessons that say nearly the same.
fn near_duplicates(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let wordings = examined.database.as_ref().map(Wordings::in_database).transpose()?.unwrap_or_default();
    let own: Vec<_> = examined
        .lessons
        .iter()
        .filter(|(id, lesson)| id.layer == lessons_lesson::id::Layer::User && lesson.status == Status::Active)
        .map(|(id, lesson)| (id, wordings.likeness(lesson)))
        .collect();
    let mut found = Vec::new();
    for (at, (id, likeness)) in own.iter().enumerate().take(MOST_COMPARED) {
        if let Some((other, _)) = own.iter().take(at).find(|(_, other)| likeness.is_near(other)) {
            let message = format!("{id} and {other} say nearly the same");
            let remedy = format!("lessons merge {} {}", id.id, other.id);
            found.push(DoctorFinding::warning("NEAR_DUPLICATE", message, remedy));
        }
    }
    if own.len() > MOST_COMPARED {
        let left = counted(own.len() - MOST_COMPARED, "lesson");
        let message = format!("{left} not compared with the others: that would take too long");
        found.push(DoctorFinding::note("NOT_ALL_COMPARED", message, "lessons list"));
    }
    Ok(found)
}

/// Findings about project stores: approved ones, and one in the current project that is not approved.
fn projects(examined: &Examined<'_>) -> Vec<DoctorFinding> {
    let home = &examined.context.home;
    // That decisions cannot be read is told with the data folder.
    let Ok(approved) = trust::approved(home) else { return Vec::new() };
    let mut found = Vec::new();
    for store in &approved {
        let root = line(&store.store.root);
        let typed = quoted(Path::new(&store.store.root));
        for problem in store.problems.iter().filter(|problem| problem.is_error()) {
            let message = format!("{root}: {}", line(&problem.to_string()));
            found.push(DoctorFinding::error(problem.flaw.code, message, format!("lessons trust {typed}")));
        }
        match trust::preview(home, Path::new(&store.store.root)) {
            Ok(preview) => found.extend(since_approved(store, &preview)),
            Err(error) => {
                let why = line(&error.to_string());
                let message = format!("{root} is trusted, and its lessons cannot be read: {why}");
                let remedy = format!("lessons untrust {typed}");
                found.push(DoctorFinding::warning("PROJECT_STORE_GONE", message, remedy));
            }
        }
    }
    if let Some(root) = project_names::here() {
        let store = PROJECT_STORE.iter().fold(root.clone(), |path, part| path.join(part));
        if store.exists() && !approved.iter().any(|known| Path::new(&known.store.root) == root) {
            let message =
                format!("{} brings lessons that you have not approved", line(&root.to_string_lossy()));
            found.push(DoctorFinding::note("PROJECT_STORE_NOT_TRUSTED", message, "lessons trust"));
        }
        found.extend(trust::foreign_store(&root).filter(|store| !is_taken_over(home, store)).map(|store| {
            let message = format!("nothing reads the lessons in {}", line(&store.to_string_lossy()));
            DoctorFinding::note("FOREIGN_STORE", message, trust::import_of(&store))
        }));
    }
    found
}

/// Whether every rule in another tool's file is one of a lesson of the user's. Of an older layout nobody can tell.
fn is_taken_over(home: &Home, store: &Path) -> bool {
    let Ok(own) = load::lessons(home) else { return true };
    let known: BTreeSet<String> = own.lessons().map(|lesson| validate::normal_rule(&lesson.rule)).collect();
    let bytes = files::read_foreign(store, MOST_BYTES).ok().flatten().unwrap_or_default();
    let theirs = Graph::parse(store, &bytes, Origin::Own);
    theirs.is_ok_and(|theirs| {
        theirs.lessons().all(|lesson| known.contains(&validate::normal_rule(&lesson.rule)))
    })
}

/// Findings about a project store that changed since it was approved, and about the settings beside it.
fn since_approved(store: &Approved, preview: &Preview) -> Vec<DoctorFinding> {
    let root = line(&store.store.root);
    let mut found = Vec::new();
    for (has_changed, code, what) in [
        (preview.sha256 != store.store.sha256, "PROJECT_STORE_CHANGED", "the lessons"),
        (preview.settings_differ, "PROJECT_SETTINGS_CHANGED", "the settings"),
    ] {
        let message =
            format!("{what} of {root} have changed since you approved them; the approved ones are in force");
        let remedy = format!("lessons trust {}", quoted(Path::new(&store.store.root)));
        found.extend(has_changed.then(|| DoctorFinding::note(code, message, remedy)));
    }
    let file = Path::new(&store.store.root).join(PROJECT_STORE[0]).join(PROJECT_SETTINGS);
    found.extend(preview.settings_flaws.iter().map(|flaw| {
        let message = line(&format!("{}: {flaw}", file.display()));
        DoctorFinding::warning("BAD_PROJECT_SETTING", message, in_editor(&file))
    }));
    found
}

/// Findings about settings that are unknown, invalid or unreadable.
fn settings(context: &Context) -> Vec<DoctorFinding> {
    let path = context.home.config();
    let remedy = in_editor(&path);
    let file = match ConfigFile::read(&path) {
        Ok(file) => file,
        Err(error) => {
            let message = format!("{}; every setting is at its default", line(&error.to_string()));
            let of_file = if let ConfigError::File(file) = &error { file.remedy() } else { None };
            return vec![DoctorFinding::of("SETTINGS_UNREADABLE", &message, of_file, &remedy)];
        }
    };
    let unknown = file.unknown().into_iter().map(|key| {
        let message = format!("{}: there is no setting `{}`, so it does nothing", path.display(), line(&key));
        DoctorFinding::warning("UNKNOWN_SETTING", message, &remedy)
    });
    let bad = context.settings().map(|(_, bad)| bad).unwrap_or_default().into_iter();
    let bad = bad.map(|bad| DoctorFinding::warning("BAD_SETTING", line(&bad.to_string()), &remedy));
    bad.chain(unknown).collect()
}

fn database(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let Some(database) = &examined.database else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    if let Some(unsound) = database.unsound()? {
        let (path, why) = (examined.context.home.database(), shortened(&line(&unsound), SHOWN));
        found.push(damaged("DATABASE_DAMAGED", format!("{} is corrupt: {why}", path.display())));
    }
    if database.is_unsettled()? {
        let message = "a command was interrupted in the middle of a change";
        found
            .push(DoctorFinding::warning("CHANGE_UNSETTLED", message, "lessons build").fixed_by(Fix::Settle));
    }
    Ok(found)
}

/// A note about files that a command left unfinished when it died.
fn unfinished(context: &Context) -> CheckResult<Option<DoctorFinding>> {
    let mut left = 0;
    for folder in Fix::folders(context) {
        left += durable::unfinished(&folder)?.len();
    }
    let message = format!("{} left by an interrupted command", counted(left, "unfinished file"));
    let found = DoctorFinding::note("UNFINISHED_FILES", message, "lessons doctor --fix").fixed_by(Fix::Sweep);
    Ok((left > 0).then_some(found))
}

pub(crate) fn received(examined: &Examined<'_>) -> CheckResult<Vec<DoctorFinding>> {
    let mut found = Vec::new();
    if let Err(error) = identity::read(&examined.context.home) {
        found.push(DoctorFinding::of("IDENTITY_UNREADABLE", &error, error.remedy(), "lessons peers"));
    }
    let Some(database) = &examined.database else { return Ok(found) };
    let unknown = database.unknown_authors()?;
    let events: u64 = unknown.values().sum();
    if events > 0 {
        let (events, keys) = (counted(events, "shared event"), counted(unknown.len(), "key"));
        let message = format!("{events} by {keys} that you do not trust: counted, and nothing else");
        found.push(DoctorFinding::note("UNKNOWN_KEYS", message, "lessons peers"));
    }
    Ok(found)
}

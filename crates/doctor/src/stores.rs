//! Checks of the user's lessons, those of trusted projects, the settings and the database.

use std::collections::BTreeSet;
use std::path::Path;

use lessons_context::Context;
use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_ledger::DatabaseError;
use lessons_lesson::{Layer, Status};
use lessons_review::{Wordings, project_files, project_names};
use lessons_store::config::in_editor;
use lessons_store::decisions::trust::{PROJECT_SETTINGS, PROJECT_STORE};
use lessons_store::graph::problem::Level;
use lessons_store::{
    Approved, ConfigError, ConfigFile, Graph, LoadError, Node, NodeKind, Origin, Preview, Problem,
    decisions::trust, durable, load, shared_folder::identity, validate,
};
use lessons_text::{counted, line, quoted_path as quoted, shortened};

use crate::finding::FindingSeverity::{Error, Note, Warning};
use crate::finding::{CheckResult, Examined, Findings, Fix};

/// The largest file of another tool that is looked at, in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// The longest part of a lesson's text in a message, in characters.
const SHOWN: usize = 100;

/// The most lessons that are each compared with all lessons before it.
const MOST_COMPARED: usize = 5_000;

pub(crate) fn check(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    own(examined, found);
    near_duplicates(examined, found)?;
    projects(examined, found);
    settings(examined.context, found);
    database(examined, found)?;
    unfinished(examined.context, found)?;
    lock(examined.context, found);
    Ok(())
}

/// The finding that the lock cannot be used, without which no command can change anything.
fn lock(context: &Context, found: &mut Findings) {
    let path = context.home.lock();
    let Err(error) = files::check_unopened(&path) else { return };
    let remedy = match error {
        // It is empty, so nothing is lost.
        FileError::Link { .. } => format!("rm {}", quoted(&path)),
        _ => error.remedy().unwrap_or_else(|| format!("ls -ld {}", quoted(&path))),
    };
    let message = format!("no command can change anything: {}", line(&error.to_string()));
    found.add(Error, "LOCK_UNUSABLE", message, remedy);
}

/// The finding that the database cannot be opened.
pub(crate) fn no_database(error: &DatabaseError, found: &mut Findings) {
    let of_file = match error {
        DatabaseError::Corrupt { .. } => return damaged("DATABASE_UNUSABLE", error.to_string(), found),
        DatabaseError::File(file) => file.remedy(),
        // The other errors name their own remedy.
        _ => None,
    };
    found.add_error("DATABASE_UNUSABLE", error, of_file, "lessons status");
}

/// The finding that the database is corrupt. The last nightly backup fixes it; without one, a new scan does.
fn damaged(code: &'static str, message: String, found: &mut Findings) {
    found.add(Error, code, message, "lessons doctor --fix").fix = Some(Fix::Database);
}

fn own(examined: &Examined<'_>, found: &mut Findings) {
    match load::lessons(&examined.context.home) {
        Ok(graph) => {
            for problem in validate::findings(&graph, project_files::here().as_ref()) {
                of_problem(&graph, &problem, found);
            }
        }
        Err(error) => {
            let message = format!("{}; what you accepted stays in force", line(&error.to_string()));
            let (remedy, fix) = match error {
                // The stores of projects are checked by the ones who trust them.
                LoadError::Project(_) => ("lessons trust".to_owned(), None),
                LoadError::Unreadable { .. } => ("lessons restore --store".to_owned(), Some(Fix::Store)),
                LoadError::File(file) => (file.remedy().unwrap_or_else(|| "lessons list".into()), None),
            };
            found.add(Error, "STORE_UNREADABLE", message, remedy).fix = fix;
        }
    }
}

/// A problem of the store as a finding, with the command that fixes it.
fn of_problem(graph: &Graph, problem: &Problem, found: &mut Findings) {
    let node = problem.node.as_ref().map_or_else(String::new, |node| format!("{node}: "));
    let message = format!("{node}{}; {}", problem.flaw.what, problem.flaw.hint);
    let remedy = match &problem.node {
        Some(Node { kind: NodeKind::Lesson, id }) => format!("lessons edit {}", line(id)),
        Some(Node { kind: NodeKind::Trigger, id }) => graph.naming(id).map_or_else(
            || "lessons prune --apply".into(),
            |lesson| format!("lessons edit {}", line(lesson)),
        ),
        Some(Node { kind: NodeKind::Topic, .. }) => "lessons prune --apply".into(),
        None => "lessons validate".into(),
    };
    let severity = match (problem.flaw.level, problem.flaw.code) {
        (Level::Error, _) => Error,
        // The user's lessons are for many projects, and another one may have such files.
        (Level::Warning, "DEAD_FILE_GLOB") => Note,
        (Level::Warning, _) => Warning,
    };
    found.add(severity, problem.flaw.code, line(&message), remedy);
}

/// Pairs of the user's active lessons that say nearly the same.
fn near_duplicates(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let wordings = examined.database.as_ref().map(Wordings::in_database).transpose()?.unwrap_or_default();
    let own = examined.lessons.iter();
    let own = own.filter(|(id, lesson)| id.layer == Layer::User && lesson.status == Status::Active);
    let own: Vec<_> = own.map(|(id, lesson)| (id, wordings.likeness(lesson))).collect();
    for (at, (id, likeness)) in own.iter().enumerate().take(MOST_COMPARED) {
        if let Some((other, _)) = own.iter().take(at).find(|(_, other)| likeness.is_near(other)) {
            let message = format!("{id} and {other} say nearly the same");
            let remedy = format!("lessons merge {} {}", id.id, other.id);
            found.add(Warning, "NEAR_DUPLICATE", message, remedy);
        }
    }
    if own.len() > MOST_COMPARED {
        let left = counted(own.len() - MOST_COMPARED, "lesson");
        let message = format!("{left} not compared with the others: that would take too long");
        found.add(Note, "NOT_ALL_COMPARED", message, "lessons list");
    }
    Ok(())
}

/// Findings about project stores: approved ones, and one in the current project that is not approved.
fn projects(examined: &Examined<'_>, found: &mut Findings) {
    let home = &examined.context.home;
    // That decisions cannot be read is told with the data folder.
    let Ok(approved) = trust::approved(home) else { return };
    for store in &approved {
        let root = line(&store.store.root);
        let typed = quoted(Path::new(&store.store.root));
        for problem in store.problems.iter().filter(|problem| problem.is_error()) {
            let message = format!("{root}: {}", line(&problem.to_string()));
            found.add(Error, problem.flaw.code, message, format!("lessons trust {typed}"));
        }
        match trust::preview(home, Path::new(&store.store.root)) {
            Ok(preview) => since_approved(store, &preview, found),
            Err(error) => {
                let why = line(&error.to_string());
                let message = format!("{root} is trusted, and its lessons cannot be read: {why}");
                found.add(Warning, "PROJECT_STORE_GONE", message, format!("lessons untrust {typed}"));
            }
        }
    }
    if let Some(root) = project_names::here() {
        let store = PROJECT_STORE.iter().fold(root.clone(), |path, part| path.join(part));
        if store.exists() && !approved.iter().any(|known| Path::new(&known.store.root) == root) {
            let message =
                format!("{} brings lessons that you have not approved", line(&root.to_string_lossy()));
            found.add(Note, "PROJECT_STORE_NOT_TRUSTED", message, "lessons trust");
        }
        if let Some(store) = trust::foreign_store(&root).filter(|store| !is_taken_over(home, store)) {
            let message = format!("nothing reads the lessons in {}", line(&store.to_string_lossy()));
            found.add(Note, "FOREIGN_STORE", message, trust::import_of(&store));
        }
    }
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
fn since_approved(store: &Approved, preview: &Preview, found: &mut Findings) {
    let (root, folder) = (line(&store.store.root), Path::new(&store.store.root));
    for (has_changed, code, what) in [
        (preview.sha256 != store.store.sha256, "PROJECT_STORE_CHANGED", "the lessons"),
        (preview.settings_differ, "PROJECT_SETTINGS_CHANGED", "the settings"),
    ] {
        if has_changed {
            let since = "have changed since you approved them; the approved ones are in force";
            let remedy = format!("lessons trust {}", quoted(folder));
            found.add(Note, code, format!("{what} of {root} {since}"), remedy);
        }
    }
    let file = folder.join(PROJECT_STORE[0]).join(PROJECT_SETTINGS);
    for flaw in &preview.settings_flaws {
        let message = line(&format!("{}: {flaw}", file.display()));
        found.add(Warning, "BAD_PROJECT_SETTING", message, in_editor(&file));
    }
}

/// Findings about settings that are unknown, invalid or unreadable.
fn settings(context: &Context, found: &mut Findings) {
    let path = context.home.config();
    let remedy = in_editor(&path);
    let file = match ConfigFile::read(&path) {
        Ok(file) => file,
        Err(error) => {
            let message = format!("{}; every setting is at its default", line(&error.to_string()));
            let of_file = if let ConfigError::File(file) = &error { file.remedy() } else { None };
            found.add_error("SETTINGS_UNREADABLE", &message, of_file, &remedy);
            return;
        }
    };
    for bad in context.settings().map(|(_, bad)| bad).unwrap_or_default() {
        found.add(Warning, "BAD_SETTING", line(&bad.to_string()), &remedy);
    }
    for key in file.unknown() {
        let message = format!("{}: there is no setting `{}`, so it does nothing", path.display(), line(&key));
        found.add(Warning, "UNKNOWN_SETTING", message, &remedy);
    }
}

fn database(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    let Some(database) = &examined.database else { return Ok(()) };
    if let Some(unsound) = database.unsound()? {
        let (path, why) = (examined.context.home.database(), shortened(&line(&unsound), SHOWN));
        damaged("DATABASE_DAMAGED", format!("{} is corrupt: {why}", path.display()), found);
    }
    if database.is_unsettled()? {
        let message = "a command was interrupted in the middle of a change";
        found.add(Warning, "CHANGE_UNSETTLED", message, "lessons build").fix = Some(Fix::Settle);
    }
    Ok(())
}

/// A note about files that a command left unfinished when it died.
fn unfinished(context: &Context, found: &mut Findings) -> CheckResult<()> {
    let mut left = 0;
    for folder in Fix::folders(context) {
        left += durable::unfinished(&folder)?.len();
    }
    if left > 0 {
        let message = format!("{} left by an interrupted command", counted(left, "unfinished file"));
        found.add(Note, "UNFINISHED_FILES", message, "lessons doctor --fix").fix = Some(Fix::Sweep);
    }
    Ok(())
}

pub(crate) fn received(examined: &Examined<'_>, found: &mut Findings) -> CheckResult<()> {
    if let Err(error) = identity::read(&examined.context.home) {
        found.add_error("IDENTITY_UNREADABLE", &error, error.remedy(), "lessons peers");
    }
    let Some(database) = &examined.database else { return Ok(()) };
    let unknown = database.unknown_authors()?;
    let events: u64 = unknown.values().sum();
    if events > 0 {
        let (events, keys) = (counted(events, "shared event"), counted(unknown.len(), "key"));
        let message = format!("{events} by {keys} that you do not trust: counted, and nothing else");
        found.add(Note, "UNKNOWN_KEYS", message, "lessons peers");
    }
    Ok(())
}

//! `lessons import`: take over lessons from another tool, and the entries of files of lessons as candidates.

use std::collections::BTreeMap;

use clap::ValueEnum;
use lessons_incident::{Origin, SourceKind};
use lessons_incident_check::check::IncidentChecker;
use lessons_incident_check::record;
use lessons_ledger::{Recorded, decisions::setting_changes};
use lessons_lesson::{LESSONS_FILES, Lesson, LessonId, Mode};
use lessons_manifest_builder::report::Reason;
use lessons_publish::building::Outcome;
use lessons_review::{ChangeOrigin, cleaning, project_names, proof};
use lessons_scanner::lessons_file::{self, LessonsFile};
use lessons_store::config::is_value;
use lessons_store::import::{Import as Imports, Imported, lessons_learned};
use lessons_store::{interchange, load};
use serde::{Deserialize, Serialize};

use super::export::{self, EXPORT, EXPORT_VERSION};
use crate::args::AcceptIncident;
use crate::change::{self, ChangeDraft};
use crate::prelude::*;
use crate::ui::input::{self, Input};

/// Arguments of `lessons import`.
#[derive(Debug, Clone, Args)]
pub struct Import {
    /// The format; without it, the file tells
    #[arg(long, value_enum)]
    pub format: Option<ImportFormat>,
    /// The folder of a project that the file names, such as `srv-app=/srv/app`
    #[arg(long, value_name = "NAME=FOLDER")]
    pub project: Vec<String>,
    /// Let its lessons block without proof from past sessions, for this reason
    #[arg(long, value_name = "REASON")]
    pub force_block: Option<String>,
    /// Import lessons that block or bump as advice, until you have seen what they would block
    #[arg(long, conflicts_with = "force_block")]
    pub as_advice: bool,
    /// The acceptance of an incident
    #[command(flatten)]
    pub incident: AcceptIncident,
    /// The file, or the folder
    pub file: PathBuf,
}

/// A format that can be imported.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ImportFormat {
    /// What `lessons export` writes: lessons and settings of another machine of yours
    Export,
    /// Markdown with an entry for each lesson, such as tasks/lessons.md, or a folder of it: entries become candidates
    Markdown,
    /// A manifest of the plugin lessons-learned
    LessonsLearned,
    /// A lessons graph, such as another person's lessons.json
    LessonsGraph,
    /// The folder of an older lessons graph, with index.yaml, topics/ and journal.md
    LessonsFolder,
    /// One lesson a line in JSON, as `lessons export --format jsonl` writes them
    Jsonl,
}

/// The largest file that is read, in bytes.
const LIMIT: u64 = 64 << 20;

/// The names of the files that hold all lessons of a tool.
const STORES: [&str; 2] = ["lessons.json", "lesson-manifest.json"];

/// The reason for what blocked on another machine.
const MOVED: &str = "it blocked such calls on another machine of mine";

/// What was taken over, and what was not.
struct Taken {
    imported: Vec<Entry>,
    left_out: Vec<(String, String)>,
}

#[derive(Debug, Serialize)]
struct Entry {
    id: String,
    notes: Vec<String>,
}

pub(crate) fn run(app: &App, args: &Import) -> Result<Exit> {
    let args = &Import { file: store_in(&args.file), ..args.clone() };
    let format = args.format.map_or_else(|| format_of(&args.file), Ok)?;
    match format {
        ImportFormat::Export => moved(app, args, &read(&args.file)?),
        ImportFormat::Markdown => entries(app, &args.file),
        ImportFormat::LessonsGraph => graph(app, args, &read(&args.file)?, Vec::new()),
        ImportFormat::LessonsLearned => manifest(app, args, &read(&args.file)?),
        ImportFormat::Jsonl => each(app, args, interchange::read_lines(&read(&args.file)?, &app.now_text())),
        ImportFormat::LessonsFolder => graph(app, args, &folder(app, &args.file)?, Vec::new()),
    }
}

/// The store in a folder that a tool keeps one in, or else the path itself.
fn store_in(path: &Path) -> PathBuf {
    let stores = STORES.iter().map(|name| path.join(name));
    stores.into_iter().find(|store| store.is_file()).unwrap_or_else(|| path.to_owned())
}

/// The format of a file, from its name and its content.
fn format_of(path: &Path) -> Result<ImportFormat> {
    if path.is_dir() {
        let is_older = path.join("index.yaml").is_file();
        return Ok(if is_older { ImportFormat::LessonsFolder } else { ImportFormat::Markdown });
    }
    if is_markdown(path) {
        return Ok(ImportFormat::Markdown);
    }
    let bytes = read(path)?;
    if bytes.starts_with(b"SQLite format 3\0") {
        bail!(Refused(format!(
            "{} is a database. Of lessons-learned import lesson-manifest.json, which its own `lessons build` writes",
            path.display()
        )));
    }
    let Ok(Value::Object(file)) = serde_json::from_slice(&bytes) else { return Ok(ImportFormat::Jsonl) };
    let kind = file.get("type").and_then(Value::as_str);
    let is_of_plugin = kind.is_some_and(|kind| kind.starts_with("lessons-learned"));
    Ok(match file.get("lessons") {
        _ if file.contains_key(EXPORT) => ImportFormat::Export,
        _ if is_of_plugin => ImportFormat::LessonsLearned,
        Some(_) => ImportFormat::LessonsGraph,
        None => ImportFormat::Jsonl,
    })
}

/// Imports every lesson of a manifest that can be taken over.
fn manifest(app: &App, args: &Import, bytes: &[u8]) -> Result<Exit> {
    let folders = folders(&args.project)?;
    let resolve = |name: &str| key_of(app, &folders, name);
    let import = lessons_learned::read(bytes, &app.now_text(), &resolve, &cleaning::cleaned)
        .map_err(|error| Refused(format!("{}: {error}", args.file.display())))?;
    each(app, args, import)
}

/// Imports each lesson that is not there yet, and names the others.
fn each(app: &App, args: &Import, import: Imports) -> Result<Exit> {
    let graph = load::lessons(&app.home)?;
    let mut taken = Taken { imported: Vec::new(), left_out: Vec::new() };
    let mut lessons: Vec<Lesson> = Vec::new();
    for Imported { mut lesson, mut notes } in import.lessons {
        let id = lesson.id.clone();
        let is_there = graph.raw(id.as_str()).is_some();
        let told = match taken_in(&mut lesson, args) {
            _ if is_there => Err("a lesson of this id is there already".to_owned()),
            told => told.map_err(|refused| refused.to_string()),
        };
        match told {
            Ok(told) => {
                notes.extend(told);
                taken.imported.push(Entry { id: format!("user/{id}"), notes });
                lessons.push(lesson);
            }
            Err(why) => taken.left_out.push((id.to_string(), why)),
        }
    }
    taken.left_out.extend(import.left_out.into_iter().map(|out| (out.id, out.why)));
    if !lessons.is_empty() {
        let ((), outcome) = change::save(app, "imported", ChangeOrigin::Import, |draft| {
            // A lesson that was added meanwhile stays as it is.
            for lesson in &lessons {
                if draft.graph.raw(lesson.id.as_str()).is_none() {
                    draft.graph.put(lesson)?;
                    force(draft, &lesson.id, args)?;
                }
            }
            Ok(())
        })?;
        taken.note(app, args, &lessons, &outcome);
    }
    taken.told(app)
}

/// What `lessons export` wrote on another machine.
#[derive(Deserialize)]
struct Export {
    #[serde(rename = "lessonsExport")]
    version: u64,
    lessons: Value,
    settings: BTreeMap<String, String>,
}

/// Takes over everything from another machine of the person's: what blocks there blocks here, and what is off stays off.
fn moved(app: &App, args: &Import, bytes: &[u8]) -> Result<Exit> {
    let name = args.file.display();
    let file: Export = serde_json::from_slice(bytes)
        .map_err(|error| Refused(format!("{name}: {}", input::complaint(&error))))?;
    if file.version != EXPORT_VERSION {
        let version = file.version;
        bail!(Refused(format!("{name} has version {version}, and this program reads {EXPORT_VERSION}")));
    }
    let settings = counted(file.settings.len(), "setting");
    app.agree(&format!("Take over every lesson and {settings} from {name}"))?;
    let (fit, other): (Vec<_>, Vec<_>) =
        file.settings.into_iter().partition(|(key, text)| export::moves(key) && is_value(text));
    let left_out = other.into_iter().map(|(it, _)| (it, "it is no setting that moves".to_owned())).collect();
    {
        let (lock, mut database) = app.lock_database()?;
        setting_changes::save(&lock, &mut database, &app.deed("imported"), |config| {
            for (key, text) in &fit {
                config.put(key, Some(text));
            }
        })?;
        change::bring_settings_into_force(app, &lock, Ok(database))?;
    }
    let force_block = args.force_block.clone().or_else(|| Some(MOVED.to_owned()));
    let moving = Import { force_block: force_block.filter(|_| !args.as_advice), ..args.clone() };
    graph(app, &moving, &serde_json::to_vec(&file.lessons)?, left_out)
}

/// Imports a lessons graph. `left_out` was left out of the same file already.
fn graph(app: &App, args: &Import, bytes: &[u8], left_out: Vec<(String, String)>) -> Result<Exit> {
    let name = args.file.display().to_string();
    let project = mesh_project(app, &args.file)?;
    let (imported, outcome) = change::save(app, "imported", ChangeOrigin::Import, |draft| {
        let mut prepare = |lesson: &mut Lesson| {
            let told = taken_in(lesson, args).map_err(|why| why.to_string())?;
            // A lesson of a project does not become one of every project.
            if lesson.scope.projects.is_empty() {
                lesson.scope.projects.extend(project.clone());
            }
            Ok(told)
        };
        let imported = interchange::import(draft.graph, &name, bytes, &mut prepare)
            .map_err(|error| Coded::failed("NOT_IMPORTED", format!("{name}: {error}")))?;
        for (id, _) in imported.added.iter().chain(&imported.joined) {
            force(draft, id, args)?;
        }
        Ok(imported)
    })?;
    let graph = load::lessons(&app.home)?;
    let lessons: Vec<Lesson> = imported.added.iter().filter_map(|(id, _)| graph.get(id).cloned()).collect();
    let entry = |(id, notes)| Entry { id: format!("user/{id}"), notes };
    let entries = imported.added.into_iter().chain(imported.joined).map(entry);
    let mut taken = Taken { imported: entries.collect(), left_out };
    taken.left_out.extend(imported.left_out);
    taken.note(app, args, &lessons, &outcome);
    taken.told(app)
}

/// The key of the project whose own store a file of `AgentsMesh` is.
fn mesh_project(app: &App, file: &Path) -> Result<Option<String>> {
    let file = file.canonicalize().with_context(|| file.display().to_string())?;
    let root = file.ancestors().find(|folder| folder.ends_with(".agentsmesh")).and_then(Path::parent);
    Ok(root.map(|root| project_names::remember(app, root)).transpose()?)
}

/// Cleans a foreign lesson. A reason for blocking that it brings along does not count here. Returns warnings.
fn taken_in(lesson: &mut Lesson, args: &Import) -> Result<Vec<String>, Refused> {
    proof::keep_reasons(lesson, &[]);
    // Who signed a lesson is known of received ones alone.
    lesson.author = None;
    let mut notes = Vec::new();
    if args.as_advice && lesson.mode.refuses() {
        lesson.mode = Mode::Advise;
        notes.push("it blocks calls there; here it advises until you have seen what it would block".into());
    }
    notes.extend(cleaning::clean(lesson)?);
    Ok(notes)
}

/// Records why an imported lesson may block, and why it is accepted although it is like an incident, if the person gives a
/// reason.
fn force(draft: &mut ChangeDraft<'_>, id: &LessonId, args: &Import) -> lessons_context::Result<()> {
    if draft.graph.get(id).is_some_and(|lesson| lesson.mode.refuses()) {
        draft.force(id, args.force_block.as_ref())?;
    }
    draft.accept_incident(id, args.incident.reason.as_ref());
    Ok(())
}

/// Reads the older folder layout of a lessons graph as a current one.
fn folder(app: &App, path: &Path) -> Result<Vec<u8>> {
    let root = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    let index = read(&root.join("index.yaml"))?;
    let topics = root.join("topics");
    let mut files = BTreeMap::new();
    let entries = std::fs::read_dir(&topics).with_context(|| topics.display().to_string())?;
    for entry in entries {
        let entry = entry.with_context(|| topics.display().to_string())?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.strip_suffix(".md").is_none() {
            continue;
        }
        // A link could lead to any file of this machine, whose text would become lessons.
        if !entry.file_type()?.is_file() {
            bail!(Refused(format!("{} is no plain file; put the file itself there", entry.path().display())));
        }
        files.insert(name, read(&entry.path())?);
    }
    let graph = interchange::read_older(&index, &files, &app.now_text())
        .map_err(|faults| Coded::failed("NOT_IMPORTED", format!("{}: {faults}", root.display())))?;
    Ok(graph.to_bytes())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    Ok(Input::read(path, LIMIT)?.bytes)
}

/// Parses `NAME=FOLDER`.
fn folders(given: &[String]) -> Result<Vec<(String, PathBuf)>> {
    let folder = |text: &String| match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => {
            Ok((name.to_owned(), std::path::absolute(folder)?))
        }
        _ => bail!(Refused(format!("`{text}` is not NAME=FOLDER"))),
    };
    given.iter().map(folder).collect()
}

/// The key of the project that the file calls `name`: the path of a folder with `-` for `/`.
///
/// Such a name is ambiguous (`a-b` for `/a/b` and `/a-b`). A given folder wins, then a known project, then the plain
/// reading with every dash as a slash.
fn key_of(app: &App, folders: &[(String, PathBuf)], name: &str) -> Option<String> {
    if let Some((_, folder)) = folders.iter().find(|(known, _)| known == name) {
        return project_names::remember(app, folder).ok();
    }
    let roots = app.database().ok()?.project_roots().ok()?;
    let slug = |root: &str| root.trim_start_matches('/').replace('/', "-");
    let mut known = roots.iter().filter(|(root, _)| slug(root) == name);
    match (known.next(), known.next()) {
        (Some((_, key)), None) => Some(key.clone()),
        (Some(_), Some(_)) => None,
        (None, _) => project_names::remember(app, Path::new(&format!("/{}", name.replace('-', "/")))).ok(),
    }
}

impl Taken {
    /// Adds which lessons are like an incident and which are not in force, and records those that cannot be trusted.
    fn note(&mut self, app: &App, args: &Import, lessons: &[Lesson], outcome: &Outcome) {
        let checker = IncidentChecker::of(app);
        for lesson in lessons {
            let id = format!("user/{}", lesson.id);
            let warnings = checker.iter().flat_map(|checker| checker.warnings(lesson));
            if let Some(entry) = self.imported.iter_mut().find(|entry| entry.id == id) {
                entry.notes.extend(warnings.map(|warning| warning.message));
            }
        }
        let file = args.file.file_name().unwrap_or_default().to_string_lossy();
        let source = (SourceKind::Import, &*line(&file));
        record::record(app, &record::untrusted(app, Origin::UnsignedImport, source, lessons.iter()));
        for noted in &outcome.report.left_out {
            let (id, is_meant) =
                (noted.id.to_string(), matches!(noted.reason, Reason::Inactive | Reason::Off { .. }));
            if !is_meant && self.imported.iter().any(|entry| entry.id == id) {
                self.left_out.push((id, format!("saved, but not in force: {}", noted.reason)));
            }
        }
    }

    fn told(self, app: &App) -> Result<Exit> {
        let Self { imported, left_out } = self;
        let mut lines = vec![format!("{} imported", counted(imported.len(), "lesson"))];
        let noted = imported.iter().filter(|entry| !entry.notes.is_empty());
        lines.extend(noted.map(|entry| format!("  {}: {}", entry.id, line(&entry.notes.join("; ")))));
        lines.extend(left_out.iter().map(|(id, why)| format!("  left out {}: {}", line(id), line(why))));
        lines.push("Next: lessons list".to_owned());
        app.answer(&Answer::new(lines, json!({ "imported": imported, "leftOut": left_out })))?;
        Ok(if left_out.is_empty() { Exit::Done } else { Exit::Findings })
    }
}

/// The most files of a folder that are read.
const MOST_FILES: usize = 200;

/// Whether a file is Markdown by its name.
fn is_markdown(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    matches!(end.as_deref(), Some("md" | "mdc" | "markdown"))
}

/// The files of lessons at their usual places below `root`, each with the number of its entries.
pub(crate) fn found_in(root: &Path, now: u64) -> Vec<(&'static str, usize)> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let read = |name: &&'static str| {
        let path = root.join(name).canonicalize().ok().filter(|path| path.starts_with(&root))?;
        let count = lessons_file::read_file(&path, None, now).ok()?.entries.len();
        (count > 0).then_some((*name, count))
    };
    LESSONS_FILES.iter().filter_map(read).collect()
}

fn entries(app: &App, given: &Path) -> Result<Exit> {
    let given = given.canonicalize().with_context(|| given.display().to_string())?;
    let mut not_taken: Vec<(String, String)> = Vec::new();
    let mut entries = Vec::new();
    for path in files(&given)? {
        let project = project_of(&path);
        if let Some(project) = &project {
            project_names::remember(app, project)?;
        }
        let root = project.as_ref().map(|root| root.to_string_lossy());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match lessons_file::read_file(&path, root.as_deref(), app.now_ms()) {
            Ok(LessonsFile { entries: found, left_out }) => {
                entries.extend(found);
                not_taken.extend(left_out.into_iter().map(|(line, why)| (format!("{name}:{line}"), why)));
            }
            Err(why) => not_taken.push((name, why.to_string())),
        }
    }
    if entries.is_empty() && not_taken.is_empty() {
        bail!(Refused(format!("{} has no entry that could be a lesson", given.display())));
    }
    app.agree(&format!("Take {} from {}", counted(entries.len(), "candidate"), given.display()))?;
    let mut database = app.database()?;
    let Recorded { new, forgotten, .. } = database.record_entries(&entries, &app.deed("imported"))?;
    let known = entries.len() - new - forgotten;
    drop(database);
    record::judge(app);
    lookup::publish(app);
    let and_known = (known > 0).then(|| format!(", {known} known already"));
    let and_forgotten = (forgotten > 0).then(|| format!(", {forgotten} with a text that you had forgotten"));
    let taken = [Some(counted(new, "new candidate")), and_known, and_forgotten];
    let mut lines = vec![taken.into_iter().flatten().collect::<String>()];
    let left_out = not_taken.iter();
    lines.extend(left_out.map(|(place, why)| format!("  left out {}: {}", line(place), line(why))));
    lines.push("Next: lessons review".to_owned());
    let fields = json!({ "new": new, "known": known, "forgotten": forgotten, "leftOut": not_taken });
    app.answer(&Answer::new(lines, fields))?;
    Ok(if not_taken.is_empty() { Exit::Done } else { Exit::Findings })
}

/// The file, or the files of Markdown in a folder, without following links.
fn files(given: &Path) -> Result<Vec<PathBuf>> {
    if !given.is_dir() {
        return Ok(vec![given.to_owned()]);
    }
    let walk =
        walkdir::WalkDir::new(given).max_depth(3).sort_by_file_name().into_iter().filter_map(Result::ok);
    let plain = walk.filter(|entry| entry.file_type().is_file() && is_markdown(entry.path()));
    let files: Vec<PathBuf> = plain.map(walkdir::DirEntry::into_path).take(MOST_FILES + 1).collect();
    if files.len() > MOST_FILES {
        bail!(Refused(format!("{} has more than {MOST_FILES} files of Markdown; name one", given.display())));
    }
    Ok(files)
}

/// The project of a file: the one around the working folder, or the repository around the file.
fn project_of(file: &Path) -> Option<PathBuf> {
    let here = project_names::here().and_then(|root| root.canonicalize().ok());
    if let Some(here) = here.filter(|here| file.starts_with(here)) {
        return Some(project_names::main_root(&here));
    }
    let root = project_names::main_root(file.parent()?);
    (root.join(".git").exists() || root.join(".lessons").exists()).then_some(root)
}

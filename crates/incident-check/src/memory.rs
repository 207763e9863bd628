//! Files with instructions for the agent that hold a text which is like an incident, or gives orders as such texts do. What a
//! look at those that changed finds is published for the hook at the start of a session, which cannot look at all of them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lessons_context::{Context, Result};
use lessons_home::{SystemClock, files};
use lessons_incident::Severity;
use lessons_ledger::Database;
use lessons_lesson::compiled::Clock as _;
use lessons_lesson::waiting::{MemoryFile, MemoryLook};
use lessons_store::durable;
use walkdir::WalkDir;

use crate::check::IncidentChecker;

/// The files of a project, relative to its root.
const FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md"];
/// The folder of a project with rules.
const RULES: &str = ".claude/rules";
/// The largest file that is looked at, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// The most files of one folder that are looked at.
const MOST_FILES: usize = 500;

/// A file that holds such a text.
#[derive(Debug)]
pub struct InMemory {
    /// The file.
    pub file: MemoryFile,
    /// How bad the text is.
    severity: Severity,
    /// What the text is, in words that follow the file's name.
    what: String,
}

impl InMemory {
    /// Whether it is critical.
    pub fn is_critical(&self) -> bool {
        self.severity == Severity::Critical
    }

    /// The finding in a sentence.
    pub fn words(&self) -> String {
        format!("{} holds a text {}", self.file.path.display(), self.what)
    }
}

/// The files of the projects at these roots, and of the client's own memory.
pub fn files(roots: &[PathBuf]) -> impl Iterator<Item = MemoryFile> {
    let of_projects = roots.iter().flat_map(|root| {
        let paths = FILES.iter().map(|file| root.join(file)).chain(below(&root.join(RULES)));
        paths.map(|path| MemoryFile { path, project: Some(root.clone()) })
    });
    let of_client = client_folder().into_iter().flat_map(|folder| {
        let projects = std::fs::read_dir(folder.join("projects")).into_iter().flatten().flatten();
        let memories = projects.map(|project| project.path().join("memory"));
        let own = ["CLAUDE.md", "AGENTS.md"].map(|file| folder.join(file));
        own.into_iter().chain(memories.flat_map(|memory| below(&memory))).collect::<Vec<_>>()
    });
    of_projects.chain(of_client.map(|path| MemoryFile { path, project: None }))
}

/// Those of `files` that hold such a text.
pub fn find(checker: &IncidentChecker<'_>, files: impl IntoIterator<Item = MemoryFile>) -> Vec<InMemory> {
    let held = |file: MemoryFile| {
        let bytes = files::read_foreign(&file.path, MOST_BYTES).ok()??;
        let (severity, what) = checker.worst(&String::from_utf8_lossy(&bytes))?;
        Some(InMemory { file, severity, what })
    };
    files.into_iter().filter_map(held).collect()
}

/// The text files below a folder. Links are not followed.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).max_depth(4).sort_by_file_name().into_iter().flatten();
    let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let files = entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
    files.filter(is_text).take(MOST_FILES).collect()
}

/// The folder of the client.
fn client_folder() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    given("CLAUDE_CONFIG_DIR").or_else(|| Some(given("HOME")?.join(".claude")))
}

/// The largest published look that is read, in bytes.
const LIMIT: u64 = 256 << 10;
/// A file that changed so shortly before the last look began may have changed after it was read, in milliseconds: some
/// file systems keep whole seconds.
const SLACK: u64 = 2_000;

/// Looks at the files that changed since the last look, and again at those that it found. Where incidents became known since,
/// looks at all. An error is ignored: the nightly run looks at all, and `doctor`.
pub fn look_at_changed(context: &Context) {
    let _ = look(context, |last, file| {
        let since = last.at.saturating_sub(SLACK);
        last.held.contains(file) || changed_at(&file.path).is_some_and(|at| at >= since)
    });
}

/// Looks at all files, and returns what it found.
pub fn look_at_all(context: &Context) -> Result<Vec<InMemory>> {
    look(context, |_, _| true)
}

fn look(context: &Context, is_due: impl Fn(&MemoryLook, &MemoryFile) -> bool) -> Result<Vec<InMemory>> {
    let at = SystemClock.now();
    let last = last(context);
    let Some(checker) = IncidentChecker::of(context) else {
        publish(context, &last, &MemoryLook::default())?;
        return Ok(Vec::new());
    };
    let knows_all = changed_at(&context.home.incident_index()).is_some_and(|index| index < last.at);
    let roots: Vec<PathBuf> =
        Database::open(&context.home)?.project_roots()?.into_iter().map(|(root, _)| root.into()).collect();
    let files = files(&roots).filter(|file| !knows_all || is_due(&last, file));
    let found = find(&checker, files);
    let held = found.iter().map(|found| found.file.clone()).collect();
    publish(context, &last, &MemoryLook { at, held })?;
    Ok(found)
}

/// The last look; one at nothing where it is missing or damaged.
pub fn last(context: &Context) -> MemoryLook {
    let bytes = files::read(&context.home.memory_look(), LIMIT).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn publish(context: &Context, last: &MemoryLook, look: &MemoryLook) -> Result<()> {
    if last != look {
        drop(files::ensure_folder(&context.home.log())?);
        durable::replace(&context.home.memory_look(), &serde_json::to_vec(look)?)?;
    }
    Ok(())
}

/// The time of the last change of a file, its name and permissions included, in milliseconds since 1970.
fn changed_at(path: &Path) -> Option<u64> {
    let found = path.symlink_metadata().ok()?;
    let (seconds, nanos) = (found.mtime(), found.mtime_nsec()).max((found.ctime(), found.ctime_nsec()));
    u64::try_from(seconds * 1_000 + nanos / 1_000_000).ok()
}

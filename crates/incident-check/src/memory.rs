//! Files with instructions for the agent that hold a text which is like an incident, or gives orders as such texts do.

use std::path::{Path, PathBuf};

use lessons_home::files;
use lessons_incident::kind::Severity;
use lessons_lesson::waiting::MemoryFile;
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
    files.into_iter().filter_map(|file| held(checker, file)).collect()
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

fn held(checker: &IncidentChecker<'_>, file: MemoryFile) -> Option<InMemory> {
    let bytes = files::read_foreign(&file.path, MOST_BYTES).ok()??;
    let (severity, what) = checker.worst(&String::from_utf8_lossy(&bytes))?;
    Some(InMemory { file, severity, what })
}

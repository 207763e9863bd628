//! The noting of transcripts that are new or have changed since they were noted last.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lessons_ledger::recording::digest::{DigestedFile, NotedRow};
use lessons_ledger::{Database, DatabaseError};

use super::session::{self, SessionNotes};
use crate::run::cores;
use crate::run::projects::Projects;
use crate::transcript::file_version::FileVersion;
use crate::transcript::foreign;
use crate::transcript::timestamp::Timestamp;
use crate::transcript::walk;

/// The transcripts that are recorded at once.
const AT_ONCE: usize = 32;
/// The folders of work trees inside a project, for one that is gone.
const WORK_TREES: [&str; 2] = ["/.claude/worktrees/", "/.worktrees/"];

/// Notes what happened in the transcripts under `roots` that are new or have changed, except those of sessions in which a
/// model only read.
pub fn refresh(database: &mut Database, roots: &[PathBuf], now: Timestamp) -> Result<(), DatabaseError> {
    let known: HashMap<String, [u64; 4]> =
        database.digested_files()?.into_iter().map(|file| (file.path, file.version)).collect();
    let reading = database.reading_sessions()?;
    let walked = walk::walk(roots);
    let mut changed: Vec<(&Path, String, DigestedFile)> = Vec::new();
    let mains = walked.sessions.iter().filter_map(|session| Some((session.main()?, session.id())));
    for (path, session) in mains {
        let Ok(version) = foreign::version(path) else { continue };
        let FileVersion { device, inode, size, changed: at } = version;
        let file =
            DigestedFile { path: path.to_string_lossy().into_owned(), version: [device, inode, size, at] };
        if known.get(&file.path) != Some(&file.version) && !reading.contains(&session) {
            changed.push((path, session, file));
        }
    }
    let mut projects = Projects::default();
    for some in changed.chunks(AT_ONCE) {
        // A file that is gone meanwhile is not there the next time either.
        let read = cores::each(some, |(path, session, _)| session::read(path, session).ok());
        let mut noted = Vec::with_capacity(read.len());
        for (at, notes) in read {
            let (path, _, file) = &some[at];
            let project = project_of(&mut projects, path, &notes);
            let row = |(event, time, noted)| {
                // Nothing in it can fail to be written.
                let note = serde_json::to_string(&noted).ok()?;
                Some(NotedRow { event, project: project.clone(), time, note })
            };
            noted.push((file.clone(), notes.events.into_iter().filter_map(row).collect()));
        }
        projects.remember(database, now)?;
        database.note_files(&noted)?;
    }
    projects.remember_work_trees(database, now)
}

/// The root of the project in which a session began, or the client's name for its folder.
fn project_of(projects: &mut Projects, path: &Path, notes: &SessionNotes) -> String {
    let Some(place) = &notes.folder else {
        let folder = path.parent().and_then(Path::file_name);
        return folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    };
    projects.begun_in(place);
    let root = projects.root_of(&place.folder);
    let ends = WORK_TREES.iter().filter_map(|name| root.find(name));
    match ends.min() {
        Some(end) if !Path::new(&root).is_dir() => root[..end].to_owned(),
        _ => root,
    }
}

//! Project stores that the user has trusted.
//!
//! A project's `.lessons/lessons.json` is untrusted until a person approves it. What is approved is
//! bytes, not a path: they are read once, shown, hashed and kept under their hash, and only that
//! copy is ever used, also after the project's file has changed. A lesson whose text instructs the
//! agent rather than teaches it is left out unless it was accepted by its id; a mode that refuses
//! becomes advice unless refusals were allowed; a scope is that project, whatever the lesson says.
//!
//! In reading order: [`Preview`] is what a person looks at before they decide, [`TrustList`] what they
//! decided, [`approved`] what a build takes. The crate above changes the list.

mod error;
mod list;
mod preview;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lessons_home::files;
use lessons_home::home::Home;
use lessons_lesson::flags::{self, Flag};
use lessons_lesson::lesson::{Lesson, Mode, Status};
use lessons_text::path;

pub use self::error::TrustError;
pub use self::list::{Refusals, TrustedSettings, TrustedStore};
pub use self::list::{TrustList, is_sha256, sha256};
pub(crate) use self::preview::read_store;
pub use self::preview::{Flagged, LessonDifference, Preview, foreign_store, import_of, preview};
use crate::config::Tuning;
use crate::decisions_file::DecisionsError;
use crate::graph::{Graph, Origin};
use crate::problem::{Flaw, Node, Problem};

/// Where a project keeps its store, below its root.
pub const PROJECT_STORE: [&str; 2] = [".lessons", "lessons.json"];

/// Where a project keeps its settings, beside its store.
pub const PROJECT_SETTINGS: &str = "config.toml";

/// The code of the problem that an approved copy cannot be used any more.
pub const COPY_UNUSABLE: &str = "TRUSTED_COPY_UNUSABLE";

/// The largest project store that is read, in bytes. Somebody else wrote it; it is read whole.
pub const MAX_BYTES: u64 = 16 << 20;

/// A trusted store as a build takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Approved {
    /// The approval.
    pub store: TrustedStore,
    /// Its lessons, with what the approval leaves of them.
    pub lessons: Vec<Lesson>,
    /// The problems of the store, and the lessons left out for being flagged.
    pub problems: Vec<Problem>,
}

/// Reads the trusted stores.
pub fn trusted(home: &Home) -> Result<Vec<TrustedStore>, DecisionsError> {
    Ok(TrustList::read(home)?.stores().cloned().collect())
}

/// Returns the settings of the innermost trusted project around `root`.
pub fn tuning_at(home: &Home, root: &str) -> Result<Tuning, DecisionsError> {
    let list = TrustList::read(home)?;
    let around = list.stores().filter(|store| path::below(root, &store.root).is_some());
    let innermost = around.max_by_key(|store| store.root.len());
    let settings = innermost.and_then(|store| store.settings.as_ref());
    Ok(settings.map(|settings| settings.values.clone()).unwrap_or_default())
}

/// Reads the lessons of the trusted stores from the kept copies and nothing else. A copy that is gone or no longer
/// has its hash gives no lessons and a problem.
pub fn approved(home: &Home) -> Result<Vec<Approved>, DecisionsError> {
    Ok(TrustList::read(home)?.stores().map(|store| resolve(home, store)).collect())
}

fn resolve(home: &Home, store: &TrustedStore) -> Approved {
    let path = copy_of(home, &store.sha256);
    let whole = |what: String| Problem {
        file: path.clone(),
        node: None,
        flaw: Flaw::error(COPY_UNUSABLE, what, format!("run `lessons trust` in {} again", store.root)),
    };
    let nothing =
        |what: String| Approved { store: store.clone(), lessons: Vec::new(), problems: vec![whole(what)] };
    let graph = match kept_copy(&path, store) {
        Ok(graph) => graph,
        Err(what) => return nothing(what),
    };
    let mut problems = graph.problems().to_vec();
    let mut lessons = Vec::new();
    for lesson in graph.lessons() {
        let raised = flags_of(lesson);
        if !raised.is_empty() && !store.accepted.contains(&lesson.id) {
            let names: Vec<&str> = raised.iter().map(|flag| flag.name).collect();
            problems.push(Problem {
                file: path.clone(),
                node: Some(Node::Lesson(lesson.id.to_string())),
                flaw: Flaw::warning(
                    "FLAGGED_LESSON",
                    format!("it is left out: {}", names.join(", ")),
                    format!("if you want it, run `lessons trust --accept {}` in {}", lesson.id, store.root),
                ),
            });
            continue;
        }
        lessons.push(confined(lesson, store.refusals));
    }
    Approved { store: store.clone(), lessons, problems }
}

/// Returns the path of the approved bytes with this hash.
pub fn copy_of(home: &Home, sha256: &str) -> PathBuf {
    home.trusted_copies().join(format!("{sha256}.json"))
}

/// Returns whether the approved bytes of a store are still kept.
pub fn has_copy(home: &Home, store: &TrustedStore) -> bool {
    kept_copy(&copy_of(home, &store.sha256), store).is_ok()
}

/// Returns the approved lessons of a store. `None` where their copy is gone or is not what was approved.
pub fn approved_lessons(home: &Home, store: &TrustedStore) -> Option<Graph> {
    kept_copy(&copy_of(home, &store.sha256), store).ok()
}

fn kept_copy(path: &Path, store: &TrustedStore) -> Result<Graph, String> {
    let bytes = files::read(path, MAX_BYTES).map_err(|error| error.to_string())?.ok_or("the copy is gone")?;
    if sha256(&bytes) != store.sha256 {
        return Err("the copy is not what was approved".into());
    }
    Graph::parse(path, &bytes, Origin::Project).map_err(|error| error.to_string())
}

/// Returns a project's lesson as it may be used: in its project only, and refusing only if that was allowed.
fn confined(lesson: &Lesson, refusals: Refusals) -> Lesson {
    let mut lesson = lesson.clone();
    lesson.scope.projects.clear();
    if lesson.mode.refuses() && refusals == Refusals::BecomeAdvice {
        // It keeps looking at the subject that it was written for.
        lesson.subject = Some(lesson.effective_subject());
        lesson.mode = Mode::Advise;
    }
    lesson
}

/// Returns the flags that any text of an active lesson raises, each once.
fn flags_of(lesson: &Lesson) -> BTreeSet<Flag> {
    if lesson.status != Status::Active {
        return BTreeSet::new();
    }
    let words = lesson.phase.iter().chain(&lesson.tags).chain(&lesson.evidence).chain(&lesson.tools);
    let words = words.chain(&lesson.scope.agents).map(String::as_str);
    lesson.texts().map(|(_, text)| text).chain(words).flat_map(flags::flags).collect()
}

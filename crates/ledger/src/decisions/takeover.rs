//! The home of the version before this one, taken over once: its five files of decisions become `decisions.json`, with a row
//! of change 0 for each entry.
//!
//! The database says whether that is due: it gets [`DUE`] when its schema is taken over. The new file is written first, then
//! its rows, then the old files go; what dies on the way begins again, or only removes them.
//!
//! Before, a lesson with a path and without `tools` was about whoever named the file. Now it is about what writes it
//! ([`Terms::tools`](lessons_lesson::compiled::Terms)). A bump or block that a person accepted must not stop refusing
//! without a word, so what it refused until now is written into its `tools` when its home is taken over.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lessons_home::{Home, files};
use lessons_lesson::{FILE_TOOLS, Lesson, When};
use lessons_pattern::TriggerKind;
use lessons_store::accepted::SettingTexts;
use lessons_store::decisions::{MAX_BYTES, corrupt};
use lessons_store::graph::Object;
use lessons_store::{Decisions, Graph, IncidentEntry, Origin, TrustedStore, durable, load};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::database::Database;
use crate::error::Result;
use crate::journal::Difference;
use crate::journal::rows::DecisionsBytes;

/// What stands in the place of a digest in a database that was taken over, until its home is.
pub(crate) const DUE: &str = "take over";
/// The files of the version before. The first of them goes last.
const FILES: [&str; 5] = ["accepted.json", "incidents.json", "peers.json", "received.json", "trust.json"];

#[derive(Deserialize)]
struct AcceptedFile {
    graph: Box<RawValue>,
    settings: SettingTexts,
}

#[derive(Deserialize)]
struct PeersPart<T> {
    peers: T,
}

#[derive(Deserialize)]
struct TrustFile {
    stores: Object,
}

/// The parts of the file of incidents, each by the ids of incidents, as the fields of an entry are called.
const INCIDENT_PARTS: [&str; 4] = ["confirmed", "reported", "retired", "withheld"];

/// Whether a database waits for its home to be taken over.
pub(crate) fn is_due(expected: &[String]) -> bool {
    expected.iter().any(|digest| digest == DUE)
}

/// Takes the home over.
pub(crate) fn take_over(home: &Home, database: &mut Database) -> Result<()> {
    let mut decisions = read(home)?;
    let before = decisions.accepted.graph.clone();
    // The store first: what dies here finds the files of the version before again, and does the same.
    if let Ok(mut store) = load::lessons(home)
        && !store.is_lossy()
        && name_tools(&mut store, &before)
    {
        durable::replace(&home.lessons(), &store.to_bytes())?;
    }
    name_tools(&mut decisions.accepted.graph, &before);
    let rows = Difference::of_decisions(&Decisions::none(home), &decisions);
    let file = DecisionsBytes::of(&decisions);
    file.write(home)?;
    database.begin_journal(&rows, &file.digest)?;
    clean_up(home)
}

/// Removes what is left of the version before.
pub(crate) fn clean_up(home: &Home) -> Result<()> {
    let [last, ..] = FILES;
    if path(home, last).symlink_metadata().is_ok() {
        for file in FILES.iter().rev() {
            durable::remove(&path(home, file))?;
        }
    }
    Ok(())
}

fn path(home: &Home, file: &str) -> PathBuf {
    home.root().join(file)
}

fn read(home: &Home) -> Result<Decisions> {
    let mut decisions = Decisions::none(home);
    decisions.change = 0;
    if let Some((path, AcceptedFile { graph, settings })) = parsed(home, "accepted.json")? {
        let graph = Graph::parse(home.decisions(), graph.get().as_bytes(), Origin::Own);
        decisions.accepted.graph = graph.map_err(|error| corrupt(&path, &error))?;
        decisions.accepted.settings = settings;
    }
    if let Some((_, PeersPart { peers })) = parsed(home, "peers.json")? {
        decisions.peers = peers;
    }
    if let Some((_, PeersPart { peers })) = parsed(home, "received.json")? {
        decisions.received = peers;
    }
    if let Some((path, TrustFile { stores })) = parsed(home, "trust.json")? {
        for (root, row) in stores {
            let store = TrustedStore::of_journal(&root, &row.to_string());
            let store = store.ok_or_else(|| corrupt(&path, &root))?;
            decisions.trusted.0.insert(root, store);
        }
    }
    if let Some((path, mut parts)) = parsed::<Object>(home, "incidents.json")? {
        let mut entries: BTreeMap<String, Object> = BTreeMap::new();
        for part in INCIDENT_PARTS {
            let Some(Value::Object(incidents)) = parts.remove(part) else {
                return Err(corrupt(&path, &format!("missing field `{part}`")).into());
            };
            for (id, value) in incidents {
                entries.entry(id).or_default().insert(part.to_owned(), value);
            }
        }
        for (id, entry) in entries {
            let read: serde_json::Result<IncidentEntry> = serde_json::from_value(entry.into());
            let entry = read.map_err(|error| corrupt(&path, &error))?;
            decisions.incidents.put(id.parse().map_err(|_| corrupt(&path, &id))?, entry);
        }
    }
    Ok(decisions)
}

fn parsed<T: DeserializeOwned>(home: &Home, file: &str) -> Result<Option<(PathBuf, T)>> {
    let path = path(home, file);
    let Some(bytes) = files::read(&path, MAX_BYTES)? else { return Ok(None) };
    let parsed = serde_json::from_slice(&bytes).map_err(|error| corrupt(&path, &error))?;
    Ok(Some((path, parsed)))
}

/// Names the tools of the lessons of `graph` that refuse to have a file read and are accepted as they are. Returns whether
/// there are any.
pub(crate) fn name_tools(graph: &mut Graph, accepted: &Graph) -> bool {
    let mut taken: Vec<Lesson> =
        graph.lessons().filter(|lesson| accepted.get(&lesson.id) == Some(lesson)).cloned().collect();
    taken.retain(refuses_reading);
    for lesson in &mut taken {
        let named = lesson.triggers.iter().filter(|trigger| trigger.kind == TriggerKind::Tool);
        let named = named.map(|trigger| trigger.pattern.as_str()).filter(|name| !FILE_TOOLS.contains(name));
        lesson.tools = FILE_TOOLS.into_iter().chain(named).map(str::to_owned).collect();
    }
    // A lesson that was read has a topic and triggers with ids, so it can be put.
    taken.iter().filter(|lesson| graph.put(lesson).is_ok()).count() > 0
}

/// Whether a lesson of the version before refuses to have a file read.
fn refuses_reading(lesson: &Lesson) -> bool {
    let is_about_files = lesson.triggers.iter().any(|trigger| trigger.kind.is_about_files());
    is_about_files && lesson.mode.refuses() && lesson.when == When::Tool && lesson.tools.is_empty()
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_lesson::lesson::Mode;
    use lessons_pattern::trigger::Trigger;

    use super::*;

    fn lesson(id: &str, kind: TriggerKind, mode: Mode) -> Lesson {
        let topic = TopicId::new("t").unwrap();
        let mut lesson = Lesson::new(LessonId::new(id).unwrap(), "Do not.", topic, "2026-01-01");
        lesson.triggers = vec![Trigger::new(kind, "x")];
        lesson.mode = mode;
        lesson
    }

    fn graph(lessons: &[Lesson]) -> Graph {
        let mut graph = Graph::empty("lessons.json");
        for lesson in lessons {
            graph.put(lesson).unwrap();
        }
        graph
    }

    fn tools(graph: &Graph, id: &str) -> Vec<String> {
        graph.get(&LessonId::new(id).unwrap()).unwrap().tools.clone()
    }

    #[test]
    fn what_refused_to_have_a_file_read_goes_on_refusing_it() {
        let mut own = lesson("own", TriggerKind::FileGlob, Mode::Bump);
        own.tools = vec!["Edit".into()];
        let mut fetch = lesson("fetch", TriggerKind::PathPattern, Mode::Block);
        fetch.triggers.push(Trigger::new(TriggerKind::Tool, "WebFetch"));
        let before = graph(&[
            lesson("glob", TriggerKind::FileGlob, Mode::Bump),
            fetch,
            own,
            lesson("advice", TriggerKind::FileGlob, Mode::Advise),
            lesson("command", TriggerKind::CommandPattern, Mode::Bump),
        ]);
        let mut taken = before.clone();
        assert!(name_tools(&mut taken, &before));
        assert_eq!(tools(&taken, "glob"), FILE_TOOLS);
        assert_eq!(tools(&taken, "fetch"), [&FILE_TOOLS[..], &["WebFetch"]].concat());
        assert_eq!(tools(&taken, "own"), ["Edit"]);
        assert!(tools(&taken, "advice").is_empty() && tools(&taken, "command").is_empty());
        assert!(!name_tools(&mut taken.clone(), &taken), "twice is once");
    }

    #[test]
    fn what_nobody_accepted_stays_as_it_is() {
        let glob = lesson("glob", TriggerKind::FileGlob, Mode::Bump);
        let accepted = graph(std::slice::from_ref(&glob));
        let mut store = graph(&[glob, lesson("new", TriggerKind::FileGlob, Mode::Block)]);
        assert!(name_tools(&mut store, &accepted));
        assert_eq!(tools(&store, "glob"), FILE_TOOLS);
        assert!(tools(&store, "new").is_empty());
    }
}

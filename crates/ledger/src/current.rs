//! The current state of everything that the journal records, in the form in which it records it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use lessons_home::home::Home;
use lessons_store::config::ConfigFile;
use lessons_store::decisions::Decisions;
use lessons_store::graph::{Graph, Snapshot};
use lessons_store::load::{ProjectRoot, StoreLocation};
use lessons_store::{load, shared_folder};
use serde::Serialize;
use serde_json::Value;

use crate::database::Database;
use crate::error::LedgerError;
use crate::journal::{Node, Thing, ThingKind};
use crate::{entries, row_changes};

/// The text for the store of a project that has one.
pub(crate) const THERE: &str = "true";

/// The files and the database as they are now. What is large is read once, and only when something in it is asked for.
pub(crate) struct CurrentState<'a> {
    home: &'a Home,
    database: &'a Database,
    graph: OnceCell<Graph>,
    decisions: OnceCell<Decisions>,
    /// The stores of projects by root; `None` where a project has none.
    projects: RefCell<BTreeMap<String, Option<Rc<Graph>>>>,
}

impl<'a> CurrentState<'a> {
    pub(crate) fn of(home: &'a Home, database: &'a Database) -> Self {
        let (graph, decisions) = (OnceCell::new(), OnceCell::new());
        Self { home, database, graph, decisions, projects: RefCell::default() }
    }

    /// Returns the database.
    pub(crate) fn database(&self) -> &Database {
        self.database
    }

    /// Returns a thing as it is now; `None` if it does not exist.
    pub(crate) fn text_of(&self, thing: &Thing) -> Result<Option<String>, LedgerError> {
        let name = thing.name.as_str();
        if thing.kind.is_decision() {
            return Ok(entries::value(self.decisions()?, thing.kind, name));
        }
        Ok(match thing.kind {
            ThingKind::Lesson | ThingKind::Topic | ThingKind::Trigger => in_graph(self.graph()?, thing),
            ThingKind::Candidate | ThingKind::Label => row_changes::text_of(&self.database.connection, thing)
                .map_err(|error| self.database.explain(error))?,
            ThingKind::Setting => ConfigFile::read(&self.home.config())?.entries().remove(name),
            ThingKind::ProjectStore => self.project(name)?.map(|_| THERE.to_owned()),
            ThingKind::ProjectLesson | ThingKind::ProjectTopic | ThingKind::ProjectTrigger => {
                let graph = self.project(thing.project().unwrap_or_default())?;
                graph.and_then(|graph| in_graph(&graph, thing))
            }
            ThingKind::Shared => shared_folder::text_of(Path::new(name))?,
            _ => None,
        })
    }

    fn project(&self, root: &str) -> Result<Option<Rc<Graph>>, LedgerError> {
        if let Some(known) = self.projects.borrow().get(root) {
            return Ok(known.clone());
        }
        let location = StoreLocation::Project(ProjectRoot::new(Path::new(root))?);
        let stored = location.read(self.home)?;
        let graph = stored.bytes.map(|_| Rc::new(stored.graph));
        self.projects.borrow_mut().insert(root.to_owned(), graph.clone());
        Ok(graph)
    }

    fn graph(&self) -> Result<&Graph, LedgerError> {
        read_once(&self.graph, || Ok(load::lessons(self.home)?))
    }

    fn decisions(&self) -> Result<&Decisions, LedgerError> {
        read_once(&self.decisions, || Ok(Decisions::read(self.home)?))
    }
}

fn read_once<T>(
    cell: &OnceCell<T>,
    read: impl FnOnce() -> Result<T, LedgerError>,
) -> Result<&T, LedgerError> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let read = read()?;
    Ok(cell.get_or_init(|| read))
}

/// Returns a lesson, topic or trigger of a graph.
pub(crate) fn in_graph(graph: &Graph, thing: &Thing) -> Option<String> {
    match thing.node()? {
        (Node::Lesson, id) => snapshot_in(graph, id),
        (Node::Topic, id) => text::<Value>(graph.raw_topic(id)?),
        (Node::Trigger, id) => text::<Value>(graph.raw_trigger(id)?),
    }
}

/// Returns a lesson of a graph with its triggers, as JSON.
pub(crate) fn snapshot_in(graph: &Graph, id: &str) -> Option<String> {
    text(&Snapshot::of(graph, id)?)
}

/// Returns plain data as JSON text with sorted keys.
fn text<T: Serialize>(value: &T) -> Option<String> {
    serde_json::to_string(value).ok()
}

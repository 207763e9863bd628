//! The current state of everything that the journal records, in the form in which it records it.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use lessons_home::Home;
use lessons_store::{ConfigFile, Decisions, Graph, NodeKind, ProjectRoot, StoreLocation, shared_folder};

use super::{Thing, ThingKind};
use crate::database::Database;
use crate::error::Result;
use crate::{journal::entries, journal::row_changes};

/// The text for the store of a project that has one.
pub(crate) const THERE: &str = "true";

/// The files and the database as they are now. What is large is read once, and only when something in it is asked for.
pub(crate) struct CurrentState<'a> {
    home: &'a Home,
    database: &'a Database,
    decisions: OnceCell<Decisions>,
    /// The stores by the root of their project, that of the user under none; `None` where there is no store.
    stores: RefCell<BTreeMap<Option<String>, Option<Rc<Graph>>>>,
}

impl<'a> CurrentState<'a> {
    pub(crate) fn of(home: &'a Home, database: &'a Database) -> Self {
        Self { home, database, decisions: OnceCell::new(), stores: RefCell::default() }
    }

    /// Returns a thing as it is now; `None` if it does not exist.
    pub(crate) fn text_of(&self, thing: &Thing) -> Result<Option<String>> {
        let name = thing.name.as_str();
        Ok(match thing.kind {
            kind if kind.is_decision() => entries::value(self.decisions()?, kind, name),
            kind if kind.is_of_the_database() => self.database.read(|it| row_changes::text_of(it, thing))?,
            ThingKind::Setting => ConfigFile::read(&self.home.config())?.entries().remove(name),
            ThingKind::ProjectStore => self.store(Some(name))?.map(|_| THERE.to_owned()),
            ThingKind::Shared => shared_folder::text_of(Path::new(name))?,
            _ if thing.node().is_some() => {
                self.store(thing.project())?.and_then(|graph| in_graph(&graph, thing))
            }
            _ => None,
        })
    }

    fn store(&self, project: Option<&str>) -> Result<Option<Rc<Graph>>> {
        let root = project.map(str::to_owned);
        if let Some(known) = self.stores.borrow().get(&root) {
            return Ok(known.clone());
        }
        let location = match project {
            Some(root) => StoreLocation::Project(ProjectRoot::new(Path::new(root))?),
            None => StoreLocation::User,
        };
        let stored = location.read(self.home)?;
        let graph = stored.bytes.map(|_| Rc::new(stored.graph));
        self.stores.borrow_mut().insert(root, graph.clone());
        Ok(graph)
    }

    fn decisions(&self) -> Result<&Decisions> {
        if let Some(known) = self.decisions.get() {
            return Ok(known);
        }
        let read = Decisions::read(self.home)?;
        Ok(self.decisions.get_or_init(|| read))
    }
}

/// Returns a lesson, topic or trigger of a graph.
pub(crate) fn in_graph(graph: &Graph, thing: &Thing) -> Option<String> {
    match thing.node()? {
        (NodeKind::Lesson, id) => entries::snapshot_in(graph, id),
        (kind, id) => entries::json(graph.node(kind, id)?),
    }
}

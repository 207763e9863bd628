//! What stands there now, in the words of the journal.

use std::cell::OnceCell;

use lessons_home::home::Home;
use lessons_store::accepted::{Accepted, AcceptedError};
use lessons_store::config::{ConfigError, ConfigFile};
use lessons_store::graph::{Graph, Snapshot};
use lessons_store::load::{self, LoadError};
use lessons_store::trust::{List, TrustError, TrustedStore};
use serde::Serialize;
use serde_json::Value;

use crate::database::{Database, DatabaseError};
use crate::journal::{Kind, Thing};
use crate::row_changes;

/// Why it cannot be told what stands there.
#[derive(Debug, thiserror::Error)]
pub enum PresentError {
    /// The store cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What is trusted cannot be read.
    #[error(transparent)]
    Trust(Box<TrustError>),
    /// What is accepted cannot be read.
    #[error(transparent)]
    Accepted(#[from] AcceptedError),
    /// The settings cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database said no.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Looks at files and database, at each file once and only where something in it is asked for.
pub(crate) struct Present<'a> {
    home: &'a Home,
    database: &'a Database,
    graph: OnceCell<Graph>,
    accepted: OnceCell<Option<Accepted>>,
    trusted: OnceCell<List>,
    settings: OnceCell<ConfigFile>,
}

impl<'a> Present<'a> {
    pub(crate) fn of(home: &'a Home, database: &'a Database) -> Self {
        let (graph, accepted) = (OnceCell::new(), OnceCell::new());
        let (trusted, settings) = (OnceCell::new(), OnceCell::new());
        Self { home, database, graph, accepted, trusted, settings }
    }

    /// The database that is looked at.
    pub(crate) fn database(&self) -> &Database {
        self.database
    }

    /// A thing as it is; `None` where it is not there.
    pub(crate) fn text_of(&self, thing: &Thing) -> Result<Option<String>, PresentError> {
        let name = thing.name.as_str();
        Ok(match thing.kind {
            Kind::Lesson | Kind::Topic | Kind::Trigger => in_graph(self.graph()?, thing),
            Kind::Candidate | Kind::Label => row_changes::text_of(&self.database.connection, thing)
                .map_err(|error| self.database.explain(error))?,
            Kind::Trust => self.trusted()?.get(name).map(TrustedStore::journalled),
            Kind::Setting => self.settings()?.entries().remove(name),
            Kind::Accepted => self.accepted()?.and_then(|accepted| snapshot_in(&accepted.graph, name)),
            Kind::AcceptedSetting => self.accepted()?.and_then(|it| it.settings.get(name).cloned()),
            Kind::Text => None,
        })
    }

    fn graph(&self) -> Result<&Graph, PresentError> {
        read_once(&self.graph, || Ok(load::lessons(self.home)?))
    }

    fn accepted(&self) -> Result<Option<&Accepted>, PresentError> {
        Ok(read_once(&self.accepted, || Ok(Accepted::read(self.home)?))?.as_ref())
    }

    fn trusted(&self) -> Result<&List, PresentError> {
        read_once(&self.trusted, || {
            List::read(self.home).map_err(|error| PresentError::Trust(Box::new(error)))
        })
    }

    fn settings(&self) -> Result<&ConfigFile, PresentError> {
        read_once(&self.settings, || Ok(ConfigFile::read(&self.home.config())?))
    }
}

fn read_once<T>(
    cell: &OnceCell<T>,
    read: impl FnOnce() -> Result<T, PresentError>,
) -> Result<&T, PresentError> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let read = read()?;
    Ok(cell.get_or_init(|| read))
}

/// A thing of `lessons.json`, as it stands in a graph.
pub(crate) fn in_graph(graph: &Graph, thing: &Thing) -> Option<String> {
    match thing.kind {
        Kind::Lesson => snapshot_in(graph, &thing.name),
        Kind::Topic => text::<Value>(graph.raw_topic(&thing.name)?),
        Kind::Trigger => text::<Value>(graph.raw_trigger(&thing.name)?),
        _ => None,
    }
}

/// A lesson of a graph with the triggers it names.
pub(crate) fn snapshot_in(graph: &Graph, id: &str) -> Option<String> {
    text(&Snapshot::of(graph, id)?)
}

/// Plain JSON, its keys sorted; none can fail to become text.
fn text<T: Serialize>(value: &T) -> Option<String> {
    serde_json::to_string(value).ok()
}

//! The home of the version before this one, taken over once: its five files of decisions become `decisions.json`, with a row
//! of change 0 for each entry.
//!
//! The database says whether that is due: it gets [`DUE`] when its schema is taken over. The new file is written first, then
//! its rows, then the old files go; what dies on the way begins again, or only removes them.

use std::path::{Path, PathBuf};

use lessons_home::files;
use lessons_home::home::Home;
use lessons_store::accepted::SettingTexts;
use lessons_store::decisions::{Decisions, DecisionsError, MAX_BYTES};
use lessons_store::durable;
use lessons_store::graph::{Exactness, Graph, Origin};
use lessons_store::incidents::IncidentEntry;
use lessons_store::load;
use lessons_store::trust::{TrustedStore, sha256};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::database::Database;
use crate::error::LedgerError;
use crate::journal::Difference;
use crate::reading_tools::name_tools;

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
    stores: Map<String, Value>,
}

#[derive(Deserialize, Default)]
struct IncidentParts {
    confirmed: Map<String, Value>,
    reported: Map<String, Value>,
    retired: Map<String, Value>,
    withheld: Map<String, Value>,
}

/// Whether a database waits for its home to be taken over.
pub(crate) fn is_due(expected: &[String]) -> bool {
    expected.iter().any(|digest| digest == DUE)
}

/// Takes the home over.
pub(crate) fn take_over(home: &Home, database: &mut Database) -> Result<(), LedgerError> {
    let mut decisions = read(home)?;
    let before = decisions.accepted.graph.clone();
    // The store first: what dies here finds the files of the version before again, and does the same.
    if let Ok(mut store) = load::lessons(home)
        && store.exactness() == Exactness::Exact
        && name_tools(&mut store, &before)
    {
        durable::replace(&home.lessons(), &store.to_bytes())?;
    }
    name_tools(&mut decisions.accepted.graph, &before);
    let rows = Difference::of_decisions(&Decisions::none(home), &decisions);
    let bytes = decisions.to_bytes();
    durable::replace(&home.decisions(), &bytes)?;
    database.begin_journal(&rows, &sha256(&bytes))?;
    clean_up(home)
}

/// Removes what is left of the version before.
pub(crate) fn clean_up(home: &Home) -> Result<(), LedgerError> {
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

fn read(home: &Home) -> Result<Decisions, LedgerError> {
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
            decisions.trusted.insert(store.ok_or_else(|| corrupt(&path, &root))?);
        }
    }
    if let Some((path, parts)) = parsed::<IncidentParts>(home, "incidents.json")? {
        let mut entries: Map<String, Value> = Map::new();
        for (part, incidents) in [
            ("confirmed", parts.confirmed),
            ("reported", parts.reported),
            ("retired", parts.retired),
            ("withheld", parts.withheld),
        ] {
            for (id, value) in incidents {
                entries.entry(id).or_insert_with(|| Value::Object(Map::new()))[part] = value;
            }
        }
        for (id, value) in entries {
            let entry =
                serde_json::from_value::<IncidentEntry>(value).map_err(|error| corrupt(&path, &error))?;
            decisions.incidents.put(id.parse().map_err(|_| corrupt(&path, &id))?, entry);
        }
    }
    Ok(decisions)
}

fn parsed<T: DeserializeOwned>(home: &Home, file: &str) -> Result<Option<(PathBuf, T)>, LedgerError> {
    let path = path(home, file);
    let Some(bytes) = files::read(&path, MAX_BYTES)? else { return Ok(None) };
    let parsed = serde_json::from_slice(&bytes).map_err(|error| corrupt(&path, &error))?;
    Ok(Some((path, parsed)))
}

fn corrupt(path: &Path, reason: &dyn ToString) -> DecisionsError {
    DecisionsError::Corrupt { path: path.to_owned(), reason: reason.to_string() }
}

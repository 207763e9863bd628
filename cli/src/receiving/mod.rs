//! What arrives: the events of colleagues, taken in in one pass.
//!
//! - [`places`]: the folders that events come from. [`folder`]: what one holds by name, and the reading of one file.
//! - [`reading`]: from bytes to verified lessons. [`judge`]: what speaks against one. [`deciding`]: what becomes of each.
//! - [`receipt`]: what is said of a pass.
//!
//! A pass is linear in the files that are new. In this order it writes what is in force (`decisions.json`, with the
//! journal) and what waits, builds, and remembers that the events which came into force are done: whatever a death in between
//! leaves, the next pass does again, to the same effect.

mod deciding;
pub(crate) mod folder;
mod judge;
pub(crate) mod places;
mod reading;
pub(crate) mod receipt;

use anyhow::Result;
use lessons_ledger::database::Database;
use lessons_ledger::decisions;
use lessons_ledger::shared_events::{EventOutcome, SharedPass};
use lessons_ledger::transaction;
use lessons_store::decisions::Decisions;
use lessons_store::identity;
use lessons_store::peers::Peers;
use lessons_store::received::Received;

use self::deciding::{Decided, Decider, waiting_of};
use self::places::{Place, PlaceScope};
use self::reading::{Reader, Reading};
use self::receipt::Receipt;
use crate::app::{Actor, App};
use crate::authority::Authority;
use crate::building;
use crate::incidents::check::IncidentChecker;
use crate::waiting;

/// The actions in the journal: lessons came into force, or wait. They are two changes, each undone for itself.
const RECEIVED: &str = "received";
const FOUND: &str = "found";

/// Takes in what is new at these places, and the events of `lines`, one on each.
///
/// It decides nothing that a person has not decided before, by trusting a key: so it needs no person.
pub(crate) fn receive(app: &App, places: &[Place], lines: Option<&[u8]>) -> Result<Receipt> {
    // A person who types it has done it. An agent's call needs no approval, so nobody has approved it.
    let actor = if app.is_person() { Actor::Person } else { Actor::Background };
    let app = &App { actor, authority: Authority::Background, ..app.clone() };
    let peers = Peers::read(&app.home)?;
    let mut database = Database::open(&app.home)?;
    let reading = read(app, &peers, &database, places, lines)?;
    let mut receipt = Receipt::of(&reading);
    if reading.lessons.is_empty() && reading.deletions.is_empty() {
        if !reading.others.is_empty() {
            let pass = SharedPass { events: &reading.others, ..SharedPass::default() };
            database.record_shared(&pass, &app.deed(FOUND))?;
        }
        return Ok(receipt);
    }
    let lock = app.lock()?;
    transaction::recover(&lock, &mut database)?;
    let projects = places::known_projects(app, &mut database, places)?;
    let incidents = IncidentChecker::of(app).filter(|incidents| !incidents.is_empty());
    let forgotten = database.forgotten()?;
    let rules = Decider {
        peers: &peers,
        projects: &projects,
        incidents: incidents.as_ref(),
        forgotten: &forgotten,
        waiting: database.shared_waiting()?,
    };
    let deed = app.deed(RECEIVED);
    let decide = |decisions: &mut Decisions| rules.decide(&reading, &mut decisions.received);
    let mut decided = decisions::save(&lock, &mut database, &deed, decide)?.value;
    decided.events.extend(&reading.others);
    let found = app.deed(FOUND);
    let Decided { events, candidates, withdrawn, .. } = &decided;
    receipt.recorded = database.record_shared(&SharedPass { events, candidates, withdrawn }, &found)?;
    if !decided.events_in_force.is_empty() {
        building::build_locked(app, &lock, &database)?;
        let done = SharedPass { events: &decided.events_in_force, ..SharedPass::default() };
        database.record_shared(&done, &found)?;
    }
    receipt.add(decided);
    drop(lock);
    waiting::publish(app);
    Ok(receipt)
}

/// Takes in what is new at the standing places. `None` where there are none.
pub(crate) fn receive_standing(app: &App) -> Result<Option<Receipt>> {
    let places = places::standing(app)?;
    if places.is_empty() { Ok(None) } else { receive(app, &places, None).map(Some) }
}

fn read(
    app: &App,
    peers: &Peers,
    database: &Database,
    places: &[Place],
    lines: Option<&[u8]>,
) -> Result<Reading> {
    let (waiting, received) = (database.shared_waiting()?, Received::read(&app.home)?);
    let mut known = database.shared_events()?;
    // What was done for a peer is done again where nothing is remembered of them: the file that does was lost.
    let is_lost = |author| peers.get(author).is_some() && received.peer(author).is_none();
    known.retain(|_, event| event.outcome != EventOutcome::Done || !is_lost(event.author));
    let taken = |author| {
        let waiting = peers.get(author).map_or(0, |peer| waiting_of(&waiting, peer));
        (waiting + received.peer(author).map_or(0, |peer| peer.lessons().count())) as u64
    };
    let own = identity::read(&app.home).ok().flatten().map(|key| key.public());
    let reader = Reader { peers, own, known: &known, taken: &taken, now: app.now_ms() / 1000 };
    let mut reading = Reading::default();
    for place in places {
        reader.place(place, &mut reading);
    }
    if let Some(lines) = lines {
        reader.lines(lines, &PlaceScope::AnyKnown, &mut reading);
    }
    Ok(reading)
}

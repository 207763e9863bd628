//! What arrives: the events of colleagues, taken in in one pass.
//!
//! - [`places`]: the folders that events come from, what one holds by name, and the reading of one file.
//! - [`reading`]: from bytes to verified lessons. [`judge`]: what speaks against one. [`deciding`]: what becomes of each.
//! - [`receipt`]: what is said of a pass.
//!
//! A pass is linear in the files that are new. In this order it writes what is in force (`decisions.json`, with the
//! journal) and what waits, builds, and remembers that the events which came into force are done: whatever a death in between
//! leaves, the next pass does again, to the same effect.

mod deciding;
mod judge;
pub mod places;
mod reading;
pub mod receipt;

use lessons_context::{Actor, Authority, Context, Result};
use lessons_incident_check::check::IncidentChecker;
use lessons_ledger::events::shared::{LookedAt, SharedPass};
use lessons_ledger::{Database, EventOutcome, decisions, transaction};
use lessons_publish::building;
use lessons_review::lookup;
use lessons_store::{Decisions, Peers, Received, shared_folder::identity};

use self::deciding::{Decided, Decider, waiting_of};
use self::places::Place;
use self::reading::{Reader, Reading};
use self::receipt::Receipt;

/// The actions in the journal: lessons came into force, or wait. They are two changes, each undone for itself.
const RECEIVED: &str = "received";
const FOUND: &str = "found";

/// Takes in what is new at these places, and the events of `lines`, one on each.
///
/// It decides nothing that a person has not decided before, by trusting a key: so it needs no person.
pub fn receive(context: &Context, places: &[Place], lines: Option<&[u8]>) -> Result<Receipt> {
    // A person who types it has done it. An agent's call needs no approval, so nobody has approved it.
    let actor = if context.is_person() { Actor::Person } else { Actor::Background };
    let context = &Context { actor, authority: Authority::Background, ..context.clone() };
    let peers = Peers::read(&context.home)?;
    let mut database = Database::open(&context.home)?;
    let mut reading = read(context, &peers, &database, places, lines)?;
    let receipt = std::mem::take(&mut reading.receipt);
    if reading.lessons.is_empty() && reading.deletions.is_empty() {
        if !reading.others.is_empty() {
            let pass = SharedPass { events: &reading.others, ..SharedPass::default() };
            database.record_shared(&pass, &context.deed(FOUND))?;
        }
        return Ok(receipt);
    }
    let lock = context.lock()?;
    transaction::recover(&lock, &mut database)?;
    let projects = places::known_projects(context, &mut database, places)?;
    let incidents = IncidentChecker::in_force(context);
    let forgotten = database.forgotten()?;
    let rules = Decider {
        peers: &peers,
        projects: &projects,
        incidents: incidents.as_ref(),
        forgotten: &forgotten,
        waiting: database.shared_waiting()?,
    };
    let deed = context.deed(RECEIVED);
    let decide = |decisions: &mut Decisions| rules.decide(&reading, receipt, &mut decisions.received);
    let decided = decisions::save(&lock, &mut database, &deed, decide)?.value;
    let Decided { mut events, events_in_force, candidates, withdrawn, mut receipt } = decided;
    events.extend(&reading.others);
    let found = context.deed(FOUND);
    let pass = SharedPass { events: &events, candidates: &candidates, withdrawn: &withdrawn };
    receipt.recorded = database.record_shared(&pass, &found)?;
    if !events_in_force.is_empty() {
        building::build_locked(context, &lock, &database)?;
        let done = SharedPass { events: &events_in_force, ..SharedPass::default() };
        database.record_shared(&done, &found)?;
    }
    drop(lock);
    lookup::publish(context);
    Ok(receipt)
}

/// Takes in what is new at the standing places. `None` where there are none.
pub fn receive_standing(context: &Context) -> Result<Option<Receipt>> {
    let places = places::standing(context)?;
    if places.is_empty() { Ok(None) } else { receive(context, &places, None).map(Some) }
}

fn read(
    context: &Context,
    peers: &Peers,
    database: &Database,
    places: &[Place],
    lines: Option<&[u8]>,
) -> Result<Reading> {
    let (waiting, received) = (database.shared_waiting()?, Received::read(&context.home)?);
    let mut known = database.shared_events()?;
    // What was done for a peer is done again where nothing is remembered of them: the file that does was lost.
    let is_lost = |LookedAt { author, outcome }: &LookedAt| {
        *outcome == EventOutcome::Done && peers.0.contains_key(author) && !received.peers.contains_key(author)
    };
    known.retain(|_, event| !is_lost(event));
    let taken = |author| {
        let waiting = peers.0.get(&author).map_or(0, |peer| waiting_of(&waiting, peer));
        (waiting + received.peers.get(&author).map_or(0, |peer| peer.in_force().count())) as u64
    };
    let own = identity::read(&context.home).ok().flatten().map(|key| key.public());
    let reader = Reader { peers, own, known: &known, taken: &taken, now: context.now_ms() / 1000 };
    let mut reading = Reading::default();
    for place in places {
        reader.place(place, &mut reading);
    }
    if let Some(lines) = lines {
        reader.lines(lines, &mut reading);
    }
    Ok(reading)
}

//! At the start of a session: the protocol and the lessons that are told every time, news for the
//! user, and the scanner in the background.

use lessons_core::claims::{Ledger, SessionFolder};
use lessons_core::events::Outcome;
use lessons_core::home::Home;
use lessons_core::opening::{Opening, Source, opening};
use lessons_core::payload::{Contents, Payload};

use crate::input;
use crate::surroundings::{Surroundings, read_manifest};
use crate::{background, notices, output};

/// Reads why the session starts, tells what is to be told, and starts the scanner.
pub fn run() {
    let surroundings = Surroundings::of_process();
    // One that cannot be read is a start too, as one without a word about it: what was readable counts.
    let (payload, _) = input::read(std::io::stdin().lock(), Contents::Skip);
    let source = Source::parse(payload.source.as_deref());
    let home = match surroundings.home(&payload) {
        Ok(home) => home,
        Err(error) => {
            let message = notices::unusable_home(&error);
            output::at_start(None, Some(&message)).as_deref().map(output::print);
            return;
        }
    };
    tell(&surroundings, &home, &payload, source);
    if matches!(source, Source::Startup | Source::Clear) {
        background::start_scanner(&surroundings.environment);
    }
}

fn tell(surroundings: &Surroundings, home: &Home, payload: &Payload, source: Source) {
    let Some(manifest) = read_manifest(home) else { return };
    let place = surroundings.place(payload);
    let files = SessionFolder::of(&home.sessions(), payload.session_id.as_deref());
    let mut ledger = Ledger::new(files, payload.agent_id.as_deref(), manifest.settings.dedup_scope);
    if source == Source::Compact {
        ledger.forget(manifest.settings.compaction_threshold);
    }
    let advice = Surroundings::advice();
    let told = opening(&manifest, source, &place, &advice, surroundings.now, &mut ledger);
    let message = notices::for_user(&manifest, &place, home, source);
    let Some(object) = output::at_start(told.as_ref().map(|told| told.text.as_str()), message.as_deref())
    else {
        return;
    };
    if !output::print(&object) {
        lessons_core::claims::Memory::take_back(&mut ledger);
        return;
    }
    if message.is_some() {
        notices::looked(home);
    }
    if let Some(Opening { lessons, .. }) = told.filter(|told| !told.lessons.is_empty()) {
        surroundings.record(home, payload, Outcome::Told, &lessons);
    }
}

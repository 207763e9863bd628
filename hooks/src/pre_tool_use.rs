//! Before a tool call: the right lesson in front of the model, or the call refused.

use lessons_core::answer::{Answer, Decision, Situation, answer};
use lessons_core::approval::Guarded;
use lessons_core::claims::{Ledger, Memory, SessionFolder};
use lessons_core::events::Outcome;
use lessons_core::home::Home;
use lessons_core::manifest::{Manifest, Settings};
use lessons_core::payload::{Contents, End, Payload};
use lessons_core::reply;

use crate::input;
use crate::output;
use crate::surroundings::{Surroundings, read_manifest};

/// Reads the call, decides, prints, and writes down what happened.
pub fn run() {
    let surroundings = Surroundings::of_process();
    // Where the manifest is, and so whether a lesson looks at contents, depends on the payload.
    let (payload, end) = input::read(std::io::stdin().lock(), Contents::Keep);
    match end {
        End::Whole if !payload.call.tool.is_empty() => {}
        End::Beyond => {}
        End::Whole | End::Broken => return,
    }
    let home = surroundings.home(&payload).ok();
    let manifest = home.as_ref().and_then(read_manifest);
    let mut ledger = ledger(home.as_ref(), &payload, manifest.as_ref());
    let answer = decide(&surroundings, &payload, home.as_ref(), manifest.as_ref(), &mut ledger);
    if let Decision::Ask { grant: Some(grant), .. } = &answer.decision {
        ledger.grant(grant);
    }
    if let Some(object) = reply::before_tool(&answer.decision)
        && !output::print(&object)
    {
        ledger.take_back();
        return;
    }
    if let Some(home) = &home {
        if end == End::Beyond {
            surroundings.record(home, &payload, Outcome::Overflow, &[]);
        }
        record(&surroundings, home, &payload, &answer);
    }
    // The process ends here: giving back thousands of small pieces of memory would only take time.
    std::mem::forget(manifest);
}

/// The claims of this context. Without a data folder nothing is claimed.
fn ledger(home: Option<&Home>, payload: &Payload, manifest: Option<&Manifest>) -> Ledger<SessionFolder> {
    let scope = manifest.map_or_else(|| Settings::default().dedup_scope, |found| found.settings.dedup_scope);
    let sessions = home.map(Home::sessions).unwrap_or_default();
    let session = payload.session_id.as_deref().filter(|_| home.is_some());
    Ledger::new(SessionFolder::of(&sessions, session), payload.agent_id.as_deref(), scope)
}

fn decide(
    surroundings: &Surroundings,
    payload: &Payload,
    home: Option<&Home>,
    manifest: Option<&Manifest>,
    memory: &mut dyn Memory,
) -> Answer {
    // What is guarded does not depend on whether the folder may be read.
    let fallback = surroundings.environment.data_folder.as_deref();
    let folder = home.map(Home::root).or(fallback).map(|path| path.to_string_lossy().into_owned());
    let user_home = std::env::var_os("HOME").map(|path| path.to_string_lossy().into_owned());
    let guarded = Guarded { home: folder.as_deref().unwrap_or_default(), user_home: user_home.as_deref() };
    let situation = Situation {
        lessons: manifest,
        call: &payload.call,
        agent: payload.agent(),
        place: &surroundings.place(payload),
        guarded: &guarded,
        advice: &Surroundings::advice(),
        clock: &surroundings.now,
    };
    let Ok(answer) = answer(&situation, memory);
    answer
}

fn record(surroundings: &Surroundings, home: &Home, payload: &Payload, answer: &Answer) {
    let write = |outcome, lessons: &[_]| surroundings.record(home, payload, outcome, lessons);
    if !answer.passed.is_empty() {
        write(Outcome::Passed, &answer.passed);
    }
    match &answer.decision {
        Decision::Silent => {}
        Decision::Advise { lessons, .. } => write(Outcome::Told, lessons),
        Decision::Refuse { lessons, .. } => write(Outcome::Refused, lessons),
        Decision::Ask { .. } | Decision::Deny { .. } => write(Outcome::Asked, &[]),
    }
}

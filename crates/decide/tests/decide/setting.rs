//! The project, the lessons and the memory that these tests share.

use std::collections::BTreeSet;

use lessons_decide::answer::{Advice, Answer, Situation, answer_traced};
use lessons_decide::approval::GuardedPaths;
use lessons_decide::claims::{Claim, Memory, SessionClaims, SessionFiles};
use lessons_index::manifest::{LessonEntry, Manifest, Settings, TriggerEntry};
use lessons_index::matching::tracer::Tracer;
use lessons_lesson::call::Call;
use lessons_lesson::compiled::{DedupScope, Terms};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::index::{LoadedIndex, in_memory};
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::TriggerKind;

/// The time of every call, in milliseconds since 1970.
pub(crate) const NOW: u64 = 1000;

/// Claim files in memory.
#[derive(Default)]
pub(crate) struct Names(BTreeSet<String>);

impl SessionFiles for Names {
    fn create(&mut self, name: &str) -> Claim {
        if self.0.insert(name.to_owned()) { Claim::Won } else { Claim::Taken }
    }
    fn holds(&self, name: &str) -> bool {
        self.0.contains(name)
    }
    fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }
}

/// The claims of a new session.
pub(crate) fn new_session() -> SessionClaims<Names> {
    SessionClaims::new(Some(Names::default()), None, DedupScope::Context)
}

pub(crate) fn terms(id: &str) -> Terms {
    Terms::new(id.parse().unwrap(), "2026-01-01")
}

/// A manifest of these triggers, which lessons name by their positions.
pub(crate) fn manifest(triggers: &[(TriggerKind, &str)], lessons: Vec<LessonEntry>) -> Manifest {
    let mut manifest = Manifest::new(Settings::default(), "test");
    manifest.triggers = triggers
        .iter()
        .map(|&(kind, text)| TriggerEntry { kind, pattern: text.into(), document_frequency: 1 })
        .collect();
    manifest.lessons = lessons;
    manifest
}

pub(crate) fn indexed(manifest: &Manifest) -> LoadedIndex {
    in_memory(manifest, &Patterns::default()).unwrap()
}

/// A Bash call in the project.
pub(crate) fn bash(command: &str) -> Call<'_> {
    Call { tool: "Bash".into(), command: Some(command.into()), cwd: Some("/p".into()), ..Call::default() }
}

/// Asks as `agent`, in the project `/p`.
pub(crate) fn ask(
    manifest: &Manifest,
    call: &Call<'_>,
    agent: &str,
    advice: &Advice,
    memory: &mut dyn Memory,
    tracer: &mut impl Tracer,
) -> Answer {
    let loaded = indexed(manifest);
    let situation = Situation {
        index: Some(&loaded.ask().unwrap()),
        call,
        agent,
        place: &ProjectLocation::fixed("/p"),
        guarded: &GuardedPaths { home: "/home/u/.local/share/lessons", user_home: Some("/home/u") },
        advice,
        clock: &NOW,
    };
    answer_traced(&situation, memory, tracer).unwrap()
}

//! What several targets share: a fixed set of lessons, and claims that stay in memory.

use std::collections::HashSet;

use lessons_decide::answer::{Advice, Answer, Situation, answer};
use lessons_decide::approval::GuardedPaths;
use lessons_decide::claims::{Bump, Claim, Insistence, Memory};
use lessons_index::manifest::{LessonEntry, Manifest, Settings, TriggerEntry};
use lessons_lesson::call::Call;
use lessons_lesson::compiled::Terms;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Mode, Subject};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::index::{LoadedIndex, in_memory};
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::TriggerKind;

/// What only a person may touch, in every target that asks.
pub const GUARDED: GuardedPaths<'static> =
    GuardedPaths { home: "/home/u/.local/share/lessons", user_home: Some("/home/u") };

/// Claims in memory, with the same meaning as the ones on disk.
#[derive(Default)]
pub struct InMemory {
    told: HashSet<QualifiedId>,
    refused: HashSet<(QualifiedId, String)>,
    settled: HashSet<QualifiedId>,
}

impl Memory for InMemory {
    fn is_off(&self, _: &QualifiedId) -> bool {
        false
    }

    fn tell(&mut self, lesson: &QualifiedId) -> Claim {
        if self.told.insert(lesson.clone()) { Claim::Won } else { Claim::Taken }
    }

    fn bump(&mut self, lesson: &QualifiedId, subject: &str, _: Insistence) -> Bump {
        if self.settled.contains(lesson) {
            return Bump::Settled;
        }
        if self.refused.insert((lesson.clone(), subject.to_owned())) {
            return Bump::Refuses;
        }
        self.settled.insert(lesson.clone());
        Bump::Passes
    }

    fn take_back(&mut self) {}
}

/// One trigger of each kind that a call can match, and a lesson of each mode on each of them.
pub fn fixed_manifest() -> Manifest {
    let triggers = [
        (TriggerKind::CommandPattern, r"\bgit\s+stash\b(?:\s|$)"),
        (TriggerKind::CommandPattern, r"(?i)rm\s+-\w*r"),
        (TriggerKind::FileGlob, "src/**/*.{ts,tsx}"),
        (TriggerKind::PathPattern, r"(?:^|/)[^/]+\.lock$"),
        (TriggerKind::ContentPattern, r"fetch\(|(a+)+b"),
        (TriggerKind::Keyword, "big cat"),
        (TriggerKind::Tool, "Edit"),
    ];
    let mut manifest = Manifest::new(Settings::default(), "fuzz");
    for (position, (kind, text)) in (0_u32..).zip(triggers) {
        manifest.triggers.push(TriggerEntry { kind, pattern: text.to_owned(), document_frequency: 1 });
        for mode in [Mode::Advise, Mode::Bump] {
            manifest.lessons.push(lesson(position, mode));
        }
    }
    manifest.lessons.sort_by(|a, b| a.terms.id.cmp(&b.terms.id));
    manifest
}

fn lesson(trigger: u32, mode: Mode) -> LessonEntry {
    let id = format!("user/{}-{trigger}", if mode.refuses() { "bump" } else { "advise" });
    let terms = Terms {
        mode,
        triggers: vec![trigger],
        subject: if mode.refuses() { Subject::Executable } else { Subject::Command },
        ..Terms::new(id.parse().expect("the id above is valid"), "2026-01-01")
    };
    LessonEntry {
        rule: "Look first.".to_owned(),
        topics: vec!["fuzz".to_owned()],
        brief: format!("brief\n[lesson {id}]\n"),
        ..LessonEntry::new(terms, format!("full\n[lesson {id}]\n"))
    }
}

/// The index of [`fixed_manifest`].
pub fn fixed_index() -> LoadedIndex {
    in_memory(&fixed_manifest(), &Patterns::default()).expect("the patterns are sound")
}

/// Asks `index` about a call in the project `/p`.
pub fn ask(index: &LoadedIndex, call: &Call<'_>, agent: &str, memory: &mut InMemory) -> Answer {
    let place = ProjectLocation::fixed("/p");
    let index = index.ask().expect("the index is sound");
    let situation = Situation {
        index: Some(&index),
        call,
        agent,
        place: &place,
        guarded: &GUARDED,
        advice: &Advice::default(),
        clock: &0,
    };
    answer(&situation, memory).expect("the index is sound")
}

/// Parts an input at its first NUL: two texts from one file, so that seeds can be written by hand.
pub fn two_texts(input: &[u8]) -> Option<(&str, &str)> {
    let (first, second) = std::str::from_utf8(input).ok()?.split_once('\0')?;
    Some((first, second))
}

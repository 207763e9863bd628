//! Conditions say what a plain reading of the same facts says.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

use std::collections::BTreeSet;

use lessons_index::manifest::{LessonEntry, Manifest, TriggerEntry};
use lessons_index::matching::matched::Mismatch;
use lessons_index::matching::{holds_at, mismatch_of};
use lessons_index::views::Views;
use lessons_lesson::call::Call;
use lessons_lesson::compiled::{Settings, Terms};
use lessons_lesson::conditions::{Conditions, Os, Shell, StateCheck};
use lessons_lesson::project::{Disk, Machine, ProjectLocation};
use lessons_manifest_builder::index::{LoadedIndex, in_memory};
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::TriggerKind;
use proptest::prelude::*;

/// A machine with these paths.
#[derive(Debug, Clone)]
struct KnownMachine {
    os: Option<Os>,
    shell: Option<Shell>,
    paths: BTreeSet<String>,
}

impl Machine for KnownMachine {
    fn os(&self) -> Option<Os> {
        self.os
    }
    fn shell(&self) -> Option<Shell> {
        self.shell
    }
}

impl Disk for KnownMachine {
    fn holds(&self, path: &str) -> bool {
        self.paths.contains(path)
    }
    fn small_file(&self, _: &str) -> Option<String> {
        None
    }
}

/// The index of a lesson on any Bash or Read call, under these conditions.
fn lesson(conditions: Conditions) -> LoadedIndex {
    let mut manifest = Manifest::new(Settings::default(), "test");
    manifest.triggers = ["Bash", "Read"]
        .map(|tool| TriggerEntry { kind: TriggerKind::Tool, pattern: tool.into(), document_frequency: 1 })
        .into();
    let terms = Terms::new("user/a".parse().unwrap(), "2026-01-01");
    let terms = Terms { triggers: vec![0, 1], conditions, ..terms };
    manifest.lessons.push(LessonEntry::new(terms, "[lesson user/a]\n"));
    in_memory(&manifest, &Patterns::default()).unwrap()
}

/// A call that goes to a folder, or reads a file, given by the components of its path.
#[derive(Debug, Clone)]
struct Scene {
    cwd: Vec<&'static str>,
    way: &'static str,
    is_absolute: bool,
    target: Vec<&'static str>,
}

impl Scene {
    fn cwd(&self) -> String {
        format!("/{}", self.cwd.join("/"))
    }

    fn call(&self) -> Call<'static> {
        let path = format!("{}{}", if self.is_absolute { "/" } else { "" }, self.target.join("/"));
        let cwd = Some(self.cwd().into());
        if self.way == "Read" {
            return Call { tool: "Read".into(), paths: vec![path.into()], cwd, ..Call::default() };
        }
        let command = self.way.replace("PATH", &path);
        Call { tool: "Bash".into(), command: Some(command.into()), cwd, ..Call::default() }
    }

    /// Whether the call begins by entering the target.
    fn enters(&self) -> bool {
        ENTERING.contains(&self.way) && !self.target.is_empty()
    }

    /// The components of the target from the root, worked out one by one.
    fn resolved(&self) -> Vec<&'static str> {
        let mut at = if self.is_absolute { Vec::new() } else { self.cwd.clone() };
        for part in &self.target {
            match *part {
                "." => {}
                ".." => drop(at.pop()),
                part => at.push(part),
            }
        }
        at
    }

    /// What each state check should say.
    fn expected(&self, check: StateCheck, machine: &KnownMachine) -> bool {
        match check {
            StateCheck::CwdEndsWithTarget => {
                let named: Vec<&str> = self.target.iter().copied().filter(|part| *part != ".").collect();
                self.enters()
                    && !self.is_absolute
                    && !named.is_empty()
                    && !named.contains(&"..")
                    && self.cwd.ends_with(&named)
            }
            StateCheck::PathMissing | StateCheck::PathExists => {
                let has_target = self.enters() || self.way == "Read" && !self.target.is_empty();
                let is_there = machine.paths.contains(&format!("/{}", self.resolved().join("/")));
                has_target && is_there == (check == StateCheck::PathExists)
            }
        }
    }
}

const ENTERING: &[&str] =
    &["cd PATH", "cd PATH/ && ls", "cd -P -- \"PATH\"; ls", "( cd 'PATH' && ls )", "A=1 cd PATH | cat"];
const STAYING: &[&str] =
    &["ls PATH", "ls; cd PATH", "echo cd PATH", "cd PATH other", "cd $PATH", "cd ~/PATH", "cd"];

fn scene() -> impl Strategy<Value = Scene> {
    let way = prop_oneof![4 => prop::sample::select(ENTERING), 1 => prop::sample::select(STAYING), 2 => Just("Read")];
    let part = || prop::sample::select(vec!["a", "b", "web"]);
    let step = prop_oneof![6 => part(), 1 => Just("."), 1 => Just("..")];
    // A `..` above the root stays in a path, so no scene goes there.
    let cwd = prop::collection::vec(part(), 3..6);
    (cwd, way, prop::bool::weighted(0.2), prop::collection::vec(step, 1..3))
        .prop_map(|(cwd, way, is_absolute, target)| Scene { cwd, way, is_absolute, target })
        .prop_filter("a path above the root", |scene| !scene.is_absolute || !scene.target.contains(&".."))
        // `/` is a path and has no components, and no machine lacks it.
        .prop_filter("the root itself", |scene| {
            !scene.is_absolute || scene.target.iter().any(|part| *part != ".")
        })
}

fn machine() -> impl Strategy<Value = KnownMachine> {
    let some = |depth| prop::collection::vec(prop::sample::select(vec!["a", "b", "web"]), depth);
    let paths =
        prop::collection::btree_set(some(0..4).prop_map(|parts| format!("/{}", parts.join("/"))), 0..40);
    (
        prop::option::of(prop::sample::select(&Os::ALL[..])),
        prop::option::of(prop::sample::select(&Shell::ALL[..])),
        paths,
    )
        .prop_map(|(os, shell, paths)| KnownMachine { os, shell, paths })
}

fn conditions() -> impl Strategy<Value = Conditions> {
    (
        prop::sample::subsequence(&Os::ALL[..], 0..=3),
        prop::sample::subsequence(&Shell::ALL[..], 0..=3),
        prop::sample::subsequence(&StateCheck::ALL[..], 0..=2),
    )
        .prop_map(|(os, shell, state)| Conditions { os, shell, state })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_lesson_holds_where_each_of_its_conditions_does(
        conditions in conditions(),
        machine in machine(),
        scene in scene(),
    ) {
        let Conditions { os, shell, state } = &conditions;
        let unmet = state.iter().find(|check| !scene.expected(**check, &machine));
        let is_os = os.is_empty() || machine.os.is_some_and(|here| os.contains(&here));
        let is_shell = shell.is_empty() || machine.shell.is_some_and(|here| shell.contains(&here));
        let expected = match unmet {
            Some(check) => Some(Mismatch::State(*check)),
            None if !is_os => Some(Mismatch::Os),
            None if !is_shell => Some(Mismatch::Shell),
            None => None,
        };

        let loaded = lesson(conditions.clone());
        let index = loaded.ask().unwrap();
        let (call, start) = (scene.call(), scene.cwd());
        let place = ProjectLocation::at(Some(&start), &machine);
        let found = mismatch_of(&index, 0, &Views::new(&call, &place), "main", &0).unwrap();
        prop_assert_eq!(found, expected, "{:?}", call);
        prop_assert_eq!(holds_at(&index.terms(0).unwrap(), &place), is_os && is_shell);
    }
}

#[test]
fn a_call_in_every_state_is_among_the_scenes() {
    let machine = KnownMachine { os: None, shell: None, paths: BTreeSet::from(["/a/web/web".to_owned()]) };
    let scene = Scene { cwd: vec!["a", "web"], way: "cd PATH", is_absolute: false, target: vec!["web"] };
    assert!(scene.expected(StateCheck::CwdEndsWithTarget, &machine));
    assert!(!scene.expected(StateCheck::PathMissing, &machine));
    let elsewhere = Scene { target: vec!["b"], ..scene };
    assert!(!elsewhere.expected(StateCheck::CwdEndsWithTarget, &machine));
    assert!(elsewhere.expected(StateCheck::PathMissing, &machine));
}

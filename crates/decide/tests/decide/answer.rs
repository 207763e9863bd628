//! What a tool call gets, told case by case.

use std::collections::{HashMap, HashSet};

use lessons_decide::answer::{Advice, Answer, Decision, Situation, answer};
use lessons_decide::approval::GuardedPaths;
use lessons_decide::claims::{Bump, Claim, Insistence, MOST_REFUSALS, Memory};
use lessons_decide::opening::{Source, opening};
use lessons_home::machine::ThisMachine;
use lessons_index::manifest::{LessonEntry, Manifest};
use lessons_lesson::call::Call;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Mode, Subject, When};
use lessons_lesson::project::ProjectLocation;
use lessons_pattern::trigger::TriggerKind;

use crate::setting::{self, bash, indexed, terms};

/// Claims in memory, with the same meaning as the ones on disk.
#[derive(Default)]
struct InMemory {
    told: HashSet<QualifiedId>,
    bumped: HashSet<(QualifiedId, String)>,
    refusals: HashMap<QualifiedId, u8>,
    settled: HashSet<QualifiedId>,
    off: HashSet<QualifiedId>,
}

impl Memory for InMemory {
    fn is_off(&self, lesson: &QualifiedId) -> bool {
        self.off.contains(lesson)
    }
    fn tell(&mut self, lesson: &QualifiedId) -> Claim {
        if self.told.insert(lesson.clone()) { Claim::Won } else { Claim::Taken }
    }
    fn bump(&mut self, lesson: &QualifiedId, subject: &str, _: Insistence) -> Bump {
        if self.settled.contains(lesson) {
            return Bump::Settled;
        }
        if !self.bumped.insert((lesson.clone(), subject.to_owned())) {
            self.settled.insert(lesson.clone());
            return Bump::Passes;
        }
        let refusals = self.refusals.entry(lesson.clone()).or_default();
        *refusals += 1;
        if *refusals <= MOST_REFUSALS { Bump::Refuses } else { Bump::Settled }
    }
    fn take_back(&mut self) {}
}

/// Nothing can be written.
struct NoMemory;

impl Memory for NoMemory {
    fn is_off(&self, _: &QualifiedId) -> bool {
        false
    }
    fn tell(&mut self, _: &QualifiedId) -> Claim {
        Claim::Unrecorded
    }
    fn bump(&mut self, _: &QualifiedId, _: &str, _: Insistence) -> Bump {
        Bump::Unrecorded
    }
    fn take_back(&mut self) {}
}

/// A lesson about a command, `cmd` with the text `full-ID`.
fn entry(id: &str, mode: Mode) -> LessonEntry {
    let mut terms = terms(id);
    terms.mode = mode;
    terms.triggers = vec![0];
    terms.subject = if mode.refuses() { Subject::Executable } else { Subject::Command };
    let brief = format!("brief\n[lesson {id}]\n");
    LessonEntry { brief, ..LessonEntry::new(terms, format!("full-{id}\n[lesson {id}]\n")) }
}

/// A manifest of `lessons` over these triggers: a command `cmd`, another command `safe`, TypeScript
/// files, the keyword `big cat`, the tool `Edit`, and content with `fetch(`.
fn manifest(lessons: Vec<LessonEntry>) -> Manifest {
    let triggers = [
        (TriggerKind::CommandPattern, r"\bcmd\b"),
        (TriggerKind::CommandPattern, r"--safe"),
        (TriggerKind::FileGlob, "src/**/*.ts"),
        (TriggerKind::Keyword, "big cat"),
        (TriggerKind::Tool, "Edit"),
        (TriggerKind::ContentPattern, r"fetch\("),
    ];
    setting::manifest(&triggers, lessons)
}

const SAFE: u32 = 1;
const TYPESCRIPT: u32 = 2;
const KEYWORD: u32 = 3;
const EDIT: u32 = 4;
const FETCH: u32 = 5;

fn edit<'a>(path: &'a str, content: &'a str) -> Call<'a> {
    Call {
        tool: "Edit".into(),
        paths: vec![path.into()],
        texts: Vec::new(),
        contents: vec![content.into()],
        cwd: Some("/p".into()),
        ..Call::default()
    }
}

/// Asks as the main thread.
fn ask(manifest: &Manifest, call: &Call<'_>, memory: &mut dyn Memory) -> Answer {
    ask_as("main", manifest, call, memory)
}

fn ask_as(agent: &str, manifest: &Manifest, call: &Call<'_>, memory: &mut dyn Memory) -> Answer {
    setting::ask(manifest, call, agent, &Advice::default(), memory, &mut ())
}

/// The ids of the lessons told or refused with.
fn ids(answer: &Answer) -> Vec<String> {
    match &answer.decision {
        Decision::Advise { lessons, .. } | Decision::Refuse { lessons, .. } => {
            lessons.iter().map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    }
}

/// The ids that a call gets from a fresh memory.
fn told(manifest: &Manifest, call: &Call<'_>) -> Vec<String> {
    ids(&ask(manifest, call, &mut InMemory::default()))
}

fn text(answer: &Answer) -> &str {
    match &answer.decision {
        Decision::Advise { text, .. } | Decision::Refuse { text, .. } => text,
        other => panic!("no text in {other:?}"),
    }
}

#[test]
fn a_call_that_matches_nothing_gets_nothing() {
    let manifest = manifest(vec![entry("user/a", Mode::Advise)]);
    assert_eq!(ask(&manifest, &bash("ls"), &mut InMemory::default()).decision, Decision::Silent);
    assert_eq!(ask(&manifest, &bash(""), &mut InMemory::default()).decision, Decision::Silent);
}

#[test]
fn an_edit_is_not_refused_for_what_it_leaves_as_it_was() {
    let manifest = {
        let mut entry = entry("user/a", Mode::Block);
        entry.terms.triggers = vec![FETCH];
        manifest(vec![entry])
    };
    let refused = |old: &'static str, new: &'static str| {
        let call = Call { replaced: vec![old.into()], ..edit("src/a.ts", new) };
        let answer = ask(&manifest, &call, &mut InMemory::default());
        assert_eq!(ids(&answer), ["user/a"], "it is told all the same");
        matches!(answer.decision, Decision::Refuse { .. })
    };
    assert!(refused("let a = 1;", "let a = fetch(1);"));
    assert!(refused("fetch(1);\nlet a = 1;", "fetch(1);\nlet a = fetch(2);"), "one more");
    assert!(refused("fetch(1);", "fetch(1);\nfetch(1);"), "the same once more");
    assert!(!refused("fetch(1);\nlet a = 1;", "fetch(1);\nlet a = 2;"));
    let call = Call { replaced: vec!["fetch(1)".into()], ..edit("src/a.ts", "get(1)") };
    assert_eq!(told(&manifest, &call), Vec::<String>::new());
}

#[test]
fn a_keyword_fires_whatever_the_case_of_its_letters() {
    // Its words were once looked for in a copy in which only ASCII letters were made small.
    let mut manifest = {
        let mut entry = entry("user/a", Mode::Block);
        entry.terms.triggers = vec![KEYWORD];
        manifest(vec![entry])
    };
    manifest.triggers[KEYWORD as usize].pattern = "über uns".into();
    for command in ["cat über/uns.html", "cat ÜBER/Uns.html"] {
        let answer = ask(&manifest, &bash(command), &mut NoMemory);
        assert!(matches!(answer.decision, Decision::Refuse { .. }), "{command}");
    }
}

#[test]
fn a_lesson_is_told_once() {
    let manifest = manifest(vec![entry("user/a", Mode::Advise)]);
    let mut memory = InMemory::default();
    assert_eq!(ids(&ask(&manifest, &bash("cmd"), &mut memory)), ["user/a"]);
    assert_eq!(ask(&manifest, &bash("cmd"), &mut memory).decision, Decision::Silent);
}

#[test]
fn the_order_is_layer_priority_relevance_newest_id() {
    let mut lessons = Vec::new();
    let mut add = |id: &str, change: &dyn Fn(&mut LessonEntry)| {
        let mut lesson = entry(id, Mode::Advise);
        change(&mut lesson);
        lessons.push(lesson);
    };
    add("user/b-oldest", &|_| {});
    add("user/a-newest", &|lesson| lesson.terms.created_at = "2026-05-01".into());
    add("user/z-first", &|lesson| lesson.terms.priority = 9);
    add("user/particular", &|lesson| lesson.terms.triggers = vec![0, 3]);
    add("seed/ten", &|lesson| lesson.terms.priority = 10);
    lessons.sort_by(|a, b| a.terms.id.cmp(&b.terms.id));
    let mut manifest = manifest(lessons);
    manifest.triggers[0].document_frequency = 4;
    manifest.settings.budget_lessons = 10;
    assert_eq!(
        told(&manifest, &bash("cmd big cat")),
        ["user/z-first", "user/particular", "user/a-newest", "user/b-oldest", "seed/ten"]
    );
}

#[test]
fn at_most_three_lessons_are_told_and_the_rest_at_a_later_call() {
    let manifest =
        manifest(["user/a", "user/b", "user/c", "user/d"].map(|id| entry(id, Mode::Advise)).to_vec());
    let mut memory = InMemory::default();
    assert_eq!(ids(&ask(&manifest, &bash("cmd"), &mut memory)), ["user/a", "user/b", "user/c"]);
    assert_eq!(ids(&ask(&manifest, &bash("cmd"), &mut memory)), ["user/d"]);
}

#[test]
fn what_does_not_fit_is_told_in_short_or_later_and_the_budget_holds() {
    let mut lessons = ["user/a", "user/b", "user/c"].map(|id| entry(id, Mode::Advise));
    lessons[0].full = "x".repeat(500);
    lessons[1].full = "y".repeat(500);
    lessons[2].full = "z".repeat(500);
    lessons[2].brief = "z".repeat(400);
    let mut manifest = manifest(lessons.to_vec());
    manifest.settings.budget_bytes = 800;
    let mut memory = InMemory::default();
    let answer = ask(&manifest, &bash("cmd"), &mut memory);
    assert_eq!(ids(&answer), ["user/a", "user/b"]);
    assert!(text(&answer).contains("xxx") && text(&answer).contains("brief\n[lesson user/b]"));
    assert!(text(&answer).len() <= 800, "{}", text(&answer).len());
    // The third was not claimed: it comes at the next call.
    assert_eq!(ids(&ask(&manifest, &bash("cmd"), &mut memory)), ["user/c"]);
}

#[test]
fn a_lost_claim_uses_no_budget() {
    let manifest =
        manifest(["user/a", "user/b", "user/c", "user/d"].map(|id| entry(id, Mode::Advise)).to_vec());
    let mut memory = InMemory::default();
    memory.tell(&"user/a".parse().unwrap());
    assert_eq!(ids(&ask(&manifest, &bash("cmd"), &mut memory)), ["user/b", "user/c", "user/d"]);
}

#[test]
fn a_block_refuses_every_time_whatever_its_rank() {
    let mut block = entry("user/zz", Mode::Block);
    block.terms.priority = 1;
    let manifest = manifest(vec![entry("user/a", Mode::Advise), entry("user/b", Mode::Bump), block]);
    let mut memory = InMemory::default();
    for _ in 0..5 {
        let answer = ask(&manifest, &bash("cmd"), &mut memory);
        assert_eq!(ids(&answer), ["user/zz"]);
        assert!(text(&answer).contains("`lessons off user/zz`"));
    }
    assert!(memory.told.is_empty() && memory.bumped.is_empty(), "a refused call claims nothing");
}

#[test]
fn a_bump_refuses_then_lets_the_same_call_pass() {
    let manifest = manifest(vec![entry("user/a", Mode::Bump), entry("user/b", Mode::Advise)]);
    let mut memory = InMemory::default();
    let refused = ask(&manifest, &bash("cmd one"), &mut memory);
    assert_eq!(ids(&refused), ["user/a"]);
    assert!(text(&refused).contains("Make the same call again"));
    assert!(memory.told.is_empty(), "a refused call shows no advice");
    assert_eq!(ids(&ask(&manifest, &bash("cmd two"), &mut memory)), ["user/a"]);
    let passed = ask(&manifest, &bash("cmd one"), &mut memory);
    assert_eq!((ids(&passed), passed.passed.len()), (vec!["user/b".to_owned()], 1));
    assert_eq!(ask(&manifest, &bash("cmd three"), &mut memory).decision, Decision::Silent);
}

#[test]
fn a_small_budget_switches_no_refusal_off() {
    for mode in [Mode::Bump, Mode::Block] {
        let mut lesson = entry("user/a", mode);
        lesson.full = "x".repeat(900);
        lesson.brief = format!("{}\n[lesson user/a]\n", "x".repeat(500));
        let mut manifest = manifest(vec![lesson]);
        manifest.settings.budget_bytes = 256;
        let answer = ask(&manifest, &bash("cmd"), &mut InMemory::default());
        assert_eq!(ids(&answer), ["user/a"]);
        assert!(text(&answer).contains("[lesson user/a]\n</recorded-lessons>"), "{}", text(&answer));
    }
}

#[test]
fn a_quoted_text_is_never_refused() {
    let manifest = manifest(vec![entry("user/a", Mode::Bump)]);
    assert!(told(&manifest, &bash("git commit -m 'use cmd with care'")).is_empty());
    assert_eq!(told(&manifest, &bash("git commit -m x && cmd")), ["user/a"]);
    assert_eq!(told(&manifest, &bash("sh -c 'cmd now'")), ["user/a"]);
}

#[test]
fn an_anchored_pattern_sees_what_an_inner_shell_runs() {
    let mut manifest = manifest(vec![entry("user/a", Mode::Bump)]);
    manifest.triggers[0].pattern = "^cmd$".into();
    assert_eq!(told(&manifest, &bash("sh -c 'cmd'")), ["user/a"]);
    assert_eq!(told(&manifest, &bash("ls\ncmd\npwd")), ["user/a"]);
    assert!(told(&manifest, &bash("echo cmd")).is_empty());
}

#[test]
fn where_nothing_can_be_recorded_a_bump_advises() {
    let manifest = manifest(vec![entry("user/a", Mode::Bump)]);
    for _ in 0..2 {
        let answer = ask(&manifest, &bash("cmd"), &mut NoMemory);
        assert!(matches!(answer.decision, Decision::Advise { .. }));
    }
}

#[test]
fn unless_vetoes_and_also_must_match() {
    let mut lesson = entry("user/a", Mode::Advise);
    lesson.terms.unless = vec![SAFE];
    let vetoed = manifest(vec![lesson]);
    assert_eq!(told(&vetoed, &bash("cmd")), ["user/a"]);
    assert!(told(&vetoed, &bash("cmd --safe")).is_empty());

    let mut lesson = entry("user/b", Mode::Advise);
    lesson.terms.triggers = vec![TYPESCRIPT];
    lesson.terms.also = vec![FETCH];
    let both = manifest(vec![lesson]);
    assert_eq!(told(&both, &edit("src/a/b.ts", "await fetch(url)")), ["user/b"]);
    assert_eq!(told(&both, &edit("/p/src/b.ts", "await fetch(url)")), ["user/b"]);
    assert!(told(&both, &edit("src/a.ts", "x")).is_empty());
    assert!(told(&both, &edit("/elsewhere/src/a.ts", "fetch(")).is_empty());
}

#[test]
fn a_tool_narrows_and_a_tool_trigger_is_enough() {
    let mut lesson = entry("user/a", Mode::Advise);
    lesson.terms.tools = vec!["Read".into()];
    assert!(told(&manifest(vec![lesson]), &bash("cmd")).is_empty());
    let mut lesson = entry("user/b", Mode::Advise);
    lesson.terms.triggers = vec![EDIT];
    assert_eq!(told(&manifest(vec![lesson]), &edit("x", "")), ["user/b"]);
}

#[test]
fn a_trigger_for_task_means_agent() {
    let mut lesson = entry("user/a", Mode::Advise);
    lesson.terms.triggers = vec![EDIT];
    let mut manifest = manifest(vec![lesson]);
    manifest.triggers[EDIT as usize].pattern = "Task".into();
    let call = Call { tool: "Agent".into(), ..Call::default() };
    assert_eq!(told(&manifest, &call), ["user/a"]);
}

#[test]
fn a_keyword_is_a_run_of_words_and_no_part_of_one() {
    let mut lesson = entry("user/a", Mode::Advise);
    lesson.terms.triggers = vec![KEYWORD];
    let manifest = manifest(vec![lesson]);
    assert_eq!(told(&manifest, &bash("run big-cat")), ["user/a"]);
    assert_eq!(told(&manifest, &edit("lib/Big_Cat.rs", "")), ["user/a"]);
    assert!(told(&manifest, &bash("big category")).is_empty());
    assert!(told(&manifest, &bash("cat big")).is_empty());
}

#[test]
fn a_scope_of_projects_and_agents_holds() {
    let mut lesson = entry("user/a", Mode::Advise);
    lesson.terms.roots = Some(vec!["/p".into()]);
    assert_eq!(told(&manifest(vec![lesson.clone()]), &bash("cmd")), ["user/a"]);
    lesson.terms.roots = Some(vec!["/other".into()]);
    assert!(told(&manifest(vec![lesson.clone()]), &bash("cmd")).is_empty());
    lesson.terms.roots = None;
    lesson.terms.agents = vec!["Explore".into()];
    let manifest = manifest(vec![lesson]);
    assert!(told(&manifest, &bash("cmd")).is_empty());
    let sub = ask_as("Explore", &manifest, &bash("cmd"), &mut InMemory::default());
    assert_eq!(ids(&sub), ["user/a"]);
}

#[test]
fn the_environment_silences_advice_and_never_a_refusal() {
    let manifest = manifest(vec![entry("user/a", Mode::Advise), entry("user/b", Mode::Bump)]);
    let quiet = Advice::from_variables(None, Some("other, ,a , user/b"));
    let mut memory = InMemory::default();
    let mut ask =
        |advice: &Advice| setting::ask(&manifest, &bash("cmd"), "main", advice, &mut memory, &mut ());
    assert_eq!(ids(&ask(&quiet)), ["user/b"]);
    assert_eq!(ask(&quiet).decision, Decision::Silent);
    assert_eq!(ask(&Advice::from_variables(Some("0"), None)).decision, Decision::Silent);
    assert_eq!(ids(&ask(&Advice::default())), ["user/a"]);
}

#[test]
fn what_is_off_for_the_session_is_silent_whatever_its_mode() {
    for mode in [Mode::Advise, Mode::Bump, Mode::Block] {
        let manifest = manifest(vec![entry("user/a", mode), entry("user/b", Mode::Advise)]);
        let mut memory = InMemory { off: HashSet::from(["user/a".parse().unwrap()]), ..InMemory::default() };
        assert_eq!(ids(&ask(&manifest, &bash("cmd"), &mut memory)), ["user/b"], "{mode:?}");
    }
}

#[test]
fn what_the_user_switched_off_is_off_until_then() {
    let mut lesson = entry("user/a", Mode::Block);
    lesson.terms.off_until = Some(2000);
    assert!(told(&manifest(vec![lesson.clone()]), &bash("cmd")).is_empty());
    lesson.terms.off_until = Some(1000);
    let mut manifest = manifest(vec![lesson]);
    assert_eq!(told(&manifest, &bash("cmd")), ["user/a"]);
    manifest.settings.off_until = Some(2000);
    assert!(told(&manifest, &bash("cmd")).is_empty());
    manifest.settings.off_until = None;
    manifest.settings.enabled = false;
    assert!(told(&manifest, &bash("cmd")).is_empty());
}

#[test]
fn a_command_that_decides_about_lessons_is_put_to_the_person_even_without_an_index() {
    let call = bash("lessons promote 3f2a");
    let place = ProjectLocation::at(None, &ThisMachine);
    let guarded = GuardedPaths { home: "/home/u/.local/share/lessons", user_home: Some("/home/u") };
    let situation = Situation {
        index: None,
        call: &call,
        agent: "main",
        place: &place,
        guarded: &guarded,
        advice: &Advice::default(),
        clock: &0,
    };
    let answer = answer(&situation, &mut InMemory::default()).unwrap();
    assert!(matches!(answer.decision, Decision::Question(_)), "{answer:?}");
}

#[test]
fn a_session_opens_with_the_protocol_and_its_lessons() {
    let mut low = entry("user/low", Mode::Advise);
    let mut high = entry("user/high", Mode::Advise);
    low.terms.when = When::Session;
    high.terms.when = When::Session;
    high.terms.priority = 9;
    let manifest = manifest(vec![high, low, entry("user/tool", Mode::Advise)]);
    let place = ProjectLocation::fixed("/p");
    let mut memory = InMemory::default();
    let loaded = indexed(&manifest);
    let index = loaded.ask().unwrap();
    let mut open = |source| {
        let opening = opening(&index, source, &place, &Advice::default(), 0, &mut memory).unwrap();
        opening.map(|opening| opening.lessons)
    };
    let names = |ids: Vec<QualifiedId>| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(open(Source::Resume), None);
    assert_eq!(open(Source::Fork), None);
    assert_eq!(names(open(Source::Startup).unwrap()), ["user/high", "user/low"]);
    // Still claimed: a compaction that forgot nothing repeats the protocol alone.
    assert_eq!(open(Source::Compact).unwrap(), []);
}

#[test]
fn ten_thousand_lessons_on_one_call_stay_within_the_budget() {
    let lessons = (0..10_000).map(|n| entry(&format!("user/l{n:05}"), Mode::Advise)).collect();
    let manifest = manifest(lessons);
    assert_eq!(told(&manifest, &bash("cmd")).len(), 3);
}

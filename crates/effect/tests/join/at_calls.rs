//! What followed in sessions after a lesson was told, refused a call, or kept quiet.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use lessons_decide::claims::session_hash;
use lessons_decide::events::{Event, Outcome};
use lessons_effect::episodes::{self, Arm, Chance, Episode};
use lessons_effect::join::joiner::{JoinReport, Joiner, Pace};
use lessons_effect::join::lessons::MeasuredLessons;
use lessons_effect::statistics::from_rows;
use lessons_home::home::Home;
use lessons_ledger::database::Database;
use lessons_ledger::events;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::{Lesson, Mode, Status};
use lessons_manifest_builder::index;
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_replay::trial::TrialContext;
use serde_json::{Value, json};

use crate::scene::{Scene, compiled, lesson};

/// The start of the sessions, in milliseconds since 1970.
pub(crate) const START: u64 = 1_767_225_600_000;
const MINUTE: u64 = 60 * 1000;
pub(crate) const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A machine with transcripts, events and a database.
pub(crate) struct Machine {
    pub(crate) scene: Scene,
    home: Home,
    database: Database,
    lessons: Vec<Lesson>,
    now: u64,
}

/// A session that is being written.
pub(crate) struct Talk {
    id: String,
    pub(crate) lines: Vec<Value>,
    second: u64,
    agent: Option<&'static str>,
}

impl Machine {
    pub(crate) fn new(lessons: &[Lesson]) -> Self {
        let scene = Scene::new();
        let home = Home::at(scene.root().join("data"));
        let database = Database::open(&home).unwrap();
        Self { scene, home, database, lessons: lessons.to_vec(), now: START + DAY }
    }

    /// Writes a transcript, which was changed last at a time.
    pub(crate) fn write(&self, name: &str, lines: &[Value], changed: u64) -> PathBuf {
        let path = self.scene.write(&format!("projects/{name}"), lines);
        let at = UNIX_EPOCH + Duration::from_millis(changed);
        File::options().append(true).open(&path).unwrap().set_modified(at).unwrap();
        path
    }

    pub(crate) fn put(&self, talk: &Talk) {
        self.write(&format!("-srv-app/{}.jsonl", talk.id), &talk.lines, START + HOUR);
    }

    pub(crate) fn event(&mut self, session: &str, call: &str, outcome: Outcome, lesson: &str) {
        self.event_of("main", START + MINUTE, session, call, outcome, lesson);
    }

    pub(crate) fn event_of(
        &mut self,
        agent: &str,
        time: u64,
        session: &str,
        call: &str,
        outcome: Outcome,
        lesson: &str,
    ) {
        let event = Event {
            session: session_hash(session),
            call: call.into(),
            agent: agent.into(),
            ..Event::new(outcome, vec![lesson.into()], time)
        };
        event.append(&self.home.events());
        events::take_in(&self.home, &mut self.database, START + MINUTE).unwrap();
    }

    pub(crate) fn join(&mut self) -> JoinReport {
        let mut in_force = self.lessons.clone();
        in_force.retain(|lesson| lesson.status == Status::Active);
        let index = index::in_memory(&compiled(&in_force), &Patterns::default()).unwrap();
        let recorded: Vec<_> = self
            .lessons
            .iter()
            .map(|lesson| (QualifiedId { layer: Layer::User, id: lesson.id.clone() }, lesson.clone()))
            .collect();
        let lessons = MeasuredLessons::of(index, &recorded, &|_| None).unwrap();
        let context = TrialContext { home: "/nowhere/lessons", user_home: None, now: self.now };
        let joiner = Joiner {
            roots: &[self.scene.root().join("projects")],
            lessons: &lessons,
            context,
            pace: Pace::Background,
        };
        joiner.join(&mut self.database, &mut |_, _| ControlFlow::Continue(())).unwrap()
    }

    pub(crate) fn episodes(&self) -> Vec<Episode> {
        episodes::all(&self.database).unwrap().into_iter().map(|(_, episode)| episode).collect()
    }

    /// The only episode.
    pub(crate) fn episode(&mut self) -> Episode {
        self.join();
        let mut episodes = self.episodes();
        assert_eq!(episodes.len(), 1, "{episodes:?}");
        episodes.remove(0)
    }
}

impl Talk {
    pub(crate) fn new(id: &str) -> Self {
        let prompt = json!({"type": "user", "uuid": format!("{id}-p"), "cwd": "/srv/app",
            "message": {"role": "user", "content": "do it"}});
        Self { id: id.into(), lines: vec![prompt], second: 0, agent: None }
    }

    pub(crate) fn of_agent(id: &str, agent: &'static str) -> Self {
        Self { agent: Some(agent), lines: Vec::new(), ..Self::new(id) }
    }

    pub(crate) fn line(&mut self, mut line: Value) {
        self.second += 1;
        let n = self.second;
        let shared = json!({"uuid": format!("{}{}-{n}", self.id, self.agent.unwrap_or("")), "cwd": "/srv/app",
            "timestamp": format!("2026-01-01T00:{:02}:{:02}Z", n / 60, n % 60)});
        for (name, value) in shared.as_object().unwrap() {
            line[name] = value.clone();
        }
        if let Some(agent) = self.agent {
            line["isSidechain"] = true.into();
            line["agentId"] = agent.into();
        }
        self.lines.push(line);
    }

    /// One answer of the model with these commands, and their results: those with `!` in front fail.
    pub(crate) fn calls(&mut self, message: &str, commands: &[&str]) -> &mut Self {
        let id = |number: usize| format!("{message}-{number}");
        for (number, command) in commands.iter().enumerate() {
            let command = command.trim_start_matches('!');
            let used =
                json!({"type": "tool_use", "id": id(number), "name": "Bash", "input": {"command": command}});
            let usage = json!({"input_tokens": 10, "output_tokens": 20, "cache_creation_input_tokens": 40,
                "cache_read_input_tokens": 1000});
            self.line(json!({"type": "assistant", "message": {"role": "assistant", "id": message,
                "model": "claude-opus-5-5", "content": [used], "usage": usage}}));
        }
        for (number, command) in commands.iter().enumerate() {
            let failed = command.starts_with('!');
            let content = if failed { "Exit code 1\nno" } else { "fine" };
            let result = json!({"type": "tool_result", "tool_use_id": id(number), "is_error": failed, "content": content});
            self.line(json!({"type": "user", "message": {"role": "user", "content": [result]}}));
        }
        self
    }

    /// The text of a hook at a call.
    pub(crate) fn told(&mut self, call: &str, lesson: &str) -> &mut Self {
        let text = lessons_lesson::render::advice(&[format!("{}.\n[lesson {lesson}]\n", "x".repeat(100))]);
        self.line(json!({"type": "attachment", "attachment":
            {"type": "hook_additional_context", "content": [text], "toolUseID": call}}));
        self
    }

    /// The text of the hook when the session started, or after a compaction.
    pub(crate) fn opened(&mut self, lesson: &str) -> &mut Self {
        self.told("SessionStart", lesson)
    }

    pub(crate) fn compacted(&mut self) -> &mut Self {
        self.line(json!({"type": "system", "subtype": "compact_boundary"}));
        self
    }
}

pub(crate) fn push() -> Lesson {
    let mut lesson = lesson("push", &[(TriggerKind::CommandPattern, r"\bfrob\s+push\b")]);
    lesson.unless = vec![Trigger::new(TriggerKind::CommandPattern, r"\s--safe\b")];
    lesson
}

#[test]
fn a_told_lesson_is_followed_by_what_comes_in_a_later_answer() {
    let mut machine = Machine::new(&[push()]);
    let mut talk = Talk::new("s");
    talk.calls("a", &["ls"]).calls("b", &["!frob push x", "frob push y"]).told("b-0", "user/push");
    talk.calls("c", &["frob push --safe x"]).calls("d", &["!frob push z", "ls"]).calls("e", &["frob push w"]);
    machine.put(&talk);
    machine.event("s", "b-0", Outcome::Told, "user/push");
    let episode = machine.episode();
    assert_eq!((episode.arm, episode.again), (Arm::Told, 2), "the parallel call is not later");
    assert_eq!((episode.untold, episode.followed), (Some(Chance::Wrong), Some(Chance::Right)));
    assert_eq!(episode.model, "claude-opus-5-5");
    assert!(!episode.is_event_lost);
    // Written once at 1.25, read at 0.1 by the requests after the next one: d has one, e is the second.
    let bytes = f64::from(
        u32::try_from(
            talk.lines.iter().find_map(|line| line["attachment"]["content"][0].as_str()).unwrap().len(),
        )
        .unwrap(),
    );
    assert!((bytes / 4.0 * 1.45 - f64::from(u32::try_from(episode.cost).unwrap())).abs() <= 0.5);
}

#[test]
fn what_comes_after_a_compaction_reads_no_text() {
    let mut machine = Machine::new(&[push()]);
    let mut talk = Talk::new("s");
    talk.calls("a", &["frob push x"]).told("a-0", "user/push").calls("b", &["ls"]).calls("c", &["ls"]);
    talk.compacted().calls("d", &["ls"]).calls("e", &["ls"]);
    machine.put(&talk);
    machine.event("s", "a-0", Outcome::Told, "user/push");
    let episode = machine.episode();
    assert_eq!((episode.again, episode.followed), (0, None));
    let text = talk.lines.iter().find_map(|line| line["attachment"]["content"][0].as_str()).unwrap();
    let tokens = f64::from(u32::try_from(text.len()).unwrap()) / 4.0;
    let cost = f64::from(u32::try_from(episode.cost).unwrap());
    assert!((tokens * 1.35 - cost).abs() <= 0.5, "c alone reads it again: {cost} of {tokens}");
}

#[test]
fn sub_agents_are_contexts_of_their_own() {
    let mut machine = Machine::new(&[push()]);
    let mut main = Talk::new("s");
    main.calls("a", &["frob push x"]).told("a-0", "user/push").calls("b", &["ls"]);
    let mut agent = Talk::of_agent("s", "a1");
    agent.calls("c", &["frob push x"]).told("c-0", "user/push").calls("d", &["frob push x"]);
    machine.put(&main);
    machine.write("-srv-app/s/subagents/agent-a1.jsonl", &agent.lines, START + HOUR);
    for call in ["a-0", "c-0"] {
        machine.event("s", call, Outcome::Told, "user/push");
    }
    let episode = machine.episode();
    assert_eq!((episode.again, episode.untold), (1, Some(Chance::Wrong)));
}

#[test]
fn without_a_word_of_the_hook_the_first_match_counts() {
    let mut machine = Machine::new(&[push()]);
    let mut talk = Talk::new("s");
    talk.calls("a", &["frob push --safe x"]).calls("b", &["frob push x"]).calls("c", &["frob push x"]);
    machine.put(&talk);
    let mut right = Talk::new("t");
    right.calls("q", &["frob push --safe x"]);
    machine.put(&right);
    machine.join();
    let episodes = machine.episodes();
    let of = |arm| episodes.iter().find(|episode| episode.arm == arm).unwrap();
    let quiet = of(Arm::Quiet);
    assert_eq!((quiet.again, quiet.untold, quiet.followed), (1, Some(Chance::Right), None));
    let unprompted = of(Arm::Unprompted);
    assert_eq!((unprompted.again, unprompted.untold), (0, Some(Chance::Right)));
}

#[test]
fn a_block_that_something_else_dropped_counts_as_neither_blocked_nor_obeyed() {
    let mut block = push();
    block.mode = Mode::Block;
    block.examples.fires = vec![lessons_lesson::lesson::SampleCall::bash("frob push x")];
    let mut machine = Machine::new(&[block]);
    let mut talk = Talk::new("s");
    talk.calls("one", &["frob push x"]).calls("two", &["ls"]);
    machine.put(&talk);
    machine.event("s", "one-0", Outcome::Refused, "user/push");
    machine.join();
    let episode = machine.episode();
    assert_eq!((episode.arm, episode.refused(), episode.cost), (Arm::Queried, 0, 0));
}

#[test]
fn after_a_refusal_a_call_is_changed_made_again_or_given_up() {
    let mut bump = push();
    bump.mode = Mode::Bump;
    bump.examples.fires = vec![lessons_lesson::lesson::SampleCall::bash("frob push x")];
    let mut machine = Machine::new(&[bump]);
    for (session, then, passes) in [
        ("changed", "frob pull", false),
        ("right", "frob push --safe x", false),
        ("again", "frob push x", true),
        ("given-up", "ls", false),
    ] {
        let mut talk = Talk::new(session);
        talk.calls(&format!("{session}1"), &["!frob push x"]).calls(&format!("{session}2"), &[then]);
        machine.put(&talk);
        machine.event(session, &format!("{session}1-0"), Outcome::Refused, "user/push");
        if passes {
            machine.event(session, &format!("{session}2-0"), Outcome::Passed, "user/push");
        }
    }
    machine.join();
    let episodes = machine.episodes();
    assert!(episodes.iter().all(|episode| episode.arm == Arm::Refused && episode.refused() == 1));
    let sum = |count: fn(&Episode) -> u64| episodes.iter().map(count).sum::<u64>();
    assert_eq!((sum(|it| it.changed), sum(|it| it.overruled), sum(|it| it.given_up)), (2, 1, 1));
    assert_eq!(sum(|it| u64::from(it.is_first_overruled)), 1);
}

#[test]
fn what_a_query_showed_counts_neither_as_told_nor_as_untold() {
    let mut machine = Machine::new(&[push()]);
    for session in ["queried", "in-shell", "untold"] {
        machine.put(Talk::new(session).calls(&format!("{session}1"), &["frob push x"]));
    }
    machine.event_of("mcp", START, "queried", "", Outcome::Told, "user/push");
    machine.event_of("shell", START, "in-shell", "", Outcome::Shown, "user/push");
    machine.join();
    let mut arms: Vec<Arm> = machine.episodes().iter().map(|episode| episode.arm).collect();
    arms.sort_unstable();
    assert_eq!(arms, [Arm::Quiet, Arm::Queried, Arm::Queried]);
}

#[test]
fn a_copy_of_a_session_has_no_episodes() {
    let mut machine = Machine::new(&[push()]);
    let mut talk = Talk::new("one");
    talk.calls("a", &["frob push x"]);
    machine.put(&talk);
    machine.join();
    talk.calls("b", &["frob push x"]);
    machine.write("-srv-app/two.jsonl", &talk.lines, START + 2 * HOUR);
    let report = machine.join();
    assert_eq!(report.sessions, 1);
    assert_eq!(machine.episodes().len(), 1);
}

#[test]
fn a_lost_event_is_marked_and_an_undelivered_text_is_not_followed() {
    let mut machine = Machine::new(&[push()]);
    let mut lost = Talk::new("lost");
    lost.calls("a", &["frob push x"]).told("a-0", "user/push").calls("a2", &["frob push --safe x"]);
    let mut undelivered = Talk::new("undelivered");
    undelivered.calls("b", &["frob push x"]).calls("b2", &["frob push --safe x"]);
    machine.put(&lost);
    machine.put(&undelivered);
    machine.event("undelivered", "b-0", Outcome::Told, "user/push");
    machine.join();
    let episodes = machine.episodes();
    assert!(episodes.iter().all(|episode| episode.arm == Arm::Told));
    let marks: BTreeMap<bool, Option<bool>> = episodes
        .iter()
        .map(|it| (it.is_event_lost, it.followed.map(|chance| chance == Chance::Right)))
        .collect();
    assert_eq!(marks, BTreeMap::from([(true, Some(true)), (false, None)]));
}

#[test]
fn a_session_is_joined_once_it_is_quiet_and_again_when_it_goes_on() {
    let mut machine = Machine::new(&[push()]);
    let mut talk = Talk::new("s");
    talk.calls("a", &["frob push x"]);
    machine.put(&talk);
    machine.now = START + 2 * HOUR - 1;
    let report = machine.join();
    assert_eq!((report.sessions, report.next), (0, Some(START + 2 * HOUR)));
    machine.now = START + 2 * HOUR;
    assert_eq!(machine.join().sessions, 1);
    assert_eq!(machine.join().sessions, 0, "nothing is new");
    talk.calls("b", &["frob push x"]);
    machine.write("-srv-app/s.jsonl", &talk.lines, START + 2 * HOUR);
    machine.now = START + DAY;
    assert_eq!(machine.episode().again, 1);
}

#[test]
fn an_edited_lesson_begins_a_series_of_its_own() {
    let mut machine = Machine::new(&[push()]);
    let mut talk = Talk::new("told");
    talk.calls("a", &["frob push x"]).told("a-0", "user/push");
    machine.put(&talk);
    let mut quiet = Talk::new("quiet");
    quiet.calls("b", &["frob push x"]);
    machine.put(&quiet);
    machine.event("told", "a-0", Outcome::Told, "user/push");
    machine.join();
    machine.lessons[0].rule = "Something else.".into();
    assert_eq!(machine.join().sessions, 2, "every session is joined with the new revision");
    let episodes = episodes::all(&machine.database).unwrap();
    let old = episodes.iter().map(|(revision, _)| revision.id).min().unwrap();
    let arms: Vec<(bool, Arm)> =
        episodes.iter().map(|(revision, episode)| (revision.id != old, episode.arm)).collect();
    let of_new: Vec<_> = arms.iter().filter(|(is_new, _)| *is_new).collect();
    assert_eq!(of_new, [&(true, Arm::Quiet)], "what was told before is not its own");
    assert_eq!(arms.len(), 3);
}

#[test]
fn a_wrong_clock_a_cut_file_and_a_year_ago_harm_nothing() {
    let mut machine = Machine::new(&[push()]);
    let mut talk = Talk::new("cut");
    talk.calls("a", &["frob push x"]).calls("b", &["frob push x"]);
    let whole = talk.lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    machine.scene.write_raw("projects/-srv-app/cut.jsonl", &whole.as_bytes()[..whole.len() - 300]);
    machine.write(
        "-srv-app/future.jsonl",
        &Talk::new("future").calls("c", &["frob push x"]).lines,
        START + 40 * DAY,
    );
    machine.write(
        "-srv-app/old.jsonl",
        &Talk::new("old").calls("d", &["frob push x"]).lines,
        START - 400 * DAY,
    );
    machine.now = START + 30 * DAY;
    let report = machine.join();
    assert_eq!((report.sessions, report.skipped.len()), (2, 0), "the old one is left alone: {report:?}");
    assert!(machine.episodes().iter().all(|episode| episode.first >= START));
    assert_eq!(machine.join().sessions, 0);
}

/// Sessions in which the mistake comes again at a known rate, by what the hook did. The generator is splitmix64.
#[test]
fn a_known_rate_of_repeats_is_given_back() {
    let mut machine = Machine::new(&[push()]);
    let mut state = 7_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % 100 < limit
    };
    let mut expected: BTreeMap<Arm, (u64, u64)> = BTreeMap::new();
    for number in 0..200 {
        let id = format!("s{number}");
        let is_told = below(50);
        let comes_again = below(if is_told { 20 } else { 50 });
        let mut talk = Talk::new(&id);
        let call = |n: usize| format!("{id}m{n}");
        talk.calls(&call(0), &["ls", "frob push x"]);
        if is_told {
            talk.told(&format!("{}-1", call(0)), "user/push");
            machine.event(&id, &format!("{}-1", call(0)), Outcome::Told, "user/push");
        }
        talk.calls(&call(1), &["ls", if comes_again { "frob push y" } else { "frob push --safe y" }]);
        machine.put(&talk);
        let (again, all) = expected.entry(if is_told { Arm::Told } else { Arm::Quiet }).or_default();
        (*again, *all) = (*again + u64::from(comes_again), *all + 1);
    }
    machine.join();
    let mut found: BTreeMap<Arm, (u64, u64)> = BTreeMap::new();
    for episode in machine.episodes() {
        let (again, all) = found.entry(episode.arm).or_default();
        (*again, *all) = (*again + u64::from(episode.again > 0), *all + 1);
    }
    assert_eq!(found, expected);
    assert!(expected.values().all(|(again, all)| *again > 0 && again < all));
}

#[test]
fn a_retired_lesson_is_joined_on_as_the_same_revision_and_tells_nothing() {
    let mut machine = Machine::new(&[push()]);
    machine.put(Talk::new("before").calls("m1", &["frob push x"]).calls("m2", &["!frob push y"]));
    machine.join();
    assert_eq!(machine.episodes().len(), 1);
    machine.lessons[0].status = Status::Deprecated;
    assert_eq!(machine.join().sessions, 0, "what was joined stays");
    machine.put(Talk::new("after").calls("m1", &["frob push x"]).calls("m2", &["!frob push y"]));
    machine.join();
    let rows = episodes::all(&machine.database).unwrap();
    let [(one, before), (other, after)] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(one, other);
    assert_eq!((before.arm, before.again, after.arm, after.again), (Arm::Quiet, 1, Arm::Quiet, 1));
    let reach = "SELECT kept_quiet FROM joined_session ORDER BY went_wrong, kept_quiet";
    let reached: Vec<u64> = machine.database.select(reach, [], |row| row.get(0)).unwrap();
    assert_eq!(reached, [0, 1], "only while it was in force");
    machine.lessons[0].status = Status::Active;
    assert_eq!(machine.join().sessions, 0, "nor is anything joined again when it is restored");
}

#[test]
fn two_sessions_with_the_mistake_are_enough_to_bring_a_retired_lesson_back() {
    let mut machine = Machine::new(&[push()]);
    machine.lessons[0].status = Status::Deprecated;
    machine.put(Talk::new("once").calls("m1", &["frob push x"]));
    machine.put(Talk::new("twice").calls("m1", &["frob push x"]).calls("m2", &["frob push y"]));
    machine.put(Talk::new("right").calls("m1", &["frob push --safe x"]));
    machine.join();
    let since = |retired, mode| from_rows::came_again(&machine.database, "user/push", retired, mode).unwrap();
    assert_eq!(since(START, Mode::Advise), 1, "a reminder comes after the first call");
    assert_eq!(since(START, Mode::Bump), 2, "a refusal would have stopped it");
    assert_eq!(since(START + DAY, Mode::Bump), 0, "that was before");
}

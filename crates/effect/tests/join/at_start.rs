//! What followed in sessions after a lesson was told when they started.

use lessons_decide::events::Outcome;
use lessons_effect::episodes::{Arm, Chance, Episode};
use lessons_lesson::lesson::{Lesson, When};

use crate::at_calls::{HOUR, Machine, START, Talk, push};
use crate::scene::lesson;

/// [`push`] for the start of sessions.
fn for_the_start() -> Lesson {
    Lesson { when: When::Session, ..push() }
}

/// The opening of a session: the event of it, before its first call.
fn opens(machine: &mut Machine, session: &str) {
    machine.event_of("main", START, session, "", Outcome::Told, "user/push");
}

/// The only episode of a lesson for the start of sessions in a session with these calls, one for each answer. It was told
/// where `told` says so.
fn episode_of(calls: &[&str], told: bool) -> Episode {
    let mut machine = Machine::new(&[for_the_start()]);
    let mut talk = Talk::new("s");
    if told {
        talk.opened("user/push");
        opens(&mut machine, "s");
    }
    for (number, call) in calls.iter().enumerate() {
        talk.calls(&format!("m{number}"), &[call]);
    }
    machine.put(&talk);
    machine.episode()
}

#[test]
fn any_call_that_matches_is_the_mistake() {
    let told = episode_of(&["ls", "!frob push x", "frob push y"], true);
    assert_eq!((told.arm, told.again), (Arm::Told, 2));
    assert_eq!(told.followed, Some(Chance::Wrong), "the first chance came after the text");
    assert_eq!(told.untold, None, "it was told before its first chance");
    assert!(!told.is_event_lost);

    let without = episode_of(&["ls", "frob push --safe x"], true);
    assert_eq!((without.arm, without.again), (Arm::Told, 0));
    assert_eq!(without.followed, Some(Chance::Right));
    let unused = episode_of(&["ls"], true);
    assert_eq!((unused.again, unused.followed), (0, None));
}

#[test]
fn a_session_that_was_not_told_counts_too_with_and_without_the_mistake() {
    let once = episode_of(&["frob push x"], false);
    assert_eq!((once.arm, once.again, once.untold), (Arm::Quiet, 1, Some(Chance::Wrong)));
    let never = episode_of(&["ls"], false);
    assert_eq!((never.arm, never.again, never.untold), (Arm::Quiet, 0, None));
    let right = episode_of(&["frob push --safe x", "frob push x"], false);
    assert_eq!((right.arm, right.again, right.untold), (Arm::Quiet, 1, Some(Chance::Right)));
}

#[test]
fn the_transcript_and_the_events_prove_what_was_told() {
    let mut machine = Machine::new(&[for_the_start()]);
    for (session, has_text) in [("both", true), ("text", true), ("event", false)] {
        let mut talk = Talk::new(session);
        if has_text {
            talk.opened("user/push");
        }
        machine.put(talk.calls(session, &["frob push --safe x"]));
    }
    opens(&mut machine, "both");
    opens(&mut machine, "event");
    machine.join();
    let mut marks: Vec<_> = machine
        .episodes()
        .iter()
        .map(|episode| (episode.arm, episode.is_event_lost, episode.followed.is_some()))
        .collect();
    marks.sort_unstable();
    assert_eq!(marks, [(Arm::Told, false, false), (Arm::Told, false, true), (Arm::Told, true, true)]);
}

/// Written once at 1.25 by the first request, read at 0.1 by the others; after the compaction once more.
#[test]
fn what_is_told_at_the_start_is_paid_for_by_every_request() {
    let mut machine = Machine::new(&[for_the_start()]);
    let mut talk = Talk::new("s");
    talk.opened("user/push").calls("a", &["ls"]).calls("b", &["ls"]).calls("c", &["ls"]);
    talk.compacted().opened("user/push").calls("d", &["ls"]).calls("e", &["ls"]);
    machine.put(&talk);
    opens(&mut machine, "s");
    let episode = machine.episode();
    let text = talk.lines.iter().find_map(|line| line["attachment"]["content"][0].as_str()).unwrap();
    let tokens = f64::from(u32::try_from(text.len()).unwrap()) / 4.0;
    let expected = [2.0, 1.0].map(|reads| (tokens * (1.25 + 0.1 * reads)).round());
    assert!((f64::from(u32::try_from(episode.cost).unwrap()) - expected.iter().sum::<f64>()).abs() < 0.5);
}

#[test]
fn what_was_told_only_in_the_middle_does_not_count() {
    let mut machine = Machine::new(&[for_the_start()]);
    let mut late = Talk::new("late");
    machine.put(late.calls("a", &["frob push x"]).told("a-0", "user/push"));
    machine.event("late", "a-0", Outcome::Told, "user/push");
    let mut compacted = Talk::new("compacted");
    machine.put(compacted.calls("b", &["ls"]).compacted().opened("user/push").calls("c", &["frob push x"]));
    machine.event_of("main", START + HOUR, "compacted", "", Outcome::Told, "user/push");
    machine.join();
    assert_eq!(machine.episodes(), []);
}

#[test]
fn a_lesson_without_a_trigger_and_one_that_does_not_hold_have_no_rows() {
    let elsewhere = lesson("elsewhere", &[]);
    let mut machine = Machine::new(&[
        Lesson { when: When::Session, ..lesson("plain", &[]) },
        Lesson {
            when: When::Session,
            triggers: push().triggers,
            scope: lessons_lesson::lesson::Scope { projects: vec!["/srv/other".into()], agents: Vec::new() },
            ..elsewhere
        },
    ]);
    machine.put(Talk::new("s").calls("a", &["frob push x"]));
    machine.join();
    assert_eq!(machine.episodes(), []);
}

#[test]
fn a_lesson_told_at_calls_is_joined_as_before_beside_one_for_the_start() {
    let other = Lesson {
        when: When::Session,
        ..lesson(
            "other",
            &push().triggers.iter().map(|it| (it.kind, it.pattern.as_str())).collect::<Vec<_>>(),
        )
    };
    let mut machine = Machine::new(&[other, push()]);
    let mut talk = Talk::new("s");
    talk.calls("a", &["frob push x"]).told("a-0", "user/push").calls("b", &["frob push x"]);
    machine.put(&talk);
    machine.event("s", "a-0", Outcome::Told, "user/push");
    machine.join();
    let mut found: Vec<_> = machine.episodes().iter().map(|episode| (episode.arm, episode.again)).collect();
    found.sort_unstable();
    assert_eq!(found, [(Arm::Told, 1), (Arm::Quiet, 2)]);
}

/// A sub-agent that was told at its start has its first match as index call, and no untold chance.
#[test]
fn a_sub_agent_is_told_at_its_start() {
    for (first, again, followed) in
        [("frob push x", 1, Chance::Wrong), ("frob push --safe x", 1, Chance::Right)]
    {
        let mut named = push();
        named.scope.agents = vec!["builder".into()];
        let mut machine = Machine::new(&[named]);
        machine.put(Talk::new("s").calls("a", &["ls"]));
        let mut agent = Talk::of_agent("s", "a1");
        agent.calls("c", &[first]).calls("d", &["frob push x"]).calls("e", &["frob push x"]);
        machine.write("-srv-app/s/subagents/agent-a1.jsonl", &agent.lines, START + HOUR);
        let kind = br#"{"agentType":"builder"}"#;
        machine.scene.write_raw("projects/-srv-app/s/subagents/agent-a1.meta.json", kind);
        machine.event_of("builder", START, "s", "", Outcome::Told, "user/push");
        let episode = machine.episode();
        let again = again + u64::from(followed == Chance::Wrong);
        assert_eq!((episode.arm, episode.again, episode.followed), (Arm::Told, again, Some(followed)));
        assert_eq!(episode.untold, None);
        assert!(!episode.is_event_lost);
    }
}

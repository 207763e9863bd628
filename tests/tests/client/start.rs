//! What a session begins with, and what it is told again.

use lessons_tests::client::{Pin, with_each_client};
use lessons_tests::model::{Script, Turn};

use crate::world::{DEPLOY, PROTOCOL, RULE, World, bash, done, tells_once, times_told};

/// What the model answers when it is asked to compact.
pub(crate) fn summary() -> Turn {
    Turn::text("<analysis>Short.</analysis><summary>THE SUMMARY</summary>")
}

const IMPORTANT: &str = "Never touch the frozen branch.";
const MINOR: &str = "Prefer short names here.";

/// A world with two lessons for the start of a session, one of them important.
fn world_with_openings() -> World {
    let world = World::new();
    world.add(IMPORTANT, &["--when", "session", "--priority", "9"]);
    world.add(MINOR, &["--when", "session", "--priority", "3"]);
    world
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn a_session_begins_with_the_protocol_and_its_lessons() {
    with_each_client(|pin| {
        let world = world_with_openings();
        let requests = world.session(pin, Script::new().turn(bash("true")).turn(done())).run().requests;
        for text in [PROTOCOL, IMPORTANT, MINOR] {
            assert_eq!(count(&requests.main(0).given(), text), 1, "{}", requests.main(0).fresh());
            assert_eq!(count(&requests.main(1).given(), text), 1);
        }
    });
}

#[test]
fn after_clear_everything_is_told_anew() {
    with_each_client(|pin| {
        let world = world_with_openings();
        world.add(RULE, &crate::world::TRIGGER);
        let script = Script::new().turn(bash(DEPLOY)).turn(done()).turn(bash(DEPLOY)).turn(done());
        let session = world.session(pin, script).prompt("ASK ONE").prompt("/clear").prompt("ASK TWO");
        let requests = session.run().requests;
        let given = requests.main(2).given();
        assert!(given.contains("ASK TWO") && !given.contains("ASK ONE"));
        for text in [PROTOCOL, IMPORTANT, MINOR] {
            assert_eq!(count(&given, text), 1, "{text}");
        }
        tells_once(requests.main(1), RULE).unwrap();
        tells_once(requests.main(3), RULE).unwrap();
    });
}

#[test]
fn after_compaction_only_what_is_important_is_told_again() {
    with_each_client(|pin| {
        let world = world_with_openings();
        world.add(RULE, &["--trigger", "cmd=deploy-site", "--priority", "9"]);
        world.add("Mind the log.", &["--trigger", "cmd=deploy-site", "--priority", "3"]);
        let script =
            Script::new().turn(bash(DEPLOY)).turn(done()).turn(summary()).turn(bash(DEPLOY)).turn(done());
        let session = world.session(pin, script).prompt("ASK ONE").prompt("/compact").prompt("ASK TWO");
        let requests = session.run().requests;
        tells_once(requests.main(1), RULE).unwrap();
        tells_once(requests.main(1), "Mind the log.").unwrap();

        let given = requests.main(3).given();
        assert!(given.contains("THE SUMMARY") && given.contains("ASK TWO"), "{}", requests.describe());
        assert_eq!([PROTOCOL, IMPORTANT, MINOR].map(|text| count(&given, text)), [1, 1, 0], "{given}");
        assert_eq!([RULE, "Mind the log."].map(|rule| times_told(requests.main(4), rule)), [1, 0]);
    });
}

#[test]
fn a_resumed_session_is_told_nothing_twice() {
    with_each_client(|pin| {
        let world = world_with_openings();
        world.add(RULE, &crate::world::TRIGGER);
        let script = || Script::new().turn(bash(DEPLOY)).turn(done());
        let first = world.session(pin, script()).prompt("ASK ONE").run();
        let second = world.session(pin, script()).resume(&first.session).prompt("ASK TWO").run().requests;
        let given = second.main(1).given();
        assert!(given.contains("ASK ONE") && given.contains("ASK TWO"));
        for text in [PROTOCOL, IMPORTANT, MINOR] {
            assert_eq!(count(&given, text), 1, "{text}");
        }
        // Client 2.1.197 itself leaves advice out when it resumes, and only that.
        let kept = match pin {
            Pin::Current => 1,
            Pin::Node20 => 0,
        };
        assert_eq!((times_told(second.main(1), RULE), count(&given, RULE)), (0, kept));
    });
}

#[test]
fn a_forked_session_keeps_its_opening_and_has_claims_of_its_own() {
    let world = world_with_openings();
    world.add(RULE, &crate::world::TRIGGER);
    let script = || Script::new().turn(bash(DEPLOY)).turn(done());
    let first = world.session(Pin::Current, script()).run();
    let fork =
        world.session(Pin::Current, script()).resume(&first.session).arguments(["--fork-session"]).run();
    assert_ne!(fork.session, first.session);
    for text in [PROTOCOL, IMPORTANT, MINOR] {
        assert_eq!(count(&fork.requests.main(0).given(), text), 1, "{text}");
    }
    tells_once(fork.requests.main(1), RULE).unwrap();
}

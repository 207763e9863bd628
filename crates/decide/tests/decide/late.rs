//! Lessons for the start of sessions that come into force while sessions run.

use lessons_decide::answer::{Advice, Decision, Situation, answer};
use lessons_decide::approval::GuardedPaths;
use lessons_decide::claims::{SessionClaims, SessionFolder};
use lessons_decide::opening::{Source, opening};
use lessons_home::home::Home;
use lessons_index::manifest::{LateLesson, LessonEntry, Manifest};
use lessons_lesson::call::Call;
use lessons_lesson::compiled::{DedupScope, Terms};
use lessons_lesson::lesson::When;
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_pattern::trigger::TriggerKind;

use crate::setting::{self, bash, indexed, terms};

/// When the lessons came into force.
const CAME: u64 = 5_000;

fn entry(id: &str, when: When) -> LessonEntry {
    LessonEntry::new(Terms { when, ..terms(id) }, format!("[lesson {id}]\n"))
}

/// `user/early` is older than every session here, `user/late` has just come.
fn index(change: impl FnOnce(&mut Manifest)) -> LoadedIndex {
    let mut at_call = entry("user/at-call", When::Tool);
    at_call.terms.triggers = vec![0];
    let lessons = vec![at_call, entry("user/early", When::Session), entry("user/late", When::Session)];
    let mut manifest = setting::manifest(&[(TriggerKind::CommandPattern, "stash")], lessons);
    manifest.late = vec![LateLesson { id: "user/late".parse().unwrap(), at: CAME }];
    change(&mut manifest);
    indexed(&manifest)
}

struct World {
    folder: tempfile::TempDir,
    index: LoadedIndex,
}

impl World {
    fn new(change: impl FnOnce(&mut Manifest)) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), index: index(change) }
    }

    fn claims(&self, session: &str, agent: Option<&str>) -> SessionClaims<SessionFolder> {
        let home = Home::at(self.folder.path().join("data"));
        std::fs::create_dir_all(home.root()).unwrap();
        SessionClaims::new(SessionFolder::of(&home, Some(session)), agent, DedupScope::Context)
    }

    /// The lessons that a call of a session tells.
    fn call(&self, session: &str, command: &str, now: u64) -> Vec<String> {
        self.call_of("main", None, session, command, None, now)
    }

    fn call_of(
        &self,
        agent: &str,
        agent_id: Option<&str>,
        session: &str,
        command: &str,
        error: Option<&str>,
        now: u64,
    ) -> Vec<String> {
        let index = self.index.ask().unwrap();
        let call = Call { error: error.map(Into::into), ..bash(command) };
        let situation = Situation {
            index: Some(&index),
            call: &call,
            agent,
            place: &ProjectLocation::fixed("/p"),
            guarded: &GuardedPaths { home: "", user_home: None },
            advice: &Advice::default(),
            clock: &now,
        };
        match answer(&situation, &mut self.claims(session, agent_id)).unwrap().decision {
            Decision::Advise { lessons, .. } => lessons.iter().map(ToString::to_string).collect(),
            Decision::Silent => Vec::new(),
            other => panic!("{other:?}"),
        }
    }

    fn start(&self, session: &str) -> Vec<String> {
        let index = self.index.ask().unwrap();
        let place = ProjectLocation::fixed("/p");
        let mut claims = self.claims(session, None);
        let told = opening(&index, Source::Startup, &place, &Advice::default(), CAME, &mut claims);
        told.unwrap().unwrap().lessons.iter().map(ToString::to_string).collect()
    }
}

#[test]
fn a_session_that_runs_is_told_once_at_its_next_call_whatever_the_call() {
    let world = World::new(|_| {});
    assert_eq!(world.call("a", "ls", CAME), ["user/late"]);
    assert!(world.call("a", "ls", CAME).is_empty());
    assert_eq!(world.call("b", "git stash", CAME), ["user/at-call", "user/late"]);
    assert!(world.call("b", "git stash", CAME).is_empty());
}

#[test]
fn what_a_call_is_about_comes_before_whatever_the_session_missed() {
    let world = World::new(|manifest| {
        let missed = (0..8).map(|number| {
            let mut entry = entry(&format!("user/missed-{number}"), When::Session);
            entry.terms.priority = 9;
            entry
        });
        manifest.lessons.splice(1.., missed.chain([entry("user/late", When::Session)]));
        let id = |entry: &LessonEntry| LateLesson { id: entry.terms.id.clone(), at: CAME };
        manifest.late = manifest.lessons[1..].iter().map(id).collect();
        manifest.lessons.sort_by(|a, b| a.terms.id.cmp(&b.terms.id));
    });
    assert_eq!(world.call("a", "git stash", CAME), ["user/at-call", "user/missed-0", "user/missed-1"]);
    assert_eq!(world.call("a", "git stash", CAME), ["user/missed-2", "user/missed-3", "user/missed-4"]);
}

#[test]
fn what_the_session_missed_takes_no_more_room_than_at_its_start() {
    let world = World::new(|manifest| manifest.settings.session_bytes = 1);
    assert_eq!(world.call("a", "git stash", CAME), ["user/at-call"]);
    assert!(world.call("a", "ls", CAME).is_empty());
}

#[test]
fn the_frame_takes_its_room_once_whether_or_not_the_call_has_a_lesson() {
    let world = World::new(|manifest| manifest.settings.budget_bytes = 256);
    assert_eq!(world.call("a", "ls", CAME), ["user/late"]);
    assert_eq!(world.call("b", "git stash", CAME), ["user/at-call", "user/late"]);
}

#[test]
fn a_session_that_was_told_at_its_start_is_not_told_again() {
    let world = World::new(|_| {});
    assert_eq!(world.start("a"), ["user/early", "user/late"]);
    assert!(world.call("a", "ls", CAME).is_empty());
}

#[test]
fn sub_agents_and_calls_that_failed_are_not_told() {
    let world = World::new(|_| {});
    assert!(world.call_of("Explore", Some("agent"), "a", "ls", None, CAME).is_empty());
    assert!(world.call_of("main", None, "a", "ls", Some("not found"), CAME).is_empty());
    assert_eq!(world.call("a", "ls", CAME), ["user/late"]);
}

#[test]
fn after_a_day_no_session_is_told() {
    let world = World::new(|_| {});
    assert!(world.call("a", "ls", CAME + LateLesson::KEPT).is_empty());
    assert_eq!(world.call("a", "ls", CAME + LateLesson::KEPT - 1), ["user/late"]);
}

#[test]
fn what_is_off_elsewhere_or_for_others_stays_unsaid() {
    let changes: [&dyn Fn(&mut Terms); 3] = [
        &|terms| terms.off_until = Some(CAME + 1),
        &|terms| terms.roots = Some(vec!["/q".into()]),
        &|terms| terms.agents = vec!["Explore".into()],
    ];
    for change in changes {
        let world = World::new(|manifest| change(&mut manifest.lessons[2].terms));
        assert!(world.call("a", "ls", CAME).is_empty());
    }
}

#[test]
fn a_lesson_that_is_gone_is_not_looked_for_and_without_any_nothing_is_stored() {
    use lessons_index::header::Part;
    let world = World::new(|manifest| {
        manifest.lessons.pop();
    });
    assert!(world.call("a", "ls", CAME).is_empty());
    assert_eq!(world.index.header().span(Part::Late).length, 0);
    assert_eq!(index(|_| {}).manifest().unwrap().late.len(), 1);
}

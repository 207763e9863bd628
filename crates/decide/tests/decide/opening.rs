//! What a session gets at its start, and what a compaction forgets.

use lessons_decide::answer::Advice;
use lessons_decide::claims::{
    Bump, Claim, Fresh, Insistence, Memory, SessionClaims, SessionFiles, SessionFolder, off_name,
};
use lessons_decide::compaction;
use lessons_decide::opening::{Source, opening};
use lessons_home::home::Home;
use lessons_index::manifest::{LessonEntry, Manifest, Settings};
use lessons_lesson::compiled::{DedupScope, Terms};
use lessons_lesson::conditions::{Conditions, Os};
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Quality, When};
use lessons_lesson::project::ProjectLocation;
use lessons_pattern::trigger::TriggerKind;

use crate::setting::{self, NOW, indexed, terms};

/// A lesson that is told at the start of a session.
fn entry(id: &str) -> LessonEntry {
    LessonEntry::new(Terms { when: When::Session, ..terms(id) }, format!("[lesson {id}]\n"))
}

fn changed(id: &str, change: impl FnOnce(&mut Terms)) -> LessonEntry {
    let mut lesson = entry(id);
    change(&mut lesson.terms);
    lesson
}

fn manifest(lessons: Vec<LessonEntry>) -> Manifest {
    setting::manifest(&[], lessons)
}

/// The lessons with which a session starts. `None` if it starts without a word.
fn told(manifest: &Manifest, advice: &Advice, memory: &mut dyn Memory) -> Option<Vec<String>> {
    let loaded = indexed(manifest);
    let (index, place) = (loaded.ask().unwrap(), ProjectLocation::fixed("/p"));
    let opening = opening(&index, Source::Startup, &place, advice, NOW, memory).unwrap()?;
    Some(opening.lessons.iter().map(ToString::to_string).collect())
}

fn told_at_once(lessons: Vec<LessonEntry>) -> Vec<String> {
    told(&manifest(lessons), &Advice::default(), &mut Fresh).unwrap()
}

#[test]
fn the_order_is_layer_priority_newest_id() {
    let order = [
        entry("user/b"),
        entry("user/a"),
        changed("user/new", |terms| terms.created_at = "2026-02-01".into()),
        changed("user/first", |terms| terms.priority = 6),
        changed("seed/important", |terms| terms.priority = 9),
    ];
    let expected = ["user/first", "user/new", "user/a", "user/b", "seed/important"];
    assert_eq!(told_at_once(order.into()), expected);
}

#[test]
fn each_thing_that_keeps_a_lesson_quiet_keeps_it_quiet_alone() {
    let lessons = vec![
        changed("user/agent", |terms| terms.agents = vec!["Explore".into()]),
        changed("user/main", |terms| terms.agents = vec!["Explore".into(), "main".into()]),
        changed("user/off", |terms| terms.off_until = Some(NOW + 1)),
        changed("user/on", |terms| terms.off_until = Some(NOW)),
        changed("user/elsewhere", |terms| terms.roots = Some(vec!["/q".into()])),
        changed("user/here", |terms| terms.roots = Some(vec!["/p".into()])),
        changed("user/machine", |terms| terms.conditions = Conditions::of(&[Os::Linux], &[], &[])),
        entry("user/seen"),
    ];
    let advice = Advice::from_variables(None, Some("seen"));
    let told = told(&manifest(lessons), &advice, &mut Fresh).unwrap();
    assert_eq!(told, ["user/here", "user/main", "user/on"]);
}

#[test]
fn nothing_is_said_where_advice_or_all_lessons_are_switched_off() {
    let mut manifest = manifest(vec![entry("user/a")]);
    assert_eq!(told(&manifest, &Advice::from_variables(Some("0"), None), &mut Fresh), None);
    manifest.settings.off_until = Some(NOW + 1);
    assert_eq!(told(&manifest, &Advice::default(), &mut Fresh), None);
    manifest.settings.off_until = Some(NOW);
    assert_eq!(told(&manifest, &Advice::default(), &mut Fresh).unwrap(), ["user/a"]);
}

#[test]
fn the_lessons_of_a_start_have_a_budget_of_bytes_and_none_of_number() {
    let names: Vec<String> = (0..12).map(|number| format!("user/l-{number:02}")).collect();
    let few = || names.iter().map(|name| entry(name)).collect::<Vec<_>>();
    assert_eq!(told_at_once(few()), names);
    let mut long = few();
    for lesson in &mut long {
        lesson.full = "f".repeat(Settings::default().session_bytes / 3);
        lesson.brief = lesson.full.clone();
    }
    assert_eq!(told_at_once(long.clone()).len(), 2);
    for (bytes, number) in [(0, 0), (4096, 8)] {
        let mut manifest = manifest(long.clone());
        manifest.settings.session_bytes = bytes;
        assert_eq!(told(&manifest, &Advice::default(), &mut Fresh).unwrap().len(), number, "{bytes}");
    }
}

fn claims(home: &Home) -> SessionClaims<SessionFolder> {
    SessionClaims::new(SessionFolder::of(home, Some("s")), None, DedupScope::Context)
}

#[test]
fn a_lesson_that_is_off_for_the_session_is_not_told_at_its_start() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().into());
    let mut memory = claims(&home);
    assert_eq!(SessionFolder::of(&home, Some("s")).unwrap().create(&off_name("user/a")), Claim::Won);
    let manifest = manifest(vec![entry("user/a"), entry("user/b")]);
    assert_eq!(told(&manifest, &Advice::default(), &mut memory).unwrap(), ["user/b"]);
}

#[test]
fn a_compaction_forgets_from_the_threshold_on() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().into());
    let mut memory = claims(&home);
    let at_call = |id: &str, priority| {
        changed(id, |terms| (terms.priority, terms.when, terms.triggers) = (priority, When::Tool, vec![0]))
    };
    let lessons = vec![at_call("user/below", 6), at_call("user/at", 7), at_call("user/above", 8)];
    let mut manifest = setting::manifest(&[(TriggerKind::CommandPattern, "x")], lessons);
    manifest.settings.compaction_threshold = 7;
    let ids: [QualifiedId; 4] =
        ["user/below", "user/at", "user/above", "user/gone"].map(|id| id.parse().unwrap());
    for id in &ids {
        assert_eq!(memory.tell(id), Claim::Won);
    }
    assert_eq!(memory.bump(&ids[0], "x", Insistence::Always), Bump::Refuses);
    let loaded = indexed(&manifest);
    compaction::forget(&loaded.ask().unwrap(), &memory).unwrap();
    let mut memory = claims(&home);
    let again: Vec<Claim> = ids.iter().map(|id| memory.tell(id)).collect();
    assert_eq!(again, [Claim::Taken, Claim::Won, Claim::Won, Claim::Won]);
    assert_eq!(memory.bump(&ids[0], "x", Insistence::Always), Bump::Refuses, "every bump is forgotten");
}

#[test]
fn a_compaction_forgets_what_is_of_critical_quality() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().into());
    let of_quality = |id: &str, quality| {
        changed(id, |terms| (terms.quality, terms.when, terms.triggers) = (quality, When::Tool, vec![0]))
    };
    let lessons =
        vec![of_quality("user/critical", Quality::Critical), of_quality("user/valuable", Quality::Valuable)];
    let manifest = setting::manifest(&[(TriggerKind::CommandPattern, "x")], lessons);
    let ids: [QualifiedId; 2] = ["user/critical", "user/valuable"].map(|id| id.parse().unwrap());
    let mut memory = claims(&home);
    assert_eq!(ids.each_ref().map(|id| memory.tell(id)), [Claim::Won, Claim::Won]);
    let loaded = indexed(&manifest);
    compaction::forget(&loaded.ask().unwrap(), &memory).unwrap();
    let mut memory = claims(&home);
    assert_eq!(ids.each_ref().map(|id| memory.tell(id)), [Claim::Won, Claim::Taken]);
}

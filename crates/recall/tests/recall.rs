//! Which lessons a question finds in an index.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

use lessons_lesson::id::{Layer, LessonId, TopicId};
use lessons_lesson::lesson::{Lesson, When};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::compile::{Input, compile};
use lessons_manifest_builder::index::{LoadedIndex, in_memory};
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_recall::{Found, Question, recall};

fn lesson(id: &str, rule: &str, triggers: &[(TriggerKind, &str)]) -> Lesson {
    let topic = TopicId::new("git").unwrap();
    let mut lesson = Lesson::new(LessonId::new(id).unwrap(), rule, topic, "2026-01-01");
    lesson.triggers = triggers.iter().map(|(kind, pattern)| Trigger::new(*kind, *pattern)).collect();
    lesson
}

fn index(lessons: &[Lesson]) -> LoadedIndex {
    let patterns = Patterns::default();
    let built = compile(&Input {
        roots_of: &|key| vec![key.to_owned()],
        ..Input::of_layers(vec![LayerInput::of(Layer::User, lessons)], &patterns)
    });
    assert!(built.report.left_out.is_empty(), "{:?}", built.report.left_out);
    in_memory(&built.manifest, &patterns).unwrap()
}

fn found(index: &LoadedIndex, question: &Question<'_>) -> Vec<Found> {
    recall(&index.ask().unwrap(), question, &ProjectLocation::fixed("/p"), &0, |_| false).unwrap()
}

fn ids(index: &LoadedIndex, question: &Question<'_>) -> Vec<String> {
    found(index, question).iter().map(|found| found.entry.id.id.to_string()).collect()
}

fn command(text: &str) -> Question<'_> {
    Question { command: Some(text), root: Some("/p"), ..Question::default() }
}

fn keyword(text: &str) -> Question<'_> {
    Question { keyword: Some(text), root: Some("/p"), ..Question::default() }
}

#[test]
fn a_specific_trigger_comes_first_and_then_the_words_of_the_rule() {
    let git = (TriggerKind::CommandPattern, r"\bgit\b");
    let index = index(&[
        lesson("broad", "Look first.", &[git]),
        lesson("words", "Keep what you stash.", &[git]),
        lesson("own", "Look twice.", &[(TriggerKind::CommandPattern, r"git\s+stash")]),
    ]);
    let found = found(&index, &command("git stash"));
    let ids: Vec<String> = found.iter().map(|found| found.entry.id.id.to_string()).collect();
    assert_eq!(ids, ["own", "words", "broad"]);
    assert_eq!(found[0].entry.rule, "Look twice.");
    assert_eq!(found[0].entry.topics, ["git"]);
    assert!((found[1].signals.specificity - 0.5).abs() < f64::EPSILON && found[1].signals.relevance > 0.0);
    assert!(found[0].by.command && !found[0].by.file && !found[0].by.keyword);
}

#[test]
fn a_keyword_is_found_in_the_words_of_a_question_also_as_the_beginning_of_one() {
    let index = index(&[lesson("cats", "Feed it.", &[(TriggerKind::Keyword, "Big cat")])]);
    for text in ["big cat", "the BIG-cats of Africa", "a big, cat"] {
        assert_eq!(ids(&index, &keyword(text)), ["cats"], "{text}");
    }
    for text in ["cat big", "bigger cat", ""] {
        assert_eq!(ids(&index, &keyword(text)), [""; 0], "{text}");
    }
    // In a command its words must be whole.
    assert_eq!(ids(&index, &command("feed big cat")), ["cats"]);
    assert_eq!(ids(&index, &command("feed big cats")), [""; 0]);
}

#[test]
fn what_was_not_asked_about_is_not_held_against_a_lesson() {
    let mut both = lesson("both", "Look first.", &[(TriggerKind::CommandPattern, "push")]);
    both.also = vec![Trigger::new(TriggerKind::FileGlob, "*.ts")];
    both.unless = vec![Trigger::new(TriggerKind::CommandPattern, "--dry-run")];
    let index = index(&[both]);
    assert_eq!(ids(&index, &command("git push")), ["both"]);
    assert_eq!(ids(&index, &Question { file: Some("a.ts"), ..command("git push") }), ["both"]);
    assert_eq!(ids(&index, &Question { file: Some("a.md"), ..command("git push") }), [""; 0]);
    assert_eq!(ids(&index, &command("git push --dry-run")), [""; 0]);
}

#[test]
fn lessons_of_other_projects_and_session_lessons_are_not_found() {
    let git = [(TriggerKind::CommandPattern, r"\bgit\b")];
    let mut elsewhere = lesson("elsewhere", "Look first.", &git);
    elsewhere.scope.projects = vec!["/other".into()];
    let mut here = lesson("here", "Look first.", &git);
    here.scope.projects = vec!["/p".into()];
    let mut at_start = lesson("at-start", "Look first.", &git);
    at_start.when = When::Session;
    let index = index(&[elsewhere, here, at_start]);
    assert_eq!(ids(&index, &command("git push")), ["here"]);
}

#[test]
fn a_lesson_that_is_known_is_left_out() {
    let git = [(TriggerKind::CommandPattern, r"\bgit\b")];
    let index = index(&[lesson("a", "Look first.", &git), lesson("b", "Look first.", &git)]);
    let is_known = |terms: &lessons_lesson::compiled::Terms| terms.id.id.as_str() == "a";
    let found =
        recall(&index.ask().unwrap(), &command("git"), &ProjectLocation::fixed("/p"), &0, is_known).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].signals.coherence, 1, "what is known does not count among the topics");
}

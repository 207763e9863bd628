//! An accepted refusal never goes out of force silently: what cannot be compiled is kept for the user to be told.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use lessons_lesson::id::{Layer, LessonId, TopicId};
use lessons_lesson::lesson::{Lesson, Mode, SampleCall};
use lessons_manifest_builder::compile::{Built, Input, compile};
use lessons_manifest_builder::index::in_memory;
use lessons_manifest_builder::layers::LayerInput;
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::{Trigger, TriggerKind};

/// A lesson about the files of a glob, with a file that it must fire on.
fn about_files(glob: &str, file: &str, mode: Mode) -> Lesson {
    let topic = TopicId::new("files").unwrap();
    let mut lesson = Lesson::new(LessonId::new("files").unwrap(), "Do not write there.", topic, "2026-01-01");
    lesson.triggers = vec![Trigger::new(TriggerKind::FileGlob, glob)];
    lesson.mode = mode;
    let call = SampleCall { tool: "Write".into(), file: Some(file.into()), ..SampleCall::default() };
    lesson.examples.fires = vec![call];
    lesson
}

fn compiled(lesson: &Lesson) -> Built {
    let patterns = Patterns::default();
    compile(&Input::of_layers(vec![LayerInput::of(Layer::User, [lesson])], &patterns))
}

#[test]
fn a_block_with_a_glob_that_is_refused_is_told_with_its_reason() {
    let built = compiled(&about_files("!(keep)/a.bin", "b/a.bin", Mode::Block));
    assert!(built.manifest.lessons.is_empty());
    let [lost] = built.manifest.lost_refusals.as_slice() else { panic!("{:?}", built.report) };
    assert_eq!(lost.id.to_string(), "user/files");
    assert!(lost.reason.contains("unless"), "{}", lost.reason);
}

#[test]
fn the_index_keeps_it_for_session_start() {
    let built = compiled(&about_files("!(keep)/a.bin", "b/a.bin", Mode::Bump));
    let index = in_memory(&built.manifest, &Patterns::default()).unwrap();
    assert_eq!(index.ask().unwrap().build_notes().unwrap().lost_refusals, built.manifest.lost_refusals);
    assert_eq!(index.manifest().unwrap().lost_refusals, built.manifest.lost_refusals);
}

#[test]
fn advice_that_cannot_be_compiled_is_left_to_the_report() {
    let built = compiled(&about_files("!(keep)/a.bin", "b/a.bin", Mode::Advise));
    assert!(built.manifest.lost_refusals.is_empty());
    assert_eq!(built.report.left_out.len(), 1);
}

#[test]
fn an_extended_glob_with_an_equivalent_keeps_its_block() {
    let built = compiled(&about_files("src/@(a|b).ts", "src/b.ts", Mode::Block));
    assert!(built.manifest.lost_refusals.is_empty(), "{:?}", built.report);
    assert_eq!(built.manifest.triggers[0].pattern, "src/{a,b}.ts");
    assert_eq!(built.manifest.lessons.len(), 1);
}

#[test]
fn a_bump_that_would_stop_what_its_own_rule_advises_only_reminds_and_says_so() {
    let topic = TopicId::new("git").unwrap();
    let mut lesson =
        Lesson::new(LessonId::new("a").unwrap(), "Commit with `git commit -s`", topic, "2026-01-01");
    lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, r"^git\s+commit\b")];
    lesson.mode = Mode::Bump;
    lesson.examples.fires = vec![SampleCall::bash("git commit")];
    let mode = |built: &Built| built.manifest.lessons[0].terms.mode;
    let built = compiled(&lesson);
    assert_eq!((mode(&built), built.report.warnings.len()), (Mode::Advise, 1));
    let [lost] = built.manifest.lost_refusals.as_slice() else { panic!("{:?}", built.report) };
    assert!(lost.reason.contains("`git commit -s`"), "{}", lost.reason);

    let exception = Trigger::new(TriggerKind::CommandPattern, r"\s-s\b");
    let quiet = Lesson { unless: vec![exception], ..lesson.clone() };
    let forced = Lesson { evidence: vec!["forced:block: a reason".into()], ..lesson.clone() };
    for lesson in [&quiet, &forced] {
        let built = compiled(lesson);
        assert_eq!((mode(&built), built.manifest.lost_refusals.len()), (Mode::Bump, 0));
    }
    let patterns = Patterns::default();
    let of_project = LayerInput::project("/p".into(), [&forced]);
    assert_eq!(mode(&compile(&Input::of_layers(vec![of_project], &patterns))), Mode::Advise);
}

use lessons_lesson::{LessonId, Os, Shell, StateCheck, TopicId};
use lessons_lesson::{Mode, Priority};
use lessons_pattern::TriggerKind;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::*;
use crate::key::SecretKey;

const PROJECT: &str = "github.com/acme/app";

fn key() -> SecretKey {
    SecretKey::of(&[7; 32]).unwrap()
}

fn project() -> ProjectTag {
    ProjectTag::of_key(PROJECT).unwrap()
}

fn stash() -> Lesson {
    let id = LessonId::new("git-stash").unwrap();
    let mut lesson =
        Lesson::new(id, "Commit to a branch instead.", TopicId::new("git").unwrap(), "2026-01-31");
    lesson.triggers.push(Trigger::new(TriggerKind::CommandPattern, r"\bgit\s+stash\b"));
    lesson
}

fn signed(unsigned: Unsigned) -> Verified {
    unsigned.sign(&key(), &[0; 32]).unwrap()
}

fn written(shared: &SharedLesson) -> Unsigned {
    shared.to_unsigned(key().public(), 7)
}

fn read(unsigned: Unsigned) -> Result<SharedLesson, NotALesson> {
    SharedLesson::read(&signed(unsigned))
}

#[test]
fn what_a_person_keeps_for_themselves_does_not_travel() {
    let private = "kept-here";
    let mut lesson = stash();
    lesson.detail = Some(private.into());
    lesson.tags.push(format!("note:{private}"));
    lesson.evidence.push(format!("session:{private}"));
    lesson.examples.fires.push(lessons_lesson::lesson::SampleCall {
        tool: "Bash".into(),
        command: Some(private.into()),
        ..Default::default()
    });
    lesson.scope.projects.push(private.into());
    lesson.priority = Priority::new(9).unwrap();
    let event = signed(written(&SharedLesson::of(&lesson, project())));
    assert!(!event.to_json().contains(private));
    let read = SharedLesson::read(&event).unwrap();
    assert_eq!(read.lesson().priority, Priority::default());
    assert!(read.lesson().scope.projects.is_empty());
}

#[test]
fn a_refusal_becomes_advice_on_what_it_looked_at() {
    let mut lesson = stash();
    lesson.mode = Mode::Block;
    let read = read(written(&SharedLesson::of(&lesson, project()))).unwrap();
    assert_eq!((read.lesson().mode, read.lesson().subject), (Mode::Advise, Some(Subject::Executable)));
}

#[test]
fn mode_priority_and_projects_are_never_taken_from_an_event() {
    let mut unsigned = written(&SharedLesson::of(&stash(), project()));
    for (name, value) in [("mode", "block"), ("priority", "10"), ("scope", "*"), ("severity", "critical")] {
        unsigned.tags.push(vec![name.into(), value.into()]);
    }
    assert_eq!(read(unsigned).unwrap(), SharedLesson::of(&stash(), project()));
}

#[test]
fn an_event_is_the_tags_that_the_format_names() {
    let mut lesson = stash();
    lesson.summary = Some("Not git stash".into());
    lesson.rationale = Some("A stash is shared by all work trees.".into());
    lesson.scope.agents.push("Explore".into());
    lesson.unless.push(Trigger::new(TriggerKind::CommandPattern, "stash list"));
    let first = SharedLesson::of(&lesson, project());
    let event = signed(written(&first));
    let unsigned = written(&SharedLesson::of(&lesson, project()).after(&first, event.id()));
    let author = key().public();
    let expected: Vec<Vec<String>> = [
        &["d", "git-stash"][..],
        &["v", "2"],
        &["a", &format!("30078:{author}:{PROJECT}")],
        &["e", &event.id().to_string()],
        &["title", "Not git stash"],
        &["why", "A stash is shared by all work trees."],
        &["quality", "valuable"],
        &["t", "git"],
        &["agent", "Explore"],
        &["trigger", "command_pattern", r"\bgit\s+stash\b"],
        &["unless", "command_pattern", "stash list"],
    ]
    .into_iter()
    .map(|tag| tag.iter().map(ToString::to_string).collect())
    .collect();
    assert_eq!((unsigned.kind, unsigned.content.as_str()), (4129, "Commit to a branch instead."));
    assert_eq!(unsigned.tags, expected);
}

#[test]
fn the_same_lesson_again_is_known_and_a_change_of_it_too() {
    let first = SharedLesson::of(&stash(), project());
    let read = read(written(&first)).unwrap();
    assert!(first.says_the_same(&read));
    let changed = Lesson { rule: "Make a branch.".into(), ..stash() };
    assert!(!SharedLesson::of(&changed, project()).says_the_same(&read));
    assert!(!SharedLesson::of(&stash(), project().hashed()).says_the_same(&read));
}

#[test]
fn a_tag_that_is_missing_or_wrong_refuses_the_event() {
    let good = written(&SharedLesson::of(&stash(), project()));
    for name in ["d", "v", "a", "t"] {
        let mut fewer = good.clone();
        fewer.tags.retain(|tag| tag[0] != name);
        assert!(
            matches!(read(fewer), Err(NotALesson::Tag(BadTag { name: bad, .. })) if bad == name),
            "{name}"
        );
    }
    for bad in [
        &["d"][..],
        &["d", "another"],
        &["v", "2"],
        &["e", "x"],
        &["t", "No Topic"],
        &["quality", "best"],
        &["when", "always"],
        &["subject", "all"],
        &["os", "plan9"],
        &["title", "a"],
        &["trigger", "cmd", "x"],
        &["trigger", "command_pattern"],
        &["also", "command_pattern", "x", "y"],
    ] {
        let mut more = good.clone();
        more.tags.push(vec!["title".into(), "b".into()]);
        more.tags.push(bad.iter().map(ToString::to_string).collect());
        assert!(matches!(read(more), Err(NotALesson::Tag(_))), "{bad:?}");
    }
    for version in ["0", "01", "+1", "-1", "4294967296", "", "1.0"] {
        let mut other = good.clone();
        other.tags[1][1] = version.into();
        assert!(matches!(read(other), Err(NotALesson::Tag(BadTag { name: "v", .. }))), "{version}");
    }
    assert_eq!(read(Unsigned { kind: 1, ..good }), Err(NotALesson::Kind { kind: 1 }));
}

#[test]
fn a_lesson_has_the_limits_of_every_lesson() {
    let refused = |change: fn(&mut Unsigned)| {
        let mut unsigned = written(&SharedLesson::of(&stash(), project()));
        change(&mut unsigned);
        match read(unsigned) {
            Err(NotALesson::Flawed(flaw)) => flaw.code,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(|it| it.content = "a".repeat(2001)), "OVERSIZED_FIELD");
    assert_eq!(refused(|it| it.content.clear()), "EMPTY_RULE");
    assert_eq!(refused(|it| it.tags.push(vec!["phase".into(), "No Word".into()])), "INVALID_PHASE");
    assert_eq!(refused(|it| it.tags.retain(|tag| tag[0] != "trigger")), "UNRECALLABLE_LESSON");
    assert_eq!(
        refused(|it| {
            let more = (0..40).map(|n| vec!["trigger".into(), "keyword".into(), format!("word {n}")]);
            it.tags.extend(more);
        }),
        "OVERSIZED_LESSON_TRIGGERS"
    );
    assert_eq!(
        refused(|it| it.tags.push(vec!["also".into(), "command_pattern".into(), "(".into()])),
        "INVALID_TRIGGER_PATTERN"
    );
}

fn text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(select(vec!["a", "é", "`x`", " ", "\n", "\"", "\\", "漢", "use"]), 1..most)
        .prop_map(|parts| format!("a{}", parts.concat()))
}

fn some_triggers(least: usize) -> impl Strategy<Value = Vec<Trigger>> {
    let all = vec![
        Trigger::new(TriggerKind::CommandPattern, r"\bgit\s+stash\b"),
        Trigger::new(TriggerKind::FileGlob, "src/**/*.ts"),
        Trigger::new(TriggerKind::Keyword, "big cat"),
        Trigger::new(TriggerKind::ErrorPattern, "no such table"),
        Trigger::new(TriggerKind::CommandPattern, r#"echo "a\\b""#),
    ];
    subsequence(all, least..=5)
}

prop_compose! {
    fn lessons()(
        texts in (text(9), prop::option::of(text(9)), prop::option::of(text(9)), prop::option::of(text(9))),
        metacognition in prop::option::of(text(9)),
        phase in prop::option::of(select(vec!["plan", "execute"])),
        topics in subsequence(vec!["git", "sql", "css"], 1..=3),
        (triggers, also, unless) in (some_triggers(1), some_triggers(0), some_triggers(0)),
        (tools, agents) in (subsequence(vec!["Bash", "Edit"], 0..=2), subsequence(vec!["main", "Explore"], 0..=2)),
        (os, shell, state) in (
            subsequence(vec![Os::Linux, Os::Macos], 0..=2),
            subsequence(vec![Shell::Bash, Shell::Zsh], 0..=2),
            subsequence(vec![StateCheck::CwdEndsWithTarget, StateCheck::PathMissing], 0..=2),
        ),
        when in select(vec![When::Tool, When::Session]),
        quality in select(lessons_lesson::lesson::Quality::ALL.to_vec()),
        subject in prop::option::of(select(Subject::ALL.to_vec())),
    ) -> Lesson {
        let mut lesson = Lesson { rule: texts.0, mistake: texts.1, summary: texts.2, rationale: texts.3, ..stash() };
        lesson.metacognition = metacognition;
        lesson.phase = phase.map(str::to_owned);
        lesson.topics = topics.into_iter().map(|topic| TopicId::new(topic).unwrap()).collect();
        (lesson.triggers, lesson.also, lesson.unless) = (triggers, also, unless);
        lesson.tools = tools.into_iter().map(str::to_owned).collect();
        lesson.scope.agents = agents.into_iter().map(str::to_owned).collect();
        (lesson.os, lesson.shell, lesson.state) = (os, shell, state);
        (lesson.when, lesson.quality, lesson.subject) = (when, quality, subject);
        lesson
    }
}

proptest! {
    #[test]
    fn any_lesson_is_read_as_it_was_shared(lesson in lessons(), version in 1..=u32::MAX, follows in any::<bool>()) {
        let earlier = follows.then(|| EventId::of([5; 32]));
        let shared = SharedLesson { version, earlier, ..SharedLesson::of(&lesson, project()) };
        prop_assert_eq!(super::shared(&written(&shared)), Ok(shared));
    }
}

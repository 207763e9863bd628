use lessons_pattern::TriggerKind;

use super::*;
use crate::conditions::StateCheck;
use crate::id::{LessonId, TopicId};
use crate::lesson::Mode;

fn lesson() -> Lesson {
    let (id, topic) = (LessonId::new("a").unwrap(), TopicId::new("t").unwrap());
    let mut lesson = Lesson::new(id, "Do it.", topic, "2026-01-01");
    lesson.triggers.push(Trigger::new(TriggerKind::CommandPattern, "git stash"));
    lesson
}

fn call(tool: &str, command: Option<&str>) -> SampleCall {
    SampleCall { tool: tool.into(), command: command.map(Into::into), ..SampleCall::default() }
}

fn codes(change: impl FnOnce(&mut Lesson)) -> Vec<(Level, &'static str)> {
    let mut lesson = lesson();
    change(&mut lesson);
    flaws(&lesson).iter().map(|flaw| (flaw.level, flaw.code)).collect()
}

#[test]
fn an_error_can_be_advised_on_and_not_refused() {
    let codes = |mode, list: fn(&mut Lesson) -> &mut Vec<Trigger>| {
        let mut lesson = lesson();
        lesson.mode = mode;
        lesson.examples.fires.push(call("Bash", Some("git push")));
        list(&mut lesson).push(Trigger::new(TriggerKind::ErrorPattern, "non-fast-forward"));
        flaws(&lesson).into_iter().map(|flaw| flaw.code).collect::<Vec<_>>()
    };
    let lists: [fn(&mut Lesson) -> &mut Vec<Trigger>; 3] =
        [|lesson| &mut lesson.triggers, |lesson| &mut lesson.also, |lesson| &mut lesson.unless];
    for list in lists {
        assert!(codes(Mode::Advise, list).is_empty());
        for mode in [Mode::Bump, Mode::Block] {
            assert_eq!(codes(mode, list), ["REFUSAL_AFTER_THE_FACT"]);
        }
    }
}

#[test]
fn a_good_lesson_has_no_flaw() {
    assert_eq!(codes(|_| {}), []);
}

#[test]
fn texts_are_neither_empty_nor_too_long() {
    use Level::Error;
    assert_eq!(codes(|l| l.rule = " \n".into()), [(Error, "EMPTY_RULE")]);
    assert_eq!(codes(|l| l.rule = "é".repeat(2001)), [(Error, "OVERSIZED_FIELD")]);
    assert_eq!(codes(|l| l.rule = "é".repeat(2000)), []);
    assert_eq!(codes(|l| l.summary = Some("x".repeat(121))), [(Error, "OVERSIZED_FIELD")]);
    assert_eq!(codes(|l| l.detail = Some("x".repeat(2001))), [(Error, "OVERSIZED_FIELD")]);
}

#[test]
fn a_flaw_shows_no_long_text() {
    let mut lesson = lesson();
    lesson.tags = vec!["x".repeat(1_000_000)];
    lesson.tools = vec!["!".repeat(1_000_000)];
    for flaw in flaws(&lesson) {
        assert!(flaw.to_string().len() < 300, "{}", flaw.code);
    }
}

#[test]
fn tags_topics_and_tools_have_a_form() {
    use Level::Error;
    assert_eq!(codes(|l| l.tags = vec!["tool:git".into(), "a-b:c/d".into()]), []);
    for bad in ["git", ":git", "tool:", "Tool:git", "tool:a b"] {
        assert_eq!(codes(|l| l.tags = vec![bad.into()]), [(Error, "INVALID_TAG")], "{bad}");
    }
    assert_eq!(codes(|l| l.tools = vec!["Bash".into(), "mcp__a__b-c".into()]), []);
    assert_eq!(codes(|l| l.tools = vec!["a b".into()]), [(Error, "INVALID_TOOL_NAME")]);
    assert_eq!(codes(|l| l.evidence = vec![String::new()]), [(Error, "EMPTY_FIELD")]);
    assert_eq!(codes(|l| l.topics.push(l.topics[0].clone())), [(Error, "DUPLICATE_TOPIC_REF")]);
}

#[test]
fn triggers_are_there_and_not_too_many() {
    use Level::{Error, Warning};
    let many = |n: usize| {
        move |lesson: &mut Lesson| {
            lesson.unless =
                (0..n).map(|n| Trigger::new(TriggerKind::CommandPattern, format!("word{n}"))).collect();
        }
    };
    assert_eq!(codes(many(7)), []);
    assert_eq!(codes(many(8)), [(Warning, "OVERSIZED_LESSON_TRIGGERS")]);
    assert_eq!(codes(many(32)), [(Error, "OVERSIZED_LESSON_TRIGGERS")]);
    assert_eq!(codes(|l| l.triggers.clear()), [(Error, "UNRECALLABLE_LESSON")]);
}

#[test]
fn a_pattern_that_cannot_be_used_is_told_and_a_lesson_needs_one_that_can() {
    use Level::Error;
    let pattern = |text: &str| Trigger::new(TriggerKind::CommandPattern, text);
    assert_eq!(
        codes(|l| l.triggers = vec![pattern("(")]),
        [(Error, "INVALID_TRIGGER_PATTERN"), (Error, "UNRECALLABLE_LESSON")]
    );
    assert_eq!(codes(|l| l.unless = vec![pattern("(?=x)y")]), [(Error, "UNSAFE_TRIGGER_PATTERN")]);
}

#[test]
fn a_glob_that_ends_in_a_slash_is_a_warning_wherever_it_stands() {
    let glob = |text: &str| Trigger::new(TriggerKind::FileGlob, text);
    let dead = [(Level::Warning, "DEAD_GLOB_TRIGGER")];
    assert_eq!(codes(|lesson| lesson.triggers.push(glob("src/"))), dead);
    assert_eq!(codes(|lesson| lesson.also.push(glob("src/**/"))), dead);
    assert_eq!(codes(|lesson| lesson.unless.push(glob("../../**"))), dead, "paths hold no `..`");
    assert_eq!(codes(|lesson| lesson.unless.push(glob("src/**"))), []);
}

#[test]
fn a_pattern_for_nearly_everything_is_a_warning_and_may_not_refuse() {
    use TriggerKind::{CommandPattern, FileGlob};
    for (kind, pattern, code) in [
        (FileGlob, "**/*", "BROAD_GLOB_TRIGGER"),
        (CommandPattern, ".*", "BROAD_PATTERN_TRIGGER"),
        (CommandPattern, "(?:)", "BROAD_PATTERN_TRIGGER"),
    ] {
        let broad = |lesson: &mut Lesson| lesson.triggers.push(Trigger::new(kind, pattern));
        assert_eq!(codes(broad), [(Level::Warning, code)], "{pattern}");
        for mode in [Mode::Bump, Mode::Block] {
            let refusing = codes(|lesson| {
                broad(lesson);
                lesson.mode = mode;
                lesson.examples.fires.push(call("Bash", Some("git stash")));
            });
            assert_eq!(refusing, [(Level::Error, code)], "{pattern}");
        }
        let with_also = |also: &str| {
            codes(|lesson| {
                broad(lesson);
                lesson.also.push(Trigger::new(TriggerKind::ContentPattern, also));
            })
        };
        assert_eq!(with_also("fetch"), []);
        assert_eq!(with_also("."), [(Level::Warning, code)], "an `also` that is as broad narrows nothing");
    }
}

#[test]
fn a_glob_for_a_folder_or_a_type_may_refuse() {
    let refusing = codes(|lesson| {
        lesson.triggers = vec![Trigger::new(TriggerKind::FileGlob, "src/**/*.ts")];
        lesson.mode = Mode::Block;
        lesson.examples.fires.push(call("Edit", None));
    });
    assert_eq!(refusing, []);
}

#[test]
fn a_tool_for_which_no_hook_is_called_is_a_warning_wherever_it_is_named() {
    let unhooked = [(Level::Warning, "UNHOOKED_TOOL")];
    assert_eq!(codes(|lesson| lesson.tools = vec!["bash".into(), "Bash".into()]), unhooked);
    let tool = |name: &str| Trigger::new(TriggerKind::Tool, name);
    assert_eq!(codes(|lesson| lesson.triggers = vec![tool("TodoWrite")]), unhooked);
    assert_eq!(codes(|lesson| lesson.also = vec![tool("LS")]), unhooked);
    assert_eq!(codes(|lesson| lesson.triggers = vec![tool("WebFetch"), tool("mcp__db__run")]), []);
}

#[test]
fn triggers_of_a_session_lesson_are_never_tried() {
    assert_eq!(codes(|lesson| lesson.when = When::Session), [(Level::Warning, "TRIGGER_OF_SESSION")]);
}

#[test]
fn a_state_of_a_session_lesson_is_never_looked_at() {
    let change = |lesson: &mut Lesson| {
        lesson.when = When::Session;
        lesson.triggers.clear();
        lesson.state = vec![StateCheck::PathMissing];
    };
    assert_eq!(codes(change), [(Level::Warning, "STATE_OF_SESSION")]);
    assert_eq!(codes(|lesson| lesson.state = vec![StateCheck::PathMissing]), []);
}

#[test]
fn a_session_lesson_and_one_that_is_put_away_need_no_trigger() {
    let without = |change: fn(&mut Lesson)| {
        codes(|lesson| {
            lesson.triggers.clear();
            change(lesson);
        })
    };
    assert_eq!(without(|lesson| lesson.when = When::Session), []);
    assert_eq!(without(|lesson| lesson.status = Status::Deprecated), []);
}

#[test]
fn a_lesson_that_refuses_proves_on_one_call_that_it_should() {
    use Level::Error;
    assert_eq!(codes(|l| l.mode = Mode::Bump), [(Error, "REFUSAL_WITHOUT_EXAMPLE")]);
    let proved = codes(|lesson| {
        lesson.mode = Mode::Block;
        lesson.examples.fires.push(call("Bash", Some("git stash")));
    });
    assert_eq!(proved, []);
    for (subject, expected) in
        [(Subject::Executable, &[][..]), (Subject::Program, &[(Error, "REFUSAL_WITHOUT_EXAMPLE")])]
    {
        let about_a_file = codes(|lesson| {
            lesson.mode = Mode::Bump;
            lesson.subject = Some(subject);
            lesson.examples.fires.push(SampleCall { file: Some("a".into()), ..call("Edit", None) });
        });
        assert_eq!(about_a_file, expected, "{subject:?}");
    }
    let program = codes(|lesson| {
        lesson.mode = Mode::Bump;
        lesson.subject = Some(Subject::Program);
        lesson.examples.fires.push(call("Bash", Some("git stash")));
    });
    assert_eq!(program, []);
    let session = codes(|lesson| {
        lesson.mode = Mode::Block;
        lesson.when = When::Session;
        lesson.triggers.clear();
    });
    assert_eq!(session, [(Error, "REFUSAL_WITHOUT_CALL")]);
}

#[test]
fn an_example_names_a_tool_and_what_it_is_called_with() {
    assert_eq!(codes(|l| l.examples.quiet.push(call("Bash", None))), [(Level::Error, "EMPTY_EXAMPLE")]);
    assert_eq!(codes(|l| l.examples.quiet.push(call("", Some("x")))), [(Level::Error, "EMPTY_EXAMPLE")]);
    assert_eq!(codes(|l| l.examples.quiet.push(call("mcp__db__drop", None))), []);
}

#[test]
fn dates_are_rfc_3339() {
    for good in
        ["2026-01-31", "2026-01-31T10:00:00Z", "2026-01-31T10:00:00.123456+01:00", "2026-01-31t10:00:00z"]
    {
        assert!(is_date(good), "{good}");
    }
    for bad in [
        "",
        "2026",
        "2026/01/31",
        "2026-13-01",
        "2026-00-10",
        "2026-01-32",
        "26-01-31",
        "2026-01-31T",
        "2026-01-31 10:00:00Z",
        "2026-01-31T10:00:00",
        "2026-01-31T10:00:00.Z",
        "2026-1-031",
        "+026-01-31",
        "éééééééééé",
        "2026-01-31T10:00:00Zx",
    ] {
        assert!(!is_date(bad), "{bad}");
    }
}

//! What a lesson would have done, in numbers and examples.

use lessons_lesson::conditions::StateCheck;
use lessons_lesson::lesson::{Label, Lesson, Mode, Priority, SampleCall};
use lessons_lesson::payload::Contents;
use lessons_manifest_builder::patterns::Patterns;
use lessons_pattern::trigger::{Trigger, TriggerKind};
use lessons_replay::group;
use lessons_replay::history::History;
use lessons_replay::outcome::LessonOutcome;
use lessons_replay::proof::{Labels, Proof};
use lessons_replay::report::{Replay, Why};
use lessons_replay::tally::Tally;
use lessons_replay::trial::{NoSample, Trial};
use serde_json::json;

use crate::scene::{CONTEXT, Scene, among, bash, call, compiled, lesson, project, result, stash, trial};

/// Two sessions, four stashes in three different forms.
fn history() -> Scene {
    let scene = Scene::new();
    let lines = [
        bash(1, "git stash push -m 'one'"),
        result(1, None),
        bash(2, "ls"),
        result(2, None),
        bash(3, "git stash"),
        result(3, Some("Exit code 1\nno")),
        bash(4, "cat a"),
        result(4, Some("Exit code 1\nno")),
    ];
    scene.write("-p/s1.jsonl", &lines);
    scene.write(
        "-p/s2.jsonl",
        &[bash(11, "git stash push -m 'two'"), bash(12, "git stash pop"), bash(13, "ls")],
    );
    scene
}

#[test]
fn a_replay_counts_calls_sessions_failures_and_what_followed() {
    let replay = Replay::of(&trial(&stash()), &history().history(), &CONTEXT);
    assert_eq!((replay.looked_at.calls, replay.looked_at.sessions, replay.looked_at.projects), (7, 2, 1));
    let fired = &replay.fired;
    assert_eq!((fired.calls, fired.sessions, fired.projects), (4, 2, 1));
    assert_eq!((fired.failed, fired.failed_soon, fired.refused, fired.stopped), (1, 2, 0, 0));
    let share = fired.share.unwrap();
    assert!((share.failed - 0.25).abs() < 1e-9 && (share.failed_soon - 0.5).abs() < 1e-9);
    assert!((fired.per_week - 4.0).abs() < 1e-9, "less than a week counts as one");
    let groups: Vec<_> = replay
        .hits
        .iter()
        .map(|hit| (hit.sample.command.as_deref().unwrap(), hit.calls, hit.failed))
        .collect();
    assert_eq!(groups, [("git stash push -m 'two'", 2, 0), ("git stash pop", 1, 0), ("git stash", 1, 1)]);
    let ids: Vec<_> = replay.calls.iter().map(|hit| hit.tool_use.as_str()).collect();
    assert_eq!(ids.len(), 4);
    assert!(replay.calls.iter().all(|hit| hit.outcome == LessonOutcome::Told));
}

#[test]
fn a_lesson_that_refuses_would_have_refused() {
    let mut lesson = stash();
    lesson.mode = Mode::Block;
    let replay = Replay::of(&trial(&lesson), &history().history(), &CONTEXT);
    assert_eq!((replay.fired.calls, replay.fired.refused), (4, 4));
}

#[test]
fn a_near_miss_says_what_kept_the_lesson_quiet() {
    let scene = history();
    let mut lesson = stash();
    lesson.unless = vec![Trigger::new(TriggerKind::CommandPattern, r"\bpop\b")];
    let replay = Replay::of(&trial(&lesson), &scene.history(), &CONTEXT);
    assert_eq!((replay.fired.calls, replay.near, replay.near_misses.len()), (3, 1, 1));
    assert_eq!(replay.near_misses[0].why, Some(Why::Unless(r"cmd=\bpop\b".into())));

    let mut other = stash();
    other.tools = vec!["Edit".into()];
    let replay = Replay::of(&trial(&other), &scene.history(), &CONTEXT);
    assert_eq!((replay.fired.calls, replay.near), (0, 4));
    assert!(replay.near_misses.iter().all(|group| group.why == Some(Why::Tool)));
    assert_eq!(replay.fired.share, None);

    let mut elsewhere = stash();
    elsewhere.scope.projects = vec!["/elsewhere".into()];
    let replay = Replay::of(&trial(&elsewhere), &scene.history(), &CONTEXT);
    assert_eq!(replay.near_misses[0].why, Some(Why::Scope));
}

#[test]
fn a_state_of_a_past_call_is_what_its_folder_says() {
    let scene = Scene::new();
    let app = project(&scene, "work/app");
    let line = |number, cwd: &str| {
        let mut line = bash(number, "cd web && ls");
        line["cwd"] = cwd.into();
        line
    };
    scene.write("-p/s1.jsonl", &[line(1, &app), line(2, &format!("{app}/web")), line(3, &app)]);
    let mut lesson = lesson("cd", &[(TriggerKind::CommandPattern, r"^cd\b")]);
    lesson.state = vec![StateCheck::CwdEndsWithTarget, StateCheck::PathMissing];
    let history = scene.history();
    let replay = Replay::of(&trial(&lesson), &history, &CONTEXT);
    assert_eq!((replay.fired.calls, replay.near), (1, 2), "what was on the disk then counts as missing");
    let hit = &replay.hits[0];
    assert_eq!((hit.sample.cwd.as_deref(), hit.unkept), (Some("/p/web"), None), "it can be an example");
    assert_eq!(replay.near_misses[0].why, Some(Why::State(StateCheck::CwdEndsWithTarget)));
}

#[test]
fn the_project_is_where_the_session_was_started() {
    let scene = Scene::new();
    let app = project(&scene, "work/app");
    let line = |number, cwd: &str| {
        let mut line =
            call(number, "Write", &json!({"file_path": format!("{app}/src/a.sql"), "content": "x"}));
        line["cwd"] = cwd.into();
        line
    };
    scene.write("-p/s1.jsonl", &[line(1, &format!("{app}/src")), line(2, "/tmp")]);
    let mut sql = lesson("sql", &[(TriggerKind::FileGlob, "src/*.sql")]);
    sql.scope.projects = vec![app.clone()];
    let history = scene.history();
    let replay = Replay::of(&trial(&sql), &history, &CONTEXT);
    assert_eq!(replay.fired.calls, 2, "also after a cd to elsewhere");
    assert_eq!(replay.hits[0].sample.file.as_deref(), Some("src/a.sql"), "as examples name it");
    assert_eq!(replay.hits[0].sample.content, None, "which no trigger looks at");
}

#[test]
fn among_others_only_the_best_are_told() {
    let scene = history();
    let better: Vec<_> = ["a", "b", "c"]
        .map(|id| {
            let mut lesson = lesson(id, &[(TriggerKind::CommandPattern, r"stash\s+pop")]);
            lesson.priority = Priority::new(9).unwrap();
            lesson
        })
        .into();
    let all = compiled(&[better, vec![stash()]].concat());
    let history = scene.history();
    let replay = Replay::of(&among(&stash(), all), &history, &CONTEXT);
    assert_eq!((replay.fired.calls, replay.left_out), (3, 1));
}

#[test]
fn a_lesson_is_tried_as_if_it_and_everything_were_on() {
    let mut manifest = compiled(&[stash()]);
    manifest.settings.enabled = false;
    manifest.lessons[0].terms.off_until = Some(u64::MAX);
    let trial = Trial::new(manifest.clone(), &Patterns::default()).unwrap();
    let trial = trial.among(manifest, &Patterns::default()).unwrap();
    assert_eq!(Replay::of(&trial, &history().history(), &CONTEXT).fired.calls, 4);
}

#[test]
fn the_numbers_are_those_of_the_replay() {
    let history = history().history();
    let trial = trial(&stash());
    let numbers = Replay::numbers(&trial, &history, &CONTEXT);
    let replay = Replay::of(&trial, &history, &CONTEXT);
    let without_groups = Replay { hits: Vec::new(), near_misses: Vec::new(), ..replay };
    assert_eq!(numbers, without_groups);
    assert_eq!((numbers.looked_at.calls, numbers.fired.calls, numbers.near), (7, 4, 0));
    let share = numbers.share;
    assert!(share.fired > 0 && share.fired < numbers.fired.calls, "of the calls that went well: {share:?}");
}

#[test]
fn a_secret_is_kept_nowhere_and_a_hit_that_needs_it_is_no_example() {
    let scene = Scene::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    scene.write("-p/s1.jsonl", &[bash(1, &format!("git stash push -m {secret}")), bash(2, secret)]);
    let history = scene.history();
    let replay = Replay::of(&trial(&stash()), &history, &CONTEXT);
    assert_eq!(replay.hits[0].unkept, None);
    let on_secret = lesson("secret", &[(TriggerKind::CommandPattern, "ghp_0123")]);
    let about = Replay::of(&trial(&on_secret), &history, &CONTEXT);
    assert_eq!(about.fired.calls, 2);
    assert!(about.hits.iter().all(|hit| hit.unkept == Some(NoSample::Differs)));
    for replay in [replay, about] {
        assert!(!serde_json::to_string(&replay).unwrap().contains(secret));
    }
}

#[test]
fn a_line_of_a_key_is_no_example() {
    let scene = Scene::new();
    let line = "MIIEowIBAAKCAQEA7bq9Xk3v0mJt8sYcR2hWfZ5uLpQnGdTx1KoEaBvCiHjDyNw";
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line}\n-----END RSA PRIVATE KEY-----\n");
    let file = format!("{}{key}", "# note\n".repeat(600));
    scene.write(
        "-p/s1.jsonl",
        &[call(1, "Write", &json!({"file_path": "/srv/app/key.pem", "content": file}))],
    );
    let lesson = lesson("long", &[(TriggerKind::ContentPattern, "[A-Za-z0-9+/]{60,}")]);
    let replay = Replay::of(&trial(&lesson), &scene.history(), &CONTEXT);
    assert_eq!(replay.fired.calls, 1);
    assert!(replay.hits[0].unkept.is_some());
    assert!(!format!("{:?}", replay.hits).contains(line));
}

#[test]
fn a_lesson_of_others_that_looks_at_content_takes_its_place() {
    let scene = Scene::new();
    let edit = json!({"file_path": "/srv/app/a.ts", "old_string": "a", "new_string": "debugger"});
    scene.write("-p/s1.jsonl", &[call(1, "Edit", &edit)]);
    let advice = lesson("any-ts", &[(TriggerKind::FileGlob, "**/*.ts")]);
    let trial = among(&advice, compiled(&[advice.clone(), without_debugger()]));
    let history = History::read(&[scene.root()], trial.contents(), &());
    let replay = Replay::of(&trial, &history, &CONTEXT);
    assert_eq!(
        (replay.fired.calls, replay.left_out),
        (0, 1),
        "the call is refused with the other one's words"
    );
    let commands = among(&stash(), compiled(&[stash(), without_debugger()]));
    assert_eq!(commands.contents(), Contents::Skip, "no edit matters to a lesson about commands");
}

/// A lesson that refuses edits.
fn without_debugger() -> Lesson {
    let mut lesson = lesson("no-debugger", &[(TriggerKind::ContentPattern, "debugger")]);
    lesson.mode = Mode::Block;
    let content = Some("debugger".to_owned());
    lesson.examples.fires = vec![SampleCall { tool: "Edit".into(), content, ..SampleCall::default() }];
    lesson
}

#[test]
fn of_a_long_edit_the_line_that_matters_is_kept() {
    let scene = Scene::new();
    let content = format!("{}\nconst x: any = 1;\n{}", "a\n".repeat(3000), "b\n".repeat(3000));
    scene.write(
        "-p/s1.jsonl",
        &[call(1, "Write", &json!({"file_path": "/srv/app/a.ts", "content": content}))],
    );
    let any = lesson("any", &[(TriggerKind::ContentPattern, r":\s*any\b")]);
    let replay = Replay::of(&trial(&any), &scene.history(), &CONTEXT);
    // More lines come before it than are tried.
    assert_eq!((replay.hits[0].unkept, replay.fired.calls), (Some(NoSample::Long), 1));
    let near = format!("{}const x: any = 1;\n{}", "a\n".repeat(100), "b\n".repeat(3000));
    scene.write("-p/s1.jsonl", &[call(1, "Write", &json!({"file_path": "/srv/app/a.ts", "content": near}))]);
    let replay = Replay::of(&trial(&any), &scene.history(), &CONTEXT);
    assert_eq!(replay.hits[0].sample.content.as_deref(), Some("const x: any = 1;"));
    assert_eq!(replay.hits[0].unkept, None);
}

#[test]
fn what_a_person_said_is_the_proof_and_examples_are_none() {
    let history = history().history();
    let mut lesson = stash();
    let replay = Replay::of(&trial(&lesson), &history, &CONTEXT);
    lesson.examples.fires.extend(replay.hits.iter().map(|hit| hit.sample.clone()));
    let replay = Replay::of(&trial(&lesson), &history, &CONTEXT);
    let mut labels = Labels::default();
    assert_eq!(Proof::of(&labels, &replay).missing(), 3);
    for hit in &replay.hits {
        assert_eq!(hit.key, group::key(&hit.sample), "kept calls are known again");
        labels.insert(hit.key.clone(), Label::Right);
    }
    let proof = Proof::of(&labels, &replay);
    assert_eq!((proof.hits, proof.right, proof.wrong), (3, 3, 0));
    assert!(proof.is_enough());
    labels.insert(replay.hits[0].key.clone(), Label::Wrong);
    assert!(!Proof::of(&labels, &replay).is_enough(), "the last answer counts");
    let others: Labels = [("another call".to_owned(), Label::Right)].into();
    assert_eq!(Proof::of(&others, &replay).missing(), 3);
}

#[test]
fn a_lesson_on_errors_is_replayed_over_the_calls_that_failed() {
    let scene = Scene::new();
    let lines = [
        bash(1, "git push"),
        result(1, Some("Exit code 1\n! [rejected] main -> main (non-fast-forward)")),
        bash(2, "git push"),
        result(2, None),
        bash(3, "git push"),
        result(3, Some("Exit code 128\nfatal: no remote")),
        call(4, "Edit", &json!({"file_path": "/srv/app/a", "new_string": "x"})),
        result(4, Some("<tool_use_error>non-fast-forward</tool_use_error>")),
    ];
    scene.write("-p/s.jsonl", &lines);
    let on_error = lesson("a", &[(TriggerKind::ErrorPattern, "non-fast-forward")]);
    let replay = Replay::of(&trial(&on_error), &scene.history(), &CONTEXT);
    assert_eq!(
        (replay.fired.calls, replay.fired.failed),
        (1, 1),
        "the client tells no hook of a refused edit"
    );
    assert_eq!(replay.calls[0].tool_use, "t1");
    let sample = &replay.hits[0].sample;
    assert!(sample.error.as_deref().unwrap().starts_with("Exit code 1\n"), "{sample}");
    assert!(trial(&on_error).fires_on(sample));

    // Of a lesson on either, a call counts once.
    let on_both = lesson(
        "b",
        &[(TriggerKind::CommandPattern, "git push"), (TriggerKind::ErrorPattern, "non-fast-forward")],
    );
    let replay = Replay::of(&trial(&on_both), &scene.history(), &CONTEXT);
    assert_eq!(replay.fired.calls, 3);

    let mut narrowed = lesson("c", &[(TriggerKind::CommandPattern, "git push")]);
    narrowed.also.push(Trigger::new(TriggerKind::ErrorPattern, "no remote"));
    let replay = Replay::of(&trial(&narrowed), &scene.history(), &CONTEXT);
    assert_eq!((replay.fired.calls, replay.calls[0].tool_use.as_str()), (1, "t3"));
}

#[test]
fn room_counts_sessions_in_which_a_later_answer_fires() {
    let scene = Scene::new();
    let in_answer = |number: u32, answer: &str, command: &str| {
        let mut line = bash(number, command);
        line["message"]["id"] = answer.into();
        line
    };
    scene.write("-p/again.jsonl", &[in_answer(1, "a", "git stash"), in_answer(2, "b", "git stash")]);
    scene.write("-p/at-once.jsonl", &[in_answer(3, "c", "git stash"), in_answer(4, "c", "git stash")]);
    scene.write("-p/other.jsonl", &[in_answer(5, "d", "ls")]);
    let replay = Replay::numbers(&trial(&stash()), &scene.history(), &CONTEXT);
    assert_eq!((replay.room.0, replay.fired.calls), (Tally::new(1, 2), 4));
}

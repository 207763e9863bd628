//! Files that grow, shrink, move, vanish and are copied; the lock; the report.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;

use lessons_ledger::candidates::CandidateStatus;
use lessons_ledger::journal::Deed;
use lessons_scanner::run::lock::ScanLock;
use lessons_scanner::run::scan;
use lessons_scanner::transcript::timestamp::Timestamp;
use serde_json::json;

use crate::scratch::{Scratch, assistant, doubts, jsonl, lesson, tool_result, user};

#[test]
fn a_candidate_knows_where_it_was_said() {
    let mut scratch = Scratch::with(&[
        user("u", 1, "go"),
        assistant("a", 2, &lesson("it broke when run twice", "run it once only")),
    ]);
    scratch.scan();
    let candidate = scratch.waiting().remove(0);
    assert_eq!((candidate.seen, candidate.sessions, candidate.projects), (1, 1, 1));
    let sighting = scratch.database().sightings(&candidate.id).unwrap().remove(0);
    assert_eq!((sighting.uuid.as_str(), sighting.line, sighting.session.as_str()), ("a", 2, "s-1"));
    assert_eq!(sighting.model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(sighting.project.as_deref(), Some("/home/dev/project"));
    assert_eq!(sighting.time, Timestamp::parse("2026-01-01T00:00:02Z").unwrap().millis());
    assert_eq!((sighting.agent_id, sighting.agent_type), (None, None));
    assert!(sighting.file.ends_with("/a.jsonl"));
}

#[test]
fn a_sub_agent_is_named_by_its_line_or_by_the_file_beside_it() {
    let mut scratch = Scratch::new();
    let mut line = assistant("a", 1, &lesson("it broke when run twice", "run it once only"));
    line["isSidechain"] = json!(true);
    line["agentId"] = json!("aa99");
    scratch.write("s/subagents/agent-aa99.jsonl", jsonl(&[line]));
    scratch.write("s/subagents/agent-aa99.meta.json", r#"{"agentType":"Explore","isBuiltIn":true}"#);
    scratch.write("s.jsonl", "");
    scratch.scan();
    let id = scratch.waiting().remove(0).id;
    let sighting = scratch.database().sightings(&id).unwrap().remove(0);
    assert_eq!(
        (sighting.agent_id.as_deref(), sighting.agent_type.as_deref()),
        (Some("aa99"), Some("Explore"))
    );
}

#[test]
fn half_a_line_is_captured_once_it_is_whole_and_not_twice() {
    // ADV-039.
    let line = jsonl(&[assistant("a", 1, &lesson("it broke when run twice", "run it once only"))]);
    for cut in [1, line.len() / 2, line.len() - 2, line.len() - 1] {
        let mut scratch = Scratch::new();
        scratch.write("a.jsonl", &line[..cut]);
        scratch.scan();
        // Only its line feed is missing: the object is whole.
        let is_whole = cut == line.len() - 1;
        assert_eq!(scratch.waiting().len(), usize::from(is_whole));
        assert_eq!(scratch.offset("a.jsonl"), if is_whole { cut as u64 } else { 0 });
        let next = jsonl(&[assistant("b", 2, &lesson("it broke when run thrice", "run it once only"))]);
        scratch.write("a.jsonl", line.clone() + &next);
        scratch.scan();
        let lines: Vec<u64> = scratch
            .waiting()
            .iter()
            .map(|found| scratch.database().sightings(&found.id).unwrap()[0].line)
            .collect();
        assert_eq!(lines, [1, 2]);
        assert!(scratch.waiting().iter().all(|found| found.seen == 1));
    }
}

#[test]
fn a_copy_or_a_fork_is_seen_once_and_counts_as_one_session() {
    let text = lesson("it broke when run twice", "run it once only");
    let mut scratch = Scratch::with(&[assistant("a", 1, &text)]);
    let mut fork = assistant("a", 1, &text);
    fork["sessionId"] = json!("s-2");
    let mut again = assistant("b", 9, &text);
    again["sessionId"] = json!("s-2");
    scratch.write("b.jsonl", jsonl(&[fork, again]));
    fs::copy(scratch.path("a.jsonl"), scratch.path("c.jsonl")).unwrap();
    let report = scratch.scan();
    assert_eq!((report.recorded.new, report.recorded.again), (1, 1));
    let candidate = scratch.waiting().remove(0);
    assert_eq!((candidate.seen, candidate.sessions), (2, 1));
}

#[test]
fn a_fork_that_records_the_same_again_adds_no_session() {
    let text = lesson("it broke when run twice", "run it once only");
    let of_session = |id: &str, mut line: serde_json::Value| {
        line["sessionId"] = json!(id);
        line
    };
    let start = |id: &str| [json!({"type": "mode"}), of_session(id, user("u", 1, "go"))];
    let mut scratch = Scratch::with(&[start("s-1").as_slice(), &[assistant("a", 2, &text)]].concat());
    // The fork shares only the lines before the candidate's.
    let said = of_session("s-2", assistant("b", 9, &text));
    scratch.write("b.jsonl", jsonl(&[start("s-2").as_slice(), &[said]].concat()));
    scratch.scan();
    let candidate = scratch.waiting().remove(0);
    assert_eq!((candidate.seen, candidate.sessions), (2, 1));

    let other = [of_session("s-3", user("v", 1, "go")), of_session("s-3", assistant("c", 2, &text))];
    scratch.write("c.jsonl", jsonl(&other));
    scratch.scan();
    assert_eq!(scratch.waiting()[0].sessions, 2);
}

#[test]
fn more_blocks_and_files_than_are_taken_at_once_are_all_taken() {
    let texts: Vec<String> =
        (0..520).map(|n| lesson(&format!("thing number {n} broke badly"), "do it well")).collect();
    let lines: Vec<_> = texts
        .chunks(20)
        .zip(0..)
        .map(|(texts, second)| assistant(&format!("a{second}"), second, &texts.join("\n")))
        .collect();
    let mut scratch = Scratch::with(&lines);
    for n in 0..140 {
        let text = lesson(&format!("sub-agent {n} broke badly"), "do it well");
        scratch.write(
            &format!("a/subagents/agent-{n}.jsonl"),
            jsonl(&[assistant(&format!("b{n}"), 200, &text)]),
        );
    }
    let report = scratch.scan();
    assert_eq!((report.recorded.new, report.tags, report.lines, report.files_read), (660, 660, 166, 141));
}

#[test]
fn a_file_that_cannot_be_read_is_said_and_the_rest_goes_on() {
    let mut scratch =
        Scratch::with(&[assistant("a", 1, &lesson("it broke when run twice", "run it once only"))]);
    std::os::unix::fs::symlink(scratch.path("a.jsonl"), scratch.path("link.jsonl")).unwrap();
    nix::unistd::mkfifo(&scratch.path("pipe.jsonl"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    scratch.write("secret.jsonl", "{}\n");
    fs::set_permissions(scratch.path("secret.jsonl"), fs::Permissions::from_mode(0o000)).unwrap();
    let report = scratch.scan();
    assert_eq!(scratch.waiting().len(), 1);
    let reasons: Vec<&str> = report.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    assert!(reasons.contains(&"a link, and links are not followed") && reasons.contains(&"no regular file"));
    // The superuser may read everything.
    if !nix::unistd::geteuid().is_root() {
        assert_eq!(report.skipped_count, 3);
    }
}

#[test]
fn lines_that_cannot_be_read_are_counted() {
    let mut scratch = Scratch::new();
    let mut bytes = b"\xff #lesson\n{\"type\": #lesson\n".to_vec();
    bytes.extend(jsonl(&[assistant("a", 1, &lesson("it broke when run twice", "run it once only"))]).bytes());
    scratch.write("a.jsonl", bytes);
    let report = scratch.scan();
    let counts: Vec<(&str, usize)> =
        report.unreadable.iter().map(|(reason, n)| (reason.as_str(), *n)).collect();
    assert_eq!(counts, [("not UTF-8", 1), ("not a JSON object", 1)]);
    assert_eq!((report.lines, report.tags, scratch.waiting().len()), (3, 1, 1));
}

#[test]
fn a_vanished_file_leaves_its_candidates_and_no_cursor() {
    let mut scratch =
        Scratch::with(&[assistant("a", 1, &lesson("it broke when run twice", "run it once only"))]);
    scratch.scan();
    fs::remove_file(scratch.path("a.jsonl")).unwrap();
    scratch.scan();
    assert_eq!((scratch.waiting().len(), scratch.offset("a.jsonl")), (1, 0));
}

#[test]
fn an_agent_takes_back_what_it_recorded_in_the_same_session_and_nothing_else() {
    let cancel = "#lesson:cancel\nmistake: pytest hangs waiting\n#/lesson:cancel";
    let tag =
        "#lesson\nmistake: Pytest Hangs waiting for a TTY forever\nfix: pass -p no:terminal to it\n#/lesson";
    let mut other = assistant("b", 1, &tag.replace("forever", "always"));
    other["sessionId"] = json!("s-2");
    let mut scratch = Scratch::with(&[assistant("a", 1, tag), assistant("c", 2, cancel)]);
    scratch.write("b.jsonl", jsonl(&[other]));
    let report = scratch.scan();
    assert_eq!(report.recorded.cancelled, 1);
    assert_eq!(scratch.mistakes(), ["Pytest Hangs waiting for a TTY always"]);
    assert_eq!(scratch.database().candidates(&[CandidateStatus::Cancelled]).unwrap().len(), 1);
}

#[test]
fn two_cancels_of_one_message_both_count() {
    let tags = ["first thing that went wrong", "second thing that went wrong"]
        .map(|text| lesson(text, "do it another way"));
    let cancels = "#lesson:cancel\nmistake: first thing that went wrong\n#/lesson\n#lesson:cancel\nmistake: second thing that went wrong\n#/lesson";
    let mut scratch = Scratch::with(&[assistant("a", 1, &tags.join("\n")), assistant("b", 2, cancels)]);
    assert_eq!(scratch.scan().recorded.cancelled, 2);
}

#[test]
fn a_cancel_in_a_code_fence_or_after_a_persons_no_does_nothing() {
    let text = lesson("it broke when run twice", "run it once only");
    let cancel = "#lesson:cancel\ntrigger: git push\n#/lesson";
    let mut scratch =
        Scratch::with(&[assistant("a", 1, &text), assistant("b", 2, &format!("```\n{cancel}\n```"))]);
    let report = scratch.scan();
    assert_eq!((report.cancels_ignored, scratch.waiting().len()), (1, 1));
    let id = scratch.waiting()[0].id.clone();
    let deed = Deed::new("you", "rejected", 0);
    scratch.database().set_status(&id, CandidateStatus::Rejected, Some("no"), &deed).unwrap();
    scratch.append("a.jsonl", jsonl(&[assistant("c", 3, cancel)]));
    assert_eq!(scratch.scan().recorded.cancelled, 0);
    assert_eq!(scratch.database().candidates(&[CandidateStatus::Rejected]).unwrap().len(), 1);
}

#[test]
fn the_examples_that_we_show_ourselves_are_not_captured() {
    // ADV-026.
    let skill = include_str!("../../../skills/lessons/SKILL.md");
    for text in [lessons_lesson::protocol::EXAMPLE, &lessons_lesson::protocol::text(), skill] {
        let mut scratch = Scratch::with(&[assistant("a", 1, text)]);
        let report = scratch.scan();
        assert_eq!(scratch.mistakes(), [] as [&str; 0]);
        assert_eq!(report.void.get("`mistake:` is a placeholder"), Some(&1), "{text}");
    }
}

#[test]
fn a_real_lesson_is_captured_in_a_session_that_began_with_the_protocol() {
    let protocol = json!({
        "type": "attachment", "uuid": "p", "sessionId": "s-1", "timestamp": "2026-01-01T00:00:00.000Z",
        "attachment": {"type": "hook_additional_context", "content": [lessons_lesson::protocol::text()]},
    });
    let tag = "#lesson\ntool: Bash\ntrigger: git stash\nmistake: git stash leaves untracked files behind\nfix: use \
               `git stash -u`\ntags: tool:git, severity:data-loss\n#/lesson";
    let mut scratch = Scratch::with(&[protocol, assistant("a", 1, tag)]);
    scratch.scan();
    assert_eq!(scratch.waiting().iter().map(doubts).collect::<Vec<_>>(), [[] as [&str; 0]]);
}

#[test]
fn projects_that_are_there_become_known() {
    let mut scratch = Scratch::new();
    let project = scratch.path("../work/app");
    fs::create_dir_all(project.join(".git")).unwrap();
    let mut line = user("u", 1, "go");
    line["cwd"] = json!(project.join("src").canonicalize().unwrap_or(project.join("src")));
    fs::create_dir_all(project.join("src")).unwrap();
    scratch.write("a.jsonl", jsonl(&[json!({"type": "mode"}), line]));
    scratch.scan();
    let roots: Vec<String> =
        scratch.database().project_roots().unwrap().into_iter().map(|(root, _)| root).collect();
    assert_eq!(roots.len(), 1);
    assert!(roots[0].ends_with("/work/app"), "{roots:?}");
}

#[test]
fn a_scan_that_is_stopped_knows_the_projects_of_what_it_has_read() {
    let mut scratch = Scratch::new();
    for name in ["one", "two"] {
        let project = scratch.path(&format!("../work/{name}"));
        fs::create_dir_all(project.join(".git")).unwrap();
        let mut line = user(name, 1, "go");
        line["cwd"] = json!(project);
        scratch.write(&format!("{name}.jsonl"), jsonl(&[line]));
    }
    let roots = scratch.roots();
    let mut watcher = |progress: scan::Progress| {
        if progress.done == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    scan::scan(scratch.database(), &roots, &Scratch::options(), None, &mut watcher).unwrap();
    let known = scratch.database().project_roots().unwrap();
    for name in ["one", "two"] {
        let is_known = known.iter().any(|(root, _)| root.ends_with(name));
        assert!(is_known || scratch.offset(&format!("{name}.jsonl")) == 0, "it has read {name}");
    }
    scratch.scan();
    assert_eq!(scratch.database().project_roots().unwrap().len(), 2);
}

#[test]
fn a_second_scanner_leaves_at_once_and_a_stopped_one_is_taken_up_again() {
    let mut scratch = Scratch::new();
    for n in 0..4 {
        let text = lesson(&format!("it broke when run {n} times"), "run it once only");
        scratch.write(&format!("{n}.jsonl"), jsonl(&[assistant(&format!("a{n}"), n, &text)]));
    }
    let (home, roots) = (scratch.home(), scratch.roots());
    let lock = ScanLock::take(&home).unwrap();
    let outcome = scan::run(&home, &roots, &Scratch::options(), &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(outcome.is_none());
    drop(lock);
    let outcome = scan::run(&home, &roots, &Scratch::options(), &mut |_| ControlFlow::Break(())).unwrap();
    assert!(outcome.unwrap().stopped);
    assert_eq!(scratch.waiting().len(), 0);
    scratch.scan();
    assert_eq!(scratch.waiting().len(), 4);
}

#[test]
fn a_scan_that_is_stopped_at_its_last_session_forgets_and_proposes_nothing() {
    let mut scratch =
        Scratch::with(&[assistant("a", 1, &lesson("it broke when run twice", "run it once only"))]);
    scratch.write("gone.jsonl", jsonl(&[user("u", 1, "go")]));
    scratch.scan();
    fs::remove_file(scratch.path("gone.jsonl")).unwrap();
    let roots = scratch.roots();
    let mut watcher = |progress: scan::Progress| {
        if progress.done < progress.total { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let report = scan::scan(scratch.database(), &roots, &Scratch::options(), None, &mut watcher).unwrap();
    assert!(report.stopped);
    assert!(scratch.offset("gone.jsonl") > 0);
    assert!(!scratch.scan().stopped);
    assert_eq!(scratch.offset("gone.jsonl"), 0);
}

#[test]
fn progress_goes_up_to_the_end() {
    let mut scratch =
        Scratch::with(&[assistant("a", 1, &lesson("it broke when run twice", "run it once only"))]);
    for _ in 0..2 {
        let mut seen = Vec::new();
        let roots = scratch.roots();
        let mut watcher = |progress: scan::Progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        };
        scan::scan(scratch.database(), &roots, &Scratch::options(), None, &mut watcher).unwrap();
        assert!(seen.windows(2).all(|pair| pair[0].done <= pair[1].done));
        let last = seen.last().unwrap();
        assert_eq!(last.done, last.total);
    }
}

#[test]
fn who_stays_small_leaves_a_long_line_and_what_follows_it_to_a_whole_scan() {
    let long = tool_result("t", 2, &"word ".repeat(500_000));
    let lines = [
        assistant("a", 1, &lesson("it broke when run twice", "run it once only")),
        long,
        assistant("b", 3, &lesson("it broke when run thrice", "run it at most twice")),
    ];
    // What is read before it, and what a sub-agent says whose session holds it.
    for agent in [None, Some(assistant("c", 9, &lesson("the third broke in the rain", "take it inside")))] {
        let mut scratch = Scratch::new();
        scratch.write("s.jsonl", jsonl(&lines));
        if let Some(line) = &agent {
            scratch.write("s/subagents/agent-a.jsonl", jsonl(std::slice::from_ref(line)));
        }
        for _ in 0..2 {
            let report = scratch.scan_in(&Scratch::options().in_background());
            assert_eq!((report.tags, report.long_lines), (0, 0), "what cannot be compared with all is left");
            assert_eq!(scratch.offset("s.jsonl"), 0);
        }
        let report = scratch.scan();
        assert_eq!(report.recorded.new, 2 + usize::from(agent.is_some()));
        assert_eq!(scratch.scan_in(&Scratch::options().in_background()).bytes, 0);
    }
}

#[test]
fn who_stays_small_reads_up_to_a_long_line_that_no_lesson_is_compared_with() {
    let short = user("u", 1, "go");
    let long = tool_result("t", 2, &"word ".repeat(500_000));
    let after = assistant("b", 3, &lesson("it broke when run thrice", "run it at most twice"));
    let mut scratch = Scratch::with(&[short.clone(), long, after]);
    for _ in 0..2 {
        scratch.scan_in(&Scratch::options().in_background());
        assert_eq!(scratch.offset("a.jsonl"), jsonl(std::slice::from_ref(&short)).len() as u64);
    }
    assert_eq!(scratch.scan().recorded.new, 1);
    let id = scratch.waiting()[0].id.clone();
    assert_eq!(scratch.database().sightings(&id).unwrap()[0].line, 3);
}

//! Things that happen one after the other, or at the same time. The input is a recipe in words, so each case has its
//! own function here.

use std::fs;
use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use lessons_home::home::Home;
use lessons_ledger::candidates::CandidateStatus;
use lessons_ledger::database::Database;
use lessons_ledger::journal::{Thing, ThingKind};
use lessons_tests::env::{TestEnv, as_the_client_writes, said};
use serde_json::{Value, json};

use super::facts::Facts;
use super::session::{candidates, store};
use crate::cases::Input;

pub(super) fn observe(input: &Input) -> Facts {
    let data = &input.get("input")["data"];
    let steps = data.as_array();
    let first = steps.and_then(|steps| steps.first()).unwrap_or(data);
    let has = |key: &str| first.get(key).is_some();
    match () {
        () if has("hook") => the_protocol_repeated(),
        () if has("inject") => a_told_lesson_repeated(),
        () if has("lesson_scope") => a_scope_with_a_namesake(first["lesson_scope"].as_str().unwrap(), data),
        () if has("session") => one_text_in_several_sessions(steps.unwrap()),
        () if has("edit") => many_small_edits(),
        () if first["spawn"].as_str().is_some_and(|text| text.contains("hooks")) => many_hooks_at_once(),
        () if first["spawn"].as_str().is_some_and(|text| text.contains("scanners")) => many_scans_at_once(),
        () if has("kill -9") => a_scan_that_is_killed(),
        () if has("clock") => a_clock_that_jumps_back(),
        () if has("rebuild manifest") => builds_while_hooks_run(),
        () if has("LESSONS_SCANNER_GUARD") => our_own_background_work(),
        () if first == "lessons" => an_archive_to_import(),
        () => panic!("{}: no recipe {data}", input.id),
    }
}

const TAG: &str = "#lesson\ntool: Bash\ntrigger: frobnicate\nmistake: frobnicate forgets the files that nobody named\nfix: name every file when you frobnicate\n#/lesson";

/// A line of the assistant.
fn says(session: &str, uuid: &str, text: &str) -> Value {
    json!({"type": "assistant", "uuid": uuid, "sessionId": session, "timestamp": "2026-01-01T00:00:00Z", "cwd": "/home/u/proj",
           "message": {"role": "assistant", "id": uuid, "content": [{"type": "text", "text": text}]}})
}

/// The line in which the client keeps what a hook told the model.
fn told_by_hook(session: &str, event: &str, text: &str) -> Value {
    json!({"type": "attachment", "uuid": "told", "sessionId": session, "timestamp": "2026-01-01T00:00:00Z",
           "attachment": {"type": "hook_additional_context", "content": [text], "hookName": event, "hookEvent": event}})
}

fn context(output: &Output) -> String {
    let object: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    object["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn call(session: &str) -> Value {
    json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": "frobnicate"}})
}

/// A machine on which `frobnicate` gets a lesson.
fn machine() -> TestEnv {
    let env = TestEnv::new();
    add(&env, "frob", &[]);
    env
}

fn add(env: &TestEnv, id: &str, more: &[(&str, Value)]) {
    let mut lesson = json!({
        "id": id, "mistake": "frobnicate forgets the files that nobody named",
        "rule": format!("name every file when you frobnicate ({id})"),
        "triggers": [{"kind": "command_pattern", "pattern": "frobnicate"}],
    });
    for (key, value) in more {
        lesson[*key] = value.clone();
    }
    let force: &[&str] = match lesson["mode"].as_str() {
        Some("block") => &["--force-block", "there is no past here"],
        _ => &[],
    };
    let arguments = [&["add", "--json-input", "-"], force].concat();
    let added = env.lessons_given(&arguments, lesson.to_string().as_bytes());
    assert!(added.status.success(), "{}", said(&added));
}

fn note_candidates(env: &TestEnv, facts: &mut Facts) {
    let found = candidates(env, CandidateStatus::New);
    facts.note("no candidate", found.is_empty());
    facts.note("undoubted candidate", found.iter().any(|candidate| candidate.finding.flags.is_empty()));
    facts.note(
        "counted again",
        found.iter().any(|candidate| candidate.finding.flags.is_empty() && candidate.seen > 1),
    );
    facts.detail(format!("{found:?}"));
}

fn the_protocol_repeated() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    let start = env.session_start(&json!({"session_id": "s", "cwd": "/home/u/proj", "source": "startup"}));
    let protocol = context(&start);
    assert!(protocol.contains("#lesson"), "{}", said(&start));
    env.write_transcript(
        "-home-u-proj/s.jsonl",
        &[
            told_by_hook("s", "SessionStart", &protocol),
            says("s", "again", &format!("As I was told:\n{protocol}")),
        ],
    );
    env.scan();
    note_candidates(&env, &mut facts);
    facts
}

fn a_told_lesson_repeated() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    let told = context(&env.hook(&call("s")));
    assert!(told.contains("name every file"), "{told}");
    env.write_transcript(
        "-home-u-proj/s.jsonl",
        &[told_by_hook("s", "PreToolUse", &told), says("s", "again", TAG)],
    );
    env.scan();
    note_candidates(&env, &mut facts);
    facts
}

fn a_scope_with_a_namesake(scope: &str, data: &Value) -> Facts {
    let mut facts = Facts::default();
    let env = TestEnv::new();
    let scope = scope.strip_prefix("project ").unwrap();
    let (here, there) =
        (env.home().join(&scope[1..]), env.home().join(&data[1]["hook_cwd"].as_str().unwrap()[1..]));
    for folder in [&here, &there] {
        fs::create_dir_all(folder).unwrap();
    }
    env.must(&[
        "add",
        "--rule",
        "Only here.",
        "--trigger",
        "cmd=frobnicate",
        "--scope-project",
        here.to_str().unwrap(),
    ]);
    let in_folder = |folder: &std::path::Path, session: &str| {
        let mut payload = call(session);
        payload["cwd"] = json!(folder);
        context(&env.hook(&payload)).contains("Only here.")
    };
    facts.note("told elsewhere", in_folder(&there, "a") || in_folder(&here.with_file_name("bar"), "c"));
    facts.note("told there", in_folder(&here, "b"));
    facts
}

fn one_text_in_several_sessions(steps: &[Value]) -> Facts {
    let mut facts = Facts::default();
    let env = TestEnv::new();
    for (number, step) in steps.iter().enumerate() {
        let session = step["session"].as_str().unwrap();
        let text = step["assistant"].as_str().unwrap();
        let (file, name) = match session.split_once(" (subagent of ") {
            None => {
                let name = session.split(' ').next().unwrap();
                (format!("-home-u-proj/{name}.jsonl"), name)
            }
            Some((_, parent)) => {
                let name = parent.trim_end_matches(')');
                (format!("-home-u-proj/{name}/subagents/agent-a1.jsonl"), name)
            }
        };
        env.write_transcript(&file, &[says(name, &format!("line-{number}"), text)]);
    }
    env.scan();
    let found = candidates(&env, CandidateStatus::New);
    facts.note("one candidate", found.len() == 1);
    facts.note("one session", found.iter().all(|candidate| candidate.sessions == 1));
    facts.note("every copy counted", found.iter().any(|candidate| candidate.sessions >= steps.len() as u64));
    facts.detail(format!("{found:?}"));
    facts
}

fn many_small_edits() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    let mut rule: Vec<String> = "name every file when you frobnicate and look at what it says afterwards"
        .split(' ')
        .map(str::to_owned)
        .collect();
    for number in 0..20 {
        let place = number % rule.len();
        rule[place] = format!("word{number}");
        env.must(&["edit", "frob", "--rule", &rule.join(" ")]);
    }
    let journal = Database::open(&Home::at(env.data())).unwrap().journal(100).unwrap().into_iter();
    let of_lesson = |thing: &Thing| thing.kind == ThingKind::Lesson && thing.name == "frob";
    let history: Vec<_> = journal.filter(|entry| of_lesson(&entry.thing)).collect();
    facts.note(
        "every edit on record",
        history.len() == 21
            && history.iter().filter(|entry| entry.before.is_some() && entry.after.is_some()).count() == 20,
    );
    facts.note("by whom and when", history.iter().all(|entry| entry.time > 0 && !entry.actor.is_empty()));
    facts.detail(format!("{history:?}"));
    facts
}

fn many_hooks_at_once() -> Facts {
    let mut facts = Facts::default();
    let env = TestEnv::new();
    // Even in short it takes more bytes than the smallest budget has.
    let (rule, summary) = ("name every file when you frobnicate ".repeat(6), "фробникат ".repeat(11));
    add(&env, "frob", &[("rule", json!(rule)), ("summary", json!(summary))]);
    let tells = |output: &Output| context(output).contains("[lesson user/frob]");
    let told = |session: &str| {
        let hooks: Vec<Child> = (0..50).map(|_| env.start_hook(&call(session))).collect();
        let outputs = hooks.into_iter().map(|hook| hook.wait_with_output().unwrap());
        outputs.filter(tells).count()
    };
    facts.note("told once", told("s") == 1 && told("t") == 1);

    // What this hook prints does not get out, so it has told nobody.
    let input = env.home().join("payload");
    fs::write(&input, as_the_client_writes(&call("u"))).unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut unheard = env.command("lessons-pre-tool-use");
    unheard.stdin(fs::File::open(&input).unwrap()).stdout(full);
    assert_eq!(unheard.status().unwrap().code(), Some(0));
    facts.note_every("given back", tells(&env.hook(&call("u"))));

    // What does not fit stays untold, and is told at a later call.
    let config = env.data().join("config.toml");
    let with_budget = |text: &str| {
        fs::write(&config, text).unwrap();
        env.must(&["build"]);
        tells(&env.hook(&call("v")))
    };
    facts.note_every("given back", !with_budget("budget.bytes = 256\n") && with_budget(""));
    facts
}

fn many_scans_at_once() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    for file in 0..20 {
        let lines: Vec<Value> = (0..20)
            .map(|line| {
                says(
                    &format!("s{file}"),
                    &format!("{file}-{line}"),
                    &TAG.replace("nobody named", &format!("number {line} named")),
                )
            })
            .collect();
        env.write_transcript(&format!("-home-u-proj/s{file}.jsonl"), &lines);
    }
    let scans: Vec<Output> = thread::scope(|scope| {
        let scan = || env.background("scan").output().unwrap();
        let running: Vec<_> = (0..8).map(|_| scope.spawn(scan)).collect();
        running.into_iter().map(|scan| scan.join().unwrap()).collect()
    });
    facts.note("all ended well", scans.iter().all(|output| output.status.success()));
    facts.note("complaints", scans.iter().any(|output| !output.stderr.is_empty()));
    env.scan();
    let found = candidates(&env, CandidateStatus::New);
    facts.note("doubled", found.len() != 20 || found.iter().any(|candidate| candidate.seen != 20));
    facts.detail(scans.iter().map(said).collect::<Vec<_>>().join("\n"));
    facts.detail(format!("{found:?}"));
    facts
}

fn a_scan_that_is_killed() -> Facts {
    let mut facts = Facts::default();
    let mut died = 0;
    for point in 1.. {
        let env = TestEnv::new();
        env.write_transcript(
            "-home-u-proj/s.jsonl",
            &[says("s", "a", TAG), says("s", "b", &TAG.replace("nobody", "somebody"))],
        );
        let scan =
            env.command("lessons").arg("scan").env("LESSONS_CRASH_AT", point.to_string()).output().unwrap();
        let ended = scan.status.code().is_some();
        let before = if env.data().join("lessons.db").exists() {
            candidates(&env, CandidateStatus::New).len()
        } else {
            0
        };
        facts.note("half seen", before == 1);
        env.scan();
        let found = candidates(&env, CandidateStatus::New);
        facts.note("lost", found.len() < 2);
        facts.note("doubled", found.len() > 2 || found.iter().any(|candidate| candidate.seen != 1));
        if ended {
            assert!(scan.status.success(), "{}", said(&scan));
            break;
        }
        died += 1;
    }
    assert!(died > 0, "a scan passes no point at which it could die");
    facts.detail(format!("it was killed at {died} points"));
    facts
}

fn a_clock_that_jumps_back() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    env.write_transcript("-home-u-proj/s.jsonl", &[says("s", "a", TAG)]);
    env.scan();
    assert!(context(&env.hook(&call("s"))).contains("user/frob"));
    // To files that were written by a clock two days ahead, this machine's clock has jumped back.
    let ahead = SystemTime::now() + Duration::from_hours(48);
    super::fields::files(&env.home(), &mut |path, _| {
        if let Ok(file) = fs::File::open(path) {
            file.set_modified(ahead).unwrap();
        }
    });
    let hook = env.hook(&call("s"));
    let runs = [env.lessons(&["scan"]), env.lessons(&["build"]), env.lessons::<&str>(&[]), hook];
    facts.note(
        "all ended well",
        runs.iter().all(|output| output.status.success() && output.stderr.is_empty()),
    );
    let counted_again = candidates(&env, CandidateStatus::New).iter().any(|candidate| candidate.seen != 1);
    facts.note("told again", context(&runs[3]).contains("user/frob") || counted_again);
    facts.detail(runs.iter().map(said).collect::<Vec<_>>().join("\n"));
    facts
}

fn builds_while_hooks_run() -> Facts {
    let mut facts = Facts::default();
    let env = TestEnv::new();
    add(
        &env,
        "frob",
        &[
            ("mode", json!("block")),
            ("examples", json!({"fires": [{"tool": "Bash", "command": "frobnicate"}]})),
        ],
    );
    let refused = |output: &Output| String::from_utf8_lossy(&output.stdout).contains("\"deny\"");
    thread::scope(|scope| {
        let build = scope.spawn(|| (0..20).for_each(|_| drop(env.must(&["build"]))));
        let mut runs = 0;
        while !build.is_finished() || runs < 100 {
            let output = env.hook(&call("s"));
            facts.note("half seen", !refused(&output));
            runs += 1;
        }
    });
    facts.note("lost", !refused(&env.hook(&call("s"))));
    facts.note("doubled", store(&env).lessons().len() != 1);
    facts
}

fn our_own_background_work() -> Facts {
    let mut facts = Facts::default();
    let scans = |guard: Option<&str>| {
        let mut env = machine();
        env.write_transcript("-home-u-proj/s.jsonl", &[says("s", "a", TAG)]);
        if let Some(guard) = guard {
            env = env.with_variable("LESSONS_SCANNER_GUARD", guard);
        }
        let output =
            env.session_start(&json!({"session_id": "s", "cwd": "/home/u/proj", "source": "startup"}));
        let until = Instant::now() + Duration::from_secs(if guard.is_some() { 2 } else { 20 });
        while Instant::now() < until && candidates(&env, CandidateStatus::New).is_empty() {
            thread::sleep(Duration::from_millis(50));
        }
        (output, !candidates(&env, CandidateStatus::New).is_empty())
    };
    let (output, scanned) = scans(Some("1"));
    facts.note("exit 0", output.status.code() == Some(0));
    facts.note("scanned", scanned);
    facts.note("told", !context(&output).is_empty());
    facts.note("scans without it", scans(None).1);
    facts.detail(said(&output));
    facts
}

fn an_archive_to_import() -> Facts {
    let mut facts = Facts::default();
    let env = machine();
    // The header of a tar file whose only entry climbs out of it.
    let mut archive = vec![0_u8; 1536];
    archive[..25].copy_from_slice(b"../../.claude/settings.js");
    archive[257..262].copy_from_slice(b"ustar");
    let file = env.project().join("pack.tar");
    fs::write(&file, archive).unwrap();
    let before = fs::read(env.data().join("lessons.json")).unwrap();
    let plain = env.lessons(&["import", file.to_str().unwrap()]);
    let named = env.lessons(&["import", "--format", "lessons-learned", file.to_str().unwrap()]);
    facts.note("refused", !plain.status.success() && !named.status.success());
    let outside =
        env.home().join(".claude/settings.js").exists() || env.home().with_file_name(".claude").exists();
    facts.note("wrote", outside || fs::read(env.data().join("lessons.json")).unwrap() != before);
    facts.detail(format!("{}\n{}", said(&plain), said(&named)));
    facts
}

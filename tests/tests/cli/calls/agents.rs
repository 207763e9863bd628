//! What kinds of sub-agents learn: their lessons at their start, and what becomes of the ones that they write down.

use std::fs;

use lessons_tests::env::{TestEnv, said};
use serde_json::{Value, json};

use crate::scene::add;

/// A lesson for agents of one type, recorded on a day of November.
fn lesson(agent: &str, id: &str, day: u32) -> Value {
    json!({
        "id": id, "rule": format!("Look at {id} first."), "scope": { "agents": [agent] },
        "triggers": [{ "kind": "command_pattern", "pattern": format!("frob {id}\\b") }],
        "createdAt": format!("2026-11-{day:02}"),
    })
}

/// The text that a sub-agent is told at its start; empty where it is told nothing.
fn told(env: &TestEnv, agent: &str, id: &str) -> String {
    let output = env.subagent_start(&json!({
        "session_id": "one", "hook_event_name": "SubagentStart", "cwd": env.project(), "agent_id": id, "agent_type": agent,
    }));
    assert!(output.status.success(), "{}", said(&output));
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// The text that a call of a sub-agent gets.
fn answer(env: &TestEnv, agent: &str, id: &str, command: &str) -> String {
    let call = json!({
        "session_id": "one", "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "toolu_1", "agent_id": id, "agent_type": agent,
    });
    String::from_utf8(env.hook(&call).stdout).expect("text")
}

#[test]
fn a_sub_agent_is_told_its_own_lessons_once_and_how_to_record_one() {
    let env = TestEnv::new().without_seeds();
    add(&env, &lesson("Explore", "alpha", 1), &[]);
    add(&env, &lesson("dba", "beta", 2), &[]);
    let text = told(&env, "Explore", "a1");
    let (lessons, protocol) = text.split_once("</recorded-lessons>\n").expect("a fence");
    assert!(
        lessons.contains("\n## Lessons Learned (1 most recent)\n#1: Look at alpha first. [valuable]\n"),
        "{text}"
    );
    assert!(!text.contains("beta"), "{text}");
    assert!(protocol.contains("#lesson") && protocol.len() <= 200, "{protocol}");
    assert_eq!(answer(&env, "Explore", "a1", "frob alpha"), "", "it knows that already");
    assert!(
        answer(&env, "Explore", "a2", "frob alpha").contains("Look at alpha first."),
        "another one does not"
    );
    assert_eq!(answer(&env, "dba", "a3", "frob alpha"), "", "it is not for this one");
    let counted = env.lessons_json(&["stats"]);
    assert_eq!(counted["learning"]["toldByAgent"], json!({ "Explore": 2 }));
}

#[test]
fn the_ten_newest_lessons_are_told_and_none_is_cut() {
    let env = TestEnv::new().without_seeds();
    let mut store = json!({});
    for number in 1..=12 {
        add(&env, &lesson("dba", &format!("n{number}"), number), &[]);
        store[format!("n{number}")] = number.into();
    }
    let text = told(&env, "dba", "a1");
    assert!(text.contains("## Lessons Learned (10 most recent)\n#1: Look at n12 first."), "{text}");
    assert!(text.contains("#10: Look at n3 first.") && !text.contains("Look at n2 first"), "{text}");
    let long = json!({
        "id": "long", "rule": format!("Read this: {}", "word ".repeat(150)), "scope": { "agents": ["dba"] },
        "triggers": [{ "kind": "command_pattern", "pattern": "frob long" }], "createdAt": "2026-11-20",
    });
    add(&env, &long, &[]);
    let text = told(&env, "dba", "a2");
    let inside =
        text.split("</recorded-lessons>").next().and_then(|text| text.split_once("## ")).expect("lessons").1;
    assert!(inside.len() <= 1024 - 3 && inside.contains("word word") && !inside.contains('…'), "{inside}");
    assert!(inside.matches("\n#").count() < 10, "{inside}");
}

#[test]
fn without_lessons_a_sub_agent_is_told_the_protocol_and_one_that_only_reads_nothing() {
    let env = TestEnv::new().without_seeds();
    env.must(&["build"]);
    let text = told(&env, "general-purpose", "a1");
    assert!(text.starts_with("[Lessons]") && text.len() <= 200, "{text}");
    assert_eq!(told(&env, "Explore", "a2"), "");
    assert_eq!(told(&env, "", "a3"), "", "an agent of the client's own");
    let settings = env.data().join("config.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    fs::write(&settings, format!("{text}agents.protocol = false\n")).expect("settings");
    env.must(&["build"]);
    assert_eq!(told(&env, "general-purpose", "a4"), "");
}

#[test]
fn what_a_sub_agent_is_told_obeys_the_switches() {
    let env = TestEnv::new().without_seeds();
    add(&env, &lesson("dba", "alpha", 1), &[]);
    env.must(&["off", "alpha"]);
    assert!(!told(&env, "dba", "a1").contains("alpha"));
    env.must(&["on", "alpha"]);
    assert!(told(&env, "dba", "a2").contains("alpha"));
    env.must(&["off", "all"]);
    assert_eq!(told(&env, "dba", "a3"), "");
}

#[test]
fn one_lesson_too_many_retires_the_one_that_matters_least() {
    let env = TestEnv::new().without_seeds();
    let settings = env.data().join("config.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    fs::write(&settings, format!("{text}agents.cap = 3\n")).expect("settings");
    for (id, quality, day) in [("old", "valuable", 1), ("small", "trivial", 9), ("great", "critical", 2)] {
        let mut lesson = lesson("Explore", id, day);
        lesson["quality"] = quality.into();
        add(&env, &lesson, &[]);
    }
    let one_more = |id: &str| {
        env.lessons_given(&["add", "--json-input", "-"], lesson("Explore", id, 12).to_string().as_bytes())
    };
    let added = one_more("fourth");
    assert!(
        said(&added).contains("user/small is retired to make room: Explore has 3 lessons"),
        "{}",
        said(&added)
    );
    let show = env.must(&["show", "small"]);
    assert!(show.contains("cap:Explore"), "{show}");
    assert!(said(&one_more("fifth")).contains("user/old is retired"), "never told, and the oldest");
    env.must(&["undo"]);
    let listed = env.must(&["list", "--mine"]);
    assert!(listed.contains("user/old") && !listed.contains("user/fifth"), "{listed}");

    for id in ["old", "fourth"] {
        env.must(&["edit", id, "--quality", "critical"]);
    }
    let refused = one_more("sixth");
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("lessons retire ID"), "{}", said(&refused));
}

/// A line of a sub-agent with a tag.
fn tag(number: u32, text: &str) -> Value {
    json!({
        "type": "assistant", "uuid": format!("u{number}"), "sessionId": "one", "agentId": "a1", "isSidechain": true,
        "timestamp": format!("2026-11-20T10:00:{number:02}Z"), "message": { "role": "assistant", "content": [{ "type": "text", "text": text }] },
    })
}

/// A machine on which a sub-agent of type Explore has written these tags.
fn with_tags(settings: &str, tags: &[&str]) -> TestEnv {
    let env = TestEnv::new().without_seeds();
    let file = env.data().join("config.toml");
    let text = fs::read_to_string(&file).expect("settings");
    fs::write(&file, format!("{text}{settings}")).expect("settings");
    let lines: Vec<Value> = (1..).zip(tags).map(|(number, text)| tag(number, text)).collect();
    env.write_transcript("app/one/subagents/agent-a1.jsonl", &lines);
    env.write_raw_transcript("app/one/subagents/agent-a1.meta.json", br#"{"agentType":"Explore"}"#);
    env.must(&["scan"]);
    env
}

fn marks(env: &TestEnv) -> Vec<Value> {
    let listed = env.lessons_json(&["candidates"]);
    listed.as_array().expect("a list").iter().map(|candidate| candidate["marks"].clone()).collect()
}

#[test]
fn what_a_sub_agent_wrote_down_is_proposed_for_its_type() {
    let env = with_tags(
        "",
        &[
            "#lesson\ntrigger: frob find\nmistake: frob find follows links\nfix: use frob find -P\ntitle: Follow no links\n\
           worth: every search repeats it\n#/lesson",
        ],
    );
    let listed = env.lessons_json(&["candidates"]);
    let id = listed[0]["id"].as_str().expect("a candidate");
    assert_eq!(marks(&env), [json!([])]);
    env.must(&["promote", id]);
    let lesson = env.lessons_json(&["list", "--mine"])[0]["id"].as_str().expect("a lesson").to_owned();
    let shown = env.lessons_json(&["show", &lesson])["lesson"].clone();
    assert_eq!(shown["scope"]["agents"], json!(["Explore"]));
    assert_eq!(shown["summary"], "Follow no links");
    assert_eq!(shown["metacognition"], "every search repeats it");
    assert_eq!(shown["phase"], "execute");
    assert!(answer(&env, "Explore", "a9", "frob find .").contains("frob find -P"));
    assert_eq!(answer(&env, "Plan", "a8", "frob find ."), "");
    env.must(&["edit", &lesson, "--scope-agent", ""]);
    assert!(answer(&env, "Plan", "a8", "frob find .").contains("frob find -P"));
}

#[test]
fn what_says_little_is_marked_and_comes_last() {
    let env = with_tags(
        "[agents.Explore]\ndomains = [\"search\"]\n[agents.dba]\ndomains = [\"sql\"]\n",
        &[
            "#lesson\nmistake: The code was hard to read.\nfix: Always write clean code.\nworth: quality\n#/lesson",
            "#lesson\nmistake: acme 1.3 breaks the build\nfix: Pin acme 1.2 for now\nworth: it fails\n#/lesson",
            "#lesson\ntrigger: frob find\nmistake: frob find follows links\nfix: use frob find -P\n#/lesson",
            "#lesson\ntrigger: psql\nmistake: psql -c runs one transaction\nfix: use psql -f FILE for several statements\nworth: data\ntags: sql\n#/lesson",
            "#lesson\ntrigger: frob sort\nmistake: frob sort is not stable\nfix: use frob sort -s\nworth: it comes back\n#/lesson",
        ],
    );
    let all = marks(&env);
    assert_eq!(all[0], json!([]), "{all:?}");
    let mut rest: Vec<String> = all[1..].iter().map(ToString::to_string).collect();
    rest.sort();
    assert_eq!(rest, [r#"["generic"]"#, r#"["out-of-domain"]"#, r#"["passing"]"#, r#"["unreasoned"]"#]);

    let listed = env.lessons_json(&["candidates"]);
    let outside = listed.as_array().expect("a list").iter().find(|it| it["marks"][0] == "out-of-domain");
    let outside = outside.and_then(|it| it["id"].as_str()).expect("a candidate");
    assert!(env.must(&["show", outside]).contains("which is for dba"));
    env.must(&["promote", outside]);
    let lesson = env.lessons_json(&["list", "--mine"])[0]["id"].as_str().expect("a lesson").to_owned();
    assert_eq!(env.lessons_json(&["show", &lesson])["lesson"]["scope"]["agents"], json!(["dba"]));
    let learning = env.lessons_json(&["stats"])["learning"].clone();
    assert_eq!(learning["outOfDomainByAgent"], json!({ "Explore": 1 }));
    assert_eq!(learning["capturesByWeek"], json!({ "2026-11-16": 5 }));
    assert_eq!(learning["lessonsByAgent"], json!({ "dba": 1 }));
    assert_eq!(learning["promotedShare"], json!({ "withWorth": 0.25, "withoutWorth": 0.0 }));
}

#[test]
fn what_is_written_in_plan_mode_is_about_planning() {
    let env = TestEnv::new().without_seeds();
    let prompt = |number: u32, mode: &str| {
        json!({
            "type": "user", "uuid": format!("p{number}"), "sessionId": "one", "permissionMode": mode,
            "message": { "role": "user", "content": "go on" },
        })
    };
    let lesson = |number: u32, verb: &str| {
        tag(
            number,
            &format!(
                "#lesson\ntrigger: frob {verb}\nmistake: frob {verb} breaks it\nfix: look at what {verb} would change first\n#/lesson"
            ),
        )
    };
    let lines = [prompt(1, "plan"), lesson(2, "plan"), prompt(3, "default"), lesson(4, "do")];
    env.write_transcript("app/one.jsonl", &lines);
    env.must(&["scan"]);
    let listed = env.lessons_json(&["candidates"]);
    let ids = listed.as_array().expect("a list").iter().filter_map(|candidate| candidate["id"].as_str());
    for id in ids {
        env.must(&["promote", id]);
    }
    let phases = env.lessons_json(&["stats"])["learning"]["lessonsByPhase"].clone();
    assert_eq!(phases, json!({ "execute": 1, "plan": 1 }));
}

#[test]
fn quality_breaks_ties_and_trivial_lessons_take_little_room() {
    let env = TestEnv::new().without_seeds();
    for (id, quality) in [("a-valuable", "valuable"), ("b-critical", "critical"), ("c-trivial", "trivial")] {
        let lesson = json!({
            "id": id, "rule": format!("Rule {id}."), "mistake": format!("Mistake {id}."), "quality": quality,
            "triggers": [{ "kind": "command_pattern", "pattern": "frob all" }], "createdAt": "2026-11-01",
        });
        add(&env, &lesson, &[]);
    }
    let text = answer(&env, "main", "a1", "frob all");
    let places =
        ["user/b-critical", "user/a-valuable", "user/c-trivial"].map(|id| text.find(id).expect("told"));
    assert!(places.is_sorted(), "{text}");
    assert!(text.contains("In short: Rule c-trivial.") && !text.contains("Mistake c-trivial"), "{text}");
}

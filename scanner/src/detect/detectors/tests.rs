use lessons_ledger::Sighting;
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// What detectors see in some lines, each of which `watch` takes in.
fn seen(
    lines: &[String],
    watch: impl Fn(&mut Detectors, Line<'_>, &mut dyn FnMut(Draft<'_>)),
) -> Vec<String> {
    let (mut watching, mut all, mut offset) = (Detectors::default(), Vec::new(), 0);
    for (number, line) in (1..).zip(lines) {
        let line = Line { offset, number, bytes: line.as_bytes() };
        watch(&mut watching, line, &mut |seen| {
            let origin = format!("{} {:?}", seen.line(), seen.origin());
            all.push(format!("{origin} {:?}", seen.into_signal(Sighting::default())));
        });
        offset += line.bytes.len() as u64 + 1;
    }
    all
}

/// A call from its name on, and what its result says.
fn step() -> impl Strategy<Value = (String, String)> {
    const COMMANDS: &str = "npm install|npm install --legacy-peer-deps|pnpm install|cargo build|cargo build --locked|ls \
                            src|echo \"é\" && make all|git checkout src/a.rs|terraform apply";
    const ERRORS: &str = "Exit code 1\nTry re-running with `--locked`|Exit code 1\nerror: no such option|Exit code 127\nnot \
                          found|The user doesn't want to proceed with this tool use\\. the user said:\nuse pnpm \
                          install|It needs replace_all";
    let edit = |(text, more): (String, &str)| {
        format!(
            r#""Edit","input":{{"file_path":"/p/a.rs","old_string":"{text}","new_string":"é npm"{more}}}"#
        )
    };
    let call = prop_oneof![
        5 => COMMANDS.prop_map(|command| format!(r#""Bash","input":{}"#, json!({"command": command}))),
        2 => ("[ab]", prop_oneof![Just(""), Just(r#","replace_all":true"#)]).prop_map(edit),
        1 => Just(r#""Read","input":{"file_path":"/p/a.rs"}"#.to_owned()),
        1 => Just(r#""mcp__db__query","input":{"message":"select"}"#.to_owned()),
        1 => Just(r#""mcp__db__query","input":{"type":"tool_use","id":"x"}"#.to_owned()),
    ];
    let end = prop_oneof![
        2 => Just(r#""content":"ok","is_error":false"#.to_owned()),
        1 => ERRORS.prop_map(|text| format!(r#""content":{},"is_error":true"#, json!(text))),
    ];
    (call, end)
}

/// A line. Its id is put in later.
fn said(speaker: &str, content: &str) -> String {
    format!(
        r#"{{"sessionId":"s","cwd":"/p","message":{{"type":"message","role":"{speaker}","content":{content},"stop_reason":"tool_use"}},"type":"{speaker}","uuid":"UUID"}}"#
    )
}

fn calls(blocks: &[String]) -> String {
    said("assistant", &format!("[{}]", blocks.join(",")))
}

fn ended(block: &str) -> String {
    said("user", &format!("[{block}]"))
}

/// The blocks of some steps that go on at once.
fn blocks(steps: Vec<(String, String)>) -> (Vec<String>, Vec<String>) {
    let block = |(number, (call, end)): (usize, (String, String))| {
        let call = format!(r#"{{"type":"tool_use","id":"t{number}","name":{call}}}"#);
        (call, format!(r#"{{"tool_use_id":"t{number}","type":"tool_result",{end}}}"#))
    };
    steps.into_iter().enumerate().map(block).unzip()
}

/// Some lines that the client may write in a row.
fn lines() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        8 => step().prop_map(|step| {
            let (lazy_call, ends) = blocks(vec![step]);
            vec![calls(&lazy_call), ended(&ends[0])]
        }),
        // Several at once, in one line or in lines of their own. They end in another order, and one never does.
        2 => (prop::collection::vec(step(), 2..4), any::<bool>()).prop_map(|(steps, in_one)| {
            let (lazy_call, ends) = blocks(steps);
            let ends = ends.iter().skip(1).rev().map(|end| ended(end));
            let lazy_call = lazy_call.chunks(if in_one { 4 } else { 1 }).map(calls);
            lazy_call.chain(ends).collect()
        }),
        // What older clients wrote of sub-agents.
        1 => step().prop_map(|step| {
            let (lazy_call, ends) = blocks(vec![step]);
            let wrapped = |line: String| {
                let line = line.replace("\"t0\"", "\"of-agent\"");
                format!(r#"{{"type":"progress","data":{{"message":{line}}}}}"#)
            };
            vec![wrapped(calls(&lazy_call)), wrapped(ended(&ends[0]))]
        }),
        2 => "use pnpm install|no, --legacy-peer-deps|undo that|write b, not a|why\\?"
            .prop_map(|text| vec![said("user", &json!(text).to_string())]),
        1 => Just(vec![said("assistant", r#"[{"type":"text","text":"tool_use"}]"#)]),
    ]
}

/// How a line is written: with spaces and escapes, or as the client does it.
fn written(line: &str, number: usize, style: u8) -> String {
    let line = line.replace("UUID", &format!("u{number}"));
    if style == 0 { line.replace("\":", "\" : ").replace("npm", r"\u006epm") } else { line }
}

proptest::proptest! {
    #[test]
    fn to_read_only_what_is_asked_for_changes_nothing(parts in prop::collection::vec((lines(), 0_u8..6), 0..40)) {
        let lines = parts.iter().flat_map(|(lines, style)| lines.iter().map(|line| (line, *style)));
        let lines: Vec<String> =
            lines.enumerate().map(|(number, (line, style))| written(line, number, style)).collect();
        let lazily = seen(&lines, |watching, line, seen| watching.line(line, line.number, seen));
        prop_assert_eq!(lazily, seen(&lines, |watching, line, seen| watching.whole(line, line.number, seen)));
    }
}

#[test]
fn an_option_that_a_program_in_front_does_not_take_is_taken_by_nobody_here() {
    let error = "Exit code 2\nerror: unexpected argument '-C' found\n\nUsage: rtk git [OPTIONS] <COMMAND>";
    let steps = [
        ("git -C /p status", json!({"content": error, "is_error": true})),
        ("git status", json!({"content": "On branch main", "is_error": false})),
    ];
    let mut lines = Vec::new();
    for (number, (command, end)) in steps.into_iter().enumerate() {
        let id = format!("t{number}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        let mut block = json!({"tool_use_id": id, "type": "tool_result"});
        block.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        lines.extend([calls(&[call.to_string()]), ended(&block.to_string())]);
    }
    let seen = seen(&lines, |detectors, line, note| detectors.line(line, line.number, note));
    let fix = "`git` takes no `-C` here: use `git status`";
    assert!(seen.iter().any(|seen| seen.contains(fix)), "{seen:#?}");
}

#[test]
fn a_queued_prompt_looks_no_further_back_than_a_typed_one() {
    let call = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "npm install"}});
    let end = json!({"tool_use_id": "t", "type": "tool_result", "content": "ok", "is_error": false});
    let queued = json!({
        "type": "queue-operation", "operation": "enqueue", "sessionId": "s", "uuid": "q",
        "content": "no, use pnpm install instead of npm install",
    });
    let seen_after = |filler: usize| {
        let lines = [
            calls(&[call.to_string()]),
            ended(&end.to_string()),
            said("assistant", &json!([{"type": "text", "text": "x".repeat(filler)}]).to_string()),
            queued.to_string(),
        ];
        seen(&lines, |detectors, line, note| detectors.line(line, line.number, note)).join("\n")
    };
    assert!(seen_after(10).contains("npm install"), "{}", seen_after(10));
    let far = seen_after(usize::try_from(WINDOW).unwrap());
    assert!(!far.contains("is_strong: true"), "a scan that begins here has not seen the call: {far}");
    assert_ne!(seen_after(10), far);
}

#[test]
fn a_prompt_that_waited_in_the_queue_counts_once() {
    let text = "never push to main directly";
    let queued = json!({ "type": "queue-operation", "operation": "enqueue", "uuid": "q", "content": text });
    let lines = [queued.to_string(), said("user", &json!(text).to_string())];
    let of =
        |lines: &[String]| seen(lines, |detectors, line, note| detectors.line(line, line.number, note)).len();
    assert_eq!((of(&lines), of(&lines[1..])), (1, 1));
    let again = [lines.as_slice(), &lines[1..]].concat();
    assert_eq!(of(&again), 2, "typed once more");
}

/// The mistakes and fixes of what is seen in calls that succeed.
fn written_by(inputs: &[(&str, serde_json::Value)]) -> Vec<(String, String)> {
    written_after(None, inputs)
}

/// The same behind a prompt.
fn written_after(prompt: Option<&str>, inputs: &[(&str, serde_json::Value)]) -> Vec<(String, String)> {
    let mut lines: Vec<String> =
        prompt.map(|text| said("user", &json!(text).to_string())).into_iter().collect();
    for (number, (tool, input)) in inputs.iter().enumerate() {
        let id = format!("t{number}");
        let call = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
        let end = json!({ "tool_use_id": id, "type": "tool_result", "content": "ok" });
        lines.extend([calls(&[call.to_string()]), ended(&end.to_string())]);
    }
    let found = crate::detect::seen_in((lines.join("\n") + "\n").as_bytes());
    found.into_iter().map(|finding| (finding.mistake, finding.fix)).collect()
}

#[test]
fn a_rule_counts_however_it_is_written_into_a_memory_file() {
    let entry = "## Heads\n**Mistake:** two heads broke the deploy\n**Rule:** Run `alembic heads` first.\n";
    let shell = |command: String| ("Bash", json!({ "command": command }));
    let found = written_by(&[
        shell(
            "cat >> CLAUDE.md <<'EOF'\n## Packages\n- Never run `npm install`, use `pnpm install`.\nEOF"
                .into(),
        ),
        shell(format!("tee -a tasks/lessons.md <<'EOF'\n{entry}EOF")),
        (
            "mcp__memory__add_observations",
            json!({ "observations": [{ "entityName": "deploy",
            "contents": ["Never run `kubectl delete ns staging`, drain it first."] }] }),
        ),
        (
            "Write",
            json!({ "file_path": "/p/.learnings/LEARNINGS.md", "content":
            "## [LRN-1] x\n### Summary\nuv, not pip\n### Suggested Action\nUse `uv add`.\n" }),
        ),
    ]);
    let expected = [
        ("Noted in CLAUDE.md", "Never run `npm install`, use `pnpm install`."),
        ("two heads broke the deploy", "Run `alembic heads` first."),
        ("Noted in the MCP server memory", "Never run `kubectl delete ns staging`, drain it first."),
        ("uv, not pip", "Use `uv add`."),
    ];
    assert_eq!(found, expected.map(|(mistake, fix)| (mistake.to_owned(), fix.to_owned())));
}

#[test]
fn each_new_entry_of_a_file_of_lessons_counts_and_none_that_was_there() {
    const WORDS: [&str; 4] = ["Run", "Never", "run", ""];
    let entry =
        |name: &str| format!("## {name}\n**Mistake:** broke {name}\n**Rule:** Run `{name} check` first.\n\n");
    let entries = |names: &[&str]| names.iter().map(|name| entry(name)).collect::<String>();
    let (old, all) =
        (entries(&["kubectl", "alembic"]), entries(&["kubectl", "alembic", "cargo", "npm", "helm"]));
    let path = "/p/tasks/lessons.md";
    let rules = |tool: &str, input: serde_json::Value, before: Option<serde_json::Value>| {
        let call = json!({ "type": "tool_use", "id": "t", "name": tool, "input": input });
        let mut end: serde_json::Value = serde_json::from_str(&ended(
            &json!({ "tool_use_id": "t", "type": "tool_result", "content": "ok" }).to_string(),
        ))
        .unwrap();
        if let Some(before) = before {
            end["toolUseResult"] = json!({ "filePath": path, "originalFile": before });
        }
        let lines = [calls(&[call.to_string()]), end.to_string()].join("\n") + "\n";
        let found = crate::detect::seen_in(lines.as_bytes());
        let program = |fix: &str| {
            fix.split(['`', ' ']).find(|word| !WORDS.contains(word)).unwrap_or_default().to_owned()
        };
        found.iter().map(|finding| program(&finding.fix)).collect::<Vec<_>>().join(" ")
    };
    let write = json!({ "file_path": path, "content": all });
    assert_eq!(rules("Write", write.clone(), Some(json!(null))), "kubectl alembic cargo npm helm");
    assert_eq!(rules("Write", write.clone(), Some(json!(old))), "cargo npm helm");
    assert_eq!(rules("Write", write, None), "kubectl alembic cargo npm helm");
    let edit = json!({ "file_path": path, "old_string": old, "new_string": all });
    assert_eq!(rules("Edit", edit, None), "cargo npm helm");
    let multi = json!({ "file_path": path, "edits": [{ "old_string": old, "new_string": all }] });
    assert_eq!(rules("MultiEdit", multi, None), "cargo npm helm");
    let shell = json!({ "command": format!("cat >> tasks/lessons.md <<'EOF'\n{all}EOF") });
    assert_eq!(rules("Bash", shell, None), "kubectl alembic cargo npm helm");
    let filed = |names: &[&str]| {
        let one = |name: &&str| {
            format!(
                "## [LRN-1] x\n### Summary\nit is {name}\n### Suggested Action\nRun `{name} -v` first.\n\n"
            )
        };
        names.iter().map(one).collect::<String>()
    };
    let edit = json!({ "file_path": "/p/.learnings/LEARNINGS.md", "old_string": filed(&["npm"]),
        "new_string": filed(&["npm", "helm"]) });
    assert_eq!(rules("Edit", edit, None), "helm", "the headings were there before, and the entry was not");
    let points = "- Never run `npm install`, use `pnpm install`.\n- Never run `pip install`, use `uv add`.\n- Keep calm\n";
    let shell = json!({ "command": format!("cat >> tasks/lessons.md <<'EOF'\n{points}EOF") });
    assert_eq!(rules("Bash", shell, None), "npm pip");
    let many: Vec<String> = (0..30).map(|number| format!("tool{number}")).collect();
    let many = entries(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let write = json!({ "file_path": path, "content": many });
    assert_eq!(rules("Write", write.clone(), Some(json!(null))).split(' ').count(), 20);
    assert_eq!(rules("Write", write, None), "tool29", "the others may have been there");
}

#[test]
fn the_documentation_of_a_project_and_other_servers_are_no_memory() {
    let found = written_by(&[
        (
            "Write",
            json!({ "file_path": "/p/docs/lessons.md", "content":
            "# Lesson 1\n\nUse a list for many things.\n\n- Lesson 2: loops\n" }),
        ),
        (
            "Write",
            json!({ "file_path": "/p/src/memory/arena.md", "content": "The arena never frees a block.\n" }),
        ),
        ("mcp__docs__write_page", json!({ "content": "Never run `make seed` here, use `make local`." })),
        ("mcp__memory__search_nodes", json!({ "query": "Never run `make seed` here, use `make local`." })),
        ("Bash", json!({ "command": "grep -n 'Never run `make seed`' CLAUDE.md > /tmp/x" })),
    ]);
    assert_eq!(found, []);
}

#[test]
fn the_rule_of_a_note_is_the_line_that_says_what_never_to_do() {
    let note = "---\nname: queue\ndescription: how the queue is handled\ntype: feedback\n---\n\n\
                Never run `celery purge`, use `celery inspect`.\n\n**Why:** it lost the orders.\n";
    let path = "/home/ann/.claude/projects/-p/memory/feedback_queue.md";
    let found = written_by(&[("Write", json!({ "file_path": path, "content": note }))]);
    let fixes: Vec<&str> = found.iter().map(|(_, fix)| fix.as_str()).collect();
    assert_eq!(fixes, ["Never run `celery purge`, use `celery inspect`."]);
}

#[test]
fn a_few_points_that_are_written_before_anything_else_were_asked_for_in_whatever_words() {
    let write = |points: usize| {
        let more = "- An import takes the file as it is.\n".repeat(points - 1);
        let text = format!("{more}- Never import a file twice.\n");
        ("Edit", json!({ "file_path": "/p/AGENTS.md", "old_string": "", "new_string": text }))
    };
    let read = ("Read", json!({ "file_path": "/p/AGENTS.md" }));
    let listed = ("Bash", json!({ "command": "ls docs && cat README.md" }));
    let change = ("Edit", json!({ "file_path": "/p/a.rs", "old_string": "a", "new_string": "b" }));
    let agent = ("Agent", json!({ "prompt": "import it" }));
    let asked = |calls: &[_]| {
        let found = written_after(Some("σημείωσέ το για τους άλλους"), calls).into_iter();
        found.map(|(mistake, _)| mistake).collect::<Vec<_>>()
    };
    let said = "The user said: \"σημείωσέ το για τους άλλους\"";
    assert_eq!(asked(&[read.clone(), listed, write(2)]), [said]);
    for other in [change, agent] {
        assert_eq!(asked(&[other, write(2)]), [""; 0], "it may belong to that");
    }
    assert_eq!(asked(&[read, write(5)]), [""; 0], "a document");
}

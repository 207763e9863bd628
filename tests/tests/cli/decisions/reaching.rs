//! Calls that change our files by roads other than their names: through the hook, as the client would let it see them.

use std::fs;
use std::os::unix::fs::symlink;

use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use crate::scene::machine;

/// What the hook answers to a call in a session that nobody attends: a call that is put to the person is refused there.
fn is_stopped(env: &TestEnv, tool: &str, input: &Value) -> bool {
    let call = json!({
        "session_id": "one", "hook_event_name": "PreToolUse", "cwd": env.project(), "tool_name": tool,
        "tool_input": input, "tool_use_id": "toolu_1",
    });
    String::from_utf8_lossy(&env.hook(&call).stdout).contains(r#""permissionDecision":"deny""#)
}

#[test]
fn a_file_of_ours_is_reached_by_no_link_no_spelling_and_no_field() {
    let env = machine();
    let project = env.project();
    let link = |target: &str, name: &str| symlink(target, project.join(name)).expect("a link");
    link(env.data().to_str().expect("text"), "linked");
    link(env.data().parent().and_then(|path| path.to_str()).expect("text"), "share");
    fs::create_dir_all(project.join(".lessons/shared")).expect("a folder");
    link(".lessons", "ours");
    let written = |path: &str| json!({ "file_path": path, "content": "x" });
    for name in [
        "peers.json",
        "received.json",
        "incidents.json",
        "incidents.idx",
        "identity",
        "lock",
        "backups/x",
        "plugin/x",
        "homes",
        "bookmark",
        "events/x.jsonl",
        "log/x",
        "reports/x",
        "sessions/x",
        "questions/x",
        "lessons.json",
    ] {
        for path in
            [format!("linked/{name}"), format!("share/lessons/{name}"), format!("src/../linked/{name}")]
        {
            fs::create_dir_all(project.join("src")).expect("a folder");
            assert!(is_stopped(&env, "Write", &written(&path)), "{path}");
        }
    }
    assert!(is_stopped(&env, "Write", &written("ours/shared/x.json")));
    let data = env.data().display().to_string();
    let above = env.data().parent().expect("a parent").display().to_string();
    for input in [
        json!({ "uri": format!("file://localhost{data}/x") }),
        json!({ "uri": format!("file://{}/x", data.replace("lessons", "le%73sons")) }),
        json!({ "edits": { format!("{data}/x"): "text" } }),
        json!({ "folder": above, "name": "lessons/decisions.json" }),
        json!({ "name": "lessons.json", "dir": "linked" }),
        json!({ "dir": "./linked", "name": "lessons.json" }),
        json!({ "path": format!("/proc/self/cwd/../{}", "home/.local/share/lessons/x") }),
        json!({ "deep": [{ "path": "linked/x" }] }),
        json!({ "command": "lessons off guard" }),
        json!({ "command": "rm -rf ~/.local" }),
    ] {
        assert!(is_stopped(&env, "mcp__any__run", &input), "{input}");
    }
    for input in [
        json!({ "path": "src/main.rs", "text": "100 % of /usr/share" }),
        json!({ "command": "lessons list" }),
    ] {
        assert!(!is_stopped(&env, "mcp__any__run", &input), "{input}");
    }
    assert!(!is_stopped(&env, "Write", &written("src/main.rs")));
}

#[test]
fn what_takes_away_a_folder_around_ours_or_writes_there_plainly_is_stopped() {
    let env = machine();
    for command in [
        "rm -rf ~/.local/share",
        "rm -rf ~/.local",
        "mv ~/.local x",
        "rm -rf \"$HOME/.local\"",
        "sudo rm -rf ~/.l*",
        "find ~ -name decisions.json -delete",
        "find ~/.local -name '*.json' -exec rm {} +",
        "cp x ~/.local/share/less*/decisions.json",
        "sort -o ~/.local/share/lessons/decisions.json x",
        "scp host:x ~/.local/share/lessons/decisions.json",
        "split -l 1 x ~/.local/share/lessons/x",
        "x | sponge ~/.local/share/lessons/decisions.json",
        "cpio -i -D ~/.local/share/lessons < x",
        "awk -i inplace 1 ~/.local/share/lessons/decisions.json",
        "git clone https://x ~/.local/share/lessons/y",
        "git -C ~/.local/share/lessons checkout -- decisions.json",
    ] {
        assert!(is_stopped(&env, "Bash", &json!({ "command": command })), "{command}");
    }
    for command in
        ["rm -rf ~/src/x", "mv a b", "find . -name x -delete", "git checkout -- a", "ls ~/.local/share"]
    {
        assert!(!is_stopped(&env, "Bash", &json!({ "command": command })), "{command}");
    }
}

//! Lessons in the settings of other agents and of Claude Code: put in, taken out, named by `agents` and `doctor`.

use std::fs;
use std::path::Path;

use lessons_tests::env::said;
use lessons_tests::person::Person;
use lessons_tests::plugin::Plugin;
use lessons_tests::scratch::Scratch;
use serde_json::{Value, json};

/// The settings of each client, from the home; some as their owner wrote them.
const FILES: [(&str, &str, Option<&str>); 6] = [
    (
        "codex",
        ".codex/hooks.json",
        Some(
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }\n    ]\n  }\n}\n",
        ),
    ),
    ("copilot", ".copilot/hooks/lessons.json", None),
    ("opencode", ".config/opencode/plugins/lessons.js", None),
    ("pi", ".pi/agent/extensions/lessons.ts", None),
    ("gemini", ".gemini/settings.json", Some("{\n  // my theme\n  \"theme\": \"x\", \"a\": [1,\n 2]\n}")),
    ("qwen", ".qwen/settings.json", None),
];

fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[test]
fn installing_into_every_client_and_uninstalling_leaves_what_was_there_to_the_byte() {
    let scratch = Scratch::new();
    let (home, plugin) = (scratch.home(), Plugin::new());
    let person = Person::new(&scratch, &plugin);
    for (_, file, before) in FILES {
        let path = home.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        before.inspect(|text| fs::write(&path, text).unwrap());
    }
    let said = person.types(&["install", "--yes", "--client", "all"]);
    for (client, file, before) in FILES {
        let path = home.join(file);
        let written = text(&path).unwrap_or_else(|| panic!("{client}: {said}"));
        assert!(written.contains("/plugin/current/bin/lessons-hook"), "{written}");
        assert!(before.is_none() || written.contains("mine") || written.contains("// my theme"), "{written}");
        assert!(said.contains(file), "{client}: {said}");
    }
    let agents = person.types(&["agents"]);
    insta::assert_snapshot!(agents, @"
    claude    `lessons doctor` checks its plugin (not found on this machine)
    codex     installed, but not trusted: start `codex` and trust the hooks of Lessons. Until then it runs none of them, and `codex exec` does not say so
    copilot   installed
    opencode  installed
    pi        installed
    gemini    installed
    qwen      installed
    ");
    let before: Vec<_> = FILES.map(|(_, file, _)| text(&home.join(file))).into();
    assert!(person.types(&["install", "--yes", "--client", "codex"]).contains("Codex has it already"));
    assert_eq!(before, FILES.map(|(_, file, _)| text(&home.join(file))));

    person.types(&["uninstall", "--client", "gemini"]);
    assert_eq!(text(&home.join(FILES[4].1)).as_deref(), FILES[4].2);
    person.types(&["uninstall"]);
    for (client, file, before) in FILES {
        assert_eq!(text(&home.join(file)).as_deref(), before, "{client}");
    }
}

#[test]
fn settings_that_cannot_be_read_are_left_alone_and_what_belongs_there_is_shown() {
    let scratch = Scratch::new();
    let plugin = Plugin::new();
    let person = Person::new(&scratch, &plugin);
    let settings = scratch.home().join(".gemini/settings.json");
    let bridge = scratch.home().join(".config/opencode/plugins/lessons.js");
    for (client, path, broken, shown) in [
        ("gemini", &settings, "{ broken", "\"BeforeTool\""),
        ("opencode", &bridge, "// mine", "another file"),
    ] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, broken).unwrap();
        let output = person.output(&["install", "--yes", "--client", client]);
        assert!(!output.status.success() && said(&output).contains(shown), "{}", said(&output));
        assert_eq!(text(path).as_deref(), Some(broken));
        person.types(&["uninstall", "--client", client]);
        assert_eq!(text(path).as_deref(), Some(broken));
    }
}

#[test]
fn a_hook_that_codex_does_not_trust_is_named_until_it_is() {
    let scratch = Scratch::new();
    let plugin = Plugin::new();
    let person = Person::new(&scratch, &plugin);
    let said = person.types(&["install", "--yes", "--client", "codex"]);
    assert!(said.contains("not trusted"), "{said}");
    let doctor = person.output(&["doctor"]);
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("runs no hook of Lessons"));
    let hooks = scratch.home().join(".codex/hooks.json");
    let trusted: String = ["pre_tool_use", "post_tool_use", "session_start", "subagent_start"]
        .map(|event| {
            format!("[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:x\"\n", hooks.display())
        })
        .concat();
    fs::write(scratch.home().join(".codex/config.toml"), trusted).unwrap();
    let agents = person.types(&["agents"]);
    assert!(agents.contains("codex     installed") && !agents.contains("not trusted"), "{agents}");
}

/// What the programs of these versions wrote when our plugin was installed and switched off again.
#[test]
fn an_agent_that_has_the_plugin_too_is_named_with_what_ends_it() {
    let scratch = Scratch::new();
    let plugin = Plugin::new();
    let person = Person::new(&scratch, &plugin);
    let codex = |on: bool| format!("[plugins.\"lessons@team\"]\nenabled = {on}\n");
    let copilot = |on: bool| json!({"enabledPlugins": {"lessons@team": on}}).to_string();
    let write = |file: &str, text: String| {
        let path = scratch.home().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let told = |client: &str| {
        let agents = person.types(&["agents"]);
        agents.lines().find(|line| line.starts_with(client)).expect("a line").to_owned()
    };
    let twice = || {
        let report = person.output(&["doctor", "--json"]);
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let found = report["findings"].as_array().unwrap().iter().filter(|it| it["code"] == "AGENT_TWICE");
        found.map(|it| it["remedy"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    write(".codex/config.toml", codex(true));
    write(".copilot/settings.json", copilot(true));
    let qwen =
        |rule: &str| json!({"lessons": {"overrides": [format!("{rule}{}/*", scratch.home().display())]}});
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/lessons-pre-tool-use"}]}]}});
    write(".qwen/extensions/lessons/hooks/hooks.json", hooks.to_string());
    write(".qwen/extensions/extension-enablement.json", qwen("").to_string());
    person.types(&["init"]);
    assert_eq!(told("qwen"), "qwen      installed as its plugin");
    assert_eq!(told("codex"), "codex     installed as its plugin");
    assert_eq!(told("copilot"), "copilot   installed as its plugin");
    assert_eq!(twice(), [""; 0]);
    person.types(&["install", "--yes", "--client", "codex"]);
    person.types(&["install", "--yes", "--client", "copilot"]);
    person.types(&["install", "--yes", "--client", "qwen"]);
    assert_eq!(
        told("qwen"),
        "qwen      installed twice, as its plugin too: qwen extensions uninstall lessons"
    );
    assert_eq!(
        told("codex"),
        "codex     installed twice, as its plugin too: codex plugin remove lessons@team"
    );
    assert_eq!(
        told("copilot"),
        "copilot   installed twice, as its plugin too: copilot plugin uninstall lessons@team"
    );
    let once = [
        "codex plugin remove lessons@team",
        "copilot plugin uninstall lessons@team",
        "qwen extensions uninstall lessons",
    ];
    assert_eq!(twice(), once);
    write(".qwen/extensions/extension-enablement.json", qwen("!").to_string());
    assert!(told("qwen").ends_with("installed"));
    write(".codex/config.toml", codex(false));
    write(".copilot/settings.json", copilot(false));
    assert!(told("codex").contains("not trusted") && told("copilot").ends_with("installed"));
    assert_eq!(twice(), [""; 0]);
}

/// Settings as a person may have them, with the entry that has the lines of slash commands looked at.
#[test]
fn the_settings_of_claude_code_are_as_they_were_after_uninstalling_and_the_doctor_knows_the_entry() {
    let scratch = Scratch::new();
    let plugin = Plugin::new();
    let person = Person::new(&scratch, &plugin);
    let settings = scratch.home().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let filled = "\u{feff}{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"PreToolUse\": [ { \"matcher\": \"Bash\", \"hooks\": \
                  [{ \"type\": \"command\", \"command\": \"mine\" }] } ],\r\n    \"PreSkillShellCommand\": []\r\n  },\r\n  \
                  \"env\": { \"A\": \"é\" }\r\n}\r\n";
    let about_entry = || {
        let report = person.output(&["doctor", "--json"]);
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let found = report["findings"].as_array().unwrap().iter();
        let of_agents = found.filter(|it| it["code"].as_str().unwrap().starts_with("AGENT_"));
        of_agents.map(|it| it["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for before in [filled, "{\"hooks\": {}}\n"] {
        fs::write(&settings, before).unwrap();
        person.types(&["install", "--yes"]);
        let with = text(&settings).unwrap();
        assert!(with.contains("PreSkillShellCommand") && with.contains("lessons-hook"), "{with}");
        assert_eq!(about_entry(), [""; 0]);
        fs::write(&settings, with.replace("--client claude", "--client codex")).unwrap();
        assert_eq!(about_entry(), ["AGENT_DIFFERS"]);
        person.types(&["install", "--yes", "--client", "claude"]);
        assert_eq!(text(&settings).as_deref(), Some(with.as_str()));
        person.types(&["uninstall"]);
        assert_eq!(text(&settings).as_deref(), Some(before));
    }
}

#[test]
fn the_doctor_names_an_installation_that_is_gone_while_lessons_are_in_force() {
    let scratch = Scratch::new();
    let plugin = Plugin::new();
    let person = Person::new(&scratch, &plugin);
    let is_missed = || {
        let report = person.output(&["doctor", "--json"]);
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let gone = report["findings"].as_array().unwrap().iter().find(|it| it["code"] == "NOT_INSTALLED");
        gone.map(|it| it["remedy"].as_str().unwrap().to_owned())
    };
    person.types(&["install", "--yes", "--client", "gemini"]);
    // A session ran.
    let sessions = scratch.home().join(".local/share/lessons/sessions");
    fs::create_dir_all(sessions.join("one")).unwrap();
    assert_eq!(is_missed(), None);
    person.types(&["uninstall"]);
    let remedy = is_missed().expect("a finding");
    assert!(remedy.ends_with("bin/lessons install"), "{remedy}");
    person.types(&["install", "--yes"]);
    assert_eq!(is_missed(), None);
}

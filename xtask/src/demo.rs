//! The demonstration: a mistake that one session recorded reaches the next one.
//!
//! Nothing is simulated. A transcript is written into a scratch home; the installed `lessons`
//! scans it, promotes the candidate and builds; and the installed hook gets the tool call that a
//! client would send.

mod recording;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::bounded;

/// The default text of the lesson.
pub(crate) const FIX: &str = "commit first, then `make deploy`; it prints the commit that it takes";

/// The number of timed runs of the hook. It is odd, so that one run is the median.
const RUNS: usize = 31;
/// The time limit of one command.
const LIMIT: Duration = Duration::from_mins(1);

/// Demonstrates the plugin in the folder `plugin`, in a scratch home that is removed afterwards.
pub(crate) fn run(plugin: &Path, fix: &str) -> Result<()> {
    let demo = DemoHome::create(plugin)?;
    // A person decides, and nobody sits at a terminal of the scratch home: there, scripts may.
    if !demo.lets_scripts_decide()? {
        println!(
            "To see what it does, run this again in a terminal of your own: under Claude Code no lesson is promoted."
        );
        return Ok(());
    }
    let transcript = demo.home.path().join(".claude/projects/-demo/session.jsonl");
    fs::create_dir_all(transcript.parent().context("a transcript lies in a folder")?)?;
    fs::write(&transcript, recording::transcript(&demo.project, fix))?;

    println!("What it does, in a scratch session. One session made a mistake and wrote down:\n");
    print_indented(&recording::tag(fix));
    demo.lessons(&["scan"])?;
    let candidates = demo.lessons(&["candidates", "--json"])?;
    let id = only_id(&candidates).context("the recorded mistake did not become a candidate")?;
    let promoted = demo.lessons(&["promote", &id, "--json"])?;
    demo.lessons(&["build"])?;
    println!("\nIt was found (lessons scan), accepted (lessons promote {id}) and compiled (lessons build).");

    let told = demo.call("first")?;
    let text = told.text.context("the hook had nothing to say to a call that repeats the mistake")?;
    let lesson = promoted["id"].as_str().context("lessons promote names no lesson")?;
    ensure!(text.contains(lesson), "the hook told something else than the lesson {lesson}:\n{text}");
    println!("When the next session calls `{}`, the installed hook tells the model:\n", recording::COMMAND);
    print_indented(&text);

    let mut times = vec![told.time];
    for run in 1..RUNS {
        times.push(demo.call(&format!("again-{run}"))?.time);
    }
    times.sort();
    let (median, fastest) = (times[RUNS / 2].as_micros(), times[0].as_micros());
    println!(
        "\nIt took {median} us from starting the hook to its end (median of {RUNS} runs, the fastest {fastest} us).\n"
    );
    Ok(())
}

/// The answer of the hook to one call.
struct HookAnswer {
    text: Option<String>,
    time: Duration,
}

/// A scratch home with a project in it.
struct DemoHome {
    home: tempfile::TempDir,
    project: PathBuf,
    plugin: PathBuf,
}

impl DemoHome {
    fn create(plugin: &Path) -> Result<Self> {
        let home = tempfile::Builder::new().prefix("lessons-demo-").tempdir()?;
        let project = home.path().join("shop");
        fs::create_dir(&project)?;
        Ok(Self { home, project, plugin: plugin.to_owned() })
    }

    /// Makes a command of a program of the plugin that sees the scratch home and nothing of the user's.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.plugin.join("bin").join(name));
        command.env_clear().env("HOME", self.home.path()).env("LANG", "C.UTF-8").current_dir(&self.project);
        command
    }

    /// Sets up the scratch home so that the demonstration may promote a candidate. `false` under the client, where that is
    /// for a person.
    fn lets_scripts_decide(&self) -> Result<bool> {
        let output = bounded::output(self.program("lessons").args(["init", "--scripts", "--json"]), LIMIT)?;
        let needs_person = String::from_utf8_lossy(&output.stdout).contains("NEEDS_PERSON");
        ensure!(
            output.status.success() || needs_person,
            "lessons init failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(!needs_person)
    }

    /// Runs `lessons` and returns the JSON it printed, if it was asked for JSON.
    fn lessons(&self, arguments: &[&str]) -> Result<Value> {
        let output = bounded::output(self.program("lessons").args(arguments), LIMIT)?;
        ensure!(
            output.status.success(),
            "lessons {} failed: {}{}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        if !arguments.contains(&"--json") {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("lessons {} printed no JSON", arguments.join(" ")))
    }

    /// Sends the call to the hook in a new session, to which nothing was told before.
    fn call(&self, session: &str) -> Result<HookAnswer> {
        let payload = json!({
            "session_id": session,
            "transcript_path": self.home.path().join(".claude/projects/-demo/next.jsonl"),
            "cwd": self.project,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": recording::COMMAND, "description": "Deploy"},
            "tool_use_id": "toolu_demo",
        })
        .to_string();
        let mut hook = self.program("lessons-pre-tool-use");
        hook.env("CLAUDE_PROJECT_DIR", &self.project).env("CLAUDE_CODE_SESSION_ID", session);
        hook.stdin(Stdio::piped()).stdout(Stdio::piped());
        let start = Instant::now();
        let mut child = hook.spawn().context("cannot start the hook")?;
        // Taken, so that it is closed after the write.
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(payload.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let time = start.elapsed();
        ensure!(output.status.success(), "the hook failed: {}", output.status);
        let answer: Value = if output.stdout.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&output.stdout).context("the hook printed no JSON")?
        };
        let answer = &answer["hookSpecificOutput"];
        let text = answer["additionalContext"].as_str().or(answer["permissionDecisionReason"].as_str());
        Ok(HookAnswer { text: text.map(str::to_owned), time })
    }
}

/// Returns the id of the candidate if the list has exactly one.
fn only_id(candidates: &Value) -> Option<String> {
    let list = candidates.as_array().or(candidates["candidates"].as_array())?;
    let [only] = list.as_slice() else { return None };
    only["id"].as_str().map(str::to_owned)
}

fn print_indented(text: &str) {
    for line in text.lines() {
        println!("    {line}");
    }
}

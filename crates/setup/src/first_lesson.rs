//! A built-in lesson, told by the installed hook: the proof that an installation works.
//!
//! Nothing is simulated: the installed `lessons` builds an index in a scratch home, and the installed hook gets a tool call
//! as Claude Code sends it. No model and no session is involved.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::error::{OrSay, Result, failed};
use crate::machine::InstallFolders;

/// The command that an agent might run. A built-in lesson is about it.
pub const COMMAND: &str = "git stash";

/// Returns what the installed hook tells the model at [`COMMAND`].
pub fn told(folders: &InstallFolders) -> Result<String> {
    let scratch = tempfile::tempdir().or_say(|| "cannot create a scratch home")?;
    let home = scratch.path();
    answered(&folders.program("lessons"), &["build"], home, "")?;
    let call = json!({
        "session_id": "installed",
        "cwd": home,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": COMMAND },
    });
    let answer = answered(&folders.program("lessons-pre-tool-use"), &[], home, &call.to_string())?;
    let answer: Value = serde_json::from_str(&answer).or_say(|| "the hook printed no JSON")?;
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
    Ok(text.or_say(|| "the hook told no lesson")?.to_owned())
}

/// The lesson in what was told: its lines without the frame around them.
pub fn lesson(told: &str) -> Vec<&str> {
    told.lines().filter(|line| !line.starts_with(['<', '['])).collect()
}

/// Runs an installed program to its end in a scratch home, and returns what it printed.
fn answered(program: &Path, words: &[&str], home: &Path, input: &str) -> Result<String> {
    let mut command = Command::new(program);
    command.args(words).env_clear().env("HOME", home).current_dir(home);
    let shown = || program.display().to_string();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().or_say(shown)?;
    // Taken, so that it is closed after the write.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).or_say(shown)?;
    }
    let output = child.wait_with_output().or_say(shown)?;
    if !output.status.success() {
        return failed(format!("{} failed: {}", shown(), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lesson_is_shown_without_the_frame() {
        let told = "<recorded-lessons>\na. b.\n[lesson seed/a]\n</recorded-lessons> Notes.";
        assert_eq!(lesson(told), ["a. b."]);
    }
}

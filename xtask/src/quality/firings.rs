//! The built-in lessons at every call of the past, as the hook tells them.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::scanned::Scanned;

/// The start of what the hook says of a built-in lesson.
const TOLD: &str = "[lesson seed/";

/// Firings by their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Labelled {
    pub(super) right: usize,
    pub(super) wrong: usize,
    pub(super) irrelevant: usize,
    pub(super) unlabelled: usize,
}

impl Labelled {
    fn add(&mut self, label: Option<&String>) {
        *match label.map(String::as_str) {
            Some("right") => &mut self.right,
            Some("wrong") => &mut self.wrong,
            Some("irrelevant") => &mut self.irrelevant,
            _ => &mut self.unlabelled,
        } += 1;
    }
}

/// Advice and refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FiringCounts {
    pub(super) advice: Labelled,
    pub(super) refusals: Labelled,
}

/// Puts every call of the transcripts to the hook, in their sessions.
pub(super) fn count(scanned: &Scanned, plugin: &Path, labels: &Path) -> Result<FiringCounts> {
    let text = fs::read_to_string(labels).with_context(|| format!("cannot read {}", labels.display()))?;
    let labels = labels_of(&text);
    let hook = plugin.join("bin/lessons-pre-tool-use").canonicalize().context("the plugin has no hook")?;
    scanned.build()?;
    let mut counts = FiringCounts::default();
    let mut seen = HashSet::new();
    for call in calls(&scanned.projects)? {
        let id = call["tool_use_id"].as_str().unwrap_or_default().to_owned();
        if !seen.insert(id.clone()) {
            continue;
        }
        let mut child = scanned.command(&hook).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(call.to_string().as_bytes())?;
        }
        let said = String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned();
        for lesson in told(&said) {
            let kind = if said.contains("\"deny\"") { &mut counts.refusals } else { &mut counts.advice };
            kind.add(labels.get(&(id.clone(), lesson.to_owned())));
        }
    }
    Ok(counts)
}

/// The labels by the ids of call and lesson. No field before the last has a comma in it.
fn labels_of(text: &str) -> HashMap<(String, String), String> {
    let row = |line: &str| {
        let mut fields = line.split(',').skip(1);
        let (id, lesson) = (fields.next()?, fields.next()?);
        Some(((id.to_owned(), lesson.to_owned()), fields.nth(1)?.to_owned()))
    };
    text.lines().filter_map(row).collect()
}

/// The built-in lessons that an answer tells.
fn told(answer: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(rest.len());
    answer.split(TOLD).skip(1).map(move |rest| &rest[..name(rest)])
}

/// The calls of all transcripts as the client hands them to the hook.
fn calls(projects: &Path) -> Result<Vec<Value>> {
    let mut calls = Vec::new();
    for path in transcripts(projects)? {
        let session = path.file_stem().unwrap_or_default().to_string_lossy();
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for line in String::from_utf8_lossy(&bytes).lines().filter(|line| line.contains("\"tool_use\"")) {
            let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
            calls.extend(calls_of(&line, &session));
        }
    }
    Ok(calls)
}

/// The transcripts of all projects.
pub(super) fn transcripts(projects: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in sorted(projects)? {
        let files = sorted(&folder)?.into_iter();
        found.extend(files.filter(|path| path.extension() == Some(OsStr::new("jsonl"))));
    }
    Ok(found)
}

/// The calls of a line.
pub(super) fn calls_of(line: &Value, session: &str) -> Vec<Value> {
    let blocks = line["message"]["content"].as_array().filter(|_| line["type"] == "assistant");
    let uses = blocks.into_iter().flatten().filter(|block| block["type"] == "tool_use");
    let payload = |block: &Value| {
        let mut payload = json!({
            "session_id": session, "cwd": line["cwd"], "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": block["name"], "tool_input": block["input"],
            "tool_use_id": block["id"],
        });
        if line["isSidechain"] == true {
            payload["agent_id"] = "a".into();
            payload["agent_type"] = "general-purpose".into();
        }
        payload
    };
    uses.map(payload).collect()
}

/// The entries of a folder by name.
fn sorted(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_read_from_an_answer_and_labels_from_their_file() {
        let answer = "x [lesson seed/git-stash-untracked · advise] y [lesson user/a] [lesson seed/b]";
        assert_eq!(told(answer).collect::<Vec<_>>(), ["git-stash-untracked", "b"]);
        let labels = labels_of("n,id,lesson,kind,label\n7,t1,b,advise,right,False,\"a, b\"\n");
        assert_eq!(labels[&("t1".to_owned(), "b".to_owned())], "right");
    }
}

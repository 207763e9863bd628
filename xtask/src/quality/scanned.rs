//! A folder of transcripts, scanned by the built programs in a scratch home.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

/// The most scans until nothing is left to propose.
const MOST_SCANS: usize = 100;
/// Everything at once: what a person would see over time is measured too.
const EVERYTHING: &str = "[scan]\nproposals = 100\n";

/// A proposal with the places at which it was seen.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Candidate {
    pub(super) id: String,
    /// Its detector, or `tag`.
    pub(super) source: String,
    pub(super) mistake: String,
    pub(super) fix: String,
    #[serde(default)]
    pub(super) evidence: Vec<String>,
    pub(super) sightings: Vec<Place>,
}

/// A line of a transcript.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Place {
    pub(super) uuid: String,
    pub(super) session: String,
    #[serde(default)]
    pub(super) line: u64,
}

/// A call: its session and its id.
pub(super) type CallId = (String, String);

/// The scanned folder.
pub(super) struct Scanned {
    scratch: TempDir,
    program: PathBuf,
    /// The folder of transcripts.
    pub(super) projects: PathBuf,
    /// The ids of the proposals of the first scan, in their order.
    pub(super) first: Vec<String>,
    /// All proposals.
    pub(super) candidates: Vec<Candidate>,
}

impl Scanned {
    /// Scans the `projects` in a folder until nothing is left to propose.
    pub(super) fn of(plugin: &Path, folder: &Path) -> Result<Self> {
        let mut scanned = Self::prepared(plugin, folder)?;
        // What the built-in lessons catch is not proposed where they are in force, as they are for everybody who has sessions.
        scanned.json(&["build"])?;
        scanned.json(&["scan"])?;
        scanned.first = ids(&scanned.json(&["candidates"])?);
        fs::write(scanned.data().join("config.toml"), EVERYTHING)?;
        for _ in 0..MOST_SCANS {
            if scanned.json(&["scan"])?["proposed"] == 0 {
                break;
            }
        }
        for id in ids(&scanned.json(&["candidates"])?) {
            let shown = scanned.json(&["show", &id])?;
            scanned.candidates.push(serde_json::from_value(shown).context("a candidate is of another form")?);
        }
        Ok(scanned)
    }

    /// A scratch home that holds the `projects` in a folder, not scanned yet.
    pub(super) fn prepared(plugin: &Path, folder: &Path) -> Result<Self> {
        let projects = folder.join("projects").canonicalize();
        let projects = projects.with_context(|| format!("{} holds no projects", folder.display()))?;
        let scratch = tempfile::tempdir().context("cannot make a scratch home")?;
        fs::create_dir_all(scratch.path().join(".claude"))?;
        symlink(&projects, scratch.path().join(".claude/projects"))?;
        let program = plugin.join("bin/lessons").canonicalize().context("the plugin has no lessons")?;
        Ok(Self { scratch, program, projects, first: Vec::new(), candidates: Vec::new() })
    }

    /// The data folder.
    pub(super) fn data(&self) -> PathBuf {
        self.scratch.path().join("data")
    }

    /// A command with the environment of the scratch home and no other.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.scratch.path()).env("LESSONS_HOME", self.data());
        command.current_dir(self.scratch.path());
        command
    }

    /// What `lessons` prints as text.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<String> {
        let output = self.command(&self.program).args(arguments).output()?;
        String::from_utf8(output.stdout).with_context(|| format!("lessons {}", arguments.join(" ")))
    }

    /// What `lessons` prints as JSON.
    pub(super) fn json(&self, arguments: &[&str]) -> Result<Value> {
        let output = self.command(&self.program).arg("--json").args(arguments).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("lessons {}: {said}", arguments.join(" ")))
    }

    /// The calls of the past on which a lesson fires: one that is named, or one made of flags.
    pub(super) fn fired_at(&self, lesson: &[String]) -> Result<BTreeSet<CallId>> {
        let words: Vec<&str> = std::iter::once("replay").chain(lesson.iter().map(String::as_str)).collect();
        let replay = self.json(&words)?;
        let text = |call: &Value, name: &str| call[name].as_str().unwrap_or_default().to_owned();
        let calls = replay["calls"].as_array().into_iter().flatten();
        Ok(calls.map(|call| (text(call, "session"), text(call, "toolUse"))).collect())
    }

    /// Compiles the built-in lessons, so that the hooks tell them.
    pub(super) fn build(&self) -> Result<()> {
        let status = self.command(&self.program).arg("build").output()?.status;
        ensure!(status.success(), "lessons build failed");
        Ok(())
    }
}

fn ids(list: &Value) -> Vec<String> {
    let entries = list.as_array().into_iter().flatten();
    entries.filter_map(|entry| entry["id"].as_str().map(str::to_owned)).collect()
}

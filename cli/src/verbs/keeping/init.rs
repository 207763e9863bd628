//! `lessons init`: write every setting out; with `--team`, prepare a project for merges by git.

use std::process::Command;

use anyhow::ensure;
use lessons_context::typed;
use lessons_home::files;
use lessons_ledger::decisions::setting_changes;
use lessons_review::project_names;
use lessons_setup::machine;
use lessons_store::decisions::trust::PROJECT_STORE;
use lessons_store::{ConfigFile, Graph, durable};

use crate::prelude::*;
use crate::verbs::sharing::import;

/// Arguments of `lessons init`.
#[derive(Debug, Args)]
pub struct Init {
    /// Set up the current project so that several people can record lessons in it
    #[arg(long)]
    pub team: bool,
    /// Let scripts without a terminal decide too: sets `gate.scripts`
    #[arg(long)]
    pub scripts: bool,
}

/// The setting that `--scripts` sets.
const SCRIPTS: &str = "gate.scripts";
/// The attribute that makes git call the merge driver.
const ATTRIBUTE: &str = ".lessons/lessons.json merge=lessons";

/// The git settings that define the merge driver. It names this program by its path, as the PATH of git need not lead to
/// it. Where the program is missing, git merges by lines and leaves its markers: no branch's lesson is lost.
fn driver() -> Result<[(&'static str, String); 2]> {
    let program = typed(&[machine::program()?]).replace('%', "%%");
    let ours = format!("{program} merge-driver %O %A %B");
    let by_lines = "git merge-file -L ours -L base -L theirs %A %O %B";
    Ok([
        ("merge.lessons.name", "Lessons: additions of both branches".to_owned()),
        ("merge.lessons.driver", format!("if test -x {program}; then {ours}; else {by_lines}; fi")),
    ])
}

pub(crate) fn run(app: &App, args: &Init) -> Result<Exit> {
    agree(app, args)?;
    let (settings, lets_scripts) = write_settings(app, args)?;
    let project = if args.team { prepare_project()? } else { Vec::new() };
    let files = project_names::here().map(|root| import::found_in(&root, app.now_ms())).unwrap_or_default();
    let config = app.home.config();
    let mut lines = vec![match settings.as_slice() {
        [] if lets_scripts => format!("{}: the rest stays as it is", config.display()),
        [] => format!("{} has every setting already", config.display()),
        settings => format!("{}: {} at their defaults", config.display(), settings.join(", ")),
    }];
    let with_scripts = "  gate.scripts = true: scripts without a terminal decide too";
    lines.extend(lets_scripts.then(|| with_scripts.to_owned()));
    lines.extend(project.iter().map(|line| format!("  {line}")));
    for (name, count) in &files {
        let entries = if *count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
        lines.push(format!("  {name} has {entries}: `lessons import {name}`"));
    }
    lines.push(match project.as_slice() {
        [] => "Next: lessons".to_owned(),
        _ => "Commit .lessons/lessons.json and .gitattributes; each clone runs `lessons init --team` once\nNext: lessons trust"
            .to_owned(),
    });
    let fields = json!({ "settings": settings, "scripts": lets_scripts, "project": project, "files": files });
    app.done(&Answer::new(lines, fields))
}

/// Puts to the person what is missing, if anything is.
fn agree(app: &App, args: &Init) -> Result<()> {
    let (missing, lets_scripts) = missing(app, args)?;
    let defaults = format!("Write settings at their defaults: {}", missing.join(", "));
    let parts = [
        (!missing.is_empty(), defaults.as_str()),
        (lets_scripts, "Let scripts without a terminal decide what is in force"),
        (args.team, "Set up this project for merges by git: .lessons, .gitattributes, git config"),
    ];
    let what: Vec<&str> =
        parts.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, part)| part).collect();
    if what.is_empty() { Ok(()) } else { Ok(app.agree(&what.join("\n"))?) }
}

/// The settings that the file lacks, and whether scripts are let decide now.
fn missing(app: &App, args: &Init) -> Result<(Vec<String>, bool)> {
    let mut config = ConfigFile::read(&app.home.config())?;
    let lets_scripts = args.scripts && !config.settings().0.gate_scripts;
    let mut missing = config.write_defaults();
    missing.retain(|key| !(lets_scripts && key == SCRIPTS));
    Ok((missing, lets_scripts))
}

/// Writes every setting that the file lacks, with its default. Returns their names, and whether scripts are let decide now.
fn write_settings(app: &App, args: &Init) -> Result<(Vec<String>, bool)> {
    files::ensure_folder(app.home.root())?;
    let lock = app.lock()?;
    let (missing, lets_scripts) = missing(app, args)?;
    if !missing.is_empty() || lets_scripts {
        let mut database = app.database()?;
        setting_changes::save(&lock, &mut database, &app.deed("written out"), |file| {
            file.write_defaults();
            if lets_scripts {
                file.put(SCRIPTS, Some("true"));
            }
        })?;
    }
    Ok((missing, lets_scripts))
}

/// Prepares the project around the working folder.
fn prepare_project() -> Result<Vec<String>> {
    let root = PathBuf::from(project_names::roots_here()?.root);
    ensure!(root.join(".git").exists(), "{} is no git repository; run `git init` first", root.display());
    let mut done = Vec::new();
    let store: PathBuf = PROJECT_STORE.iter().fold(root.clone(), |path, part| path.join(part));
    if !store.exists() {
        durable::replace_elsewhere(&store, &Graph::empty(&store).to_bytes())?;
        done.push(".lessons/lessons.json, which `lessons trust` approves".to_owned());
    }
    done.extend(add_attribute(&root)?.then(|| ".gitattributes: git merges it with our driver".to_owned()));
    for (key, value) in driver()? {
        done.extend(set_in_git(&root, key, &value)?.then(|| format!("git config {key}")));
    }
    Ok(done)
}

/// Adds the attribute if it is missing. Returns whether it was.
fn add_attribute(root: &Path) -> Result<bool> {
    let path = root.join(".gitattributes");
    let mut text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    };
    if text.lines().any(|line| line.trim() == ATTRIBUTE) {
        return Ok(false);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(ATTRIBUTE);
    text.push('\n');
    durable::replace_elsewhere(&path, text.as_bytes())?;
    Ok(true)
}

/// Sets a git setting of this repository. Returns whether it changed.
fn set_in_git(root: &Path, key: &str, value: &str) -> Result<bool> {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(root).args(["config", "--local"]).args(words).output().context("git")
    };
    let known = git(&["--get", key])?;
    if String::from_utf8_lossy(&known.stdout).trim() == value {
        return Ok(false);
    }
    let set = git(&[key, value])?;
    ensure!(set.status.success(), "git config {key}: {}", String::from_utf8_lossy(&set.stderr).trim());
    Ok(true)
}

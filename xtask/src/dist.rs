//! `cargo xtask dist`: the plugin as one self-contained folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::bounded;
use crate::cargo::{self, Program};
use crate::release::musl::{self, HookBuild};
use crate::release::{elf, folder};
use crate::workspace::Workspace;

/// The files and folders of the plugin besides programs and manifests.
const PARTS: [&str; 7] =
    ["hooks/hooks.json", "commands", "skills", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "README.md"];

/// The programs that `lessons-cli` must have built.
pub(crate) const COMMANDS: [&str; 1] = ["lessons"];

/// Shells, and the names under which they look for completions.
const COMPLETIONS: [(&str, &str); 3] = [("bash", "lessons"), ("zsh", "_lessons"), ("fish", "lessons.fish")];

/// The time limit for a program to show that it starts.
const START_LIMIT: Duration = Duration::from_secs(10);

/// Builds everything and returns the finished folder.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    let how = musl::choose()?;
    println!("Building the hooks ({})", describe(&how));
    let target = match &how {
        HookBuild::Static(target) => Some(target.as_str()),
        HookBuild::Native(_) => None,
    };
    // Alone: what another package switches on in a crate that both use would cost every call.
    let build = |package| {
        let mut cargo = cargo::command(&workspace.root);
        cargo.arg("build");
        cargo::build(cargo, package)
    };
    let hooks = build(cargo::hooks(target))?;
    println!("Building lessons (the first time takes minutes: SQLite is compiled too)");
    let commands = build(cargo::commands(None))?;

    let place = workspace.dist();
    let parent = place.parent().context("the place for the plugin has no parent")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    let scratch = tempfile::Builder::new().prefix(".assembling-").tempdir_in(parent)?;
    let new = scratch.path().join("lessons");
    assemble(&workspace.root, &new, hooks.iter().chain(&commands))?;
    write_pages(&new, &new.join("bin/lessons"))?;
    check(&new, &how)?;
    replace(&place, &new, &scratch.path().join("old"))?;

    let programs = fs::read_dir(place.join("bin"))?.count();
    let kilobytes = folder::size(&place)? / 1024;
    println!("Assembled {} ({programs} programs, {kilobytes} KiB)", place.display());
    Ok(place)
}

fn describe(how: &HookBuild) -> String {
    match how {
        HookBuild::Static(target) => format!("static, {target}"),
        HookBuild::Native(None) => "for this machine".to_owned(),
        HookBuild::Native(Some(reason)) => format!(
            "not static: {reason}. They work the same, but each tool call waits milliseconds for its \
             hook instead of a tenth of one"
        ),
    }
}

/// Puts a plugin together from the clone and its programs. Completions and manual pages are still missing.
pub(crate) fn assemble<'a>(
    root: &Path,
    new: &Path,
    programs: impl Iterator<Item = &'a Program>,
) -> Result<()> {
    for folder in [".claude-plugin", "bin", "hooks"] {
        fs::create_dir_all(new.join(folder))?;
    }
    let manifest = root.join(".claude-plugin/plugin.json");
    folder::copy(&manifest, &new.join(".claude-plugin/plugin.json"))?;
    folder::copy(&manifest, &new.join("plugin.json"))?;
    let marketplace = marketplace(root, "./")?;
    fs::write(new.join(".claude-plugin/marketplace.json"), marketplace)?;
    for part in PARTS {
        folder::copy(&root.join(part), &new.join(part))?;
    }
    for program in programs {
        folder::copy(&program.path, &new.join("bin").join(&program.name))?;
    }
    Ok(())
}

/// Writes completions and manual pages into a plugin, as a `lessons` that runs on this machine prints them.
pub(crate) fn write_pages(new: &Path, lessons: &Path) -> Result<()> {
    let home = tempfile::tempdir()?;
    let printed = |words: &[&str]| -> Result<Vec<u8>> {
        let mut command = bare(lessons, home.path());
        let output = bounded::output(command.args(words), START_LIMIT)?;
        ensure!(output.status.success(), "lessons {} failed: {}", words.join(" "), output.status);
        Ok(output.stdout)
    };
    fs::create_dir_all(new.join("completions"))?;
    for (shell, name) in COMPLETIONS {
        fs::write(new.join("completions").join(name), printed(&["completions", shell])?)?;
    }
    fs::create_dir_all(new.join("man/man1"))?;
    let pages: BTreeMap<String, String> = serde_json::from_slice(&printed(&["man", "--json"])?)?;
    ensure!(pages.contains_key("lessons.1"), "there is no manual page of lessons");
    for (name, page) in pages {
        fs::write(new.join("man/man1").join(name), page)?;
    }
    Ok(())
}

/// Makes the marketplace.json of a marketplace that holds the plugin at `source`.
pub(crate) fn marketplace(root: &Path, source: &str) -> Result<String> {
    let path = root.join(".claude-plugin/marketplace.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut json: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
    let plugin =
        json.pointer_mut("/plugins/0").with_context(|| format!("{} lists no plugin", path.display()))?;
    plugin["source"] = source.into();
    // The one in the clone says that it is the clone's.
    let description = plugin["description"].clone();
    json["metadata"]["description"] = description;
    Ok(format!("{json:#}\n"))
}

/// Checks that the finished folder has all programs, and that they start.
fn check(plugin: &Path, how: &HookBuild) -> Result<()> {
    let hooks = hook_programs(&plugin.join("hooks/hooks.json"))?;
    let home = tempfile::tempdir()?;
    for name in &hooks {
        let path = plugin.join("bin").join(name);
        ensure!(path.is_file(), "hooks.json names {name}, but lessons-hooks has no such program");
        if let HookBuild::Static(target) = how {
            elf::ensure_static(&fs::read(&path)?)
                .with_context(|| format!("{name}, which was built for {target}, is not static"))?;
        }
        start_hook(&path, home.path()).with_context(|| format!("{name} does not start"))?;
    }
    for name in COMMANDS {
        let path = plugin.join("bin").join(name);
        ensure!(path.is_file(), "lessons-cli has no program {name}");
        let mut command = bare(&path, home.path());
        let output = bounded::output(command.arg("--version"), START_LIMIT)?;
        ensure!(output.status.success(), "{name} --version failed: {}", output.status);
    }
    Ok(())
}

/// Lists the programs in `bin/` that hooks.json starts.
pub(crate) fn hook_programs(hooks: &Path) -> Result<BTreeSet<String>> {
    let json: Value = serde_json::from_slice(&fs::read(hooks)?).context("hooks.json is no JSON")?;
    let mut names = BTreeSet::new();
    for event in json["hooks"].as_object().context("hooks.json has no hooks")?.values() {
        let entries = event.as_array().into_iter().flatten();
        for hook in entries.filter_map(|entry| entry["hooks"].as_array()).flatten() {
            let command = hook["command"].as_str().context("a hook without a command")?;
            let Some(name) = command.strip_prefix("${CLAUDE_PLUGIN_ROOT}/bin/") else {
                bail!("the hook {command} is not a program of ours");
            };
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// A hook that is given an empty object has nothing to say and succeeds.
fn start_hook(path: &Path, home: &Path) -> Result<()> {
    let mut child = bare(path, home).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    // Taken, so that it is closed after the write.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(b"{}")?;
    }
    let status = bounded::wait(&mut child, START_LIMIT)?;
    ensure!(status.success(), "{status}");
    Ok(())
}

/// Makes a command that sees a scratch home and nothing of the user's.
fn bare(path: &Path, home: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_clear().env("HOME", home).current_dir(home);
    command
}

/// Renames `place` to `old` if it exists, and `new` to `place`.
fn replace(place: &Path, new: &Path, old: &Path) -> Result<()> {
    if place.exists() {
        fs::rename(place, old).with_context(|| format!("cannot replace {}", place.display()))?;
    }
    fs::rename(new, place).with_context(|| format!("cannot create {}", place.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
    }

    #[test]
    fn the_marketplace_differs_from_the_one_in_the_clone_in_source_and_description_alone() {
        let clone: Value =
            serde_json::from_slice(&fs::read(root().join(".claude-plugin/marketplace.json")).unwrap())
                .unwrap();
        assert_eq!(clone["plugins"][0]["source"], "./target/dist/lessons");
        let mut other: Value = serde_json::from_str(&marketplace(&root(), "./current").unwrap()).unwrap();
        assert_eq!(other["plugins"][0]["source"], "./current");
        other["plugins"][0]["source"] = clone["plugins"][0]["source"].clone();
        other["metadata"] = clone["metadata"].clone();
        assert_eq!(other, clone);
    }

    #[test]
    fn every_hook_of_hooks_json_is_a_program_of_ours() {
        let names = hook_programs(&root().join("hooks/hooks.json")).unwrap();
        let expected = [
            "lessons-post-tool-use",
            "lessons-post-tool-use-failure",
            "lessons-pre-tool-use",
            "lessons-session-start",
            "lessons-subagent-start",
        ];
        assert_eq!(names, expected.map(str::to_owned).into());
    }

    #[test]
    fn a_folder_replaces_an_older_one_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir_all(at("new")).unwrap();
        fs::write(at("new/a"), "").unwrap();
        replace(&at("place"), &at("new"), &at("old")).unwrap();
        fs::create_dir_all(at("new")).unwrap();
        replace(&at("place"), &at("new"), &at("old")).unwrap();
        assert!(at("place").exists() && !at("place/a").exists() && at("old/a").exists());
    }
}

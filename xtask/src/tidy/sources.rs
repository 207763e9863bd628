//! The rules about tracked files: their names, their length, and texts that they must not hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::engines;
use crate::workspace::Workspace;

/// The length of the longest source file, in lines. A longer one holds two ideas.
const LONGEST: usize = 500;

/// The most entries of a folder of sources. More of them nobody takes in at a glance.
const MOST_ENTRIES: usize = 25;

/// Names that say nothing about a module.
const NAMELESS: [&str; 6] = ["util", "utils", "helper", "helpers", "common", "misc"];

/// Names of folders that tools take for output or for the work of others, and leave out of searches, statistics and
/// archives.
const SKIPPED_BY_TOOLS: [&str; 5] = ["build", "target", "dist", "vendor", "node_modules"];

/// The hook events that clients from 2.1.197 on know. One unknown name, and such a client drops
/// the whole hooks.json.
const OLD_EVENTS: [&str; 10] = [
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
];

/// Hosts that serve packages. In pieces, so that this file does not hold them.
const REGISTRY_HOSTS: [&str; 3] =
    [concat!("registry.", "npmjs.org"), concat!("index.", "crates.io"), concat!("static.", "crates.io")];

/// Files that a tool writes and that name a registry by nature.
const WRITTEN_BY_TOOLS: [&str; 1] = ["Cargo.lock"];

/// The two files that show the form of a tag. The scanner knows the example of the first.
const EXAMPLES: [&str; 2] = ["crates/lesson/src/protocol.rs", "skills/lessons/SKILL.md"];

/// Finds violations in tracked files and in the manifests of the plugin.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let local_texts = local_texts(&workspace.root);
    let matcher_folders = engines::matcher_folders(&workspace.root, &workspace.packages);
    let mut findings = manifests(workspace)?;
    findings.extend(examples(&workspace.root)?);
    let files = tracked(&workspace.root)?;
    findings.extend(too_full(&files));
    for file in files {
        findings.extend(nameless(&file));
        findings.extend(skipped_by_tools(&file));
        // A link is checked where it leads; a file may be gone and not committed yet.
        let path = workspace.root.join(&file);
        if path.is_symlink() || !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        findings.extend(too_long(&file, &text));
        findings.extend(engines::named(&file, &text, &matcher_folders));
        findings.extend(local_names(&file, &text, &local_texts));
    }
    Ok(findings)
}

/// Lists the files that are tracked, or new and not ignored, with paths from the root.
pub(super) fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot start git")?;
    ensure!(output.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).context("a file name that is not UTF-8")?;
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

/// Finds folders of sources with too many entries. The root has the files that tools look for there.
fn too_full(files: &[PathBuf]) -> Vec<String> {
    let mut folders: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
    for entry in files.iter().filter(|file| is_source(file)).flat_map(|file| file.ancestors()) {
        if let Some(folder) = entry.parent().filter(|folder| *folder != Path::new("")) {
            folders.entry(folder).or_default().insert(entry);
        }
    }
    let full = folders.into_iter().filter(|(_, entries)| entries.len() > MOST_ENTRIES);
    full.map(|(folder, _)| format!("{} has over {MOST_ENTRIES} entries", folder.display())).collect()
}

fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "rs")
}

fn too_long(file: &Path, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (is_source(file) && lines > LONGEST)
        .then(|| format!("{} has {lines} lines, over {LONGEST}", file.display()))
}

fn nameless(file: &Path) -> Option<String> {
    let bad = |name: &std::ffi::OsStr| NAMELESS.iter().any(|nameless| name == *nameless);
    let folders = file.parent().into_iter().flat_map(Path::iter);
    let found = is_source(file) && (file.file_stem().is_some_and(bad) || folders.into_iter().any(bad));
    found.then(|| format!("{} has a name that says nothing", file.display()))
}

/// Finds a source file in a folder that tools skip.
fn skipped_by_tools(file: &Path) -> Option<String> {
    let folder =
        file.parent()?.iter().find(|folder| SKIPPED_BY_TOOLS.iter().any(|skipped| folder == skipped))?;
    is_source(file)
        .then(|| format!("{} lies in a folder `{}`, which tools skip", file.display(), folder.display()))
}

/// Lists texts that no published file may hold: the path of this clone, and the hosts of package registries.
fn local_texts(root: &Path) -> Vec<String> {
    let mut found: Vec<String> = REGISTRY_HOSTS.iter().map(ToString::to_string).collect();
    // A short path, such as /src, may well be meant otherwise.
    found.extend(root.to_str().filter(|path| path.matches('/').count() > 1).map(str::to_owned));
    found
}

fn local_names(file: &Path, text: &str, local_texts: &[String]) -> Vec<String> {
    if WRITTEN_BY_TOOLS.iter().any(|written| file == Path::new(written)) {
        return Vec::new();
    }
    let place = |line: usize| format!("{}:{}", file.display(), line + 1);
    text.lines()
        .enumerate()
        .filter(|(_, line)| local_texts.iter().any(|local| line.contains(local.as_str())))
        .map(|(index, _)| format!("{} names a path or a host of one machine", place(index)))
        .collect()
}

/// Finds flaws of the plugin's manifests: another version than that of the crates, a file in place of the link, events
/// that old clients do not know.
fn manifests(workspace: &Workspace) -> Result<Vec<String>> {
    let json = |name: &str| -> Result<Value> {
        let bytes = fs::read(workspace.root.join(name)).with_context(|| format!("cannot read {name}"))?;
        serde_json::from_slice(&bytes).with_context(|| format!("{name} is no JSON"))
    };
    let mut findings = Vec::new();
    let manifest = json(".claude-plugin/plugin.json")?;
    if manifest["version"] != workspace.version.as_str() {
        findings.push(format!("plugin.json has not the version {} of Cargo.toml", workspace.version));
    }
    let link = fs::read_link(workspace.root.join("plugin.json"));
    if link.ok().as_deref() != Some(Path::new(".claude-plugin/plugin.json")) {
        findings.push("plugin.json is not a link to .claude-plugin/plugin.json".to_owned());
    }
    let hooks = json("hooks/hooks.json")?;
    for event in hooks["hooks"].as_object().into_iter().flatten().map(|(event, _)| event) {
        if !OLD_EVENTS.contains(&event.as_str()) {
            findings.push(format!("hooks.json names {event}, which old clients do not know"));
        }
    }
    Ok(findings)
}

/// Finds a difference between the examples. A model may repeat the one of the skill, and the scanner must recognise it.
fn examples(root: &Path) -> Result<Option<String>> {
    let [protocol, skill] = EXAMPLES
        .map(|name| fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}")));
    let (protocol, skill) = (protocol?, skill?);
    let (shown, known) = (example(&skill), example(&protocol));
    Ok((shown.is_empty() || shown != known)
        .then(|| format!("{} shows another example than {}", EXAMPLES[1], EXAMPLES[0])))
}

/// Returns the lines of the first tag in a text.
fn example(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.trim().trim_end_matches("\";"));
    let inside: Vec<&str> = lines.skip_while(|line| *line != "#lesson").collect();
    let end = inside.iter().position(|line| *line == "#/lesson");
    end.and_then(|end| inside.get(..=end)).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_file_is_too_long_from_501_lines_on() {
        assert_eq!(too_long(Path::new("a.rs"), &"x\n".repeat(500)), None);
        assert!(too_long(Path::new("a.rs"), &"x\n".repeat(501)).is_some());
        assert_eq!(too_long(Path::new("a.json"), &"x\n".repeat(501)), None);
    }

    #[test]
    fn a_folder_of_sources_is_too_full_from_26_entries_on() {
        let files =
            |count: usize| (0..count).map(|number| format!("a/src/{number}/x.rs").into()).collect::<Vec<_>>();
        assert!(too_full(&files(25)).is_empty());
        assert_eq!(too_full(&files(26)), ["a/src has over 25 entries"]);
        assert!(
            too_full(&(0..30).map(|number| format!("{number}.rs").into()).collect::<Vec<_>>()).is_empty()
        );
    }

    #[test]
    fn a_module_with_a_name_that_says_nothing_is_found_as_file_and_as_folder() {
        for bad in ["core/src/util.rs", "core/src/helpers/mod.rs", "common/src/lib.rs"] {
            assert!(nameless(Path::new(bad)).is_some(), "{bad}");
        }
        for good in ["core/src/utility_pole.rs", "docs/common/words.md", "core/src/shell.rs"] {
            assert!(nameless(Path::new(good)).is_none(), "{good}");
        }
    }

    #[test]
    fn a_source_file_in_a_folder_that_tools_skip_is_found() {
        for bad in ["core/src/automaton/build/mod.rs", "target/a.rs", "vendor/x/src/lib.rs"] {
            assert!(skipped_by_tools(Path::new(bad)).is_some(), "{bad}");
        }
        for good in
            ["cli/src/build.rs", "manifest-builder/src/lib.rs", "build/words.md", "core/src/builder/mod.rs"]
        {
            assert!(skipped_by_tools(Path::new(good)).is_none(), "{good}");
        }
    }

    #[test]
    fn an_example_is_the_same_as_source_and_as_indented_text() {
        let source = "const EXAMPLE: &str = \"\\\n#lesson\nfix: x\n#/lesson\";\n";
        let text = "Write:\n\n    #lesson\n    fix: x\n    #/lesson\n\nand so on";
        assert_eq!(example(source), ["#lesson", "fix: x", "#/lesson"]);
        assert_eq!(example(source), example(text));
        assert!(example("#lesson\nfix: x\n").is_empty());
    }

    #[test]
    fn the_place_of_a_clone_and_a_package_host_are_found_with_their_line() {
        let local_texts = local_texts(Path::new("/home/me/lessons"));
        let text = format!("fine\nsee /home/me/lessons/x\nhttps://{}/y\n", REGISTRY_HOSTS[0]);
        let found = local_names(Path::new("a.md"), &text, &local_texts);
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("a.md:2 ") && found[1].starts_with("a.md:3 "));
        assert!(local_names(Path::new("Cargo.lock"), &text, &local_texts).is_empty());
    }
}

//! THIRD-PARTY.md: the licences of everything that is linked into a release.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::platform::{Platform, System};
use crate::cargo;
use crate::workspace::Workspace;

/// The packages of ours whose programs are released.
const RELEASED: [&str; 2] = ["lessons-cli", "lessons-hooks"];

/// The starts of the names of files with a licence in them, in capitals.
const FILES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// What is linked in and is no package of cargo.
const OTHERS: &str = "\
- the Rust standard library: MIT OR Apache-2.0, (c) The Rust Project contributors
- SQLite: in the public domain
- mimalloc: MIT, (c) Microsoft Corporation, Daan Leijen
";

/// The C library of the programs for Linux.
const MUSL: &str = "- musl: MIT, (c) Rich Felker and others\n";

/// Writes the file into a folder that is packed.
pub(crate) fn write(workspace: &Workspace, platform: Platform, root: &Path) -> Result<()> {
    let metadata = cargo::metadata(&workspace.root, &["--locked", "--filter-platform", platform.target()])?;
    let text = text(&metadata, platform)?;
    let path = root.join("THIRD-PARTY.md");
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn text(metadata: &Value, platform: Platform) -> Result<String> {
    let linked = linked(metadata)?;
    let packages = metadata["packages"].as_array().context("cargo lists no packages")?;
    let mut out = "# What is linked into these programs, and its licences\n\n".to_owned();
    out.push_str(OTHERS);
    if platform.system() == System::Linux {
        out.push_str(MUSL);
    }
    // Most packages share the text of their licence, so each text stands here once.
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        // Packages of ours have no source.
        if package["source"].is_null() || !package["id"].as_str().is_some_and(|id| linked.contains(id)) {
            continue;
        }
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} {}", field("name"), field("version"));
        writeln!(out, "- {name}: {}", field("license"))?;
        let manifest = Path::new(field("manifest_path"));
        for text in licence_texts(manifest.parent().context("a manifest is in no folder")?)? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    ensure!(!texts.is_empty(), "no licence text was found");
    for (text, names) in texts {
        write!(out, "\n## {}\n\n```\n{}\n```\n", names.join(", "), text.trim_end())?;
    }
    Ok(out)
}

/// The ids of all packages that are linked into what is released: dependencies that are neither for building nor for
/// tests.
fn linked(metadata: &Value) -> Result<BTreeSet<&str>> {
    let nodes = metadata["resolve"]["nodes"].as_array().context("cargo resolves nothing")?;
    let packages = metadata["packages"].as_array().context("cargo lists no packages")?;
    let released = |package: &&Value| package["name"].as_str().is_some_and(|name| RELEASED.contains(&name));
    let mut open: Vec<&str> =
        packages.iter().filter(released).filter_map(|package| package["id"].as_str()).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == id).context("a package that is not resolved")?;
        for dependency in node["deps"].as_array().into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array();
            if kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null())) {
                open.extend(dependency["pkg"].as_str());
            }
        }
    }
    Ok(found)
}

fn licence_texts(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && FILES.iter().any(|file| name.starts_with(file)) {
            texts.push(String::from_utf8_lossy(&fs::read(&path)?).replace("\r\n", "\n"));
        }
    }
    texts.sort();
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_builds_or_tests_is_not_linked() {
        let dependency = |pkg: &str, kind: Value| json!({"pkg": pkg, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [{"id": "cli", "name": "lessons-cli"}, {"id": "a", "name": "a"}],
            "resolve": {"nodes": [
                {"id": "cli", "deps": [
                    dependency("a", Value::Null), dependency("cc", json!("build")), dependency("t", json!("dev")),
                ]},
                {"id": "a", "deps": [dependency("b", Value::Null), dependency("cli", Value::Null)]},
                {"id": "b", "deps": []},
            ]},
        });
        assert_eq!(linked(&metadata).unwrap(), BTreeSet::from(["a", "b", "cli"]));
    }

    #[test]
    fn licences_are_found_whatever_their_case_and_line_ends() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("License-MIT.txt"), "a\r\nb").unwrap();
        fs::write(folder.path().join("lib.rs"), "x").unwrap();
        assert_eq!(licence_texts(folder.path()).unwrap(), ["a\nb"]);
    }
}

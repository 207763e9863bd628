//! Ordinary files raise next to nothing: the sources and documentation of the packages that this workspace is built from.
//!
//! They are the same bytes on every machine, as `Cargo.lock` names their versions, and nobody wrote them for this test.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test may panic, and reads any files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lessons_incident::finding;
use lessons_incident::kind::Severity;

/// The number of files that are looked at.
const FILES: usize = 5000;
/// The lengths of these files, in bytes: longer ones would make the test slow, and shorter ones say nothing.
const LENGTHS: std::ops::RangeInclusive<u64> = 500..=16 << 10;
/// The most files with a finding, in thousandths.
const MOST_PER_THOUSAND: usize = 5;

/// The packages of the workspace, as their folders in a registry are called.
fn packages() -> BTreeSet<String> {
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock")).unwrap();
    let value = |line: &str, key: &str| Some(line.strip_prefix(key)?.trim_matches('"').to_owned());
    let lines: Vec<&str> = lock.lines().collect();
    lines
        .windows(2)
        .filter_map(|pair| Some(format!("{}-{}", value(pair[0], "name = ")?, value(pair[1], "version = ")?)))
        .collect()
}

/// The folders into which cargo unpacks the packages of registries.
fn registries() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap();
    let folders = fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten();
    folders.map(|folder| folder.path()).collect()
}

/// Adds the files below a folder, in the order of their names, until there are enough.
fn add(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let found = entry.metadata().unwrap();
        if found.is_dir() {
            add(&entry.path(), files);
        } else if found.is_file() && LENGTHS.contains(&found.len()) && files.len() < FILES {
            files.push(entry.path());
        }
    }
}

#[test]
fn of_5000_ordinary_files_none_is_critical_and_hardly_any_has_a_finding() {
    let mut files = Vec::new();
    for registry in registries() {
        for package in packages() {
            add(&registry.join(package), &mut files);
        }
    }
    assert_eq!(files.len(), FILES, "`cargo fetch` unpacks what is missing");
    let mut suspected = Vec::new();
    for path in &files {
        // What is no text is none that an agent reads.
        let Ok(text) = fs::read_to_string(path) else { continue };
        let clusters = finding::clusters(&text);
        assert!(clusters.iter().all(|cluster| cluster.severity() < Severity::Critical), "{}", path.display());
        if !clusters.is_empty() {
            suspected.push(path);
        }
    }
    assert!(suspected.len() * 1000 <= MOST_PER_THOUSAND * FILES, "{suspected:#?}");
}

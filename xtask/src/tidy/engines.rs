//! The rule about regex engines: lessons are matched in one place.
//!
//! One crate decides what a call matches, so that hook, replay, explain and test cannot disagree. Other crates that use
//! an engine for another search are listed here, file by file.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The packages that match patterns or globs.
const ENGINES: [&str; 12] = [
    "aho-corasick",
    "fancy-regex",
    "glob",
    "globset",
    "grep-regex",
    "hyperscan",
    "onig",
    "pcre2",
    "regex",
    "regex-automata",
    "regex-lite",
    "regex-syntax",
];

/// The crates that read and match the patterns of lessons.
const MATCHERS: [&str; 3] = ["lessons-pattern", "lessons-lesson", "lessons-index"];

/// The files elsewhere that use an engine, with their purposes.
const OTHERS: [(&str, &str); 13] = [
    ("scanner/src/echo/prefilter.rs", "finds the lines that may hold a text"),
    ("scanner/src/digest/signs.rs", "knows what programs wrote, in what people pasted"),
    ("scanner/src/tag/trial.rs", "tries the patterns of a proposal on single commands"),
    ("scanner/src/transcript/complaints.rs", "finds the results that may complain"),
    ("scanner/src/detect/statement/phrases.rs", "finds lines that may ask for something lasting"),
    ("scanner/src/detect/failure/signs.rs", "finds signs of errors, and of writers of memory files"),
    ("scanner/tests/labelled/trial.rs", "tries the patterns that a scan proposes"),
    ("crates/text/src/redact.rs", "finds secrets"),
    ("crates/text/src/redact/rules.rs", "finds secrets"),
    ("scanner/src/tag/trigger/tests.rs", "look at the patterns that a tag gets"),
    ("crates/ledger/src/forget/mod.rs", "finds a text that is to be forgotten"),
    ("crates/store/src/import/sample.rs", "makes an example from a pattern"),
    ("tests/tests/whole/frozen/sampling.rs", "makes calls from patterns"),
];

/// Lists the folders whose files may use engines, relative to `root`: those of the crates that match lessons, and that
/// of the fuzz targets, which compare them with an engine.
pub(super) fn matcher_folders(root: &Path, packages: &[Value]) -> Vec<PathBuf> {
    let matchers = packages.iter().filter(|package| MATCHERS.iter().any(|name| package["name"] == *name));
    let folders = matchers.filter_map(|package| {
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
        Some(folder.strip_prefix(root).ok()?.to_owned())
    });
    folders.chain([PathBuf::from("fuzz")]).collect()
}

/// Finds an engine in a file that is neither listed nor in one of the folders of `matcher_folders`.
pub(super) fn named(file: &Path, text: &str, matcher_folders: &[PathBuf]) -> Option<String> {
    let is_ours = matcher_folders.iter().any(|folder| file.starts_with(folder));
    let is_told = OTHERS.iter().any(|(other, _)| file == Path::new(other));
    if is_ours || is_told || file.extension().is_none_or(|extension| extension != "rs") {
        return None;
    }
    let names = |engine: &&&str| {
        let path = format!("{}::", engine.replace('-', "_"));
        let starts = |at: usize| {
            let before = text[..at].chars().next_back();
            before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '_' | ':'))
        };
        text.match_indices(&path).any(|(at, _)| starts(at))
    };
    let engine = ENGINES.iter().find(names)?;
    Some(format!("{} uses {engine}: only {} match lessons", file.display(), MATCHERS.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_that_could_is_found_and_a_namesake_is_not() {
        let uses = concat!("use reg", "ex_automata::meta;");
        let packages = [json!({"name": MATCHERS[0], "manifest_path": "/w/matcher/Cargo.toml"})];
        let folders = matcher_folders(Path::new("/w"), &packages);
        let named = |file: &str, text: &str| named(Path::new(file), text, &folders);
        assert!(named("scanner/src/walk.rs", uses).is_some());
        assert_eq!(named("crates/text/src/redact.rs", uses), None);
        assert_eq!(named("matcher/src/pattern/mod.rs", uses), None);
        assert_eq!(named("README.md", uses), None);
        assert_eq!(named("cli/src/a.rs", "lessons_pattern::glob::x; my_regex::y"), None);
    }
}

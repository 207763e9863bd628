//! The rule about regex engines: lessons are matched in one place.
//!
//! One crate decides what a call matches, so that hook, replay, explain and test cannot disagree. Other crates that use
//! an engine for another search are listed here, file by file.

use std::path::Path;

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

/// The crate that matches lessons.
const MATCHES: &str = "lessons-core";

/// The files elsewhere that use an engine, with their crates and purposes.
const OTHERS: [(&str, &str, &str); 7] = [
    ("lessons-scanner", "scanner/src/echo/sieve.rs", "finds the lines that may hold a text"),
    ("lessons-scanner", "scanner/src/redact.rs", "finds secrets"),
    ("lessons-scanner", "scanner/src/redact/rules.rs", "finds secrets"),
    ("lessons-scanner", "scanner/src/trigger.rs", "its tests look at the patterns that it writes"),
    ("lessons-store", "store/src/forget/mod.rs", "finds a text that is to be forgotten"),
    ("lessons-store", "store/src/import/sample.rs", "makes an example from a pattern"),
    ("lessons-tests", "tests/tests/whole/frozen/sampling.rs", "makes calls from patterns"),
];

/// Finds crates that depend on an engine and are not listed.
pub(super) fn undeclared(packages: &[Value]) -> Vec<String> {
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        if name == MATCHES || OTHERS.iter().any(|(other, _, _)| *other == name) {
            continue;
        }
        let used = package["dependencies"].as_array().into_iter().flatten();
        let engines = used.filter_map(|used| used["name"].as_str()).filter(|used| ENGINES.contains(used));
        findings.extend(
            engines.map(|engine| {
                format!("{name} must not use {engine}: lessons are matched by {MATCHES} alone")
            }),
        );
    }
    findings
}

/// Finds an engine in a file that is not listed.
pub(super) fn named(file: &Path, text: &str) -> Option<String> {
    let is_ours = file.starts_with("core") || file.starts_with("fuzz");
    let is_told = OTHERS.iter().any(|(_, other, _)| file == Path::new(other));
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
    Some(format!("{} uses {engine}: lessons are matched by {MATCHES} alone", file.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_crate_that_could_match_lessons_by_itself_is_found() {
        let package = |name: &str, used: &str| json!({"name": name, "dependencies": [{"name": used}]});
        let good = [package("lessons-core", "regex-automata"), package("lessons-scanner", "regex-automata")];
        assert!(undeclared(&good).is_empty());
        let bad =
            [package("lessons-replay", "regex"), package("lessons-cli", "globset"), package("x", "serde")];
        assert_eq!(undeclared(&bad).len(), 2);
    }

    #[test]
    fn a_file_that_could_is_found_and_a_namesake_is_not() {
        let uses = concat!("use reg", "ex_automata::meta;");
        assert!(named(Path::new("scanner/src/walk.rs"), uses).is_some());
        assert_eq!(named(Path::new("scanner/src/redact.rs"), uses), None);
        assert_eq!(named(Path::new("core/src/pattern/mod.rs"), uses), None);
        assert_eq!(named(Path::new("README.md"), uses), None);
        assert_eq!(named(Path::new("cli/src/a.rs"), "lessons_core::pattern::glob::x; my_regex::y"), None);
    }
}

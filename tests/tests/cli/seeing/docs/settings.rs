//! docs/settings.md lists every setting with its default.

use std::collections::BTreeMap;
use std::fs;

use lessons_tests::env::TestEnv;

use super::shown;

/// The settings of a table in Markdown: `key` and `default` in the first two columns.
fn documented() -> BTreeMap<String, String> {
    let page = shown::read("docs/settings.md");
    let rows = page.lines().filter_map(|row| row.strip_prefix("| `")?.split_once("` | `"));
    rows.filter_map(|(key, rest)| Some((key.to_owned(), rest.split_once('`')?.0.to_owned()))).collect()
}

/// The settings that `lessons init` writes out.
fn written(env: &TestEnv) -> BTreeMap<String, String> {
    env.must(&["init"]);
    let text = fs::read_to_string(env.data().join("config.toml")).expect("the settings");
    let mut table = String::new();
    let mut settings = BTreeMap::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table = format!("{name}.");
        } else if let Some((key, value)) = line.split_once(" = ") {
            settings.insert(format!("{table}{key}"), value.to_owned());
        }
    }
    settings
}

#[test]
fn every_setting_is_documented_with_its_default() {
    let mut written = written(&TestEnv::new());
    assert!(written.len() > 12, "{written:?}");
    // `lessons reflect --nightly on` writes these, after it has asked.
    for (key, default) in [("reflect.nightly", "false"), ("reflect.command", r#""claude""#)] {
        assert_eq!(written.insert(key.to_owned(), default.to_owned()), None, "{key} is not written out");
    }
    assert_eq!(documented(), written);
}

//! The front matter of the skill and of the slash commands, as a YAML parser reads it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, iter};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let commands =
        fs::read_dir(root.join("commands")).expect("commands").map(|entry| entry.expect("a command").path());
    commands.chain(iter::once(root.join("skills/lessons/SKILL.md"))).collect()
}

#[test]
fn the_client_reads_every_field_of_front_matter_whole_and_as_text() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let front =
            text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("front matter").0;
        let written: BTreeMap<&str, &str> =
            front.lines().map(|line| line.split_once(": ").expect("a field")).collect();
        // Read as text, a list would be an error.
        let read: BTreeMap<String, String> =
            serde_saphyr::from_str(front).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        for (key, value) in written {
            let value = value.trim_matches('"');
            assert_eq!(read.get(key).map(String::as_str), Some(value), "{}: {key}", page.display());
        }
    }
}

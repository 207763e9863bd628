//! The verbs that there are, and the tests of this program.

use std::collections::BTreeSet;
use std::process::Command;

use lessons_tests::env::TestEnv;

/// The verbs of the command line: the words of the help that have a help of their own.
pub(super) fn verbs() -> BTreeSet<String> {
    let env = TestEnv::new();
    let help = env.must(&["--help"]);
    let words: BTreeSet<&str> = help.split(|c: char| !c.is_ascii_lowercase() && c != '-').collect();
    let words = words.into_iter().filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    words.filter(|word| env.lessons(&[*word, "--help"]).status.success()).map(str::to_owned).collect()
}

/// The names of the tests of this program.
pub(super) fn tests() -> Vec<String> {
    let listed = Command::new(std::env::current_exe().expect("this program")).arg("--list").output();
    let listed = String::from_utf8(listed.expect("this program").stdout).expect("text");
    listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

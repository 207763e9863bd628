//! The lists of verbs: those of every day, and all of them. Their descriptions are those of the verbs themselves.

use clap::{Command, CommandFactory as _, Subcommand as _};

use crate::verbs::{Cli, Verb};

/// The verbs of every day, as `lessons --help` shows them.
const EVERYDAY: &[&str] =
    &["status", "review", "list", "show", "add", "edit", "off", "explain", "undo", "doctor"];

/// Every verb in the order of the flow.
const ALL: [(&str, &[&str]); 5] = [
    (
        "See",
        &["status", "list", "show", "candidates", "report", "log", "query", "effect", "incidents", "stats"],
    ),
    (
        "Decide",
        &[
            "review", "promote", "reject", "reflect", "propose", "accept", "add", "edit", "retire", "merge",
            "restore", "off", "on", "measure", "undo", "trust", "untrust",
        ],
    ),
    ("Share", &["share", "unshare", "peers", "receive", "import", "export"]),
    ("Try", &["replay", "explain", "test", "validate", "doctor"]),
    (
        "Keep",
        &[
            "install",
            "uninstall",
            "agents",
            "scan",
            "build",
            "prune",
            "init",
            "mcp",
            "nightly",
            "schedule",
            "completions",
            "forget",
        ],
    ),
];

/// Every verb with a line about it, as `lessons help all` shows them.
pub fn overview() -> String {
    let verbs = Verb::augment_subcommands(Command::new("lessons"));
    ALL.map(|(title, names)| section(&verbs, title, names)).join("\n")
}

/// The verbs of every day with a line about each, and where the others are.
fn everyday() -> String {
    let verbs = Verb::augment_subcommands(Command::new("lessons"));
    let list = section(&verbs, "Every day", EVERYDAY);
    format!("{list}\n`lessons help all` lists every verb, `lessons help VERB` explains one.")
}

/// The command line with the verbs of every day in its help. Whoever only reads arguments does without: the list takes as
/// long as reading them does.
pub fn with_help() -> Command {
    Cli::command().after_help(everyday())
}

/// A title, and a line for each of these verbs.
fn section(verbs: &Command, title: &str, names: &[&str]) -> String {
    let line = |name: &&str| {
        let about = verbs.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<11} {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    format!("{title}\n{}", names.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_names_every_verb_once_and_no_other() {
        let verbs = Verb::augment_subcommands(Command::new("lessons"));
        let shown = verbs.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        let mut listed: Vec<&str> = ALL.iter().flat_map(|(_, names)| *names).copied().collect();
        shown.sort_unstable();
        listed.sort_unstable();
        assert_eq!(shown, listed);
        assert!(EVERYDAY.iter().all(|name| listed.contains(name)));
    }

    #[test]
    fn a_line_about_a_verb_fits_a_terminal_of_100_columns() {
        let texts = overview() + &everyday();
        let long: Vec<&str> = texts.lines().filter(|line| line.chars().count() > 100).collect();
        assert_eq!(long, [""; 0]);
    }
}

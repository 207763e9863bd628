//! The lists of verbs: those of every day, and all of them. Their descriptions are those of the verbs themselves.

use std::collections::BTreeMap;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, Subcommand as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::prelude::*;
use crate::ui::paint::Paint;
use crate::verbs::{Cli, Verb};

/// The verbs of every day, as `lessons --help` shows them.
const EVERYDAY: &str = "status review list show add edit off explain undo doctor";

/// Every verb in the order of the flow.
const ALL: [(&str, &str); 5] = [
    ("See", "status list show candidates report log query effect incidents stats"),
    (
        "Decide",
        "review promote reject reflect propose accept add edit retire merge restore off on measure undo trust untrust",
    ),
    ("Share", "share unshare peers receive import export"),
    ("Try", "replay explain test validate doctor"),
    ("Keep", "install uninstall agents scan build prune init mcp nightly schedule completions forget"),
];

/// Every verb with a line about it, as `lessons help all` shows them.
pub fn every_verb() -> String {
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
fn section(verbs: &Command, title: &str, names: &str) -> String {
    let line = |name| {
        let about = verbs.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<11} {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    format!("{title}\n{}", names.split(' ').map(line).collect::<String>())
}

/// The name of the main man page.
const MAIN: &str = "lessons";

/// The output of a verb that only describes the command line; `None` for every other verb.
pub fn of(verb: &Verb, output: Output) -> Option<Result<String, Refused>> {
    match (verb, output) {
        (Verb::Completions { shell }, _) => Some(Ok(completions(*shell))),
        (Verb::Help { verb }, _) => Some(help(verb.as_deref())),
        (Verb::Man { verb: None }, Output::Json) => {
            let pages: BTreeMap<String, String> =
                pages().into_iter().map(|(name, page)| (format!("{name}.1"), page)).collect();
            // A map of strings always serialises.
            Some(Ok(serde_json::to_string_pretty(&pages).unwrap_or_default() + "\n"))
        }
        (Verb::Man { verb }, _) => Some(page(verb.as_deref())),
        _ => None,
    }
}

/// The help of `lessons` or of one verb, as `--help` prints it, or the list of all verbs.
fn help(verb: Option<&str>) -> Result<String, Refused> {
    if verb == Some("all") {
        return Ok(format!("{}\n`lessons help VERB` explains a verb.\n", every_verb()));
    }
    let words = std::iter::once(MAIN).chain(verb).chain(std::iter::once("--help"));
    let printed = with_help().try_get_matches_from(words).err();
    let help = printed.filter(|error| error.kind() == ErrorKind::DisplayHelp);
    let help = help.ok_or_else(|| no_verb(verb.unwrap_or_default()))?.render();
    Ok(match Paint::of_stdout() {
        Paint::Colours => help.ansi().to_string(),
        Paint::Plain => help.to_string(),
    })
}

fn no_verb(verb: &str) -> Refused {
    Refused(format!("there is no verb `{}`; `lessons help all` names them", line(verb)))
}

fn completions(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), MAIN, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn page(verb: Option<&str>) -> Result<String, Refused> {
    let name = verb.map_or_else(|| MAIN.to_owned(), |verb| format!("{MAIN}-{verb}"));
    pages().remove(&name).ok_or_else(|| no_verb(verb.unwrap_or_default()))
}

/// All man pages by name: `lessons`, `lessons-VERB` for each verb in the help, and `lessons-VERB-VERB` for its
/// subcommands.
fn pages() -> BTreeMap<String, String> {
    let mut command = with_help();
    // Computes the full names of subcommands.
    command.build();
    let mut pages = BTreeMap::new();
    let mut waiting = vec![(MAIN.to_owned(), &command)];
    while let Some((name, command)) = waiting.pop() {
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help");
        waiting.extend(verbs.map(|verb| (format!("{name}-{}", verb.get_name()), verb)));
        pages.insert(name, rendered(command));
    }
    pages
}

fn rendered(command: &Command) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = Man::new(command.clone()).render(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn the_overview_names_every_verb_once_and_no_other() {
        let verbs = Verb::augment_subcommands(Command::new("lessons"));
        let shown = verbs.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        let mut listed: Vec<&str> = ALL.iter().flat_map(|(_, names)| names.split(' ')).collect();
        shown.sort_unstable();
        listed.sort_unstable();
        assert_eq!(shown, listed);
        assert!(EVERYDAY.split(' ').all(|name| listed.contains(&name)));
    }

    #[test]
    fn a_line_about_a_verb_fits_a_terminal_of_100_columns() {
        let texts = every_verb() + &everyday();
        let long: Vec<&str> = texts.lines().filter(|line| line.chars().count() > 100).collect();
        assert_eq!(long, [""; 0]);
    }

    #[test]
    fn every_verb_has_a_page_with_its_options() {
        let pages = pages();
        for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
            assert!(pages.contains_key(&format!("lessons-{}", verb.get_name())), "{}", verb.get_name());
        }
        assert!(
            pages["lessons-schedule"].contains("lessons\\-schedule\\-install(1)"),
            "{}",
            pages["lessons-schedule"]
        );
        assert!(pages["lessons-schedule-install"].contains(".TH "));
        assert!(pages["lessons"].contains("lessons\\-add(1)"), "{}", pages["lessons"]);
        let add = &pages["lessons-add"];
        assert!(add.contains("lessons\\-add") && add.contains("\\-\\-trigger"), "{add}");
        assert!(pages.values().all(|page| page.contains(".TH ")));
    }

    #[test]
    fn every_shell_completes_verbs_and_options() {
        for shell in Shell::value_variants() {
            let text = completions(*shell);
            assert!(text.contains("candidates") && text.contains("scope-project"), "{shell}");
        }
    }
}

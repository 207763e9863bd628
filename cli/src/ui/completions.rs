//! Help, shell completions and man pages, generated from [`crate::args`], so that they always match the program.

use std::collections::BTreeMap;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use lessons_context::error::Refused;
use lessons_text::neutral::line;

use crate::app::Output;
use crate::ui::overview;
use crate::ui::paint::Paint;
use crate::verbs::{Cli, Verb};

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
        return Ok(format!("{}\n`lessons help VERB` explains a verb.\n", overview::overview()));
    }
    let words = std::iter::once(MAIN).chain(verb).chain(std::iter::once("--help"));
    let printed = overview::with_help().try_get_matches_from(words).err();
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
    let mut command = overview::with_help();
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

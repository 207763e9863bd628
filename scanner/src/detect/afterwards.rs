//! **Asked for afterwards**: the agent did its work, the person asked for one thing more, and the agent did it: `npx prettier`
//! after "you forgot prettier". Session after session it is a demand, whatever words and language it is put into: the word
//! that prompt and call share, and that the calls before lacked, says which one.

use lessons_ledger::Proposal;

use super::acts::is_of_act;
use super::command::Command;
use super::demand;
use super::draft::{Cleaner, Draft};
use super::history::{Event, Prompt, Step};
use super::sentence::sentences;
use super::spoken::PASSING;
use super::switched::names;
use super::triggers::{command_trigger, on_command, option};
use crate::tag::trigger::operands::is_option;

/// The calls after the prompt among which the one that was asked for is looked for.
const SOON: usize = 3;
/// The shortest name of a program or a file that counts, in bytes.
const SHORTEST: usize = 4;

/// What was asked for.
enum Asked {
    /// A program that was to run.
    Program(Command),
    /// An option of a program.
    Option(Command, String),
    /// A file that was to be written, by its name.
    File(String),
}

/// Looks for something in the last call that the last prompt asked for, and that the work before it lacked.
pub(super) fn look(events: &[Event]) -> Option<Draft<'_>> {
    let (Event::Step(done), before) = events.split_last()? else { return None };
    let at = before.iter().rposition(|event| event.step().is_none())?;
    let (Event::Typed(prompt), after) = before.get(at..)?.split_first()? else { return None };
    if after.len() >= SOON || !done.is_done() || prompt.text.chars().nth(PASSING).is_some() {
        return None;
    }
    let work = || before[..at].iter().rev().map_while(Event::step);
    if !work().any(|step| step.writes() && step.is_done()) || sentences(&prompt.text).is_empty() {
        return None;
    }
    let words: Vec<String> = words_of(&prompt.text).collect();
    let asked = Asked::of(done, &words).find(|asked| !work().any(|step| asked.is_in(step)))?;
    Some(asked.into_draft(prompt))
}

/// The words of a prompt: those that may name programs and files, and options.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let options = text.split_whitespace().filter(|word| is_option(word)).map(str::to_owned);
    names(text).chain(options)
}

/// The name of the file that a call writes, in lower case.
fn file_name(step: &Step) -> Option<String> {
    let path = step.call().path.as_deref().filter(|_| step.writes())?;
    Some(path.rsplit(['/', '\\']).next()?.to_lowercase())
}

impl Asked {
    /// What a call has that these words name.
    fn of(step: &Step, words: &[String]) -> impl Iterator<Item = Self> {
        let names =
            |word: &str| word.len() >= SHORTEST && !is_of_act(word) && words.iter().any(|own| own == word);
        let is_named = |file: &String| names(file) || file.split('.').next().is_some_and(names);
        // What is to be written down is a rule of its own.
        let file = file_name(step).filter(|file| is_named(file) && !step.may_write_memory());
        let commands = step.clean_line().map(Command::all).unwrap_or_default();
        let commands =
            commands.into_iter().filter(|command| !command.inspects()).filter_map(move |command| {
                let option = command.options().find(|option| words.iter().any(|own| own == option));
                match option.map(str::to_owned) {
                    Some(option) => Some(Self::Option(command, option)),
                    None => {
                        command.start().to_lowercase().split(' ').any(names).then_some(Self::Program(command))
                    }
                }
            });
        file.map(Self::File).into_iter().chain(commands)
    }

    /// Whether a call has it.
    fn is_in(&self, step: &Step) -> bool {
        let runs = |has: &dyn Fn(&Command) -> bool| {
            step.line().is_some_and(|line| Command::all(line).iter().any(has))
        };
        match self {
            Self::Program(asked) => runs(&|command| command.start() == asked.start()),
            Self::Option(asked, option) => {
                runs(&|command| command.name == asked.name && command.options().any(|own| own == option))
            }
            Self::File(name) => file_name(step).as_ref() == Some(name),
        }
    }

    fn into_draft(self, prompt: &Prompt) -> Draft<'_> {
        let (asked, proposal) = match self {
            Self::Program(command) => {
                (format!("Run `{}` too before you are done", command.start()), Proposal::default())
            }
            Self::Option(command, name) => {
                let unless = vec![command_trigger(option(&name))];
                let proposal = Proposal { unless, ..on_command(command.start_pattern()) };
                (format!("Run `{}` with `{name}`", command.start()), proposal)
            }
            Self::File(name) => (format!("Update `{name}` too before you are done"), Proposal::default()),
        };
        // The prompt may be a demand in its own words as well. Here prompt and call agree.
        let draft = demand::draft(&prompt.origin, &prompt.text, &asked, proposal, Cleaner::default());
        Draft { order: 1, is_strong: true, ..draft }
    }
}

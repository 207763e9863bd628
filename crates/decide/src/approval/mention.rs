//! The difference between commands that touch guarded files and commands that only mention them.

use std::collections::BTreeSet;

use super::folder::WorkingFolders;
use super::guarded::GuardedFile;
use super::names::GuardedNames;
use lessons_shell::programs::has_role;
use lessons_shell::{
    CommandContext, ParentCommand, PipelinePosition, ProgramRole, Redirection, Script, SimpleCommand, Word,
    program_name,
};

/// The guarded file that a command line touches. A plain read or a mere mention is none. `folders` is the state at the
/// start of the line.
pub(super) fn touched(
    script: &Script,
    names: &GuardedNames,
    mut folders: WorkingFolders<'_>,
) -> Option<GuardedFile> {
    if script.commands.iter().all(is_plain_read) {
        return None;
    }
    let piped: BTreeSet<Option<ParentCommand>> = script
        .commands
        .iter()
        .filter(|command| command.pipeline_position == PipelinePosition::Later)
        .map(|command| command.parent)
        .collect();
    script.commands.iter().find_map(|command| {
        let to_nobody = !piped.contains(&command.parent);
        let talks = to_nobody && command.context != CommandContext::Nested;
        let words = command.words.iter().enumerate();
        let words = words.filter(|(index, word)| !is_talk(command, *index, word, talks));
        let message = to_nobody && name_of(command) == "cat" && is_message(script, command);
        let data = message || talks && stores_its_input(command);
        let read = command.redirections.iter().filter_map(|redirection| match &redirection.body {
            Some(body) => (!data).then_some(body),
            None => redirection.target.as_ref(),
        });
        let others: Vec<&Word> = command.assignments.iter().chain(read).collect();
        let own_folder = own_folder(command).map(|target| {
            let mut folders = folders.clone();
            folders.enter(target);
            folders
        });
        let here = own_folder.as_ref().unwrap_or(&folders);
        let touched = words
            .clone()
            .map(|(_, word)| word)
            .chain(others.iter().copied())
            .find_map(|word| names.named(word.text()))
            .or_else(|| {
                // A program is looked up on the PATH, not in the working folder.
                let operands = words.filter(|(index, _)| *index > command.prefix).map(|(_, word)| word);
                operands.chain(others).find_map(|word| here.named_in(word.text()))
            });
        if let Some(target) = goes_to(command) {
            folders.enter(target);
        }
        touched
    })
}

/// The target of a `cd`. `None` for other commands and for `cd -`.
fn goes_to(command: &SimpleCommand) -> Option<&str> {
    let (program, rest) = command.program().split_first()?;
    if !matches!(program.text(), "cd" | "chdir" | "pushd") {
        return None;
    }
    let target = rest.iter().map(Word::text).find(|word| *word == "-" || !word.starts_with('-'));
    // `cd -` returns to a folder that is known already.
    target.map_or(Some("~"), |target| (target != "-").then_some(target))
}

/// The folder that an option names as the command's working folder: `git -C folder add x`.
fn own_folder(command: &SimpleCommand) -> Option<&str> {
    let mut words = command.words.iter().map(Word::text);
    words.find(|word| matches!(*word, "-C" | "--directory" | "--chdir")).and_then(|_| words.next())
}

/// Whether a command is `cat`, `ls`, `git log` or the like, alone or in a pipeline of such, and writes to no file. A
/// `lessons` that reaches this check only reads.
fn is_plain_read(command: &SimpleCommand) -> bool {
    let plain = matches!(command.context, CommandContext::Alone | CommandContext::Pipeline)
        && command.prefix == 0
        && command.assignments.is_empty()
        && command.redirections.iter().all(writes_nowhere);
    let Some((program, rest)) = command.words.split_first() else { return false };
    let rest: Vec<&str> = rest.iter().map(Word::text).collect();
    plain
        && match program_name(program.text()) {
            "lessons" => true,
            "rg" => !rest.iter().any(|word| word.starts_with("--pre") || word.starts_with("--hostname-bin")),
            "git" => {
                // git accepts unambiguous prefixes of long options.
                matches!(git_verb(&rest), Some("diff" | "log" | "show"))
                    && !rest.iter().any(|word| word.starts_with("--out") || word.starts_with("--ext"))
            }
            name => has_role(name, ProgramRole::PlainReader),
        }
}

/// The verb of `git`, after the two options that agents put before it.
fn git_verb<'a>(words: &[&'a str]) -> Option<&'a str> {
    match words {
        ["--no-pager", rest @ ..] | ["-C", _, rest @ ..] => git_verb(rest),
        [verb, ..] => Some(verb),
        [] => None,
    }
}

fn writes_nowhere(redirection: &Redirection) -> bool {
    let target = redirection.target.as_ref().map(Word::text);
    match redirection.operator.as_str() {
        "<" | "<<" | "<<-" | "<<<" | "<&" => true,
        ">&" => {
            target.is_some_and(|target| target == "-" || target.bytes().all(|byte| byte.is_ascii_digit()))
        }
        ">" | ">>" | "&>" | "&>>" => target == Some("/dev/null"),
        _ => false,
    }
}

fn name_of(command: &SimpleCommand) -> &str {
    command.program().first().map_or("", |word| program_name(word.text()))
}

/// Whether a word only mentions a file: text with white space that is a message, or that `echo` prints. `talks`
/// says that the output of the command goes to no other command.
fn is_talk(command: &SimpleCommand, index: usize, word: &Word, talks: bool) -> bool {
    let prints = talks && has_role(name_of(command), ProgramRole::Prints) && index > command.prefix;
    word.text().contains(char::is_whitespace) && (prints || is_message_word(command, index))
}

/// Whether the command only stores or sends the heredoc that it reads.
fn stores_its_input(command: &SimpleCommand) -> bool {
    let name = name_of(command);
    name == "git" || has_role(name, ProgramRole::CopiesInput) || has_role(name, ProgramRole::Forge)
}

/// Whether a command is a substitution in the message of another command.
fn is_message(script: &Script, command: &SimpleCommand) -> bool {
    command
        .parent
        .and_then(|parent| Some((script.commands.get(parent.command)?, parent.word?)))
        .is_some_and(|(outer, word)| is_message_word(outer, word))
}

/// Whether the word at `index` is the value of an option that takes a message.
fn is_message_word(command: &SimpleCommand, index: usize) -> bool {
    let name = name_of(command);
    let options: &[&str] = if has_role(name, ProgramRole::VersionControl) {
        &["-m", "--message"]
    } else if has_role(name, ProgramRole::Forge) {
        &["-b", "--body", "-t", "--title", "-d", "--description", "-n", "--notes", "-c", "--comment"]
    } else {
        return false;
    };
    let word = command.words.get(index).map_or("", Word::text);
    let before = index.checked_sub(1).filter(|before| *before > command.prefix);
    let before = before.and_then(|before| command.words.get(before)).map_or("", Word::text);
    let short_git = options.contains(&"-m")
        && before.ends_with('m')
        && before
            .strip_prefix('-')
            .is_some_and(|letters| letters.bytes().all(|byte| byte.is_ascii_lowercase()));
    let attached = options.iter().any(|option| {
        word.strip_prefix(option).is_some_and(|rest| {
            if option.starts_with("--") { rest.starts_with('=') } else { !rest.is_empty() && *option == "-m" }
        })
    });
    options.contains(&before) || short_git || attached
}

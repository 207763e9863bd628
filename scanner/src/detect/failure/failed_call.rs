//! A call that failed: the command of its line that did, and the class of its error.

use lessons_shell::programs::has_role;
use lessons_shell::{CommandLine, ProgramRole, runs_elsewhere};

use crate::detect::command::Command;
use crate::detect::command::options::lists;
use crate::detect::failure;
use crate::tag::trigger::operands::is_option;
use crate::transcript::{CallEnd, ToolCall, complains_of_word};

/// The tools of the client whose errors say all there is to say.
const OF_CLIENT: &str = "Agent AskUserQuestion Edit ExitPlanMode Glob Grep LS MultiEdit NotebookEdit Read Task TaskCreate \
     TaskOutput TaskUpdate TodoWrite WebFetch WebSearch Write";

/// The exit code of `ssh` where it got nowhere itself.
const OF_SSH: u8 = 255;

/// What is known of a call that failed.
#[derive(Debug)]
pub(crate) struct FailedCall {
    /// The simple command of its line that failed; `None` for a call of another tool.
    pub(crate) command: Option<Command>,
    /// The start of what runs that command in a container or on another machine: `docker exec`.
    pub(crate) within: Option<String>,
    /// Whether it is an answer and no mistake of the call, unless another form of the call got past it.
    pub(crate) is_answer: bool,
    /// The option or subcommand of it that the error says to be none.
    pub(crate) misused: Option<String>,
    /// What the failures of one reason have in common. Empty where the error does not tell: then only its way out does.
    pub(crate) class: String,
}

impl FailedCall {
    /// What is known of a call that ended so and said this. `None` where it succeeded, or where its error is told elsewhere or
    /// passes by itself. `clean_line` gives its command line without secrets, since triggers are made of it.
    pub(crate) fn of<'l>(
        call: &ToolCall,
        end: &CallEnd,
        text: &str,
        clean_line: impl FnOnce() -> Option<&'l str>,
    ) -> Option<Self> {
        // What prints a file or a log may print an error and be none.
        let may_be_none = matches!(end, CallEnd::Masked(_)) && !complains_of_word(text);
        if may_be_none && !call.command.as_deref().is_some_and(hides_its_end) {
            return None;
        }
        let code = if let CallEnd::Failed { code, .. } = end { *code } else { None };
        if lists(OF_CLIENT, &call.tool) || failure::is_of_shell(text) || failure::is_passing(text) {
            return None;
        }
        let command = match clean_line() {
            Some(line) => Some(culprit(line, text, code)?),
            None => None,
        };
        let runs_it =
            |outer: &Command, inner: &Command| runs_elsewhere(&outer.name) && outer.name != inner.name;
        let outer = call.command.as_deref().and_then(|line| Command::all(line).pop());
        let is_within = |outer: &Command| command.as_ref().is_some_and(|inner| runs_it(outer, inner));
        let within = outer.filter(is_within).map(|outer| outer.start());
        let is_misuse = failure::is_misuse(text);
        // What a program of the project takes changes every day.
        let public = command.as_ref().filter(|command| is_misuse && !command.is_local);
        let misused = public.and_then(|command| {
            let word = command.word_named(failure::telling_line(text)?)?;
            // The options of a script belong to the project as well.
            let is_of_script = is_option(&word) && has_role(&command.program, ProgramRole::Interpreter);
            (!is_of_script).then_some(word)
        });
        let class = match &command {
            Some(command) if let Some(word) = &misused => format!("{} {word}", command.program),
            // It says nothing but which program did not end.
            Some(command) if failure::timed_out(text) => format!("{} timed out", command.about()),
            _ => failure::class(text).unwrap_or_default(),
        };
        let answers = |command: &Command| !is_misuse && failure::is_an_answer(command, text, code);
        let is_answer = class.is_empty() || command.as_ref().is_some_and(answers);
        Some(Self { command, within, is_answer, misused, class })
    }
}

/// Whether a line ends well whatever happens in it: behind a pipe, `|| true`, `; echo $?`.
fn hides_its_end(line: &str) -> bool {
    let all = Command::every(line);
    let is_of_others = |last: &Command| last.inspects();
    all.len() > 1 && all.last().is_some_and(is_of_others) && !all.iter().all(Command::inspects)
}

/// The simple command of a line that an error is about: the one that it names, else the last; of a program that runs another
/// one elsewhere, that one.
fn culprit(line: &str, text: &str, code: Option<u8>) -> Option<Command> {
    let said = failure::telling_line(text)?;
    let is_named = |command: &Command| names(said, &command.name);
    let own = Command::every(line);
    if let Some(launcher) = own.iter().find_map(|command| launcher_named(command, said)) {
        return Some(launcher);
    }
    if let Some(named) = own.iter().find(|command| is_named(command)) {
        return Some(named.clone());
    }
    // `wrap cat -A`, of which `cat` says that it takes no `-A`.
    let program = said.split(':').next().unwrap_or_default();
    let inner = |command: &Command| {
        let words = command.words();
        let at = words.iter().skip(1).position(|word| *word == program)?;
        Command::read(&words[at + 1..].join(" "))
    };
    let starts_here = |command: &&Command| !runs_elsewhere(&command.name);
    if let Some(inner) = own.iter().filter(starts_here).find_map(inner) {
        return Some(inner);
    }
    // `git revert --no-edits; git log`: the last one that has the option which is none.
    let has_option = |command: &&Command| command.word_named(said).is_some_and(|word| is_option(&word));
    if let Some(command) = own.iter().rev().find(has_option).filter(|_| failure::is_misuse(text)) {
        return Some(command.clone());
    }
    let main = Command::all(line).pop()?;
    let elsewhere = own.iter().any(|command| runs_elsewhere(&command.name)).then(|| {
        let read = CommandLine::new(line).invocations();
        let read = read.iter().filter_map(|text| Command::read(text));
        read.filter(|command| own.iter().all(|own| own.name != command.name)).collect::<Vec<_>>()
    });
    let mut elsewhere = elsewhere.unwrap_or_default();
    if let Some(at) = elsewhere.iter().position(is_named) {
        return Some(elsewhere.swap_remove(at));
    }
    // It did not get there: with the code that says so, or where the error is about the place.
    let is_of_place = |word: &str| {
        let word = word.rsplit('@').next().unwrap_or(word);
        !word.contains(' ') && (names(said, word) || said.ends_with(&format!(": {word}")))
    };
    let failed_itself =
        code == Some(OF_SSH) && main.name == "ssh" || main.operands().next().is_some_and(is_of_place);
    elsewhere.pop().filter(|_| runs_elsewhere(&main.name) && !failed_itself).or(Some(main))
}

/// Whether a line names a word close to its start.
fn names(said: &str, word: &str) -> bool {
    said.split([':', ' ', '@', '\'', '`', '"']).filter(|own| !own.is_empty()).take(6).any(|own| own == word)
}

/// The program that starts the one of a command, where an error names it in the place of that: `timeout` of `timeout 60 npm
/// test`. What an interpreter says is about the program that it starts.
fn launcher_named(command: &Command, said: &str) -> Option<Command> {
    let is_named = |word: &&String| names(said, word) && !has_role(word, ProgramRole::Interpreter);
    let name = command.launcher.iter().find(is_named).filter(|_| !names(said, &command.name))?;
    Some(Command {
        text: command.text.clone(),
        name: name.clone(),
        program: name.clone(),
        ..Command::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_failed_is_looked_for_where_it_runs() {
        let culprit = |line, error| culprit(line, error, None).map(|command| command.start());
        let denied = "psql: error: connection to server failed: FATAL: Peer authentication failed";
        let no_table = "ERROR: relation \"measurements\" does not exist";
        for (line, error, expected) in [
            ("ssh root@host 'psql -U postgres -c \"select 1\"'", denied, "psql"),
            ("ssh root@host 'cd /srv && psql db -c \"select 1\"'", no_table, "psql"),
            ("docker exec odoo18 pytest tests", "usage: unknown option", "pytest"),
            ("cd /srv && npm run build", "missing script", "npm run build"),
            ("wrap proxy cat -A a.rs | sed -n 1p", "cat: illegal option -- A", "cat"),
            ("git revert --no-edits a; git log -1", "error: unknown option `no-edits'", "git revert"),
            ("git log --short && git diff --short", "error: unknown option `short'", "git diff"),
        ] {
            assert_eq!(culprit(line, error).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_wrapper_that_got_nowhere_is_what_failed() {
        let failed = |line, error, code| {
            let command = culprit(line, error, code).unwrap();
            command.start()
        };
        for (line, error, code, expected) in [
            ("ssh box 'cd app && make all'", "Host key verification failed.", Some(255), "ssh"),
            ("ssh ann@box 'yarn build'", "ann@box: Permission denied (publickey).", None, "ssh"),
            ("docker exec db-1 psql -l", "Error: No such container: db-1", Some(1), "docker exec"),
            (
                "docker exec db-1 psql -l",
                "Error response from daemon: No such container: db-1",
                Some(1),
                "docker exec",
            ),
            ("timeout 9 yarn build", "zsh: command not found: timeout", Some(127), "timeout"),
            ("sudo yarn build", "sudo: a terminal is required to read the password", Some(1), "sudo"),
            ("timeout 9 yarn build", "timeout: failed to run command 'yarn'", Some(127), "yarn build"),
        ] {
            assert_eq!(failed(line, error, code), expected, "{line}");
        }
    }
}

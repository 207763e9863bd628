//! Wrappers: programs that run other programs, and how their words say which.

use super::embedded;
use super::known::{KnownProgram, ProgramRole, StartMethod, WrapperOptions, names};
use super::programs::{has_role, known};
use super::runner::{self, Reach, Started};

/// The commands that the words of a simple command start.
#[derive(Debug, Default)]
pub(super) struct StartedCommands {
    /// The number of words in front of the program: `sudo`, `env A=1`, `timeout 5`.
    pub(super) prefix: usize,
    /// The commands and texts that the program runs in turn.
    pub(super) started: Vec<(Started, Reach)>,
}

/// The most commands that start each other before the search stops.
const MAX_DEPTH: usize = 8;

/// Finds what the words of one simple command start.
pub(super) fn started_by(words: &[&str]) -> StartedCommands {
    let mut found = StartedCommands::default();
    let mut open = vec![(0..words.len(), 0usize, Reach::Here)];
    while let Some((range, depth, reach)) = open.pop() {
        let slice = words.get(range.clone()).unwrap_or_default();
        let before = found.started.len();
        let program = count_wrapper_words(slice, &mut found.started);
        if depth == 0 {
            found.prefix = program.min(words.len());
        }
        let start = range.start + program;
        if let Some(slice) = slice.get(program..).filter(|slice| !slice.is_empty()) {
            find_started(slice, start, &mut found.started);
        }
        for (started, inner) in found.started.iter_mut().skip(before) {
            if reach == Reach::Behind {
                *inner = Reach::Behind;
            }
            if let Started::Command(range) = started
                && depth < MAX_DEPTH
            {
                open.push((range.clone(), depth + 1, *inner));
            }
        }
    }
    found
}

/// The text that `echo` or `printf` writes, roughly: its words, with escapes and formats as they were typed.
pub(super) fn printed_text(words: &[&str]) -> Option<String> {
    let (name, rest) = words.split_first()?;
    has_role(program_name(name), ProgramRole::Prints).then(|| {
        let options = rest.iter().take_while(|word| is_option_cluster(word, b"neE")).count();
        rest.get(options..).unwrap_or_default().join(" ")
    })
}

/// The name of a program without its folder and without the `.exe` of Windows.
pub fn program_name(word: &str) -> &str {
    let name = word.rsplit_once('/').map_or(word, |(_, name)| name);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Whether a program runs what it reads, in a language of its own: `psql`.
pub(super) fn runs_input(word: &str) -> bool {
    has_role(program_name(word), ProgramRole::RunsInput)
}

/// The commands that the code which a program reads hands to a shell.
pub(super) fn calls_in(word: &str, code: &str) -> Vec<String> {
    started_program(program_name(word))
        .map_or_else(Vec::new, |program| embedded::shell_calls(code, program.code.1))
}

/// Whether a program starts commands in containers or on other machines.
pub fn runs_elsewhere(word: &str) -> bool {
    matches!(start_method(program_name(word)), StartMethod::Container(_) | StartMethod::Remote(_))
}

/// Whether a program only runs the rest of its words, repeatedly or with more arguments: `xargs`.
pub(super) fn repeats_a_command(word: &str) -> bool {
    matches!(start_method(word), StartMethod::RestRepeated(_))
}

/// Whether a word is `-` and then some of these letters only.
fn is_option_cluster(word: &str, letters: &[u8]) -> bool {
    word.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|letter| letters.contains(&letter)))
}

/// The number of words in front of the program that really runs.
fn count_wrapper_words(words: &[&str], found: &mut Vec<(Started, Reach)>) -> usize {
    let mut at = 0;
    while let Some(name) = words.get(at).map(|word| program_name(word))
        && let StartMethod::Rest(own) = start_method(name)
    {
        match wrapper_words(name, own, words.get(at + 1..).unwrap_or_default()) {
            WrapperWords::Count(count) => at += 1 + count,
            WrapperWords::Text(text) => {
                found.push((Started::Text(text), Reach::Here));
                return words.len();
            }
            WrapperWords::All => return at,
        }
    }
    at
}

/// The way in which the program of this name starts another command.
fn start_method(name: &str) -> StartMethod {
    started_program(name).map_or(StartMethod::Nothing, |program| program.start_method)
}

/// The known program of this name; a version belongs to the name of `python3.12` only.
fn started_program(name: &str) -> Option<&'static KnownProgram> {
    known(name).or_else(|| {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        known(bare).filter(|_| bare == "python")
    })
}

/// The words that are a wrapper's own.
enum WrapperWords {
    /// The number of options and operands.
    Count(usize),
    /// The text that holds the command.
    Text(String),
    /// All words belong to the program, which runs nothing: `command -v x`.
    All,
}

/// The words of a wrapper that are its own, given the words after its name.
fn wrapper_words(name: &str, own: WrapperOptions, words: &[&str]) -> WrapperWords {
    let mut at = 0;
    let mut operands = usize::from(own.operands);
    while let Some(word) = words.get(at) {
        match (name, *word) {
            (_, "--") => {
                at += 1;
                return WrapperWords::Count((at + operands).min(words.len()));
            }
            ("command", "-v" | "-V") => return WrapperWords::All,
            ("flock", "-c" | "--command") | ("env", "-S" | "--split-string") => {
                return WrapperWords::Text(words.get(at + 1).copied().unwrap_or_default().to_owned());
            }
            ("env", text) if text.starts_with("--split-string=") => {
                return WrapperWords::Text(text.split_once('=').map_or("", |(_, text)| text).to_owned());
            }
            (_, option) if option.len() > 1 && option.starts_with('-') => {
                at += if own.takes_value(option) { 2 } else { 1 };
            }
            ("env" | "cross-env" | "sudo" | "doas", text) if super::syntax::assigns(text) => at += 1,
            ("env", "-") => at += 1,
            _ if operands > 0 => {
                operands -= 1;
                at += 1;
            }
            _ => break,
        }
    }
    WrapperWords::Count(at.min(words.len()))
}

/// Adds what the program `words[0]` starts. `start` is the index of these words in the whole command.
fn find_started(words: &[&str], start: usize, found: &mut Vec<(Started, Reach)>) {
    let Some((name, rest)) = words.split_first() else { return };
    let name = program_name(name);
    let Some(program) = started_program(name) else { return };
    let (options, calls) = program.code;
    let mut code = rest.iter().skip_while(|word| word.starts_with('-') && !names(options, word));
    if code.next().is_some_and(|word| names(options, word))
        && let Some(code) = code.next()
    {
        let calls = embedded::shell_calls(code, calls).into_iter();
        found.extend(calls.map(|call| (Started::Text(call), Reach::Here)));
    }
    let here = |started| (started, Reach::Here);
    let command = |at: usize| Started::Command(start + 1 + at..start + words.len());
    let joined = |at: usize| here(Started::Text(rest.get(at..).unwrap_or_default().join(" ")));
    // `heroku run "rails console"` and `tmux new "npm test"` hand a text to a shell.
    let behind = |at: usize| match rest.get(at) {
        Some(text) if text.contains(char::is_whitespace) => {
            (Started::Text((*text).to_owned()), Reach::Behind)
        }
        _ => (command(at), Reach::Behind),
    };
    let started = match program.start_method {
        StartMethod::Shell => shell(rest).map(here),
        StartMethod::RestRepeated(own) => runner::operands_end(rest, 0, own).map(command).map(here),
        StartMethod::RestAsText(own) => match wrapper_words(name, own, rest) {
            WrapperWords::Count(count) => Some(joined(count)),
            WrapperWords::Text(_) | WrapperWords::All => None,
        },
        StartMethod::WordsAsText => Some(joined(usize::from(rest.first() == Some(&"--")))),
        StartMethod::FirstOperandAsText => {
            let text = rest.iter().find(|word| !word.starts_with('-'));
            text.map(|text| here(Started::Text((*text).to_owned())))
        }
        StartMethod::CommandOption => {
            command_option(rest).map(here).or_else(|| runner::behind_dashes(rest).map(behind))
        }
        StartMethod::Sources => (rest.first() == Some(&"/dev/stdin")).then_some(here(Started::Input)),
        StartMethod::ExecOption => {
            find_exec_commands(rest, start + 1, found);
            None
        }
        StartMethod::Container(own) => container_shell(rest)
            .map(here)
            .or_else(|| runner::launched(rest, runner::CONTAINER_VERBS, own).map(behind)),
        StartMethod::Launches(verbs, own) => runner::launched(rest, verbs, own).map(behind),
        StartMethod::LaunchesOperand(verbs, own) => {
            runner::launched(rest, verbs, own).or_else(|| runner::operands_end(rest, 0, own)).map(behind)
        }
        StartMethod::LaunchesOption(options, own) => {
            let option = rest.iter().position(|word| names(options, word));
            let first = runner::operands_end(rest, 0, own).unwrap_or(rest.len());
            option.filter(|at| *at < first && at + 1 < rest.len()).map(|at| behind(at + 1))
        }
        StartMethod::Remote(own) => runner::remote(rest, own, behind),
        StartMethod::Rest(_) | StartMethod::Nothing => None,
    };
    found.extend(started);
}

/// The commands that a shell reads, given the words after its name; `None` for a script file.
fn shell(words: &[&str]) -> Option<Started> {
    let mut at = 0;
    let mut has_text = false;
    let mut reads = false;
    while let Some(word) = words.get(at) {
        at += match *word {
            "--" | "-" => {
                at += 1;
                break;
            }
            "--rcfile" | "--init-file" => 2,
            "--command" => {
                has_text = true;
                1
            }
            option if option.starts_with("--") => 1,
            option if option.len() > 1 && option.starts_with(['-', '+']) => {
                has_text |= option.starts_with('-') && option.contains('c');
                reads |= option.starts_with('-') && option.contains('s');
                // These letters take a value: `-o pipefail`, `-O extglob`.
                if option.ends_with(['o', 'O']) { 2 } else { 1 }
            }
            _ => break,
        };
    }
    match words.get(at) {
        Some(text) if has_text => Some(Started::Text((*text).to_owned())),
        Some(&"/dev/stdin") => Some(Started::Input),
        Some(_) if !reads => None,
        _ => (!has_text).then_some(Started::Input),
    }
}

/// The value of `-c`, anywhere among the words.
fn command_option(words: &[&str]) -> Option<Started> {
    let at = words.iter().position(|word| {
        matches!(*word, "--command" | "--run")
            || word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
    })?;
    words.get(at + 1).map(|text| Started::Text((*text).to_owned()))
}

/// Adds the commands of `find -exec` and options like it.
fn find_exec_commands(words: &[&str], start: usize, found: &mut Vec<(Started, Reach)>) {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if !matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "--exec" | "-X" | "--exec-batch")
        {
            continue;
        }
        let rest = words.get(at..).unwrap_or_default();
        let length = rest.iter().position(|word| matches!(*word, ";" | "+")).unwrap_or(rest.len());
        if length > 0 {
            found.push((Started::Command(start + at..start + at + length), Reach::Here));
        }
        at += length;
    }
}

/// The commands that a shell inside a container reads. The options before the shell are many, so the first word
/// that names a shell counts.
fn container_shell(words: &[&str]) -> Option<Started> {
    let verb = words.iter().position(|word| matches!(*word, "exec" | "run"))?;
    let behind = words.get(verb + 1..)?;
    let at = behind.iter().position(|word| start_method(program_name(word)) == StartMethod::Shell)?;
    shell(behind.get(at + 1..)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(command: &str) -> (usize, Vec<Started>) {
        let words: Vec<&str> = command.split(' ').collect();
        let found = started_by(&words);
        (found.prefix, found.started.into_iter().map(|(started, _)| started).collect())
    }

    #[test]
    fn what_stands_in_front_of_a_program_is_counted() {
        for (command, prefix) in [
            ("git stash", 0),
            ("sudo git stash", 1),
            ("sudo -u root git stash", 3),
            ("env A=1 B=2 git stash", 3),
            ("env -u A git", 3),
            ("timeout 5 git", 2),
            ("timeout -s KILL 5 git", 4),
            ("/usr/bin/nice -n 10 nohup git", 4),
            ("command -- git", 2),
            ("command -v git", 0),
            ("stdbuf -oL git", 2),
            ("sudo", 1),
            ("", 0),
        ] {
            assert_eq!(started(command).0, prefix, "{command}");
        }
    }

    #[test]
    fn a_shell_runs_the_text_after_its_c_option_or_its_input() {
        let text = |text: &str| vec![Started::Text(text.to_owned())];
        for (command, runs) in [
            ("sh -c ls", text("ls")),
            ("/bin/bash -lc ls", text("ls")),
            ("bash -o pipefail -ec ls", text("ls")),
            ("bash -c -e ls", text("ls")),
            ("sudo -E env A=1 sh -c ls", text("ls")),
            ("busybox sh -c ls", text("ls")),
            ("bash", vec![Started::Input]),
            ("bash -s -- a", vec![Started::Input]),
            ("bash -x", vec![Started::Input]),
            ("bash script.sh -c ls", vec![]),
            ("eval -- ls -l", text("ls -l")),
            ("trap ls EXIT", text("ls")),
            ("env -S ls", text("ls")),
            ("su -c ls bob", text("ls")),
            ("flock f -c ls", text("ls")),
            ("watch -n 1 ls -l", text("ls -l")),
            ("docker exec -it web sh -c ls", text("ls")),
            ("docker ps", vec![]),
            ("echo sh -c ls", vec![]),
        ] {
            assert_eq!(started(command).1, runs, "{command}");
        }
    }

    #[test]
    fn repeated_commands_are_found_with_what_they_run() {
        assert_eq!(started("xargs -n 1 rm -f").1, [Started::Command(3..5)]);
        assert_eq!(
            started("xargs -I{} sh -c ls").1,
            [Started::Command(2..5), Started::Text("ls".to_owned())]
        );
        assert_eq!(
            started("find . -exec rm {} ; -name x -exec sh -c ls +").1,
            [Started::Command(3..5), Started::Command(9..12), Started::Text("ls".to_owned())]
        );
    }

    #[test]
    fn long_chains_are_not_followed_for_ever() {
        let nested = "find -exec ".repeat(2000);
        assert!(started(nested.trim()).1.len() <= MAX_DEPTH + 1);
        assert_eq!(started("sudo ".repeat(2000).trim()).0, 2000);
    }
}

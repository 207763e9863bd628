//! Which programs run other programs, and how their words say so.

use std::ops::Range;

use super::known::{OwnWords, Role, Starts};
use super::programs::{has_role, known};

/// What the words of a simple command make run.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// How many words stand in front of the program: `sudo`, `env A=1`, `timeout 5`.
    pub(super) prefix: usize,
    /// What the program runs in turn.
    pub(super) inner: Vec<Run>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// These words are a command, which may run often or get more arguments.
    Command(Range<usize>),
    /// A shell reads this text.
    Text(String),
    /// A shell reads its standard input.
    Input,
}

/// How often a command may hand on to another one before we stop following.
const MAX_HOPS: usize = 8;

/// What the words of one simple command make run.
pub(super) fn of(words: &[&str]) -> Runs {
    let mut runs = Runs::default();
    let mut open = vec![(0..words.len(), 0usize)];
    while let Some((range, hops)) = open.pop() {
        let slice = words.get(range.clone()).unwrap_or_default();
        let program = program(slice, &mut runs.inner);
        if hops == 0 {
            runs.prefix = program.min(words.len());
        }
        let start = range.start + program;
        let Some(slice) = slice.get(program..).filter(|slice| !slice.is_empty()) else { continue };
        let before = runs.inner.len();
        hand_on(slice, start, &mut runs.inner);
        if hops < MAX_HOPS {
            let handed = runs.inner.iter().skip(before).filter_map(|run| match run {
                Run::Command(range) => Some((range.clone(), hops + 1)),
                Run::Text(_) | Run::Input => None,
            });
            open.extend(handed);
        }
    }
    runs
}

/// The text that `echo` or `printf` writes, roughly.
pub(super) fn printed(words: &[&str]) -> Option<String> {
    let (name, rest) = words.split_first()?;
    has_role(program_name(name), Role::Prints).then(|| {
        let options = rest.iter().take_while(|word| is_cluster(word, b"neE")).count();
        rest.get(options..).unwrap_or_default().join(" ")
    })
}

/// The name of a program without its folder.
pub fn program_name(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}

/// Whether a program only runs the rest of its words, often or with more arguments: `xargs`.
pub(super) fn is_repeater(word: &str) -> bool {
    matches!(starts(word), Starts::RestRepeated(_))
}

fn is_cluster(word: &str, letters: &[u8]) -> bool {
    word.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|letter| letters.contains(&letter)))
}

/// How many words stand in front of the program that really runs.
fn program(words: &[&str], found: &mut Vec<Run>) -> usize {
    let mut at = 0;
    while let Some(name) = words.get(at).map(|word| program_name(word))
        && let Starts::Rest(own) = starts(name)
    {
        match own_words(name, own, words.get(at + 1..).unwrap_or_default()) {
            Own::Words(count) => at += 1 + count,
            Own::Text(text) => {
                found.push(Run::Text(text));
                return words.len();
            }
            Own::Everything => return at,
        }
    }
    at
}

fn starts(name: &str) -> Starts {
    known(name).map_or(Starts::Nothing, |program| program.starts)
}

enum Own {
    /// So many words are options and operands.
    Words(usize),
    /// The command is in this text.
    Text(String),
    /// It runs nothing: `command -v x`.
    Everything,
}

/// Which of the words after a program that runs another one are its own.
fn own_words(name: &str, own: OwnWords, words: &[&str]) -> Own {
    let mut at = 0;
    let mut operands = usize::from(own.operands);
    while let Some(word) = words.get(at) {
        let value = || words.get(at + 1).map(|text| (*text).to_owned()).unwrap_or_default();
        match (name, *word) {
            (_, "--") => {
                at += 1;
                return Own::Words((at + operands).min(words.len()));
            }
            ("command", "-v" | "-V") => return Own::Everything,
            ("flock", "-c" | "--command") | ("env", "-S" | "--split-string") => return Own::Text(value()),
            ("env", text) if text.starts_with("--split-string=") => {
                return Own::Text(text.split_once('=').map_or("", |(_, text)| text).to_owned());
            }
            (_, option) if option.len() > 1 && option.starts_with('-') => {
                at += if own.takes_value(option) { 2 } else { 1 };
            }
            ("env" | "sudo" | "doas", text) if super::syntax::assigns(text) => at += 1,
            ("env", "-") => at += 1,
            _ if operands > 0 => {
                operands -= 1;
                at += 1;
            }
            _ => break,
        }
    }
    // `flock file -c text` has its option after the operand.
    if name == "flock" && matches!(words.get(at), Some(&"-c")) {
        return Own::Text(words.get(at + 1).map(|text| (*text).to_owned()).unwrap_or_default());
    }
    Own::Words(at.min(words.len()))
}

/// What the program `words[0]` runs. `start` is where these words stand in the whole command.
fn hand_on(words: &[&str], start: usize, found: &mut Vec<Run>) {
    let Some((name, rest)) = words.split_first() else { return };
    let name = program_name(name);
    match starts(name) {
        Starts::Shell => found.extend(shell(rest)),
        Starts::RestRepeated(own) => {
            if let Own::Words(count) = own_words(name, own, rest)
                && count < rest.len()
            {
                found.push(Run::Command(start + 1 + count..start + words.len()));
            }
        }
        Starts::RestAsText(own) => {
            if let Own::Words(count) = own_words(name, own, rest) {
                found.push(Run::Text(rest.get(count..).unwrap_or_default().join(" ")));
            }
        }
        Starts::WordsAsText => {
            let skip = usize::from(rest.first() == Some(&"--"));
            found.push(Run::Text(rest.get(skip..).unwrap_or_default().join(" ")));
        }
        Starts::FirstOperandAsText => {
            let text = rest.iter().find(|word| !word.starts_with('-'));
            found.extend(text.map(|text| Run::Text((*text).to_owned())));
        }
        Starts::CommandOption => found.extend(command_option(rest)),
        Starts::Sources if rest.first() == Some(&"/dev/stdin") => found.push(Run::Input),
        Starts::ExecOption => executed(rest, start + 1, found),
        Starts::Container => found.extend(in_container(rest)),
        Starts::Rest(_) | Starts::Sources | Starts::Nothing => {}
    }
}

/// What a shell runs, given the words after its name.
fn shell(words: &[&str]) -> Option<Run> {
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
                // `-o pipefail`, `-O extglob`.
                if option.ends_with(['o', 'O']) { 2 } else { 1 }
            }
            _ => break,
        };
    }
    match words.get(at) {
        Some(text) if has_text => Some(Run::Text((*text).to_owned())),
        Some(&"/dev/stdin") => Some(Run::Input),
        Some(_) if !reads => None,
        _ => (!has_text).then_some(Run::Input),
    }
}

/// The value of `-c`, wherever it stands.
fn command_option(words: &[&str]) -> Option<Run> {
    let at = words.iter().position(|word| {
        *word == "--command" || word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
    })?;
    words.get(at + 1).map(|text| Run::Text((*text).to_owned()))
}

/// The commands of `find -exec` and its relatives.
fn executed(words: &[&str], start: usize, found: &mut Vec<Run>) {
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
            found.push(Run::Command(start + at..start + at + length));
        }
        at += length;
    }
}

/// A shell that is started inside a container. The options before it are many, so the first word that
/// names a shell counts.
fn in_container(words: &[&str]) -> Option<Run> {
    let verb = words.iter().position(|word| matches!(*word, "exec" | "run"))?;
    let shell_at =
        words.iter().skip(verb + 1).position(|word| starts(program_name(word)) == Starts::Shell)? + verb + 1;
    shell(words.get(shell_at + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_of(command: &str) -> (usize, Vec<Run>) {
        let words: Vec<&str> = command.split(' ').collect();
        let runs = of(&words);
        (runs.prefix, runs.inner)
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
            assert_eq!(runs_of(command).0, prefix, "{command}");
        }
    }

    #[test]
    fn a_shell_runs_the_text_after_its_c_option_or_its_input() {
        let text = |text: &str| vec![Run::Text(text.to_owned())];
        for (command, runs) in [
            ("sh -c ls", text("ls")),
            ("/bin/bash -lc ls", text("ls")),
            ("bash -o pipefail -ec ls", text("ls")),
            ("bash -c -e ls", text("ls")),
            ("sudo -E env A=1 sh -c ls", text("ls")),
            ("busybox sh -c ls", text("ls")),
            ("bash", vec![Run::Input]),
            ("bash -s -- a", vec![Run::Input]),
            ("bash -x", vec![Run::Input]),
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
            assert_eq!(runs_of(command).1, runs, "{command}");
        }
    }

    #[test]
    fn repeated_commands_are_found_with_what_they_run() {
        assert_eq!(runs_of("xargs -n 1 rm -f").1, [Run::Command(3..5)]);
        assert_eq!(runs_of("xargs -I{} sh -c ls").1, [Run::Command(2..5), Run::Text("ls".to_owned())]);
        assert_eq!(
            runs_of("find . -exec rm {} ; -name x -exec sh -c ls +").1,
            [Run::Command(3..5), Run::Command(9..12), Run::Text("ls".to_owned())]
        );
    }

    #[test]
    fn long_chains_are_not_followed_for_ever() {
        let nested = "find -exec ".repeat(2000);
        assert!(runs_of(nested.trim()).1.len() <= MAX_HOPS + 1);
        assert_eq!(runs_of("sudo ".repeat(2000).trim()).0, 2000);
    }
}

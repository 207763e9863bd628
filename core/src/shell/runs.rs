//! Which programs run other programs, and how their words say so.

use std::ops::Range;

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

const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish"];

/// A program that runs the words after its own options and operands.
struct Prefix {
    name: &'static str,
    /// Options whose value is the next word.
    values: &'static [&'static str],
    /// Words of its own before the command.
    operands: usize,
}

const fn prefix(name: &'static str, values: &'static [&'static str], operands: usize) -> Prefix {
    Prefix { name, values, operands }
}

/// Programs that run the rest of their words once, as they stand.
const PREFIXES: [Prefix; 23] = [
    prefix("command", &[], 0),
    prefix("builtin", &[], 0),
    prefix("exec", &["-a"], 0),
    prefix("env", &["-u", "--unset", "-C", "--chdir"], 0),
    prefix(
        "sudo",
        &[
            "-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt", "-C", "-D", "-R", "-r", "-t",
            "-T", "-U",
        ],
        0,
    ),
    prefix("doas", &["-u", "-C"], 0),
    prefix("nohup", &[], 0),
    prefix("setsid", &[], 0),
    prefix("time", &["-f", "--format", "-o", "--output"], 0),
    prefix("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    prefix("nice", &["-n", "--adjustment"], 0),
    prefix("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    prefix("chrt", &["-T", "-P", "-D"], 1),
    prefix("taskset", &[], 1),
    prefix("stdbuf", &["-i", "--input", "-o", "--output", "-e", "--error"], 0),
    prefix("unbuffer", &[], 0),
    prefix("caffeinate", &["-t", "-w"], 0),
    prefix("chroot", &[], 1),
    prefix("flock", &["-w", "--timeout", "-E"], 1),
    prefix("strace", &["-o", "-e", "-E", "-u", "-P", "-s", "-a", "-b", "-I", "-O", "-S", "-X"], 0),
    prefix("ltrace", &["-o", "-e", "-u", "-s", "-a", "-n"], 0),
    prefix("busybox", &[], 0),
    prefix("toybox", &[], 0),
];

/// Programs that run the rest of their words, often or with more arguments.
const REPEATERS: [Prefix; 2] = [
    prefix(
        "xargs",
        &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-a",
            "-s",
            "-E",
            "-J",
            "-R",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--delimiter",
            "--arg-file",
            "--max-chars",
            "--process-slot-var",
        ],
        0,
    ),
    prefix(
        "parallel",
        &["-j", "--jobs", "-I", "-a", "--arg-file", "-S", "--delay", "--timeout", "-n", "-N"],
        0,
    ),
];

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
    matches!(program_name(name), "echo" | "printf").then(|| {
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
    named(&REPEATERS, word).is_some()
}

fn is_cluster(word: &str, letters: &[u8]) -> bool {
    word.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|letter| letters.contains(&letter)))
}

/// How many words stand in front of the program that really runs.
fn program(words: &[&str], found: &mut Vec<Run>) -> usize {
    let mut at = 0;
    while let Some(prefix) = words.get(at).and_then(|word| named(&PREFIXES, word)) {
        let skipped = own_words(prefix, words.get(at + 1..).unwrap_or_default());
        match skipped {
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

fn named<'t>(table: &'t [Prefix], word: &str) -> Option<&'t Prefix> {
    table.iter().find(|prefix| prefix.name == program_name(word))
}

enum Own {
    /// So many words are options and operands.
    Words(usize),
    /// The command is in this text.
    Text(String),
    /// It runs nothing: `command -v x`.
    Everything,
}

/// Which of the words after a prefix are its own.
fn own_words(prefix: &Prefix, words: &[&str]) -> Own {
    let mut at = 0;
    let mut operands = prefix.operands;
    while let Some(word) = words.get(at) {
        let value = || words.get(at + 1).map(|text| (*text).to_owned()).unwrap_or_default();
        match (prefix.name, *word) {
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
                at += if prefix.values.contains(&option) { 2 } else { 1 };
            }
            ("env" | "sudo" | "doas", text) if super::word::assigns(text) => at += 1,
            ("env", "-") => at += 1,
            _ if operands > 0 => {
                operands -= 1;
                at += 1;
            }
            _ => break,
        }
    }
    // `flock file -c text` has its option after the operand.
    if prefix.name == "flock" && matches!(words.get(at), Some(&"-c")) {
        return Own::Text(words.get(at + 1).map(|text| (*text).to_owned()).unwrap_or_default());
    }
    Own::Words(at.min(words.len()))
}

/// What the program `words[0]` runs. `start` is where these words stand in the whole command.
fn hand_on(words: &[&str], start: usize, found: &mut Vec<Run>) {
    let Some((name, rest)) = words.split_first() else { return };
    let name = program_name(name);
    if SHELLS.contains(&name) {
        found.extend(shell(rest));
        return;
    }
    if let Some(repeater) = named(&REPEATERS, name) {
        if let Own::Words(count) = own_words(repeater, rest)
            && count < rest.len()
        {
            found.push(Run::Command(start + 1 + count..start + words.len()));
        }
        return;
    }
    match name {
        "eval" => {
            let skip = usize::from(rest.first() == Some(&"--"));
            found.push(Run::Text(rest.get(skip..).unwrap_or_default().join(" ")));
        }
        "trap" => {
            let text = rest.iter().find(|word| !word.starts_with('-'));
            found.extend(text.map(|text| Run::Text((*text).to_owned())));
        }
        "watch" => {
            let own = own_words(&prefix("watch", &["-n", "--interval", "-q"], 0), rest);
            if let Own::Words(count) = own {
                found.push(Run::Text(rest.get(count..).unwrap_or_default().join(" ")));
            }
        }
        "su" | "runuser" | "script" => found.extend(command_option(rest)),
        "source" | "." if rest.first() == Some(&"/dev/stdin") => found.push(Run::Input),
        "find" | "fd" | "fdfind" => executed(rest, start + 1, found),
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "lxc" | "docker-compose" => {
            found.extend(in_container(rest));
        }
        _ => {}
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
        words.iter().skip(verb + 1).position(|word| SHELLS.contains(&program_name(word)))? + verb + 1;
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

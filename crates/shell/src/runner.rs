//! Runners: programs that start a command behind their own words, in an environment, a container or on another machine.

use std::ops::Range;

use super::known::{UP_TO_DASHES, WrapperOptions, lists};

/// Where a started command runs, and who asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// In this shell's place, with its files.
    Here,
    /// Behind a runner: in an environment, a container or on another machine. Patterns see it; readers that must know what
    /// happens to the files here do not.
    Behind,
}

/// Something that the words of a simple command start.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Started {
    /// The range of words that are a command, which may run several times or get more arguments.
    Command(Range<usize>),
    /// A text that a shell reads.
    Text(String),
    /// The standard input, which a shell reads.
    Input,
}

/// The subcommands with which a program for containers starts a command in one.
pub(super) const CONTAINER_VERBS: &str =
    "exec, run, compose exec, compose run, container exec, container run";

/// The index of the command behind a subcommand that starts one, given the words behind the program's name.
pub(super) fn launched(words: &[&str], verbs: &str, own: WrapperOptions) -> Option<usize> {
    let at = skip_options(words, 0, own);
    let verb = *words.get(at)?;
    if lists(verbs, verb) {
        return operands_end(words, at + 1, own);
    }
    let second = skip_options(words, at + 1, own);
    let two = format!("{verb} {}", words.get(second)?);
    if lists(verbs, &two) { operands_end(words, second + 1, own) } else { None }
}

/// The index of the first word behind options and operands, from `at` on.
pub(super) fn operands_end(words: &[&str], at: usize, own: WrapperOptions) -> Option<usize> {
    if own.operands == UP_TO_DASHES {
        return behind_dashes(words).filter(|end| *end > at);
    }
    let mut at = skip_options(words, at, own);
    let is_end = |at: usize| words.get(at) == Some(&"--");
    // In front of the operands it only ends the options: `docker exec -- web psql`.
    at += usize::from(own.operands > 0 && is_end(at));
    for _ in 0..own.operands {
        if is_end(at) {
            break;
        }
        at = skip_options(words, at + 1, own);
    }
    at += usize::from(is_end(at));
    (at < words.len()).then_some(at)
}

/// The index of the first word from `at` on that is no option and no value of one.
fn skip_options(words: &[&str], mut at: usize, own: WrapperOptions) -> usize {
    while let Some(option) = words.get(at).filter(|word| word.len() > 1 && word.starts_with('-')) {
        if *option == "--" {
            break;
        }
        at += if own.takes_value(option) { 2 } else { 1 };
    }
    at
}

/// The index of the word behind `--`.
pub(super) fn behind_dashes(words: &[&str]) -> Option<usize> {
    let at = words.iter().position(|word| *word == "--")? + 1;
    (at < words.len()).then_some(at)
}

/// What another machine runs: the words behind its name, as a shell there joins them, or what it reads.
pub(super) fn remote(
    words: &[&str],
    own: WrapperOptions,
    behind: impl Fn(usize) -> (Started, Reach),
) -> Option<(Started, Reach)> {
    if skip_options(words, 0, own) >= words.len() {
        return None;
    }
    let Some(at) = operands_end(words, 0, own) else { return Some((Started::Input, Reach::Behind)) };
    let command = words.get(at..).unwrap_or_default();
    let is_a_word = |word: &&str| !word.contains(|c: char| c.is_whitespace() || ";&|<>$`'\"".contains(c));
    if command.iter().all(is_a_word) {
        return Some(behind(at));
    }
    Some((Started::Text(command.join(" ")), Reach::Behind))
}

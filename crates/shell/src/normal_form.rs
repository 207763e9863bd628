//! The normal form of a command: its words without the global options of its program, which say where and how.

use std::ops::Range;

use super::known::{GlobalOptions, names};
use super::programs::known;
use super::wrapper::program_name;

/// The words of a command that its normal form is without, in order, given the words from the program's name on.
///
/// A command without a subcommand keeps its options: `git --version`.
pub(super) fn left_out(words: &[&str]) -> Vec<Range<usize>> {
    let mut left_out = Vec::new();
    let Some(name) = words.first().map(|word| program_name(word)) else { return left_out };
    // `npx supabase@latest`
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let (mut program, mut at) = (known(name), 1);
    // `npm exec supabase -- db reset`: the mark belongs to npm.
    let has_globals = program.is_some_and(|program| program.globals != GlobalOptions::Unknown);
    if has_globals && words.get(at) == Some(&"--") {
        left_out.push(at..at + 1);
        at += 1;
    }
    while let Some(row) = program {
        match row.globals {
            GlobalOptions::Unknown => break,
            GlobalOptions::Named(values, flags) => {
                while let Some(word) = words.get(at).filter(|word| **word != "--") {
                    let end = at + named_length(word, values, flags);
                    if end > at {
                        left_out.push(at..end.min(words.len()));
                    }
                    at = end.max(at + 1);
                }
                break;
            }
            GlobalOptions::InFront(values) => {
                let start = at;
                // `cargo +nightly build`: the toolchain is no subcommand.
                let is_before = |word: &&&str| is_option(word) || name == "cargo" && word.starts_with('+');
                while let Some(option) = words.get(at).filter(is_before) {
                    at += if names(values, option) { 2 } else { 1 };
                }
                let Some(subcommand) = words.get(at) else { return Vec::new() };
                if at > start {
                    left_out.push(start..at);
                }
                at += 1;
                program = row.nests_in(subcommand).then(|| known(&format!("{name} {subcommand}"))).flatten();
            }
        }
    }
    left_out
}

/// The number of words that a global option is, with its value. 0 for another word.
pub(super) fn named_length(word: &str, values: &str, flags: &str) -> usize {
    if !is_option(word) {
        return 0;
    }
    if names(values, word) {
        return 2;
    }
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    // `-uroot`: a short option may have its value attached.
    let short = word.get(..2).filter(|_| !word.starts_with("--")).unwrap_or(name);
    // `-j4`
    let flag = word.trim_end_matches(|c: char| c.is_ascii_digit());
    usize::from(names(values, name) || names(values, short) || names(flags, word) || names(flags, flag))
}

/// Whether a word has the form of short options that stand together: `-sm`.
pub(super) fn is_group(word: &str) -> bool {
    word.len() > 2
        && word.strip_prefix('-').is_some_and(|letters| letters.bytes().all(|b| b.is_ascii_alphabetic()))
}

/// The letters of the options that may stand together in a command, given its words from the program's name on and those that
/// are left out.
pub(super) fn grouping_letters(words: &[&str], left_out: &[Range<usize>]) -> &'static str {
    let Some((name, rest)) = words.split_first() else { return "" };
    let name = program_name(name);
    match known(name) {
        Some(program) if program.letters.is_empty() && program.has_forms() => {
            let start = left_out.first().filter(|first| first.start == 1).map_or(0, |first| first.end - 1);
            let subcommand = rest.iter().skip(start).find(|word| !word.starts_with('-'));
            subcommand.and_then(|word| known(&format!("{name} {word}"))).map_or("", |row| row.letters)
        }
        program => program.map_or("", |program| program.letters),
    }
}

/// The options of a group, apart: `-sm` is `-s -m`. The last may take the rest as its value. `None` for other words.
pub(super) fn ungrouped(word: &str, letters: &str) -> Option<String> {
    let group = word.strip_prefix('-').filter(|_| is_group(word))?;
    let end = group.find(|letter| !letters.contains(letter)).unwrap_or(group.len() - 1);
    let (flags, last) = group.split_at(end);
    let apart: String = flags.chars().flat_map(|flag| ['-', flag, ' ']).collect();
    (!flags.is_empty()).then(|| format!("{apart}-{last}"))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

/// The kind of a command, given its text for patterns: its program and what it does, `git push` or `docker compose up`.
/// Without a subcommand it is the program and its first word: `crontab -l`.
pub fn command_kind(text: &str) -> &str {
    let mut ends = text.match_indices(' ').map(|(at, _)| at).chain([text.len()]);
    let (Some(name), Some(mut end)) = (ends.next(), ends.next()) else { return text };
    let words = (text.get(..name).unwrap_or_default(), text.get(name + 1..end).unwrap_or_default());
    if known(words.0).is_some_and(|program| program.nests_in(words.1)) {
        end = ends.next().unwrap_or(end);
    }
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_command_is_its_program_and_what_it_does() {
        for (text, kind) in [
            ("git push --force", "git push"),
            ("git stash push -u", "git stash push"),
            ("docker compose up -d", "docker compose up"),
            ("crontab -l", "crontab -l"),
            ("ls", "ls"),
            ("", ""),
        ] {
            assert_eq!(command_kind(text), kind, "{text}");
        }
    }
}

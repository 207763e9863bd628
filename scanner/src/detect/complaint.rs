//! The reading of errors that explain themselves: a program names the word of its call that it does not know.
//!
//! Such an error needs no second look: `unknown flag: --stat`, `command not found: go`, `Script not found "lint"`.

use std::cell::LazyCell;

use super::command::{Command, option_name};
use super::options::lists;
use super::signs::Signs;

/// The most lines of a result that are searched.
const MOST_LINES: usize = 80;
/// The longest line that is a complaint, in characters.
const MOST_CHARS: usize = 240;
/// The most words of a complaint before the word that is not known.
const SOON: usize = 4;

/// What a program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// An option.
    Option,
    /// A subcommand, or a script of the project.
    Subcommand,
    /// The program itself.
    Program,
    /// A field of the output, as `--json` takes it.
    Field,
}

/// A complaint about one simple command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) unknown: Unknown,
    /// The word as it stands in the command.
    pub(super) word: String,
    /// The simple command that is complained about.
    pub(super) command: Command,
    /// The line of the error.
    pub(super) line: String,
    /// The program that complains, where its usage names another one in front of the command's: `rtk git` for `git`, where a
    /// hook runs each `git` by way of `rtk`.
    pub(super) wrapped: Option<String>,
}

/// Phrases before the word that is not known, in lower case.
static PHRASES: [(Unknown, Signs); 4] = [
    (
        Unknown::Option,
        Signs::new(
            "unknown flag|unknown shorthand flag|unknown option|unrecognized option|\
         unrecognised option|unrecognized argument|unrecognized arguments|unexpected argument|\
         invalid option|illegal option|no such option|unsupported option|unknown argument|\
         flag provided but not defined|unknown switch|invalid flag|bad option",
        ),
    ),
    (
        Unknown::Subcommand,
        Signs::new(
            "unrecognized subcommand|unknown subcommand|unknown command|no such command|\
         invalid choice|script not found|missing script|no such subcommand|command not found in",
        ),
    ),
    (Unknown::Field, Signs::new("unknown json field|unknown field")),
    (Unknown::Program, Signs::new("command not found")),
];

/// The first complaint of a text about a word of the command line.
pub(super) fn complaint(text: &str, line: &str) -> Option<Complaint> {
    let short = |line: &&str| line.chars().nth(MOST_CHARS).is_none();
    let lines = text.lines().take(MOST_LINES).map(str::trim).filter(short);
    let mut named =
        lines.flat_map(|line| words_of(line).into_iter().map(move |(unknown, word)| (unknown, word, line)));
    // Most errors name no word.
    let parts = LazyCell::new(|| Command::every(line));
    named.find_map(|(unknown, word, said)| {
        parts.iter().find_map(|part| {
            let is_about = unknown != Unknown::Option || !is_of_other(said, part);
            let word = unknown.place(&word, part).filter(|_| is_about)?;
            let wrapped = wrapped(text, part);
            Some(Complaint { unknown, word, command: part.clone(), line: said.to_owned(), wrapped })
        })
    })
}

/// The program with another one in front of it, as the usage of an error names it.
fn wrapped(text: &str, command: &Command) -> Option<String> {
    let mut lines = text.lines().take(MOST_LINES).map(str::trim);
    let usage =
        lines.find_map(|line| line.strip_prefix("Usage: ").or_else(|| line.strip_prefix("usage: ")))?;
    let is_name =
        |word: &&str| word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    let names: Vec<&str> = usage.split_whitespace().take(SOON).take_while(is_name).collect();
    let at = names.iter().position(|name| *name == command.name).filter(|at| *at > 0)?;
    Some(names[..=at].join(" "))
}

/// The words that a line of an error names, with what they are.
fn words_of(line: &str) -> Vec<(Unknown, String)> {
    let mut found = Vec::new();
    for (unknown, phrases) in &PHRASES {
        let unknown = *unknown;
        for at in phrases.places(line) {
            let (before, after) = (&line[..at.start], &line[at.end..]);
            let is_plural = |rest: &&str| rest.starts_with([':', ' ']);
            let after = after.strip_prefix('s').filter(is_plural).unwrap_or(after);
            let after = after.trim_start_matches([':', ' ']).trim_start_matches("-- ");
            found.extend(after.split_whitespace().take(SOON).map(|word| (unknown, bare(word))));
            if unknown == Unknown::Program {
                // `bash: line 1: go: command not found`
                let word = before.trim_end_matches([':', ' ']).rsplit([' ', ':']).next().unwrap_or_default();
                found.push((unknown, bare(word)));
            }
        }
    }
    found.retain(|(_, word)| !word.is_empty());
    found
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| matches!(c, '\'' | '"' | '`' | ':' | ',' | '.' | ';' | '(' | ')' | '‘' | '’'))
        .to_owned()
}

/// Whether another program than that of the command complains: `cat: illegal option -- A`.
fn is_of_other(said: &str, command: &Command) -> bool {
    const ANYBODY: &str = "error fatal usage warning failed";
    let speaker = said.split(':').next().unwrap_or_default();
    let is_name = !speaker.is_empty() && speaker.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_name && !lists(ANYBODY, &speaker.to_ascii_lowercase()) && speaker != command.name
}

impl Unknown {
    /// The word of an error as it stands in a command, if it does.
    pub(super) fn place(self, word: &str, part: &Command) -> Option<String> {
        let bare = word.trim_start_matches('-');
        let is_letter = bare.chars().count() == 1;
        let is_own = |argument: &&String| {
            let name = option_name(argument);
            match name.strip_prefix('-') {
                Some(letters) if is_letter && !letters.starts_with('-') => letters.contains(bare),
                Some(long) => name == word || long.strip_prefix('-') == Some(word),
                None => false,
            }
        };
        let is_there = match self {
            Self::Program => part.name == word && word.len() > 1,
            Self::Option => {
                let name = part.arguments.iter().find(is_own).map(|argument| option_name(argument))?;
                return Some(if is_letter { format!("-{bare}") } else { name.to_owned() });
            }
            Self::Subcommand => {
                word.len() > 1 && part.subcommand.split(' ').chain(part.operands()).any(|own| own == word)
            }
            Self::Field => part.arguments.iter().any(|argument| argument.split(',').any(|own| own == word)),
        };
        is_there.then(|| word.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, line: &str) -> Option<(Unknown, String)> {
        complaint(text, line).map(|found| (found.unknown, found.word))
    }

    #[test]
    fn a_program_names_the_word_that_it_does_not_know() {
        for (text, line, unknown, word) in [
            ("unknown flag: --stat", "glab mr diff 7 --stat", Unknown::Option, "--stat"),
            ("error: unknown option `dry-run'", "git gc --dry-run", Unknown::Option, "--dry-run"),
            ("ls: illegal option -- Z", "ls -lZ a | head", Unknown::Option, "-Z"),
            ("error: unexpected argument '-C' found", "git -C /a status", Unknown::Option, "-C"),
            ("error: unrecognized subcommand 'npm'", "wrap npm test", Unknown::Subcommand, "npm"),
            ("error: Script not found \"lint\"", "bun run lint", Unknown::Subcommand, "lint"),
            ("/bin/bash: line 1: swag: command not found", "cd a && swag init", Unknown::Program, "swag"),
            ("zsh: command not found: swag", "swag init", Unknown::Program, "swag"),
            ("Unknown JSON field: \"merged\"", "gh pr view --json state,merged", Unknown::Field, "merged"),
        ] {
            assert_eq!(found(text, line), Some((unknown, word.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_word_that_is_not_in_the_command_is_no_complaint_about_it() {
        for (text, line) in [
            ("unknown flag: --stat", "glab mr diff 7"),
            ("cat: illegal option -- A", "sed -A x"),
            ("src/a.rs:1: unknown option type", "cargo build"),
            ("command not found", "make all"),
            ("", "make"),
        ] {
            assert_eq!(found(text, line), None, "{text}");
        }
    }

    #[test]
    fn a_usage_tells_of_a_program_in_front() {
        let wrapped = |usage: &str| {
            let text = format!(
                "error: unexpected argument '-C' found\n\n{usage}\n\nFor more information, try '--help'."
            );
            complaint(&text, "git -C /a status").unwrap().wrapped
        };
        assert_eq!(wrapped("Usage: rtk git [OPTIONS] <COMMAND>").as_deref(), Some("rtk git"));
        for usage in ["Usage: git [OPTIONS]", "usage: [git] x", "Usage: --git", "It uses rtk git", "Usage: "]
        {
            assert_eq!(wrapped(usage), None, "{usage}");
        }
    }
}

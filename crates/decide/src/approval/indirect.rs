//! Calls of `lessons` under a name that the shell computes: `"$(command -v lessons)" add`, `L=lessons; $L add`.
//!
//! The grant that an `ask` leaves names the words after the program, and it stays valid when the person refuses: the
//! hook sees calls, not answers, and parallel calls must not take each other's grants away. So a program word
//! that is not fixed must not become a way to a `lessons` that the person was not asked about.
//!
//! A variable as a program is ordinary (`"$PYTHON" -m pip install lessons`), and most verbs of `lessons` are
//! verbs of other programs too (`"$GIT" add lessons.md`). So the check asks for evidence that `lessons` is what runs: the
//! word's own text, or the value that the same line gives to its variable. Without such evidence, only a verb
//! that hardly any other program has counts, after a command that finds or prints the name.

use std::collections::BTreeMap;

use super::is_lessons;
use super::verbs;
use lessons_shell::programs::has_role;
use lessons_shell::{ProgramRole, Script, SimpleCommand, Word, program_name};

/// The characters by which a shell marks a part of a word that it expands.
const EXPANSION: [char; 9] = ['$', '`', '*', '?', '[', ']', '{', '}', ')'];

/// Verbs of `lessons` that other programs rarely have.
const RARE: [&str; 6] = ["promote", "reject", "deprecate", "untrust", "forget", "undo"];

/// The placeholder for an argument whose value is unknown.
const UNKNOWN: &str = "$";

/// The number of words after the program's name that are kept of a variable's value. A verb further back is treated as
/// unknown.
const KEPT: usize = 4;

/// Whether a command line runs a `lessons` under a computed name, and that `lessons` may change something.
pub(super) fn may_change(script: &Script) -> bool {
    if script.commands.iter().filter_map(SimpleCommand::program_word).all(|word| word.fixed().is_some()) {
        return false;
    }
    let values = VariableValues::of(script);
    let mut named = false;
    script.commands.iter().any(|command| {
        let changes = command.program().split_first().is_some_and(|(program, rest)| {
            program.fixed().is_none() && runs_a_change(program, rest, &values, named)
        });
        named |= names_ours(command);
        changes
    })
}

/// Whether `program`, which is not fixed, may be a `lessons` that changes something. `named` says that
/// an earlier command finds or prints the name.
fn runs_a_change<'a>(program: &'a Word, rest: &'a [Word], values: &VariableValues<'a>, named: bool) -> bool {
    if let Some(mut argv) = values.program_in(program.text()) {
        argv.extend(rest.iter().map(argument));
        return !verbs::only_reads(&argv);
    }
    match rest.split_first() {
        // `"$SUDO" lessons add`, where the variable may be empty or start another program.
        Some((first, rest)) if first.fixed().is_some_and(is_lessons) => verb_is(rest, verbs::changes),
        _ => named && verb_is(rest, |verb| RARE.contains(&verb)),
    }
}

fn argument(word: &Word) -> &str {
    word.fixed().unwrap_or(UNKNOWN)
}

fn verb_is(words: &[Word], expected: impl Fn(&str) -> bool) -> bool {
    let argv: Vec<&str> = words.iter().map(argument).collect();
    verbs::verb(&argv).is_some_and(expected)
}

/// Whether a command finds or prints the name `lessons`.
fn names_ours(command: &SimpleCommand) -> bool {
    let target = command.redirections.iter().filter_map(|redirection| redirection.target.as_ref());
    let first = command.words.get(..=command.prefix).unwrap_or(&command.words);
    first.iter().any(|word| has_role(program_name(word.text()), ProgramRole::NamesPrograms))
        && command.words.iter().chain(target).any(|word| is_lessons(word.text()))
}

/// The variables of a line whose value is a `lessons`, each with the words that follow the program's name.
struct VariableValues<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> VariableValues<'a> {
    /// Collects every assignment of a line, wherever it is and whatever comes after it.
    fn of(script: &'a Script) -> Self {
        let mut values = Self(BTreeMap::new());
        for command in &script.commands {
            for word in command.assignments.iter().chain(&command.words) {
                if let Some((name, value)) = assignment(word.text()) {
                    values.assign(name, value);
                }
            }
            // The words of `for name in value value` are values of `name`.
            if let [name, keyword, listed @ ..] = command.words.as_slice()
                && keyword.text() == "in"
                && command.program().is_empty()
            {
                for value in listed {
                    values.assign(name.text(), value.text());
                }
            }
        }
        values
    }

    fn assign(&mut self, name: &'a str, value: &'a str) {
        if let Some(rest) = self.command_in(value) {
            self.0.insert(name, rest);
        }
    }

    /// The words after `lessons` where `word` is the program of a command: `$L`, `~/bin/$L`, `$(which x)`.
    fn program_in(&self, word: &'a str) -> Option<Vec<&'a str>> {
        // In `$D/run.sh` the value of `D` is a folder, not the program.
        program_name(word).contains(EXPANSION).then(|| self.command_in(word))?
    }

    /// The words after `lessons` in a text that is run as a command.
    fn command_in(&self, text: &'a str) -> Option<Vec<&'a str>> {
        if text.contains("$(") || text.contains('`') {
            let rest = if text.starts_with('(') { vec![UNKNOWN] } else { Vec::new() };
            return self.is_printed_by(text).then_some(rest);
        }
        let array = text.strip_prefix('(').map(|inside| inside.strip_suffix(')').unwrap_or(inside));
        let mut words = array.unwrap_or(text).split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        let first =
            words.find(|word| !has_role(word, ProgramRole::PlainPrefix) && assignment(word).is_none())?;
        let mut rest = self.words_of(first)?;
        rest.extend(words.take(KEPT + 1));
        if rest.len() > KEPT {
            rest.truncate(KEPT);
            rest.push(UNKNOWN);
        }
        Some(rest)
    }

    /// The words after `lessons` in one word of a command.
    fn words_of(&self, word: &'a str) -> Option<Vec<&'a str>> {
        if is_lessons(word) {
            return Some(Vec::new());
        }
        if let Some(inside) = word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
            let ours = inside.split(',').any(is_lessons);
            return ours.then(|| vec![UNKNOWN]);
        }
        let braced = word.split_once("${").filter(|(before, _)| before.is_empty() || before.ends_with('/'));
        if let Some(inside) = braced.and_then(|(_, rest)| rest.strip_suffix('}')) {
            let inside = inside.trim_start_matches('!');
            let (name, rest) = inside.split_at(name_length(inside));
            let default = rest.trim_start_matches([':', '-', '=', '+']);
            return self.0.get(name).cloned().or_else(|| is_lessons(default).then(Vec::new));
        }
        let last = program_name(word);
        match last.strip_prefix('$') {
            Some(name) => self.0.get(name).cloned(),
            None => could_be(last, "lessons").then(Vec::new),
        }
    }

    /// Whether a substitution may print the name `lessons`: the name is one of its words, and not only a folder
    /// that the substitution enters.
    fn is_printed_by(&self, text: &str) -> bool {
        let parts = |c: char| c.is_whitespace() || "$(){}`\"';&|<>=,:".contains(c);
        let mut before = "";
        text.split(parts).filter(|word| !word.is_empty()).any(|word| {
            let gone_to = matches!(before, "cd" | "pushd" | "-C");
            before = word;
            !gone_to && (is_lessons(word.trim_start_matches('-')) || self.0.contains_key(word))
        })
    }
}

/// Whether a shell pattern may match `name`. Only the literal ends of the pattern are compared.
fn could_be(pattern: &str, name: &str) -> bool {
    let wild = |c: char| matches!(c, '*' | '?' | '[' | ']');
    let (Some(first), Some(last)) = (pattern.find(wild), pattern.rfind(wild)) else { return false };
    let start = pattern.get(..first).unwrap_or_default();
    let end = pattern.get(last + 1..).unwrap_or_default();
    start.len() + end.len() > 2 && name.starts_with(start) && name.ends_with(end)
}

/// The name and the value of an assignment.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    (!name.is_empty() && name_length(name) == name.len()).then_some((name, value))
}

/// The length of the variable name at the start of `text`, in bytes.
fn name_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

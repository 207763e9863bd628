//! The nested code of simple commands: what a command would run besides its own program.

use std::borrow::Cow;
use std::ops::Range;

use super::lexed_command::{CommandKind, LexedCommand, PipelinePosition};
use super::lexed_text::LexedText;
use super::runner::{Reach, Started};
use super::syntax::{Code, LexedWord, add_nested_code};
use super::wrapper;

/// The most levels of text inside text that are read. With more a short text could cost much.
pub(super) const MAX_LEVELS: usize = 4;

/// The most commands of a pipeline in front of a program whose text it is taken to read: `echo ... | tee log | psql`. With more
/// a long pipeline of such programs could cost the square of its length.
const MOST_STAGES: usize = 4;

/// The nested code of one simple command, and the commands among its words.
#[derive(Debug, Default)]
pub(super) struct NestedCommands<'s, 'a> {
    /// The number of words in front of the program.
    pub(super) prefix: usize,
    /// The ranges of words that are commands of their own: those after `xargs` or `-exec`.
    pub(super) started: Vec<Range<usize>>,
    /// The texts and lists that would run, such as substitutions and the text of `sh -c`.
    pub(super) code: Vec<NestedCode<'s, 'a>>,
    /// The ranges of words that are commands behind a runner: in an environment, a container or on another machine.
    pub(super) behind: Vec<Range<usize>>,
    /// The texts that a shell behind a runner reads.
    pub(super) code_behind: Vec<Code<'s, 'a>>,
    /// The text that a program reads and runs that is no shell: SQL, Python.
    pub(super) input: String,
}

/// A piece of nested code and its position.
#[derive(Debug)]
pub(super) struct NestedCode<'s, 'a> {
    /// The index of the command's word that holds it; `None` where it is in an assignment or a redirection, or is
    /// text that the command gives to a shell.
    pub(super) word: Option<usize>,
    pub(super) code: Code<'s, 'a>,
}

/// The nested code of each command of a list, in the order of the commands. Variables stay as they were typed.
pub(super) fn nested_commands<'s, 'a>(
    lexed: &'s LexedText<'a>,
    commands: &[LexedCommand<'s, 'a>],
) -> Vec<NestedCommands<'s, 'a>> {
    nested_commands_with(lexed, commands, |_, command| command.words.iter().map(|word| word.text()).collect())
}

/// The same as [`nested_commands`], with the words that `words_of` gives for the command at an index: the caller may
/// have expanded variables in them.
pub(super) fn nested_commands_with<'s, 'a, 'w>(
    lexed: &'s LexedText<'a>,
    commands: &[LexedCommand<'s, 'a>],
    words_of: impl Fn(usize, &LexedCommand<'s, 'a>) -> Vec<Cow<'w, str>>,
) -> Vec<NestedCommands<'s, 'a>> {
    let mut all = Vec::with_capacity(commands.len());
    // From the right, because a shell at the end of a pipeline runs what is written on its left.
    let mut shell_reads = false;
    for (index, command) in commands.iter().enumerate().rev() {
        let mut nested = NestedCommands::default();
        add_expansions(lexed, command, &mut nested.code);
        if command.kind == CommandKind::Simple {
            let texts = words_of(index, command);
            let words: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let found = wrapper::started_by(&words);
            nested.prefix = found.prefix;
            let text_of = |text| NestedCode { word: None, code: Code::Text(Cow::Owned(text)) };
            let (mut reads, mut reads_behind) = (false, false);
            for started in found.started {
                match started {
                    (Started::Text(text), Reach::Here) => nested.code.push(text_of(text)),
                    (Started::Input, Reach::Here) => reads = true,
                    (Started::Command(range), Reach::Here) => nested.started.push(range),
                    (Started::Text(text), Reach::Behind) => {
                        nested.code_behind.push(Code::Text(Cow::Owned(text)));
                    }
                    (Started::Input, Reach::Behind) => reads_behind = true,
                    (Started::Command(range), Reach::Behind) => nested.behind.push(range),
                }
            }
            let starts = nested.started.iter().chain(&nested.behind).map(|range| range.start);
            let reader = starts
                .chain([nested.prefix])
                .filter_map(|at| words.get(at))
                .find(|word| wrapper::runs_input(word));
            if reads_behind || reader.is_some() {
                let written = read_text(lexed, commands, index, &words_of);
                if reads_behind {
                    nested.code_behind.push(Code::Text(Cow::Owned(written)));
                } else {
                    let calls = reader.map_or_else(Vec::new, |program| wrapper::calls_in(program, &written));
                    nested.code.extend(calls.into_iter().map(text_of));
                    nested.input = written;
                }
            }
            if shell_reads && let Some(text) = wrapper::printed_text(&words) {
                nested.code.push(text_of(text));
            }
            if reads || shell_reads {
                add_input(lexed, command, &mut nested.code);
            }
            shell_reads |= reads;
        }
        shell_reads &= command.pipeline_position == PipelinePosition::Later;
        all.push(nested);
    }
    all.reverse();
    all
}

/// The text that a command reads: its heredocs and here-strings, and what the commands in front of it in the pipeline print or
/// copy.
fn read_text<'s, 'a, 'w>(
    lexed: &'s LexedText<'a>,
    commands: &[LexedCommand<'s, 'a>],
    index: usize,
    words_of: &impl Fn(usize, &LexedCommand<'s, 'a>) -> Vec<Cow<'w, str>>,
) -> String {
    let Some(before) = commands.get(..=index) else { return String::new() };
    let goes_on = |command: &&LexedCommand<'_, '_>| command.pipeline_position == PipelinePosition::Later;
    let stages = before.iter().rev().take(MOST_STAGES).take_while(goes_on).count();
    let start = index.saturating_sub(stages);
    let mut text = String::new();
    for (position, command) in before.iter().enumerate().skip(start) {
        if position < index {
            let words = words_of(position, command);
            text.extend(wrapper::printed_text(&words.iter().map(AsRef::as_ref).collect::<Vec<_>>()));
        }
        let mut code = Vec::new();
        add_input(lexed, command, &mut code);
        for nested in &code {
            if let Code::Text(part) = &nested.code {
                text.push_str(part);
            }
        }
    }
    text
}

/// Adds the substitutions in the words, targets and heredoc bodies of a command.
fn add_expansions<'s, 'a>(
    lexed: &'s LexedText<'a>,
    command: &LexedCommand<'s, 'a>,
    found: &mut Vec<NestedCode<'s, 'a>>,
) {
    let mut inside = |word: Option<usize>, part: &'s LexedWord<'a>| {
        let mut inner = Vec::new();
        add_nested_code(&part.parts, &mut inner);
        found.extend(inner.into_iter().map(|code| NestedCode { word, code }));
    };
    command.assignments.iter().for_each(|part| inside(None, part));
    command.words.iter().enumerate().for_each(|(word, part)| inside(Some(word), part));
    for redirection in command.redirections.iter().filter(|redirection| redirection.heredoc.is_none()) {
        redirection.target.iter().for_each(|part| inside(None, part));
    }
    let bodies = command
        .redirections
        .iter()
        .filter_map(|redirection| lexed.heredoc(redirection))
        .filter(|heredoc| !heredoc.literal)
        .map(|heredoc| heredoc.body);
    let quoted = command.arithmetic.into_iter().chain(bodies);
    found.extend(quoted.map(|text| NestedCode { word: None, code: Code::Expansions(text) }));
}

/// Adds the heredocs and here-strings of a command as text for a shell.
fn add_input<'s, 'a>(
    lexed: &'s LexedText<'a>,
    command: &LexedCommand<'s, 'a>,
    found: &mut Vec<NestedCode<'s, 'a>>,
) {
    for redirection in &command.redirections {
        let text = match (lexed.heredoc(redirection), &redirection.target) {
            (Some(heredoc), _) => Cow::Borrowed(heredoc.body),
            (None, Some(word)) if redirection.operator == "<<<" => word.text(),
            _ => continue,
        };
        found.push(NestedCode { word: None, code: Code::Text(text) });
    }
}

//! The nested code of simple commands: what a command would run besides its own program.

use std::borrow::Cow;
use std::ops::Range;

use super::lexed_command::{self, CommandKind, LexedCommand, PipelinePosition};
use super::lexed_text::LexedText;
use super::runner::{Reach, Started};
use super::syntax::{Code, LexedWord, SpacedToken, each_code};
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
    /// The ranges of words that are commands of their own, such as those after `xargs` or `-exec`: first those that run here.
    pub(super) started: Vec<(Range<usize>, Reach)>,
    /// The texts and lists that would run, such as substitutions and the text of `sh -c`: first those that run here.
    pub(super) code: Vec<NestedCode<'s, 'a>>,
    /// The text that a program reads and runs that is no shell: SQL, Python.
    pub(super) input: String,
}

/// A piece of nested code and its position.
#[derive(Debug)]
pub(super) struct NestedCode<'s, 'a> {
    /// The index of the command's word that holds it; `None` where it is in an assignment or a redirection, or is
    /// text that the command gives to a shell.
    pub(super) word: Option<usize>,
    pub(super) reach: Reach,
    pub(super) code: Code<'s, 'a>,
}

impl<'s> NestedCode<'s, '_> {
    /// A text that the command gives to a shell.
    fn text(text: impl Into<Cow<'s, str>>, reach: Reach) -> Self {
        Self { word: None, reach, code: Code::Text(text.into()) }
    }
}

impl<'s, 'a> NestedCommands<'s, 'a> {
    /// The code that runs here.
    pub(super) fn code_here(self) -> impl Iterator<Item = NestedCode<'s, 'a>> {
        self.code.into_iter().filter(|nested| nested.reach == Reach::Here)
    }
}

/// The code that a list in `lexed` would run here besides its own programs.
pub(super) fn code_here<'s, 'a>(
    list: &'s [SpacedToken<'a>],
    lexed: &'s LexedText<'a>,
) -> impl Iterator<Item = Code<'s, 'a>> {
    let commands = lexed_command::simple_commands(list, lexed);
    nested_commands(&commands).into_iter().flat_map(NestedCommands::code_here).map(|nested| nested.code)
}

/// The nested code of each command of a list, in the order of the commands. Variables stay as they were typed.
pub(super) fn nested_commands<'s, 'a>(commands: &[LexedCommand<'s, 'a>]) -> Vec<NestedCommands<'s, 'a>> {
    let words = |command: &LexedCommand<'_, 'a>| command.words.iter().map(|word| word.text()).collect();
    nested_commands_of(commands, &commands.iter().map(words).collect::<Vec<Vec<Cow<'_, str>>>>())
}

/// The same as [`nested_commands`], with the words of each command, in which the caller may have expanded variables.
pub(super) fn nested_commands_of<'s, 'a, W: AsRef<str>>(
    commands: &[LexedCommand<'s, 'a>],
    words: &[Vec<W>],
) -> Vec<NestedCommands<'s, 'a>> {
    let mut all = Vec::with_capacity(commands.len());
    // From the right, because a shell at the end of a pipeline runs what is written on its left.
    let mut shell_reads = false;
    for (index, (command, texts)) in commands.iter().zip(words).enumerate().rev() {
        let mut nested = NestedCommands::default();
        add_expansions(command, &mut nested.code);
        if command.kind == CommandKind::Simple {
            let own: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let found = wrapper::started_by(&own);
            nested.prefix = found.prefix;
            let (mut reads, mut reads_behind) = (false, false);
            for (started, reach) in found.started {
                match started {
                    Started::Command(range) => nested.started.push((range, reach)),
                    Started::Text(text) => nested.code.push(NestedCode::text(text, reach)),
                    Started::Input if reach == Reach::Here => reads = true,
                    Started::Input => reads_behind = true,
                }
            }
            nested.started.sort_by_key(|(_, reach)| *reach);
            let starts = nested.started.iter().map(|(range, _)| range.start);
            let mut programs = starts.chain([nested.prefix]).filter_map(|at| own.get(at));
            let reader = programs.find(|word| wrapper::runs_input(word));
            if reads_behind {
                let written = read_text(commands, index, words);
                nested.code.push(NestedCode::text(written, Reach::Behind));
            } else if let Some(program) = reader {
                nested.input = read_text(commands, index, words);
                let calls = wrapper::calls_in(program, &nested.input);
                nested.code.extend(calls.into_iter().map(|call| NestedCode::text(call, Reach::Here)));
            }
            if shell_reads && let Some(text) = wrapper::printed_text(&own) {
                nested.code.push(NestedCode::text(text, Reach::Here));
            }
            if reads || shell_reads {
                nested.code.extend(input(command).map(|text| NestedCode::text(text, Reach::Here)));
            }
            shell_reads |= reads;
            nested.code.sort_by_key(|nested| nested.reach);
        }
        shell_reads &= command.pipeline_position == PipelinePosition::Later;
        all.push(nested);
    }
    all.reverse();
    all
}

/// The text that a command reads: its heredocs and here-strings, and what the commands in front of it in the pipeline print or
/// copy.
fn read_text<W: AsRef<str>>(commands: &[LexedCommand<'_, '_>], index: usize, words: &[Vec<W>]) -> String {
    let goes_on = |command: &&LexedCommand<'_, '_>| command.pipeline_position == PipelinePosition::Later;
    let stages = commands.iter().take(index + 1).rev().take(MOST_STAGES).take_while(goes_on).count();
    let mut text = String::new();
    let before = commands.iter().zip(words).take(index).skip(index.saturating_sub(stages));
    for (command, words) in before {
        text.extend(wrapper::printed_text(&words.iter().map(AsRef::as_ref).collect::<Vec<_>>()));
        text.extend(input(command));
    }
    text.extend(commands.get(index).into_iter().flat_map(input));
    text
}

/// Adds the substitutions in the words, targets and heredoc bodies of a command.
fn add_expansions<'s, 'a>(command: &LexedCommand<'s, 'a>, found: &mut Vec<NestedCode<'s, 'a>>) {
    let mut inside = |word: Option<usize>, part: &'s LexedWord<'a>| {
        each_code(&part.parts, &mut |code| found.push(NestedCode { word, reach: Reach::Here, code }));
    };
    command.assignments.iter().for_each(|part| inside(None, part));
    command.words.iter().enumerate().for_each(|(word, part)| inside(Some(word), part));
    for redirection in command.redirections.iter().filter(|redirection| redirection.heredoc.is_none()) {
        redirection.target.iter().for_each(|part| inside(None, part));
    }
    let heredocs = command.redirections.iter().filter_map(|redirection| command.heredoc(redirection));
    let bodies = heredocs.filter(|heredoc| !heredoc.literal).map(|heredoc| heredoc.body);
    let quoted = command.arithmetic.into_iter().chain(bodies).map(Code::Expansions);
    found.extend(quoted.map(|code| NestedCode { word: None, reach: Reach::Here, code }));
}

/// The heredocs and here-strings that a command reads.
fn input<'s>(command: &LexedCommand<'s, '_>) -> impl Iterator<Item = Cow<'s, str>> {
    command.redirections.iter().filter_map(|redirection| {
        match (command.heredoc(redirection), &redirection.target) {
            (Some(heredoc), _) => Some(Cow::Borrowed(heredoc.body)),
            (None, Some(word)) if redirection.operator == "<<<" => Some(word.text()),
            _ => None,
        }
    })
}

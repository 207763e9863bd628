//! What a simple command would run besides its own program: substitutions, text for a shell, the commands of wrappers.

use std::borrow::Cow;
use std::ops::Range;

use super::lexed_command::{CommandKind, LexedCommand, PipelinePosition};
use super::lexed_text::LexedText;
use super::syntax::{Code, LexedWord};
use super::wrapper::{self, Started};

/// The most levels of text inside text that are read. More would let a short text cost much.
pub(super) const MAX_LEVELS: usize = 4;

/// What one simple command would run besides its own program.
#[derive(Debug, Default)]
pub(super) struct NestedCommands<'s, 'a> {
    /// How many words stand in front of the program.
    pub(super) prefix: usize,
    /// Words that are a command of their own, as ranges.
    pub(super) started: Vec<Range<usize>>,
    /// Texts and lists that would run.
    pub(super) code: Vec<NestedCode<'s, 'a>>,
}

/// Something that would run besides the command itself.
#[derive(Debug)]
pub(super) struct NestedCode<'s, 'a> {
    /// The word of the command that it stands in, where it stands in one.
    pub(super) word: Option<usize>,
    pub(super) code: Code<'s, 'a>,
}

/// What each command of a list hands on, in the order of the commands. Variables stay as they were typed.
pub(super) fn nested_commands<'s, 'a>(
    lexed: &'s LexedText<'a>,
    commands: &[LexedCommand<'s, 'a>],
) -> Vec<NestedCommands<'s, 'a>> {
    nested_commands_with(lexed, commands, |_, command| command.words.iter().map(|word| word.text()).collect())
}

/// The same, where `words_of` knows the words that the command at a position has once its variables are expanded.
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
            let mut add =
                |text| nested.code.push(NestedCode { word: None, code: Code::Text(Cow::Owned(text)) });
            let mut reads = false;
            for started in found.started {
                match started {
                    Started::Text(text) => add(text),
                    Started::Input => reads = true,
                    Started::Command(range) => nested.started.push(range),
                }
            }
            if shell_reads && let Some(text) = wrapper::printed_text(&words) {
                add(text);
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

/// Substitutions in the words, targets and heredoc bodies of a command.
fn add_expansions<'s, 'a>(
    lexed: &'s LexedText<'a>,
    command: &LexedCommand<'s, 'a>,
    found: &mut Vec<NestedCode<'s, 'a>>,
) {
    let mut inside = |word: Option<usize>, part: &'s LexedWord<'a>| {
        let mut inner = Vec::new();
        part.add_nested_code(&mut inner);
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

/// The heredocs and here-strings of a command, as commands.
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

//! The simple commands of a list, as the lexer read them.

use super::syntax::{LexedRedirection, LexedWord, SpacedToken, Token};

/// The position of a simple command in its pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelinePosition {
    /// It begins a pipeline, which may have no other command.
    First,
    /// It reads what the command before it writes.
    Later,
}

/// Whether a [`LexedCommand`] runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandKind {
    /// A simple command.
    Simple,
    /// The head of a `for` or `case`, the pattern of a `case`, or arithmetic: it holds expansions, but runs nothing of
    /// its own.
    CompoundHead,
}

/// What is known of when a command runs. Only a certain assignment tells the value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Execution {
    /// Whenever its list does, once, in the shell that runs the list.
    Certain,
    /// Perhaps never, several times, or in a shell of its own: in a compound command, behind `&&` or `||`, in a
    /// pipeline, in the background.
    Uncertain,
}

/// A simple command, or the head of a compound one, as references to its tokens.
#[derive(Debug)]
pub(super) struct LexedCommand<'s, 'a> {
    pub(super) pipeline_position: PipelinePosition,
    /// Whether it can read what a command before it writes: by its own position or by that of the loop around it.
    pub(super) reads_pipe: bool,
    /// Whether it runs only if the command before it failed.
    pub(super) runs_after_failure: bool,
    pub(super) kind: CommandKind,
    pub(super) execution: Execution,
    /// The words `name=value` in front of the command's name.
    pub(super) assignments: Vec<&'s LexedWord<'a>>,
    /// The other words, from the command's name on.
    pub(super) words: Vec<&'s LexedWord<'a>>,
    pub(super) redirections: Vec<&'s LexedRedirection<'a>>,
    /// The text inside `((…))`.
    pub(super) arithmetic: Option<&'a str>,
}

impl<'s, 'a> LexedCommand<'s, 'a> {
    fn new(pipeline_position: PipelinePosition, kind: CommandKind) -> Self {
        Self {
            pipeline_position,
            reads_pipe: pipeline_position == PipelinePosition::Later,
            runs_after_failure: false,
            kind,
            execution: Execution::Uncertain,
            assignments: Vec::new(),
            words: Vec::new(),
            redirections: Vec::new(),
            arithmetic: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.assignments.is_empty()
            && self.words.is_empty()
            && self.redirections.is_empty()
            && self.arithmetic.is_none()
    }

    /// Adds a word: an assignment if it is one and no other word stands before it.
    fn add_word(&mut self, word: &'s LexedWord<'a>) {
        if self.kind == CommandKind::Simple && self.words.is_empty() && word.is_assignment() {
            self.assignments.push(word);
        } else {
            self.words.push(word);
        }
    }
}

/// The simple commands of a list, and the heads of its compound commands, in order.
pub(super) fn simple_commands<'s, 'a>(list: &'s [SpacedToken<'a>]) -> Vec<LexedCommand<'s, 'a>> {
    let mut done = Vec::new();
    let mut current = LexedCommand::new(PipelinePosition::First, CommandKind::Simple);
    let mut state = ListState::default();
    current.execution = state.execution();
    // The index of the first command of the current and-or list.
    let mut statement = 0;
    for spaced in list {
        current.reads_pipe |= state.behind_pipe.is_some();
        let reads_pipe = current.reads_pipe;
        match &spaced.token {
            Token::Word(word) => current.add_word(word),
            Token::Redirection(redirection) => current.redirections.push(redirection),
            Token::OtherWord(word) => {
                let mut head = LexedCommand::new(PipelinePosition::First, CommandKind::CompoundHead);
                head.words.push(word);
                done.push(head);
            }
            Token::Arithmetic { inner, .. } => {
                let mut head = LexedCommand::new(PipelinePosition::First, CommandKind::CompoundHead);
                head.arithmetic = Some(inner);
                done.push(head);
            }
            Token::ReservedWord("\n" | "time" | "-p") => {}
            Token::ReservedWord(text) if text.starts_with('(') && text.len() > 1 => {
                // The words before these parentheses are the name of a function, not a command.
                current = LexedCommand::new(PipelinePosition::First, CommandKind::Simple);
            }
            Token::ReservedWord(text) => {
                let kind = if matches!(*text, "for" | "select" | "case") {
                    CommandKind::CompoundHead
                } else {
                    CommandKind::Simple
                };
                let pipeline_position =
                    if current.is_empty() { current.pipeline_position } else { PipelinePosition::First };
                finish(&mut done, &mut current, pipeline_position, kind);
                // Parentheses that are reserved words belong to the patterns of a `case`.
                if !matches!(*text, "(" | ")") {
                    state.step_over(text, reads_pipe);
                }
            }
            Token::Operator(text) => {
                if matches!(*text, "|" | "|&" | "&") {
                    current.execution = Execution::Uncertain;
                }
                if *text == "&" {
                    // All of `a && b &` runs in the background.
                    done.iter_mut()
                        .skip(statement)
                        .for_each(|command| command.execution = Execution::Uncertain);
                }
                let pipe = matches!(*text, "|" | "|&");
                // A newline after `|` does not end the pipeline.
                let kept = current.is_empty()
                    && current.pipeline_position == PipelinePosition::Later
                    && *text == "\n";
                let pipeline_position =
                    if pipe || kept { PipelinePosition::Later } else { PipelinePosition::First };
                let goes_on = current.is_empty() && *text == "\n";
                // A newline after `||` ends nothing.
                let runs_after_failure = *text == "||" || (goes_on && current.runs_after_failure);
                finish(&mut done, &mut current, pipeline_position, CommandKind::Simple);
                current.runs_after_failure = runs_after_failure;
                if !goes_on || !state.is_joined {
                    state.step_over(text, reads_pipe);
                }
                if !state.is_joined {
                    statement = done.len();
                }
                current.execution = state.execution();
            }
        }
    }
    finish(&mut done, &mut current, PipelinePosition::First, CommandKind::Simple);
    done
}

/// The state of a list in front of the next command.
#[derive(Debug, Default)]
struct ListState {
    /// The number of open compound commands.
    open: usize,
    /// The number of them around the outermost one that stands behind a pipe.
    behind_pipe: Option<usize>,
    /// Whether `&&`, `||` or a pipe stands in front.
    is_joined: bool,
}

impl ListState {
    fn execution(&self) -> Execution {
        if self.open == 0 && !self.is_joined { Execution::Certain } else { Execution::Uncertain }
    }

    /// Steps over an operator or a reserved word, which reads a pipe if it begins a command behind one. A command directly
    /// after a reserved word is never [`Execution::Certain`].
    fn step_over(&mut self, token: &str, reads_pipe: bool) {
        match token {
            "if" | "while" | "until" | "for" | "select" | "case" | "{" | "(" => {
                self.behind_pipe = self.behind_pipe.or(reads_pipe.then_some(self.open));
                self.open += 1;
            }
            "fi" | "done" | "esac" | "}" | ")" => {
                self.open = self.open.saturating_sub(1);
                self.behind_pipe = self.behind_pipe.filter(|open| *open < self.open);
            }
            _ => {}
        }
        self.is_joined = matches!(token, "&&" | "||" | "|" | "|&");
    }
}

/// Ends the current command and begins the next one.
fn finish<'s, 'a>(
    done: &mut Vec<LexedCommand<'s, 'a>>,
    current: &mut LexedCommand<'s, 'a>,
    pipeline_position: PipelinePosition,
    kind: CommandKind,
) {
    let finished = std::mem::replace(current, LexedCommand::new(pipeline_position, kind));
    if !finished.is_empty() {
        done.push(finished);
    }
}

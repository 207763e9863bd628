//! The simple commands of a list, as the lexer read them.

use super::lexed_text::LexedText;
use super::syntax::{Heredoc, LexedRedirection, LexedWord, SpacedToken, Token};

/// The position of a simple command in its pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PipelinePosition {
    /// It begins a pipeline, which may have no other command.
    #[default]
    First,
    /// It reads what the command before it writes.
    Later,
}

/// Whether a [`LexedCommand`] runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum CommandKind {
    /// A simple command.
    #[default]
    Simple,
    /// The head of a `for` or `case`, the pattern of a `case`, or arithmetic: it holds expansions, but runs nothing of
    /// its own.
    CompoundHead,
}

/// A simple command, or the head of a compound one, as references to its tokens.
#[derive(Debug, Default)]
pub(super) struct LexedCommand<'s, 'a> {
    pub(super) pipeline_position: PipelinePosition,
    /// Whether it can read what a command before it writes: by its own position or by that of the loop around it.
    pub(super) reads_pipe: bool,
    /// Whether it runs only if the command before it failed.
    pub(super) runs_after_failure: bool,
    pub(super) kind: CommandKind,
    /// Whether it runs whenever its list does, once, in the shell that runs the list: only such an assignment tells the value
    /// of a variable. Others run perhaps never, several times, or in a shell of their own: in a compound command, behind `&&`
    /// or `||`, in a pipeline, in the background.
    pub(super) is_certain: bool,
    /// The words `name=value` in front of the command's name.
    pub(super) assignments: Vec<&'s LexedWord<'a>>,
    /// The other words, from the command's name on.
    pub(super) words: Vec<&'s LexedWord<'a>>,
    pub(super) redirections: Vec<&'s LexedRedirection<'a>>,
    /// The text inside `((…))`.
    pub(super) arithmetic: Option<&'a str>,
    /// The heredocs of the text in which it stands.
    pub(super) heredocs: &'s [Heredoc<'a>],
}

impl<'s, 'a> LexedCommand<'s, 'a> {
    /// The heredoc that one of its redirections opens.
    pub(super) fn heredoc(&self, redirection: &LexedRedirection<'a>) -> Option<&'s Heredoc<'a>> {
        self.heredocs.get(redirection.heredoc?)
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

/// The head of a compound command, still without words.
fn head<'s, 'a>() -> LexedCommand<'s, 'a> {
    LexedCommand { kind: CommandKind::CompoundHead, ..LexedCommand::default() }
}

/// The simple commands of a list in `lexed`, and the heads of its compound commands, in order.
pub(super) fn simple_commands<'s, 'a>(
    list: &'s [SpacedToken<'a>],
    lexed: &'s LexedText<'a>,
) -> Vec<LexedCommand<'s, 'a>> {
    let mut reader = Reader::default();
    reader.current.is_certain = true;
    for spaced in list {
        let current = &mut reader.current;
        current.reads_pipe |=
            current.pipeline_position == PipelinePosition::Later || reader.behind_pipe.is_some();
        match &spaced.token {
            Token::Word(word) => current.add_word(word),
            Token::Redirection(redirection) => current.redirections.push(redirection),
            Token::OtherWord(word) => reader.done.push(LexedCommand { words: vec![word], ..head() }),
            Token::Arithmetic { inner, .. } => {
                reader.done.push(LexedCommand { arithmetic: Some(inner), ..head() });
            }
            Token::ReservedWord("\n" | "time" | "-p") => {}
            Token::ReservedWord(text) if text.starts_with('(') && text.len() > 1 => {
                // The words before these parentheses are the name of a function, not a command.
                *current = LexedCommand::default();
            }
            Token::ReservedWord(text) => reader.reserved_word(text),
            Token::Operator(text) => reader.operator(text),
        }
    }
    reader.begin(LexedCommand::default());
    for command in &mut reader.done {
        command.heredocs = &lexed.heredocs;
    }
    reader.done
}

/// The reading of a list, in front of the next token.
#[derive(Debug, Default)]
struct Reader<'s, 'a> {
    done: Vec<LexedCommand<'s, 'a>>,
    current: LexedCommand<'s, 'a>,
    /// The index of the first command of the current and-or list.
    statement: usize,
    /// The number of open compound commands.
    open: usize,
    /// The number of them around the outermost one that stands behind a pipe.
    behind_pipe: Option<usize>,
    /// Whether `&&`, `||` or a pipe stands in front.
    is_joined: bool,
}

impl<'s, 'a> Reader<'s, 'a> {
    /// Ends the current command and begins the next one.
    fn begin(&mut self, next: LexedCommand<'s, 'a>) {
        let finished = std::mem::replace(&mut self.current, next);
        if !finished.is_empty() {
            self.done.push(finished);
        }
    }

    fn reserved_word(&mut self, text: &str) {
        let LexedCommand { pipeline_position, reads_pipe, .. } = self.current;
        let pipeline_position =
            if self.current.is_empty() { pipeline_position } else { PipelinePosition::First };
        let begun = if matches!(text, "for" | "select" | "case") { head() } else { LexedCommand::default() };
        self.begin(LexedCommand { pipeline_position, ..begun });
        // Parentheses that are reserved words belong to the patterns of a `case`.
        if !matches!(text, "(" | ")") {
            self.step_over(text, reads_pipe);
        }
    }

    fn operator(&mut self, text: &str) {
        if matches!(text, "|" | "|&" | "&") {
            self.current.is_certain = false;
        }
        if text == "&" {
            // All of `a && b &` runs in the background.
            self.done.iter_mut().skip(self.statement).for_each(|command| command.is_certain = false);
        }
        let LexedCommand { pipeline_position, reads_pipe, runs_after_failure, .. } = self.current;
        // A newline after `|` or `||` ends nothing.
        let goes_on = self.current.is_empty() && text == "\n";
        let pipeline_position = match text {
            "|" | "|&" => PipelinePosition::Later,
            _ if goes_on => pipeline_position,
            _ => PipelinePosition::First,
        };
        let runs_after_failure = text == "||" || (goes_on && runs_after_failure);
        self.begin(LexedCommand { pipeline_position, runs_after_failure, ..LexedCommand::default() });
        if !goes_on || !self.is_joined {
            self.step_over(text, reads_pipe);
        }
        if !self.is_joined {
            self.statement = self.done.len();
        }
        self.current.is_certain = self.open == 0 && !self.is_joined;
    }

    /// Steps over an operator or a reserved word, which reads a pipe if it begins a command behind one. A command directly
    /// after a reserved word is never certain to run.
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

//! Bash command lines, read for matching: which programs a command would run, and with which words.
//!
//! One lexer reads a command line the way bash does: quotes, escapes, substitutions, heredocs, comments, reserved words.
//! The names are those of the POSIX shell grammar: simple commands, lists, pipelines, words, expansions, redirections.
//!
//! In reading order:
//!
//! - `syntax`: tokens, words with their quoting, redirections and heredocs, as data.
//! - `lexer`: the lexer's state and its steps, one file each; `lexed_text` is its result.
//! - `lexed_command`: the simple commands of a list.
//! - [`programs`], `known`: the table of programs known by name, and its columns.
//!   `beginnings`: how some names begin.
//! - `wrapper`: programs that run other programs; `runner`: those that do so elsewhere. `nested`: the code that a command
//!   runs besides its own program.
//! - `normal_form`: the words of a command without the global options of its program.
//! - `variables`: variables whose value the command line alone tells.
//! - `command_line`: the [`CommandLine`] of one call and its views. [`CommandLine::without_heredocs`] is the command as
//!   typed, without the bodies of heredocs. `executable` ([`CommandLine::executable`]) is the text of what would run,
//!   and `invocation` ([`CommandLine::invocations`]) one text for each simple command; both state their rules.
//! - `script` ([`script()`]): the same commands as data. `operators` ([`operators()`]): how they are joined.
//! - `changed_files` ([`Script::changed_files`]): the files that a command line plainly writes, removes or alters.
//! - `plain`: command lines so simple that their views are parts of the text as typed.
//!
//! Invariants: this crate runs nothing, expands nothing and reads no file. It accepts every text, also one that bash would
//! reject: what is not closed ends where the text ends. Work is linear in the text, and nested code is read four levels
//! deep at most.

mod beginnings;
mod changed_files;
mod command_line;
mod embedded;
mod executable;
mod invocation;
mod known;
mod lexed_command;
mod lexed_text;
mod lexer;
mod nested;
mod normal_form;
mod operators;
mod plain;
pub mod programs;
mod runner;
mod script;
mod syntax;
mod variables;
mod wrapper;

#[cfg(test)]
mod tests;

pub use changed_files::{ChangedFile, FileChange, may_write};
pub use command_line::CommandLine;
pub use executable::SUBSTITUTE;
pub use invocation::CommandSource;
pub use known::{KnownProgram, ProgramRole};
pub use lexed_command::PipelinePosition;
pub use normal_form::command_kind;
pub use operators::operators;
pub use plain::{is_plain_command, plain_words};
pub use script::{CommandContext, ParentCommand, Redirection, Script, SimpleCommand, Word, script};
pub use wrapper::{program_name, runs_elsewhere};

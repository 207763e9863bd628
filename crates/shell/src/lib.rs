//! Command lines of Bash, read for matching.
//!
//! One small lexer reads a command line the way bash does: quotes, escapes, substitutions, heredocs,
//! comments, reserved words. It runs nothing, expands nothing, is linear in the text and accepts any
//! text at all: what is not closed ends where the text ends. The names are those of the POSIX shell
//! grammar: simple commands, lists, pipelines, words, expansions, redirections.
//!
//! - [`CommandLine::without_heredocs`]: the command as typed, without the bodies of heredocs.
//! - [`CommandLine::executable`]: what would run, as text.
//! - [`CommandLine::invocations`]: each simple command that would run, from its program's name on.
//! - [`script`]: what would run, command by command and word by word; [`operators`]: how they are joined.
//!
//! # What `executable` writes
//!
//! The aim is that a refusal is never wrong on quoted text and rarely missed. So:
//!
//! - Comments and heredoc bodies go, joined lines are joined, blank lines and the blanks at both ends
//!   of a line go. Everything else of unquoted text stays as it is.
//! - What is not shown is replaced by [`SUBSTITUTE`], a character that commands do not hold; here it is `…`.
//! - A quoted part without white space loses its quotes: `"git" 'stash'` is `git stash`. In it, each of
//!   `; & | < >`, a backtick, and the `$` of `$(` becomes `…`, because unquoted it would look like
//!   structure: `grep 'curl|sh'` is not a pipe. So does an escaped one: `\;`.
//! - A quoted part with white space is `"…"`, and an escaped blank is `…`. No sensible pattern matches
//!   these; an argument stays an argument.
//! - An empty word is `""`, since `sed -i ''` and `sed -i` differ.
//! - `\git` is `git`. `$'a\x20b'` is decoded first. A variable stays `$name`, also out of quotes.
//! - A substitution stays where it is, its inside written by these same rules: `rm $(ls)`. White space
//!   inside it does not make the quotes around it blank: `"$(git log)"` is `$(git log)`.
//! - Then follows, each on lines of its own, what else would run: the inside of `$(…)`, `<(…)`, `>(…)`
//!   and backticks, wherever bash expands them (between double quotes, in arithmetic, in the body of a
//!   heredoc whose delimiter is not quoted); the text of `sh -c`, `eval`, `trap`, `watch`, `env -S`,
//!   `su -c`; a heredoc or here-string into a shell, also through a pipe (`cat <<EOF | sh`), and what
//!   `echo` or `printf` writes into one. Programs that only start another one (`sudo`, `env`,
//!   `timeout 5`, `xargs`, `find -exec`, `docker exec`) may stand in front of the shell.
//! - Such text is read by the same rules, four levels deep. Deeper text is not looked into.
//! - Text for another machine (`ssh host '…'`) and for other languages (`python -c '…'`) is quoted text.
//! - Text after an unclosed quote is quoted: a shell would run none of it.
//!
//! # What `invocations` writes
//!
//! One text for each simple command that would run, so that a pattern begins with the program's name:
//!
//! - Assignments, reserved words and operators are no part of it, nor is what only starts the program: `sudo -u bob`,
//!   `env A=1`, `timeout 5`, `xargs -n 1`. The program's name stands without its folder.
//! - Words are joined by one blank, and their quotes are gone. Only quoted text with white space, or with one of
//!   `; & | < >`, a backtick or `$(`, keeps quotes, always double ones: `git commit -m "git stash"`. An empty word is `""`.
//! - Redirections stand behind the words: `sort f > g`. Those of a compound command are a text of their own.
//! - A substitution stands in its word as `executable` writes it, and its commands are texts of their own.
//! - A variable stands as it was typed, unless an earlier `x=word` tells its value: an assignment that is a statement
//!   of its own, literal, not empty, without white space, in the same shell, and outside of pipelines, loops and conditions.
//! - What a shell, an `eval` or a substitution would run is read in the same way, four levels deep.

mod ansi;
mod command_line;
mod executable;
mod heredoc;
mod invocation;
mod known;
mod lexed_command;
mod lexed_text;
mod lexer;
mod list;
mod nested;
mod operators;
mod plain;
pub mod programs;
mod script;
mod syntax;
mod variables;
mod word;
mod wrapper;

#[cfg(test)]
mod tests;

pub use command_line::CommandLine;
pub use executable::SUBSTITUTE;
pub use known::{KnownProgram, ProgramRole};
pub use lexed_command::PipelinePosition;
pub use operators::operators;
pub use plain::{is_plain_command, plain_words};
pub use script::{
    CommandContext, Completeness, ParentCommand, Redirection, Script, SimpleCommand, Word, script,
};
pub use wrapper::program_name;

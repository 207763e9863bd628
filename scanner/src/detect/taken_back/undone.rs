//! What is undone: a name that the next edit takes out again, a file that is brought back, a commit.

use std::collections::HashSet;

use lessons_shell::ProgramRole;
use lessons_shell::programs::has_role;

use super::again::SHORTEST;
use crate::detect::aim::acts;
use crate::detect::aim::triggers::with_trigger;
use crate::detect::command::Command;
use crate::detect::command::options::{holds, lists};
use crate::detect::history::Step;
use crate::tag::trial::fires;
use crate::transcript::ToolCall;

/// Parts of the commands that undo something.
pub(super) const UNDOING: [&str; 5] = ["git checkout", "git restore", "git re", "rm ", "git rm"];
/// Words before a name that is defined.
const DEFINES: &str = "class const def enum fn func fun function interface let struct type val var";

/// The name in code that an edit put in, the prompt says, and the next edit of that file takes out again.
pub(super) fn taken_out(was: &ToolCall, now: &ToolCall, prompt: &str) -> Option<String> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let (written, better) = (was.new.as_deref()?, now.new.as_deref()?);
    if was.path != now.path {
        return None;
    }
    let replaced = now.old.as_deref().unwrap_or(written);
    let gone: HashSet<&str> = replaced.split(|c| !is_of_word(c)).collect();
    // It is used there: what was given a name of its own may get another one.
    let is_used = |name: &str| {
        written.match_indices(name).any(|(at, _)| {
            let (before, after) = (&written[..at], &written[at + name.len()..]);
            let defines = before.trim_end().rsplit(|c: char| !c.is_alphabetic()).next();
            let is_use = ["(", ".", "::", "!("].iter().any(|mark| after.starts_with(mark));
            is_use && !before.ends_with(is_of_word) && !defines.is_some_and(|word| lists(DEFINES, word))
        })
    };
    let mut typed = prompt.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let name = typed.find(|name| {
        name.len() >= SHORTEST && gone.contains(name) && is_used(name) && !holds(better, name, is_of_word)
    });
    name.map(str::to_owned)
}

/// Whether a command undoes what a call did: it brings back its file, or takes back the commit that the words name.
pub(super) fn undoes(now: &Command, step: &Step, words: &[String]) -> bool {
    let is_back = |path: &str| {
        let ends = |own: &str| path.ends_with(own) || path.contains(&format!("/{}/", own.trim_matches('/')));
        now.operands().any(|own| own == "." || own.len() >= SHORTEST && ends(own))
    };
    let written = || step.call().path.as_deref().filter(|_| step.writes());
    let changed = || {
        step.commands()
            .iter()
            .filter(|was| was.program != "git" && !has_role(&was.program, ProgramRole::Inspects))
    };
    match (&*now.program, &*now.subcommand) {
        ("rm", _) | ("git", "rm") => written().is_some_and(is_back),
        ("git", "checkout" | "restore") => {
            written().into_iter().chain(changed().flat_map(Command::operands)).any(is_back)
        }
        ("git", "reset" | "revert") => acts::named(words)
            .any(|act| fires(&with_trigger(act.trigger()), step.line().unwrap_or_default()) == Some(true)),
        _ => false,
    }
}

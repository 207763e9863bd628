//! What is undone: a name that the next edit takes out again, a file that is brought back, a commit.

use lessons_shell::ProgramRole;
use lessons_shell::programs::has_role;

use super::MOST_COMMANDS;
use super::again::SHORTEST;
use crate::detect::aim::acts::{self, Act};
use crate::detect::aim::code_names::{is_of_word, is_used};
use crate::detect::aim::triggers::with_trigger;
use crate::detect::command::Command;
use crate::detect::command::options::holds;
use crate::detect::history::Step;
use crate::tag::trial::fires;
use crate::transcript::ToolCall;

/// Parts of the commands that undo something.
pub(super) const UNDOING: [&str; 3] = ["git checkout", "git restore", "git re"];
/// The longest text of an edit in which names are looked for, in bytes.
const LONGEST: usize = 16 << 10;

/// The name in code that an edit put in, the prompt says, and the next edit of that file takes out again.
pub(super) fn taken_out(was: &ToolCall, now: &ToolCall, prompt: &str) -> Option<String> {
    let (written, better) = (was.new.as_deref()?, now.new.as_deref()?);
    let replaced = now.old.as_deref().unwrap_or(written);
    if was.path != now.path || [written, better, replaced].iter().any(|text| text.len() > LONGEST) {
        return None;
    }
    let mut typed = prompt.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let name = typed.find(|name| {
        name.len() >= SHORTEST
            && holds(replaced, name, is_of_word)
            && !holds(better, name, is_of_word)
            && is_used(written, name)
    });
    name.map(str::to_owned)
}

/// Whether a command undoes what a call did: it brings back a file, or takes back the commit that the words name.
pub(super) fn undoes(now: &Command, step: &Step, words: &[String]) -> bool {
    let brings_back = |path: &str| {
        let is_it = |own: &str| {
            path.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                || path.contains(&format!("/{}/", own.trim_matches('/')))
        };
        now.operands().any(|own| own == "." || own.len() >= SHORTEST && is_it(own))
    };
    match (&*now.program, &*now.subcommand) {
        ("git", "checkout" | "restore") => {
            let written = step.call().path.as_deref().filter(|_| step.writes());
            let changes = |was: &&Command| !has_role(&was.program, ProgramRole::Inspects);
            let files = step.commands().iter().filter(changes).flat_map(Command::operands);
            // A branch is an operand too.
            written.into_iter().chain(files.filter(|file| file.contains(['/', '.']))).any(brings_back)
        }
        ("git", "reset" | "revert") => {
            let did = |act: &Act| {
                step.commands()
                    .iter()
                    .take(MOST_COMMANDS)
                    .any(|was| fires(&with_trigger(act.trigger()), &was.text) == Some(true))
            };
            acts::named(words).any(did)
        }
        _ => false,
    }
}

//! Who may say yes.
//!
//! The agent is not the reviewer, but `lessons` is on the PATH of its Bash tool. So a call that would
//! change what is in force is put to the person, or denied where a person could not see what it does.
//! This stops a misled agent. It does not stop a hostile process of the same user.
//!
//! - A `lessons` that only reads passes, wherever it stands.
//! - Any other `lessons` that is the whole command line is put to the person, with a [`Grant`] for
//!   exactly these arguments. Plain words in front (`sudo`, `env`, `time`) do not matter.
//! - Any other `lessons` is denied: in a list, pipeline, substitution, `sh -c`, `xargs`, with
//!   redirected output, with an assignment or option in front, with a word that the shell expands.
//! - So is one whose name the shell works out: `"$(command -v lessons)"`, `L=lessons; $L`.
//! - A call that names our data folder, a `.lessons` folder or a `trust.json` is put to the person,
//!   without a grant, also by a relative path after a `cd`. A plain read of them passes, and so does text that only mentions them where that
//!   is certain: the message of a commit or pull request, what `echo` prints, what `cat` writes.

mod folder;
mod glance;
mod grant;
mod indirect;
mod mention;
mod names;
mod verbs;

#[cfg(test)]
mod tests;

pub use grant::Grant;
pub use names::Guarded;
pub use verbs::{READING, only_reads};

use folder::Folders;
use glance::Glance;
use names::{Named, Names};

use crate::call::Call;
use crate::neutral;
use crate::shell::programs::{has_role, known};
use crate::shell::{
    self, CommandContext, Completeness, KnownProgram, ProgramRole, Script, SimpleCommand, Word,
};

/// How much of a command line a reason shows, in characters.
const SHOWN: usize = 200;
/// The same of what was agreed on in a review, which names every candidate.
const SHOWN_OF_A_REVIEW: usize = 4000;

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is none of our business.
    Pass,
    /// A person decides.
    Ask {
        /// One or two sentences for the person.
        reason: String,
        /// What the command needs to know that a person was asked.
        grant: Option<Grant>,
    },
    /// It is refused.
    Deny {
        /// One or two sentences for the model.
        reason: String,
    },
}

/// Decides about one call: what a Bash call runs, and the paths of an edit.
pub fn judge(call: &Call<'_>, guarded: &Guarded<'_>) -> Verdict {
    let glance = Glance::new(guarded);
    match call.tool.as_ref() {
        "Bash" => {
            let cwd = call.cwd.as_deref();
            let command = call.command.as_deref().filter(|command| glance.sees_command(command, cwd));
            command.map_or(Verdict::Pass, |command| judge_command(command, cwd, guarded))
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            if !call.paths.iter().any(|path| glance.sees_path(path)) {
                return Verdict::Pass;
            }
            let names = Names::of(guarded);
            call.paths.iter().find_map(|path| names.named(path)).map_or(Verdict::Pass, ask_about)
        }
        _ => Verdict::Pass,
    }
}

fn judge_command(command: &str, cwd: Option<&str>, guarded: &Guarded<'_>) -> Verdict {
    let names = Names::of(guarded);
    let folders = Folders::at(&names.way, cwd);
    let may_be_named = names.may_be_in(command) || folders.named().is_some();
    // Quoting can hide a name from this quick look, but not from the lexer.
    if !may_be_named && !command.contains(['\'', '"', '\\']) {
        return Verdict::Pass;
    }
    let script = shell::script(command);
    if let Some(verdict) = judge_lessons(&script) {
        return verdict;
    }
    if script.completeness == Completeness::Truncated && may_be_named {
        let reason = "This command is nested too deep to see whether it changes the lessons in force. \
                      Write it plainly.";
        return Verdict::Deny { reason: reason.to_owned() };
    }
    mention::touched(&script, &names, folders).map_or(Verdict::Pass, ask_about)
}

fn ask_about(named: Named) -> Verdict {
    let reason = format!(
        "This names {}. Allow it only if you want this change made past `lessons`.",
        named.description()
    );
    Verdict::Ask { reason, grant: None }
}

/// What the calls of `lessons` in a command line lead to, if any of them may change something.
fn judge_lessons(script: &Script) -> Option<Verdict> {
    let command = script.commands.iter().find(|command| may_change(script, command));
    let indirect = indirect::may_change(script);
    if command.is_none() && !indirect {
        return None;
    }
    let Some(argv) = command.filter(|_| !indirect).and_then(|command| plain_argv(script, command)) else {
        let reason = "This call of `lessons` may change which lessons are in force, so a person has to \
                      see all of it. Run it as a command of its own, written out in full: nothing before \
                      or after it, no pipe, no output redirection, no variable, no substitution.";
        return Some(Verdict::Deny { reason: reason.to_owned() });
    };
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    if let Some(agreed) = verbs::agreed(&words) {
        let agreed = neutral::shortened(&neutral::line(agreed), SHOWN_OF_A_REVIEW);
        let reason =
            format!("This would carry out your review: {agreed}. Allow it only if these are your answers.");
        return Some(Verdict::Ask { reason, grant: Some(Grant::of_argv(&argv)) });
    }
    let effect = verbs::effect(verbs::verb(&words));
    let reason = format!("This would {}: {}. {}", effect.would, shown(&words), effect.advice);
    Some(Verdict::Ask { reason, grant: Some(Grant::of_argv(&argv)) })
}

const SCANNER: &str = "lessons-scan";

/// Whether a word that is run is one of our programs.
fn is_lessons(word: &str) -> bool {
    matches!(shell::program_name(word), "lessons" | SCANNER)
}

/// Whether a command is a `lessons` that does more than read.
fn may_change(script: &Script, command: &SimpleCommand) -> bool {
    let Some((program, rest)) = command.program().split_first() else { return false };
    // What is not static stands for itself here, and that is no verb.
    let argv: Vec<&str> = rest.iter().map(Word::text).collect();
    match shell::program_name(program.text()) {
        "lessons" => {
            let verb_is_known = rest.iter().take(verb_position(&argv) + 1).all(|word| word.fixed().is_some());
            !(verb_is_known && verbs::only_reads(&argv))
                || argv.is_empty() && gets_more_words(script, command)
        }
        SCANNER => !matches!(argv.as_slice(), ["--help" | "-h" | "--version" | "-V"]),
        _ => false,
    }
}

/// Whether a command gets words that do not stand here: `echo off all | xargs lessons`.
fn gets_more_words(script: &Script, command: &SimpleCommand) -> bool {
    let starter = command.parent.and_then(|parent| script.commands.get(parent.command));
    let program = starter.and_then(SimpleCommand::program_word);
    let program = program.and_then(|word| known(shell::program_name(word.text())));
    program.is_some_and(KnownProgram::adds_words)
}

fn verb_position(argv: &[&str]) -> usize {
    verbs::verb(argv).and_then(|verb| argv.iter().position(|word| *word == verb)).unwrap_or(argv.len())
}

/// The arguments of a `lessons` that is the whole command line and hides nothing. Those of a
/// `lessons-scan` start with its name, so that a grant for it is good for nothing else.
fn plain_argv(script: &Script, command: &SimpleCommand) -> Option<Vec<String>> {
    let in_front = command.words.get(..command.prefix).unwrap_or_default();
    let plain = script.commands.len() == 1
        && script.completeness == Completeness::Complete
        && command.context == CommandContext::Alone
        && command.assignments.is_empty()
        && in_front.iter().all(|word| has_role(shell::program_name(word.text()), ProgramRole::PlainPrefix))
        && command.redirections.iter().all(|redirection| {
            let text = redirection.body.as_ref().or(redirection.target.as_ref());
            redirection.operator.starts_with('<')
                && redirection.operator != "<>"
                && text.is_some_and(|text| text.fixed().is_some())
        });
    if !plain {
        return None;
    }
    let (program, rest) = command.program().split_first()?;
    let name = shell::program_name(program.fixed()?);
    let argv = rest.iter().map(|word| word.fixed().map(str::to_owned));
    (name == SCANNER).then(|| Some(SCANNER.to_owned())).into_iter().chain(argv).collect()
}

/// A command line for a dialog: one neutral line, cut where it is long.
fn shown(argv: &[&str]) -> String {
    let mut line = String::new();
    let program = if argv.first() == Some(&SCANNER) { None } else { Some("lessons") };
    for word in program.iter().chain(argv) {
        if !line.is_empty() {
            line.push(' ');
        }
        if word.is_empty() || word.contains(char::is_whitespace) {
            line.push('\'');
            line.push_str(word);
            line.push('\'');
        } else {
            line.push_str(word);
        }
    }
    let line = neutral::line(&line);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

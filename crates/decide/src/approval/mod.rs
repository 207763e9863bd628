//! Approval: which calls need a person's consent.
//!
//! The agent is not the reviewer, but `lessons` is on the PATH of its Bash tool. So a call that would
//! change what is in force is put to the person, or denied if a person could not see what it does.
//! This stops a misled agent. It does not stop a hostile process of the same user.
//!
//! - A `lessons` that only reads passes, wherever it occurs.
//! - Any other `lessons` that is the whole command line is put to the person, with a [`Grant`] for
//!   exactly these arguments. Plain words in front (`sudo`, `env`, `time`) do not matter.
//! - Any other `lessons` is denied: in a list, pipeline, substitution, `sh -c`, `xargs`, with
//!   redirected output, with an assignment or option in front, with a word that the shell expands.
//! - So is a `lessons` whose name the shell computes: `"$(command -v lessons)"`, `L=lessons; $L`.
//! - A call that names the data folder, a `.lessons` folder or a `trust.json` is put to the person,
//!   without a grant, also by a relative path after a `cd`. A plain read of them passes, and so does text that only
//!   mentions them if that is certain: the message of a commit or pull request, what `echo` prints, what `cat` writes.

mod folder;
mod grant;
mod guarded;
mod indirect;
mod mention;
mod names;
mod prefilter;
mod verbs;

#[cfg(test)]
mod tests;

pub use grant::Grant;
pub use guarded::GuardedPaths;
pub use verbs::{READING, only_reads};

use folder::WorkingFolders;
use guarded::GuardedFile;
use names::GuardedNames;
use prefilter::Prefilter;

use lessons_lesson::call::Call;
use lessons_shell::programs::{has_role, known};
use lessons_shell::{
    self as shell, CommandContext, Completeness, KnownProgram, ProgramRole, Script, SimpleCommand, Word,
};
use lessons_text::neutral;

/// The longest command line in a reason, in characters.
const SHOWN: usize = 200;
/// The longest summary of a review in a reason, in characters. It names every candidate, so it is longer.
const SHOWN_OF_A_REVIEW: usize = 4000;

/// The result of the approval check for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The call runs no `lessons` and touches no guarded file.
    Pass,
    /// The call needs a person's consent.
    Ask {
        /// One or two sentences for the person.
        reason: String,
        /// The grant that proves to the command that a person was asked.
        grant: Option<Grant>,
    },
    /// The call is refused.
    Deny {
        /// One or two sentences for the model.
        reason: String,
    },
}

/// Checks one call: the commands of a Bash call, and the paths of an edit.
pub fn judge(call: &Call<'_>, guarded: &GuardedPaths<'_>) -> Verdict {
    let prefilter = Prefilter::new(guarded);
    match call.tool.as_ref() {
        "Bash" => {
            let cwd = call.cwd.as_deref();
            let command = call.command.as_deref().filter(|command| prefilter.may_match_command(command, cwd));
            command.map_or(Verdict::Pass, |command| judge_command(command, cwd, guarded))
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            if !call.paths.iter().any(|path| prefilter.may_match_path(path)) {
                return Verdict::Pass;
            }
            let names = GuardedNames::of(guarded);
            call.paths.iter().find_map(|path| names.named(path)).map_or(Verdict::Pass, ask_about)
        }
        _ => Verdict::Pass,
    }
}

fn judge_command(command: &str, cwd: Option<&str>, guarded: &GuardedPaths<'_>) -> Verdict {
    let names = GuardedNames::of(guarded);
    let folders = WorkingFolders::at(&names.data_folder, cwd);
    let may_be_named = names.may_be_in(command) || folders.named().is_some();
    // Quoting can hide a name from this check, but not from the lexer.
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

fn ask_about(named: GuardedFile) -> Verdict {
    let reason = format!(
        "This names {}. Allow it only if you want this change made past `lessons`.",
        named.description()
    );
    Verdict::Ask { reason, grant: None }
}

/// The verdict on the `lessons` in a command line, if one of them may change something.
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

/// Whether a program word is `lessons` or `lessons-scan`.
fn is_lessons(word: &str) -> bool {
    matches!(shell::program_name(word), "lessons" | SCANNER)
}

/// Whether a command is a `lessons` that may change something.
fn may_change(script: &Script, command: &SimpleCommand) -> bool {
    let Some((program, rest)) = command.program().split_first() else { return false };
    // A word that is not fixed is compared as written, which equals no verb.
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

/// Whether a command gets arguments that are not written in the line: `echo off all | xargs lessons`.
fn gets_more_words(script: &Script, command: &SimpleCommand) -> bool {
    let starter = command.parent.and_then(|parent| script.commands.get(parent.command));
    let program = starter.and_then(SimpleCommand::program_word);
    let program = program.and_then(|word| known(shell::program_name(word.text())));
    program.is_some_and(KnownProgram::adds_words)
}

fn verb_position(argv: &[&str]) -> usize {
    verbs::verb(argv).and_then(|verb| argv.iter().position(|word| *word == verb)).unwrap_or(argv.len())
}

/// The arguments of a `lessons` that is the whole command line and hides nothing. The arguments of a
/// `lessons-scan` start with its name, so that a grant for it is valid for no `lessons`.
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

/// A command line for a dialog: one neutral line, shortened to [`SHOWN`] characters.
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

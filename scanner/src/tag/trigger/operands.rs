//! The split of a command into the words that say what it does and its operands.

use lessons_lesson::advised::is_assignment;
use lessons_shell::programs::{has_role, known};
use lessons_shell::{ProgramRole, program_name};

/// Splits a command into its telling start and the operands after it.
///
/// Kept: wrappers and assignments, the program, its subcommand (two where the program nests them,
/// and the module of `python -m`), and the options that follow directly. A command with operators
/// of the shell is kept whole, and so is one whose options come before its subcommand: taking words
/// out of the middle would make another command of it.
pub(crate) fn without_operands(text: &str) -> (String, Vec<String>) {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let has_operators = text.contains(['|', '&', ';', '<', '>', '`', '(', ')', '{', '}']);
    let kept = if has_operators { words.len() } else { telling_words(&words) };
    let removed = words.split_off(kept);
    (words.join(" "), removed)
}

/// Whether a command is about its operands: of `rm -rf build` and `python wipe.py` the mistake is just this. The name of
/// `curl` alone says nothing either, while that of a test runner does.
pub(super) fn is_about_operands(text: &str) -> bool {
    use ProgramRole::{Basic, ChecksFiles, ChecksTasks, Interpreter, Operands};
    let kept = without_operands(text).0;
    let mut words = kept
        .split_whitespace()
        .skip_while(|word| is_assignment(word) || has_role(word, ProgramRole::TriggerPrefix));
    let Some(program) = words.next().map(program_name) else { return false };
    let is = |role| has_role(program, role);
    let checks = is(ChecksFiles) || is(ChecksTasks);
    is(Basic)
        || (is(Interpreter) && !words.clone().any(|word| word == "-m"))
        || (is(Operands) && !checks && words.next().is_none())
}

/// The number of words that are kept.
fn telling_words(words: &[String]) -> usize {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let mut at = words
        .iter()
        .take_while(|word| is_assignment(word) || has_role(word, ProgramRole::TriggerPrefix))
        .count();
    let program = program_name(word(at));
    at += 1;
    if program.starts_with("python") && word(at) == "-m" {
        at += 2;
    } else if takes_subcommand(program) {
        if is_option(word(at)) {
            return words.len();
        }
        if is_plain(word(at)) {
            let subcommand = word(at);
            at += 1;
            if nests(program, subcommand) && is_plain(word(at)) {
                at += 1;
            }
        }
    }
    while is_option(word(at)) {
        at += 1;
    }
    // `git add .` is about all files.
    if word(at) == "." && has_role(program, ProgramRole::VersionControl) {
        at += 1;
    }
    at.min(words.len())
}

/// Whether the word after a program says what the program does.
pub(crate) fn takes_subcommand(program: &str) -> bool {
    !has_role(program, ProgramRole::Operands)
}

/// Whether the word after a subcommand belongs to it.
pub(crate) fn nests(program: &str, subcommand: &str) -> bool {
    known(program).is_some_and(|program| program.nests_in(subcommand))
}

pub(crate) fn is_option(word: &str) -> bool {
    // "---" and what stands behind it part two outputs.
    let name = word.trim_start_matches('-');
    word == "--" || name.len() < word.len() && name.starts_with(|c: char| !c.is_whitespace())
}

pub(crate) fn is_plain(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':'))
}

#[cfg(test)]
mod tests {
    use super::without_operands;

    #[test]
    fn the_telling_start_of_a_command_is_kept() {
        for (command, kept) in [
            ("git stash", "git stash"),
            ("git stash drop stash@{0}", "git stash drop stash@{0}"),
            ("git worktree remove ../x", "git worktree remove"),
            ("git push --force origin main", "git push --force"),
            ("pytest tests/", "pytest"),
            ("pytest tests", "pytest"),
            ("python -m pytest tests/", "python -m pytest"),
            ("npm install lodash", "npm install"),
            ("npm run build", "npm run build"),
            ("docker compose up -d web", "docker compose up -d"),
            ("gh pr create --fill", "gh pr create --fill"),
            ("sudo rm -rf build", "sudo rm -rf"),
            ("CI=1 npx tsc src", "CI=1 npx tsc"),
            ("git commit -m \"a b\"", "git commit -m"),
            ("/usr/bin/rm -r x", "/usr/bin/rm -r"),
            ("make test", "make test"),
            ("npm test -- --watch", "npm test -- --watch"),
            ("git add .", "git add ."),
            ("git add src", "git add"),
            ("make", "make"),
        ] {
            assert_eq!(without_operands(command).0, kept);
        }
    }

    #[test]
    fn nothing_is_taken_out_of_the_middle() {
        for whole in
            ["git -C sub stash", "cd x && npm test", "cat a | sort", "./run.sh --x", "sudo", "A=1", ""]
        {
            assert_eq!(without_operands(whole), (whole.to_owned(), Vec::new()));
        }
    }
}

//! The purpose of a command line, for those who compare the calls of a session.

use super::command::Command;
use super::failure;

/// The purpose of a command line: the program that it runs, and its subcommand.
#[derive(Debug)]
pub struct Purpose(Command);

impl Purpose {
    /// The purpose of a line. `None` where it has several main commands, or none.
    pub fn of(line: &str) -> Option<Self> {
        Command::read(line).map(Self)
    }

    /// Whether both run the same program.
    pub fn is_same_program(&self, other: &Self) -> bool {
        self.0.program == other.0.program
    }

    /// Whether both are for the same purpose: a call that succeeds after one that failed has then solved it.
    pub fn is_same(&self, other: &Self) -> bool {
        let (one, other) = (&self.0, &other.0);
        let (first, second) = (one.subcommand.as_str(), other.subcommand.as_str());
        one.program == other.program && (first.starts_with(second) || second.starts_with(first))
    }
}

/// Whether the failure of a command line is an answer and no mistake of the call: a test failed, nothing was found.
/// `error` is what the client gives to hooks.
pub fn is_an_answer(line: &str, error: &str) -> bool {
    let rest = error.strip_prefix("Exit code ").unwrap_or_default();
    let code = rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
    // Any of several commands may have failed.
    let is_answer = |command: &Command| failure::is_an_answer(command, error, code);
    !failure::is_misuse(error) && Command::all(line).iter().any(is_answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_is_a_program_and_its_subcommand() {
        let of = |line| Purpose::of(line).unwrap();
        assert!(of("cd a && git push -f").is_same(&of("git push --force-with-lease")));
        assert!(!of("git push").is_same(&of("git pull")) && of("git push").is_same_program(&of("git pull")));
        assert!(!of("npm install").is_same_program(&of("pnpm install")));
        assert!(Purpose::of("echo a").is_none());
    }

    #[test]
    fn the_failure_of_a_test_is_an_answer() {
        assert!(is_an_answer("cargo test -p a", "Exit code 101\nfailed"));
        assert!(!is_an_answer("cargo test -p a", "Exit code 127\nnot found"), "it did not start");
        assert!(!is_an_answer("git push", "Exit code 1\nrejected"));
        assert!(is_an_answer("git add a; npm test", "Exit code 1\n"));
    }

    #[test]
    fn an_error_about_the_call_is_the_answer_of_no_test() {
        for (line, error) in [
            (
                "cd src && go test ./...",
                "Exit code 1\n/usr/bin/bash: line 1: cd: src: No such file or directory",
            ),
            ("cd lib && cargo test", "Exit code 1\n(eval):cd:1: no such file or directory: lib"),
            ("git diff main --no-stat", "Exit code 129\nusage: git diff [<options>] [<commit>]"),
            ("cargo test --nocapture", "Exit code 1\nerror: unexpected argument '--nocapture' found"),
            ("curl -s x | jq '.a'", "Exit code 3\njq: error: syntax error, unexpected INVALID_CHARACTER"),
            (
                "python3 -c 'import yaml'",
                "Exit code 1\nTraceback (most recent call last):\n  File \"<string>\", line 1",
            ),
            ("ls a*", "Exit code 1\n(eval):1: no matches found: a*"),
        ] {
            assert!(!is_an_answer(line, error), "{line}");
        }
        for (line, error) in [
            ("go build ./...", "Exit code 1\n# app/cmd\ncmd/main.go:3:1: syntax error: unexpected name"),
            ("grep -n x a", "Exit code 2\ngrep: a: No such file or directory"),
            (
                "python3 -m pytest",
                "Exit code 1\nTraceback (most recent call last):\n  File \"/srv/app/a.py\", line 3",
            ),
        ] {
            assert!(is_an_answer(line, error), "{line}");
        }
    }
}

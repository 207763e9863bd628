//! Approval: which calls are put to the person.
//!
//! The agent is not the reviewer, but `lessons` is on the PATH of its Bash tool. A `lessons` that decides needs a person
//! who is shown, by a terminal or by the one-use token that an approved call carries; every other one refuses by itself.
//! So this module recognises what can be put to the person, and looks for no disguise:
//!
//! - a plain `lessons` that decides ([`PlainCall`]): the person is asked, and an approved call gets a token;
//! - a path of an edit or of an MCP call, or an open change by a command line, in the data folder or in a `.lessons`
//!   folder: the person is asked.

mod changes;
mod free;
mod guarded_paths;
mod names;
mod plain_call;
mod prefilter;
mod resolved;

pub use free::is_free;
pub use guarded_paths::GuardedPaths;
pub use plain_call::{PlainCall, PlainInput};

use std::borrow::Cow;

use lessons_lesson::{Call, is_writing_mcp, writes_files};
use lessons_shell as shell;
use lessons_text::path;

use names::{GuardedFolder, GuardedNames};
use prefilter::Prefilter;

/// The most texts of an MCP call that are looked at.
const MOST_TEXTS: usize = 1000;
/// The most of them for which the disk is asked where they lead.
const MOST_RESOLVED: usize = 100;

/// The result of the approval check for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody is asked.
    Pass,
    /// The call is a `lessons` that decides: `lessons question` plans it and says what to ask.
    Question(PlainCall),
    /// The call needs a person's consent.
    Ask {
        /// A sentence for the person.
        reason: String,
    },
}

/// Checks one call: the command of a shell, the paths of an edit, the texts of an MCP call.
pub fn judge(call: &Call<'_>, guarded: &GuardedPaths<'_>) -> Verdict {
    let prefilter = Prefilter::new(guarded);
    let cwd = call.cwd.as_deref();
    let tool = call.tool.as_ref();
    let command = call.command.as_deref().filter(|command| prefilter.may_match(command, cwd));
    let of_command = command.map_or(Verdict::Pass, |command| judge_command(command, cwd, guarded));
    if of_command != Verdict::Pass || !(writes_files(tool) || is_writing_mcp(tool)) {
        return of_command;
    }
    let names = GuardedNames::of(guarded);
    let mut texts = call.paths.iter().chain(&call.texts).take(MOST_TEXTS).enumerate();
    let leads_into = |(at, path): (usize, &Cow<'_, str>)| match at {
        0..MOST_RESOLVED => resolved::leads_into(path, cwd, &names),
        _ => names.named(path),
    };
    texts.find_map(leads_into).map_or(Verdict::Pass, ask_about)
}

fn judge_command(command: &str, cwd: Option<&str>, guarded: &GuardedPaths<'_>) -> Verdict {
    if let Some(call) = PlainCall::of(command) {
        let is_question = call.decides() && is_ours(&call.program, cwd);
        return if is_question { Verdict::Question(call) } else { Verdict::Pass };
    }
    let names = GuardedNames::of(guarded);
    changes::changed(&shell::script(command), &names, cwd).map_or(Verdict::Pass, ask_about)
}

/// Whether a program word runs our `lessons`: the bare word, or a path to the program beside this one.
fn is_ours(program: &str, cwd: Option<&str>) -> bool {
    if !program.contains('/') {
        return true;
    }
    let path = path::join(cwd.unwrap_or_default(), program);
    let ours = std::env::current_exe().ok().map(|own| own.with_file_name("lessons"));
    ours.is_some_and(|ours| std::fs::canonicalize(path).is_ok_and(|path| path == ours))
}

fn ask_about(folder: GuardedFolder) -> Verdict {
    let reason = format!("This changes {}.", folder.description());
    Verdict::Ask { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARDED: GuardedPaths<'_> =
        GuardedPaths { home: "/home/dev/.local/share/lessons", user_home: Some("/home/dev") };

    fn bash(command: &str) -> Verdict {
        let call = Call {
            tool: "Bash".into(),
            command: Some(command.into()),
            cwd: Some("/srv/app".into()),
            ..Call::default()
        };
        judge(&call, &GUARDED)
    }

    fn on_path(tool: &str, path: &str) -> Verdict {
        judge(&Call { tool: tool.into(), paths: vec![path.into()], ..Call::default() }, &GUARDED)
    }

    #[test]
    fn a_plain_call_that_decides_is_a_question_and_any_other_call_of_lessons_passes() {
        assert!(
            matches!(bash("lessons promote 3f2a"), Verdict::Question(call) if call.argv == ["promote", "3f2a"])
        );
        for command in [
            "lessons",
            "lessons list --json",
            "lessons scan",
            "lessons list | head",
            "cd /srv && lessons explain 'git stash' 2>&1 | head -20",
            // They carry no token, so they refuse by themselves.
            "true && lessons promote 3f2a",
            "unset CLAUDECODE; lessons promote 3f2a",
            "l?ssons promote 3f2a",
            "xargs lessons promote < ids",
            // Another program of that name.
            "./bin/lessons serve",
            "/srv/app/lessons deploy",
        ] {
            assert_eq!(bash(command), Verdict::Pass, "{command}");
        }
    }

    #[test]
    fn what_takes_a_folder_around_ours_away_is_put_to_the_person() {
        for command in [
            "rm -rf ~/.local/share",
            "mv ~/.local x",
            "find ~ -name lessons.json -delete",
            "rm -rf $HOME/.loc*",
            "sudo rm -rf /home/dev",
            "rm -rf ../../home/dev/.local",
            "cp x ~/.local/share/less*/decisions.json",
        ] {
            assert!(matches!(bash(command), Verdict::Ask { .. }), "{command}");
        }
        for command in ["rm -rf ~/src/app/target", "mv ~/a ~/b", "find ~ -name x", "rm -rf ../other"] {
            assert_eq!(bash(command), Verdict::Pass, "{command}");
        }
    }

    #[test]
    fn a_tool_of_a_server_that_runs_a_command_is_read_as_a_shell() {
        let call = |command: &'static str| Call {
            tool: "mcp__sh__run".into(),
            command: Some(command.into()),
            texts: vec![command.into()],
            ..Call::default()
        };
        assert!(matches!(judge(&call("lessons off guard"), &GUARDED), Verdict::Question(_)));
        assert!(matches!(judge(&call("rm -rf ~/.local"), &GUARDED), Verdict::Ask { .. }));
        assert_eq!(judge(&call("lessons list"), &GUARDED), Verdict::Pass);
    }

    #[test]
    fn edits_of_our_files_are_put_to_the_person_and_reading_them_is_not() {
        for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit", "mcp__fs__write_file", "mcp__x__run"] {
            let verdict = on_path(tool, "/home/dev/.local/share/lessons/decisions.json");
            assert!(matches!(verdict, Verdict::Ask { .. }), "{tool}");
            assert!(matches!(on_path(tool, "/p/.lessons/lessons.json"), Verdict::Ask { .. }), "{tool}");
            assert_eq!(on_path(tool, "/srv/app/src/main.rs"), Verdict::Pass);
        }
        for tool in
            ["mcp__x__search_replace", "mcp__x__status_update", "mcp__x__getOrCreate", "mcp__x__reader"]
        {
            let verdict = on_path(tool, "/home/dev/.local/share/lessons/decisions.json");
            assert!(matches!(verdict, Verdict::Ask { .. }), "{tool}");
        }
        for tool in ["Read", "mcp__fs__read_file", "mcp__fs__listDirectory", "mcp__a__Search", "mcp__x__stat"]
        {
            assert_eq!(
                on_path(tool, "/home/dev/.local/share/lessons/decisions.json"),
                Verdict::Pass,
                "{tool}"
            );
        }
    }
}

//! A command line: as typed, as it would run, its simple commands, and who may say yes to it.
//!
//! Holds: nothing panics; what was typed is a part of the command, and all of it where no heredoc is;
//! no view is more than a fixed multiple of the command, so that work on it stays linear; a command
//! that is `lessons` and a verb that changes something is never waved through.

#![no_main]

use lessons_decide::approval::{self, Verdict};
use lessons_fuzz::GUARDED;
use lessons_lesson::call::Call;
use lessons_shell as shell;
use libfuzzer_sys::fuzz_target;

/// The most that a view may grow: each text is shown at most once per level, a quoted blank as five
/// bytes.
const GROWTH: usize = 16;

fuzz_target!(|command: &str| {
    let line = shell::CommandLine::new(command);
    let typed = line.without_heredocs();
    assert!(is_part_of(&typed, command), "{typed:?}");
    if !command.contains("<<") {
        assert_eq!(typed, command);
    }
    let runs = line.executable();
    assert!(runs.len() <= GROWTH * command.len() + 64, "{} of {}", runs.len(), command.len());

    assert!(line.invocations().iter().all(|text| !text.is_empty()));

    let script = shell::script(command);
    for command in &script.commands {
        assert!(command.prefix <= command.words.len());
        let known = |parent: &shell::ParentCommand| parent.command < script.commands.len();
        assert!(command.parent.as_ref().is_none_or(known));
    }

    let _ = approval::judge(&bash(command), &GUARDED);
    let write = Call { tool: "Write".into(), paths: vec![command.into()], ..Call::default() };
    let _ = approval::judge(&write, &GUARDED);
    if !command.contains(['\'', '"', '\\', '\0']) {
        let promoted = format!("lessons promote abc --reason '{command}'");
        let verdict = approval::judge(&bash(&promoted), &GUARDED);
        assert!(verdict != Verdict::Pass, "{promoted:?}");
    }
});

fn bash(command: &str) -> Call<'_> {
    Call { tool: "Bash".into(), command: Some(command.into()), cwd: Some(command.into()), ..Call::default() }
}

/// Whether the characters of `part` stand in `whole`, in this order.
fn is_part_of(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|wanted| rest.any(|c| c == wanted))
}

//! `cargo xtask install` and `cargo xtask uninstall`: a build, and then the code that everybody installs with.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::user_home::UserHome;
use crate::workspace::Workspace;
use crate::{demo, dist};

/// Builds the plugin, has it install itself, and demonstrates it. `fix` is the text of the lesson in the demonstration.
pub(crate) fn run(workspace: &Workspace, home: &UserHome, fix: &str) -> Result<()> {
    let lessons = dist::run(workspace)?.join("bin/lessons");
    let mut install = home.command(&lessons);
    install.arg("install");
    if home.is_scratch() {
        // Nobody sits at a terminal of the scratch home: there, scripts may decide, and nobody has to be asked.
        succeed(
            home.command(&lessons).args(["init", "--scripts", "--json"]).stdout(std::process::Stdio::null()),
        )?;
        install.arg("--yes");
    }
    let installed = succeed(&mut install);
    // Where only Claude Code did not take the plugin, there is something to show all the same.
    if home.current().is_dir() {
        println!();
        demo::run(&home.current(), fix)?;
    }
    if home.is_scratch() {
        println!("To use this home, put this in front of each command:\n  {}", home.prefix());
    }
    installed
}

/// Removes an installation and keeps the user's lessons.
pub(crate) fn undo(home: &UserHome) -> Result<()> {
    let lessons = home.program("lessons");
    ensure!(lessons.is_file(), "nothing is installed in {}", home.folder().display());
    succeed(home.command(&lessons).arg("uninstall"))
}

/// Runs a command at this terminal.
fn succeed(command: &mut Command) -> Result<()> {
    let status =
        command.status().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    ensure!(status.success(), "lessons {} failed", arguments.join(" "));
    Ok(())
}

//! Background processes: other programs of Lessons that a hook starts.
//!
//! A process gets only the environment variables that say where files are, no output, and `/` as its working folder. It
//! opens a session of its own, holds a single-instance lock and has a lifetime: see `lessons scan --background` and `lessons index`.

use std::process::{Command, Stdio};

use lessons_home::home::{DATA_VARIABLE, GUARD_VARIABLE, HOME_VARIABLE};
use lessons_home::{Environment, home};

/// The variables that are passed on, which say where files are. `XDG_*` are passed on too.
const PASSED_ON: [&str; 3] = ["HOME", "CLAUDE_CONFIG_DIR", "LANG"];

/// A command for a program in this program's own folder. Nobody waits for it: it outlives this process by design.
/// The data folder in `environment` has been accepted.
pub(crate) fn program(name: &str, environment: &Environment) -> Option<Command> {
    let program = std::env::current_exe().ok()?.parent()?.join(name);
    let mut command = Command::new(program);
    command.env_clear().env(GUARD_VARIABLE, "1").current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.envs(std::env::vars_os().filter(|(name, _)| {
        name.to_str().is_some_and(|name| PASSED_ON.contains(&name) || name.starts_with("XDG_"))
    }));
    if environment.xdg_folder.is_none() {
        command.env_remove(DATA_VARIABLE);
    }
    // Of a project that sets `HOME` nothing is passed on.
    if let Some(user_home) = environment.data_folder.as_deref().and_then(home::user_home_of) {
        command.env("HOME", user_home);
    }
    if let Some(home) = &environment.lessons_home {
        command.env(HOME_VARIABLE, home);
    }
    Some(command)
}

/// Starts the scan in the background, unless this process is itself background work. If `lessons` is missing, nothing is
/// said. The variable that says so may come from a project: it stops no repair of the index and no question.
pub(crate) fn start_scanner(environment: &Environment) {
    if std::env::var_os(GUARD_VARIABLE).is_some() {
        return;
    }
    if let Some(mut command) = program("lessons", environment) {
        drop(command.args(["scan", "--background"]).spawn());
    }
}

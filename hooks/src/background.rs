//! Starting other programs of ours so that none can ever become a leak.
//!
//! They get no environment but what says where things are, no output, and no folder to stay in. Each makes a session
//! of its own, holds a single-instance lock and has a lifetime: see `lessons-scan` and `lessons index`.

use std::process::{Command, Stdio};

use lessons_core::home::{Environment, GUARD_VARIABLE, HOME_VARIABLE};

/// Variables that say where things are. `XDG_*` are added.
const PASSED_ON: [&str; 3] = ["HOME", "CLAUDE_CONFIG_DIR", "LANG"];

/// A program in this one's own folder, ready to be started and not waited for: it outlives this process by design.
/// `None` where this process is itself background work of ours. The data folder in `environment` has been accepted.
pub(crate) fn program(name: &str, environment: &Environment) -> Option<Command> {
    if std::env::var_os(GUARD_VARIABLE).is_some() {
        return None;
    }
    let program = std::env::current_exe().ok()?.parent()?.join(name);
    let mut command = Command::new(program);
    command.env_clear().env(GUARD_VARIABLE, "1").current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.envs(std::env::vars_os().filter(|(name, _)| {
        name.to_str().is_some_and(|name| PASSED_ON.contains(&name) || name.starts_with("XDG_"))
    }));
    if let Some(home) = &environment.lessons_home {
        command.env(HOME_VARIABLE, home);
    }
    Some(command)
}

/// Starts `lessons-scan`. A missing one is no reason to speak.
pub(crate) fn start_scanner(environment: &Environment) {
    if let Some(mut command) = program("lessons-scan", environment) {
        drop(command.spawn());
    }
}

//! Starting the scanner so that it can never become a leak.
//!
//! It gets closed standard streams and no environment but what says where things are. It makes a
//! session of its own, holds a single-instance lock and has a lifetime: see `lessons-scan`.

use std::process::{Command, Stdio};

use lessons_core::home::{Environment, GUARD_VARIABLE, HOME_VARIABLE};

/// Variables that say where things are. `XDG_*` are added.
const PASSED_ON: [&str; 3] = ["HOME", "CLAUDE_CONFIG_DIR", "LANG"];

/// Starts `lessons-scan` from this binary's own folder, unless this process is itself background
/// work of ours. The data folder in `environment` has been accepted.
pub(crate) fn start_scanner(environment: &Environment) {
    if std::env::var_os(GUARD_VARIABLE).is_some() {
        return;
    }
    let Some(scanner) =
        std::env::current_exe().ok().and_then(|exe| exe.parent().map(|folder| folder.join("lessons-scan")))
    else {
        return;
    };
    let mut command = Command::new(scanner);
    command.env_clear().env(GUARD_VARIABLE, "1").current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.envs(std::env::vars_os().filter(|(name, _)| {
        name.to_str().is_some_and(|name| PASSED_ON.contains(&name) || name.starts_with("XDG_"))
    }));
    if let Some(home) = &environment.lessons_home {
        command.env(HOME_VARIABLE, home);
    }
    // Not waited for: it outlives this process by design. A missing scanner is no reason to speak.
    drop(command.spawn());
}

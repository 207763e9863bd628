//! Programs on the PATH.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Finds the program that a shell starts for `name`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| {
        program.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

/// Whether a shell finds a program `name`.
pub(crate) fn on_path(name: &str) -> bool {
    find(name).is_some()
}

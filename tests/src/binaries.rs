//! Our programs, built once in each process of tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::client::target_folder;

/// The programs that the plugin holds.
pub const PROGRAMS: [&str; 4] = ["lessons", "lessons-scan", "lessons-pre-tool-use", "lessons-session-start"];

/// Their packages.
const PACKAGES: [&str; 2] = ["lessons-cli", "lessons-hooks"];

/// The folder with [`PROGRAMS`] as a developer builds them.
pub fn built_programs() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build(&target_folder(), &[]))
}

/// The folder with programs that die where `LESSONS_CRASH_AT` says (see `lessons_store::crash`).
///
/// They have a target folder of their own: in the usual one they would take the place of the others
/// while another test runs those.
pub fn programs_that_crash() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        build(&target_folder().join("crash-points"), &["--features", "lessons-store/crash-points"])
    })
}

fn build(target: &Path, more: &[&str]) -> PathBuf {
    let ended = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--bins", "--target-dir"])
        .arg(target)
        .args(PACKAGES.iter().flat_map(|package| ["--package", package]))
        .args(more)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(ended.expect("cargo starts").success(), "our programs do not build");
    target.join("debug")
}

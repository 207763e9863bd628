//! Our programs, built once in each process of tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::client::target_folder;

/// The programs that the plugin holds.
pub const PROGRAMS: [&str; 5] =
    ["lessons", "lessons-scan", HOOK, "lessons-pre-tool-use-full", "lessons-session-start"];

/// The hook that runs at every tool call. It is built as users get it: for a target without a C library.
const HOOK: &str = "lessons-pre-tool-use";

/// Their packages.
const PACKAGES: [&str; 2] = ["lessons-cli", "lessons-hooks"];

/// The folder with [`PROGRAMS`]. They die where `LESSONS_CRASH_AT` says (see `lessons_store::crash`), which no
/// test says but those that want it: programs without that would be a second build of everything.
pub fn built_programs() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build)
}

fn build() -> PathBuf {
    let ended = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--bins", "--target-dir"])
        .arg(target_folder())
        .args(PACKAGES.iter().flat_map(|package| ["--package", package]))
        .args(["--features", "lessons-store/crash-points"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(ended.expect("cargo starts").success(), "our programs do not build");
    let programs = target_folder().join("debug");
    place(&fast_hook(), &programs.join(HOOK));
    programs
}

/// The hook as users get it. Its target folder is its own, so that it waits for nobody.
fn fast_hook() -> PathBuf {
    let target = target_folder().join("fast-hook");
    let triple = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let ended = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "lessons-fast-hook", "--features", "program"])
        .args(["--target", &triple, "--target-dir"])
        .arg(&target)
        // Either of these would replace what .cargo/config.toml says about the linker.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(ended.expect("cargo starts").success(), "the fast hook does not build for {triple}");
    target.join(triple).join("release").join(HOOK)
}

/// Puts a copy of `program` at `place`, whole at every moment: other tests may be running it.
fn place(program: &Path, place: &Path) {
    let beside = place.with_extension(std::process::id().to_string());
    fs::copy(program, &beside).expect("the hook can be copied");
    fs::rename(&beside, place).expect("the hook can be put in its place");
}

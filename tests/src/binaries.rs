//! Our programs, built once in each process of tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::client::target_folder;

/// The programs that the plugin holds.
pub const PROGRAMS: [&str; 7] = ["lessons", HOOKS[0], HOOKS[1], HOOKS[2], HOOKS[3], HOOKS[4], HOOKS[5]];

/// The hooks. They are built as users get them: static, with nothing of the start that the standard library has.
pub const HOOKS: [&str; 6] = [
    "lessons-pre-tool-use",
    "lessons-post-tool-use",
    "lessons-post-tool-use-failure",
    "lessons-session-start",
    "lessons-subagent-start",
    "lessons-hook",
];

/// The folder with [`PROGRAMS`]. They die where `LESSONS_CRASH_AT` says (see `lessons_store::durable::crash`), which no
/// test says but those that want it: programs without that would be a second build of everything.
pub fn built_programs() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build)
}

fn build() -> PathBuf {
    let ended = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--bins", "--target-dir"])
        .arg(target_folder())
        .args(["--package", "lessons-cli", "--features", "lessons-store/crash-points"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(ended.expect("cargo starts").success(), "our programs do not build");
    let programs = target_folder().join("debug");
    let hooks = built_hooks();
    for hook in HOOKS {
        place(&hooks.join(hook), &programs.join(hook));
    }
    programs
}

/// The folder with the hooks as users get them. Their target folder is their own, so that they wait for nobody.
fn built_hooks() -> PathBuf {
    let target = target_folder().join("hooks");
    let triple = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let ended = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "lessons-hooks"])
        .args(["--target", &triple, "--target-dir"])
        .arg(&target)
        // Either of these would replace what .cargo/config.toml says about the linker.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(ended.expect("cargo starts").success(), "the hooks do not build for {triple}");
    target.join(triple).join("release")
}

/// Copies a program by another process. One that this process writes could not be run while another test starts a program,
/// which has the open file for a moment ("Text file busy").
pub fn copy_program(program: &Path, copy: &Path) {
    let done = Command::new("cp").arg(program).arg(copy).status();
    assert!(done.expect("cp starts").success(), "cannot copy {}", program.display());
}

/// Puts a copy of `program` at `place`, whole at every moment: other tests may be running it.
fn place(program: &Path, place: &Path) {
    let beside = place.with_extension(std::process::id().to_string());
    copy_program(program, &beside);
    fs::rename(&beside, place).expect("the hook can be put in its place");
}

//! The proof that an archive for Linux works: it is unpacked into an empty root file system, and run there.
//!
//! There is no Rust, no C library, no shell and no network in it, and no variable of this session. For another processor
//! the programs run one by one under the emulator of QEMU. Programs for macOS cannot be run on Linux.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::platform::{Platform, System};
use crate::programs;

/// Prepares the file systems of the kernel in the root `$1`, and runs the rest of the arguments in it.
const IN_ROOT: &str = r#"
root=$1; shift
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 125
exec env -i HOME=/home TMPDIR=/tmp "$(command -v chroot)" "$root" "$@"
"#;

/// A call of the Bash tool that a built-in lesson is about.
const CALL: &str = r#"{"session_id":"proof","cwd":"/home","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git stash"}}"#;
/// The lesson.
const LESSON: &str = "seed/git-stash-untracked";

/// Fails if an archive for one of these platforms cannot be proved here, before anything is built.
pub(super) fn ensure_possible(platforms: &[Platform]) -> Result<()> {
    let machine = Platform::of_machine()?;
    let mut linux = platforms.iter().filter(|platform| platform.system() == System::Linux).peekable();
    ensure!(
        linux.peek().is_none() || programs::on_path("unshare"),
        "an archive is proved with `unshare`, of util-linux"
    );
    linux.filter(|platform| **platform != machine).try_for_each(|platform| emulator(*platform).map(drop))
}

/// The emulator for the processor of a platform.
fn emulator(platform: Platform) -> Result<PathBuf> {
    let arch = platform.target().split('-').next().unwrap_or_default();
    let name = format!("qemu-{arch}-static");
    programs::find(&name).with_context(|| {
        format!("the archive for {} is proved with {name} (Debian: qemu-user-static)", platform.name())
    })
}

/// Runs what an archive holds, and returns what was proved, in words.
pub(super) fn run(platform: Platform, archive: &Path) -> Result<String> {
    if platform.system() == System::Macos {
        return Ok("checked, and never run: there is no Mac here".to_owned());
    }
    let root = EmptyRoot::with(archive)?;
    if platform == Platform::of_machine()? {
        // First: a script may install where there is no data folder yet.
        let said = root.run(&[&root.program("lessons"), "install", "--yes"], "")?;
        ensure!(said.contains("It works."), "lessons install does not show a lesson:\n{said}");
        root.tells_lesson(None)?;
        return Ok("runs and installs without Rust and without a C library".to_owned());
    }
    fs::copy(emulator(platform)?, root.folder.path().join("emulator"))?;
    root.tells_lesson(Some("/emulator"))?;
    // Installing starts programs by itself, which the kernel does not hand to the emulator.
    Ok("runs without a C library, under emulation".to_owned())
}

/// A root file system that holds an unpacked archive and nothing else.
struct EmptyRoot {
    folder: tempfile::TempDir,
    plugin: String,
}

impl EmptyRoot {
    fn with(archive: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("lessons-root-").tempdir()?;
        for name in ["proc", "dev", "tmp", "home"] {
            fs::create_dir(folder.path().join(name))?;
        }
        let mut tar = Command::new("tar");
        let status = tar.arg("-xzf").arg(archive).arg("-C").arg(folder.path()).status();
        ensure!(status.context("cannot start tar")?.success(), "{} cannot be unpacked", archive.display());
        let name = archive.file_name().and_then(|name| name.to_str()?.strip_suffix(".tar.gz"));
        let plugin = format!("/{}/{}", name.context("no name of an archive")?, super::archive::PLUGIN);
        Ok(Self { folder, plugin })
    }

    fn program(&self, name: &str) -> String {
        format!("{}/bin/{name}", self.plugin)
    }

    /// Builds the built-in lessons and has the hook tell one of them.
    fn tells_lesson(&self, emulator: Option<&str>) -> Result<()> {
        let run = |words: &[&str], input| {
            let words: Vec<&str> = emulator.into_iter().chain(words.iter().copied()).collect();
            self.run(&words, input)
        };
        run(&[&self.program("lessons"), "build"], "")?;
        let told = run(&[&self.program("lessons-pre-tool-use")], CALL)?;
        ensure!(told.contains(LESSON), "the hook does not tell {LESSON}, but: {told}");
        Ok(())
    }

    /// Runs a program in this root and returns what it printed.
    fn run(&self, words: &[&str], input: &str) -> Result<String> {
        let given = self.input(input)?;
        let mut unshare = Command::new("unshare");
        // Root needs no user namespace, and has none where they are forbidden.
        if !is_root()? {
            unshare.arg("--map-root-user");
        }
        unshare.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", IN_ROOT, "sh"]);
        unshare.arg(self.folder.path()).args(words).stdin(Stdio::from(File::open(given)?));
        let output = unshare.output().context("cannot start unshare")?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(
            output.status.success(),
            "{} failed in an empty root file system: {}\n{said}{}",
            words.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(said)
    }

    fn input(&self, text: &str) -> Result<PathBuf> {
        let path = self.folder.path().join("input");
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

fn is_root() -> Result<bool> {
    let id = Command::new("id").arg("-u").output().context("cannot start id")?;
    Ok(id.stdout.trim_ascii() == b"0")
}

//! Programs that are run: those of the plugin, with a peak of memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The programs of the plugin as `cargo xtask dist` assembles it.
pub(crate) static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    target.join("dist/lessons/bin")
});

/// A command of `lessons` with `home` for `HOME`, and nothing else of this environment.
pub(crate) fn lessons(home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAMS.join("lessons"));
    command.env_clear().env("HOME", home).env("LANG", "C.UTF-8").args(words).current_dir(home);
    command.stdin(Stdio::null());
    command
}

/// The highest peak of the memory of several runs, in KiB.
#[derive(Default)]
pub(crate) struct Measured(AtomicU64);

impl Measured {
    /// Runs a program to its end. It must succeed.
    pub(crate) fn run(&self, command: &mut Command) {
        let output = tempfile::tempfile().unwrap();
        let mut child = command.stdout(output).stderr(Stdio::null()).spawn().unwrap();
        let status = self.watch(&mut child);
        assert!(status.success(), "{command:?}: {status}");
    }

    /// Reads the peak every few milliseconds. The one that the kernel reports at the end (`ru_maxrss`) would count the
    /// memory of the process that started it too.
    fn watch(&self, child: &mut Child) -> std::process::ExitStatus {
        let status = format!("/proc/{}/status", child.id());
        let peak = || -> Option<u64> {
            let text = fs::read_to_string(&status).ok()?;
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.trim().strip_suffix("kB")?.trim().parse().ok()
        };
        thread::scope(|scope| {
            let (end, ended) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || {
                while ended.recv_timeout(Duration::from_millis(2)).is_err_and(|error| error == TIMEOUT) {
                    self.0.fetch_max(peak().unwrap_or_default(), Ordering::Relaxed);
                }
            });
            let status = child.wait().unwrap();
            drop(end);
            status
        })
    }

    /// Prints the peak in MiB.
    pub(crate) fn print(&self) {
        println!(
            "   at most {:.1} MiB of memory",
            f64::from(u32::try_from(self.0.load(Ordering::Relaxed)).unwrap()) / 1024.0
        );
    }
}

const TIMEOUT: std::sync::mpsc::RecvTimeoutError = std::sync::mpsc::RecvTimeoutError::Timeout;

//! A process that runs for a while: what it took, and when it said something.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::pty::openpty;
use nix::unistd::Pid;

use super::spawn;

/// What a run took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    /// From the start to the end.
    pub(crate) wall: Duration,
    /// On all cores, its own and the kernel's for it.
    pub(crate) processor: Duration,
    /// The most memory that it had at a time, in KiB.
    pub(crate) peak_kib: u64,
}

/// Runs a program to its end. What it prints goes into a file: a search that prints nowhere may end at its first hit.
pub(crate) fn run(command: &mut Command) -> Result<Cost> {
    let printed = tempfile::tempfile().context("cannot keep what is printed")?;
    command.stdin(Stdio::null()).stdout(Stdio::from(printed)).stderr(Stdio::null());
    let start = Instant::now();
    let child = start_of(command)?;
    end(&child, start, command)
}

/// Runs a program whose errors go to a terminal, and says when `word` stood there.
pub(crate) fn run_until_said(command: &mut Command, word: &str) -> Result<(Cost, Option<Duration>)> {
    let terminal = openpty(None, None).context("cannot open a terminal")?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::from(terminal.slave));
    let start = Instant::now();
    let child = start_of(command)?;
    // The command keeps its end of the terminal: without it the reading ends with the program.
    command.stderr(Stdio::null());
    let said = listen(terminal.master, word, start)?;
    Ok((end(&child, start, command)?, said))
}

fn start_of(command: &mut Command) -> Result<Child> {
    command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))
}

/// Waits for the end.
fn end(child: &Child, start: Instant, command: &Command) -> Result<Cost> {
    let pid = Pid::from_raw(i32::try_from(child.id())?);
    let is_over = AtomicBool::new(false);
    let (ended, wall, peak_kib) = thread::scope(|scope| {
        let watcher = scope.spawn(|| peak_until(&is_over, pid));
        let ended = spawn::wait(pid);
        let wall = start.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (ended, wall, watcher.join().unwrap_or_default())
    });
    let (status, usage) = ended?;
    // What searches says 1 where it found nothing in a file; here all of them are there to be found.
    ensure!(status == 0, "{} ended with status {status}", command.get_program().display());
    Ok(Cost { wall, processor: spawn::processor_time(&usage), peak_kib })
}

/// The most memory of a process, in KiB, looked up every few milliseconds. What the kernel says at its end counts the
/// memory of the process that started it too.
fn peak_until(is_over: &AtomicBool, pid: Pid) -> u64 {
    let mut peak = 0;
    loop {
        if let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let number = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
            peak = peak.max(number.unwrap_or_default());
        }
        if is_over.load(Ordering::Relaxed) {
            return peak;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn listen(terminal: OwnedFd, word: &str, start: Instant) -> Result<Option<Duration>> {
    let mut terminal = File::from(terminal);
    let (mut heard, mut said, mut chunk) = (Vec::new(), None, [0; 4096]);
    loop {
        match terminal.read(&mut chunk) {
            Ok(0) => return Ok(said),
            Ok(read) if said.is_none() => {
                heard.extend_from_slice(&chunk[..read]);
                said = String::from_utf8_lossy(&heard).contains(word).then(|| start.elapsed());
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // That is how a terminal says that nobody has it open any more.
            Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => return Ok(said),
            Err(error) => return Err(error).context("cannot read the terminal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_took_is_its_own_and_a_failure_is_one() {
        let ours = vec![1_u8; 100 << 20];
        assert!(ours.iter().all(|byte| *byte == 1));
        let cost = run(&mut shell("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")).unwrap();
        assert!(cost.processor > Duration::ZERO && cost.processor <= cost.wall * 64, "{cost:?}");
        assert!((1..64 << 10).contains(&cost.peak_kib), "{cost:?}");
        assert!(run(&mut shell("exit 3")).is_err());
    }

    #[test]
    fn it_is_noticed_whether_a_word_was_said_to_the_terminal() {
        let said = |script: &str| run_until_said(&mut shell(script), "flight").unwrap().1.is_some();
        assert!(said("test -t 2 && echo a flight >&2"));
        assert!(!said("echo flight; echo nothing >&2"));
    }
}

//! Processes that run for a while: their cost, and the time until they show something.

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

/// The cost of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessCost {
    /// The time from the start to the end.
    pub(crate) wall: Duration,
    /// The processor time on all cores, in the process and in the kernel for it.
    pub(crate) processor: Duration,
    /// The peak of its resident memory, in KiB.
    pub(crate) peak_kib: u64,
}

/// Runs a program to its end. Its output goes into a file: a search that prints to `/dev/null` may end at its first hit.
pub(crate) fn run(command: &mut Command) -> Result<ProcessCost> {
    let output = tempfile::tempfile().context("cannot keep what is printed")?;
    command.stdin(Stdio::null()).stdout(Stdio::from(output)).stderr(Stdio::null());
    let start = Instant::now();
    let child = spawn_process(command)?;
    wait_for_cost(&child, start, command)
}

/// Runs a program whose errors go to a terminal, and returns the time until `word` was shown there, if it was.
pub(crate) fn run_until_shown(command: &mut Command, word: &str) -> Result<Option<Duration>> {
    let terminal = openpty(None, None).context("cannot open a terminal")?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::from(terminal.slave));
    let start = Instant::now();
    let child = spawn_process(command)?;
    // The command keeps its end of the terminal open. Once it is closed, reading ends with the program.
    command.stderr(Stdio::null());
    let shown = time_until(terminal.master, word, start)?;
    wait_for_cost(&child, start, command)?;
    Ok(shown)
}

/// Runs programs in turn: once without counting and `runs` times counted. Returns the median cost of each.
pub(crate) fn in_turn<const N: usize>(
    runs: usize,
    programs: &mut [&mut dyn FnMut() -> Result<ProcessCost>; N],
) -> Result<[ProcessCost; N]> {
    let mut costs: [Vec<ProcessCost>; N] = std::array::from_fn(|_| Vec::new());
    for round in 0..=runs {
        for (run, costs) in programs.iter_mut().zip(&mut costs) {
            let cost = run()?;
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    Ok(costs.map(|costs| median(&costs)))
}

/// Returns the medians of the times, and the highest of the memory peaks.
fn median(costs: &[ProcessCost]) -> ProcessCost {
    let middle = |time_of: fn(&ProcessCost) -> Duration| {
        let mut times: Vec<Duration> = costs.iter().map(time_of).collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    ProcessCost {
        wall: middle(|cost| cost.wall),
        processor: middle(|cost| cost.processor),
        peak_kib: costs.iter().map(|cost| cost.peak_kib).max().unwrap_or_default(),
    }
}

fn spawn_process(command: &mut Command) -> Result<Child> {
    command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))
}

/// Waits for the end of a process and returns its cost. Fails if the process does.
fn wait_for_cost(child: &Child, start: Instant, command: &Command) -> Result<ProcessCost> {
    let pid = Pid::from_raw(i32::try_from(child.id())?);
    let has_ended = AtomicBool::new(false);
    let (ended, wall, peak_kib) = thread::scope(|scope| {
        let watcher = scope.spawn(|| peak_until(&has_ended, pid));
        let ended = spawn::wait(pid);
        let wall = start.elapsed();
        has_ended.store(true, Ordering::Relaxed);
        (ended, wall, watcher.join().unwrap_or_default())
    });
    let (status, usage) = ended?;
    // A search ends with 1 if it finds nothing, and every history holds something to find.
    ensure!(status == 0, "{} ended with status {status}", command.get_program().display());
    Ok(ProcessCost { wall, processor: spawn::processor_time(&usage), peak_kib })
}

/// Returns the peak memory of a process in KiB, read every few milliseconds until `has_ended`. The peak that the kernel
/// reports at the end (`ru_maxrss`) would count the memory of the process that started it too.
fn peak_until(has_ended: &AtomicBool, pid: Pid) -> u64 {
    let mut peak = 0;
    loop {
        if let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let number = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
            peak = peak.max(number.unwrap_or_default());
        }
        if has_ended.load(Ordering::Relaxed) {
            return peak;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Reads a terminal until its last writer closes it, and returns the time at which `word` was complete.
fn time_until(terminal: OwnedFd, word: &str, start: Instant) -> Result<Option<Duration>> {
    let mut terminal = File::from(terminal);
    let (mut text, mut shown, mut chunk) = (Vec::new(), None, [0; 4096]);
    loop {
        match terminal.read(&mut chunk) {
            Ok(0) => return Ok(shown),
            Ok(read) if shown.is_none() => {
                text.extend_from_slice(&chunk[..read]);
                shown = String::from_utf8_lossy(&text).contains(word).then(|| start.elapsed());
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Linux reports EIO once no process has the terminal open.
            Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => return Ok(shown),
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
    fn a_cost_is_that_of_the_program_alone_and_a_failure_is_an_error() {
        let ours = vec![1_u8; 100 << 20];
        assert!(ours.iter().all(|byte| *byte == 1));
        let cost = run(&mut shell("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")).unwrap();
        assert!(cost.processor > Duration::ZERO && cost.processor <= cost.wall * 64, "{cost:?}");
        assert!((1..64 << 10).contains(&cost.peak_kib), "{cost:?}");
        assert!(run(&mut shell("exit 3")).is_err());
    }

    #[test]
    fn a_word_counts_as_shown_only_on_the_terminal() {
        let is_shown = |script: &str| run_until_shown(&mut shell(script), "flight").unwrap().is_some();
        assert!(is_shown("test -t 2 && echo a flight >&2"));
        assert!(!is_shown("echo flight; echo nothing >&2"));
    }
}

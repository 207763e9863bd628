//! One timed run of a program.
//!
//! The time is measured from the call of `posix_spawn` until the wait for the end of the process returns, for all
//! programs alike. The pipes are made and filled before, and read after.

use std::ffi::CString;
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use nix::libc;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
use nix::unistd::Pid;

use super::contender::Contender;
use super::pipe::{InputPipe, OutputPipe};

/// The figures of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimedRun {
    /// The time from the start to the end.
    pub(crate) time: Duration,
    /// The number of page faults that needed no disk.
    pub(crate) minor_faults: u64,
    /// Page faults that did.
    pub(crate) major_faults: u64,
}

/// A contender with everything made that does not belong to a run.
pub(crate) struct Runner<'a> {
    contender: &'a Contender,
    path: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    attributes: PosixSpawnAttr,
    nowhere: File,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(contender: &'a Contender) -> Result<Self> {
        let (path, arguments, environment) = contender.image()?;
        let nowhere = File::options().write(true).open("/dev/null")?;
        let attributes = PosixSpawnAttr::init()?;
        Ok(Self { contender, path, arguments, environment, attributes, nowhere })
    }

    /// Runs it once and checks its answer.
    pub(crate) fn run(&self) -> Result<TimedRun> {
        for file in &self.contender.chilled {
            drop_from_cache(file)?;
        }
        let input = InputPipe::new(self.contender.payload.bytes())?;
        let output = OutputPipe::new()?;
        let mut actions = PosixSpawnFileActions::init()?;
        actions.add_dup2(input.read.as_raw_fd(), 0)?;
        actions.add_dup2(output.write.as_raw_fd(), 1)?;
        actions.add_dup2(self.nowhere.as_raw_fd(), 2)?;

        let start = Instant::now();
        let child =
            posix_spawn(self.path.as_c_str(), &actions, &self.attributes, &self.arguments, &self.environment)
                .with_context(|| format!("cannot start {}", self.contender.path.display()))?;
        let (status, usage) = wait(child)?;
        let time = start.elapsed();

        ensure!(status == 0, "{} ended with status {status}", self.contender.path.display());
        let printed = output.finish()?;
        input.finish();
        self.contender.check(&printed)?;
        let faults = |count: libc::c_long| u64::try_from(count).unwrap_or_default();
        Ok(TimedRun { time, minor_faults: faults(usage.ru_minflt), major_faults: faults(usage.ru_majflt) })
    }
}

/// Waits for the end of a child and returns its status and its use of resources.
#[allow(unsafe_code, reason = "no safe wrapper gives what a single child has used")]
pub(crate) fn wait(child: Pid) -> Result<(i32, libc::rusage)> {
    let mut status = 0;
    let mut usage = MaybeUninit::zeroed();
    loop {
        // SAFETY: both pointers are to variables of ours that outlive the call.
        let done = unsafe { libc::wait4(child.as_raw(), &raw mut status, 0, usage.as_mut_ptr()) };
        if done == child.as_raw() {
            // SAFETY: `rusage` is made of numbers, so zeros are a value; and the kernel has filled it.
            return Ok((status, unsafe { usage.assume_init() }));
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error).context("cannot wait for a program");
        }
    }
}

/// Drops a file from the page cache. The file must not be open for writing anywhere, and its content must
/// have reached the disk.
fn drop_from_cache(file: &Path) -> Result<()> {
    let opened = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    posix_fadvise(&opened, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)
        .with_context(|| format!("cannot drop {} from the page cache", file.display()))?;
    Ok(())
}

/// Writes files to the disk, so that they can be dropped from the page cache.
pub(crate) fn sync_files(files: &[PathBuf]) -> Result<()> {
    for file in files {
        File::open(file)
            .and_then(|opened| opened.sync_all())
            .with_context(|| format!("cannot sync {}", file.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::contender::{Answer, of_path};

    fn run(path: &str, answer: Answer) -> Result<TimedRun> {
        Runner::new(&of_path(path, answer))?.run()
    }

    #[test]
    fn a_run_is_timed_and_its_page_faults_are_its_own() {
        let run = run("/bin/true", Answer::Bytes("")).unwrap();
        assert!(run.time > Duration::ZERO);
        assert!((1..1000).contains(&run.minor_faults), "{}", run.minor_faults);
    }

    #[test]
    fn a_program_that_fails_or_says_something_else_has_no_time() {
        assert!(run("/bin/false", Answer::Bytes("")).is_err());
        assert!(run("/bin/true", Answer::Bytes("{}")).is_err());
        assert!(run("/bin/true", Answer::Tells(vec!["a"])).is_err());
        assert!(run("/nowhere", Answer::Bytes("")).is_err());
    }
}

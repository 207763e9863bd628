//! Programs traced with `ptrace`.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::super::contender::Contender;
use crate::harness::pipe::{InputPipe, OutputPipe};

/// The reason why a traced program has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The program enters the system call of this number.
    Call(i64),
    /// The program returns from a system call.
    Return,
    /// The program has run one instruction.
    Step,
    /// The process has become another program.
    Exec,
    /// The program is about to end and still has its memory.
    Ending {
        /// The peak of its resident memory, in KiB.
        peak_kib: u64,
    },
    /// The process has ended.
    Ended,
}

/// A program that this thread traces. It is killed if it is dropped before its end.
pub(super) struct TracedProgram {
    pid: Pid,
    input: Option<InputPipe>,
    output: Option<OutputPipe>,
    signal: Option<Signal>,
    in_call: bool,
    ended: bool,
}

impl TracedProgram {
    /// Starts a contender and stops it before its first instruction.
    #[allow(unsafe_code, reason = "only the new process itself can ask to be traced")]
    pub(super) fn start(contender: &Contender) -> Result<Self> {
        let input = InputPipe::new(contender.payload.bytes())?;
        let output = OutputPipe::new()?;
        let mut command = Command::new(&contender.path);
        command.env_clear().envs(contender.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(input.read.try_clone()?).stdout(output.write.try_clone()?).stderr(Stdio::null());
        // SAFETY: what runs between fork and exec is a single system call; it takes no lock and no memory.
        unsafe { command.pre_exec(|| ptrace::traceme().map_err(Into::into)) };
        let child = command.spawn().with_context(|| format!("cannot trace {}", contender.path.display()))?;
        let pid = Pid::from_raw(child.id().cast_signed());
        let traced = Self {
            pid,
            input: Some(input),
            output: Some(output),
            signal: None,
            in_call: false,
            ended: false,
        };
        let stop = waitpid(pid, None)?;
        ensure!(
            matches!(stop, WaitStatus::Stopped(_, Signal::SIGTRAP)),
            "a traced program began with {stop:?}"
        );
        let options = [
            Options::PTRACE_O_TRACESYSGOOD,
            Options::PTRACE_O_TRACEEXEC,
            Options::PTRACE_O_TRACEEXIT,
            Options::PTRACE_O_EXITKILL,
        ];
        ptrace::setoptions(pid, options.into_iter().collect())?;
        Ok(traced)
    }

    /// Resumes the program until the next system call or its end.
    pub(super) fn run_to_call(&mut self) -> Result<Stop> {
        ptrace::syscall(self.pid, self.signal.take())?;
        self.stop()
    }

    /// Resumes the program for one instruction.
    pub(super) fn step(&mut self) -> Result<Stop> {
        ptrace::step(self.pid, self.signal.take())?;
        self.stop()
    }

    fn stop(&mut self) -> Result<Stop> {
        Ok(match waitpid(self.pid, None)? {
            WaitStatus::PtraceSyscall(_) => {
                self.in_call = !self.in_call;
                if self.in_call { Stop::Call(self.call()?) } else { Stop::Return }
            }
            WaitStatus::PtraceEvent(_, _, libc::PTRACE_EVENT_EXIT) => Stop::Ending { peak_kib: self.peak()? },
            WaitStatus::PtraceEvent(_, _, libc::PTRACE_EVENT_EXEC) => Stop::Exec,
            WaitStatus::Stopped(_, Signal::SIGTRAP) => Stop::Step,
            WaitStatus::Stopped(_, signal) => {
                self.signal = Some(signal);
                Stop::Return
            }
            WaitStatus::Exited(_, status) => {
                self.ended = true;
                ensure!(status == 0, "a traced program ended with status {status}");
                Stop::Ended
            }
            other => bail!("a traced program did something else: {other:?}"),
        })
    }

    /// Reads the number of the system call that the program is about to make.
    fn call(&self) -> Result<i64> {
        let registers = ptrace::getregs(self.pid)?;
        #[cfg(target_arch = "x86_64")]
        let number = registers.orig_rax;
        #[cfg(target_arch = "aarch64")]
        let number = registers.regs[8];
        Ok(number.cast_signed())
    }

    /// Reads the address of the next instruction, on an architecture whose instructions can repeat themselves.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn instruction(&self) -> Result<Option<i64>> {
        let at = std::mem::offset_of!(libc::user, regs) + std::mem::offset_of!(libc::user_regs_struct, rip);
        Ok(Some(ptrace::read_user(self.pid, std::ptr::without_provenance_mut(at))?))
    }

    /// Returns `None`: no instruction repeats itself on this architecture.
    #[cfg(not(target_arch = "x86_64"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "elsewhere it asks the kernel")]
    pub(super) fn instruction(&self) -> Result<Option<i64>> {
        Ok(None)
    }

    fn peak(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }

    /// Returns the output of a program that has ended.
    pub(super) fn printed(mut self) -> Result<Vec<u8>> {
        ensure!(self.ended, "a traced program has not ended yet");
        if let Some(input) = self.input.take() {
            input.finish();
        }
        self.output.take().context("the output was read before")?.finish()
    }
}

impl Drop for TracedProgram {
    fn drop(&mut self) {
        if !self.ended {
            // The program may have ended by itself.
            let _ = kill(self.pid, Signal::SIGKILL);
            // The stop before its end is reported first.
            while let Ok(status) = waitpid(self.pid, None) {
                match status {
                    WaitStatus::Signaled(..) | WaitStatus::Exited(..) => break,
                    _ => drop(ptrace::cont(self.pid, None)),
                }
            }
        }
        if let Some(input) = self.input.take() {
            input.finish();
        }
    }
}

//! Counts of one run: system calls, instructions and memory. They are the same at every run, on a busy machine too.
//!
//! The harness traces the program itself, so nothing needs to be installed.

mod trace;

use anyhow::Result;
use syscalls::Sysno;

use super::contender::Contender;
use trace::{Stop, TracedProgram};

/// The counts of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The numbers of its system calls, in order. The first is the `execve` that started it.
    pub(crate) calls: Vec<i64>,
    /// The number of times that the process became another program.
    pub(crate) execs: usize,
    /// The peak of its resident memory, in KiB.
    pub(crate) peak_kib: u64,
    /// The number of instructions outside the kernel.
    pub(crate) instructions: Instructions,
}

/// A number of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Instructions {
    /// The exact number.
    Exactly(u64),
    /// More than this number, after which the program was not followed further.
    MoreThan(u64),
}

impl std::fmt::Display for Instructions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(count) => write!(f, "{count}"),
            Self::MoreThan(count) => write!(f, "> {count}"),
        }
    }
}

/// Returns the name of a system call, or its number if this architecture has none with that number.
pub(crate) fn name(number: i64) -> String {
    let known = usize::try_from(number).ok().and_then(Sysno::new);
    known.map_or_else(|| format!("call {number}"), |call| call.name().to_owned())
}

/// Runs `contender` twice, once from system call to system call and once step by step. It is
/// followed for at most `most` steps.
pub(crate) fn count(contender: &Contender, most: u64) -> Result<Counted> {
    let mut counted = Counted {
        calls: vec![nix::libc::SYS_execve],
        execs: 0,
        peak_kib: 0,
        instructions: steps(contender, most)?,
    };
    let mut traced = TracedProgram::start(contender)?;
    loop {
        match traced.run_to_call()? {
            Stop::Call(number) => counted.calls.push(number),
            Stop::Exec => counted.execs += 1,
            Stop::Ending { peak_kib } => counted.peak_kib = counted.peak_kib.max(peak_kib),
            Stop::Step | Stop::Return => {}
            Stop::Ended => break,
        }
    }
    contender.check(&traced.printed()?)?;
    Ok(counted)
}

/// Counts instructions by single steps.
fn steps(contender: &Contender, most: u64) -> Result<Instructions> {
    let mut traced = TracedProgram::start(contender)?;
    let mut steps = 0;
    let mut last = None;
    loop {
        match traced.step()? {
            Stop::Ended => break,
            Stop::Step => {
                // An instruction that repeats itself, such as `rep movsb`, counts once.
                let at = traced.instruction()?;
                if at.is_none() || at != last {
                    steps += 1;
                }
                last = at;
            }
            Stop::Call(_) | Stop::Return | Stop::Exec | Stop::Ending { .. } => {}
        }
        if steps > most {
            return Ok(Instructions::MoreThan(most));
        }
    }
    contender.check(&traced.printed()?)?;
    Ok(Instructions::Exactly(steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::contender::{Answer, of_path};
    use crate::harness::payload::Payload;

    #[test]
    fn a_run_is_counted_from_its_start_to_its_end() {
        let counted = count(&of_path("/bin/true", Answer::Bytes("")), 10_000_000).unwrap();
        assert_eq!(name(counted.calls[0]), "execve");
        assert_eq!(counted.calls.last().map(|call| name(*call)).as_deref(), Some("exit_group"));
        assert!(matches!(counted.instructions, Instructions::Exactly(1..)));
        assert!(counted.peak_kib > 0 && counted.execs == 0);
    }

    #[test]
    fn a_program_is_not_followed_for_ever() {
        let counted = count(&of_path("/bin/true", Answer::Bytes("")), 100).unwrap();
        assert_eq!(counted.instructions, Instructions::MoreThan(100));
    }

    #[test]
    fn a_program_that_becomes_another_one_is_found_out() {
        let mut contender = of_path("/bin/sh", Answer::Bytes(""));
        contender.payload = Payload::of_script("exec /bin/true");
        assert_eq!(count(&contender, 100).unwrap().execs, 1);
    }
}

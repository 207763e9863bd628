//! A controlling terminal for a program whose input and output are pipes: what a person's command has.
#![allow(
    unsafe_code,
    reason = "a new process needs steps between fork and exec, each of which is proved below"
)]

use std::io;
use std::os::fd::{AsRawFd as _, IntoRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::libc;
use nix::pty::openpty;
use nix::unistd::setsid;

nix::ioctl_write_int_bad!(
    /// Makes a terminal the controlling one of this session, tty_ioctl(2).
    take_terminal,
    libc::TIOCSCTTY
);

/// Gives the program a session and a terminal of its own when it is started. Its standard streams stay as they are.
pub fn with_terminal(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec the child makes system calls alone. It allocates nothing: `openpty` is given neither
    // name nor size.
    unsafe { command.pre_exec(open_terminal) }
}

/// Gives the program a session of its own, with this terminal as the controlling one.
pub fn in_terminal(command: &mut Command, terminal: OwnedFd) -> &mut Command {
    // SAFETY: between fork and exec the child makes two system calls, and allocates nothing. The descriptor is open as
    // long as the closure.
    let enter = move || unsafe {
        setsid()?;
        take_terminal(terminal.as_raw_fd(), 0)?;
        Ok(())
    };
    // SAFETY: see above.
    unsafe { command.pre_exec(enter) }
}

/// Gives the program a session of its own, and so no terminal.
pub fn without_terminal(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec the child makes one system call, and allocates nothing.
    unsafe { command.pre_exec(|| setsid().map(|_| ()).map_err(io::Error::from)) }
}

fn open_terminal() -> io::Result<()> {
    let pty = openpty(None, None)?;
    setsid()?;
    // SAFETY: the descriptor is open, and the request takes a number.
    unsafe { take_terminal(pty.slave.as_raw_fd(), 0) }?;
    // The program holds the other end itself, so its terminal lives as long as it does.
    let _ = pty.master.into_raw_fd();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_terminal_although_its_streams_are_pipes() {
        let has_terminal = |command: &mut Command| command.output().unwrap().status.success();
        let look = || {
            let mut command = Command::new("sh");
            command.args(["-c", "[ ! -t 0 ] && [ ! -t 1 ] && : > /dev/tty"]);
            command.stdin(std::process::Stdio::null());
            command
        };
        assert!(has_terminal(with_terminal(&mut look())));
        assert!(!has_terminal(without_terminal(&mut look())));
    }
}

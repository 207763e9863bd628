//! Pipes: standard input that is complete before the program starts, and standard output that never blocks it.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// The default capacity of a pipe, in bytes.
const USUAL_CAPACITY: usize = 1 << 16;
/// The largest capacity that any user may ask for, in bytes.
const LARGEST_CAPACITY: i32 = 1 << 20;

/// A pipe that holds the whole input.
pub(crate) struct InputPipe {
    /// The end for the program.
    pub(crate) read: OwnedFd,
    /// The thread that writes the rest of an input that does not fit.
    writer: Option<JoinHandle<std::io::Result<()>>>,
}

impl InputPipe {
    /// Makes a pipe, writes `bytes` into it and closes the writing end.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self> {
        let (read, write) = nix::unistd::pipe2(OFlag::O_CLOEXEC).context("cannot make a pipe")?;
        let fits = bytes.len() <= USUAL_CAPACITY || enlarge(&write) >= bytes.len();
        let mut write = std::fs::File::from(write);
        let writer = if fits {
            write.write_all(&bytes)?;
            None
        } else {
            Some(std::thread::spawn(move || write.write_all(&bytes)))
        };
        Ok(Self { read, writer })
    }

    /// Waits for the writer. A program may end without reading, as the exit floor does.
    pub(crate) fn finish(self) {
        drop(self.read);
        if let Some(writer) = self.writer {
            let _ = writer.join();
        }
    }
}

/// Asks for the largest capacity and returns the one that the pipe has.
fn enlarge(pipe: &OwnedFd) -> usize {
    let got = fcntl(pipe.as_fd(), FcntlArg::F_SETPIPE_SZ(LARGEST_CAPACITY)).unwrap_or_default();
    usize::try_from(got).unwrap_or_default()
}

/// A pipe for the output. Its capacity is far larger than any answer.
pub(crate) struct OutputPipe {
    read: OwnedFd,
    /// The end for the program.
    pub(crate) write: OwnedFd,
}

impl OutputPipe {
    pub(crate) fn new() -> Result<Self> {
        let (read, write) = nix::unistd::pipe2(OFlag::O_CLOEXEC).context("cannot make a pipe")?;
        Ok(Self { read, write })
    }

    /// Returns the output of a program that has ended.
    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        drop(self.write);
        let mut printed = Vec::new();
        std::fs::File::from(self.read).read_to_end(&mut printed)?;
        Ok(printed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_of_input_arrives_whole() {
        for length in [0, 10, USUAL_CAPACITY, 1_000_000, 3_000_000] {
            let bytes: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut filled = InputPipe::new(bytes.clone()).unwrap();
            let mut read = Vec::new();
            std::fs::File::from(filled.read.try_clone().unwrap()).read_to_end(&mut read).unwrap();
            assert!(read == bytes, "{length}");
            if let Some(writer) = filled.writer.take() {
                writer.join().unwrap().unwrap();
            }
            filled.finish();
        }
    }
}

//! Standard input that is there before the program starts, and standard output that never blocks it.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// What a pipe holds unless it is asked for more.
const USUAL_CAPACITY: usize = 1 << 16;
/// What anybody may ask for.
const LARGEST_CAPACITY: i32 = 1 << 20;

/// A pipe with all of the input in it.
pub(crate) struct Filled {
    /// For the program.
    pub(crate) read: OwnedFd,
    /// Writes what does not fit, where the pipe is too small.
    writer: Option<JoinHandle<std::io::Result<()>>>,
}

impl Filled {
    /// Puts `bytes` into a pipe and closes its end.
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

    /// Waits for the writer. A program that does not read is no error: the floor does not.
    pub(crate) fn finish(self) {
        drop(self.read);
        if let Some(writer) = self.writer {
            let _ = writer.join();
        }
    }
}

/// Asks for the largest pipe, and says how much it holds now.
fn enlarge(pipe: &OwnedFd) -> usize {
    let got = fcntl(pipe.as_fd(), FcntlArg::F_SETPIPE_SZ(LARGEST_CAPACITY)).unwrap_or_default();
    usize::try_from(got).unwrap_or_default()
}

/// A pipe for the output. Answers are far smaller than what it holds.
pub(crate) struct Drain {
    read: OwnedFd,
    /// For the program.
    pub(crate) write: OwnedFd,
}

impl Drain {
    pub(crate) fn new() -> Result<Self> {
        let (read, write) = nix::unistd::pipe2(OFlag::O_CLOEXEC).context("cannot make a pipe")?;
        Ok(Self { read, write })
    }

    /// All that was printed, when the program has ended.
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
            let mut filled = Filled::new(bytes.clone()).unwrap();
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

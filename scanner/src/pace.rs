//! How far those are who read, and whether they are to end. All of them share it.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Debug, Default)]
pub(crate) struct Pace {
    passed: AtomicU64,
    listened: AtomicU64,
    stopped: AtomicBool,
}

impl Pace {
    /// So many bytes more are done.
    pub(crate) fn pass(&self, bytes: u64) {
        self.passed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// How many bytes are done.
    pub(crate) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }

    /// How many bytes were listened through.
    #[cfg(test)]
    pub(crate) fn listened(&self) -> u64 {
        self.listened.load(Ordering::Relaxed)
    }

    /// Everybody is to end.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// A source that is listened to. It ends where everybody is to end: what was not read is not there, and who
/// stopped it knows.
pub(crate) struct Listened<'p, R> {
    pub(crate) source: R,
    pub(crate) pace: &'p Pace,
}

impl<R: Read> Read for Listened<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.pace.is_stopped() {
            return Ok(0);
        }
        let read = self.source.read(into)?;
        self.pace.listened.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

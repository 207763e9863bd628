//! The progress of a scan, which all its threads share, and the request to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters of the bytes that were read, and the flag that stops all threads of a scan.
#[derive(Debug, Default)]
pub(crate) struct SharedProgress {
    done: AtomicU64,
    /// The number of bytes of transcripts that were read once more to find echoes.
    pub(crate) compared: AtomicU64,
    stopped: AtomicBool,
}

impl SharedProgress {
    /// Adds bytes that are done.
    pub(crate) fn add(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The number of bytes that are done.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Asks all threads to stop.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

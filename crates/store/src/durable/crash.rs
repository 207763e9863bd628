//! Crash points: places at which a test kills the process.
//!
//! Every write of ours passes a point before and after it. A sync has none: what was written is there for whoever
//! goes on, synced or not. A program built with the feature `crash-points` dies at the one that `LESSONS_CRASH_AT`
//! numbers, counted from 1; the tests try every number until the program no longer dies. Without the feature a crash
//! point does nothing.

/// Passes a crash point.
#[cfg(feature = "crash-points")]
pub fn point() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static PASSED: AtomicU64 = AtomicU64::new(0);
    static AT: OnceLock<Option<u64>> = OnceLock::new();
    let at = AT.get_or_init(|| std::env::var("LESSONS_CRASH_AT").ok().and_then(|at| at.parse().ok()));
    if *at == Some(PASSED.fetch_add(1, Ordering::Relaxed) + 1) {
        std::process::abort();
    }
}

/// Passes a crash point, which does nothing without the feature.
#[cfg(not(feature = "crash-points"))]
#[inline]
pub fn point() {}

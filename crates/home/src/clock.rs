//! The clocks of this machine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};

use lessons_lesson::Clock;

/// The wall clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The CPU time that this process has used. Zero if the system does not say.
pub fn spent() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_was_spent_grows_with_work_alone() {
        let before = spent();
        assert!(!before.is_zero());
        let mut last = before;
        while last == before {
            last = spent();
        }
        assert!(last > before);
    }
}

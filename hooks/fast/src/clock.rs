//! The clocks. The library's way to them leads through a table in the program's memory that has to be found and
//! read first, and touches three more pages: for one question the system call is cheaper.

#![allow(unsafe_code, reason = "a system call that writes to memory")]

use core::time::Duration;

use lessons_core::compiled::Clock;

/// The clock of this machine.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        u64::try_from(read(Id::Realtime).as_millis()).unwrap_or(0)
    }
}

/// How long this process has been at work.
pub(crate) fn worked() -> Duration {
    read(Id::ProcessWork)
}

/// The clocks by their numbers, which are the same on all processors.
#[derive(Clone, Copy)]
enum Id {
    Realtime = 0,
    ProcessWork = 2,
}

/// Zero where it cannot be read.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn read(clock: Id) -> Duration {
    use core::arch::asm;
    let mut time = [0_i64; 2];
    // SAFETY: `clock_gettime` takes a number and writes two words of 64 bits, for which there is room.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") 228_usize => _,
            in("rdi") clock as usize,
            in("rsi") time.as_mut_ptr(),
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "svc 0",
            in("x8") 113_usize,
            inlateout("x0") clock as usize => _,
            in("x1") time.as_mut_ptr(),
            options(nostack),
        );
    }
    let [seconds, nanoseconds] = time.map(|part| u64::try_from(part).unwrap_or(0));
    Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds)
}

/// Zero where it cannot be read.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn read(clock: Id) -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let clock = match clock {
        Id::Realtime => ClockId::Realtime,
        Id::ProcessWork => ClockId::ProcessCPUTime,
    };
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn the_clocks_say_what_the_library_s_say() {
        let before = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
        let now = u128::from(SystemClock.now());
        let after = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
        assert!((before..=after).contains(&now), "{before} {now} {after}");
        let worked_before = worked();
        assert!(!worked_before.is_zero() && worked() >= worked_before);
    }
}

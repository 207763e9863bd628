//! How the process begins and ends, which no library does for it.

#![allow(unsafe_code, reason = "what the kernel hands over is raw memory, and so is what it takes")]

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod unwind;

use core::ffi::{CStr, c_char};

#[cfg(target_os = "linux")]
pub(crate) use linux::{execute, exit};
#[cfg(target_os = "macos")]
pub(crate) use macos::{execute, exit};

/// The arguments and variables of this process, which live as long as it does.
pub(crate) struct Arguments {
    /// Null-terminated.
    arguments: *const *const c_char,
    /// Null-terminated.
    variables: *const *const c_char,
}

impl Arguments {
    /// The name under which this program was started.
    pub(crate) fn program(&self) -> Option<&'static CStr> {
        // SAFETY: `arguments` is the null-terminated list that the system hands to every process.
        unsafe { strings(self.arguments) }.next().map(Text::measured)
    }

    /// The variables whose names begin with one of these, each `NAME=value`. The others are not even
    /// measured: there may be many, and long ones.
    pub(crate) fn variables(&self, initials: &[u8]) -> impl Iterator<Item = &'static CStr> {
        // SAFETY: `variables` is the null-terminated list that the system hands to every process.
        unsafe { strings(self.variables) }
            .filter(|string| initials.contains(&string.initial()))
            .map(Text::measured)
    }
}

/// A string that ends with a zero and lives, unchanged, as long as the process.
#[derive(Clone, Copy)]
struct Text(*const c_char);

impl Text {
    /// Its first byte; zero where it is empty.
    fn initial(&self) -> u8 {
        // SAFETY: there is at least the zero.
        unsafe { *self.0.cast() }
    }

    fn measured(self) -> &'static CStr {
        // SAFETY: that is what it is.
        unsafe { CStr::from_ptr(self.0) }
    }
}

/// The strings of a null-terminated list.
///
/// # Safety
///
/// `list` is such a list, of strings that end with a zero, and neither is ever changed or freed.
unsafe fn strings(mut list: *const *const c_char) -> impl Iterator<Item = Text> {
    core::iter::from_fn(move || {
        // SAFETY: `list` has not passed the null at the end, as nothing is read behind it.
        let string = unsafe { *list };
        if string.is_null() {
            return None;
        }
        // SAFETY: as before; the next place is at most the null.
        list = unsafe { list.add(1) };
        Some(Text(string))
    })
}

//! macOS, where every program is started by the system's own library.

use core::ffi::{CStr, c_char, c_int};

use super::Arguments;

unsafe extern "C" {
    fn _exit(status: c_int) -> !;
    fn execve(path: *const c_char, arguments: *const *const c_char, variables: *const *const c_char)
    -> c_int;
}

/// Where the system's library begins.
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, arguments: *const *const c_char, variables: *const *const c_char) -> c_int {
    crate::run(&Arguments { arguments, variables })
}

/// Ends the process.
pub(crate) fn exit(status: i32) -> ! {
    // SAFETY: it takes a number and does not return.
    unsafe { _exit(status) }
}

/// Becomes the program at `path`, with the same arguments and variables. Returns where that fails.
pub(crate) fn execute(path: &CStr, arguments: &Arguments) {
    // SAFETY: `execve` reads a string that ends with a zero and two null-terminated lists of such strings,
    // which these are.
    let _ = unsafe { execve(path.as_ptr(), arguments.arguments, arguments.variables) };
}

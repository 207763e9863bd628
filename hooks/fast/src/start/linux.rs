//! Linux: the entry point of the program, and two system calls that no library of ours offers.

use core::arch::{asm, naked_asm};
use core::ffi::{CStr, c_char};

use super::Arguments;

// Nothing of the C library is started; only `memcpy` and its like are taken from it, which the compiler
// calls by itself.
#[link(name = "c", kind = "static", modifiers = "-bundle")]
unsafe extern "C" {}

/// Where the kernel begins. The stack pointer is the address of: the number of arguments, the arguments,
/// null, the variables, null.
///
/// # Safety
///
/// Only the kernel may call it.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn hook_start() -> ! {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("mov rdi, rsp", "xor ebp, ebp", "and rsp, -16", "call {begin}", "ud2", begin = sym begin);
    #[cfg(target_arch = "aarch64")]
    naked_asm!("mov x0, sp", "mov x29, xzr", "mov x30, xzr", "bl {begin}", "brk 1", begin = sym begin);
}

/// Named by the C library's own start, which is linked and never runs.
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    0
}

/// # Safety
///
/// `stack` is the stack as the kernel leaves it to a new process.
unsafe extern "C" fn begin(stack: *const usize) -> ! {
    // SAFETY: the number of arguments is the first word, the arguments follow, and the variables come
    // after the null that ends them.
    let arguments = unsafe {
        let count = *stack;
        let arguments = stack.add(1).cast::<*const c_char>();
        Arguments { arguments, variables: arguments.add(count + 1) }
    };
    exit(crate::run(&arguments))
}

/// Ends the process.
pub(crate) fn exit(status: i32) -> ! {
    // SAFETY: `exit_group` takes a number and does not return.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("syscall", in("rax") 231, in("rdi") status, options(noreturn, nostack))
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("svc 0", in("x8") 94, in("x0") status, options(noreturn, nostack))
    }
}

/// Becomes the program at `path`, with the same arguments and variables. Returns where that fails.
pub(crate) fn execute(path: &CStr, arguments: &Arguments) {
    // SAFETY: `execve` reads a string that ends with a zero and two null-terminated lists of such strings,
    // which these are. It touches no memory of this process unless it replaces all of it.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") 59_usize => _,
            in("rdi") path.as_ptr(),
            in("rsi") arguments.arguments,
            in("rdx") arguments.variables,
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
            in("x8") 221_usize,
            inlateout("x0") path.as_ptr() => _,
            in("x1") arguments.arguments,
            in("x2") arguments.variables,
            options(nostack),
        );
    }
}

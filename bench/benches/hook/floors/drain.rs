//! The floor of input and output: reads standard input to its end and writes two bytes.
#![no_std]
#![no_main]

use core::arch::{asm, naked_asm};

#[cfg(target_arch = "x86_64")]
mod number {
    pub(crate) const READ: usize = 0;
    pub(crate) const WRITE: usize = 1;
    pub(crate) const EXIT: usize = 231;
}

#[cfg(target_arch = "aarch64")]
mod number {
    pub(crate) const READ: usize = 63;
    pub(crate) const WRITE: usize = 64;
    pub(crate) const EXIT: usize = 94;
}

/// Makes a system call with three arguments.
///
/// # Safety
/// The kernel may read or write `length` bytes at `at`, so they must belong to the caller.
unsafe fn call(number: usize, first: usize, at: *mut u8, length: usize) -> isize {
    let result: isize;
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result, in("rdi") first, in("rsi") at,
            in("rdx") length, out("rcx") _, out("r11") _);
    }
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("svc #0", in("x8") number, inlateout("x0") first as isize => result, in("x1") at,
            in("x2") length);
    }
    result
}

static mut BUFFER: [u8; 1 << 16] = [0; 1 << 16];

extern "C" fn main() -> ! {
    let buffer = &raw mut BUFFER;
    let mut answer = *b"{}";
    // SAFETY: nobody else knows the buffer, and `answer` outlives the call.
    unsafe {
        while call(number::READ, 0, buffer.cast(), 1 << 16) > 0 {}
        call(number::WRITE, 1, answer.as_mut_ptr(), answer.len());
        call(number::EXIT, 0, answer.as_mut_ptr(), 0);
    }
    loop {}
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn _start() -> ! {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("call {main}", main = sym main);
    #[cfg(target_arch = "aarch64")]
    naked_asm!("bl {main}", main = sym main);
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

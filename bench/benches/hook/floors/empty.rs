//! The exit floor: a process that only ends. Nothing that the kernel starts can be cheaper.
#![no_std]
#![no_main]

use core::arch::naked_asm;

#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn _start() -> ! {
    // exit_group(0)
    #[cfg(target_arch = "x86_64")]
    naked_asm!("mov eax, 231", "xor edi, edi", "syscall");
    #[cfg(target_arch = "aarch64")]
    naked_asm!("mov x8, #94", "mov x0, #0", "svc #0");
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

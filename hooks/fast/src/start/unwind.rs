//! What the linker asks for although nothing unwinds: the compiler's own library was built for programs
//! that do. This one ends where it panics.

/// Never called: no frame has anything to clean up.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    super::exit(0)
}

/// Never called: nothing looks for a frame that would stop a panic.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

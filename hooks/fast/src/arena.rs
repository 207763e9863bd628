//! Memory for a process that lives for a tenth of a millisecond: nothing is given back.
//!
//! Pieces are cut off one after the other, first from a part of the program's own image, then from what
//! the kernel hands out in larger chunks. Only the last piece can grow where it lies or be taken back,
//! which is what a text that is being read needs. Where it is all of its chunk the chunk grows with it,
//! and the kernel moves it without a copy.
//!
//! Only long texts need chunks of the kernel's, and use them up from front to back. So their pages are asked for
//! many at a time, shortly before they are used: one by one each of them would stop the program.

#![allow(unsafe_code, reason = "handing out memory is what an allocator does")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;

use lessons_fast_hook::OWN_MEMORY as OWN;
use rustix::mm::{MapFlags, MremapFlags, ProtFlags, mmap_anonymous, mremap};

/// The least that is asked of the kernel at a time.
const CHUNK: usize = 1 << 20;
/// How many bytes of a chunk are filled with pages at a time.
const STEP: usize = 128 << 10;

#[repr(align(16))]
struct Own(UnsafeCell<[u8; OWN]>);

/// The part of the image. It stands alone, behind everything else that is zero at the start.
static IMAGE: Own = Own(UnsafeCell::new([0; OWN]));

/// The allocator.
///
/// It begins as something else than zero, so that it lies in the page with the program's other data: the
/// kernel has that page at hand when the program starts.
pub(crate) struct Arena(UnsafeCell<Free>);

/// What is left of the present chunk.
struct Free {
    /// The first free byte.
    start: *mut u8,
    /// The first byte that was never handed out: it and all behind it are zero.
    fresh: *mut u8,
    /// The first byte behind the chunk.
    end: *mut u8,
    /// The chunk, where it came from the kernel.
    chunk: *mut u8,
    /// The first byte of the chunk that has no page yet; the end of the image's part.
    ready: *mut u8,
}

// SAFETY: the program has one thread, and no signal handler.
unsafe impl Sync for Own {}

// SAFETY: the program has one thread, and no signal handler.
unsafe impl Sync for Arena {}

impl Arena {
    pub(crate) const fn new() -> Self {
        let start: *mut u8 = IMAGE.0.get().cast();
        let end = start.wrapping_add(OWN);
        Self(UnsafeCell::new(Free { start, fresh: start, end, chunk: ptr::null_mut(), ready: end }))
    }

    /// # Safety
    ///
    /// Nobody else holds what this returns: it is not kept across calls.
    #[allow(clippy::mut_from_ref, reason = "there is one thread, and no call within another")]
    unsafe fn free(&self) -> &mut Free {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0.get() }
    }
}

impl Free {
    /// Cuts a piece off. `None` where the chunk has too little left.
    fn cut(&mut self, layout: Layout) -> Option<*mut u8> {
        let start = self.start.wrapping_add(self.start.align_offset(layout.align()));
        let left = self.end.addr().checked_sub(start.addr())?;
        if layout.size() > left {
            return None;
        }
        self.use_up_to(start.wrapping_add(layout.size()));
        Some(start)
    }

    /// Hands out everything before `start`.
    fn use_up_to(&mut self, start: *mut u8) {
        self.start = start;
        if self.fresh.addr() < start.addr() {
            self.fresh = start;
        }
        if self.ready.addr() < start.addr() {
            self.fill(start);
        }
    }

    /// Gives pages to everything before `start`, and to a little more.
    #[cold]
    fn fill(&mut self, start: *mut u8) {
        let missing = (start.addr() - self.ready.addr()).next_multiple_of(STEP);
        let missing = missing.min(self.end.addr() - self.ready.addr());
        #[cfg(target_os = "linux")]
        {
            use rustix::mm::{Advice, madvise};
            // Where the kernel cannot do it, pages come when they are touched.
            // SAFETY: the bytes lie within the chunk, and what stands in them is not changed.
            let _ = unsafe { madvise(self.ready.cast(), missing, Advice::LinuxPopulateWrite) };
        }
        self.ready = self.ready.wrapping_add(missing);
    }

    /// Makes the chunk larger, of which `piece` is all that is used. `None` where it is not.
    #[cfg(target_os = "linux")]
    fn extend(&mut self, piece: *mut u8, size: usize) -> Option<*mut u8> {
        if piece != self.chunk {
            return None;
        }
        let length = self.end.addr() - self.chunk.addr();
        let size = size.checked_next_multiple_of(CHUNK)?;
        // SAFETY: the chunk came from the kernel with this length, and only `piece`, which is given up for
        // what this returns, lies in it.
        let chunk = unsafe { mremap(self.chunk.cast(), length, size, MremapFlags::MAYMOVE) }.ok()?;
        // It was used up to its last byte or nearly so, and what was added is zero.
        let used = self.fresh.addr() - self.chunk.addr();
        let ready = self.ready.addr() - self.chunk.addr();
        self.chunk = chunk.cast();
        self.fresh = self.chunk.wrapping_add(used);
        self.ready = self.chunk.wrapping_add(ready);
        self.end = self.chunk.wrapping_add(size);
        Some(self.chunk)
    }

    #[cfg(not(target_os = "linux"))]
    fn extend(&mut self, _piece: *mut u8, _size: usize) -> Option<*mut u8> {
        None
    }

    /// Takes a new chunk that has room for a piece.
    fn renew(&mut self, layout: Layout) -> Option<()> {
        let size = layout.size().checked_add(layout.align())?.max(CHUNK).checked_next_multiple_of(CHUNK)?;
        // SAFETY: a null hint lets the kernel choose a place where nothing is.
        let chunk = unsafe {
            mmap_anonymous(ptr::null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        };
        self.chunk = chunk.ok()?.cast();
        self.start = self.chunk;
        self.fresh = self.chunk;
        self.ready = self.chunk;
        self.end = self.chunk.wrapping_add(size);
        Some(())
    }
}

// SAFETY: pieces are aligned, lie within a chunk, and no byte is in two of them.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: it is let go before this returns.
        let free = unsafe { self.free() };
        let piece = free.cut(layout).or_else(|| {
            free.renew(layout)?;
            free.cut(layout)
        });
        piece.unwrap_or(ptr::null_mut())
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: it is let go before this returns.
        let free = unsafe { self.free() };
        if piece.wrapping_add(layout.size()) == free.start {
            free.start = piece;
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: it is let go before anything else is asked of the arena.
        let fresh = unsafe { self.free() }.fresh;
        // SAFETY: the caller's promise is that of `alloc`.
        let piece = unsafe { self.alloc(layout) };
        let within = fresh.addr().checked_sub(piece.addr()).filter(|_| !piece.is_null());
        if let Some(used) = within {
            // So much of it may have been another piece before. Where `fresh` is in another chunk this says
            // nothing, but then it is at most too much.
            // SAFETY: it is ours and has `layout.size()` bytes.
            unsafe { piece.write_bytes(0, used.min(layout.size())) };
        }
        piece
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: it is let go before anything else is asked of the arena.
        let free = unsafe { self.free() };
        let is_last = piece.wrapping_add(layout.size()) == free.start;
        if is_last && free.end.addr().checked_sub(piece.addr()).is_some_and(|room| size <= room) {
            free.use_up_to(piece.wrapping_add(size));
            return piece;
        }
        if is_last && let Some(moved) = free.extend(piece, size) {
            free.use_up_to(moved.wrapping_add(size));
            return moved;
        }
        // SAFETY: the caller promises that `size` makes a layout with this alignment.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !new.is_null() {
            // SAFETY: both are ours, they do not overlap, and each has at least this many bytes.
            unsafe { ptr::copy_nonoverlapping(piece, new, layout.size().min(size)) };
        }
        new
    }
}

//! Substring search without run-time detection of processor features.
//!
//! `memchr`'s own functions look for AVX2 at run time as soon as any crate of a program switches its feature `std` on.
//! In a virtual machine each `cpuid` traps and costs 4 us, and the search asks eight times: a third of a hook's call.
//! These functions use what every processor of the target has. Like `memchr`'s they are linear in the text.

use std::iter;

use memchr::arch::all::twoway;

#[cfg(not(target_arch = "x86_64"))]
pub use memchr::{memchr, memchr2, memchr3};

#[cfg(target_arch = "x86_64")]
pub use sse2::{memchr, memchr2, memchr3};

/// The searches for single bytes with SSE2, which every x86-64 processor has.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use memchr::arch::x86_64::sse2::memchr::{One, Three, Two};

    /// The offset of the first `byte`.
    pub fn memchr(byte: u8, text: &[u8]) -> Option<usize> {
        One::new(byte)?.find(text)
    }

    /// The offset of the first byte that is either of two.
    pub fn memchr2(first: u8, second: u8, text: &[u8]) -> Option<usize> {
        Two::new(first, second)?.find(text)
    }

    /// The offset of the first byte that is any of three.
    pub fn memchr3(first: u8, second: u8, third: u8, text: &[u8]) -> Option<usize> {
        Three::new(first, second, third)?.find(text)
    }
}

/// The offsets of all bytes that are `byte`, ascending.
pub fn memchr_iter(byte: u8, text: &[u8]) -> impl Iterator<Item = usize> {
    each(text.len(), 1, move |from| memchr(byte, text.get(from..)?))
}

/// The offset of the first `piece` in `text`. An empty piece is found at 0.
pub fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    match piece {
        [] => Some(0),
        [byte] => memchr(*byte, text),
        piece => find_longer(text, piece),
    }
}

/// The offsets of the occurrences of `piece` that do not overlap, ascending.
pub fn find_iter(text: &[u8], piece: &[u8]) -> impl Iterator<Item = usize> {
    each(text.len(), piece.len().max(1), move |from| find(text.get(from..)?, piece))
}

/// The offset of the first `piece` of at least two bytes.
fn find_longer(text: &[u8], piece: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        use memchr::arch::x86_64::sse2::packedpair::Finder;
        /// The longest piece for which the worst case, text times piece, still counts as linear. It is `memchr`'s limit too.
        const SHORT: usize = 32;
        if piece.len() <= SHORT
            && let Some(finder) = Finder::new(piece)
            && finder.min_haystack_len() <= text.len()
        {
            return finder.find(text, piece);
        }
    }
    twoway::Finder::new(piece).find(text, piece)
}

/// The offsets that `next` finds, each search from the end of the last occurrence on. `width` is the length of one.
fn each(end: usize, width: usize, next: impl Fn(usize) -> Option<usize>) -> impl Iterator<Item = usize> {
    let mut from = 0;
    iter::from_fn(move || {
        let at = if from <= end { from + next(from)? } else { return None };
        from = at + width;
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn everything_is_found_where_the_ordinary_search_finds_it(
            text in "[ab\\n$]{0,90}", piece in "[ab$]{0,40}", cut in 0..90_usize,
        ) {
            // A piece of the text itself, so that long pieces are found too.
            let text = text.as_bytes();
            let own = text.get(cut..).unwrap_or_default();
            for piece in [piece.as_bytes(), own, own.get(..2).unwrap_or_default()] {
                prop_assert_eq!(find(text, piece), memchr::memmem::find(text, piece));
                let all: Vec<usize> = memchr::memmem::find_iter(text, piece).collect();
                prop_assert_eq!(find_iter(text, piece).collect::<Vec<_>>(), all);
            }
            prop_assert_eq!(memchr(b'$', text), memchr::memchr(b'$', text));
            prop_assert_eq!(memchr2(b'$', b'\n', text), memchr::memchr2(b'$', b'\n', text));
            let one: Vec<usize> = memchr::memchr_iter(b'a', text).collect();
            prop_assert_eq!(memchr_iter(b'a', text).collect::<Vec<_>>(), one);
            prop_assert_eq!(memchr3(b'a', b'$', b'\n', text), memchr::memchr3(b'a', b'$', b'\n', text));
        }
    }
}

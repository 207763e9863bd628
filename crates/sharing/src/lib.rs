//! Lessons that travel: the folders they are shared in, what arrives there, and what becomes of it.
//!
//! It never prints, asks or parses arguments.

pub mod destination;
pub mod receiving;
pub mod refusal;
pub mod signing;

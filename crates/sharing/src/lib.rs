//! Lessons that travel: the folders they are shared in, what arrives there, and what becomes of it.
//!
//! [`destination`]: where events go; [`refusal`]: why a lesson may not leave this machine; [`signing`]: the key and the date of an
//! event. [`receiving`]: what arrives.
//!
//! It never prints, asks or parses arguments.

pub mod destination;
pub mod receiving;
pub mod refusal;
pub mod signing;

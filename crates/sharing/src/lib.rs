//! Lessons that travel: the folders they are shared in, what arrives there, and what becomes of it.
//!
//! [`sending`]: where events go, why a lesson may not leave this machine, the key and the date of an event. [`receiving`]:
//! what arrives.
//!
//! It never prints, asks or parses arguments.

pub mod receiving;
pub mod sending;

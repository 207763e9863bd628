//! Where reviewed lessons, candidates, settings and trust are kept.

pub mod config;

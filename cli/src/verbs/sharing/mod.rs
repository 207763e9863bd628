//! Verbs that exchange lessons with others.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod merge_driver;
pub(crate) mod peers;
pub(crate) mod share;

//! Verbs that install, build, scan, schedule and clean up.

pub(crate) mod build;
pub(crate) mod forget;
pub(crate) mod init;
pub(crate) mod install;
pub mod question;
pub mod scan;
pub(crate) mod schedule;

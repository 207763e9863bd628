//! One scan: which sessions, one session, the queue, and the report.

pub mod budget;
pub(crate) mod cleaner;
pub mod cores;
pub(crate) mod echo_check;
pub mod finding;
pub mod follow;
pub mod intake_marks;
pub mod lock;
mod options;
pub(crate) mod packages;
mod phase;
pub(crate) mod progress;
pub(crate) mod projects;
pub(crate) mod reorder_queue;
pub mod report;
pub mod scan;
pub mod session_facts;
pub(crate) mod session_scan;

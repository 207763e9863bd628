//! Verbs that show something and change nothing but incidents.

pub(crate) mod candidates;
pub(crate) mod effect;
pub(crate) mod incidents;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;

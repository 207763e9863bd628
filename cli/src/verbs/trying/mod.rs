//! Verbs that try lessons and check the installation.

pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod replay;
pub(crate) mod validate;

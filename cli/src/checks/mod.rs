//! What is checked before a lesson is saved or proposed, and what is said about it.

pub(crate) mod agent_cap;
pub(crate) mod duplicates;
pub(crate) mod own_advice;
pub(crate) mod project_bound;
pub(crate) mod too_broad;

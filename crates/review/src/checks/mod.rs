//! What is checked before a lesson is saved or proposed, and what is said about it.

pub mod agent_cap;
pub mod duplicates;
pub mod own_advice;
pub mod project_bound;
pub mod too_broad;

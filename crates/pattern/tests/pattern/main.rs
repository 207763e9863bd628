//! Patterns from the outside: recorded cases, and properties against slow, obvious matchers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod clauses;
mod expressions;
mod globs;
mod recorded;
mod sample;
mod tree;

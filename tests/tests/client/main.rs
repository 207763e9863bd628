//! The plugin in the real Claude Code client: what reaches the model, and when.
//!
//! Lessons are recorded by typing `lessons`, as a person would. Everything that the model was told or not told is
//! read from the log of requests.
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
#![allow(clippy::unwrap_used, reason = "these are tests, and what they are made with")]

mod advice;
mod approval;
mod commands;
mod contexts;
mod effects;
mod failure;
mod installing;
mod journey;
mod mcp;
mod refusal;
mod start;
mod withholding;
mod world;

//! Behaviour cases as data: what goes in, and what must come out.
//!
//! The cases stand in `tests/fixtures/`, one file a kind. Here is what puts their input into our programs
//! ([`recall`], [`capture`], [`graph`], [`adversarial`]) and what compares the outcome. An adapter is never given the expected
//! outcome, so it cannot act on it. A case, or a part of one, that this project decides differently stands in
//! [`overruled`] with the sentence that decides it. Every other case is run.
#![allow(clippy::disallowed_methods, reason = "tests set their scene with plain files")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "these are tests, and what they are made with")]

mod adversarial;
mod capture;
mod cases;
mod generate;
mod graph;
mod overruled;
mod recall;

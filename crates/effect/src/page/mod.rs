//! The page of `lessons report --html`: what lessons did, as tables that lead to a decision.
//!
//! [`page`] turns a [`Summary`] into one HTML file. In reading order:
//!
//! - `document`: the document around the sections; `sections`: a function for each question that the page answers.
//! - `table`: a table, which stacks on a phone. `wording`: numbers, times and names.
//! - `style.css`: light, dark, phone and print.
//!
//! Invariants: the file holds no script and loads nothing, and its content security policy would forbid both. Lesson
//! texts, models and commands come from other people: `maud` escapes them by type, and [`wording`] makes them
//! neutral first. No share is said of fewer sessions than [`FEWEST_SESSIONS`], and nothing here claims that a lesson
//! was the cause of what followed. Nothing is read, written or opened.
//!
//! [`FEWEST_SESSIONS`]: lessons_replay::tally::FEWEST_SESSIONS

mod document;
mod sections;
mod table;
mod wording;

use jiff::tz::TimeZone;

use crate::statistics::summary::Summary;

/// What the page shows.
#[derive(Debug, Clone, Copy)]
pub struct PageInput<'a> {
    /// What lessons did.
    pub summary: &'a Summary,
    /// The candidates that wait for a decision.
    pub waiting: u64,
    /// The time zone of the person who reads it.
    pub zone: &'a TimeZone,
}

/// The mark by which a page of ours is known, near the beginning of the file.
pub const GENERATOR: &str = r#"<meta name="generator" content="lessons report">"#;

/// The page: one HTML document.
pub fn page(input: &PageInput<'_>) -> String {
    document::document(input).into_string()
}

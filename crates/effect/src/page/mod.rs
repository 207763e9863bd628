//! The page of `lessons report --html`: what lessons did, in figures.
//!
//! [`page`] turns a [`Summary`] into one HTML file. In reading order:
//!
//! - `document`: the document around the sections.
//! - `section`: a file for each question that the page answers.
//! - `figure`: the frame of a figure: question, picture, the same as a table.
//! - `chart`: the pictures, in SVG of our own.
//! - `wording`: numbers, times and names.
//! - `style.css`: light, dark, phone and print.
//!
//! Invariants: the file holds no script and loads nothing, and its content security policy would forbid both. Lesson
//! texts, topics, models and commands come from other people: `maud` escapes them by type, and [`wording`] makes them
//! neutral first. No share is said of fewer sessions than [`FEWEST_SESSIONS`], and nothing here claims that a lesson
//! was the cause of what followed. Nothing is read, written or opened.
//!
//! [`FEWEST_SESSIONS`]: lessons_replay::tally::FEWEST_SESSIONS

mod chart;
mod document;
mod figure;
mod section;
mod wording;

use crate::statistics::summary::Summary;
use jiff::tz::TimeZone;

/// What the page shows.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What lessons did.
    pub summary: &'a Summary,
    /// What the hooks said, in the same time.
    pub activity: Activity,
    /// The candidates that wait for a decision.
    pub waiting: u64,
    /// The time zone of the person who reads it.
    pub zone: &'a TimeZone,
}

/// What the hooks said, in calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    /// Calls with a reminder.
    pub reminders: u64,
    /// Blocked calls.
    pub blocked: u64,
}

/// The mark by which a page of ours is known, near the beginning of the file.
pub const GENERATOR: &str = r#"<meta name="generator" content="lessons report">"#;

/// The page: one HTML document.
pub fn page(report: &Report<'_>) -> String {
    document::document(report).into_string()
}

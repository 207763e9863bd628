//! The reports of nightly runs: one file a night, in the folder of reports.

use std::path::PathBuf;

use jiff::civil::Date;
use lessons_home::files::FileError;
use lessons_home::{Home, files};

use crate::durable::{self, WriteError};

/// The number of reports that are kept.
const KEPT: usize = 30;
/// The largest report that is read, in bytes.
const LIMIT: u64 = 1 << 20;
/// The end of the name of a report, behind its day.
const EXTENSION: &str = ".md";

/// The report of a night.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NightReport {
    /// The day on which the run began.
    pub day: Date,
    /// Its file.
    pub path: PathBuf,
    /// Its text, for a person.
    pub text: String,
}

/// Writes the report of a day, and removes the oldest beyond those that are kept.
pub fn keep(home: &Home, day: Date, text: &str) -> Result<(), WriteError> {
    files::ensure_folder(&home.reports())?;
    durable::replace(&path(home, day), text.as_bytes())?;
    days(home)?.into_iter().rev().skip(KEPT).try_for_each(|day| durable::remove(&path(home, day)))
}

/// The latest report; `None` if there is none.
pub fn last(home: &Home) -> Result<Option<NightReport>, FileError> {
    let Some(day) = days(home)?.pop() else { return Ok(None) };
    let path = path(home, day);
    let bytes = files::read(&path, LIMIT)?.unwrap_or_default();
    Ok(Some(NightReport { day, path, text: String::from_utf8_lossy(&bytes).into_owned() }))
}

fn path(home: &Home, day: Date) -> PathBuf {
    home.reports().join(format!("{day}{EXTENSION}"))
}

/// The days of which there are reports, the oldest first.
fn days(home: &Home) -> Result<Vec<Date>, FileError> {
    let names = files::entries(&home.reports())?.into_iter().map(|entry| entry.file_name());
    let mut days: Vec<Date> =
        names.filter_map(|name| name.to_str()?.strip_suffix(EXTENSION)?.parse().ok()).collect();
    days.sort();
    Ok(days)
}

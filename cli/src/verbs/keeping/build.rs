//! `lessons build`: compile the lessons in force.

use std::fmt;

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_manifest_builder::report::Report;
use lessons_publish::building;
use serde::Serialize;

use crate::app::App;

/// The most lines of a kind that are shown: the problems of a thousand lessons are mostly the same.
const SHOWN: usize = 10;

/// The answer: the report of a build.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    report: Report,
    problems: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
    settings: Vec<String>,
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let outcome = building::build(app)?;
    let told = Told {
        problems: outcome.problems.iter().map(ToString::to_string).collect(),
        settings: outcome.settings,
        unreadable: outcome.unreadable,
        report: outcome.report,
    };
    app.answer(&told)?;
    let errors = outcome.problems.iter().any(lessons_store::problem::Problem::is_error);
    let findings = errors
        || told.unreadable.is_some()
        || !told.settings.is_empty()
        || told.report.left_out.iter().any(|out| out.reason.is_finding());
    Ok(if findings { Exit::Findings } else { Exit::Done })
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        if let Some(unreadable) = &self.unreadable {
            write!(f, "\n{unreadable}\nWhat you accepted stays in force")?;
        }
        let left_out: Vec<_> =
            self.report.left_out.iter().filter(|noted| noted.reason.is_finding()).collect();
        if !left_out.is_empty() {
            write!(f, "\nLeft out:")?;
        }
        write_first(f, &left_out, |noted| format!("  {}: {}", noted.id, noted.reason))?;
        write_first(f, &self.report.warnings, |noted| format!("Look at {}: {}", noted.id, noted.reason))?;
        write_first(f, &self.problems, String::clone)?;
        write_first(f, &self.settings, String::clone)
    }
}

/// Writes the first few items, and how many more there are.
fn write_first<T>(f: &mut fmt::Formatter<'_>, all: &[T], line: impl Fn(&T) -> String) -> fmt::Result {
    for one in all.iter().take(SHOWN) {
        write!(f, "\n{}", line(one))?;
    }
    match all.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(f, "\n… and {more} more like that; `lessons build --json` has them all"),
    }
}

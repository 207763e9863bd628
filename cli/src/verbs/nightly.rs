//! `lessons nightly`: do the nightly work. `lessons report`: show the last report.

use std::fmt;
use std::time::SystemTime;

use anyhow::Result;
use lessons_text::neutral;
use serde::Serialize;

use crate::app::{App, Exit};
use crate::nightly;

/// Does the nightly work.
pub(crate) fn run(app: &App) -> Result<Exit> {
    let night = nightly::run(app, SystemTime::now())?;
    app.recorded(&night)?;
    Ok(if night.is_quiet() { Exit::Done } else { Exit::Findings })
}

/// The last report.
#[derive(Debug, Serialize)]
struct Last {
    /// Its path; `None` if there was no nightly run yet.
    file: Option<String>,
    /// Its text.
    report: String,
}

/// Shows the last report.
pub(crate) fn report(app: &App) -> Result<Exit> {
    let last = match nightly::last(&app.home)? {
        Some((file, report)) => Last { file: Some(file.display().to_string()), report: as_written(&report) },
        None => Last {
            file: None,
            report:
                "There is no report yet: `lessons nightly` makes one now, `lessons schedule install` has one \
                     made every night."
                    .into(),
        },
    };
    app.recorded(&last)?;
    Ok(Exit::Done)
}

/// The report with every line made neutral and its indentation kept; somebody else may have edited the file.
fn as_written(report: &str) -> String {
    let lines = report.lines().map(|line| {
        let indent = if line.starts_with("  ") { "  " } else { "" };
        format!("{indent}{}", neutral::line(line))
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl fmt::Display for Last {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report)
    }
}

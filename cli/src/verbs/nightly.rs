//! `lessons nightly`: what is done every night. `lessons report`: what the last one said.

use std::fmt;
use std::time::SystemTime;

use anyhow::Result;
use lessons_core::neutral;
use serde::Serialize;

use crate::app::{App, Exit};
use crate::nightly;

/// Does everything that is done at night.
pub(crate) fn run(app: &App) -> Result<Exit> {
    let night = nightly::run(app, SystemTime::now())?;
    app.recorded(&night)?;
    Ok(if night.is_quiet() { Exit::Done } else { Exit::Findings })
}

/// The last report.
#[derive(Debug, Serialize)]
struct Last {
    /// Where it is; `None` where there has been no night yet.
    file: Option<String>,
    /// Its text.
    report: String,
}

/// Shows what the last night said.
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

/// The text with every line neutral, whoever has had a hand in the file. Indents stay.
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

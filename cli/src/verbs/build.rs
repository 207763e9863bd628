//! `lessons build`.

use std::fmt;

use anyhow::Result;
use lessons_manifest_builder::report::Report;
use serde::Serialize;

use crate::app::{App, Exit};
use crate::building;

/// A build, told.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    report: Report,
    problems: Vec<String>,
    settings: Vec<String>,
}

pub(crate) fn run(app: &App) -> Result<Exit> {
    let outcome = building::build(app)?;
    let told = Told {
        problems: outcome.problems.iter().map(ToString::to_string).collect(),
        settings: outcome.settings.iter().map(ToString::to_string).collect(),
        report: outcome.report,
    };
    app.answer(&told)?;
    let errors = outcome.problems.iter().any(lessons_store::problem::Problem::is_error);
    let findings =
        errors || !told.settings.is_empty() || told.report.left_out.iter().any(|out| out.reason.is_finding());
    Ok(if findings { Exit::Findings } else { Exit::Done })
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        for line in self.problems.iter().chain(&self.settings) {
            write!(f, "\n{line}")?;
        }
        Ok(())
    }
}

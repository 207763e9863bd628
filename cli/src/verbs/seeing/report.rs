//! `lessons report`: show the report of the last nightly run, or make a page of what lessons do.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use lessons_context::error::Exit;
use lessons_text::neutral;
use serde::Serialize;

use crate::app::App;
use crate::nightly;
use crate::usage::report_page::{self, Opened};

/// Arguments of `lessons report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Write the page to FILE, which ends in .html; by default to reports/ in the data folder
    #[arg(long, value_name = "FILE")]
    #[allow(clippy::option_option, reason = "the flag may be missing, and its value too")]
    pub html: Option<Option<PathBuf>>,
    /// Open the page in your browser
    #[arg(long, requires = "html")]
    pub open: bool,
}

pub(crate) fn run(app: &App, args: &Report) -> Result<Exit> {
    match &args.html {
        None => last_night(app),
        Some(file) => page(app, args, file.as_deref()),
    }
}

/// The page that was written.
#[derive(Debug, Serialize)]
struct Page {
    /// Its path.
    file: PathBuf,
    /// Whether a browser was asked to show it.
    opened: Option<Opened>,
    /// What is missing on it, in sentences.
    problems: Vec<String>,
}

/// Makes the page and shows it if that is asked for.
fn page(app: &App, args: &Report, file: Option<&Path>) -> Result<Exit> {
    let target = file.map(|file| report_page::target(app, file)).transpose()?;
    let (html, problems) = report_page::renewed(app)?;
    let file = match target {
        Some(file) => report_page::save(&file, &html)?,
        None => report_page::keep(&app.home, &html)?,
    };
    let opened = args.open.then(|| report_page::open(app, &file));
    app.done(&Page { file, opened, problems })
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "warning: {}", neutral::line(problem))?;
        }
        write!(f, "{}", self.file.display())?;
        match &self.opened {
            Some(Opened::Not(why)) => write!(f, "\nNot opened: {why}"),
            Some(Opened::InBrowser) | None => Ok(()),
        }
    }
}

/// The last report.
#[derive(Debug, Serialize)]
struct Last {
    /// Its path; `None` if there was no nightly run yet.
    file: Option<String>,
    /// Its text.
    report: String,
}

/// Shows the report of the last night.
fn last_night(app: &App) -> Result<Exit> {
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

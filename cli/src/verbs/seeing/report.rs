//! `lessons report`: show the report of the last nightly run, or make a page of what lessons do.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use lessons_context::error::Exit;
use lessons_store::night_reports;
use lessons_text::neutral;
use serde_json::json;

use crate::app::App;
use crate::ui::answer::Answer;
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

/// Makes the page and shows it if that is asked for.
fn page(app: &App, args: &Report, file: Option<&Path>) -> Result<Exit> {
    let target = file.map(|file| report_page::target(app, file)).transpose()?;
    let (html, problems) = report_page::renewed(app)?;
    let file = match target {
        Some(file) => report_page::save(&file, &html)?,
        None => report_page::keep(&app.home, &html)?,
    };
    let opened = args.open.then(|| report_page::open(app, &file));
    let warnings = problems.iter().map(|problem| format!("warning: {}", neutral::line(problem)));
    let mut lines: Vec<String> = warnings.chain([file.display().to_string()]).collect();
    if let Some(Opened::Not(why)) = &opened {
        lines.push(format!("Not opened: {why}"));
    }
    app.done(&Answer::new(lines, json!({ "file": file, "opened": opened, "problems": problems })))
}

/// Shows the report of the last night.
fn last_night(app: &App) -> Result<Exit> {
    let (file, report) = match night_reports::last(&app.home)? {
        Some(report) => (Some(report.path), as_written(&report.text)),
        None => (
            None,
            "There is no report yet: `lessons nightly` makes one now, `lessons schedule install` has one \
             made every night."
                .to_owned(),
        ),
    };
    app.recorded(&Answer::new(vec![report.clone()], json!({ "file": file, "report": report })))?;
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

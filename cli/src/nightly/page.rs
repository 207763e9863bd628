//! The report of a nightly run: one page for a person, one file a night.

use std::path::PathBuf;
use std::{fmt, io};

use anyhow::{Context, Result};
use lessons_home::files;
use lessons_home::home::Home;
use lessons_lesson::waiting::WaitingCount;
use lessons_review::waiting;
use lessons_store::durable;
use lessons_text::wording::counted;

use super::{Night, REPORTS_KEPT};
use crate::app::App;

/// The most problems that a report lists, and the most lines of one step.
const LINES: usize = 10;
/// The largest report that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// Writes the report, and removes the oldest beyond [`REPORTS_KEPT`].
pub(super) fn write(app: &App, night: &Night) -> Result<()> {
    let folder = app.home.reports();
    files::ensure_folder(&folder)?;
    let path = folder.join(format!("{}.md", night.local.day(app.now_ms())));
    durable::replace(&path, night.to_string().as_bytes())?;
    let all = all(&app.home)?;
    for path in all.iter().rev().skip(REPORTS_KEPT) {
        durable::remove(path)?;
    }
    Ok(())
}

/// The latest report and its path; `None` if there is none.
pub fn last(home: &Home) -> Result<Option<(PathBuf, String)>> {
    let Some(path) = all(home)?.pop() else { return Ok(None) };
    let bytes = files::read(&path, LIMIT)?.unwrap_or_default();
    Ok(Some((path, String::from_utf8_lossy(&bytes).into_owned())))
}

/// All reports, the oldest first.
fn all(home: &Home) -> Result<Vec<PathBuf>> {
    let folder = home.reports();
    let entries = match std::fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| folder.display().to_string())?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    let is_report = |path: &PathBuf| {
        let day = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".md"));
        day.is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
    };
    let mut reports: Vec<_> = paths.into_iter().filter(is_report).collect();
    reports.sort();
    Ok(reports)
}

impl fmt::Display for Night {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Lessons, the night of {}\n", self.local.time_of(self.at))?;
        match self.warnings.len() {
            0 => writeln!(f, "Nothing needs your attention.")?,
            1 => writeln!(f, "1 thing needs your attention:")?,
            many => writeln!(f, "{many} things need your attention:")?,
        }
        for line in self.warnings.iter().take(LINES) {
            writeln!(f, "- {line}")?;
        }
        if self.warnings.len() > LINES {
            writeln!(f, "- and {} more", self.warnings.len() - LINES)?;
        }
        writeln!(f, "\n## The 24 hours before")?;
        let day = self.day;
        let reminders = counted(day.told, "reminder");
        writeln!(f, "{reminders}, {} blocked, {} allowed on retry.", day.refused, day.passed)?;
        for (lesson, times) in &self.busiest {
            writeln!(f, "{}: {lesson}", counted(*times, "time"))?;
        }
        writeln!(f, "\n## Done")?;
        for step in &self.steps {
            let mut lines = step.result.lines();
            writeln!(f, "{}: {}", step.name, lines.next().unwrap_or_default())?;
            for line in lines.take(LINES) {
                writeln!(f, "  {line}")?;
            }
        }
        let waiting = waiting::in_words(WaitingCount { unflagged: self.waiting, flagged: self.flagged });
        writeln!(f, "\n{}", waiting.as_deref().unwrap_or("Nothing waits for you."))
    }
}

//! The report of a nightly run: one page for a person, one file a night.

use std::fmt;

use lessons_lesson::waiting::WaitingCount;
use lessons_review::waiting;
use lessons_text::wording::counted;

use super::Night;

/// The most problems that a report lists, and the most lines of one step.
const LINES: usize = 10;

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

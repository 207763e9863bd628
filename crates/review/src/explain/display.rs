//! The explanation as text for a person.

use std::fmt;

use lessons_text::neutral::{line, shortened};

use super::{About, Answered, Because, Explained, Fired, LATE};

/// The longest line, in characters.
const LINE: usize = 160;

fn short(text: &str) -> String {
    shortened(&line(text), LINE)
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.call)?;
        if let Some(note) = &self.note {
            writeln!(f, "Note: {note}")?;
        }
        if let Some(lesson) = &self.lesson {
            write!(f, "{lesson}")?;
        }
        if self.lessons.is_empty() {
            writeln!(f, "No lesson matches this call.")?;
        }
        for fired in &self.lessons {
            write!(f, "{fired}")?;
        }
        let asked = self.lesson.as_ref().map(|lesson| lesson.id.as_str());
        for id in self.late.iter().filter(|id| asked != Some(&id.to_string())) {
            writeln!(f, "{id} is told too: {LATE}")?;
        }
        writeln!(f, "The hook {}", self.outcome())?;
        let first = self.lessons.first().map(|fired| &fired.id).or(self.late.first());
        let next = match (&self.lesson, first) {
            (Some(lesson), _) => format!("lessons show {}", lesson.id),
            (None, Some(id)) => format!("lessons show {id}"),
            (None, None) => "lessons explain … --lesson ID, to see why one stays quiet".to_owned(),
        };
        write!(f, "Next: {next}")
    }
}

impl Explained {
    fn outcome(&self) -> &'static str {
        match self.decision {
            "advise" if self.call.error.is_some() => "reminds the model, beside the error.",
            "advise" => "reminds the model after the call.",
            "refuse" => "blocks the call.",
            "ask" => "puts the call to the person, because only a person may make it.",
            "deny" => "denies the call: only a person may make it, and not in this form.",
            _ => "says nothing.",
        }
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", line(&self.tool))?;
        for part in self.command.iter().chain(&self.files) {
            write!(f, " `{}`", short(part))?;
        }
        if let Some(error) = &self.error {
            write!(f, " failed with `{}`", short(error))?;
        }
        if self.agent != "main" {
            write!(f, " by {}", short(&self.agent))?;
        }
        match &self.project {
            Some(project) => write!(f, ", in {}", short(project)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Fired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}. {}: {}", self.rank, self.id, self.why)?;
        writeln!(f, "     {}, priority {}", self.mode, self.priority)?;
        self.because.iter().try_for_each(|because| write!(f, "{because}"))
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "     {} matches `{}`", short(&self.trigger), short(&self.matched))?;
        if self.matched != self.looked_at {
            writeln!(f, "       in `{}`", short(&self.looked_at))?;
        }
        Ok(())
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fires = if self.fires { "fires" } else { "does not fire" };
        writeln!(f, "{} {fires}: {}", self.id, self.why)?;
        for trigger in &self.triggers {
            writeln!(f, "     {} does not match", short(trigger))?;
        }
        for text in &self.looked_at {
            writeln!(f, "       `{}`", short(text))?;
        }
        Ok(())
    }
}

//! A question about work to be done, and whether a trigger matches it.

use lessons_index::record::{Test, Trigger};
use lessons_lesson::call::Call;
use lessons_pattern::keyword;
use lessons_pattern::trigger::TriggerKind;
use lessons_text::words;

/// A question about work to be done. A trigger that matches any part of it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Question<'q> {
    /// The file, relative to the root of the project, or absolute.
    pub file: Option<&'q str>,
    /// The shell command.
    pub command: Option<&'q str>,
    /// The topic of the work, in words. A keyword matches whole words of it, and beginnings of words.
    pub keyword: Option<&'q str>,
    /// The root of the project, absolute. Without it the file is used as given.
    pub root: Option<&'q str>,
}

impl<'q> Question<'q> {
    /// The parts of the question that are given, for their words.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'q str> {
        [self.file, self.command, self.keyword].into_iter().flatten()
    }

    /// The question as a tool call.
    pub(super) fn call(&self) -> Call<'q> {
        Call {
            command: self.command.map(Into::into),
            // The root itself is a folder, which no file glob means.
            paths: self.file.filter(|file| !self.is_root(file)).map(Into::into).into_iter().collect(),
            cwd: self.root.map(Into::into),
            ..Call::default()
        }
    }

    fn is_root(&self, file: &str) -> bool {
        let root = self.root.unwrap_or_default();
        lessons_text::path::lexical(&lessons_text::path::join(root, file))
            == lessons_text::path::lexical(root)
    }

    /// Whether the question gives the part of a call that triggers of this kind look at.
    pub(super) fn concerns(&self, kind: TriggerKind) -> bool {
        match kind {
            TriggerKind::CommandPattern => self.command.is_some(),
            TriggerKind::FileGlob | TriggerKind::PathPattern => self.file.is_some(),
            TriggerKind::Keyword => true,
            TriggerKind::ContentPattern | TriggerKind::Tool | TriggerKind::ErrorPattern => false,
        }
    }
}

/// A question's keyword text: its words joined by single spaces, once as a keyword's are, and once without any stop word.
pub(super) struct KeywordText {
    all: String,
    counting: String,
}

impl KeywordText {
    pub(super) fn of(text: &str) -> Self {
        let significant: Vec<_> = words::significant(text).collect();
        Self { all: keyword::needle(text).join(" "), counting: significant.join(" ") }
    }

    /// Whether a keyword trigger's words are in the text.
    pub(super) fn contains(&self, trigger: &Trigger<'_>) -> bool {
        let Test::Words(words) = &trigger.test else { return false };
        let run = words.join(" ");
        !run.is_empty() && (self.all.contains(&run) || self.counting.contains(&run))
    }
}

//! The question: what somebody is going to do, and whether a trigger matches it.

use lessons_index::record::{Test, Trigger};
use lessons_lesson::call::Call;
use lessons_pattern::keyword;
use lessons_pattern::trigger::TriggerKind;
use lessons_text::words;

/// A question about what somebody is going to do. A trigger that matches any part of it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Question<'q> {
    /// A file, from the root of the project or of the disk.
    pub file: Option<&'q str>,
    /// A command for the shell.
    pub command: Option<&'q str>,
    /// What the work is about, in words. A keyword counts if it is in them, also as the beginning of a word.
    pub keyword: Option<&'q str>,
    /// The root of the project, absolute. Without one a file is taken as it is given.
    pub root: Option<&'q str>,
}

impl<'q> Question<'q> {
    /// All parts that were given, for their words.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'q str> {
        [self.file, self.command, self.keyword].into_iter().flatten()
    }

    /// The call that the question is about.
    pub(super) fn call(&self) -> Call<'q> {
        Call {
            command: self.command.map(Into::into),
            // The root itself is no file that a glob could mean.
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

    /// Whether a part was given that a trigger of this kind looks at.
    pub(super) fn concerns(&self, kind: TriggerKind) -> bool {
        match kind {
            TriggerKind::CommandPattern => self.command.is_some(),
            TriggerKind::FileGlob | TriggerKind::PathPattern => self.file.is_some(),
            TriggerKind::Keyword => true,
            TriggerKind::ContentPattern | TriggerKind::Tool | TriggerKind::ErrorPattern => false,
        }
    }
}

/// A question's keyword text: its words joined by single spaces, with and without those that say nothing.
pub(super) struct KeywordText {
    all: String,
    counting: String,
}

impl KeywordText {
    pub(super) fn of(text: &str) -> Self {
        Self { all: words::tokens(text).join(" "), counting: keyword::needle(text).join(" ") }
    }

    /// Whether a keyword trigger's words are in the text.
    pub(super) fn contains(&self, trigger: &Trigger<'_>) -> bool {
        let Test::Words(words) = &trigger.test else { return false };
        let run = words.join(" ");
        !run.is_empty() && (self.all.contains(&run) || self.counting.contains(&run))
    }
}

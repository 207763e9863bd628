//! What is asked, and whether a trigger matches it.

use memchr::memmem;

use crate::call::Call;
use crate::keyword;
use crate::lesson::Subject;
use crate::matching::Views;
use crate::prepared::automaton_of;
use crate::project::Place;
use crate::trigger::TriggerKind;
use crate::words;

/// What somebody is going to do. A trigger that matches any of it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Question<'q> {
    /// A file, from the root of the project or of the disk.
    pub file: Option<&'q str>,
    /// A command for the shell.
    pub command: Option<&'q str>,
    /// What the work is about, in words. A keyword counts if it stands in it.
    pub keyword: Option<&'q str>,
    /// The root of the project, absolute. Without one a file is taken as it is given.
    pub root: Option<&'q str>,
}

impl<'q> Question<'q> {
    /// All that was given, for its words.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'q str> {
        [self.file, self.command, self.keyword].into_iter().flatten()
    }
}

/// A question made ready.
pub(super) struct Asked<'v> {
    views: &'v Views<'v>,
    /// The keyword text in lower case, and the same with its words joined by single spaces.
    keyword: Option<(String, String)>,
    has_command: bool,
    has_file: bool,
}

/// The call that a question is about.
pub(super) fn call_of<'q>(question: &Question<'q>) -> Call<'q> {
    Call {
        command: question.command.map(Into::into),
        // The root itself is no file that a glob could mean.
        paths: question
            .file
            .filter(|file| !is_root(file, question.root))
            .map(Into::into)
            .into_iter()
            .collect(),
        cwd: question.root.map(Into::into),
        ..Call::default()
    }
}

fn is_root(file: &str, root: Option<&str>) -> bool {
    let root = root.unwrap_or_default();
    crate::path::lexical(&crate::path::join(root, file)) == crate::path::lexical(root)
}

/// Where a question is asked.
pub(super) fn place_of(question: &Question<'_>) -> Place<'static> {
    Place::fixed(question.root.unwrap_or_default())
}

impl<'v> Asked<'v> {
    pub(super) fn new(question: &Question<'_>, views: &'v Views<'v>) -> Self {
        let joined = |text: &str| words::tokens(text).join(" ");
        Self {
            views,
            keyword: question.keyword.map(|text| (text.to_lowercase(), joined(text))),
            has_command: question.command.is_some(),
            has_file: question.file.is_some(),
        }
    }

    /// Whether anything was given that a trigger of this kind looks at.
    pub(super) fn concerns(&self, kind: TriggerKind) -> bool {
        match kind {
            TriggerKind::CommandPattern => self.has_command,
            TriggerKind::FileGlob | TriggerKind::PathPattern => self.has_file,
            TriggerKind::Keyword => true,
            TriggerKind::ContentPattern | TriggerKind::Tool | TriggerKind::ErrorPattern => false,
        }
    }

    /// Whether a trigger matches. A pattern that cannot be used matches nothing. Every match holds one of `literals`;
    /// if there are none, nothing is known.
    pub(super) fn holds(
        &self,
        kind: TriggerKind,
        pattern: &str,
        literals: &[&str],
        subject: Subject,
    ) -> bool {
        match kind {
            TriggerKind::CommandPattern | TriggerKind::FileGlob | TriggerKind::PathPattern => {
                self.finds(kind, pattern, literals, subject)
            }
            TriggerKind::Keyword => {
                let needle = keyword::needle(pattern);
                self.is_keyword(pattern) || self.views.with_words(&needle, subject).is_some()
            }
            TriggerKind::ContentPattern | TriggerKind::Tool | TriggerKind::ErrorPattern => false,
        }
    }

    /// Whether a pattern matches. It is compiled only where one of its literals is there, as mostly none is.
    fn finds(&self, kind: TriggerKind, pattern: &str, literals: &[&str], subject: Subject) -> bool {
        let mut compiled = None;
        let found = self.views.find(kind, subject, |view| {
            let holds = |literal: &&str| memmem::find(view.lower().as_bytes(), literal.as_bytes()).is_some();
            if !literals.is_empty() && !literals.iter().any(holds) {
                return None;
            }
            let automaton = compiled.get_or_insert_with(|| automaton_of(kind, pattern).ok()).as_ref()?;
            automaton.is_match(view.text()).then_some(())
        });
        found.is_some()
    }

    fn is_keyword(&self, pattern: &str) -> bool {
        let Some((lower, joined)) = &self.keyword else { return false };
        let words = words::tokens(pattern).join(" ");
        !words.is_empty() && (joined.contains(&words) || lower.contains(&pattern.to_lowercase()))
    }
}

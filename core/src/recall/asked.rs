//! What is asked, and whether a trigger matches it.

use super::certain::{certain, may_match};
use crate::call::Call;
use crate::lesson::Subject;
use crate::matching::Views;
use crate::pattern::{glob, keyword, regex_of};
use crate::project::Place;
use crate::trigger::TriggerKind;

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
        let joined = |text: &str| keyword::tokens(text).join(" ");
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

    /// Whether a trigger matches. A pattern that cannot be used matches nothing.
    pub(super) fn holds(&self, kind: TriggerKind, pattern: &str, subject: Subject) -> bool {
        match kind {
            TriggerKind::CommandPattern => {
                let views = self.views.command(subject).iter();
                finds(kind, pattern, views.filter(|view| !view.text().is_empty()))
            }
            TriggerKind::FileGlob if glob::is_negative(pattern) => {
                finds(kind, pattern, self.views.own_paths().iter())
            }
            TriggerKind::FileGlob | TriggerKind::PathPattern => {
                finds(kind, pattern, self.views.relative().iter().chain(self.views.absolute()))
            }
            TriggerKind::Keyword => {
                self.is_keyword(pattern) || self.views.has_words(&keyword::needle(pattern), subject)
            }
            TriggerKind::ContentPattern | TriggerKind::Tool | TriggerKind::ErrorPattern => false,
        }
    }

    fn is_keyword(&self, pattern: &str) -> bool {
        let Some((lower, joined)) = &self.keyword else { return false };
        let words = keyword::tokens(pattern).join(" ");
        !words.is_empty() && (joined.contains(&words) || lower.contains(&pattern.to_lowercase()))
    }
}

/// Whether a pattern matches one of the views. It is compiled only where what is certain of it is in one, as
/// most are not.
fn finds<'w, 'a: 'w>(
    kind: TriggerKind,
    pattern: &str,
    views: impl Iterator<Item = &'w crate::matching::View<'a>>,
) -> bool {
    let certain = certain(kind, pattern);
    let holds = |view: &&crate::matching::View<'a>| may_match(certain.as_ref(), view.lower());
    let mut views = views.filter(holds).peekable();
    views.peek().is_some()
        && regex_of(kind, pattern).is_ok_and(|regex| views.any(|view| regex.is_match(view.text())))
}

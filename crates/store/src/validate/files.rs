//! The files of a project, to find globs that match none.

use std::collections::BTreeSet;

use lessons_pattern::prepared::automaton_of;
use lessons_pattern::trigger::TriggerKind;

/// The paths of a project's files, relative to its root.
#[derive(Debug, Clone, Default)]
pub struct Files(BTreeSet<String>);

impl Files {
    /// The set of these paths.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        Self(paths.into_iter().collect())
    }

    /// Whether a glob matches none of them. An invalid glob is not dead but broken, so the answer is no.
    pub fn has_none_for(&self, glob: &str) -> bool {
        automaton_of(TriggerKind::FileGlob, glob)
            .is_ok_and(|automaton| !self.0.iter().any(|path| automaton.is_match(path)))
    }
}

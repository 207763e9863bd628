//! The files of a project, for globs that should match one.

use std::collections::BTreeSet;

use lessons_core::pattern::Matcher;
use lessons_core::trigger::TriggerKind;

/// The files of a project, by their paths from its root.
#[derive(Debug, Clone, Default)]
pub struct Files(BTreeSet<String>);

impl Files {
    /// These files.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        Self(paths.into_iter().collect())
    }

    /// Whether a glob matches none of them. One that cannot be used is not dead but broken.
    pub fn has_none_for(&self, glob: &str) -> bool {
        Matcher::of(TriggerKind::FileGlob, glob)
            .is_ok_and(|matcher| !self.0.iter().any(|path| matcher.is_match(path)))
    }
}

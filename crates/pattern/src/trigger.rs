//! A trigger: one condition under which a lesson is a candidate.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use lessons_text::digest;

lessons_text::named! {
    /// The kind of a trigger: the part of a call that it is matched against, and the language of its pattern. The order is that
    /// of their names in ids and help texts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TriggerKind {
        /// A regular expression on a command. The lesson's subject says on which form of the command.
        CommandPattern = "command_pattern",
        /// A glob on the paths of a call, relative to the project and absolute.
        FileGlob = "file_glob",
        /// A regular expression on the same paths.
        PathPattern = "path_pattern",
        /// A regular expression on the content that an edit writes into a file.
        ContentPattern = "content_pattern",
        /// Adjacent words in a path or command.
        Keyword = "keyword",
        /// The exact name of a tool.
        Tool = "tool",
        /// A regular expression on the error text of a failed call.
        ErrorPattern = "error_pattern",
    }
}

impl TriggerKind {
    /// The short name in ids and on the command line: `cmd`.
    pub fn short(self) -> &'static str {
        match self {
            Self::CommandPattern => "cmd",
            Self::FileGlob => "glob",
            Self::PathPattern => "path",
            Self::ContentPattern => "content",
            Self::Keyword => "kw",
            Self::Tool => "tool",
            Self::ErrorPattern => "error",
        }
    }

    /// Whether the kind looks at the files of a call.
    pub fn is_about_files(self) -> bool {
        matches!(self, Self::FileGlob | Self::PathPattern)
    }

    /// Parses a kind by its name or short name. `command` and `file` are accepted too.
    pub fn parse(text: &str) -> Option<Self> {
        let alias = match text {
            "command" => "cmd",
            "file" => "glob",
            other => other,
        };
        Self::ALL.into_iter().find(|kind| kind.name() == alias || kind.short() == alias)
    }
}

/// A trigger: a kind and a pattern. Two equal triggers are the same trigger, whichever lessons own them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Trigger {
    /// The kind of the trigger.
    pub kind: TriggerKind,
    /// The pattern, as a person wrote it.
    pub pattern: String,
}

impl Trigger {
    /// A trigger of `kind` with `pattern`.
    pub fn new(kind: TriggerKind, pattern: impl Into<String>) -> Self {
        Self { kind, pattern: pattern.into() }
    }

    /// The id of this trigger in a lessons graph: `t-cmd-` and the first `digits` hex digits of the
    /// SHA-1 of `kind|pattern`.
    ///
    /// The graph format fixes 8 digits; where two patterns of one graph share them, the writer
    /// lengthens to 12 and then 16.
    pub fn id(&self, digits: usize) -> String {
        let hash = Sha1::digest(format!("{}|{}", self.kind.name(), self.pattern));
        format!("t-{}-{}", self.kind.short(), digest::hex_of(&hash, digits))
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind.short(), self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_kind_and_pattern() {
        // Ids that existing graphs hold.
        assert_eq!(Trigger::new(TriggerKind::FileGlob, "src/**/*.ts").id(8), "t-glob-17d4d819");
        assert_eq!(Trigger::new(TriggerKind::FileGlob, "**/foo*").id(8), "t-glob-19927f3e");
    }

    #[test]
    fn a_kind_is_read_by_either_name() {
        for kind in TriggerKind::ALL {
            assert_eq!(TriggerKind::parse(kind.name()), Some(kind));
            assert_eq!(TriggerKind::parse(kind.short()), Some(kind));
        }
        assert_eq!(TriggerKind::parse("regex"), None);
    }
}

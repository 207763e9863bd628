//! A person's decision about one candidate.

use serde::Deserialize;

use crate::args::Fields;

/// A decision about a candidate, which is named by its id or the start of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decision {
    /// The candidate becomes a lesson.
    Promote {
        /// The candidate's id.
        candidate: String,
        /// Fields of the lesson; the others come from the candidate.
        #[serde(default)]
        fields: Box<Fields>,
        /// The reason to accept a flagged candidate.
        accept: Option<Acceptance>,
    },
    /// An existing lesson is changed because of the candidate.
    Edit {
        /// The candidate's id.
        candidate: String,
        /// The lesson's id.
        lesson: String,
        /// The lesson's changed fields.
        fields: Box<Fields>,
        /// The reason to accept a flagged candidate.
        accept: Option<Acceptance>,
    },
    /// The candidate's triggers are added to an existing lesson.
    Merge {
        /// The candidate's id.
        candidate: String,
        /// The lesson's id.
        lesson: String,
        /// The reason to accept a flagged candidate.
        accept: Option<Acceptance>,
    },
    /// The candidate is rejected.
    Reject {
        /// The candidate's id.
        candidate: String,
        /// The reason for the rejection.
        reason: Option<String>,
    },
    /// The candidate keeps waiting.
    Skip {
        /// The candidate's id.
        candidate: String,
    },
}

/// Flags of a candidate that a person has looked at, and why it is right all the same.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The names of the flags.
    pub flags: Vec<String>,
    /// The reason.
    pub reason: String,
}

impl Decision {
    /// The candidate's id as the person gave it.
    pub fn candidate(&self) -> &str {
        match self {
            Self::Promote { candidate, .. }
            | Self::Edit { candidate, .. }
            | Self::Merge { candidate, .. }
            | Self::Reject { candidate, .. }
            | Self::Skip { candidate } => candidate,
        }
    }

    /// The reason why the lesson should block without proof, if one was given.
    pub fn force(&self) -> Option<&String> {
        match self {
            Self::Promote { fields, .. } | Self::Edit { fields, .. } => fields.force_block.as_ref(),
            Self::Merge { .. } | Self::Reject { .. } | Self::Skip { .. } => None,
        }
    }

    /// The reason to accept a flagged candidate, if one was given.
    pub fn accept(&self) -> Option<&Acceptance> {
        match self {
            Self::Promote { accept, .. } | Self::Edit { accept, .. } | Self::Merge { accept, .. } => {
                accept.as_ref()
            }
            Self::Reject { .. } | Self::Skip { .. } => None,
        }
    }

    /// Whether the decision changes lessons.
    pub fn changes_lessons(&self) -> bool {
        matches!(self, Self::Promote { .. } | Self::Edit { .. } | Self::Merge { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Decision, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn a_decision_is_one_word_about_one_candidate() {
        let plain = read(r#"{"do": "promote", "candidate": "3f2a"}"#).unwrap();
        assert_eq!(
            plain,
            Decision::Promote { candidate: "3f2a".into(), fields: Box::default(), accept: None }
        );
        let put_away = read(r#"{"do": "reject", "candidate": "3f2a"}"#).unwrap();
        assert!(!put_away.changes_lessons() && put_away.candidate() == "3f2a");
    }

    #[test]
    fn what_belongs_to_another_decision_is_refused() {
        for text in [
            r#"{"do": "skip", "candidate": "3f2a", "reason": "later"}"#,
            r#"{"do": "merge", "candidate": "3f2a"}"#,
            r#"{"do": "edit", "candidate": "3f2a", "lesson": "a"}"#,
            r#"{"do": "reject", "candidate": "3f2a", "fields": {}}"#,
            r#"{"do": "promote", "candidate": "3f2a", "accept": {"flags": ["echo"]}}"#,
            r#"{"do": "delete", "candidate": "3f2a"}"#,
            r#"{"candidate": "3f2a"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

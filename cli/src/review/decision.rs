//! What a person decides about one candidate.

use serde::Deserialize;

use crate::args::Fields;

/// A decision about a candidate, which is named by its id or the start of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decision {
    /// It becomes a lesson.
    Promote {
        /// The candidate.
        candidate: String,
        /// What the lesson should say and do. What is not given comes from the candidate.
        #[serde(default)]
        fields: Box<Fields>,
        /// Why it is right although it is flagged.
        accept: Option<Acceptance>,
    },
    /// A lesson that is there is changed because of it.
    Edit {
        /// The candidate.
        candidate: String,
        /// The lesson.
        lesson: String,
        /// What changes in it.
        fields: Box<Fields>,
        /// Why it is right although it is flagged.
        accept: Option<Acceptance>,
    },
    /// A lesson that is there fires on what it fires on.
    Merge {
        /// The candidate.
        candidate: String,
        /// The lesson.
        lesson: String,
        /// Why it is right although it is flagged.
        accept: Option<Acceptance>,
    },
    /// It is put away.
    Reject {
        /// The candidate.
        candidate: String,
        /// Why.
        reason: Option<String>,
    },
    /// It goes on waiting.
    Skip {
        /// The candidate.
        candidate: String,
    },
}

/// Doubts that a person has looked at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The names of the flags.
    pub flags: Vec<String>,
    /// Why it is right all the same.
    pub reason: String,
}

impl Decision {
    /// The candidate it is about, as it was named.
    pub fn candidate(&self) -> &str {
        match self {
            Self::Promote { candidate, .. }
            | Self::Edit { candidate, .. }
            | Self::Merge { candidate, .. }
            | Self::Reject { candidate, .. }
            | Self::Skip { candidate } => candidate,
        }
    }

    /// Why the lesson that comes of it should refuse calls without proof.
    pub fn force(&self) -> Option<&String> {
        match self {
            Self::Promote { fields, .. } | Self::Edit { fields, .. } => fields.force_block.as_ref(),
            Self::Merge { .. } | Self::Reject { .. } | Self::Skip { .. } => None,
        }
    }

    /// Whether it changes lessons.
    pub fn changes_lessons(&self) -> bool {
        match self {
            Self::Promote { .. } | Self::Edit { .. } | Self::Merge { .. } => true,
            Self::Reject { .. } | Self::Skip { .. } => false,
        }
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

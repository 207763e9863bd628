//! A person's decision about one candidate.

use lessons_context::{Context, Result};
use lessons_lesson::Lesson;
use serde::Deserialize;

/// The fields of a lesson that a person gave, in whatever form.
pub trait GivenFields {
    /// Writes them over a lesson. Returns which of them are given that a promotion finds by itself where they are not.
    fn write_over(&self, context: &Context, lesson: &mut Lesson) -> Result<SettledFields>;

    /// The reason why the lesson should block without proof, if one was given.
    fn force(&self) -> Option<&String>;
}

/// Fields that a person gave, of those that a promotion finds by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SettledFields {
    /// Its triggers.
    pub triggers: bool,
    /// The projects in which it holds.
    pub projects: bool,
    /// Whether it is told at calls or at the start of sessions.
    pub when: bool,
}

/// A decision about a candidate, which is named by its id or the start of it. `F` are the fields of a lesson.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decision<F> {
    /// The candidate becomes a lesson.
    Promote {
        /// The candidate's id.
        candidate: String,
        /// Fields of the lesson; the others come from the candidate.
        #[serde(default)]
        fields: Box<F>,
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
        fields: Box<F>,
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

impl<F: GivenFields> Decision<F> {
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
            Self::Promote { fields, .. } | Self::Edit { fields, .. } => fields.force(),
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

    /// The word for what it does, in the journal too.
    pub fn done(&self) -> &'static str {
        match self {
            Self::Promote { .. } => "promoted",
            Self::Edit { .. } => "changed",
            Self::Merge { .. } => "merged",
            Self::Reject { .. } => "rejected",
            Self::Skip { .. } => "skipped",
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

    /// A lesson's only field.
    #[derive(Debug, Clone, PartialEq, Default, Deserialize)]
    struct Rule {
        rule: String,
    }

    impl GivenFields for Rule {
        fn write_over(&self, _: &Context, lesson: &mut Lesson) -> Result<SettledFields> {
            lesson.rule.clone_from(&self.rule);
            Ok(SettledFields::default())
        }

        fn force(&self) -> Option<&String> {
            None
        }
    }

    fn read(text: &str) -> Result<Decision<Rule>, serde_json::Error> {
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

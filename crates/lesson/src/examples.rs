//! The tests of a lesson: sample calls, and what a person said of them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A sample call on which a lesson is tested. The project's root is `/p`. It is made on a machine on which the lesson
/// holds, and no path is there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleCall {
    /// The tool's name.
    pub tool: String,
    /// The command of a Bash call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The path, relative to `/p` or absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The content that an edit writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The error text, for a call that has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The working folder, if it is not `/p`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

impl SampleCall {
    /// A Bash call of this command.
    pub fn bash(command: impl Into<String>) -> Self {
        Self { tool: "Bash".into(), command: Some(command.into()), ..Self::default() }
    }
}

impl fmt::Display for SampleCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        for part in [&self.command, &self.file, &self.content].into_iter().flatten() {
            write!(f, " `{part}`")?;
        }
        if let Some(cwd) = &self.cwd {
            write!(f, " in `{cwd}`")?;
        }
        self.error.iter().try_for_each(|error| write!(f, " failed with `{error}`"))
    }
}

/// The tests of a lesson. They are about matching, not about claims or the budget.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// The calls on which the lesson must fire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fires: Vec<SampleCall>,
    /// The calls on which it must not fire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quiet: Vec<SampleCall>,
}

lessons_text::named! {
    /// A person's judgement of a call on which a lesson fires.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Label {
        /// The lesson is right to fire.
        Right = "right",
        /// The lesson should not fire.
        Wrong = "wrong",
    }
}

/// The prefix of an entry of [`Lesson::evidence`] that says why the lesson refuses calls without proof.
pub const FORCED: &str = "forced:block: ";

/// The reciprocal of the error rate that a lesson in force may have: one wrong call in so many judged by a person.
pub const ONE_WRONG_IN: usize = 20;

impl Examples {
    /// Whether `wrong` is a tolerable number of errors among the examples.
    pub fn tolerate(&self, wrong: usize) -> bool {
        wrong * ONE_WRONG_IN <= self.fires.len() + self.quiet.len()
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.fires.is_empty() && self.quiet.is_empty()
    }
}

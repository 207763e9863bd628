//! A problem of the installation, or a note about it.

use std::fmt::Display;

use lessons_text::neutral::line;
use serde::Serialize;

use crate::fix::Fix;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// Something does not work.
    Error,
    /// Something works, but not as it should.
    Warning,
    /// Information.
    Note,
}

/// A problem of the installation, or a note about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// Its severity.
    pub severity: FindingSeverity,
    /// A stable code for programs.
    pub code: &'static str,
    /// The problem in one sentence. It may hold recorded text.
    pub message: String,
    /// The command that fixes it, or the one to investigate with.
    pub remedy: String,
    /// The fix that `--fix` applies, if there is a safe one.
    pub fix: Option<Fix>,
}

impl DoctorFinding {
    pub(crate) fn error(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            severity: FindingSeverity::Error,
            code,
            message: message.into(),
            remedy: remedy.into(),
            fix: None,
        }
    }

    pub(crate) fn warning(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: FindingSeverity::Warning, ..Self::error(code, message, remedy) }
    }

    pub(crate) fn note(code: &'static str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: FindingSeverity::Note, ..Self::error(code, message, remedy) }
    }

    /// The finding of an error, with the remedy that the error knows, or else another.
    pub(crate) fn of(
        code: &'static str,
        error: &impl Display,
        remedy: Option<String>,
        otherwise: &str,
    ) -> Self {
        Self::error(code, line(&error.to_string()), remedy.unwrap_or_else(|| otherwise.to_owned()))
    }

    pub(crate) fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }
}

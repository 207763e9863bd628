//! Errors with a stable code, and the exit status that goes with them.

use std::error::Error;

/// The exit status of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Status 0: the program did what was asked.
    Done,
    /// Status 1: it found problems, or could not do everything.
    Findings,
    /// Status 2: wrong usage, or a refused lesson.
    Refused,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Findings => Self::from(1),
            Exit::Refused => Self::from(2),
        }
    }
}

/// An error that ends the program with [`Exit::Refused`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// An error with a stable code for programs.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct Coded {
    /// The code, such as `UNKNOWN_LESSON`. A code never changes its meaning.
    pub code: &'static str,
    /// The exit status that goes with it.
    pub exit: Exit,
    /// The message for a person.
    pub text: String,
}

impl Coded {
    /// An error for wrong usage or a refused lesson.
    pub fn refused(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, exit: Exit::Refused, text: text.into() }
    }

    /// An error for work that failed.
    pub fn failed(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, exit: Exit::Findings, text: text.into() }
    }
}

/// An error with its causes, each mentioned once: some errors already contain the sentence of their cause.
pub fn sentence(error: &impl AsRef<dyn Error + Send + Sync>) -> String {
    let error = error.as_ref();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let why = error.to_string();
        if !text.contains(&why) {
            text = format!("{text}: {why}");
        }
        cause = error.source();
    }
    text
}

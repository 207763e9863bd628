//! The call log: the calls of one transcript.

use lessons_lesson::Call;

/// The outcome of a call, as far as the transcript says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallOutcome {
    /// The transcript names no failure.
    Fine,
    /// It failed.
    Failed,
    /// The client, a rule or a hook did not let it run.
    Stopped,
    /// The user refused it.
    Rejected,
}

impl CallOutcome {
    /// Whether somebody did not let it run.
    pub fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped | Self::Rejected)
    }
}

/// A call in the log.
#[derive(Debug)]
pub struct RecordedCall {
    /// The call as the hook would have been given it.
    pub call: Call<'static>,
    /// The agent's type, `main` for the main thread.
    pub agent: Box<str>,
    /// The id of the call; empty where the transcript names none.
    pub id: Box<str>,
    /// The time, in milliseconds since 1970.
    pub time: Option<u64>,
    /// The number of the answer of the model that it is in. The calls of one answer are made at once.
    pub answer: u32,
    /// The outcome.
    pub outcome: CallOutcome,
    /// The start of the error text, if hooks were told of one: at most 4 KiB.
    pub error: Option<Box<str>>,
    /// Whether one of the next three calls of this thread failed.
    pub failed_soon: bool,
    /// A hash that a copy of this call in another file has too.
    pub(crate) twin: Option<u64>,
}

impl RecordedCall {
    /// The call with its error, as a hook was told of it; `None` if it was not.
    pub fn failed(&self) -> Option<Call<'_>> {
        let error = self.error.as_deref()?;
        Some(Call { error: Some(error.into()), ..self.call.clone() })
    }
}

/// The log of the calls of one transcript.
#[derive(Debug, Default)]
pub struct CallLog {
    /// The number of the session in [`crate::history::History::sessions`].
    pub session: usize,
    /// The calls, in order.
    pub calls: Vec<RecordedCall>,
    /// The number of lines that may hold calls and could not be read.
    pub lost: u64,
}

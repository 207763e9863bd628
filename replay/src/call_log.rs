//! The call log: the calls of one transcript.

use std::borrow::Cow;

use lessons_lesson::Call;
use lessons_text::Content;

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
pub struct RecordedCall<'t> {
    /// The call as the hook would have been given it.
    pub call: Call<'t>,
    /// The agent's type, `main` for the main thread.
    pub agent: &'t str,
    /// The id of the call; empty where the transcript names none.
    pub id: &'t str,
    /// The time, in milliseconds since 1970.
    pub time: Option<u64>,
    /// The number of the answer of the model that it is in. The calls of one answer are made at once.
    pub answer: u32,
    /// The outcome.
    pub outcome: CallOutcome,
    /// The start of the error text, if hooks were told of one: at most 4 KiB.
    pub error: Option<&'t str>,
    /// Whether one of the next three calls of this thread failed.
    pub failed_soon: bool,
}

impl RecordedCall<'_> {
    /// The call with its error, as a hook was told of it; `None` if it was not.
    pub fn failed(&self) -> Option<Call<'_>> {
        let error = self.error?;
        Some(Call { error: Some(error.into()), ..self.call.clone() })
    }
}

/// The number of calls after a call in which a failure counts as its consequence.
const SOON: usize = 3;

/// The log of the calls of one transcript, in order.
#[derive(Debug, Default)]
pub struct CallLog {
    session: usize,
    entries: Vec<CallEntry>,
    /// The number of lines that may hold calls and could not be read.
    pub lost: u64,
}

/// The entry of a call. Its parts are plain texts: a [`Call`] cannot be shared by threads.
#[derive(Debug)]
struct CallEntry {
    tool: Box<str>,
    command: Option<Box<str>>,
    paths: Vec<Box<str>>,
    contents: Vec<Box<str>>,
    replaced: Vec<Box<str>>,
    cwd: Option<Box<str>>,
    about: CallFacts,
    outcome: CallOutcome,
    error: Option<Box<str>>,
    failed_soon: bool,
}

/// Facts about a call that the hook is not given.
#[derive(Debug, Clone)]
pub(crate) struct CallFacts {
    pub(crate) agent: Box<str>,
    pub(crate) id: Box<str>,
    pub(crate) time: Option<u64>,
    /// The number of the answer that it is in.
    pub(crate) answer: u32,
    /// A hash that a copy of this call in another file has too.
    pub(crate) twin: Option<u64>,
}

impl CallLog {
    /// A log without calls, of the session with this number.
    pub(crate) fn new(session: usize) -> Self {
        Self { session, ..Self::default() }
    }

    /// The number of the session in [`crate::history::History::sessions`].
    pub fn session(&self) -> usize {
        self.session
    }

    /// The number of calls.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = RecordedCall<'_>> {
        self.entries.iter().map(CallEntry::recorded)
    }

    /// The call with this number.
    pub fn get(&self, number: usize) -> Option<RecordedCall<'_>> {
        self.entries.get(number).map(CallEntry::recorded)
    }

    /// The times of its calls, in milliseconds since 1970.
    pub(crate) fn times(&self) -> impl Iterator<Item = u64> {
        self.entries.iter().filter_map(|entry| entry.about.time)
    }

    /// The outcomes of its calls.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = CallOutcome> {
        self.entries.iter().map(|entry| entry.outcome)
    }

    /// Adds a call.
    pub(crate) fn push(&mut self, call: &Call<'_>, about: CallFacts) {
        let texts = |contents: &[Content<'_>]| contents.iter().map(|content| content.text().into()).collect();
        self.entries.push(CallEntry {
            tool: (*call.tool).into(),
            command: call.command.as_deref().map(Into::into),
            paths: call.paths.iter().map(|path| (**path).into()).collect(),
            contents: texts(&call.contents),
            replaced: texts(&call.replaced),
            cwd: call.cwd.as_deref().map(Into::into),
            about,
            outcome: CallOutcome::Fine,
            error: None,
            failed_soon: false,
        });
    }

    /// Sets the outcomes of the calls, by their ids, once all calls are added.
    pub(crate) fn set_outcomes<'o>(&mut self, outcome_of: impl Fn(&str) -> (CallOutcome, Option<&'o str>)) {
        for entry in &mut self.entries {
            let (outcome, error) = outcome_of(&entry.about.id);
            (entry.outcome, entry.error) = (outcome, error.map(Into::into));
        }
        for at in 0..self.entries.len() {
            let mut next = self.entries.iter().skip(at + 1).take(SOON);
            self.entries[at].failed_soon = next.any(|entry| entry.outcome == CallOutcome::Failed);
        }
        self.entries.shrink_to_fit();
    }

    /// The hash and the outcome of every call that may have a copy in another transcript.
    pub(crate) fn twins(&self) -> impl Iterator<Item = (u64, CallOutcome)> {
        self.entries.iter().filter_map(|entry| Some((entry.about.twin?, entry.outcome)))
    }

    /// Removes the calls that `is_copy` names, and sets the outcomes of the others by `outcome_of`.
    pub(crate) fn drop_copies(
        &mut self,
        mut is_copy: impl FnMut(u64) -> bool,
        outcome_of: impl Fn(u64) -> Option<CallOutcome>,
    ) {
        self.entries.retain_mut(|entry| {
            let Some(twin) = entry.about.twin else { return true };
            entry.outcome = outcome_of(twin).unwrap_or(entry.outcome);
            !is_copy(twin)
        });
    }
}

impl CallEntry {
    fn recorded(&self) -> RecordedCall<'_> {
        fn contents(texts: &[Box<str>]) -> Vec<Content<'_>> {
            texts.iter().map(|text| (&**text).into()).collect()
        }
        RecordedCall {
            call: Call {
                tool: Cow::Borrowed(&self.tool),
                command: self.command.as_deref().map(Cow::Borrowed),
                paths: self.paths.iter().map(|path| Cow::Borrowed(&**path)).collect(),
                texts: Vec::new(),
                contents: contents(&self.contents),
                replaced: contents(&self.replaced),
                error: None,
                cwd: self.cwd.as_deref().map(Cow::Borrowed),
            },
            agent: &self.about.agent,
            id: &self.about.id,
            time: self.about.time,
            answer: self.about.answer,
            outcome: self.outcome,
            error: self.error.as_deref(),
            failed_soon: self.failed_soon,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(command: &str) -> Call<'_> {
        Call { tool: "Bash".into(), command: Some(command.into()), cwd: Some("/p".into()), ..Call::default() }
    }

    fn about(id: &str) -> CallFacts {
        CallFacts { agent: "main".into(), id: id.into(), time: Some(7), answer: 0, twin: None }
    }

    #[test]
    fn what_was_put_on_comes_off_the_same() {
        let edit = Call {
            tool: "MultiEdit".into(),
            paths: vec!["a.ts".into(), "".into()],
            contents: vec!["x".into(), "é".into()],
            ..Call::default()
        };
        let mut log = CallLog::new(3);
        log.push(&call("git stash"), about("t1"));
        log.push(&edit, about(""));
        log.push(&call("git stash"), CallFacts { agent: "Explore".into(), ..about("t3") });
        let calls: Vec<RecordedCall<'_>> = log.calls().collect();
        assert_eq!((&calls[0].call, &calls[1].call), (&call("git stash"), &edit));
        assert_eq!(calls.iter().map(|call| call.id).collect::<Vec<_>>(), ["t1", "", "t3"]);
        assert_eq!((calls[0].agent, calls[2].agent, log.session()), ("main", "Explore", 3));
    }

    #[test]
    fn a_failure_within_three_calls_is_known_of_those_before_it() {
        let mut log = CallLog::new(0);
        for id in ["a", "b", "c", "d", "e", "f"] {
            log.push(&call("ls"), about(id));
        }
        log.set_outcomes(|id| match id {
            "e" => (CallOutcome::Failed, Some("boom")),
            "f" => (CallOutcome::Stopped, None),
            _ => (CallOutcome::Fine, None),
        });
        let errors: Vec<Option<&str>> = log.calls().map(|call| call.error).collect();
        assert_eq!(errors, [None, None, None, None, Some("boom"), None]);
        let soon: Vec<bool> = log.calls().map(|call| call.failed_soon).collect();
        assert_eq!(soon, [false, true, true, true, false, false], "and what was stopped did not fail");
        let outcomes: Vec<CallOutcome> = log.calls().map(|call| call.outcome).collect();
        assert_eq!(outcomes[3..], [CallOutcome::Fine, CallOutcome::Failed, CallOutcome::Stopped]);
    }

    #[test]
    fn copies_are_taken_out() {
        let mut log = CallLog::new(0);
        for (id, twin) in [("a", Some(1)), ("b", Some(2)), ("c", None)] {
            log.push(&call("ls"), CallFacts { twin, ..about(id) });
        }
        log.drop_copies(|twin| twin == 2, |_| None);
        assert_eq!(log.calls().map(|call| call.id).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(log.len(), 2);
    }
}

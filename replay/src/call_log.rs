//! The call log: the calls of one transcript in little memory, as one long text with the spans of each call.

use std::borrow::Cow;

use lessons_lesson::call::Call;
use lessons_text::content::Content;

/// The outcome of a call, as far as the transcript says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallOutcome {
    /// The transcript names no failure.
    Fine,
    /// It failed.
    Failed,
    /// The user, the client, a rule or a hook did not let it run.
    Stopped,
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
    text: String,
    /// The spans of the paths and contents of all calls.
    spans: Vec<Span>,
    entries: Vec<CallEntry>,
}

/// A range of the text, in bytes.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

/// The entry of a call: the places of its parts.
#[derive(Debug)]
struct CallEntry {
    id: Span,
    tool: Span,
    agent: Span,
    cwd: Option<Span>,
    command: Option<Span>,
    /// The start of the paths in `spans`; the contents follow.
    first: u32,
    contents: u32,
    end: u32,
    time: Option<u64>,
    answer: u32,
    twin: Option<u64>,
    outcome: CallOutcome,
    error: Option<Span>,
    failed_soon: bool,
}

/// Facts about a call that the hook is not given.
#[derive(Debug)]
pub(crate) struct CallFacts<'a> {
    pub(crate) agent: &'a str,
    pub(crate) id: &'a str,
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
        self.entries.iter().map(|entry| self.recorded(entry))
    }

    /// The call with this number.
    pub fn get(&self, number: usize) -> Option<RecordedCall<'_>> {
        self.entries.get(number).map(|entry| self.recorded(entry))
    }

    /// Adds a call. `None` where the log is full, at 4 GiB of text.
    pub(crate) fn push(&mut self, call: &Call<'_>, about: &CallFacts<'_>) -> Option<()> {
        let first = self.place()?;
        for path in &call.paths {
            let span = self.write(path)?;
            self.spans.push(span);
        }
        let contents = self.place()?;
        for content in &call.contents {
            let span = self.write(content.text())?;
            self.spans.push(span);
        }
        let entry = CallEntry {
            id: self.write(about.id)?,
            tool: self.write(&call.tool)?,
            agent: self.write(about.agent)?,
            cwd: match &call.cwd {
                Some(cwd) => Some(self.folder(cwd)?),
                None => None,
            },
            command: match &call.command {
                Some(command) => Some(self.write(command)?),
                None => None,
            },
            first,
            contents,
            end: self.place()?,
            time: about.time,
            answer: about.answer,
            twin: about.twin,
            outcome: CallOutcome::Fine,
            error: None,
            failed_soon: false,
        };
        self.entries.push(entry);
        Some(())
    }

    /// Sets the outcomes of the calls, by their ids, once all calls are added.
    pub(crate) fn set_outcomes<'o>(&mut self, outcome_of: impl Fn(&str) -> (CallOutcome, Option<&'o str>)) {
        let (outcomes, errors): (Vec<CallOutcome>, Vec<Option<&str>>) =
            self.entries.iter().map(|entry| outcome_of(self.part(entry.id))).unzip();
        // An error for which there is no room is left out.
        let errors: Vec<Option<Span>> = errors.into_iter().map(|error| self.write(error?)).collect();
        for (at, (entry, error)) in self.entries.iter_mut().zip(errors).enumerate() {
            (entry.outcome, entry.error) = (outcomes[at], error);
            let next = outcomes.iter().skip(at + 1).take(SOON);
            entry.failed_soon = next.into_iter().any(|outcome| *outcome == CallOutcome::Failed);
        }
        self.text.shrink_to_fit();
        self.spans.shrink_to_fit();
        self.entries.shrink_to_fit();
    }

    /// The hash and the outcome of every call that may have a copy in another transcript.
    pub(crate) fn twins(&self) -> impl Iterator<Item = (u64, CallOutcome)> {
        self.entries.iter().filter_map(|entry| Some((entry.twin?, entry.outcome)))
    }

    /// Removes the calls that `is_copy` names, and sets the outcomes of the others by `outcome_of`.
    pub(crate) fn drop_copies(
        &mut self,
        mut is_copy: impl FnMut(u64) -> bool,
        outcome_of: impl Fn(u64) -> Option<CallOutcome>,
    ) {
        self.entries.retain_mut(|entry| {
            let Some(twin) = entry.twin else { return true };
            entry.outcome = outcome_of(twin).unwrap_or(entry.outcome);
            !is_copy(twin)
        });
    }

    fn place(&self) -> Option<u32> {
        u32::try_from(self.spans.len()).ok()
    }

    fn write(&mut self, text: &str) -> Option<Span> {
        let start = u32::try_from(self.text.len()).ok()?;
        let end = u32::try_from(self.text.len().checked_add(text.len())?).ok()?;
        self.text.push_str(text);
        Some(Span { start, end })
    }

    /// Writes a folder, which mostly is that of the call before.
    fn folder(&mut self, cwd: &str) -> Option<Span> {
        let before = self.entries.last().and_then(|entry| entry.cwd);
        before.filter(|before| self.part(*before) == cwd).or_else(|| self.write(cwd))
    }

    fn part(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn recorded(&self, entry: &CallEntry) -> RecordedCall<'_> {
        let parts = |from: u32, to: u32| {
            let spans = self.spans.get(from as usize..to as usize).unwrap_or_default();
            spans.iter().map(|span| self.part(*span))
        };
        RecordedCall {
            call: Call {
                tool: Cow::Borrowed(self.part(entry.tool)),
                command: entry.command.map(|span| Cow::Borrowed(self.part(span))),
                paths: parts(entry.first, entry.contents).map(Cow::Borrowed).collect(),
                texts: Vec::new(),
                contents: parts(entry.contents, entry.end).map(Content::from).collect(),
                error: None,
                cwd: entry.cwd.map(|cwd| Cow::Borrowed(self.part(cwd))),
            },
            agent: self.part(entry.agent),
            id: self.part(entry.id),
            time: entry.time,
            answer: entry.answer,
            outcome: entry.outcome,
            error: entry.error.map(|error| self.part(error)),
            failed_soon: entry.failed_soon,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(command: &str) -> Call<'_> {
        Call { tool: "Bash".into(), command: Some(command.into()), cwd: Some("/p".into()), ..Call::default() }
    }

    fn about(id: &str) -> CallFacts<'_> {
        CallFacts { agent: "main", id, time: Some(7), answer: 0, twin: None }
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
        log.push(&call("git stash"), &about("t1")).unwrap();
        log.push(&edit, &about("")).unwrap();
        log.push(&call("git stash"), &CallFacts { agent: "Explore", ..about("t3") }).unwrap();
        let calls: Vec<RecordedCall<'_>> = log.calls().collect();
        assert_eq!((&calls[0].call, &calls[1].call), (&call("git stash"), &edit));
        assert_eq!(calls.iter().map(|call| call.id).collect::<Vec<_>>(), ["t1", "", "t3"]);
        assert_eq!((calls[0].agent, calls[2].agent, log.session()), ("main", "Explore", 3));
    }

    #[test]
    fn a_failure_within_three_calls_is_known_of_those_before_it() {
        let mut log = CallLog::new(0);
        for id in ["a", "b", "c", "d", "e", "f"] {
            log.push(&call("ls"), &about(id)).unwrap();
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
            log.push(&call("ls"), &CallFacts { twin, ..about(id) }).unwrap();
        }
        log.drop_copies(|twin| twin == 2, |_| None);
        assert_eq!(log.calls().map(|call| call.id).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(log.len(), 2);
    }
}

//! The history of the last events in a transcript, which is all that a detector sees.
//!
//! A detection at a line depends only on the lines of the last [`WINDOW`] bytes. So a scan that goes on in the middle
//! of a file reads these again, and finds what a scan of the whole file finds.

pub(super) mod lazy_call;
pub(super) mod line_filter;
pub(super) mod line_origin;

use std::cell::OnceCell;
use std::collections::VecDeque;

use lessons_lesson::hooked::is_mcp;

use super::command::Command;
use super::failure::failed_call::FailedCall;
use crate::run::cleaner::Cleaner;
use crate::transcript::{CallEnd, ToolCall, complains_of_word};
use lazy_call::LazyCall;
use line_origin::LineOrigin;

/// The length of the history, in bytes of the transcript.
pub(crate) const WINDOW: u64 = 1 << 20;
/// The most events in the history.
const MOST_EVENTS: usize = 24;
/// The most calls that may be open at once.
const MOST_OPEN: usize = 64;

/// A call that has ended.
#[derive(Debug)]
pub(crate) struct Step {
    pub(super) lazy_call: LazyCall,
    pub(crate) end: CallEnd,
    /// The offset of the line with its result. A call before it was made without knowing the result.
    pub(super) ended: u64,
    clean_line: OnceCell<Option<String>>,
    commands: OnceCell<Vec<Command>>,
    failed: OnceCell<Option<FailedCall>>,
}

impl Step {
    /// The origin of the call.
    pub(super) fn origin(&self) -> &LineOrigin {
        self.lazy_call.origin()
    }

    /// The call.
    pub(super) fn call(&self) -> &ToolCall {
        self.lazy_call.call()
    }

    /// The command line of a Bash call.
    pub(super) fn line(&self) -> Option<&str> {
        self.call().command.as_deref()
    }

    /// The same without secrets, for what triggers are made of.
    pub(super) fn clean_line(&self) -> Option<&str> {
        let clean = |line| Cleaner::default().clean(line);
        self.clean_line.get_or_init(|| self.line().map(clean)).as_deref()
    }

    /// The simple commands of that line, without those that only process the output of another.
    pub(super) fn commands(&self) -> &[Command] {
        self.commands.get_or_init(|| self.clean_line().map(Command::all).unwrap_or_default())
    }

    /// Whether this may be for the same purpose as a call that failed. Nearly all calls run another program.
    pub(super) fn may_be_like(&self, failed: &FailedCall) -> bool {
        let Some(command) = &failed.command else { return self.call().command.is_none() };
        // `bun run` for `rtk bun run`, `tofu init -upgrade` for `terraform init -upgrade`.
        let rest = command.words().split_off(1).join(" ");
        let rest = Some(rest.as_str()).filter(|rest| rest.contains(' '));
        let misused = failed.misused.as_deref();
        let mut words = [command.program.as_str()].into_iter().chain(misused).chain(rest);
        self.lazy_call.may_run(words.clone())
            && self.line().is_some_and(|line| words.any(|word| line.contains(word)))
    }

    /// Whether it ran a program of this name.
    pub(super) fn ran(&self, name: &str) -> bool {
        self.lazy_call.may_run([name]) && self.commands().iter().any(|command| command.name == name)
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.end, CallEnd::Done | CallEnd::Masked(_))
    }

    /// The text of the error, and the exit code.
    pub(super) fn failure(&self) -> Option<(&str, Option<u8>)> {
        match &self.end {
            CallEnd::Failed { code, text } => Some((text, *code)),
            _ => None,
        }
    }

    /// Whether the person did not let it run, or stopped it.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.end, CallEnd::RefusedByUser(_))
    }

    /// What a command said that failed, or whose result complains although it counts as a success.
    pub(super) fn said(&self) -> Option<&str> {
        match &self.end {
            CallEnd::Failed { text, .. } | CallEnd::Masked(text) => Some(text),
            _ => None,
        }
    }

    /// What is known of it as a call that failed.
    pub(super) fn failed(&self) -> Option<&FailedCall> {
        // A quick test, because parsing a call is slow and hardly any line hides how it ended.
        if let CallEnd::Masked(text) = &self.end
            && !complains_of_word(text)
            && !self.lazy_call.may_run(["|", ";", "\n"])
        {
            return None;
        }
        // Every call that goes well soon after it asks again.
        self.failed
            .get_or_init(|| FailedCall::of(self.call(), &self.end, self.said()?, || self.clean_line()))
            .as_ref()
    }

    /// Whether it only looks at something.
    pub(super) fn looks(&self) -> bool {
        let looks = || matches!(self.call().tool.as_str(), "Read" | "Grep" | "Glob" | "LS");
        (self.line().is_some() || looks()) && self.commands().iter().all(Command::inspects)
    }

    /// Whether it writes to a file.
    pub(super) fn writes(&self) -> bool {
        matches!(self.call().tool.as_str(), "Edit" | "MultiEdit" | "NotebookEdit" | "Write")
    }
}

/// An event in the history.
#[derive(Debug)]
pub(crate) enum Event {
    /// A call ended.
    Step(Box<Step>),
    /// The user typed something.
    Typed(Box<Prompt>),
}

/// What the user typed.
#[derive(Debug)]
pub(crate) struct Prompt {
    /// The line.
    pub(super) origin: LineOrigin,
    /// The text.
    pub(super) text: String,
}

impl Event {
    fn offset(&self) -> u64 {
        match self {
            Self::Step(step) => step.lazy_call.offset,
            Self::Typed(prompt) => prompt.origin.offset,
        }
    }

    /// The working folder of the line.
    pub(super) fn folder(&self) -> Option<&str> {
        match self {
            Self::Step(step) => step.origin().info.cwd.as_deref(),
            Self::Typed(prompt) => prompt.origin.info.cwd.as_deref(),
        }
    }

    pub(super) fn step(&self) -> Option<&Step> {
        match self {
            Self::Step(step) => Some(step.as_ref()),
            Self::Typed(_) => None,
        }
    }
}

/// The last events, the latest at the end.
#[derive(Debug, Default)]
pub(crate) struct History {
    events: VecDeque<Event>,
    open: VecDeque<LazyCall>,
}

impl History {
    /// Adds a call that began.
    pub(crate) fn called(&mut self, lazy_call: LazyCall) {
        if self.open.len() == MOST_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(lazy_call);
    }

    /// Whether this call is open.
    pub(crate) fn is_open(&self, id: &str) -> bool {
        self.open.iter().any(|lazy_call| lazy_call.id == id)
    }

    /// Ends a call in the line at `offset`. Returns the events so far, this one last; `None` where the start of the
    /// call is unknown.
    pub(crate) fn ended(&mut self, offset: u64, id: &str, end: CallEnd) -> Option<&[Event]> {
        let at = self.open.iter().position(|lazy_call| lazy_call.id == id)?;
        let lazy_call = self.open.remove(at)?;
        // Only the client itself tells of a refusal; the results of other servers are their own words.
        let end = match end {
            CallEnd::RefusedInWords(_) if is_mcp(&lazy_call.call().tool) => CallEnd::Refused,
            CallEnd::RefusedInWords(reason) => CallEnd::RefusedByUser(reason),
            end => end,
        };
        let step = Step {
            lazy_call,
            end,
            ended: offset,
            clean_line: OnceCell::new(),
            commands: OnceCell::new(),
            failed: OnceCell::new(),
        };
        (step.lazy_call.offset + WINDOW >= offset).then(|| self.push(offset, Event::Step(Box::new(step))))
    }

    /// The events so far that a detection at this offset may look at.
    pub(crate) fn events_before(&mut self, offset: u64) -> &[Event] {
        // Calls may end in another order than they began.
        self.events.retain(|event| event.offset() + WINDOW >= offset);
        self.events.make_contiguous()
    }

    /// Adds a prompt of the user, and returns the events so far, this one last.
    pub(crate) fn typed(&mut self, origin: LineOrigin, text: String) -> &[Event] {
        let prompt = Prompt { origin, text };
        self.push(prompt.origin.offset, Event::Typed(Box::new(prompt)))
    }

    fn push(&mut self, offset: u64, event: Event) -> &[Event] {
        self.events.push_back(event);
        if self.events.len() > MOST_EVENTS {
            self.events.pop_front();
        }
        self.events_before(offset)
    }
}

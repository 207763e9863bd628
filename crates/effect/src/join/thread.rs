//! A transcript as the join needs it: its calls, the requests that made them, and what hooks put before the model.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use lessons_lesson::payload::Contents;
use lessons_replay::call_log::CallLog;
use lessons_replay::log_reader::{self, ReadLog};
use lessons_scanner::transcript::{self, RequestLine, Usage};
use memchr::memmem::Finder;

/// A text in every line that counts.
const ANY: &str = "\"type\"";

/// The name of the call of what a hook told when a session started.
const AT_START: &str = "SessionStart";

/// A transcript.
#[derive(Debug, Default)]
pub(super) struct Thread {
    pub(super) log: CallLog,
    /// The contexts in it: the main thread, or sub-agents.
    pub(super) contexts: Vec<Context>,
    /// The contexts by the ids of their agents.
    numbers: HashMap<Option<String>, usize>,
    /// The context of the last request.
    last: usize,
    /// The places of the calls from a number on, in order.
    places: Vec<(usize, Place)>,
    /// What hooks told the model, by the id of the call.
    pub(super) texts: HashMap<String, String>,
    /// What hooks told the main thread when it started, and after each compaction.
    pub(super) openings: Vec<OpeningText>,
    /// The calls that the user refused.
    pub(super) rejected: HashSet<String>,
    /// Lines that could not be read.
    pub(super) lost: u64,
}

/// Where a call was made: the context and the request, as positions, and the id of its line, if it has one.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) context: usize,
    pub(super) request: usize,
    pub(super) line: Option<String>,
}

/// What one model has before it: a main thread, or a sub-agent.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub(super) requests: Vec<Request>,
    /// The numbers of the requests before which the context was compacted.
    compactions: Vec<usize>,
    /// The id of the message that is being read.
    message: String,
}

/// A text that a hook gave the main thread before it went on.
#[derive(Debug)]
pub(super) struct OpeningText {
    /// The first request that read it.
    pub(super) request: usize,
    pub(super) text: String,
}

/// A request to a model.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) model: Option<String>,
    pub(super) usage: Usage,
}

impl Context {
    /// The number of requests that read again what was told at the calls of a request: those after the next one, up to a
    /// compaction or the end.
    pub(super) fn later_requests(&self, request: usize) -> usize {
        self.requests_after(request).saturating_sub(1)
    }

    /// The number of requests that read again what a request was the first to read.
    pub(super) fn requests_after(&self, first: usize) -> usize {
        let end = self.compactions.iter().find(|&&at| at > first).copied().unwrap_or(self.requests.len());
        end.saturating_sub(first + 1)
    }
}

/// Reads a transcript.
pub(super) fn read(path: &Path, contents: Contents) -> io::Result<Thread> {
    let mut thread = Thread::default();
    let mut go_on = |_| ControlFlow::Continue(());
    let ReadLog { log, lost } =
        log_reader::read_observed(path, 0, contents, &mut go_on, ANY, &mut |line, calls| {
            thread.observe(line, calls);
        })?;
    Ok(Thread { log, lost, ..thread })
}

impl Thread {
    /// The place of a call. `None` before the first request.
    pub(super) fn place(&self, call: usize) -> Option<&Place> {
        let after = self.places.partition_point(|(first, _)| *first <= call);
        self.places.get(after.checked_sub(1)?).map(|(_, place)| place)
    }

    /// Looks at a line, before whose calls there are so many. The reader of calls counts lines that cannot be read.
    fn observe(&mut self, line: &[u8], calls: usize) {
        let holds = |text: &str| Finder::new(text).find(line).is_some();
        if holds("\"assistant\"") {
            if let Ok(Some(request)) = transcript::request(line) {
                self.request(request, calls);
            }
        } else if holds("hook_additional_context") {
            if let Ok(Some(told)) = transcript::hook_text(line) {
                if told.call == AT_START {
                    let request = self.contexts.get(self.last).map_or(0, |context| context.requests.len());
                    self.openings.push(OpeningText { request, text: told.text });
                    return;
                }
                self.texts.entry(told.call).or_default().push_str(&told.text);
            }
        } else if holds("compact_boundary") && transcript::is_compaction(line) {
            if let Some(context) = self.contexts.get_mut(self.last) {
                context.compactions.push(context.requests.len());
            }
        } else if holds("user-rejected") || holds("doesn't want to proceed") {
            self.rejected.extend(transcript::rejected_calls(line).unwrap_or_default());
        }
    }

    fn request(&mut self, line: RequestLine, calls: usize) {
        let next = self.contexts.len();
        let number = *self.numbers.entry(line.agent).or_insert(next);
        if number == next {
            self.contexts.push(Context::default());
        }
        self.last = number;
        let Some(context) = self.contexts.get_mut(number) else { return };
        if context.requests.is_empty() || context.message != line.id {
            context.message = line.id;
            context.requests.push(Request { model: line.model, usage: line.usage });
        } else if let Some(request) = context.requests.last_mut() {
            // The last line of an answer knows the whole of it.
            request.usage = line.usage;
        }
        let place = Place { context: number, request: context.requests.len() - 1, line: line.line };
        self.places.push((calls, place));
    }
}

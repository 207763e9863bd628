//! A transcript as the join needs it: its calls, the requests that made them, and what hooks put before the model.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use lessons_lesson::payload::Contents;
use lessons_replay::call_log::CallLog;
use lessons_replay::log_reader;
use lessons_scanner::transcript::{self, RequestLine, Usage};
use memchr::memmem::Finder;

/// A text in every line that counts.
const ANY: &str = "\"type\"";

/// The name of the call of what a hook told when a session started.
const AT_START: &str = "SessionStart";

/// A transcript.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) log: CallLog,
    /// The contexts in it: the main thread, or sub-agents.
    pub(super) contexts: Vec<Context>,
    /// The context and the request of the calls from a number on, in order.
    places: Vec<(usize, Place)>,
    /// The ids of the lines that hold the calls from a number on, in order.
    lines: Vec<(usize, String)>,
    /// What hooks told the model, by the id of the call.
    pub(super) texts: HashMap<String, String>,
    /// What hooks told the main thread when it started, and after each compaction.
    pub(super) openings: Vec<OpeningText>,
    /// The calls that the user refused.
    pub(super) rejected: HashSet<String>,
    /// Lines that could not be read.
    pub(super) lost: u64,
}

/// The context and the request in which a call was made, as positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) context: usize,
    pub(super) request: usize,
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
    let mut observed = Observed::default();
    let mut go_on = |_| ControlFlow::Continue(());
    let read = log_reader::read_observed(path, 0, contents, &mut go_on, ANY, &mut |line, calls| {
        observed.line(line, calls);
    })?;
    let Observed { contexts, places, lines, texts, openings, rejected, .. } = observed;
    Ok(Thread { log: read.log, contexts, places, lines, texts, openings, rejected, lost: read.lost })
}

impl Thread {
    /// The place of a call.
    pub(super) fn place(&self, call: usize) -> Place {
        entry(&self.places, call).copied().unwrap_or_default()
    }

    /// The id of the line that holds a call.
    pub(super) fn line(&self, call: usize) -> Option<&str> {
        entry(&self.lines, call).map(String::as_str).filter(|line| !line.is_empty())
    }
}

/// The entry of a list for a call, where each holds from the call with its number on.
fn entry<T>(of: &[(usize, T)], call: usize) -> Option<&T> {
    let after = of.partition_point(|(first, _)| *first <= call);
    after.checked_sub(1).and_then(|at| of.get(at)).map(|(_, entry)| entry)
}

/// What was seen of a transcript beside its calls.
#[derive(Default)]
struct Observed {
    contexts: Vec<Context>,
    /// The contexts by the ids of their agents.
    known: HashMap<Option<String>, usize>,
    places: Vec<(usize, Place)>,
    lines: Vec<(usize, String)>,
    texts: HashMap<String, String>,
    openings: Vec<OpeningText>,
    rejected: HashSet<String>,
    last: usize,
}

impl Observed {
    /// Looks at a line, before whose calls there are so many. The reader of calls counts lines that cannot be read.
    fn line(&mut self, line: &[u8], calls: usize) {
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
        let number = *self.known.entry(line.agent).or_insert(next);
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
        let place = Place { context: number, request: context.requests.len() - 1 };
        self.places.push((calls, place));
        self.lines.push((calls, line.line.unwrap_or_default()));
    }
}

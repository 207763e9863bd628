//! The sessions on the disk, and what the join reads of one.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use lessons_client::Client;
use lessons_lesson::Contents;
use lessons_replay::call_log::CallLog;
use lessons_replay::history::Session;
use lessons_replay::log_reader;
use lessons_scanner::run::report::Skipped;
use lessons_scanner::transcript::{self, RequestLine, Usage, foreign, walk};
use lessons_text::digest;
use memchr::memmem::Finder;

/// How many digits of a hash name a state of files, a project and a beginning.
pub(super) const DIGITS: usize = 16;

/// A session on the disk.
pub(super) struct FoundSession {
    pub(super) id: String,
    pub(super) files: Vec<PathBuf>,
    /// The hash of the state of the files.
    pub(super) state: String,
    /// The time at which the last of them was changed, in milliseconds since 1970.
    pub(super) last: u64,
}

/// What the files of a session hold.
pub(super) struct SessionFiles {
    pub(super) session: Session,
    /// The threads that can be read. That of the main thread is the last.
    pub(super) threads: Vec<Thread>,
    pub(super) skipped: Vec<Skipped>,
}

impl FoundSession {
    /// The client that wrote the files.
    pub(super) fn client(&self) -> Client {
        self.files.last().and_then(|main| foreign::client_of(main).ok()).unwrap_or_default()
    }

    /// Reads the files.
    pub(super) fn read(&self, contents: Contents) -> SessionFiles {
        let mut skipped = Vec::new();
        let mut threads = Vec::new();
        for file in &self.files {
            match read(file, contents) {
                Ok(thread) => threads.push(thread),
                Err(error) => skipped.push(Skipped::new(file, error.to_string())),
            }
        }
        SessionFiles { session: Session::of(self.id.clone(), &self.files), threads, skipped }
    }
}

/// The sessions below some folders. A session whose files are in several folders is one.
pub(super) fn find(roots: &[PathBuf], skipped: &mut Vec<Skipped>) -> Vec<FoundSession> {
    let mut by_id: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for session in walk::walk(roots).sessions {
        by_id.entry(session.id()).or_default().extend(session.files);
    }
    let mut found = Vec::new();
    for (id, files) in by_id {
        match state(&files) {
            Ok((state, last)) => found.push(FoundSession { id, files, state, last }),
            // A transcript that was deleted since is none.
            Err((_, error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err((file, error)) => skipped.push(Skipped::new(file, error.to_string())),
        }
    }
    found
}

/// The state of files as a hash of their names, sizes and times, and the last time at which one was changed.
fn state(files: &[PathBuf]) -> Result<(String, u64), (&Path, std::io::Error)> {
    let mut parts: Vec<String> = Vec::new();
    let mut last = 0;
    for file in files {
        let (size, nanos) = foreign::size_and_time(file).map_err(|error| (file.as_path(), error))?;
        last = last.max(nanos / 1_000_000);
        parts.push(format!(
            "{}\n{size}\n{}.{}",
            file.display(),
            nanos / 1_000_000_000,
            nanos % 1_000_000_000
        ));
    }
    let bytes: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    Ok((digest::hex_of_parts(&bytes, DIGITS), last))
}

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
    let mut observe = |line: &[u8], calls| thread.observe(line, calls);
    let log = log_reader::read_observed(path, 0, contents, ANY, &mut observe)?;
    Ok(Thread { log, ..thread })
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
        } else if holds("compact_boundary")
            && transcript::is_compaction(line)
            && let Some(context) = self.contexts.get_mut(self.last)
        {
            context.compactions.push(context.requests.len());
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

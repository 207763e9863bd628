//! The sessions on the disk, and what the join reads of one.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use lessons_client::Client;
use lessons_ledger::recording::signals::CorrectionSignal;
use lessons_lesson::Contents;
use lessons_replay::history::Session;
use lessons_replay::log_reader;
use lessons_scanner::run::report::Skipped;
use lessons_scanner::transcript::{self, RequestLine, foreign, walk};
use lessons_text::digest;
use memchr::memmem::Finder;

use super::calls::{Context, JoinedCall, Request};

/// How many digits of a hash name a state of files, a project and a beginning.
pub(super) const DIGITS: usize = 16;

/// A session on the disk.
pub struct FoundSession {
    /// Its id.
    pub id: String,
    pub(super) files: Vec<PathBuf>,
    /// The hash of the state of the files.
    pub(super) state: String,
    /// The time at which the last of them was changed, in milliseconds since 1970.
    pub(super) last: u64,
}

/// What the files of a session hold.
#[derive(Default)]
pub struct ReadSession {
    /// The session itself.
    pub session: Session,
    /// The contexts with calls, those of the main thread last.
    pub contexts: Vec<Context>,
    /// What hooks told the model, by the id of the call.
    pub(super) texts: HashMap<String, String>,
    /// What hooks told the main thread when it started, and after each compaction.
    pub(super) openings: Vec<OpeningText>,
    /// The number of lines that could not be read.
    pub(super) lost_lines: u64,
    pub(super) skipped: Vec<Skipped>,
}

/// A text that a hook gave the main thread before it went on.
#[derive(Debug)]
pub(super) struct OpeningText {
    /// The first request that read it.
    pub(super) request: usize,
    pub(super) text: String,
}

impl FoundSession {
    /// The client that wrote the files.
    pub(super) fn client(&self) -> Client {
        self.files.last().and_then(|main| foreign::client_of(main).ok()).unwrap_or_default()
    }

    /// Reads the files, and marks the calls that the user corrected.
    pub fn read(&self, contents: Contents, corrections: &[CorrectionSignal]) -> ReadSession {
        let session = Session::of(self.id.clone(), &self.files);
        let mut read = ReadSession { session, ..ReadSession::default() };
        let mut threads = Vec::new();
        for file in &self.files {
            match Thread::read(file, contents) {
                Ok(thread) => threads.push(thread),
                Err(error) => read.skipped.push(Skipped::new(file, error.to_string())),
            }
        }
        // The last that can be read is the main thread, where the user speaks.
        if let Some(main) = threads.last_mut() {
            for correction in corrections {
                main.contexts.iter_mut().for_each(|context| context.mark(correction));
            }
            read.openings = std::mem::take(&mut main.openings);
        }
        for thread in threads {
            read.lost_lines += thread.lost_lines;
            read.contexts.extend(thread.contexts.into_iter().filter(|context| !context.calls.is_empty()));
            for (call, text) in thread.texts {
                read.texts.entry(call).or_insert(text);
            }
        }
        read
    }
}

/// The sessions below some folders. A session whose files are in several folders is one.
pub fn find(roots: &[PathBuf], skipped: &mut Vec<Skipped>) -> Vec<FoundSession> {
    let mut by_id: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for session in walk::walk(roots).sessions {
        by_id.entry(session.id()).or_default().extend(session.files);
    }
    let mut found = Vec::new();
    for (id, files) in by_id {
        match state(&files) {
            Ok((state, last)) => found.push(FoundSession { id, files, state, last }),
            // A transcript that was deleted since is none.
            Err((_, error)) if error.kind() == io::ErrorKind::NotFound => {}
            Err((file, error)) => skipped.push(Skipped::new(file, error.to_string())),
        }
    }
    found
}

/// The state of files as a hash of their names, sizes and times, and the last time at which one was changed.
fn state(files: &[PathBuf]) -> Result<(String, u64), (&Path, io::Error)> {
    const SECOND: u64 = 1_000_000_000;
    let mut parts: Vec<String> = Vec::new();
    let mut last = 0;
    for file in files {
        let (size, nanos) = foreign::size_and_time(file).map_err(|error| (file.as_path(), error))?;
        last = last.max(nanos / 1_000_000);
        parts.push(format!("{}\n{size}\n{}.{}", file.display(), nanos / SECOND, nanos % SECOND));
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
struct Thread {
    /// The contexts in it: the main thread, or sub-agents.
    contexts: Vec<Context>,
    /// The contexts by the ids of their agents.
    numbers: HashMap<Option<String>, usize>,
    /// The context of the last request.
    last: usize,
    /// The places of the calls from a number on, in order.
    places: Vec<(usize, Place)>,
    texts: HashMap<String, String>,
    openings: Vec<OpeningText>,
    lost_lines: u64,
}

/// Where a call was made: the context and the request, as positions, and the id of its line, if it has one.
#[derive(Debug, Clone, Default)]
struct Place {
    context: usize,
    request: usize,
    line: Option<String>,
}

impl Thread {
    fn read(path: &Path, contents: Contents) -> io::Result<Self> {
        let mut thread = Self::default();
        let mut observe = |line: &[u8], calls| thread.observe(line, calls);
        let log = log_reader::read_observed(path, 0, contents, ANY, &mut observe)?;
        thread.lost_lines = log.lost;
        for (number, recorded) in log.calls.into_iter().enumerate() {
            let Place { context, request, line } = thread.place(number);
            if let Some(context) = thread.contexts.get_mut(context) {
                context.calls.push(JoinedCall::new(recorded, request, line));
            }
        }
        Ok(thread)
    }

    /// The place of a call; the first request for one before it.
    fn place(&self, call: usize) -> Place {
        let before = self.places.partition_point(|(first, _)| *first <= call).checked_sub(1);
        before.and_then(|at| self.places.get(at)).map(|(_, place)| place.clone()).unwrap_or_default()
    }

    /// Looks at a line, before whose calls there are so many. The reader of calls counts lines that cannot be read.
    fn observe(&mut self, line: &[u8], calls: usize) {
        let holds = |text: &str| Finder::new(text).find(line).is_some();
        if holds("\"assistant\"") {
            if let Ok(Some(request)) = transcript::request(line) {
                self.request(request, calls);
            }
        } else if holds("hook_additional_context") {
            let Ok(Some(told)) = transcript::hook_text(line) else { return };
            if told.call == AT_START {
                let request = self.contexts.get(self.last).map_or(0, |context| context.requests.len());
                self.openings.push(OpeningText { request, text: told.text });
            } else {
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
        self.last = *self.numbers.entry(line.agent).or_insert(next);
        if self.last == next {
            self.contexts.push(Context::default());
        }
        let Some(context) = self.contexts.get_mut(self.last) else { return };
        match context.requests.last_mut().filter(|request| request.message == line.id) {
            // The last line of an answer knows the whole of it.
            Some(request) => request.usage = line.usage,
            None => context.requests.push(Request { message: line.id, model: line.model, usage: line.usage }),
        }
        let request = context.requests.len() - 1;
        self.places.push((calls, Place { context: self.last, request, line: line.line }));
    }
}

//! The reader that makes a call log of a transcript.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

use lessons_lesson::{Call, Contents, Payload, PayloadReader};
use lessons_scanner::run::session_facts;
use lessons_scanner::transcript::line::{Limits, LineSearch};
use lessons_scanner::transcript::timestamp::Timestamp;
use lessons_scanner::transcript::{self, Agent, CallFailure, ToolUse, ToolUses, foreign};
use lessons_text::Content;
use memchr::memmem::Finder;

use crate::call_log::{CallLog, CallOutcome, RecordedCall};

/// A text in every line with a call or the result of one.
const WANTED: &str = "\"tool_";
/// A text in every line with a call.
const CALL: &[u8] = b"\"tool_use\"";
/// A text in every result that says whether it is an error.
const IS_ERROR: &[u8] = b"\"is_error\"";
/// A text in every line that names a working folder.
const FOLDER: &str = "\"cwd\"";
/// The bytes per read where only the first lines are needed.
const FIRST_LINES: usize = 16 << 10;
/// The number of calls after a call in which a failure counts as its consequence.
const SOON: usize = 3;

/// Reads the calls of the transcript `path`, which belongs to the session with this number.
pub(crate) fn read(path: &Path, session: usize, contents: Contents) -> io::Result<CallLog> {
    read_observed(path, session, contents, WANTED, &mut |_, _| ())
}

/// The same, for somebody who looks at every line that holds `wanted`, which every line with a call or a result must hold
/// too. `observe` is given each line, and the number of calls before it.
pub fn read_observed(
    path: &Path,
    session: usize,
    contents: Contents,
    wanted: &str,
    observe: &mut dyn FnMut(&[u8], usize),
) -> io::Result<CallLog> {
    let mut search = LineSearch::new(foreign::open(path)?, 0);
    let (wanted, call, is_error) = (Finder::new(wanted), Finder::new(CALL), Finder::new(IS_ERROR));
    let mut builder = LogBuilder {
        log: CallLog { session, ..CallLog::default() },
        endings: HashMap::new(),
        kind: None,
        path,
        contents,
        answer: (None, 0),
    };
    let mut take = |line: &[u8]| {
        observe(line, builder.log.calls.len());
        if call.find(line).is_some() {
            builder.calls(line);
        } else if says_error(line, &is_error) {
            builder.endings(line);
        }
    };
    search.find_map(&wanted, |line| {
        take(line.bytes);
        None::<()>
    })?;
    if let Some(tail) = search.tail().filter(|tail| transcript::is_whole(tail.bytes)) {
        take(tail.bytes);
    }
    let LogBuilder { mut log, endings, .. } = builder;
    log.lost += search.long_lines;
    set_outcomes(&mut log.calls, &endings);
    log.calls.shrink_to_fit();
    Ok(log)
}

/// The first working folder that a transcript names: the folder in which its session was started.
pub(crate) fn first_folder(path: &Path) -> Option<String> {
    let limits = Limits { chunk: FIRST_LINES, ..Limits::default() };
    let mut search = LineSearch::with_limits(foreign::open(path).ok()?, 0, limits);
    let place = search.find_map(&Finder::new(FOLDER), |line| transcript::folder(line.bytes));
    Some(place.ok()??.folder)
}

/// Whether a field `is_error` of a line is anything but `false`. In a string its quotes would be escaped, so every
/// hit is a field.
fn says_error(line: &[u8], is_error: &Finder<'_>) -> bool {
    is_error.find_iter(line).any(|at| {
        let value = line.get(at + IS_ERROR.len()..).unwrap_or_default();
        let value = value.trim_ascii_start().strip_prefix(b":").unwrap_or(value).trim_ascii_start();
        !value.starts_with(b"false")
    })
}

/// The builder of a call log.
struct LogBuilder<'p> {
    log: CallLog,
    endings: HashMap<String, CallFailure>,
    /// The type of the sub-agent that the file beside this one names, once it was looked at.
    kind: Option<String>,
    path: &'p Path,
    contents: Contents,
    /// The id of the answer that was read last, and its number.
    answer: (Option<String>, u32),
}

impl LogBuilder<'_> {
    fn calls(&mut self, line: &[u8]) {
        let called = match transcript::tool_uses(line) {
            Ok(Some(called)) => called,
            // The text of a result may mention calls.
            Ok(None) => return self.endings(line),
            Err(_) => return self.log.lost += 1,
        };
        let agent = called.agent.as_ref().map(|agent| self.agent(agent));
        if called.answer.is_none() || self.answer.0 != called.answer {
            self.answer = (called.answer.clone(), self.answer.1.saturating_add(1));
        }
        for used in &called.uses {
            let payload = payload(&called, used, agent.as_deref(), self.contents);
            self.log.calls.push(RecordedCall {
                agent: payload.agent().into(),
                id: used.id.as_deref().unwrap_or_default().into(),
                time: called.time.map(Timestamp::millis),
                answer: self.answer.1,
                outcome: CallOutcome::Fine,
                error: None,
                failed_soon: false,
                twin: twin(&called, used),
                call: kept(payload.call),
            });
        }
    }

    fn endings(&mut self, line: &[u8]) {
        match transcript::call_failures(line) {
            Ok(endings) => self.endings.extend(endings),
            Err(_) => self.log.lost += 1,
        }
    }

    /// The type of a sub-agent, from its line or the file beside the transcript. Empty where neither names it.
    fn agent(&mut self, agent: &Agent) -> String {
        let session_facts = || session_facts::agent_type(self.path).unwrap_or_default();
        agent.kind.clone().unwrap_or_else(|| self.kind.get_or_insert_with(session_facts).clone())
    }
}

/// A call as a log keeps it, its contents as plain texts.
fn kept(call: Call<'static>) -> Call<'static> {
    let plain = |contents: Vec<Content<'_>>| contents.iter().map(|it| it.text().to_owned().into()).collect();
    Call { texts: Vec::new(), contents: plain(call.contents), replaced: plain(call.replaced), ..call }
}

/// Sets how calls ended, by their ids, once all of them are read.
fn set_outcomes(calls: &mut [RecordedCall], endings: &HashMap<String, CallFailure>) {
    for recorded in &mut *calls {
        let Some(ending) = endings.get(&*recorded.id) else { continue };
        (recorded.outcome, recorded.error) = match ending {
            CallFailure::Failed(error) => (CallOutcome::Failed, error.as_deref().map(Into::into)),
            CallFailure::Stopped => (CallOutcome::Stopped, None),
            CallFailure::Rejected => (CallOutcome::Rejected, None),
        };
    }
    for at in 0..calls.len() {
        let mut next = calls.iter().skip(at + 1).take(SOON);
        calls[at].failed_soon = next.any(|later| later.outcome == CallOutcome::Failed);
    }
}

/// The payload as the hook would have read it: the raw fields of the transcript go through the reader of the hook.
fn payload(called: &ToolUses<'_>, used: &ToolUse<'_>, agent: Option<&str>, contents: Contents) -> Payload {
    let mut reader = PayloadReader::new(contents);
    let mut field = |name: &str, value: &str| {
        for piece in [name, value] {
            reader.feed(piece.as_bytes());
        }
    };
    field("{\"tool_name\":", used.name.get());
    if let Some(cwd) = called.cwd {
        field(",\"cwd\":", cwd.get());
    }
    if let Some(input) = used.input {
        field(",\"tool_input\":", input.get());
    }
    field("}", "");
    let (mut payload, _) = reader.finish();
    if let Some(kind) = agent {
        payload.agent_id = Some("sub-agent".to_owned());
        payload.agent_type = Some(kind.to_owned());
    }
    payload
}

/// A hash that is equal for copies of a call in other files: a fork copies lines with their ids.
fn twin(called: &ToolUses<'_>, used: &ToolUse<'_>) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    (called.uuid.as_deref()?, used.id.as_deref()?).hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_within_three_calls_is_known_of_those_before_it() {
        let call = |id: &str| RecordedCall {
            call: Call::default(),
            agent: "main".into(),
            id: id.into(),
            time: Some(7),
            answer: 0,
            outcome: CallOutcome::Fine,
            error: None,
            failed_soon: false,
            twin: None,
        };
        let mut calls = ["a", "b", "c", "d", "e", "f"].map(call);
        let endings = [("e", CallFailure::Failed(Some("boom".into()))), ("f", CallFailure::Stopped)];
        set_outcomes(&mut calls, &endings.map(|(id, ending)| (id.to_owned(), ending)).into());
        let errors = calls.each_ref().map(|call| call.error.as_deref());
        assert_eq!(errors, [None, None, None, None, Some("boom"), None]);
        let soon = calls.each_ref().map(|call| call.failed_soon);
        assert_eq!(soon, [false, true, true, true, false, false], "and what was stopped did not fail");
        let outcomes = calls.each_ref().map(|call| call.outcome);
        assert_eq!(outcomes[3..], [CallOutcome::Fine, CallOutcome::Failed, CallOutcome::Stopped]);
    }

    #[test]
    fn only_a_field_that_is_not_false_says_error() {
        let says = |line: &str| says_error(line.as_bytes(), &Finder::new(IS_ERROR));
        assert!(says(r#"{"is_error":true}"#) && says(r#"{"is_error" : true}"#));
        assert!(says(r#"{"is_error":false},{"is_error":true}"#));
        assert!(!says(r#"{"is_error": false}"#) && !says(r#"{"text":"\"is_error\":true"}"#));
    }
}

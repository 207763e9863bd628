//! The deciding calls of `lessons` in a session that a hook approved in place of the person.
//!
//! Only a session in which a change was approved is searched for them. Such a session is read once more, so that all
//! others cost nothing.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::{Range, RangeInclusive};

use lessons_decide::approval::PlainCall;
use memchr::memmem::{self, Finder};

use crate::line::{Limits, LineMatch, LineSearch};
use crate::resume::Transcript;
use crate::timestamp::Timestamp;
use crate::transcript::{self, HookApprovedCall};

/// The length of the text before a part that is searched for the calls whose results are in the part, in bytes.
const CONTEXT: u64 = 1 << 20;
/// The number of calls that can wait for their results at once. More than one is rare.
const MAX_CALLED: usize = 64;
/// The most approvals that a part of a file can hold.
const MAX_APPROVALS: usize = 4096;

/// The approvals in a part of a transcript, each as the time from the call to its result in milliseconds since 1970. Some
/// just before the part are among them.
pub(crate) fn find(
    file: &Transcript,
    part: Range<u64>,
    limits: Limits,
) -> io::Result<Vec<RangeInclusive<u64>>> {
    let start = part.start.saturating_sub(CONTEXT);
    let mut source = &file.file;
    source.seek(SeekFrom::Start(start))?;
    let source = source.take(part.end.saturating_sub(start));
    // A line that begins before `start` is no JSON from there on, and is not read.
    let mut search = LineSearch::with_limits(source, start, limits);
    let mut approvals = HookApprovals::default();
    // In calls, and as the start of `"tool_use_id"` in results.
    let wanted = Finder::new("\"tool_use");
    while let Some(found) = search.next_with(&wanted)? {
        if let LineMatch::Line(line) = found {
            approvals.line(line.bytes);
        }
    }
    if let Some(tail) = search.tail() {
        approvals.line(tail.bytes);
    }
    Ok(approvals.found)
}

/// The approvals that were found so far.
#[derive(Default)]
struct HookApprovals {
    /// The last deciding calls, each with its id.
    called: VecDeque<(String, Timestamp)>,
    found: Vec<RangeInclusive<u64>>,
}

impl HookApprovals {
    fn line(&mut self, line: &[u8]) {
        let holds = |text: &str| memmem::find(line, text.as_bytes()).is_some();
        if holds("\"permissionDecision\"")
            && holds("\"hook\"")
            && let Some(HookApprovedCall { id, time }) = transcript::hook_approved_call(line)
        {
            return self.approved(&id, time);
        }
        if holds("lessons") {
            let calls = transcript::shell_calls(line).into_iter();
            let decides = |command: &str| PlainCall::of(command).is_some_and(|call| call.decides());
            self.called.extend(calls.filter(|call| decides(&call.command)).map(|call| (call.id, call.time)));
            let surplus = self.called.len().saturating_sub(MAX_CALLED);
            self.called.drain(..surplus);
        }
    }

    fn approved(&mut self, id: &str, ended: Timestamp) {
        let Some(at) = self.called.iter().rposition(|(called, _)| called == id) else { return };
        if let Some((_, called)) = self.called.remove(at)
            && self.found.len() < MAX_APPROVALS
        {
            self.found.push(called.millis()..=ended.millis());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn call(id: &str, second: u32, command: &str) -> Value {
        json!({
            "type": "assistant", "timestamp": format!("2026-01-01T00:00:{second:02}Z"),
            "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}},
            ]},
        })
    }

    fn result(id: &str, second: u32, source: &str) -> Value {
        json!({
            "type": "user", "timestamp": format!("2026-01-01T00:00:{second:02}Z"),
            "permissionDecision": {"decision": "accept", "source": source},
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]},
        })
    }

    /// The seconds between which the approved calls lie, of a transcript read from this line on.
    fn found_from(first: usize, lines: &[Value]) -> Vec<(u64, u64)> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, lines.concat()).unwrap();
        let start = lines[..first].concat().len() as u64;
        let part = start..lines.concat().len() as u64;
        let found = find(&Transcript::open(&path).unwrap(), part, Limits::default()).unwrap();
        let second = |millis: &u64| millis / 1000 % 60;
        found.iter().map(|call| (second(call.start()), second(call.end()))).collect()
    }

    #[test]
    fn a_deciding_call_that_a_hook_approved_is_found() {
        let lines = [
            call("a", 1, "lessons promote 3f2a"),
            result("a", 4, "hook"),
            call("b", 5, "lessons promote 3f2b"),
            result("b", 6, "user_temporary"),
            call("c", 7, "lessons list"),
            result("c", 8, "hook"),
            call("d", 9, "true && lessons off all"),
            result("d", 10, "hook"),
            result("unknown", 11, "hook"),
        ];
        assert_eq!(found_from(0, &lines), [(1, 4)]);
    }

    #[test]
    fn the_call_may_have_been_read_by_an_earlier_scan() {
        let lines = [call("a", 1, "lessons off all"), result("a", 4, "hook")];
        assert_eq!(found_from(1, &lines), [(1, 4)]);
    }

    #[test]
    fn a_call_is_approved_once_and_cannot_hide_behind_another() {
        let mut beside = call("a", 1, "lessons off all");
        let other = json!({"type": "tool_use", "id": "x", "name": "mcp", "input": {"permissionDecision": 1, "source": "hook"}});
        beside["message"]["content"].as_array_mut().unwrap().push(other);
        let lines = [beside, result("a", 4, "hook"), result("a", 9, "hook")];
        assert_eq!(found_from(0, &lines), [(1, 4)]);
    }

    #[test]
    fn a_transcript_of_many_calls_takes_little_memory() {
        let mut approvals = HookApprovals::default();
        for at in 0..MAX_CALLED + 2 {
            approvals.line(call(&format!("t{at}"), 1, "lessons off all").to_string().as_bytes());
        }
        assert_eq!(approvals.called.len(), MAX_CALLED);
        approvals.line(result("t1", 2, "hook").to_string().as_bytes());
        assert_eq!(approvals.found, [], "it is too long ago");
        approvals.line(result("t2", 2, "hook").to_string().as_bytes());
        assert_eq!(approvals.found.len(), 1);
    }
}

//! Watching what happens in the new part of a transcript.
//!
//! Most lines are results of calls that did what they do, and most of the bytes are in them. Of such a
//! line only the id is looked for, and nothing is parsed: that a call succeeded is all there is to know. A
//! key cannot stand unescaped inside a text of JSON, so no text can make a line look like another.

use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memchr2};

use super::finding::Draft;
use super::history::{self, Event, History, WINDOW};
use super::{contrast, correction, repetition};
use crate::line::Line;
use crate::resume::{self, Place};
use crate::transcript::{self, End, Happening, What};

/// What is seen.
#[derive(Debug)]
pub(crate) enum Seen<'e> {
    /// A mistake, perhaps.
    Draft(Box<Draft<'e>>),
    /// The failure of this line was got past.
    Solved(&'e str),
}

/// Where watching begins, so that what is seen from `from` on depends on nothing before: at the first line that
/// starts in the window before it.
pub(crate) fn beginning(transcript: &resume::Transcript, from: Place) -> io::Result<Place> {
    let at = from.offset.saturating_sub(WINDOW);
    if at == 0 {
        return Ok(Place::default());
    }
    let mut file = &transcript.file;
    // One byte more: a line feed there means that a line starts at `at`.
    file.seek(SeekFrom::Start(at - 1))?;
    let mut before = Vec::new();
    file.take(from.offset - (at - 1)).read_to_end(&mut before)?;
    let from = transcript.without_open_line(from)?;
    let Some(end) = memchr(b'\n', &before) else { return Ok(from) };
    let lines = memchr_iter(b'\n', before.get(end + 1..).unwrap_or_default()).count() as u64;
    Ok(Place { offset: at + end as u64, lines: from.lines.saturating_sub(lines) })
}

/// What of a line is of interest.
#[derive(Debug, PartialEq, Eq)]
enum Interest<'l> {
    Nothing,
    /// It may be a call, a failure or a prompt.
    Everything,
    /// It is the result of this call, which succeeded.
    Success(&'l str),
}

/// Watches lines go by.
#[derive(Debug, Default)]
pub(crate) struct Watching {
    history: History,
    finders: Finders,
}

#[derive(Debug)]
struct Finders {
    tool_use: Finder<'static>,
    user: Finder<'static>,
    queued: Finder<'static>,
    is_error: Finder<'static>,
}

impl Default for Finders {
    fn default() -> Self {
        Self {
            tool_use: Finder::new("\"tool_use"),
            user: Finder::new("\"user\""),
            queued: Finder::new("\"queued_command\""),
            is_error: Finder::new("\"is_error\""),
        }
    }
}

impl Finders {
    fn interest<'l>(&self, line: &'l [u8]) -> Interest<'l> {
        // Copies of what is sent to the model.
        if line.starts_with(b"{\"type\":\"api-request") {
            return Interest::Nothing;
        }
        let (mut results, mut first) = (0, None);
        for at in self.tool_use.find_iter(line) {
            let (before, here) = line.split_at(at);
            if here.starts_with(b"\"tool_use_id\"") {
                results += 1;
                first = first.or(Some(here));
            } else if here.starts_with(b"\"tool_use\"") && ends_with_key(before, b"\"type\"") {
                return Interest::Everything;
            }
        }
        let is_of_user = self.user.find(line).is_some();
        let Some(first) = first else {
            let is_prompt = is_of_user || self.queued.find(line).is_some();
            return if is_prompt { Interest::Everything } else { Interest::Nothing };
        };
        let has_error = || self.is_error.find_iter(line).any(|at| value_of(&line[at..]).starts_with(b"true"));
        match plain_text(value_of(first)).filter(|_| results == 1 && is_of_user) {
            Some(id) if !has_error() => Interest::Success(id),
            _ => Interest::Everything,
        }
    }
}

/// Whether a value may follow whose key is this one.
fn ends_with_key(before: &[u8], key: &[u8]) -> bool {
    before.trim_ascii_end().strip_suffix(b":").is_some_and(|before| before.trim_ascii_end().ends_with(key))
}

/// The text that a value is, if nothing in it is escaped.
fn plain_text(value: &[u8]) -> Option<&str> {
    let text = value.strip_prefix(b"\"")?;
    let text =
        text.get(..memchr2(b'"', b'\\', text)?).filter(|inside| text.get(inside.len()) == Some(&b'"'))?;
    std::str::from_utf8(text).ok()
}

/// What follows the key that stands at the start: its value, and all after it.
fn value_of(key: &[u8]) -> &[u8] {
    let inside = key.get(1..).unwrap_or_default();
    let after = memchr(b'"', inside).and_then(|end| inside.get(end + 1..)).unwrap_or_default();
    after.trim_ascii_start().strip_prefix(b":").unwrap_or_default().trim_ascii_start()
}

impl Watching {
    /// The next line, which has this number in its file.
    pub(crate) fn line(&mut self, line: Line<'_>, number: u64, seen: &mut dyn FnMut(Seen<'_>)) {
        match self.finders.interest(line.bytes) {
            Interest::Nothing => {}
            Interest::Success(id) => {
                if self.history.is_open(id) {
                    look(self.history.ended(line.offset, id, End::Done), seen);
                }
            }
            Interest::Everything => {
                // What cannot be read says nothing; the reading of tags counts such lines.
                if let Ok(Some(happening)) = transcript::happening(line.bytes) {
                    self.happened(line.offset, number, happening, seen);
                }
            }
        }
    }

    fn happened(&mut self, offset: u64, line: u64, happening: Happening, seen: &mut dyn FnMut(Seen<'_>)) {
        let origin = Rc::new(happening.origin);
        for what in happening.what {
            let place = || history::Place { offset, line, origin: Rc::clone(&origin) };
            match what {
                What::Called(call) => self.history.called(place(), call),
                What::Ended { id, end } => look(self.history.ended(offset, &id, end), seen),
                What::Typed(text) => drop(self.history.typed(place(), text)),
            }
        }
    }
}

/// Asks every detector about what happened last.
fn look(events: Option<&[Event]>, seen: &mut dyn FnMut(Seen<'_>)) {
    let Some(events) = events else { return };
    let found = [contrast::look(events), correction::look(events), repetition::look(events)];
    for draft in found.into_iter().flatten() {
        seen(Seen::Draft(Box::new(draft)));
    }
    for uuid in repetition::solved(events) {
        seen(Seen::Solved(&uuid));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interest(line: &str) -> Interest<'_> {
        Finders::default().interest(line.as_bytes())
    }

    #[test]
    fn of_a_success_only_the_id_is_looked_at() {
        for line in [
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1","type":"tool_result","is_error":false}]}}"#,
            r#"{"type": "user", "message": {"content": [{"tool_use_id": "t-1", "type": "tool_result"}]}}"#,
        ] {
            assert_eq!(interest(line), Interest::Success("t-1"));
        }
    }

    #[test]
    fn a_failure_a_call_and_a_prompt_are_looked_at_whole() {
        for line in [
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1","is_error": true}]}}"#,
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1"},{"tool_use_id":"t-2"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t"}]}}"#,
            r#"{"type":"user","message":{"content":"hello"}}"#,
            r#"{"type":"attachment","attachment":{"type":"queued_command"}}"#,
        ] {
            assert_eq!(interest(line), Interest::Everything, "{line}");
        }
        assert_eq!(interest(r#"{"type":"assistant","userType":"external"}"#), Interest::Nothing);
    }

    #[test]
    fn a_text_cannot_look_like_another_line() {
        let line = r#"{"type":"user","message":{"content":[{"tool_use_id":"t-1","content":"\"tool_use_id\":\"t-2\",\"is_error\":true"}]}}"#;
        assert_eq!(interest(line), Interest::Success("t-1"));
    }

    /// A value of one of the fields that decide what a line is.
    fn part() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(r#""type":"user""#.to_owned()),
            Just(r#""type": "assistant""#.to_owned()),
            Just(r#""type":"attachment","attachment":{"type":"queued_command","prompt":"x"}"#.to_owned()),
            Just(r#""message":{"role":"user","content":"hello"}"#.to_owned()),
            Just(r#""message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"x"}}]}"#.to_owned()),
            ("[ab]", prop_oneof![Just(""), Just(r#","is_error":true"#), Just(r#","is_error" : false"#)], 1_usize..3).prop_map(
                |(id, error, times)| {
                    let block = format!(r#"{{"type":"tool_result","tool_use_id" :"{id}"{error},"content":"\"is_error\":true"}}"#);
                    format!(r#""message":{{"content":[{}]}}"#, vec![block; times].join(","))
                }
            ),
            Just(r#""toolUseResult":{"is_error":true,"tool_use_id":"z"}"#.to_owned()),
            Just(r#""toolDenialKind":"user-rejected""#.to_owned()),
        ]
    }

    proptest::proptest! {
        #[test]
        fn no_line_that_counts_is_passed_over(parts in prop::collection::vec(part(), 0..5)) {
            let line = format!("{{{}}}", parts.join(","));
            let what = transcript::happening(line.as_bytes()).ok().flatten().map(|happening| happening.what);
            match interest(&line) {
                Interest::Everything => {}
                Interest::Nothing => prop_assert_eq!(what, None),
                Interest::Success(id) => {
                    // A refusal bears the mark of an error too; a line that does not was made up.
                    let is_denied = line.contains("toolDenialKind");
                    let ended = What::Ended { id: id.to_owned(), end: End::Done };
                    prop_assert!(is_denied || what.is_none() || what == Some(vec![ended]), "{:?}", what);
                }
            }
        }

        #[test]
        fn any_bytes_are_of_interest_or_not(line in "(\"tool_use_id\"|\"tool_use\"|\"is_error\"|\"user\"|[: \"a{}\\\\]){0,12}") {
            let _ = interest(&line);
        }
    }
}

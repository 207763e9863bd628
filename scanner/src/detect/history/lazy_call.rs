//! A call whose line is parsed only when a detector needs it.
//!
//! Nearly all calls succeed, and no detector looks at them. So the bytes of the line are kept, and parsed on demand.

use std::cell::OnceCell;
use std::rc::Rc;

use lessons_shell::program_name;

use crate::detect::failure::signs::Signs;
use crate::detect::history::line_origin::LineOrigin;
use crate::transcript::needle::Needle;
use crate::transcript::raw_json::{decoded_text, value_of, written_text};
use crate::transcript::{self, LineEvent, ToolCall};

/// The longest line that is kept unparsed, in bytes.
pub(crate) const MAX_UNPARSED: usize = 16 << 10;

/// The words of a command among which a named one is looked for.
const FIRST_WORDS: usize = 40;

/// The key of a command.
static COMMAND: Needle = Needle::new("\"command\"");
/// The escape of a letter by its number. A line with one such escape may have any letter escaped.
static NUMBER: Needle = Needle::new("\\u");

/// The keys of the file that a call works on, and of its tool.
static FILE: Needle = Needle::new("\"file_path\"");
static NAME: Needle = Needle::new("\"name\"");
/// Parts of the paths of memory files and of the names of tools for memories, in lower case.
static MEMORY: Signs = Signs::new(
    "claude.md|claude.local.md|agents.md|gemini.md|instructions.md|memor|conventions.md|\
     .cursorrules|.windsurfrules|learnings|lessons|rules",
);

/// A call and its place.
#[derive(Debug)]
pub(crate) struct LazyCall {
    /// The id of the call.
    pub(crate) id: String,
    /// The offset of its line, in bytes.
    pub(crate) offset: u64,
    number: u64,
    /// The bytes of the line, unless it was parsed at once.
    line: Box<[u8]>,
    read: OnceCell<(LineOrigin, ToolCall)>,
}

impl LazyCall {
    /// A call whose line was parsed already.
    pub(crate) fn parsed(origin: LineOrigin, call: ToolCall) -> Self {
        let (id, offset, number) = (call.id.clone(), origin.offset, origin.line);
        Self { id, offset, number, line: Box::default(), read: OnceCell::from((origin, call)) }
    }

    /// The call of this id in a line, which has this number in its file.
    pub(crate) fn unparsed(id: &str, offset: u64, number: u64, line: &[u8]) -> Self {
        Self { id: id.to_owned(), offset, number, line: line.into(), read: OnceCell::new() }
    }

    /// The origin of the call.
    pub(crate) fn origin(&self) -> &LineOrigin {
        &self.parse().0
    }

    /// The call itself, empty where the line turns out not to hold it.
    pub(crate) fn call(&self) -> &ToolCall {
        &self.parse().1
    }

    /// The commands in lower case, as far as the raw bytes show them. `None` where only parsing tells.
    fn commands(&self) -> Option<Vec<String>> {
        if let Some((_, call)) = self.read.get() {
            return Some(call.command.iter().map(|command| command.to_ascii_lowercase()).collect());
        }
        let command = |at: usize| Some(decoded_text(value_of(&self.line[at..]))?.to_ascii_lowercase());
        (!NUMBER.is_in(&self.line)).then(|| COMMAND.places(&self.line).filter_map(command).collect())
    }

    /// Whether any of these words may stand in the command, in any case.
    pub(crate) fn may_run<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> bool {
        let Some(commands) = self.commands() else { return true };
        let is_in = |word: &str| commands.iter().any(|command| command.contains(&word.to_ascii_lowercase()));
        words.into_iter().any(is_in)
    }

    /// Whether one of these words, which are in lower case, may be among the first of its command, or end a path there.
    pub(crate) fn may_name(&self, words: &[String]) -> bool {
        let Some(commands) = self.commands() else { return true };
        let first = commands.iter().flat_map(|command| command.split_whitespace().take(FIRST_WORDS));
        let mut first = first.map(|word| word.trim_matches(|c: char| "\"'();&|".contains(c)));
        first.any(|word| words.iter().any(|own| own == word || own == program_name(word)))
    }

    /// Whether it may write to a file of memory, as far as the raw bytes show.
    pub(crate) fn may_write_memory(&self) -> bool {
        let names = |at: usize| {
            let text = written_text(value_of(&self.line[at..])).unwrap_or_default();
            std::str::from_utf8(text).map_or(true, |text| MEMORY.are_in(text))
        };
        let keys = [&FILE, &COMMAND, &NAME];
        self.read.get().is_some() || keys.iter().any(|key| key.places(&self.line).any(names))
    }

    fn parse(&self) -> &(LineOrigin, ToolCall) {
        self.read.get_or_init(|| {
            let line_events = transcript::line_events(&self.line).ok().flatten();
            let (origin, what) = line_events.map(|found| (found.origin, found.what)).unwrap_or_default();
            let call = what.into_iter().find_map(|what| match what {
                LineEvent::Called(call) if call.id == self.id => Some(call),
                _ => None,
            });
            let origin = LineOrigin { offset: self.offset, line: self.number, info: Rc::new(origin) };
            (origin, call.unwrap_or_default())
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lazy_call(command: &str, write: impl Fn(String) -> String) -> LazyCall {
        let block = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": command}});
        let line =
            json!({"type": "assistant", "uuid": "u", "message": {"role": "assistant", "content": [block]}});
        LazyCall::unparsed("t", 7, 3, write(line.to_string()).as_bytes())
    }

    #[test]
    fn a_line_says_what_was_called_when_it_is_asked() {
        let lazy_call = lazy_call("npm test", |line| line);
        assert!(lazy_call.may_run(["npm"]) && !lazy_call.may_run(["cargo"]) && !lazy_call.may_run(["Bash"]));
        assert_eq!(lazy_call.call().command.as_deref(), Some("npm test"));
        let origin = lazy_call.origin();
        assert_eq!((origin.offset, origin.line, origin.info.uuid.as_str()), (7, 3, "u"));
    }

    #[test]
    fn a_program_may_be_run_however_it_is_written() {
        let escaped = lazy_call("npm test", |line| line.replace("npm", r"\u006epm"));
        assert!(escaped.may_run(["npm"]));
        let odd = r#"a"b\c/d"#;
        assert!(lazy_call(odd, |line| line).may_run([odd]));
        assert!(lazy_call(odd, |line| line.replace('/', r"\/")).may_run(["c/d"]));
        let lines = lazy_call("cd web\nCI=1 /opt/bin/Rscript a.R; npm test", |line| line);
        let names = |word: &str| lines.may_name(&[word.to_owned()]);
        assert!(names("rscript") && names("npm") && !names("script"));
        assert!(lines.may_run(["rscript"]) && !lines.may_run(["bash", "\t"]) && lines.may_run(["\n"]));
    }

    #[test]
    fn of_a_line_that_does_not_say_it_nothing_is_known() {
        for line in ["", "{", r#"{"type":"user"}"#] {
            let lazy_call = LazyCall::unparsed("t", 0, 1, line.as_bytes());
            assert_eq!((lazy_call.call(), lazy_call.origin().info.uuid.as_str()), (&ToolCall::default(), ""));
        }
    }
}

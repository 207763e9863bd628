//! A call that began.
//!
//! Nearly all calls do what they do, with nothing near them that a detector would look at. So the line of a call is
//! kept as it is, and read when somebody asks what it says.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::history::Place;
use super::unread::{value_of, written_text};
use crate::transcript::{self, Call, What};

/// The longest line that is kept unread, in bytes.
pub(super) const MOST_UNREAD: usize = 16 << 10;

/// What stands before a command.
static COMMAND: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"command\""));
/// What stands before a letter that is written as its number. Whoever writes one so may write any so.
static NUMBER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u"));

/// A call, and where it stands.
#[derive(Debug)]
pub(crate) struct Begun {
    /// Its id.
    pub(super) id: String,
    /// The offset of its line.
    pub(super) offset: u64,
    number: u64,
    /// The line, unless it was read at once.
    line: Box<[u8]>,
    read: OnceCell<Read>,
}

/// What a line says of a call.
#[derive(Debug)]
struct Read {
    place: Place,
    call: Call,
}

impl Begun {
    /// A call whose line was read.
    pub(crate) fn read(place: Place, call: Call) -> Self {
        let (id, offset, number) = (call.id.clone(), place.offset, place.line);
        Self { id, offset, number, line: Box::default(), read: OnceCell::from(Read { place, call }) }
    }

    /// The call of this id in a line, which has this number in its file.
    pub(crate) fn unread(id: &str, offset: u64, number: u64, line: &[u8]) -> Self {
        Self { id: id.to_owned(), offset, number, line: line.into(), read: OnceCell::new() }
    }

    /// Where it stands, and who made it.
    pub(super) fn place(&self) -> &Place {
        &self.reading().place
    }

    /// What was called. Of a line that turns out not to say it, nothing is known.
    pub(super) fn call(&self) -> &Call {
        &self.reading().call
    }

    /// Whether a word may stand in the command, as far as can be told without reading it.
    pub(super) fn may_run(&self, word: &str) -> bool {
        let is_never_escaped = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
        let is_known = self.read.get().is_some();
        if is_known || !word.bytes().all(is_never_escaped) || NUMBER.find(&self.line).is_some() {
            return true;
        }
        COMMAND.find_iter(&self.line).any(|at| {
            let command = written_text(value_of(&self.line[at..])).unwrap_or_default();
            memmem::find(command, word.as_bytes()).is_some()
        })
    }

    fn reading(&self) -> &Read {
        self.read.get_or_init(|| {
            let happening = transcript::happening(&self.line).ok().flatten();
            let (origin, what) = happening.map(|found| (found.origin, found.what)).unwrap_or_default();
            let call = what.into_iter().find_map(|what| match what {
                What::Called(call) if call.id == self.id => Some(call),
                _ => None,
            });
            let place = Place { offset: self.offset, line: self.number, origin: Rc::new(origin) };
            Read { place, call: call.unwrap_or_default() }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn begun(command: &str, write: impl Fn(String) -> String) -> Begun {
        let block = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": command}});
        let line =
            json!({"type": "assistant", "uuid": "u", "message": {"role": "assistant", "content": [block]}});
        Begun::unread("t", 7, 3, write(line.to_string()).as_bytes())
    }

    #[test]
    fn a_line_says_what_was_called_when_it_is_asked() {
        let begun = begun("npm test", |line| line);
        assert!(begun.may_run("npm") && !begun.may_run("cargo") && !begun.may_run("Bash"));
        assert_eq!(begun.call().command.as_deref(), Some("npm test"));
        let place = begun.place();
        assert_eq!((place.offset, place.line, place.origin.uuid.as_str()), (7, 3, "u"));
    }

    #[test]
    fn a_program_may_be_run_however_it_is_written() {
        let escaped = begun("npm test", |line| line.replace("npm", r"\u006epm"));
        assert!(escaped.may_run("npm"));
        let odd = r#"a"b\c/d"#;
        assert!(begun(odd, |line| line).may_run(odd));
        assert!(begun(odd, |line| line.replace('/', r"\/")).may_run("c/d"));
    }

    #[test]
    fn of_a_line_that_does_not_say_it_nothing_is_known() {
        for line in ["", "{", r#"{"type":"user"}"#] {
            let begun = Begun::unread("t", 0, 1, line.as_bytes());
            assert_eq!((begun.call(), begun.place().origin.uuid.as_str()), (&Call::default(), ""));
        }
    }
}

//! Handing a call to the other program.

use alloc::ffi::CString;
use alloc::string::String;
use alloc::vec::Vec;

use lessons_core::json;
use lessons_core::payload::Payload;
use rustix::fd::OwnedFd;
use rustix::io::Errno;

use crate::files;

/// The program that knows every case. It lies beside this one.
pub const FULL: &str = "lessons-pre-tool-use-full";

/// What is left to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    Done,
    /// The other program, with the standard input as it is.
    HandOver,
}

/// The path of the other program, given that of this one as it was started.
///
/// Without a slash in it there is nothing to go by: the client starts hooks by their full path.
pub fn beside(program: &[u8]) -> Option<CString> {
    let folder = program.iter().rposition(|byte| *byte == b'/')?;
    let mut path = Vec::from(program.get(..=folder)?);
    path.extend_from_slice(FULL.as_bytes());
    CString::new(path).ok()
}

/// Puts a payload that has been read back into standard input, as far as lessons look at it.
pub(crate) fn put_back(payload: &Payload) -> Next {
    let put = holding(text(payload).as_bytes()).and_then(|held| rustix::stdio::dup2_stdin(&held));
    // Nobody is left who could decide: the call goes on, as at any failure.
    if put.is_ok() { Next::HandOver } else { Next::Done }
}

/// A file without a name that holds `bytes`, to be read from their start.
#[cfg(target_os = "linux")]
fn holding(bytes: &[u8]) -> Result<OwnedFd, Errno> {
    use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
    let memory = memfd_create("payload", MemfdFlags::CLOEXEC)?;
    files::write_all(&memory, bytes)?;
    seek(&memory, SeekFrom::Start(0))?;
    Ok(memory)
}

/// A pipe that holds `bytes`, as many as a pipe holds: there are no files without a name here.
#[cfg(not(target_os = "linux"))]
fn holding(bytes: &[u8]) -> Result<OwnedFd, Errno> {
    /// What a pipe of macOS holds at least.
    const ROOM: usize = 16 << 10;
    if bytes.len() > ROOM {
        return Err(Errno::TOOBIG);
    }
    let (read, write) = rustix::pipe::pipe()?;
    files::write_all(&write, bytes)?;
    Ok(read)
}

/// The payload as JSON, with the fields that were kept.
fn text(payload: &Payload) -> String {
    let call = &payload.call;
    let mut input = Object::new();
    input.text("command", call.command.as_deref());
    // Paths add up, whatever name they have.
    for path in &call.paths {
        input.text("file_path", Some(path));
    }
    let edits: Vec<String> = call
        .contents
        .iter()
        .map(|content| {
            let mut edit = Object::new();
            edit.text("new_string", Some(content.text()));
            edit.finish()
        })
        .collect();
    input.raw("edits", &alloc::format!("[{}]", edits.join(",")));
    let mut top = Object::new();
    top.text("session_id", payload.session_id.as_deref());
    top.text("agent_id", payload.agent_id.as_deref());
    top.text("agent_type", payload.agent_type.as_deref());
    top.text("tool_use_id", payload.tool_use_id.as_deref());
    top.text("cwd", call.cwd.as_deref());
    top.text("tool_name", Some(&call.tool));
    top.raw("tool_input", &input.finish());
    top.finish()
}

/// A JSON object that is being written.
struct Object(String);

impl Object {
    fn new() -> Self {
        Self("{".into())
    }

    fn raw(&mut self, name: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        json::string(name, &mut self.0);
        self.0.push(':');
        self.0.push_str(value);
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            let mut written = String::new();
            json::string(value, &mut written);
            self.raw(name, &written);
        }
    }

    fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

#[cfg(test)]
mod tests {
    use lessons_core::call::Call;
    use lessons_core::payload::{Contents, End, Reader};

    use super::*;

    #[test]
    fn what_is_put_back_reads_as_it_was() {
        let payload = Payload {
            session_id: Some("s \"1\"".into()),
            agent_id: Some("a".into()),
            agent_type: None,
            tool_use_id: Some("toolu_1".into()),
            source: None,
            call: Call {
                tool: "Edit".into(),
                command: None,
                paths: vec!["a.ts".into(), "b\n.ts".into()],
                contents: vec!["one".into(), "two \u{1} ü".into()],
                cwd: Some("/p".into()),
            },
        };
        let mut reader = Reader::new(Contents::Keep);
        reader.feed(text(&payload).as_bytes());
        assert_eq!(reader.finish(), (payload, End::Whole));
    }

    #[test]
    fn the_other_program_is_beside_this_one() {
        let path = beside(b"/opt/plugin/bin/lessons-pre-tool-use").unwrap();
        assert_eq!(path.to_bytes(), b"/opt/plugin/bin/lessons-pre-tool-use-full");
        assert_eq!(beside(b"lessons-pre-tool-use"), None);
    }
}

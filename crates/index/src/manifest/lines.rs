//! A manifest as text: a line for each of its fields, its triggers and its lessons.
//!
//! So that a person finds a lesson, and a tool that compares two manifests says which lessons differ. With a line for
//! each value of a lesson it would have half as many bytes again, which every build hashes, writes and reads.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// The deepest level of nesting that breaks lines. Deeper values stay on the line of their parent.
const DEEPEST_BREAK: usize = 2;

/// The line breaks of a manifest, as the [module](self) describes them.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The number of lists and objects around the current position.
    depth: usize,
    /// Whether the innermost of them has a member already.
    holds_some: bool,
}

impl Lines {
    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.holds_some = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        let breaks = self.holds_some && self.depth <= DEEPEST_BREAK;
        self.depth -= 1;
        self.holds_some = true;
        if breaks {
            self.new_line(writer)?;
        }
        writer.write_all(bracket)
    }

    /// Writes the separator before a member of a list or an object.
    fn part<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let breaks = self.depth <= DEEPEST_BREAK;
        if self.holds_some {
            writer.write_all(if breaks { b"," } else { b", " })?;
        }
        self.holds_some = true;
        if breaks { self.new_line(writer) } else { Ok(()) }
    }

    fn new_line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, _: bool) -> io::Result<()> {
        self.part(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, _: bool) -> io::Result<()> {
        self.part(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::json;

    use super::*;

    fn written(value: &serde_json::Value) -> String {
        let mut out = Vec::new();
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Lines::default())).unwrap();
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&out).unwrap(), *value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_a_list_of_the_manifest_holds_has_a_line_each() {
        let value = json!({
            "lessons": [{ "id": "a", "tools": ["Bash", "Edit"], "none": [] }, { "id": "b", "in": {} }],
            "news": [],
            "settings": { "enabled": true, "odd": { "deep": [1, [2]] } },
            "version": 1,
        });
        let lines = r#"{
  "lessons": [
    {"id": "a", "none": [], "tools": ["Bash", "Edit"]},
    {"id": "b", "in": {}}
  ],
  "news": [],
  "settings": {
    "enabled": true,
    "odd": {"deep": [1, [2]]}
  },
  "version": 1
}"#;
        assert_eq!(written(&value), lines);
        assert_eq!(written(&json!({})), "{}");
        assert_eq!(written(&json!(1)), "1");
    }
}

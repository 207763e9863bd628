//! What the client writes to a hook's standard input.
//!
//! Only the few fields that are needed are kept. A field of the wrong type counts as absent: it
//! must not hide the others. Text is borrowed from the input where it holds no escapes.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::call::{Call, tool_name, writes_files};

/// The most of a payload that is looked at, in bytes. What was complete by then counts.
pub const LIMIT: usize = 8 << 20;

/// Who is calling, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Payload<'a> {
    /// The session; the parent's in a sub-agent.
    pub session_id: Option<Cow<'a, str>>,
    /// Set in a sub-agent only.
    pub agent_id: Option<Cow<'a, str>>,
    /// Set in a sub-agent only.
    pub agent_type: Option<Cow<'a, str>>,
    /// The id of the call, which the transcript holds too.
    pub tool_use_id: Option<Cow<'a, str>>,
    /// Why a session starts: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: Option<Cow<'a, str>>,
    /// The call. Its tool is empty where the payload names none.
    pub call: Call<'a>,
}

impl Payload<'_> {
    /// The agent's type, `main` for the main thread.
    pub fn agent(&self) -> &str {
        match (&self.agent_type, &self.agent_id) {
            (Some(agent), _) if !agent.is_empty() => agent,
            (_, Some(_)) => "unknown",
            _ => "main",
        }
    }
}

/// The input as text that Rust can hold: invalid UTF-8, and the lone surrogates that JavaScript can
/// write, become U+FFFD, so that no text can make the hook blind. Copies only where it must.
pub fn text(input: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(input);
    let surrogates = memmem::find(input, b"\\ud").or_else(|| memmem::find(input, b"\\uD"));
    if surrogates.is_some() { Cow::Owned(mend_surrogates(&text)) } else { text }
}

/// Fills `payload` with the fields of `input` until its end or the first error.
///
/// On an error `payload` holds what was complete before it: that is how a payload that was cut at
/// [`LIMIT`] is read.
pub fn fill<'a>(input: &'a str, payload: &mut Payload<'a>) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(input);
    let result = Top(payload).deserialize(&mut json).and_then(|()| json.end());
    settle(payload);
    result
}

/// What depends on the tool, whose name may come after its input.
fn settle(payload: &mut Payload<'_>) {
    let call = &mut payload.call;
    if tool_name(&call.tool) != call.tool {
        call.tool = tool_name(&call.tool).to_owned().into();
    }
    if call.tool != "Bash" {
        call.command = None;
    }
    if !writes_files(&call.tool) {
        call.contents.clear();
    }
}

/// Replaces escapes of lone surrogates by `\ufffd`.
fn mend_surrogates(input: &str) -> String {
    let unit = |at: usize| {
        let hex = input.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let mut out = String::with_capacity(input.len());
    let mut rest = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &input.as_bytes()[at..]) {
        at += found;
        match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                out.push_str(&input[rest..at]);
                out.push_str("\\ufffd");
                at += 6;
                rest = at;
            }
            // Any other escape is a backslash and one ASCII character, or the input is invalid.
            _ => at = input.len().min(at + 2),
        }
        if !input.is_char_boundary(at) {
            break;
        }
    }
    out.push_str(&input[rest..]);
    out
}

/// The object at the top.
struct Top<'p, 'a>(&'p mut Payload<'a>);

impl<'a> DeserializeSeed<'a> for Top<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Top<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hook payload")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        let payload = self.0;
        while let Some(Key(key)) = map.next_key()? {
            match key.as_ref() {
                "session_id" => payload.session_id = map.next_value::<Text<'_>>()?.0,
                "agent_id" => payload.agent_id = map.next_value::<Text<'_>>()?.0,
                "agent_type" => payload.agent_type = map.next_value::<Text<'_>>()?.0,
                "tool_use_id" => payload.tool_use_id = map.next_value::<Text<'_>>()?.0,
                "source" => payload.source = map.next_value::<Text<'_>>()?.0,
                "cwd" => payload.call.cwd = map.next_value::<Text<'_>>()?.0.filter(|cwd| !cwd.is_empty()),
                "tool_name" => payload.call.tool = map.next_value::<Text<'_>>()?.0.unwrap_or_default(),
                "tool_input" => map.next_value_seed(Input(&mut payload.call))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// `tool_input`, whatever its shape.
struct Input<'p, 'a>(&'p mut Call<'a>);

impl<'a> DeserializeSeed<'a> for Input<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Input<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool's input")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        let call = self.0;
        while let Some(Key(key)) = map.next_key()? {
            match key.as_ref() {
                "command" => call.command = map.next_value::<Text<'_>>()?.0,
                "file_path" | "notebook_path" | "path" => call.paths.extend(map.next_value::<Text<'_>>()?.0),
                "new_string" | "content" | "new_source" => {
                    call.contents.extend(map.next_value::<Text<'_>>()?.0);
                }
                "edits" => map.next_value_seed(Edits(call))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut seq: S) -> Result<(), S::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

/// `edits` of a `MultiEdit`: a list of objects with `new_string`.
struct Edits<'p, 'a>(&'p mut Call<'a>);

impl<'a> DeserializeSeed<'a> for Edits<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'a> Visitor<'a> for Edits<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of edits")
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut seq: S) -> Result<(), S::Error> {
        while seq.next_element_seed(Input(self.0))?.is_some() {}
        Ok(())
    }
}

/// The key of an object, borrowed where it holds no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'a> de::Deserialize<'a> for Key<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(deserializer)?;
        Ok(Self(text.0.unwrap_or_default()))
    }
}

/// A string, or `None` for a value of any other type.
struct Text<'a>(Option<Cow<'a, str>>);

impl<'a> de::Deserialize<'a> for Text<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'a> Visitor<'a> for TextVisitor {
    type Value = Text<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'a str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Text(None))
    }
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text(None))
    }
    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }
    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }
    fn visit_seq<S: SeqAccess<'a>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str) -> Payload<'_> {
        let mut payload = Payload::default();
        fill(input, &mut payload).unwrap();
        payload
    }

    #[test]
    fn the_fields_of_a_bash_call_are_borrowed() {
        let payload = read(
            r#"{"session_id":"s","cwd":"/p","tool_name":"Bash","tool_input":{"command":"git stash","timeout":5},"tool_use_id":"t"}"#,
        );
        assert_eq!(payload.session_id.as_deref(), Some("s"));
        assert!(matches!(payload.call.command, Some(Cow::Borrowed("git stash"))));
        assert_eq!(payload.agent(), "main");
    }

    #[test]
    fn every_edit_of_a_multiedit_counts() {
        let payload = read(
            r#"{"tool_input":{"file_path":"/a","edits":[{"old_string":"o","new_string":"x"},{"new_string":"y"}]},"tool_name":"MultiEdit"}"#,
        );
        assert_eq!(payload.call.contents, ["x", "y"]);
        assert_eq!(payload.call.paths, ["/a"]);
    }

    #[test]
    fn a_command_counts_for_bash_and_a_content_for_editors_only() {
        let payload =
            read(r#"{"tool_name":"mcp__x__run","tool_input":{"command":"rm","content":"c","path":"/a"}}"#);
        assert_eq!((payload.call.command, payload.call.contents.len()), (None, 0));
        assert_eq!(payload.call.paths, ["/a"]);
    }

    #[test]
    fn a_field_of_the_wrong_type_hides_no_other() {
        let payload = read(
            r#"{"session_id":7,"tool_name":"Bash","tool_input":{"path":["a"],"file_path":{"x":[1]},"command":"ls"}}"#,
        );
        assert_eq!(payload.session_id, None);
        assert_eq!(payload.call.command.as_deref(), Some("ls"));
        assert_eq!(read(r#"{"tool_name":"Bash","tool_input":[{"command":"ls"}]}"#).call.command, None);
    }

    #[test]
    fn task_is_called_agent() {
        assert_eq!(read(r#"{"tool_name":"Task"}"#).call.tool, "Agent");
    }

    #[test]
    fn a_cut_payload_gives_what_was_complete() {
        let mut payload = Payload::default();
        let cut =
            r#"{"session_id":"s","tool_name":"Write","tool_input":{"file_path":"/a.ts","content":"AAAA"#;
        assert!(fill(cut, &mut payload).is_err());
        assert_eq!(payload.call.paths, ["/a.ts"]);
        assert!(payload.call.contents.is_empty());
    }

    #[test]
    fn no_payload_is_an_error_and_never_a_panic() {
        for bad in [
            "",
            "   \n",
            "[]",
            "null",
            "\"x\"",
            "{",
            r#"{"tool_name":"Bash","tool_input":{"command":"git st"#,
        ] {
            assert!(fill(bad, &mut Payload::default()).is_err(), "{bad}");
        }
        let nested = format!("{{\"tool_input\":{}1{}}}", "{\"a\":".repeat(5000), "}".repeat(5000));
        let _ = fill(&nested, &mut Payload::default());
    }

    #[test]
    fn a_lone_surrogate_does_not_make_the_hook_blind() {
        let input =
            r#"{"tool_name":"Bash","tool_input":{"command":"git \ud83d stash \ud83d\ude00 \\ud800"}}"#;
        let mended = text(input.as_bytes());
        assert_eq!(read(&mended).call.command.as_deref(), Some("git \u{fffd} stash 😀 \\ud800"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_survived(input: Vec<u8>) {
            let _ = fill(&text(&input), &mut Payload::default());
        }

        #[test]
        fn mending_changes_nothing_in_valid_text(text in ".*") {
            let json = serde_json::to_string(&text).unwrap();
            proptest::prop_assert_eq!(mend_surrogates(&json), json);
        }
    }
}

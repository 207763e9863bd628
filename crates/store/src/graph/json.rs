//! A graph file as strict JSON, split into its maps: repeated keys are reported, and errors have a position.
//!
//! `serde_json` silently keeps the last of two equal keys. Here they are reported, so that a lesson that was pasted
//! twice is not lost silently.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use crate::graph::problem::{Flaw, NodeKind, invalid, shown};
use crate::graph::{Object, PARTS, UnreadableGraph, VERSION};

/// The first number that `serde_json` reads as a float and may round: 2 to the power of 64.
const FIRST_ROUNDED: f64 = 18_446_744_073_709_551_616.0;

/// A parsed text, with what its tree does not show.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The tree. It holds the last of equal keys.
    pub(super) value: Value,
    /// The path of each repeated key.
    pub(super) duplicates: Vec<Vec<String>>,
    /// Whether a number is so large that it may have been rounded.
    pub(super) rounded: bool,
}

/// The text of a file, which must be UTF-8.
fn text(bytes: &[u8]) -> Result<&str, UnreadableGraph> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(UnreadableGraph::corrupt("it is UTF-16; save it as UTF-8"));
    }
    // An editor's byte order mark is harmless; the next write drops it.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.split(|&byte| byte == b'\n').count();
        UnreadableGraph::corrupt(format!("line {line} is not UTF-8; save the file as UTF-8"))
    })
}

/// Parses a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, UnreadableGraph> {
    let text = text(bytes)?;
    read(text).map_err(|error| UnreadableGraph::no_json(text, &error))
}

fn read(text: &str) -> serde_json::Result<Parsed> {
    let mut parsed = Parsed::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = parsed.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(Parsed { value, ..parsed })
}

impl Parsed {
    /// Puts a step in front of the paths that were found since there were `known`.
    fn below(&mut self, known: usize, step: impl Fn() -> String) {
        for path in self.duplicates.iter_mut().skip(known) {
            path.insert(0, step());
        }
    }
}

/// Reads a value of any type, and takes down what its tree does not show.
impl<'de> DeserializeSeed<'de> for &mut Parsed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Parsed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        self.rounded |= value.abs() >= FIRST_ROUNDED;
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        loop {
            let known = self.duplicates.len();
            let Some(item) = items.next_element_seed(&mut *self)? else {
                return Ok(Value::Array(out));
            };
            self.below(known, || out.len().to_string());
            out.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut out = Object::new();
        while let Some(key) = entries.next_key::<String>()? {
            let known = self.duplicates.len();
            let value = entries.next_value_seed(&mut *self)?;
            self.below(known, || key.clone());
            if out.contains_key(&key) {
                self.duplicates.push(vec![key.clone()]);
            }
            out.insert(key, value);
        }
        Ok(Value::Object(out))
    }
}

/// The raw JSON of a graph, split into its maps.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    /// The maps, by the kinds of their nodes.
    nodes: [Object; PARTS.len()],
    /// Unknown fields of the graph itself, without the version.
    pub(super) others: Object,
}

impl Parts {
    /// Splits a file. Checks the version; a missing map is empty.
    pub(super) fn of(mut raw: Object) -> Result<Self, UnreadableGraph> {
        match raw.remove("version") {
            Some(version) if version.as_u64() == Some(VERSION) => {}
            None => return Err(UnreadableGraph::shape("it has no `version`")),
            Some(version) => {
                let found = shown(&version.to_string());
                let what =
                    format!("it has version {found}, and this program reads {VERSION}; update lessons");
                return Err(UnreadableGraph { code: "SCHEMA_INVALID", what });
            }
        }
        let [lessons, topics, triggers] = PARTS.map(|name| match raw.remove(name) {
            None => Ok(Object::new()),
            Some(Value::Object(part)) => Ok(part),
            Some(_) => Err(UnreadableGraph::shape(&format!("`{name}` is not an object"))),
        });
        Ok(Self { nodes: [lessons?, topics?, triggers?], others: raw })
    }

    /// The nodes of a kind, by id.
    pub(super) fn nodes(&self, kind: NodeKind) -> &Object {
        &self.nodes[kind as usize]
    }

    /// The same, to be changed.
    pub(super) fn nodes_mut(&mut self, kind: NodeKind) -> &mut Object {
        &mut self.nodes[kind as usize]
    }
}

/// A flaw for each map that a file does not have.
pub(super) fn missing(raw: &Object) -> Vec<Flaw> {
    let missing = PARTS.into_iter().filter(|name| !raw.contains_key(*name));
    let flaw = |name| {
        let hint = format!("add \"{name}\": {{}}, or restore the file from a backup if there were any");
        invalid(format!("the file has no `{name}`"), hint)
    };
    missing.map(flaw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_keys_are_told_with_their_path() {
        let parsed = parse(br#"{"a":{"x":1,"x":2},"b":[{"y":1},{"z":1,"z":1}],"a":3}"#).unwrap();
        assert_eq!(parsed.duplicates, [vec!["a", "x"], vec!["b", "1", "z"], vec!["a"]]);
        assert_eq!(parsed.value["a"], 3);
    }

    #[test]
    fn a_number_with_too_many_digits_is_told() {
        assert!(parse(br#"{"n":[1,123456789012345678901234567890]}"#).unwrap().rounded);
        assert!(!parse(br#"{"n":[1,18446744073709551615,0.5]}"#).unwrap().rounded);
    }

    #[test]
    fn what_is_no_json_is_an_error_with_its_place() {
        for (bytes, place) in [
            (&b"{\n\"a\": }"[..], "line 2, column 6"),
            (b"", "line 1"),
            (b"{} x", "line 1, column 4"),
            (b"{\"a\":1e999}", "line 1"),
            (b"{\"a\":\"\\ud800\"}", "line 1"),
            (b"{\n\n\"\xff\"}", "line 3"),
            (b"\xff\xfe{\0}\0", "UTF-16"),
        ] {
            let error = parse(bytes).unwrap_err().to_string();
            assert!(error.contains(place), "{error}");
        }
    }

    #[test]
    fn a_nesting_bomb_is_an_error() {
        for open in ["[", "{\"a\":"] {
            assert!(parse(open.repeat(1_000_000).as_bytes()).is_err());
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(parse(b"\xef\xbb\xbf{}").unwrap().value, Value::Object(Object::new()));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_as_serde_json_reads_them(bytes in prop::collection::vec(
            prop::sample::select(br#"{}[]",:\ntrue01.e- "#.to_vec()), 0..40)
        ) {
            let reference = serde_json::from_slice::<Value>(&bytes);
            match parse(&bytes) {
                Ok(parsed) => prop_assert_eq!(parsed.value, reference.unwrap()),
                Err(_) => prop_assert!(reference.is_err()),
            }
        }
    }
}

//! A node of a file before it is typed.
//!
//! Code that writes a graph back keeps a `Value` of each node. Code that only reads uses [`Slim`], without a map for
//! each object and a copy of each text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::json::{DEEPEST, FIRST_ROUNDED};
use crate::pairs::Text;

/// A JSON value, whatever its representation.
pub(super) trait Raw {
    /// Whether it is `null`.
    fn is_null(&self) -> bool;
    /// Whether it is an object.
    fn is_object(&self) -> bool;
    /// The text, if it is a string.
    fn as_text(&self) -> Option<&str>;
    /// The number, if it is one.
    fn as_number(&self) -> Option<f64>;
    /// The elements, if it is a list.
    fn as_list(&self) -> Option<&[Self]>
    where
        Self: Sized;
    /// The member of an object with this key.
    fn member(&self, key: &str) -> Option<&Self>;
}

impl Raw for Value {
    fn is_null(&self) -> bool {
        self.is_null()
    }

    fn is_object(&self) -> bool {
        self.is_object()
    }

    fn as_text(&self) -> Option<&str> {
        self.as_str()
    }

    fn as_number(&self) -> Option<f64> {
        self.as_f64()
    }

    fn as_list(&self) -> Option<&[Self]> {
        self.as_array().map(Vec::as_slice)
    }

    fn member(&self, key: &str) -> Option<&Self> {
        self.get(key)
    }
}

/// A JSON value that borrows its texts. Members that no reader asks for are dropped.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Slim<'a> {
    Null,
    Bool,
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Slim<'a>>),
    /// An object, its members ascending by key.
    Object(Vec<(Cow<'a, str>, Slim<'a>)>),
}

impl<'a> Slim<'a> {
    /// Parses a part of a file that lies `depth` objects and lists deep. `None` if it is not JSON, repeats a key or holds an
    /// over-long number.
    pub(super) fn parse(text: &'a str, depth: usize) -> Option<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read = Tree { depth }.deserialize(&mut deserializer).ok()?;
        deserializer.end().ok().map(|()| read)
    }
}

impl Raw for Slim<'_> {
    fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    fn as_number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    fn member(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let at = members.binary_search_by(|(known, _)| known.as_ref().cmp(key)).ok()?;
        members.get(at).map(|(_, value)| value)
    }
}

/// A deserialiser seed for a value of any type, at a depth.
#[derive(Clone, Copy)]
struct Tree {
    depth: usize,
}

impl Tree {
    /// The seed for a value inside this one.
    fn inside<E: de::Error>(self) -> Result<Self, E> {
        if self.depth < DEEPEST {
            Ok(Self { depth: self.depth + 1 })
        } else {
            Err(E::custom("recursion limit exceeded"))
        }
    }
}

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Slim<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Slim<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Slim<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Slim<'de>, E> {
        Ok(Slim::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Slim<'de>, E> {
        Ok(Slim::Bool)
    }

    #[allow(clippy::cast_precision_loss, reason = "as `serde_json` does it")]
    fn visit_i64<E>(self, value: i64) -> Result<Slim<'de>, E> {
        Ok(Slim::Number(value as f64))
    }

    #[allow(clippy::cast_precision_loss, reason = "as `serde_json` does it")]
    fn visit_u64<E>(self, value: u64) -> Result<Slim<'de>, E> {
        Ok(Slim::Number(value as f64))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Slim<'de>, E> {
        if value.abs() < FIRST_ROUNDED { Ok(Slim::Number(value)) } else { Err(E::custom("too many digits")) }
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Slim<'de>, E> {
        Ok(Slim::Text(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Slim<'de>, E> {
        Ok(Slim::Text(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Slim<'de>, A::Error> {
        let (inside, mut read) = (self.inside()?, Vec::new());
        while let Some(item) = items.next_element_seed(inside)? {
            read.push(item);
        }
        Ok(Slim::List(read))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Slim<'de>, A::Error> {
        let (inside, mut read) = (self.inside()?, Vec::new());
        while let Some(Text(key)) = members.next_key()? {
            read.push((key, members.next_value_seed(inside)?));
        }
        read.sort_by(|(one, _), (other, _)| one.cmp(other));
        if read.is_sorted_by(|(one, _), (other, _)| one < other) {
            Ok(Slim::Object(read))
        } else {
            Err(de::Error::custom("a key stands twice"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::json;
    use super::*;

    /// The value in its slim form.
    fn slim(value: &Value) -> Slim<'static> {
        match value {
            Value::Null => Slim::Null,
            Value::Bool(_) => Slim::Bool,
            Value::Number(_) => Slim::Number(value.as_f64().unwrap()),
            Value::String(text) => Slim::Text(text.clone().into()),
            Value::Array(items) => Slim::List(items.iter().map(slim).collect()),
            Value::Object(members) => {
                Slim::Object(members.iter().map(|(key, value)| (key.clone().into(), slim(value))).collect())
            }
        }
    }

    /// The answers of every method, for comparison.
    fn asked<R: Raw>(raw: &R) -> String {
        let item = |item: &R| {
            format!("{} {} {:?} {:?}", item.is_null(), item.is_object(), item.as_text(), item.as_number())
        };
        let list = raw.member("b").unwrap().as_list().unwrap();
        let told: Vec<String> = list.iter().map(item).collect();
        format!("{told:?} {:?}", raw.member("a").unwrap().member("x").unwrap().as_text())
    }

    #[test]
    fn what_is_asked_of_a_node_is_answered_by_both() {
        let text = r#"{"b":[null,true,-1,1.5,"a","\"",{}],"a":{"x":"y"}}"#;
        let (one, other) = (Slim::parse(text, 0).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(asked(&one), asked(&other));
        assert!(one.member("c").is_none() && one.as_list().is_none());
    }

    #[test]
    fn the_texts_are_those_of_the_file() {
        let text = r#"{"a":"b"}"#;
        let Some(Slim::Object(members)) = Slim::parse(text, 0) else { panic!() };
        assert!(matches!(members.as_slice(), [(Cow::Borrowed("a"), Slim::Text(Cow::Borrowed("b")))]));
    }

    proptest! {
        #[test]
        fn it_is_read_where_nothing_more_has_to_be_said_of_it(
            bytes in prop::collection::vec(prop::sample::select(br#"{}[]",:\ntrue01.e-9 "#.to_vec()), 0..40),
            deep in 0..140_usize,
        ) {
            let text = String::from_utf8(bytes).unwrap();
            prop_assert_eq!(Slim::parse(&text, 2), json::part(&text, 2).as_ref().map(slim));
            for innermost in ["", "{}", "1"] {
                let text = format!("{}{innermost}{}", "[".repeat(deep), "]".repeat(deep));
                prop_assert_eq!(Slim::parse(&text, 2), json::part(&text, 2).as_ref().map(slim));
            }
        }
    }
}

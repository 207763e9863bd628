//! Rows of tables as values, and values as rows: each column is the field of its name.
//!
//! A yes is the number 1, a list or an object is JSON in a text, and a name of an enum is a text. What is no value of its
//! field is an error of the row.

use std::str::FromStr;

use lessons_text::named::UnknownName;
use rusqlite::types::{self, Type, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use serde::de::value::{Error, MapDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

/// A result of SQLite, which says of no file.
pub type SqlResult<T> = rusqlite::Result<T>;

/// The value of a row. Columns that it has no field for are passed over.
pub fn read<T: DeserializeOwned>(row: &Row<'_>) -> SqlResult<T> {
    let names = row.as_ref().column_names();
    let column = |(at, name)| Ok((name, Column(row.get_ref(at)?)));
    let columns: Vec<_> = names.into_iter().enumerate().map(column).collect::<SqlResult<_>>()?;
    T::deserialize(MapDeserializer::new(columns.into_iter()))
        .map_err(|error: Error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

/// Inserts a value as a row, with more columns. `into` begins the statement, such as `INSERT INTO candidate`. A field that is
/// left out gets the default of its column.
pub fn insert<const N: usize>(
    change: &Connection,
    into: &str,
    value: &impl Serialize,
    more: [(&str, Value); N],
) -> SqlResult<()> {
    let no_row = |error: serde_json::Error| rusqlite::Error::ToSqlConversionFailure(error.into());
    let mut fields: Map<String, Value> =
        serde_json::to_value(value).and_then(serde_json::from_value).map_err(no_row)?;
    fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    let names: Vec<String> = fields.keys().map(|name| format!("\"{name}\"")).collect();
    let sql = format!("{into} ({}) VALUES ({})", names.join(", "), vec!["?"; names.len()].join(", "));
    change.prepare_cached(&sql)?.execute(params_from_iter(fields.into_values().map(stored))).map(drop)
}

fn stored(value: Value) -> types::Value {
    match value {
        Value::Null => types::Value::Null,
        Value::Bool(is) => i64::from(is).into(),
        Value::String(text) => text.into(),
        Value::Number(number) => match number.as_u64() {
            Some(number) => number.cast_signed().into(),
            None => number.as_i64().map_or(types::Value::Null, types::Value::from),
        },
        list => list.to_string().into(),
    }
}

struct Column<'de>(ValueRef<'de>);

impl<'de> Column<'de> {
    fn json<V>(
        self,
        read: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'de>>) -> serde_json::Result<V>,
    ) -> Result<V, Error> {
        let text = self.0.as_str().map_err(Error::custom)?;
        read(&mut serde_json::Deserializer::from_str(text)).map_err(Error::custom)
    }
}

impl<'de> IntoDeserializer<'de> for Column<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Column<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Null => visitor.visit_unit(),
            // Numbers without a sign are stored bit by bit.
            ValueRef::Integer(number) => visitor.visit_u64(number.cast_unsigned()),
            ValueRef::Real(number) => visitor.visit_f64(number),
            ValueRef::Text(text) => visitor.visit_str(std::str::from_utf8(text).map_err(Error::custom)?),
            ValueRef::Blob(bytes) => visitor.visit_bytes(bytes),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(self.0.as_i64().map_err(Error::custom)?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.0.as_i64().map_err(Error::custom)? != 0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0 == ValueRef::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.json(|text| text.deserialize_seq(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.json(|text| text.deserialize_struct(name, fields, visitor))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// Returns an integer as SQLite stores it; one that does not fit becomes the largest.
pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A column that holds the name of a value.
pub fn named<T: FromStr<Err = UnknownName>>(row: &Row<'_>, column: &str) -> SqlResult<T> {
    let at = row.as_ref().column_index(column)?;
    let name: String = row.get(at)?;
    name.parse().map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}

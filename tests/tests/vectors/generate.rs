//! The small language in which large and raw inputs are written.
//!
//! | written | means |
//! |---|---|
//! | `{"$repeat": [unit, n]}` | `unit` n times |
//! | `{"$concat": [..]}` | one after the other |
//! | `{"$hex": "c0af"}` | raw bytes |
//! | `{"$nest": [open, close, n, middle]}` | `open` n times, `middle`, `close` n times |
//! | `{"$many": [n, template]}` | n values, `{n}` in them replaced by the index |
//! | `{"$manykeys": [n, "k{n}", value]}` | an object with n keys |

use serde_json::{Map, Value};

/// The bytes that a text, or an expression for one, stands for.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    match operation(value) {
        Some(("$repeat", Value::Array(parts))) => match parts.as_slice() {
            [unit, count] => bytes(unit).repeat(number(count)),
            _ => panic!("$repeat takes a unit and a number: {value}"),
        },
        Some(("$concat", Value::Array(parts))) => parts.iter().flat_map(bytes).collect(),
        Some(("$hex", Value::String(digits))) => hex(digits),
        Some(("$nest", Value::Array(parts))) => match parts.as_slice() {
            [open, close, depth, middle] => {
                let depth = number(depth);
                [bytes(open).repeat(depth), bytes(middle), bytes(close).repeat(depth)].concat()
            }
            _ => panic!("$nest takes two ends, a number and a middle: {value}"),
        },
        _ => value.as_str().unwrap_or_else(|| panic!("this stands for no text: {value}")).as_bytes().to_vec(),
    }
}

/// The text that `value` stands for.
pub(crate) fn text(value: &Value) -> String {
    String::from_utf8(bytes(value)).expect("the bytes are text")
}

/// The JSON that `value` stands for: every expression in it is worked out.
pub(crate) fn json(value: &Value) -> Value {
    match operation(value) {
        Some(("$many", Value::Array(parts))) => match parts.as_slice() {
            [count, template] => (0..number(count)).map(|index| indexed(template, index)).collect(),
            _ => panic!("$many takes a number and a template: {value}"),
        },
        Some(("$manykeys", Value::Array(parts))) => match parts.as_slice() {
            [count, key, of_each] => {
                let key = key.as_str().expect("a template for keys");
                let entry = |index: usize| (key.replace("{n}", &index.to_string()), json(of_each));
                Value::Object((0..number(count)).map(entry).collect())
            }
            _ => panic!("$manykeys takes a number, a key and a value: {value}"),
        },
        Some(_) => Value::String(text(value)),
        None => match value {
            Value::Array(parts) => parts.iter().map(json).collect(),
            Value::Object(fields) => {
                Value::Object(fields.iter().map(|(key, value)| (key.clone(), json(value))).collect())
            }
            other => other.clone(),
        },
    }
}

/// The expression that an object is: its only key starts with a dollar.
fn operation(value: &Value) -> Option<(&str, &Value)> {
    let mut fields = value.as_object()?.iter();
    let (name, argument) = fields.next()?;
    (name.starts_with('$') && fields.next().is_none()).then_some((name.as_str(), argument))
}

fn number(value: &Value) -> usize {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.unwrap_or_else(|| panic!("this is no number: {value}"))
}

fn hex(digits: &str) -> Vec<u8> {
    let digit = |byte: u8| {
        char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).expect("a hex digit")
    };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    assert!(rest.is_empty(), "half a byte in {digits}");
    pairs.iter().map(|&[high, low]| digit(high) << 4 | digit(low)).collect()
}

/// A template with `{n}` replaced in its texts and keys.
fn indexed(template: &Value, index: usize) -> Value {
    let fill = |text: &str| text.replace("{n}", &index.to_string());
    match template {
        Value::String(text) => Value::String(fill(text)),
        Value::Array(parts) => parts.iter().map(|part| indexed(part, index)).collect(),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| (fill(key), indexed(value, index));
            Value::Object(fields.iter().map(field).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[test]
fn expressions_are_worked_out() {
    use serde_json::json as value;

    assert_eq!(
        bytes(&value!({"$concat": ["a", {"$repeat": ["bc", 2]}, {"$hex": "c0AF"}]})),
        b"abcbc\xc0\xaf"
    );
    assert_eq!(text(&value!({"$nest": ["[", "]", 2, "x"]})), "[[x]]");
    assert_eq!(
        json(&value!({"a": {"$many": [2, {"k{n}": "v{n}"}]}})),
        value!({"a": [{"k0": "v0"}, {"k1": "v1"}]})
    );
    assert_eq!(json(&value!({"$manykeys": [2, "k{n}", 1]})), value!({"k0": 1, "k1": 1}));
    assert_eq!(json(&value!({"$": 1, "b": {"$repeat": ["a", 3]}})), value!({"$": 1, "b": "aaa"}));
}

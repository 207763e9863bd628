//! Broken lines: the records that can still be read in them.
//!
//! A client that dies in the middle of a write leaves half a record, and the next one goes on behind it, in the same
//! line; a file system that lost power leaves NULs.

use memchr::memmem;
use serde_json::value::RawValue;

use super::record::Record;

/// The bytes with which every record of the client begins.
const BEGINNINGS: [&[u8]; 4] = [b"{\"parentUuid\"", b"{\"type\"", b"{\"uuid\"", b"{\"sessionId\""];
/// The most records that are looked for in a line.
const MOST: usize = 64;

/// The whole records of a line: the line itself, as nearly always, or what can be read of a broken one. Empty where nothing
/// can.
pub(crate) fn records(line: &[u8]) -> Vec<&[u8]> {
    if Record::read(line).is_ok() {
        return vec![line];
    }
    let mut found = Vec::new();
    let mut rest = line;
    while found.len() < MOST
        && let Some(at) = BEGINNINGS.iter().filter_map(|start| memmem::find(rest, start)).min()
    {
        rest = &rest[at..];
        let length = first_value(rest).filter(|length| Record::read(&rest[..*length]).is_ok());
        if let Some(length) = length {
            found.push(&rest[..length]);
        }
        rest = &rest[length.unwrap_or(1)..];
    }
    found
}

/// The length of the JSON value at the start of the bytes, whatever follows.
fn first_value(bytes: &[u8]) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"type":"user","uuid":"1"}"#;
    const TWO: &str = r#"{"parentUuid":"1","type":"user","uuid":"2"}"#;

    fn read(line: &str) -> Vec<&str> {
        records(line.as_bytes()).into_iter().map(|record| std::str::from_utf8(record).unwrap()).collect()
    }

    #[test]
    fn what_can_be_read_of_a_broken_line_is_read() {
        assert_eq!(read(ONE), [ONE]);
        assert_eq!(read(&format!("{ONE}{TWO}")), [ONE, TWO], "two on one line");
        assert_eq!(read(&format!("{}{TWO}", &ONE[..15])), [TWO], "a cut one before a whole one");
        assert_eq!(read(&format!("\0\0\0{ONE}")), [ONE], "NULs in front");
        assert_eq!(read(&ONE[..15]), [""; 0]);
        assert_eq!(read("not JSON"), [""; 0]);
    }

    #[test]
    fn a_record_inside_a_string_is_none() {
        let quoted = format!(r#"{{"type":"user","text":"{}"}}"#, TWO.replace('"', "\\\""));
        assert_eq!(read(&quoted), [quoted.as_str()]);
    }
}

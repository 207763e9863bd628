//! The content of edits: the text that an edit puts into a file.
//!
//! It may be a megabyte, and hardly any of it concerns a lesson. So it stays a JSON string, as in the payload, until
//! somebody reads it, and the search for pieces of lessons reads the JSON string itself.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::json::unescape;

/// A text that an edit puts into a file.
#[derive(Debug, Clone)]
pub struct Content<'a>(ContentForm<'a>);

/// The form of a content: as given by a caller, or as it stood in a payload.
#[derive(Debug, Clone)]
enum ContentForm<'a> {
    Plain(Cow<'a, str>),
    /// The bytes between the quotes of a JSON string, and the text that they mean once somebody has read it.
    Quoted {
        raw: Vec<u8>,
        text: OnceLock<String>,
    },
}

/// The bytes of a content, in the form that costs least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes<'c> {
    /// The bytes of the text.
    Plain(&'c [u8]),
    /// The bytes between the quotes of a JSON string. Its only escapes are `\n`, `\t`, `\r`, `\b`, `\f`, `\"` and `\\`;
    /// everything else stands for itself.
    Quoted(&'c [u8]),
}

impl Content<'_> {
    /// Makes a content of the bytes between the quotes of a JSON string.
    pub fn quoted(raw: Vec<u8>) -> Self {
        Self(ContentForm::Quoted { raw, text: OnceLock::new() })
    }

    /// The text, which is decoded at the first call.
    pub fn text(&self) -> &str {
        match &self.0 {
            ContentForm::Plain(text) => text,
            ContentForm::Quoted { raw, text } => text.get_or_init(|| unescape::text(raw.clone())),
        }
    }

    /// The number of bytes of the content as it came.
    pub fn size(&self) -> usize {
        match &self.0 {
            ContentForm::Plain(text) => text.len(),
            ContentForm::Quoted { raw, .. } => raw.len(),
        }
    }

    /// The bytes to search. A simple JSON string is not decoded.
    pub fn bytes(&self) -> Bytes<'_> {
        match &self.0 {
            ContentForm::Quoted { raw, .. } if unescape::is_simple(raw) => Bytes::Quoted(raw),
            _ => Bytes::Plain(self.text().as_bytes()),
        }
    }
}

impl<'a> From<Cow<'a, str>> for Content<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self(ContentForm::Plain(text))
    }
}

impl<'a> From<&'a str> for Content<'a> {
    fn from(text: &'a str) -> Self {
        Self(ContentForm::Plain(Cow::Borrowed(text)))
    }
}

impl From<String> for Content<'_> {
    fn from(text: String) -> Self {
        Self(ContentForm::Plain(Cow::Owned(text)))
    }
}

/// Two contents are equal if their texts are.
impl PartialEq for Content<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Content<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_its_text_in_whatever_form_it_came() {
        let quoted = Content::quoted(br#"say \"hi\"\n"#.to_vec());
        assert_eq!(quoted.text(), "say \"hi\"\n");
        assert_eq!(quoted, Content::from("say \"hi\"\n"));
        assert!(quoted != Content::from("hi"));
    }

    #[test]
    fn bytes_are_those_of_the_payload_where_that_says_everything_in_a_simple_way() {
        let bytes = |raw: &[u8]| match Content::quoted(raw.to_vec()).bytes() {
            Bytes::Quoted(bytes) => (true, bytes.to_vec()),
            Bytes::Plain(bytes) => (false, bytes.to_vec()),
        };
        assert_eq!(bytes(br"a\tb"), (true, br"a\tb".to_vec()));
        assert_eq!(bytes(br"a\u0009b"), (false, b"a\tb".to_vec()));
        assert_eq!(Content::from(r"a\tb").bytes(), Bytes::Plain(br"a\tb"));
    }
}

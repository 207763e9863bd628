//! What an edit puts into a file.
//!
//! It may be a megabyte, and hardly any of it concerns a lesson. So it stays as it stood in the payload until
//! somebody reads it, and what looks for pieces of lessons in it looks at it as it is.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::json::unescape;

/// A text that an edit puts into a file.
#[derive(Debug, Clone)]
pub struct Content<'a>(Form<'a>);

#[derive(Debug, Clone)]
enum Form<'a> {
    Plain(Cow<'a, str>),
    /// What stood between the quotes of a JSON string, and what it says.
    Quoted {
        raw: Vec<u8>,
        text: OnceCell<String>,
    },
}

/// The bytes of a content, in the form that costs least to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes<'c> {
    /// Those of the text.
    Plain(&'c [u8]),
    /// Those between the quotes of a JSON string, which says `\n`, `\t`, `\r`, `\b`, `\f`, `\"` and `\\` for
    /// what these stand for, and everything else as it is.
    Quoted(&'c [u8]),
}

impl Content<'_> {
    /// What stands between the quotes of a JSON string.
    pub(crate) fn quoted(raw: Vec<u8>) -> Self {
        Self(Form::Quoted { raw, text: OnceCell::new() })
    }

    /// The text.
    pub fn text(&self) -> &str {
        match &self.0 {
            Form::Plain(text) => text,
            Form::Quoted { raw, text } => text.get_or_init(|| unescape::text(raw.clone())),
        }
    }

    /// How many bytes there are of it in the form in which it came.
    pub fn size(&self) -> usize {
        match &self.0 {
            Form::Plain(text) => text.len(),
            Form::Quoted { raw, .. } => raw.len(),
        }
    }

    /// Its bytes, without making the text where it says all that it says in a simple way.
    pub fn bytes(&self) -> Bytes<'_> {
        match &self.0 {
            Form::Quoted { raw, .. } if unescape::is_simple(raw) => Bytes::Quoted(raw),
            _ => Bytes::Plain(self.text().as_bytes()),
        }
    }
}

impl<'a> From<Cow<'a, str>> for Content<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self(Form::Plain(text))
    }
}

impl<'a> From<&'a str> for Content<'a> {
    fn from(text: &'a str) -> Self {
        Self(Form::Plain(Cow::Borrowed(text)))
    }
}

impl From<String> for Content<'_> {
    fn from(text: String) -> Self {
        Self(Form::Plain(Cow::Owned(text)))
    }
}

/// Contents are the same where their texts are.
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

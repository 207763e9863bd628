//! An incremental lexer for JSON.
//!
//! Between two bytes the lexer is described by a state, a container and a depth: no byte is read twice, and
//! nothing recurses. Values that are read go to [`Fields`]; in all others only quotes and
//! brackets are looked for.

use std::borrow::Cow;
use std::mem;

use lessons_text::find::memchr;

use super::fields::{Container, Fields, WantedPart};
use super::quote::closing_quote;
use lessons_text::json::unescape;

/// The most bytes of a known key: every character of the longest one written as `\u0000`.
const LONGEST_KEY: usize = 6 * "notebook_path".len();

/// The state of the lexer, named by what it expects next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// The opening brace of the top-level object.
    #[default]
    Start,
    /// A key, or the end of an empty object.
    FirstKey,
    /// A key, after a comma.
    NextKey,
    /// The rest of a key.
    Key,
    /// The colon after a key.
    Colon,
    /// An item, or the end of an empty list.
    FirstItem,
    /// An item, after a comma.
    NextItem,
    /// A value.
    Value,
    /// The rest of a string that is read.
    Text,
    /// The rest of a string that is skipped.
    Skipped,
    /// The rest of a number, `true`, `false` or `null`.
    Scalar,
    /// The rest of an object or a list that is skipped.
    Nested,
    /// The comma after a value, or the end of its container.
    After,
    /// White space only.
    Done,
    /// Anything: the input is not JSON.
    Broken,
}

/// An incremental lexer for one JSON object.
#[derive(Debug, Default)]
pub(super) struct Lexer {
    state: State,
    /// The innermost container that is read.
    container: Container,
    /// The part that is read of the next or current value.
    wanted: WantedPart,
    /// The number of open objects and lists that are skipped.
    depth: usize,
    /// Whether the last piece ended with a backslash that escapes the next byte.
    escaped: bool,
    /// The part of a key or text that came in earlier pieces.
    begun: Vec<u8>,
}

impl Lexer {
    /// Whether exactly one whole object was read.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Reads the next piece.
    pub(super) fn feed(&mut self, mut piece: &[u8], fields: &mut Fields) {
        while let Some((&first, rest)) = piece.split_first() {
            (self.state, piece) = match self.state {
                State::Key => self.key(piece, fields),
                State::Text => self.text(piece, fields),
                State::Skipped => self.skipped(piece),
                State::Scalar => self.scalar(piece, fields),
                State::Nested => self.nested(piece, fields),
                State::Broken => return,
                _ if is_space(first) => (self.state, rest),
                State::Start if first == b'{' => (State::FirstKey, rest),
                State::FirstKey if first == b'}' => (self.close(), rest),
                State::FirstKey | State::NextKey if first == b'"' => (State::Key, rest),
                State::FirstItem if first == b']' => (self.close(), rest),
                State::FirstItem | State::NextItem => {
                    self.wanted = WantedPart::Inside(Container::Edit);
                    (self.value(first), rest)
                }
                State::Colon => self.colon(piece),
                State::Value => (self.value(first), rest),
                State::After => self.after(piece),
                State::Start | State::FirstKey | State::NextKey | State::Done => (State::Broken, rest),
            };
        }
    }

    /// Reads the colon after a key, and what usually follows it directly.
    fn colon<'p>(&mut self, piece: &'p [u8]) -> (State, &'p [u8]) {
        match piece {
            [b':', first, rest @ ..] if !is_space(*first) => (self.value(*first), rest),
            [b':', rest @ ..] => (State::Value, rest),
            [first, rest @ ..] if !is_space(*first) => (State::Broken, rest),
            _ => (State::Colon, piece),
        }
    }

    /// Reads what follows a value.
    fn after<'p>(&mut self, piece: &'p [u8]) -> (State, &'p [u8]) {
        match (self.container, piece) {
            (Container::Edits, [b',', rest @ ..]) => (State::NextItem, rest),
            (_, [b',', b'"', rest @ ..]) => (State::Key, rest),
            (_, [b',', rest @ ..]) => (State::NextKey, rest),
            (Container::Edits, [b']', rest @ ..])
            | (Container::Top | Container::Input | Container::Edit, [b'}', rest @ ..]) => {
                (self.close(), rest)
            }
            (_, [first, rest @ ..]) if !is_space(*first) => (State::Broken, rest),
            _ => (State::After, piece),
        }
    }

    /// The state after the first byte of a value.
    fn value(&mut self, byte: u8) -> State {
        match (byte, self.wanted) {
            (b'"', WantedPart::Text(_)) => State::Text,
            (b'"', _) => State::Skipped,
            (b'[', WantedPart::Inside(Container::Edits)) => {
                self.container = Container::Edits;
                State::FirstItem
            }
            (b'{', WantedPart::Inside(container @ (Container::Input | Container::Edit))) => {
                self.container = container;
                State::FirstKey
            }
            (b'{' | b'[', _) => {
                self.depth = 1;
                State::Nested
            }
            (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', _) => State::Scalar,
            _ => State::Broken,
        }
    }

    /// The state after the end of the container.
    fn close(&mut self) -> State {
        let Some(outer) = self.container.outer() else { return State::Done };
        self.container = outer;
        State::After
    }

    /// Continues a string that is kept by `keep` as far as it came. Returns what it holds, as written, and what follows its
    /// quote; `None` if it goes on in the next piece.
    fn string<'p>(
        &mut self,
        piece: &'p [u8],
        keep: impl Fn(&mut Self, &[u8]),
    ) -> Option<(Cow<'p, [u8]>, &'p [u8])> {
        let Some(quote) = closing_quote(piece, &mut self.escaped) else {
            keep(self, piece);
            return None;
        };
        let (inside, rest) = (&piece[..quote], &piece[quote + 1..]);
        if self.begun.is_empty() {
            return Some((Cow::Borrowed(inside), rest));
        }
        keep(self, inside);
        Some((Cow::Owned(mem::take(&mut self.begun)), rest))
    }

    /// Continues a key.
    fn key<'p>(&mut self, piece: &'p [u8], fields: &Fields) -> (State, &'p [u8]) {
        let Some((key, rest)) = self.string(piece, Self::begin_key) else { return (State::Key, &[]) };
        self.wanted = self.wanted_of(&key, fields);
        self.colon(rest)
    }

    /// Keeps a part of a key. Of a key that is too long to be known, only enough is kept that it stays unknown.
    fn begin_key(&mut self, part: &[u8]) {
        let room = (LONGEST_KEY + 1).saturating_sub(self.begun.len());
        self.begun.extend_from_slice(&part[..room.min(part.len())]);
    }

    /// The part that is read of the value of a key, given the key as written.
    fn wanted_of(&self, key: &[u8], fields: &Fields) -> WantedPart {
        let wanted = fields.wanted(self.container, key);
        // No known key needs a backslash, but a known key may be written with escapes.
        if !matches!(wanted, WantedPart::Nothing) || key.len() > LONGEST_KEY || memchr(b'\\', key).is_none() {
            return wanted;
        }
        fields.wanted(self.container, unescape::text(key.to_vec()).as_bytes())
    }

    /// Continues a string that is read.
    fn text<'p>(&mut self, piece: &'p [u8], fields: &mut Fields) -> (State, &'p [u8]) {
        let Some((raw, rest)) = self.string(piece, Self::begin_text) else { return (State::Text, &[]) };
        self.put(Some(raw.into_owned()), fields);
        self.after(rest)
    }

    /// Keeps a part of a text. The buffer grows by a quarter, not twofold as usual: a hook has little memory.
    fn begin_text(&mut self, part: &[u8]) {
        if self.begun.capacity() - self.begun.len() < part.len() {
            self.begun.reserve_exact(part.len().max(self.begun.len() / 4));
        }
        self.begun.extend_from_slice(part);
    }

    /// Continues a string that is skipped.
    fn skipped<'p>(&mut self, piece: &'p [u8]) -> (State, &'p [u8]) {
        let Some(quote) = closing_quote(piece, &mut self.escaped) else { return (State::Skipped, &[]) };
        let rest = &piece[quote + 1..];
        if self.depth == 0 { self.after(rest) } else { (State::Nested, rest) }
    }

    /// Continues a number or a word.
    fn scalar<'p>(&mut self, piece: &'p [u8], fields: &mut Fields) -> (State, &'p [u8]) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let Some(end) = piece.iter().position(|byte| !is_part(byte)) else { return (State::Scalar, &[]) };
        self.put(None, fields);
        self.after(&piece[end..])
    }

    /// Continues an object or a list that is skipped.
    fn nested<'p>(&mut self, piece: &'p [u8], fields: &mut Fields) -> (State, &'p [u8]) {
        for (at, byte) in piece.iter().enumerate() {
            match byte {
                b'"' => return (State::Skipped, &piece[at + 1..]),
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.put(None, fields);
                        return self.after(&piece[at + 1..]);
                    }
                }
                _ => {}
            }
        }
        (State::Nested, &[])
    }

    /// Hands over a string that is read, as written between its quotes; `None` if the value has another
    /// type.
    fn put(&self, raw: Option<Vec<u8>>, fields: &mut Fields) {
        if let WantedPart::Text(field) = self.wanted {
            fields.put(field, raw);
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

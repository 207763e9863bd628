//! The structure of JSON that comes in pieces.
//!
//! Where the reader stands between two bytes is a state, a place and a depth: nothing is ever read twice,
//! nothing calls itself. What somebody asks for goes to [`Fields`]; inside everything else only quotes and
//! brackets are looked for.

use std::mem;

use crate::find::memchr;

use super::fields::{Fields, Place, Wanted};
use super::quote::closing_quote;
use crate::json::unescape;

/// The most bytes that a known key can take: all of the longest one's characters as `\u0000`.
const LONGEST_KEY: usize = 6 * "notebook_path".len();

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The brace of the object at the top.
    Start,
    /// A key, or the end of an object that is empty.
    FirstKey,
    /// A key, after a comma.
    NextKey,
    /// The rest of a key.
    Key,
    /// The colon after a key.
    Colon,
    /// An item, or the end of a list that is empty.
    FirstItem,
    /// An item, after a comma.
    NextItem,
    /// A value.
    Value,
    /// The rest of a string that is asked for.
    Text,
    /// The rest of a string that nobody asks for.
    Skipped,
    /// The rest of a number, `true`, `false` or `null`.
    Scalar,
    /// The rest of an object or a list that nobody asks for.
    Nested,
    /// The comma after a value, or the end of what it stands in.
    After,
    /// Nothing but space.
    Done,
    /// Anything: this is not JSON.
    Broken,
}

/// Where the reader stands.
#[derive(Debug)]
pub(super) struct Lexer {
    state: State,
    /// The innermost place that is read.
    place: Place,
    /// What is asked of the value that comes or is being read.
    wanted: Wanted,
    /// How many objects and lists are open that nobody asks for.
    depth: usize,
    /// Whether the piece before ended with a backslash that escapes what comes.
    escaped: bool,
    /// The part of a key or text that came in pieces before.
    begun: Vec<u8>,
}

impl Lexer {
    pub(super) fn new() -> Self {
        Self {
            state: State::Start,
            place: Place::Top,
            wanted: Wanted::Nothing,
            depth: 0,
            escaped: false,
            begun: Vec::new(),
        }
    }

    /// Whether all of one object was read, and nothing else.
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
                    self.wanted = Wanted::Inside(Place::Edit);
                    (self.value(first), rest)
                }
                State::Colon => self.colon(piece),
                State::Value => (self.value(first), rest),
                State::After => self.after(piece),
                State::Start | State::FirstKey | State::NextKey | State::Done => (State::Broken, rest),
            };
        }
    }

    /// Reads the colon after a key, and what the client lets follow it at once.
    fn colon<'p>(&mut self, piece: &'p [u8]) -> (State, &'p [u8]) {
        match piece {
            [b':', first, rest @ ..] if !is_space(*first) => (self.value(*first), rest),
            [b':', rest @ ..] => (State::Value, rest),
            [first, rest @ ..] if !is_space(*first) => (State::Broken, rest),
            _ => (State::Colon, piece),
        }
    }

    /// Reads what comes after a value.
    fn after<'p>(&mut self, piece: &'p [u8]) -> (State, &'p [u8]) {
        match (self.place, piece) {
            (Place::Edits, [b',', rest @ ..]) => (State::NextItem, rest),
            (Place::Top | Place::Input | Place::Edit, [b',', b'"', rest @ ..]) => (State::Key, rest),
            (Place::Top | Place::Input | Place::Edit, [b',', rest @ ..]) => (State::NextKey, rest),
            (Place::Edits, [b']', rest @ ..])
            | (Place::Top | Place::Input | Place::Edit, [b'}', rest @ ..]) => (self.close(), rest),
            (_, [first, rest @ ..]) if !is_space(*first) => (State::Broken, rest),
            _ => (State::After, piece),
        }
    }

    /// What comes after the first byte of a value.
    fn value(&mut self, byte: u8) -> State {
        match (byte, self.wanted) {
            (b'"', Wanted::Text(_)) => State::Text,
            (b'"', _) => State::Skipped,
            (b'[', Wanted::Inside(Place::Edits)) => {
                self.place = Place::Edits;
                State::FirstItem
            }
            (b'{', Wanted::Inside(place @ (Place::Input | Place::Edit))) => {
                self.place = place;
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

    /// What comes after the end of the place.
    fn close(&mut self) -> State {
        let Some(outer) = self.place.outer() else { return State::Done };
        self.place = outer;
        State::After
    }

    /// Reads on in a key.
    fn key<'p>(&mut self, piece: &'p [u8], fields: &Fields) -> (State, &'p [u8]) {
        let Some(quote) = closing_quote(piece, &mut self.escaped) else {
            self.begin_key(piece);
            return (State::Key, &[]);
        };
        let (inside, rest) = (&piece[..quote], &piece[quote + 1..]);
        let wanted = if self.begun.is_empty() {
            self.wanted_of(inside, fields)
        } else {
            self.begin_key(inside);
            let key = mem::take(&mut self.begun);
            self.wanted_of(&key, fields)
        };
        self.wanted = wanted;
        self.colon(rest)
    }

    /// Holds a part of a key, and of one that is too long to be known only so much that it stays unknown.
    fn begin_key(&mut self, part: &[u8]) {
        let room = (LONGEST_KEY + 1).saturating_sub(self.begun.len());
        self.begun.extend_from_slice(&part[..room.min(part.len())]);
    }

    /// What is asked of the value of a key as it was written.
    fn wanted_of(&self, key: &[u8], fields: &Fields) -> Wanted {
        let wanted = fields.wanted(self.place, key);
        // No known key holds a backslash, but it may be one that is written with escapes.
        if wanted != Wanted::Nothing || key.len() > LONGEST_KEY || memchr(b'\\', key).is_none() {
            return wanted;
        }
        fields.wanted(self.place, unescape::text(key.to_vec()).as_bytes())
    }

    /// Reads on in a string that is asked for.
    fn text<'p>(&mut self, piece: &'p [u8], fields: &mut Fields) -> (State, &'p [u8]) {
        let Some(quote) = closing_quote(piece, &mut self.escaped) else {
            self.begin_text(piece);
            return (State::Text, &[]);
        };
        let (inside, rest) = (&piece[..quote], &piece[quote + 1..]);
        let raw = if self.begun.is_empty() {
            inside.to_vec()
        } else {
            self.begin_text(inside);
            mem::take(&mut self.begun)
        };
        self.put(Some(raw), fields);
        self.after(rest)
    }

    /// Holds a part of a text. Its memory grows by a quarter, not twofold as usual: hooks have none to spare.
    fn begin_text(&mut self, part: &[u8]) {
        if self.begun.capacity() - self.begun.len() < part.len() {
            self.begun.reserve_exact(part.len().max(self.begun.len() / 4));
        }
        self.begun.extend_from_slice(part);
    }

    /// Reads on in a string that nobody asks for.
    fn skipped<'p>(&mut self, piece: &'p [u8]) -> (State, &'p [u8]) {
        let Some(quote) = closing_quote(piece, &mut self.escaped) else { return (State::Skipped, &[]) };
        let rest = &piece[quote + 1..];
        if self.depth == 0 { self.after(rest) } else { (State::Nested, rest) }
    }

    /// Reads on in a number or a word.
    fn scalar<'p>(&mut self, piece: &'p [u8], fields: &mut Fields) -> (State, &'p [u8]) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let Some(end) = piece.iter().position(|byte| !is_part(byte)) else { return (State::Scalar, &[]) };
        self.put(None, fields);
        self.after(&piece[end..])
    }

    /// Reads on in an object or a list that nobody asks for.
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

    /// Hands over the string that was asked for, as it stands between its quotes: `None` where a value of another
    /// type is in its place.
    fn put(&self, raw: Option<Vec<u8>>, fields: &mut Fields) {
        if let Wanted::Text(field) = self.wanted {
            fields.put(field, raw);
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

//! The quick way to read a graph: from front to end, as long as everything is what a graph should hold.
//!
//! A store of ten thousand lessons is twelve megabytes, most of which recall does not look at. Texts that
//! nobody asks for are gone over quote by quote here, which costs a third of reading them with `serde_json`.
//! Whatever is unusual, and be it only a field that stands there twice, is left to `serde_json`, which alone
//! says what is wrong: so this way reads less than the other one, and never something else. A test holds them
//! against each other.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, Error};

use super::{File, Lesson, List, Pairs, Scope, Trigger};

/// How deep lists and objects that nobody asks for are gone into.
const DEEPEST: usize = 64;

/// A graph, if nothing in it is unusual.
pub(super) fn file(text: &str) -> Option<File<'_, Lesson<'_>, Trigger<'_>>> {
    let mut reader = Reader { text, at: 0 };
    let (mut version, mut lessons, mut triggers) = (None, None, None);
    reader.space();
    reader.object(|reader, key| match key {
        "version" => once(&mut version, reader.version()?),
        "lessons" => once(&mut lessons, reader.pairs(Reader::lesson)?),
        "triggers" => once(&mut triggers, reader.pairs(Reader::trigger)?),
        _ => reader.skip(DEEPEST),
    })?;
    let is_all = reader.at == text.len();
    is_all.then_some(())?;
    Some(File {
        version: version?,
        lessons: lessons.unwrap_or_else(Pairs::none),
        triggers: triggers.unwrap_or_else(Pairs::none),
    })
}

/// The texts of a list, given as it stands in its file.
pub(super) fn texts(list: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut reader = Reader { text: list, at: 1 };
    reader.space();
    std::iter::from_fn(move || {
        let text = reader.text();
        reader.take_if(b',');
        text
    })
}

/// Fills a field that was empty.
fn once<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

/// Where the reader stands. `None` from any of its methods: let the other way have a look.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes over white space. Lines are mostly indented by a multiple of two.
    fn space(&mut self) {
        while let [b' ' | b'\n' | b'\r' | b'\t', rest @ ..] = self.rest() {
            self.at += 1;
            let mut rest = rest;
            while let [b' ', b' ', more @ ..] = rest {
                self.at += 2;
                rest = more;
            }
        }
    }

    /// Goes over one byte, and the space behind it.
    fn take(&mut self, byte: u8) -> Option<()> {
        let is_it = self.take_if(byte);
        is_it.then_some(())
    }

    fn take_if(&mut self, byte: u8) -> bool {
        let is_it = self.peek() == Some(byte);
        if is_it {
            self.at += 1;
            self.space();
        }
        is_it
    }

    /// Reads an object: `value` is to read what stands at a key. Keys with escapes are unusual.
    fn object(&mut self, mut value: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        if self.take_if(b'}') {
            return Some(());
        }
        loop {
            let Raw { text, escapes: false } = self.raw()? else { return None };
            self.take(b':')?;
            value(self, text)?;
            if !self.take_if(b',') {
                return self.take(b'}');
            }
        }
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        if self.take_if(b']') {
            return Some(());
        }
        loop {
            item(self)?;
            if !self.take_if(b',') {
                return self.take(b']');
            }
        }
    }

    /// Reads what stands between two quotes, as it is written, and goes over the space behind it.
    fn raw(&mut self) -> Option<Raw<'a>> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        (self.peek()? == b'"').then_some(())?;
        let mut escapes = false;
        let mut at = start;
        loop {
            at = special(bytes, at)?;
            match bytes.get(at..at + 2)? {
                [b'"', ..] => break,
                [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'] => at += 2,
                [b'\\', b'u'] => {
                    let digits = bytes.get(at + 2..at + 6)?;
                    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                    at += 6;
                }
                // A control character, or no escape.
                _ => return None,
            }
            escapes = true;
        }
        let text = self.text.get(start..at)?;
        self.at = at + 1;
        self.space();
        Some(Raw { text, escapes })
    }

    fn text(&mut self) -> Option<Cow<'a, str>> {
        let raw = self.raw()?;
        if raw.escapes { unescaped(raw.text).map(Cow::Owned) } else { Some(Cow::Borrowed(raw.text)) }
    }

    /// Goes over a list of texts. Nothing is decided about halves of pairs here.
    fn texts(&mut self) -> Option<List<'a>> {
        let start = self.at;
        self.take(b'[')?;
        if self.peek() != Some(b']') {
            loop {
                let raw = self.raw()?;
                (!raw.escapes || unescaped(raw.text).is_some()).then_some(())?;
                if !self.take_if(b',') {
                    break;
                }
            }
        }
        let end = self.at + 1;
        self.take(b']')?;
        self.text.get(start..end).map(List)
    }

    /// Reads one of a few names.
    fn name<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let Raw { text, escapes: false } = self.raw()? else { return None };
        T::deserialize(BorrowedStrDeserializer::<Error>::new(text)).ok()
    }

    fn version(&mut self) -> Option<serde_json::Value> {
        let number = self.number()?;
        number.parse::<u64>().ok().map(Into::into)
    }

    fn pairs<T>(&mut self, value: fn(&mut Self) -> Option<T>) -> Option<Pairs<'a, T>> {
        let mut pairs = Vec::new();
        self.object(|reader, key| {
            pairs.push((Cow::Borrowed(key), value(reader)?));
            Some(())
        })?;
        Some(Pairs(pairs))
    }

    fn lesson(&mut self) -> Option<Lesson<'a>> {
        let (mut rule, mut topics, mut triggers, mut status, mut created_at) = (None, None, None, None, None);
        let (mut also, mut unless, mut mode, mut when) = (None, None, None, None);
        let (mut subject, mut tools, mut scope) = (None, None, None);
        self.object(|reader, key| match key {
            "rule" => once(&mut rule, reader.text()?),
            "topics" => once(&mut topics, reader.texts()?),
            "triggers" => once(&mut triggers, reader.texts()?),
            "also" => once(&mut also, reader.texts()?),
            "unless" => once(&mut unless, reader.texts()?),
            "status" => once(&mut status, reader.name()?),
            "createdAt" => once(&mut created_at, reader.text()?),
            "mode" => once(&mut mode, reader.name()?),
            "when" => once(&mut when, reader.name()?),
            "subject" => once(&mut subject, reader.name()?),
            "tools" => once(&mut tools, reader.texts()?),
            "scope" => once(&mut scope, reader.scope()?),
            _ => reader.skip(DEEPEST),
        })?;
        Some(Lesson {
            rule: rule?,
            topics: topics?,
            triggers: triggers?,
            also,
            unless,
            status: status?,
            created_at: created_at?,
            mode,
            when,
            subject,
            tools,
            scope,
        })
    }

    fn scope(&mut self) -> Option<Scope<'a>> {
        let mut projects = None;
        self.object(|reader, key| match key {
            "projects" => once(&mut projects, reader.texts()?),
            _ => reader.skip(DEEPEST),
        })?;
        Some(Scope { projects })
    }

    fn trigger(&mut self) -> Option<Trigger<'a>> {
        let (mut kind, mut pattern) = (None, None);
        self.object(|reader, key| match key {
            "kind" => once(&mut kind, reader.name()?),
            "pattern" => once(&mut pattern, reader.text()?),
            _ => reader.skip(DEEPEST),
        })?;
        Some(Trigger { kind: kind?, pattern: pattern? })
    }

    /// Goes over a value that nobody asks for.
    fn skip(&mut self, deepest: usize) -> Option<()> {
        let deeper = deepest.checked_sub(1)?;
        match self.peek()? {
            b'"' => self.raw().map(|_| ()),
            b'{' => self.object(|reader, _| reader.skip(deeper)),
            b'[' => self.list(|reader| reader.skip(deeper)),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number().map(|_| ()),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.rest().starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        self.space();
        Some(())
    }

    /// Reads a number as it is written.
    fn number(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let first = self.peek();
        let whole = self.digits()?;
        // A number does not begin with a zero, but for the zero itself.
        (whole == 1 || first != Some(b'0')).then_some(())?;
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        let number = self.text.get(start..self.at);
        self.space();
        number
    }

    /// Goes over at least one digit. Returns how many.
    fn digits(&mut self) -> Option<usize> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (count > 0).then_some(count)
    }
}

/// A string as it is written.
struct Raw<'a> {
    /// What stands between its quotes.
    text: &'a str,
    /// Whether there is a backslash in it.
    escapes: bool,
}

/// The place of the next quote, backslash or control character.
///
/// Most strings are too short for a search that has to be set up, so eight bytes are looked at at once, right
/// here.
fn special(bytes: &[u8], mut at: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let below = |eight: u64, limit: u8| eight.wrapping_sub(ONES * u64::from(limit)) & !eight;
    let is = |eight: u64, byte: u8| below(eight ^ (ONES * u64::from(byte)), 1);
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let eight = u64::from_le_bytes(*eight);
        // The lowest of the top bits is right; one above it may be there for the borrow alone.
        let found = (is(eight, b'"') | is(eight, b'\\') | below(eight, b' ')) & (ONES << 7);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..b' ')).map(|found| at + found)
}

/// What a string means whose escapes are known to be some.
fn unescaped(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let meant = match escape.as_bytes().first()? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            // Half a pair means nothing, and is not decided about here.
            b'u' => return serde_json::from_str(&format!("\"{raw}\"")).ok(),
            same => char::from(*same),
        };
        text.push(meant);
        rest = escape.get(1..)?;
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slow(text: &str) -> Option<File<'_, Lesson<'_>, Trigger<'_>>> {
        serde_json::from_str(text).ok()
    }

    const WHOLE: &str = r#"{"lessons": {"a-b": {"also": [], "confidence": 0.5e-3, "createdAt": "2026-01-01",
        "evidence": ["commit:1", "\u00e9"], "examples": {"fires": [{"tool": "Bash", "n": [null, true, false, -0]}]},
        "mode": "bump", "rule": "Say \"no\" to \ud83d\ude00", "scope": {"agents": ["x"], "projects": ["h/p"]},
        "status": "active", "subject": "executable", "tools": ["Bash"], "topics": ["git"], "triggers": ["t"],
        "unless": ["u", "u"], "when": "tool"}},
        "others": {}, "topics": {"git": {"summary": "Git"}},
        "triggers": {"t": {"kind": "command_pattern", "pattern": "git\\s"}, "u": {"kind": "keyword", "pattern": "é"}},
        "version": 1}"#;

    #[test]
    fn what_is_as_it_should_be_is_read() {
        assert!(file(WHOLE).is_some());
        assert_eq!(file(WHOLE), slow(WHOLE));
        let sample = include_str!("../../testdata/lessons.json");
        assert!(file(sample).is_some());
        assert_eq!(file(sample), slow(sample));
    }

    #[test]
    fn what_is_unusual_is_left_to_the_other_way() {
        for (whole, unusual) in [
            (r#""version": 1"#, r#""version": 1, "version": 1"#),
            (r#""version": 1"#, r#""version": 01"#),
            (r#""version": 1"#, r#""version": "1""#),
            (r#""mode": "bump""#, r#""mode": null"#),
            (r#""mode": "bump""#, r#""mode": "loud""#),
            (r#""also": []"#, r#""also": [], "also": []"#),
            (r#""also": []"#, r#""also": [1]"#),
            (r#""also": []"#, r#""also": [,]"#),
            (r#""also": []"#, r#""\u0061lso": []"#),
            ("0.5e-3", "0.5e"),
            ("0.5e-3", ".5"),
            ("0.5e-3", "5."),
            (", -0", ", -"),
            (", -0", ", nul"),
            ("commit:1", "commit:\t1"),
            ("commit:1", r"commit:\x1"),
            (r"\u00e9", r"\u00g9"),
            (r"\ud83d\ude00", r"\ud83d"),
            (r#""others": {}"#, r#""others": {} "others""#),
        ] {
            let text = WHOLE.replacen(whole, unusual, 1);
            assert_ne!(text, WHOLE, "{whole}");
            assert_eq!(file(&text), None, "{unusual}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(file(&WHOLE.replacen("{}", &deep, 1)), None);
        assert_eq!(file(&format!("{WHOLE} x")), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        /// A graph with some of its bytes exchanged: what this way reads, the other one reads just so.
        #[test]
        fn nothing_is_read_in_another_way(
            changes in prop::collection::vec(
                (any::<prop::sample::Index>(), 0..4_usize, r#"[\[\]{}:,"\\ 0-9.eE+ntf\u{c}\t-]{0,3}|null|"mode":"# ),
                0..4,
            ),
        ) {
            let mut text = WHOLE.to_owned();
            for (place, length, put) in changes {
                let mut at = place.index(text.len());
                let mut end = (at + length).min(text.len());
                while !text.is_char_boundary(at) { at -= 1; }
                while !text.is_char_boundary(end) { end += 1; }
                text.replace_range(at..end, &put);
            }
            if let Some(read) = file(&text) {
                prop_assert_eq!(Some(read), slow(&text), "{}", text);
            }
        }
    }
}

//! Forgetting: finds a text in every form in which our files may hold it, and removes it.
//!
//! - [`Seeker`]: the forms in which a text is written down, as one automaton.
//! - [`rows`]: taking it out of a database, free pages included.
//! - [`lessons`]: taking it out of `lessons.json`.
//! - [`memory`]: knowing it again without having kept it.

pub mod lessons;
pub mod memory;
pub mod rows;

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

use lessons_home::files::open_regular;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;

/// The replacement for a forgotten text. It is valid within an id too.
pub const IN_ITS_PLACE: &str = "forgotten";
/// The fewest characters of a text that can be forgotten: shorter ones stand in ordinary words.
pub const FEWEST_CHARS: usize = 6;
/// The most characters of a text that can be forgotten.
pub const MOST_CHARS: usize = 2000;

/// The number of bytes of a file that are searched at once.
const CHUNK: usize = 1 << 20;
/// A form of a text that is longer than this is not found where two pieces meet: every character an escape,
/// and 64 bytes of white space between all of them.
const OVERLAP: usize = MOST_CHARS * (12 + 64);
/// The most memory that the automaton of a text may take, in bytes.
const AUTOMATON: usize = 64 << 20;

/// An error that keeps a text from being forgotten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsuitable {
    /// The text is too short: ordinary words would hold it.
    #[error(
        "a text of fewer than {FEWEST_CHARS} characters stands in ordinary words too; give a longer part of it"
    )]
    TooShort,
    /// The text is too long to search for.
    #[error("the text has more than {MOST_CHARS} characters; give a part of it that is unique")]
    TooLong,
    /// The text is part of its own replacement.
    #[error("`{IN_ITS_PLACE}` is what replaces the text")]
    Ours,
    /// The text has no letter and no digit.
    #[error("the text has no letter and no digit; give a part that has some")]
    NoWord,
}

/// Finds a text in the forms in which it may stand in a file: as it was typed, in other letter case, with
/// other white space, escaped as in JSON or in a pattern, and as part of an id.
#[derive(Debug, Clone)]
pub struct Seeker {
    forms: Regex,
    /// The beginning of it at the end of an id, which is cut between two words. [`KEPT`] bytes before it are
    /// part of a match.
    cut: Option<Regex>,
}

/// How much of a match of a cut id stays: the end of the word before, and the hyphen.
const KEPT: usize = 2;

impl Seeker {
    /// Compiles the forms of `text`.
    pub fn new(text: &str) -> Result<Self, Unsuitable> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let length = words.join(" ").chars().count();
        if length < FEWEST_CHARS {
            return Err(Unsuitable::TooShort);
        }
        if length > MOST_CHARS {
            return Err(Unsuitable::TooLong);
        }
        if !text.chars().any(char::is_alphanumeric) {
            return Err(Unsuitable::NoWord);
        }
        let gap = r"(?:[ \t\r\n]|\\+[nrt]|\\+s\+)+";
        let mut pattern = words.iter().map(|word| of_word(word)).collect::<Vec<_>>().join(gap);
        let id = of_id(text);
        if id.len() >= FEWEST_CHARS + 2 {
            // Writing to a string cannot fail.
            let _ = write!(pattern, "|{id}");
        }
        let cut = cut_ids(&id).map(|pattern| regex(&pattern)).transpose()?;
        let seeker = Self { forms: regex(&pattern)?, cut };
        if seeker.is_in(IN_ITS_PLACE.as_bytes()) { Err(Unsuitable::Ours) } else { Ok(seeker) }
    }

    /// Returns whether `bytes` hold the text.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.forms.is_match(bytes) || self.cut.as_ref().is_some_and(|cut| cut.is_match(bytes))
    }

    /// The bytes with [`IN_ITS_PLACE`] where it stood; `None` where it does not stand there. Text stays text
    /// and JSON stays JSON: a backslash before it, which would escape what comes after, goes too.
    pub fn take_out(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let whole = without(&self.forms, 0, bytes);
        let cut = self.cut.as_ref().and_then(|cut| without(cut, KEPT, whole.as_deref().unwrap_or(bytes)));
        cut.or(whole)
    }

    /// Does the same for a string.
    pub fn take_out_of(&self, text: &str) -> Option<String> {
        self.take_out(text.as_bytes()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Counts the text in the file at `path`, which is read in pieces. A link is not followed.
    pub fn count_in(&self, path: &Path) -> io::Result<Counted> {
        let mut file = open_regular(path)?;
        let mut counted = Counted::default();
        let mut buffer = Vec::new();
        loop {
            let read = file.by_ref().take(CHUNK as u64).read_to_end(&mut buffer)?;
            counted.bytes += read as u64;
            let is_last = read < CHUNK;
            // What may go on beyond this piece is looked at with the next one.
            let settled = if is_last { buffer.len() } else { buffer.len().saturating_sub(OVERLAP) };
            let mut done = settled;
            for forms in [Some(&self.forms), self.cut.as_ref()].into_iter().flatten() {
                for found in forms.find_iter(&buffer).take_while(|found| found.start() < settled) {
                    counted.times += 1;
                    done = done.max(found.end());
                }
            }
            if is_last {
                return Ok(counted);
            }
            buffer.drain(..done);
        }
    }
}

fn regex(pattern: &str) -> Result<Regex, Unsuitable> {
    Regex::builder()
        .configure(Config::new().nfa_size_limit(Some(AUTOMATON)))
        .syntax(syntax::Config::new().case_insensitive(true).utf8(false))
        .build(pattern)
        // A text of this length always compiles; what did not would be too much to look for.
        .map_err(|_| Unsuitable::TooLong)
}

/// The bytes with [`IN_ITS_PLACE`] for every match, of which the first `kept` bytes stay; `None` without one.
fn without(forms: &Regex, kept: usize, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut end = 0;
    for found in forms.find_iter(bytes) {
        out.extend(&bytes[end..found.start() + kept]);
        let backslashes = out.iter().rev().take_while(|&&byte| byte == b'\\').count();
        out.truncate(out.len() - backslashes % 2);
        out.extend(IN_ITS_PLACE.as_bytes());
        end = found.end();
    }
    if end == 0 {
        return None;
    }
    out.extend(&bytes[end..]);
    Some(out)
}

/// The counts of one searched file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// The number of bytes searched.
    pub bytes: u64,
    /// The number of matches.
    pub times: usize,
}

/// A pattern for a word in the forms in which it may be written down.
fn of_word(word: &str) -> String {
    let mut pattern = String::new();
    for c in word.chars() {
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units).iter().map(|unit| format!(r"\\+u{unit:04x}"));
        let escape = units.collect::<Vec<_>>().concat();
        // Writing to a string cannot fail.
        let _ = match c {
            '\\' => write!(pattern, r"\\+"),
            c if c.is_ascii_alphanumeric() => write!(pattern, "{c}"),
            c if c.is_ascii() => write!(pattern, r"(?:\\*\x{:02x}|{escape})", u32::from(c)),
            c => write!(pattern, r"(?:\x{{{:x}}}|{escape})", u32::from(c)),
        };
    }
    pattern
}

/// The text as it stands in an id that was made of it: words of small letters and digits.
fn of_id(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// A pattern for ids that were cut within the text: behind another word, its first words and no more, as long as
/// that is at least half of it.
fn cut_ids(id: &str) -> Option<String> {
    let ends = id.match_indices('-').map(|(at, _)| at);
    let beginnings: Vec<&str> =
        ends.filter(|&at| at >= FEWEST_CHARS && at * 2 >= id.len()).map(|at| &id[..at]).rev().collect();
    (!beginnings.is_empty()).then(|| format!("[a-z0-9]-(?:{})", beginnings.join("|")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seeker(text: &str) -> Seeker {
        Seeker::new(text).unwrap()
    }

    #[test]
    fn a_text_is_found_in_every_form_in_which_it_is_written_down() {
        let seeker = seeker("hunter2 \"Grün\" a/b.c");
        for form in [
            "hunter2 \"Grün\" a/b.c",
            "HUNTER2  \"grün\"\ta/b.c",
            "hunter2 \\\"Grün\\\" a\\/b.c",
            "hunter2\\n\\\"Gr\\u00fcn\\\" a/b.c",
            // As a pattern, and as a pattern in JSON.
            r#"hunter2\s+"Grün"\s+a/b\.c"#,
            r#"hunter2\\s+\"Grün\"\\s+a/b\\.c"#,
            "x-hunter2-gr-n-a-b-c-y",
        ] {
            assert!(seeker.is_in(form.as_bytes()), "{form}");
            let out = seeker.take_out_of(&format!("<{form}>")).unwrap();
            assert!(out.contains(IN_ITS_PLACE) && !seeker.is_in(out.as_bytes()), "{out}");
        }
        for other in ["hunter2 Grün a/b.c", "hunter 2 \"Grün\" a/b.c", ""] {
            assert!(!seeker.is_in(other.as_bytes()), "{other}");
            assert_eq!(seeker.take_out(other.as_bytes()), None);
        }
    }

    #[test]
    fn an_id_that_was_cut_within_it_gives_up_what_it_holds() {
        let seeker = seeker("zebra account 9");
        let out = seeker.take_out_of("\"general-log-in-as-zebra-account\" zebra-account-9").unwrap();
        assert_eq!(out, "\"general-log-in-as-forgotten\" forgotten");
        assert!(!seeker.is_in(b"the zebra-account and as-zebra"), "other text, and less than half of it");
    }

    #[test]
    fn json_stays_json() {
        let seeker = seeker("nothing here");
        let json = r#"{"a":"line\nothing here","b":"c:\\nothing here\\"}"#;
        let out = seeker.take_out_of(json).unwrap();
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(value, serde_json::json!({"a": "lineforgotten", "b": "c:\\forgotten\\"}));
    }

    #[test]
    fn what_would_be_everywhere_is_refused() {
        assert_eq!(Seeker::new("  abc  ").unwrap_err(), Unsuitable::TooShort);
        assert_eq!(Seeker::new("Forgot-ten").map(drop), Ok(()));
        assert_eq!(Seeker::new("gotten").unwrap_err(), Unsuitable::Ours);
        assert_eq!(Seeker::new("!!??!!..").unwrap_err(), Unsuitable::NoWord);
        assert_eq!(Seeker::new(&"x".repeat(2001)).unwrap_err(), Unsuitable::TooLong);
        Seeker::new(&"ü ".repeat(1000)).unwrap();
    }

    #[test]
    fn every_place_in_a_large_file_is_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let mut bytes = vec![b'.'; 3 * CHUNK];
        // At the start, over the borders of the pieces, where the overlap begins, and at the end.
        let text = b"hunter2hunter";
        let places = [0, CHUNK - 5, CHUNK - OVERLAP.min(CHUNK), 2 * CHUNK - 1, 3 * CHUNK - text.len()];
        for place in places {
            bytes[place..place + text.len()].copy_from_slice(text);
        }
        std::fs::write(&path, &bytes).unwrap();
        let distinct = places.iter().collect::<std::collections::BTreeSet<_>>().len();
        let counted = seeker("hunter2hunter").count_in(&path).unwrap();
        assert_eq!(counted, Counted { bytes: bytes.len() as u64, times: distinct });
    }

    proptest! {
        #[test]
        fn nothing_is_left_of_what_was_taken_out(
            text in "[a-c\\\\\" ü.]{6,9}", before in "[a-cn\\\\\" ]{0,5}", after in "[a-cn\\\\\" ]{0,5}",
        ) {
            let Ok(seeker) = Seeker::new(&text) else { return Ok(()) };
            for form in [text.clone(), serde_json::to_string(&text).unwrap()] {
                let whole = format!("{before}{form}{after}");
                prop_assert!(seeker.is_in(whole.as_bytes()), "{whole}");
                let out = seeker.take_out_of(&whole).unwrap();
                prop_assert!(!seeker.is_in(out.as_bytes()), "{whole} became {out}");
            }
        }
    }
}

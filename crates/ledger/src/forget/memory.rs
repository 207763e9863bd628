//! Recognition of forgotten texts, of which only a keyed hash is kept.
//!
//! Kept are its length and a hash of it under a key that was made on this machine: whoever has the hash
//! alone cannot try out texts. What is found later is compared in pieces of that length, in lower case and
//! with white space collapsed.

use lessons_text::digest;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::candidates::{Finding, normalised};
use crate::database::columns::signed;
use crate::database::{Database, Result, SqlResult, rows_of, value_of};
use crate::journal::{Deed, Difference, Thing, ThingKind, rows};

/// The length of a key in bytes.
pub const KEY_BYTES: usize = 32;

/// The forgotten texts of a database, by length and hash.
#[derive(Debug, Default)]
pub struct ForgottenTexts {
    key: Vec<u8>,
    /// The length in characters and the hash of each text.
    texts: Vec<(usize, String)>,
}

impl Database {
    /// Returns the texts that were forgotten.
    pub fn forgotten(&self) -> Result<ForgottenTexts> {
        self.read(ForgottenTexts::of)
    }

    /// Remembers that `text` is to be forgotten, and records that. `key` becomes the key of this database, unless it
    /// has one.
    pub fn remember_forgotten(&mut self, text: &str, key: [u8; KEY_BYTES], deed: &Deed) -> Result<()> {
        self.in_transaction(|change| {
            change.execute("INSERT OR IGNORE INTO forgotten_key (one, key) VALUES (1, ?1)", [&key[..]])?;
            let key: Vec<u8> = change.query_row("SELECT key FROM forgotten_key", [], |row| row.get(0))?;
            let text = normalised(text);
            let length = signed(text.chars().count() as u64);
            let sql = "INSERT OR IGNORE INTO forgotten (hash, length, time) VALUES (?1, ?2, ?3)";
            if change.execute(sql, params![hash(&key, &text), length, signed(deed.now)])? > 0 {
                let thing = Thing::new(ThingKind::Text, "");
                rows::note(change, deed, &[Difference { thing, before: None, after: None }])?;
            }
            Ok(())
        })
    }
}

impl ForgottenTexts {
    /// Reads the forgotten texts of a database.
    pub(crate) fn of(connection: &Connection) -> SqlResult<Self> {
        let texts = rows_of(connection, "SELECT length, hash FROM forgotten", [], |row| row.try_into())?;
        if texts.is_empty() {
            return Ok(Self::default());
        }
        let key = value_of(connection, "SELECT key FROM forgotten_key", [])?;
        Ok(Self { key: key.unwrap_or_default(), texts })
    }

    /// Returns whether any text of a finding holds a forgotten one.
    pub(crate) fn knows(&self, finding: &Finding) -> bool {
        // A finding is plain data; it cannot fail to become JSON.
        self.knows_any(&serde_json::to_value(finding).unwrap_or_default())
    }

    /// Returns whether any text of a value holds a forgotten one.
    pub fn knows_any(&self, value: &Value) -> bool {
        match value {
            _ if self.texts.is_empty() => false,
            Value::String(text) => self.knows_text(text),
            Value::Array(values) => values.iter().any(|value| self.knows_any(value)),
            Value::Object(fields) => fields.values().any(|value| self.knows_any(value)),
            _ => false,
        }
    }

    /// Returns whether a text holds a forgotten one.
    pub(crate) fn knows_text(&self, text: &str) -> bool {
        let text = normalised(text);
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        self.texts.iter().any(|(length, known)| {
            let mut pieces = starts.iter().zip(starts.iter().skip(*length));
            pieces.any(|(&from, &to)| hash(&self.key, &text[from..to]) == *known)
        })
    }
}

fn hash(key: &[u8], text: &str) -> String {
    digest::hex_of_parts(&[key, text.as_bytes()], 64)
}

#[cfg(test)]
mod tests {
    use lessons_home::home::Home;

    use super::*;

    fn finding(mistake: &str) -> Finding {
        Finding { mistake: mistake.into(), fix: "something else".into(), ..Finding::default() }
    }

    #[test]
    fn a_text_is_known_again_wherever_it_stands_and_is_not_kept() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        let mut database = Database::open(&home).unwrap();
        for (text, key) in [("Correct  Horse", [1; KEY_BYTES]), ("Straße 5 ü", [2; KEY_BYTES])] {
            let deed = Deed::new("you", "forget", 5);
            database.remember_forgotten(text, key, &deed).unwrap();
        }
        let memory = ForgottenTexts::of(&database.connection).unwrap();
        for text in ["correct horse", "xcorrect\nHORSEx", "an der STRASSE 5 ü", "at Straße 5 Ü!"] {
            let is_known = text != "an der STRASSE 5 ü";
            assert_eq!(memory.knows(&finding(text)), is_known, "{text}");
        }
        for text in ["correct hors", "", "correcthorse", "🐎"] {
            assert!(!memory.knows(&finding(text)), "{text}");
        }
        database.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let bytes = std::fs::read(home.database()).unwrap();
        assert!(memchr_free(&bytes, b"orse"));
    }

    fn memchr_free(bytes: &[u8], text: &[u8]) -> bool {
        !bytes.windows(text.len()).any(|window| window == text)
    }

    #[test]
    fn with_another_key_it_is_another_hash() {
        assert_ne!(hash(&[1; 32], "correct horse"), hash(&[2; 32], "correct horse"));
    }
}

//! An event of NIP-01: from hostile bytes to a verified one, and back.
//!
//! The way is [`Unverified::parse`], [`Unverified::check_id`], [`Unverified::verify`]. The first costs a parse, the second a
//! hash and the third a signature, some hundred times as much; so a reader decides by the claimed author whether to go
//! on. Only a [`Verified`] event shows what it says.
//!
//! The id is the SHA-256 of `[0,<author>,<created_at>,<kind>,<tags>,<content>]` without white space, in which only line
//! feed, carriage return, tab, backspace, form feed, quote and backslash are escaped. Implementations differ on other
//! control characters (NIP-01 has them verbatim, which is not JSON), so events that hold one are refused here.

use lessons_text::digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::hex::{self, hex_type};
use crate::key::{PublicKey, SecretKey};

/// The largest event, in bytes of JSON.
pub const MAX_BYTES: usize = 64 << 10;
/// The last second of the year 9999, the last that a date in a file can have.
const LAST_SECOND: u64 = 253_402_300_799;

hex_type!(
    /// The id of an event: the SHA-256 of what it says.
    EventId,
    "an event's id"
);

/// What an event says, before it is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned {
    /// Seconds since 1970.
    pub created_at: u64,
    /// The kind.
    pub kind: u16,
    /// The tags, each a name and its values.
    pub tags: Vec<Vec<String>>,
    /// The text.
    pub content: String,
}

/// An event that was read: of its author nothing is known but what it claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unverified(Claims);

/// An event that its author has signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified(Claims);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Claims {
    id: EventId,
    author: PublicKey,
    said: Unsigned,
    signature: [u8; 64],
}

/// The fields as they are written, in their order. A repeated or unknown one is an error.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: EventId,
    pubkey: PublicKey,
    created_at: u64,
    kind: u16,
    tags: Vec<Vec<String>>,
    content: String,
    sig: String,
}

impl Unsigned {
    /// Signs it. The randomness goes into the signature (see BIP-340); it must not be chosen by anybody else.
    pub fn sign(self, key: &SecretKey, randomness: &[u8; SecretKey::BYTES]) -> Result<Verified, EventError> {
        self.check()?;
        let author = key.public();
        let id = self.id_by(author);
        let signature =
            key.signature(id.bytes(), randomness).ok_or_else(|| EventError("it cannot be signed".into()))?;
        let event = Verified(Claims { id, author, said: self, signature });
        // A file of it ends with a line feed.
        match event.to_json().len() + 1 {
            bytes if bytes > MAX_BYTES => Err(EventError::too_large(bytes)),
            _ => Ok(event),
        }
    }

    fn check(&self) -> Result<(), EventError> {
        if self.created_at > LAST_SECOND {
            return Err(EventError("its date is after the year 9999".into()));
        }
        if self.tags.iter().any(Vec::is_empty) {
            return Err(EventError("it has an empty tag".into()));
        }
        let texts = self.tags.iter().flatten().chain([&self.content]);
        if texts.flat_map(|text| text.bytes()).any(is_disputed) {
            let what = "it holds a control character, which programs write in different ways";
            return Err(EventError(what.into()));
        }
        Ok(())
    }

    fn id_by(&self, author: PublicKey) -> EventId {
        let Self { created_at, kind, tags, content } = self;
        EventId::of(Sha256::digest(json(&(0, author, created_at, kind, tags, content))).into())
    }
}

/// JSON without white space. Numbers and texts always have one.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Whether a byte is a control character on whose escape implementations differ.
fn is_disputed(byte: u8) -> bool {
    byte < b' ' && lessons_text::json::letter_for(byte).is_none()
}

impl Unverified {
    /// Reads an event: one object with the seven fields of NIP-01, each once, and white space around it.
    pub fn parse(bytes: &[u8]) -> Result<Self, EventError> {
        if bytes.len() > MAX_BYTES {
            return Err(EventError::too_large(bytes.len()));
        }
        // A list of the fields would be taken for an object.
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(EventError::malformed("it is not an object"));
        }
        let written: Written = serde_json::from_slice(bytes)
            .map_err(|error| EventError::malformed(&lessons_text::neutral::line(&error.to_string())))?;
        let Written { id, pubkey: author, created_at, kind, tags, content, sig } = written;
        let signature = hex::read(&sig)
            .ok_or_else(|| EventError::malformed("`sig` has 128 hexadecimal digits, in lower case"))?;
        let said = Unsigned { created_at, kind, tags, content };
        said.check()?;
        Ok(Self(Claims { id, author, said, signature }))
    }

    /// The author whom it claims to have.
    pub fn claimed_author(&self) -> PublicKey {
        self.0.author
    }

    /// The id that it claims to have.
    pub fn claimed_id(&self) -> EventId {
        self.0.id
    }

    /// Checks that the id is the hash of what the event says, which is cheap.
    pub fn check_id(&self) -> Result<(), Forged> {
        if self.0.said.id_by(self.0.author) == self.0.id { Ok(()) } else { Err(Forged::Id) }
    }

    /// Checks id and signature. The signature is the one costly step.
    pub fn verify(self) -> Result<Verified, Forged> {
        self.check_id()?;
        let Claims { id, author, signature, .. } = &self.0;
        if author.has_signed(id.bytes(), signature) { Ok(Verified(self.0)) } else { Err(Forged::Signature) }
    }
}

impl Verified {
    /// The id.
    pub fn id(&self) -> EventId {
        self.0.id
    }

    /// The author.
    pub fn author(&self) -> PublicKey {
        self.0.author
    }

    /// What the author said, and when.
    pub fn said(&self) -> &Unsigned {
        &self.0.said
    }

    /// The event as JSON, on one line without a line feed, in the order of NIP-01.
    pub fn to_json(&self) -> String {
        let Claims { id, author: pubkey, said, signature } = self.0.clone();
        let Unsigned { created_at, kind, tags, content } = said;
        let sig = digest::hex_of(&signature, 128);
        json(&Written { id, pubkey, created_at, kind, tags, content, sig })
    }
}

/// An error of bytes that are no event, or of a text that cannot become one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EventError(String);

impl EventError {
    fn too_large(bytes: usize) -> Self {
        Self(format!("it has {bytes} bytes, and an event may have {MAX_BYTES}"))
    }

    /// The error for bytes that are not an event's JSON, with the fault, neutral.
    fn malformed(fault: &str) -> Self {
        Self(format!("it is no event: {fault}"))
    }
}

/// The reason why an event is not its author's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Forged {
    /// The id is not that of what the event says.
    #[error("its id is not the hash of what it says: it was changed")]
    Id,
    /// The signature is not the author's.
    #[error("its signature is not its author's")]
    Signature,
}

/// The error for a tag whose value cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its tag `{name}` {what}")]
pub struct BadTag {
    /// The name of the tag.
    pub name: &'static str,
    /// The fault.
    pub what: &'static str,
}

/// The tags of an event.
#[derive(Clone, Copy)]
pub(crate) struct Tags<'t>(pub(crate) &'t [Vec<String>]);

impl<'t> Tags<'t> {
    /// The values of each tag with this name.
    pub(crate) fn all(self, name: &'static str) -> impl Iterator<Item = &'t [String]> {
        self.0
            .iter()
            .filter_map(move |tag| tag.split_first().filter(|(own, _)| *own == name).map(|(_, rest)| rest))
    }

    /// The first value of each tag with this name. Further values, as the relay after an id, say nothing to us.
    pub(crate) fn texts(self, name: &'static str) -> Result<Vec<&'t str>, BadTag> {
        self.all(name)
            .map(|values| values.first().map(String::as_str).ok_or(BadTag { name, what: "has no value" }))
            .collect()
    }

    /// The value of the only tag with this name, if there is one.
    pub(crate) fn text(self, name: &'static str) -> Result<Option<&'t str>, BadTag> {
        match self.texts(name)?.as_slice() {
            [] => Ok(None),
            [text] => Ok(Some(text)),
            _ => Err(BadTag { name, what: "is there more than once" }),
        }
    }
}

#[cfg(test)]
mod tests;

//! Keys and signatures of BIP-340 (Schnorr over secp256k1), as NIP-01 uses them.
//!
//! Files and events hold hexadecimal digits only. What people copy and type is in the form of Nostr tools: `npub1` and bech32
//! digits with a checksum (NIP-19).

use std::fmt;

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use k256::schnorr::{self, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

pub use crate::hex::NotHex;
use crate::hex::{self, hex_type};

hex_type!(
    /// The public key of an author: the x coordinate of a point. Whether there is such a point is seen when a signature
    /// is checked.
    PublicKey,
    "a public key"
);

impl PublicKey {
    /// Whether `signature` is this key's on `message`.
    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        let key = VerifyingKey::from_bytes(self.bytes());
        let signature = schnorr::Signature::try_from(signature.as_slice());
        matches!((key, signature), (Ok(key), Ok(signature)) if key.verify_raw(message, &signature).is_ok())
    }
}

/// A secret key. It is overwritten when it is dropped, and is never part of a message.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// The number of bytes of a key, and of the randomness that signing takes.
    pub const BYTES: usize = 32;

    /// The key with these bytes. `None` for the few that are no key, as zero is: then take other ones.
    pub fn of(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        SigningKey::from_bytes(bytes).ok().map(Self)
    }

    /// Reads a key from 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(hex::read(text)?);
        Self::of(&bytes)
    }

    /// The key in hexadecimal digits, for the one file that keeps it.
    pub fn to_text(&self) -> Zeroizing<String> {
        let bytes = Zeroizing::new(<[u8; Self::BYTES]>::from(self.0.to_bytes()));
        Zeroizing::new(lessons_text::digest::hex_of(bytes.as_slice(), 2 * Self::BYTES))
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        PublicKey::of(self.0.verifying_key().to_bytes().into())
    }

    /// The signature on `message`. The randomness is the auxiliary data of BIP-340: a signature is safe without it, and
    /// safer against measurements of the machine with it. `None` where the key cannot sign, for which no input is known.
    pub(crate) fn signature(&self, message: &[u8], randomness: &[u8; Self::BYTES]) -> Option<[u8; 64]> {
        self.0.sign_raw(message, randomness).ok().map(|signature| signature.to_bytes())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(of {})", self.public())
    }
}

/// The start of a public key.
const PUBLIC: &str = "npub";
/// The start of a secret key.
const SECRET: &str = "nsec";

/// The error for a text that a person typed and that is no public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPublicKey {
    /// It is neither form of a key.
    #[error("a public key is npub1 and 58 more characters, or 64 hexadecimal digits in lower case")]
    Malformed,
    /// The checksum shows that a character is wrong or missing.
    #[error(
        "a character of this npub is wrong or missing: its checksum does not match. Copy all of it again"
    )]
    Checksum,
    /// It is a secret key.
    #[error(
        "this is a secret key, which nobody but its owner may have; ask for the public one, which starts with npub"
    )]
    Secret,
}

impl PublicKey {
    /// The key as Nostr tools show it.
    pub fn to_npub(&self) -> String {
        let hrp = Hrp::parse_unchecked(PUBLIC);
        // 32 bytes are always short enough.
        bech32::encode::<Bech32>(hrp, self.bytes()).unwrap_or_default()
    }

    /// Reads a key that a person typed, in either form.
    pub fn typed(text: &str) -> Result<Self, NoPublicKey> {
        if let Ok(key) = text.parse() {
            return Ok(key);
        }
        let start = text.get(..PUBLIC.len()).map(str::to_ascii_lowercase);
        match start.as_deref() {
            Some(SECRET) => return Err(NoPublicKey::Secret),
            Some(PUBLIC) => {}
            _ => return Err(NoPublicKey::Malformed),
        }
        let read = CheckedHrpstring::new::<Bech32>(text).map_err(|_| NoPublicKey::Checksum)?;
        let is_public = read.hrp() == Hrp::parse_unchecked(PUBLIC);
        let bytes = read.byte_iter().collect::<Vec<u8>>().try_into().ok().filter(|_| is_public);
        bytes.map(Self::of).ok_or(NoPublicKey::Malformed)
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod npub_tests {
    use super::*;

    /// The examples of NIP-19, each in both forms.
    const PUBLISHED: [(&str, &str); 2] = [
        (
            "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e",
            "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg",
        ),
        (
            "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d",
            "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6",
        ),
    ];
    /// The secret key of NIP-19's examples.
    const SECRET: &str = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";

    #[test]
    fn the_published_keys_are_written_and_read_in_both_forms() {
        for (hex, npub) in PUBLISHED {
            let key: PublicKey = hex.parse().unwrap();
            assert_eq!(key.to_npub(), npub);
            assert_eq!(PublicKey::typed(npub), Ok(key));
            assert_eq!(PublicKey::typed(&npub.to_uppercase()), Ok(key), "bech32 may be in upper case");
            assert_eq!(PublicKey::typed(hex), Ok(key));
        }
    }

    #[test]
    fn what_is_mistyped_or_no_public_key_is_refused_with_its_reason() {
        let [(hex, npub), _] = PUBLISHED;
        for at in 5..npub.len() {
            let other = if &npub[at..=at] == "q" { "p" } else { "q" };
            let wrong = [&npub[..at], other, &npub[at + 1..]].concat();
            assert_eq!(PublicKey::typed(&wrong), Err(NoPublicKey::Checksum), "{wrong}");
        }
        assert_eq!(PublicKey::typed(&npub[..40]), Err(NoPublicKey::Checksum));
        assert_eq!(PublicKey::typed(SECRET), Err(NoPublicKey::Secret));
        assert_eq!(PublicKey::typed(&hex.to_uppercase()), Err(NoPublicKey::Malformed));
        for (hrp, bytes) in
            [("npub", &[7; 31][..]), ("npub", &[7; 33]), ("npubs", &[7; 32]), ("note", &[7; 32])]
        {
            let text = bech32::encode::<Bech32>(Hrp::parse(hrp).unwrap(), bytes).unwrap();
            assert_eq!(PublicKey::typed(&text), Err(NoPublicKey::Malformed), "{text}");
        }
        for text in ["", "npub", "npub1", "np\u{fc}b1", "ana", "\u{1f511}"] {
            assert!(PublicKey::typed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_event_has_no_key_in_this_form() {
        assert!(PUBLISHED[0].1.parse::<PublicKey>().is_err());
    }
}

//! Keys and signatures of BIP-340 (Schnorr over secp256k1), as NIP-01 uses them.

use std::fmt;

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

#[cfg(test)]
mod tests;

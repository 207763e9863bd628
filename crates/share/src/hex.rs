//! Bytes in lower-case hexadecimal digits, two for each byte and no others.

use lessons_lesson::id::is_hex;

/// Reads exactly `N` bytes.
pub(crate) fn read<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !is_hex(text) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Makes a type of 32 bytes that is written in hexadecimal digits wherever it is text.
macro_rules! hex_type {
    ($(#[$attribute:meta])* $name:ident, $what:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 32]);

        impl $name {
            /// The value of these bytes.
            pub fn of(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The bytes.
            pub fn bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&lessons_text::digest::hex_of(&self.0, 64))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::hex::NotHex;
            fn from_str(text: &str) -> Result<Self, $crate::hex::NotHex> {
                $crate::hex::read(text).map(Self).ok_or($crate::hex::NotHex { what: $what })
            }
        }

        lessons_text::serde_as_text!($name);
    };
}
pub(crate) use hex_type;

/// The error for a text that is not 32 bytes in lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} has 64 hexadecimal digits, in lower case")]
pub struct NotHex {
    /// The value that was expected, with its article.
    pub(crate) what: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_digits_of_the_right_number_are_read() {
        assert_eq!(read::<2>("0aff"), Some([0x0a, 0xff]));
        for bad in ["", "0a", "0aff0", "0aff00", "0AFF", "0a f", "0ag0", "+a00", "é00"] {
            assert_eq!(read::<2>(bad), None, "{bad}");
        }
    }
}

//! `identity`: the secret key with which this machine signs shared lessons.
//!
//! 64 lower-case hexadecimal digits and a line feed, mode 0600. There is one key for a machine. It is in no backup of ours;
//! without it nothing that was shared can be taken back or followed by a new version, and peers trust the next key anew.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lessons_home::file_error::away;
use lessons_home::files::FileError;
use lessons_home::{Home, files};
use lessons_share::SecretKey;
use lessons_text::shell_word::quoted_path;
use zeroize::Zeroizing;

use crate::durable::lock::Lock;
use crate::durable::{self, WriteError};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256;
/// What of a mode lets others read.
const OTHERS: u32 = 0o077;

/// An error that keeps the key from being used.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Others may read this file.
    #[error("{0}: others may read your secret key; fix it with `{fix}`", fix = private(.0))]
    Readable(PathBuf),
    /// This file holds no key.
    #[error(
        "{0}: it holds no key. Put a copy of it back, or fix it with `{fix}`: the next share makes a new key, which your peers \
         have to trust",
        fix = away(.0)
    )]
    Corrupt(PathBuf),
}

impl IdentityError {
    /// The shell command that fixes it, if there is one.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::File(error) => error.remedy(),
            Self::Write(_) => None,
            Self::Readable(path) => Some(private(path)),
            Self::Corrupt(path) => Some(away(path)),
        }
    }
}

/// The shell command that takes the right to read a file from everybody else.
fn private(path: &Path) -> String {
    format!("chmod 600 {}", quoted_path(path))
}

/// Reads the key of `home`. `None` before the first share.
pub fn read(home: &Home) -> Result<Option<SecretKey>, IdentityError> {
    let path = home.identity();
    let Some((file, found)) = files::open_judged(&path)? else { return Ok(None) };
    if found.mode() & OTHERS != 0 {
        return Err(IdentityError::Readable(path));
    }
    let bytes = Zeroizing::new(files::read_opened(&path, &file, MAX_BYTES)?);
    let text = std::str::from_utf8(&bytes).ok();
    let key = text.and_then(|text| SecretKey::parse(text.trim_end()));
    key.map(Some).ok_or(IdentityError::Corrupt(path))
}

/// Returns the key of the home, and makes it of `random` where there is none.
pub fn ensure(lock: &Lock, random: &[u8; SecretKey::BYTES]) -> Result<SecretKey, IdentityError> {
    let home = lock.home();
    if let Some(key) = read(home)? {
        return Ok(key);
    }
    let path = home.identity();
    let Some(key) = SecretKey::of(random) else { return Err(IdentityError::Corrupt(path)) };
    let mut line = key.to_text();
    line.push('\n');
    durable::replace(&path, line.as_bytes())?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    fn lock() -> (tempfile::TempDir, Lock) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("data"));
        let lock = Lock::acquire(&home, Duration::from_secs(5)).unwrap();
        (folder, lock)
    }

    #[test]
    fn a_key_is_made_once_and_is_nobody_elses() {
        let (_folder, lock) = lock();
        assert!(read(lock.home()).unwrap().is_none());
        let made = ensure(&lock, &[7; 32]).unwrap();
        assert_eq!(ensure(&lock, &[8; 32]).unwrap().public(), made.public());
        let found = std::fs::metadata(lock.home().identity()).unwrap();
        assert_eq!(found.mode() & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_others_may_read_or_that_is_damaged_is_not_used() {
        let (_folder, lock) = lock();
        ensure(&lock, &[7; 32]).unwrap();
        let path = lock.home().identity();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(read(lock.home()), Err(IdentityError::Readable(_))));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        for damaged in ["", "07", "no key at all", &"G".repeat(64), &"0".repeat(64)] {
            std::fs::write(&path, damaged).unwrap();
            assert!(matches!(ensure(&lock, &[7; 32]), Err(IdentityError::Corrupt(_))), "{damaged}");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0".repeat(64), "it is left as it is");
    }
}

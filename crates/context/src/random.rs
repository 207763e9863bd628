//! Random bytes of the system.

use crate::error::{Result, WhileDoing as _};
use std::fs::File;
use std::io::Read as _;

/// Random bytes that nobody can guess.
pub fn bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")
        .and_then(|mut from| from.read_exact(&mut bytes))
        .while_doing(|| "/dev/urandom".to_owned())?;
    Ok(bytes)
}

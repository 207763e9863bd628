//! Standard output: one JSON object, or nothing.

use nix::errno::Errno;

use crate::stdio;

/// Prints the whole object.
pub(crate) fn print(object: &str) -> nix::Result<()> {
    let mut rest = object.as_bytes();
    while !rest.is_empty() {
        match nix::unistd::write(stdio::output(), rest) {
            Ok(0) => return Err(Errno::EIO),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

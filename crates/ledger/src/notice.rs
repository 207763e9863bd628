//! Lines for the person that commands leave for the next session start.

use std::path::Path;

use lessons_home::{Home, files};
use lessons_store::durable;

use crate::error::Result;

/// The most bytes that wait to be told.
const LIMIT: u64 = 16 << 10;

/// Leaves a line, behind those that the person was not told yet. One that waits already is not left again.
///
/// # Errors
///
/// The file cannot be written.
pub fn leave(home: &Home, line: &str) -> Result<()> {
    files::ensure_folder(&home.log())?;
    let path = home.notice();
    let written = |path: &Path| path.symlink_metadata().and_then(|found| found.modified()).ok();
    let was_told = written(&home.looked()) >= written(&path);
    let waiting = if was_told { None } else { files::read(&path, LIMIT).ok().flatten() };
    let waiting = waiting.unwrap_or_default();
    if waiting.split(|&byte| byte == b'\n').any(|other| other == line.as_bytes()) {
        return Ok(());
    }
    Ok(durable::replace(&path, &[waiting.as_slice(), line.as_bytes(), b"\n"].concat())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_waits_behind_others_until_they_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("data"));
        let waiting = || std::fs::read_to_string(home.notice()).unwrap();
        leave(&home, "one").unwrap();
        leave(&home, "two").unwrap();
        leave(&home, "one").unwrap();
        assert_eq!(waiting(), "one\ntwo\n");
        std::fs::write(home.looked(), "[]").unwrap();
        leave(&home, "one").unwrap();
        assert_eq!(waiting(), "one\n");
    }
}

//! Records of what the user was told, small files in the folder `log`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use lessons_home::{Home, files};

/// Writes the record at `path`, in the place of an earlier one. An error is ignored: it makes a line come again.
///
/// At least one byte is written, so that the file system's clock sets the time of the file, which also sets those of the
/// files that it is compared with.
pub(crate) fn record(home: &Home, path: &Path, content: &[u8]) {
    if files::ensure_folder(&home.log()).is_err() {
        return;
    }
    let file = files::open_by(OpenOptions::new().write(true).create(true).truncate(true), path);
    let content = if content.is_empty() { b"\n" } else { content };
    let _ = file.and_then(|mut file| file.write_all(content));
}

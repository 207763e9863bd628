//! A home, a project and a place for logs that belong to one test and go away with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::processes;

/// When this variable is set, the folders of a test are kept and can be looked at.
const KEEP: &str = "LESSONS_TEST_KEEP";

/// The folders of one test. They lie outside the repository, so that no `.git` is found above them.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
}

/// How long a scanner that a session has left may take to end, before its home is removed all the same.
const FAREWELL: Duration = Duration::from_secs(5);

impl Drop for Scratch {
    /// A process that still works here would put back what is removed.
    fn drop(&mut self) {
        processes::left_after(FAREWELL, &self.home());
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Scratch {
    /// New, empty folders.
    pub fn new() -> Self {
        let mut folder =
            tempfile::Builder::new().prefix("lessons-test-").tempdir().expect("a temporary folder");
        folder.disable_cleanup(std::env::var_os(KEEP).is_some());
        let scratch = Self { folder };
        for part in [scratch.home(), scratch.project(), scratch.temporary()] {
            fs::create_dir_all(part).expect("a scratch folder");
        }
        scratch
    }

    /// The `HOME` of everything that runs in this test.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The folder that the client works in.
    pub fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// The `TMPDIR` of everything that runs in this test.
    pub fn temporary(&self) -> PathBuf {
        self.root().join("tmp")
    }

    /// A new folder below this one, for the logs of one run.
    pub fn log_folder(&self) -> PathBuf {
        tempfile::Builder::new()
            .prefix("run-")
            .disable_cleanup(true)
            .tempdir_in(self.root())
            .expect("a folder for logs")
            .path()
            .to_owned()
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }
}

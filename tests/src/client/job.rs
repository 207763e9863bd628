//! What one run of the client needs, and how it ended: as files between the tests and `run-client`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Script;

/// What a person does when they see something.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Step {
    /// The text that they wait for.
    pub(super) sees: String,
    /// The keys that they type then.
    pub(super) types: String,
}

impl Step {
    /// Types keys when a text is on the screen.
    pub fn new(sees: &str, types: &str) -> Self {
        Self { sees: sees.to_owned(), types: types.to_owned() }
    }
}

/// Everything that one run needs, as the test hands it to `run-client`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) folder: PathBuf,
    pub(super) prompts: Vec<String>,
    /// What somebody does at the client's terminal. Without a step it runs without one, and is given the prompts.
    pub(super) steps: Vec<Step>,
    pub(super) script: Script,
    pub(super) timeout: Duration,
    /// Whether to refuse when there is any interface but loopback.
    pub(super) only_loopback: bool,
    pub(super) logs: PathBuf,
}

impl Job {
    /// Where the model writes its requests.
    pub(super) fn requests(&self) -> PathBuf {
        self.logs.join("requests.jsonl")
    }

    /// Where the client's standard error goes.
    pub(super) fn errors(&self) -> PathBuf {
        self.logs.join("stderr.txt")
    }

    pub(super) fn output(&self) -> PathBuf {
        self.logs.join("stdout.jsonl")
    }
}

/// How the client ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ending {
    pub(super) exit: Option<i32>,
    pub(super) timed_out: bool,
    pub(super) session: String,
}

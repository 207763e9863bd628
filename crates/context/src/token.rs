//! One-use tokens, by which a command knows that a person approved exactly this call.
//!
//! A token is in the call that the person approves and nowhere else; the data folder holds its hash, with what it is
//! good for. It is spent before anything is done.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;
use lessons_home::{Home, files};
use lessons_store::{Lock, durable};
use lessons_text::digest;
use lessons_text::find::find_iter;
use serde::{Deserialize, Serialize};

use crate::random;

/// The option that carries a token. It follows the program word directly.
pub const OPTION: &str = "--agreed";

/// The age at which a token is no longer good, in milliseconds: a dialog may wait for its person overnight.
const LIFETIME: u64 = 24 * 3600 * 1000;
/// The largest record that is read, in bytes.
const LIMIT: u64 = 256 << 10;

/// What a person was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// When, in milliseconds since 1970.
    pub asked: u64,
    /// The arguments of the command, without the token.
    pub argv: Vec<String>,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// The session in which it was asked.
    pub session: String,
    /// The digest of the proposal that was shown.
    pub digest: String,
    /// The id of the call that carries the token.
    pub call: String,
    /// The transcript of the session.
    pub transcript: Option<PathBuf>,
}

/// Takes a token from the front of the arguments, where an approved call has it.
pub fn taken(mut argv: Vec<String>) -> (Option<String>, Vec<String>) {
    if argv.len() >= 2 && argv.first().is_some_and(|word| word == OPTION) {
        let token = argv.drain(..2).nth(1);
        return (token, argv);
    }
    (None, argv)
}

impl Question {
    /// Keeps the question and returns the token that answers it. Questions that are too old are removed.
    pub fn keep(&self, home: &Home) -> Result<String> {
        let token = digest::hex_of(&random::bytes::<16>()?, 32);
        files::ensure_folder(&home.questions())?;
        sweep(home);
        durable::replace(&place(home, &token), &serde_json::to_vec(self)?)?;
        Ok(token)
    }

    /// Spends a token: of several commands with the same token one gets the question. `None` if it is unknown, spent
    /// or too old at `now`, or if the call that carried it has ended: a client that could ask nobody leaves the refused call with
    /// its token in the transcript.
    pub fn spend(home: &Home, lock: &Lock, token: &str, now: u64) -> Result<Option<Self>> {
        debug_assert_eq!(lock.home(), home, "the lock keeps others away");
        let place = place(home, token);
        let Some(bytes) = files::read(&place, LIMIT)? else { return Ok(None) };
        // One that cannot be read answers nothing.
        let Ok(question) = serde_json::from_slice::<Self>(&bytes) else { return Ok(None) };
        durable::remove(&place)?;
        let age = now.checked_sub(question.asked);
        let is_good = age.is_some_and(|age| age <= LIFETIME) && !question.has_ended();
        Ok(is_good.then_some(question))
    }

    /// Whether a transcript of the session, its own or one of its sub-agents, holds a result for the call.
    fn has_ended(&self) -> bool {
        let Some(transcript) = self.transcript.as_deref().filter(|_| !self.call.is_empty()) else {
            return false;
        };
        let subagents = std::fs::read_dir(transcript.with_extension("").join("subagents"));
        let subagents = subagents.into_iter().flatten().flatten().map(|entry| entry.path());
        std::iter::once(transcript.to_owned()).chain(subagents).any(|path| holds_result(&path, &self.call))
    }
}

/// Whether a transcript holds a result for a call. One that cannot be read holds none.
fn holds_result(transcript: &Path, call: &str) -> bool {
    let Ok(file) = files::open_regular(transcript) else { return false };
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    let result = |line: &[u8]| {
        let line: serde_json::Value = serde_json::from_slice(line).ok()?;
        let blocks = line["message"]["content"].as_array()?;
        blocks.iter().any(|block| block["tool_use_id"] == call).then_some(())
    };
    // Only lines that name the call are read as JSON.
    lines.filter(|line| find_iter(line, call.as_bytes()).next().is_some()).any(|line| result(&line).is_some())
}

fn place(home: &Home, token: &str) -> PathBuf {
    home.questions().join(digest::hex(token.as_bytes(), 64))
}

/// Removes the questions that nobody can answer any more. Errors leave a file that is good for nothing.
fn sweep(home: &Home) {
    let Ok(entries) = std::fs::read_dir(home.questions()) else { return };
    for entry in entries.flatten() {
        let made = entry.metadata().and_then(|found| found.modified());
        let age = made.ok().and_then(|made| made.elapsed().ok());
        if age.is_some_and(|age| age > Duration::from_millis(LIFETIME)) {
            let _ = durable::remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    fn question() -> Question {
        Question {
            asked: 1_000,
            argv: vec!["promote".into(), "3f2a".into()],
            folder: "/p".into(),
            session: "s".into(),
            digest: "d".into(),
            call: "toolu_1".into(),
            transcript: None,
        }
    }

    fn home() -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("data"));
        files::ensure_folder(home.root()).unwrap();
        (dir, home)
    }

    #[test]
    fn a_token_is_good_once_and_only_its_hash_is_kept() {
        let (_dir, home) = home();
        let lock = Lock::acquire(&home, Duration::ZERO).unwrap();
        let token = question().keep(&home).unwrap();
        assert_eq!(token.len(), 32);
        for entry in std::fs::read_dir(home.questions()).unwrap().flatten() {
            assert!(!entry.path().to_string_lossy().contains(&token));
            assert!(!std::fs::read_to_string(entry.path()).unwrap().contains(&token));
        }
        assert_eq!(Question::spend(&home, &lock, "other", 1_000).unwrap(), None);
        assert_eq!(Question::spend(&home, &lock, &token, 1_000).unwrap(), Some(question()));
        assert_eq!(Question::spend(&home, &lock, &token, 1_000).unwrap(), None);
    }

    #[test]
    fn a_token_of_yesterday_and_one_of_tomorrow_are_good_for_nothing() {
        let (_dir, home) = home();
        let lock = Lock::acquire(&home, Duration::ZERO).unwrap();
        for now in [999, 1_001 + LIFETIME] {
            let token = question().keep(&home).unwrap();
            assert_eq!(Question::spend(&home, &lock, &token, now).unwrap(), None, "{now}");
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a transcript is the client's")]
    fn a_token_is_good_for_nothing_once_the_call_that_carried_it_has_a_result() {
        let (dir, home) = home();
        let lock = Lock::acquire(&home, Duration::ZERO).unwrap();
        let transcript = dir.path().join("session.jsonl");
        let line = |key: &str, call: &str| format!(r#"{{"message":{{"content":[{{"{key}":"{call}"}}]}}}}"#);
        let open = [line("id", "toolu_1"), line("tool_use_id", "toolu_2"), "toolu_1".into()].join("\n");
        let asked = Question { transcript: Some(transcript.clone()), ..question() };
        let is_good = || {
            let token = asked.keep(&home).unwrap();
            Question::spend(&home, &lock, &token, 1_000).unwrap().is_some()
        };
        assert!(is_good(), "there is no transcript yet");
        std::fs::write(&transcript, &open).unwrap();
        assert!(is_good());
        std::fs::write(&transcript, format!("{open}\n{}", line("tool_use_id", "toolu_1"))).unwrap();
        assert!(!is_good());
        std::fs::write(&transcript, open).unwrap();
        let subagents = dir.path().join("session/subagents");
        std::fs::create_dir_all(&subagents).unwrap();
        std::fs::write(subagents.join("agent-1.jsonl"), line("tool_use_id", "toolu_1")).unwrap();
        assert!(!is_good());
    }

    #[test]
    fn a_new_question_removes_those_that_are_too_old() {
        let (_dir, home) = home();
        let token = question().keep(&home).unwrap();
        let long_ago = SystemTime::now() - Duration::from_millis(LIFETIME) - Duration::from_mins(1);
        File::open(place(&home, &token)).unwrap().set_modified(long_ago).unwrap();
        question().keep(&home).unwrap();
        assert_eq!(std::fs::read_dir(home.questions()).unwrap().count(), 1);
    }
}

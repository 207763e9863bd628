//! The proposals on the calls that worked: a lesson that fires on its own fix tells a mistake where there is none.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::firings::{calls_of, transcripts};
use super::scanned::{CallId, Place, Scanned};

/// The start of the line of evidence that quotes the command which worked.
const WORKED: &str = "worked: ";

/// The calls that worked, as the evidence of proposals names them.
#[derive(Debug, Default)]
pub(super) struct Fixes {
    /// The number of calls that were found in the transcripts.
    pub(super) calls: usize,
    /// The rules of the proposals that fire on one of them.
    pub(super) fired: Vec<String>,
}

impl Fixes {
    /// Asks of every proposal whether a replay has it fire on the call that worked.
    pub(super) fn of(scanned: &Scanned) -> Result<Self> {
        let by_session: HashMap<String, PathBuf> = transcripts(&scanned.projects)?
            .into_iter()
            .filter_map(|path| Some((path.file_stem()?.to_string_lossy().into_owned(), path)))
            .collect();
        let mut fixes = Self::default();
        for candidate in &scanned.candidates {
            let Some(worked) = candidate.evidence.iter().find_map(|line| line.strip_prefix(WORKED)) else {
                continue;
            };
            let mut calls: Vec<CallId> = Vec::new();
            for place in &candidate.sightings {
                if let Some(path) = by_session.get(&place.session) {
                    calls.extend(first_call(path, place, worked)?);
                }
            }
            fixes.calls += calls.len();
            if !calls.is_empty() {
                let fired = scanned.fired_at(std::slice::from_ref(&candidate.id))?;
                fixes
                    .fired
                    .extend(calls.iter().any(|call| fired.contains(call)).then(|| candidate.fix.clone()));
            }
        }
        Ok(fixes)
    }

    /// The number of proposals that fire on their fix, of the calls, and their rules.
    pub(super) fn row(&self) -> String {
        let count = format!("{} at {} calls", self.fired.len(), self.calls);
        std::iter::once(count).chain(self.fired.iter().cloned()).collect::<Vec<_>>().join("\n  ")
    }
}

/// The first call after a place whose command is, or holds, the one that worked.
fn first_call(path: &Path, place: &Place, worked: &str) -> Result<Option<CallId>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let after = text.lines().skip(usize::try_from(place.line)?).filter(|line| line.contains("\"tool_use\""));
    let lines = after.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut calls = lines.flat_map(|line| calls_of(&line, &place.session));
    let found = calls.find(|call| {
        call["tool_input"]["command"].as_str().is_some_and(|command| holds_command(command, worked))
    });
    let id = found.and_then(|call| call["tool_use_id"].as_str().map(str::to_owned));
    Ok(id.map(|id| (place.session.clone(), id)))
}

/// Whether a command line holds a command as whole words. A quotation that was shortened ends with a mark.
fn holds_command(line: &str, command: &str) -> bool {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let (command, is_whole) = match command.strip_suffix('…') {
        Some(start) => (start, false),
        None => (command, true),
    };
    let is_end = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | ')');
    line.match_indices(command).any(|(at, _)| {
        let after = &line[at + command.len()..];
        !is_whole || after.is_empty() || after.starts_with(is_end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_held_as_whole_words() {
        assert!(holds_command("cd web &&\n  bun run  test; ls", "bun run test"));
        assert!(!holds_command("bun run test:unit", "bun run test"));
        assert!(holds_command("git commit -m 'a long message'", "git commit -m 'a lo…"));
    }

    #[test]
    fn the_call_that_worked_comes_after_the_mistake() {
        let call = |id: &str, command: &str| {
            let block = serde_json::json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
            serde_json::json!({"type": "assistant", "message": {"content": [block]}}).to_string()
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines =
            [call("early", "go vet ./..."), call("failed", "go vet"), call("fix", "cd a && go vet ./...")];
        fs::write(file.path(), lines.join("\n")).unwrap();
        let place = Place { uuid: "u".into(), session: "s".into(), line: 2 };
        let found = first_call(file.path(), &place, "go vet ./...").unwrap();
        assert_eq!(found, Some(("s".into(), "fix".into())));
        assert_eq!(first_call(file.path(), &place, "go test").unwrap(), None);
    }
}

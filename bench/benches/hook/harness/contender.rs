//! Contenders: programs that are measured, each with the call that it answers.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use serde_json::Value;

use super::payload::Payload;

/// The output that a program must print. The time of a program that prints anything else means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Exactly these bytes.
    Bytes(&'static str),
    /// Advice that names exactly these lessons, and no decision about the call.
    Tells(Vec<&'static str>),
    /// A question to the person.
    Asks,
    /// A result with a part withheld.
    Withholds,
}

/// A program with everything that a run of it needs.
#[derive(Debug, Clone)]
pub(crate) struct Contender {
    /// The file of the program.
    pub(crate) path: PathBuf,
    /// Its whole environment.
    pub(crate) environment: Vec<(String, String)>,
    /// Its standard input.
    pub(crate) payload: Payload,
    /// The output that it must print.
    pub(crate) answer: Answer,
    /// The files that are dropped from the page cache before each run.
    pub(crate) chilled: Vec<PathBuf>,
}

impl Contender {
    /// Returns the arguments of `posix_spawn`: the program, its arguments, its environment.
    pub(crate) fn image(&self) -> Result<(CString, Vec<CString>, Vec<CString>)> {
        let path = CString::new(self.path.as_os_str().as_encoded_bytes())?;
        let environment: Result<_, _> =
            self.environment.iter().map(|(name, value)| CString::new(format!("{name}={value}"))).collect();
        Ok((path.clone(), vec![path], environment?))
    }

    /// Fails if `printed` is not the expected output.
    pub(crate) fn check(&self, printed: &[u8]) -> Result<()> {
        let shown = || String::from_utf8_lossy(printed).into_owned();
        match &self.answer {
            Answer::Bytes(bytes) => {
                ensure!(printed == bytes.as_bytes(), "{} should print {bytes:?}: {}", self.name(), shown());
            }
            Answer::Asks => {
                let decision = serde_json::from_slice::<Value>(printed)
                    .map(|json| json["hookSpecificOutput"]["permissionDecision"] == "ask");
                ensure!(decision.unwrap_or(false), "{} should ask and printed {:?}", self.name(), shown());
            }
            Answer::Withholds => {
                let is_withheld = shown().contains("[withheld by Lessons: ");
                ensure!(is_withheld, "{} should withhold and printed {:?}", self.name(), shown());
            }
            Answer::Tells(lessons) => {
                let Ok(json) = serde_json::from_slice::<Value>(printed) else {
                    bail!("{} should tell {} lessons and printed {:?}", self.name(), lessons.len(), shown());
                };
                let answer = &json["hookSpecificOutput"];
                ensure!(answer["permissionDecision"].is_null(), "{} decided: {}", self.name(), shown());
                let text = answer["additionalContext"].as_str().unwrap_or_default();
                for lesson in lessons {
                    let head = format!("{HEAD} user/{lesson}]");
                    ensure!(text.contains(&head), "{} did not tell {lesson}: {}", self.name(), shown());
                }
                ensure!(
                    text.matches(HEAD).count() == lessons.len(),
                    "{} told other lessons too: {}",
                    self.name(),
                    shown()
                );
            }
        }
        Ok(())
    }

    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The beginning of the line that names a lesson in the text for the model.
const HEAD: &str = "[lesson";

/// Makes the environment that the client gives a hook, as far as the hook reads it.
pub(crate) fn environment(home: &Path, project: &Path) -> Vec<(String, String)> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    [
        ("SHELL", "/bin/bash".to_owned()),
        ("PWD", text(project)),
        ("LANG", "C.UTF-8".to_owned()),
        ("USER", "u".to_owned()),
        ("TERM", "xterm-256color".to_owned()),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("HOME", text(home)),
        ("CLAUDECODE", "1".to_owned()),
        ("CLAUDE_CODE_ENTRYPOINT", "cli".to_owned()),
        ("CLAUDE_PROJECT_DIR", text(project)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

/// Makes a contender of a program that every machine has.
#[cfg(test)]
pub(crate) fn of_path(path: &str, answer: Answer) -> Contender {
    let input = serde_json::json!({ "command": "ls" });
    let payload = Payload::new(Path::new("/p"), "Bash", &input, super::payload::CallSession::Fresh);
    Contender {
        path: path.into(),
        environment: Vec::new(),
        payload: payload.unwrap(),
        answer,
        chilled: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ids: &[&str]) -> String {
        let blocks: Vec<String> = ids.iter().map(|id| format!("Plan.\n[lesson user/{id}]\n")).collect();
        serde_json::json!({"hookSpecificOutput": {"additionalContext": blocks.concat()}}).to_string()
    }

    #[test]
    fn an_answer_tells_exactly_the_lessons_that_it_should() {
        let contender = of_path("/hook", Answer::Tells(vec!["a", "b"]));
        let good = |ids: &[&str]| contender.check(told(ids).as_bytes()).is_ok();
        assert!(good(&["a", "b"]) && good(&["b", "a"]));
        assert!(!good(&["a"]) && !good(&["a", "b", "c"]) && !good(&["a", "bc"]));
        assert!(contender.check(b"").is_err());
    }

    #[test]
    fn a_question_is_told_from_a_refusal_and_from_silence() {
        let contender = of_path("/hook", Answer::Asks);
        let decided = |decision: &str| {
            let answer = serde_json::json!({"hookSpecificOutput": {"permissionDecision": decision}});
            contender.check(answer.to_string().as_bytes())
        };
        assert!(decided("ask").is_ok());
        assert!(decided("deny").is_err() && contender.check(b"").is_err());
    }

    #[test]
    fn a_refusal_is_not_advice() {
        let contender = of_path("/hook", Answer::Tells(vec!["a"]));
        let refusal = serde_json::json!({"hookSpecificOutput": {
            "additionalContext": "[lesson user/a]", "permissionDecision": "deny"}});
        assert!(contender.check(refusal.to_string().as_bytes()).is_err());
    }
}

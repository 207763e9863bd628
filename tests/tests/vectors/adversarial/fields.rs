//! The texts of a lesson, through both doors: typed with `lessons add`, and found in a transcript.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lessons_ledger::candidates::CandidateStatus;
use lessons_tests::env::{TestEnv, said};
use lessons_text::neutral::is_hidden;
use serde_json::{Value, json};

use super::facts::Facts;
use super::session;
use crate::cases::Input;
use crate::generate;

/// What stands before a secret in the cases that hold one.
const BEFORE_SECRET: &str = "login failed with ";
/// The shortest part of a secret that is looked for, in characters: a shorter one may occur by chance.
const SHORTEST: usize = 7;
/// A message that quotes more of a field than this is too long.
const MOST_QUOTED: usize = 80;

pub(super) fn observe(input: &Input) -> Facts {
    let fields = generate::json(&input.get("input")["data"]);
    let secret = Secret::of(fields["mistake"].as_str().unwrap());
    let mut facts = Facts::default();
    typed(&fields, secret.as_ref(), &mut facts);
    // A tag holds no list of triggers, and no field of a mebibyte.
    if fields.get("triggers").is_none() && fields["mistake"].as_str().is_some_and(|text| text.len() < 4000) {
        found(&fields, secret.as_ref(), &mut facts);
    }
    facts
}

/// Texts of which nobody may find any again: every half of every part of a secret. A secret of which a half is left is
/// not replaced.
struct Secret(BTreeSet<String>);

impl Secret {
    /// The secret in a text of the cases; `None` if there is none.
    fn of(mistake: &str) -> Option<Self> {
        let secret = mistake.strip_prefix(BEFORE_SECRET)?;
        let password = secret.split_once("://").and_then(|(_, rest)| rest.split([':', '@']).nth(1));
        let assigned = secret.split_once("_PASSWORD=").map(|(_, value)| value);
        let keyed = secret.split_once("AccountKey=").and_then(|(_, rest)| rest.split(';').next());
        let pem = secret.starts_with("-----BEGIN").then(|| secret.lines().nth(1)).flatten();
        let secret = password.or(assigned).or(keyed).or(pem).unwrap_or(secret);
        let parts = secret.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| part.len() >= SHORTEST);
        let halves = |part: &str| -> Vec<String> {
            let half = (part.len() / 2).max(SHORTEST);
            part.as_bytes().windows(half).map(|half| String::from_utf8_lossy(half).into_owned()).collect()
        };
        Some(Self(parts.flat_map(halves).collect())).filter(|secret| !secret.0.is_empty())
    }

    /// Whether a part of it is in a text.
    fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|half| text.contains(half))
    }

    /// Whether a file of a machine holds a part of it.
    fn is_kept(&self, env: &TestEnv) -> bool {
        self.0.iter().any(|half| !holding(env, half).is_empty())
    }
}

/// A person types it.
fn typed(fields: &Value, secret: Option<&Secret>, facts: &mut Facts) {
    let env = TestEnv::new();
    let mistake = fields["mistake"].as_str().unwrap();
    let mut lesson = json!({"rule": fields["fix"], "mistake": mistake, "tags": ["tool:git"]});
    let triggers: Vec<String> = match fields["triggers"].as_array() {
        Some(given) => given.iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
        None => vec!["git stash".to_owned()],
    };
    lesson["triggers"] = triggers.iter().map(|text| json!({"kind": "keyword", "pattern": text})).collect();
    // Long texts do not fit a command line.
    let output = env.lessons_given(&["add", "--json-input", "-"], lesson.to_string().as_bytes());
    let complaint = said(&output);
    facts.note_every("taken", output.status.success());
    facts.note("store changed", session::store(&env).lessons().len() > 0 && !output.status.success());
    let quoted = mistake.chars().take(MOST_QUOTED + 1).collect::<String>();
    facts.note("long message", mistake.len() > 2000 && complaint.contains(&quoted));
    facts.detail(&complaint);

    let graph = session::store(&env);
    let stored = graph.lessons().next();
    let stored_text =
        stored.map(|lesson| format!("{}\n{}", lesson.mistake.clone().unwrap_or_default(), lesson.rule));
    looked_at(stored_text.as_deref(), fields, facts);
    let shown = stored.map(|lesson| said(&env.lessons(&["show", lesson.id.as_str()]))).unwrap_or_default();
    let hook =
        env.hook(&json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "git stash"}}));
    let told: Value = serde_json::from_slice(&hook.stdout).unwrap_or_default();
    let told = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    facts.note("hidden characters stay", [told, &shown, &complaint].iter().any(|text| holds_hidden(text)));
    let marked =
        complaint.contains("hidden") || complaint.contains("secret") || complaint.contains("REDACTED");
    facts.note_every("marked", marked);
    facts.note("secret stays", secret.is_some_and(|secret| secret.is_kept(&env) || secret.is_in(&complaint)));
}

/// The model says it in a tag.
fn found(fields: &Value, secret: Option<&Secret>, facts: &mut Facts) {
    let env = TestEnv::new();
    let text = |name: &str| fields[name].as_str().unwrap().replace('\n', "\n  ");
    let block = format!(
        "#lesson\ntool: Bash\ntrigger: git stash\nmistake: {}\nfix: {}\n#/lesson",
        text("mistake"),
        text("fix")
    );
    let file = env.write_transcript(
        "-home-u-proj/s.jsonl",
        &[json!({"type": "assistant", "uuid": "u", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
                 "message": {"role": "assistant", "id": "m", "content": [{"type": "text", "text": block}]}})],
    );
    let scan = env.lessons(&["scan"]);
    facts.detail(said(&scan));
    let candidates = session::candidates(&env, CandidateStatus::New);
    facts.note_every("taken", candidates.len() == 1);
    let text = candidates.first().map(|found| format!("{}\n{}", found.finding.mistake, found.finding.fix));
    looked_at(text.as_deref(), fields, facts);
    let marks = candidates.first().map(|found| found.finding.flags.clone()).unwrap_or_default();
    facts.note_every(
        "marked",
        marks.iter().any(|flag| flag.name.contains("hidden") || flag.name.contains("secret")),
    );
    let shown = candidates.first().map(|found| said(&env.lessons(&["show", &found.id]))).unwrap_or_default();
    facts.note("hidden characters stay", [shown, said(&scan)].iter().any(|text| holds_hidden(text)));
    // The transcript is not ours to change.
    fs::remove_file(file).unwrap();
    facts.note("secret stays", secret.is_some_and(|secret| secret.is_kept(&env)));
    facts.detail(format!("{candidates:?}"));
}

/// What holds for a stored text, however it came in.
fn looked_at(stored: Option<&str>, fields: &Value, facts: &mut Facts) {
    let Some(stored) = stored else { return };
    let given = format!("{}\n{}", fields["mistake"].as_str().unwrap(), fields["fix"].as_str().unwrap());
    facts.note_every("as given", stored == given);
    facts.note("hidden characters stay", holds_hidden(stored));
    facts.note_every("replaced by its kind", stored.contains("[REDACTED:"));
}

fn holds_hidden(text: &str) -> bool {
    text.chars().any(|c| c != '\n' && is_hidden(c))
}

/// The files of a machine that hold a text.
fn holding(env: &TestEnv, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&env.home(), &mut |file, bytes| {
        if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(file.to_owned());
        }
    });
    found
}

/// Visits every file below a folder.
pub(super) fn files(folder: &Path, visit: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files(&path, visit),
            Ok(kind) if kind.is_file() => visit(&path, &fs::read(&path).unwrap_or_default()),
            _ => visit(&path, b""),
        }
    }
}

//! What stands in a data folder, to be compared with what stood there before.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use lessons_home::home::Home;
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_ledger::journal::{State, ThingKind};
use lessons_tests::env::TestEnv;
use serde_json::{Value, json};

use super::shared;
use crate::together::call;

/// The call whose answer belongs to what is kept.
pub(super) const WATCHED: &str = "frob wipe /home";

/// Everything in a data folder that a person or an agent would miss or find doubled, in parts that are each written
/// at once. What differs from run to run, such as times, is left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    parts: BTreeMap<String, String>,
}

/// The part that is written last, when what it was made from is saved.
const MANIFEST: &str = "lesson-manifest.json";
/// What a hook answers to the call that is watched.
const ANSWER: &str = "answer";
/// How the name of a file ends that was being written.
const UNFINISHED: &str = ".unfinished";
/// Files that are no part of the outcome themselves: the database is looked into, the index shows in what a hook answers,
/// and the others belong to sessions or are empty.
const PASSING: [&str; 6] =
    ["lessons.db", "lesson-manifest.idx", "incidents.idx", "sessions/", "events/", "lock"];
/// The published number of waiting candidates, which the next build corrects.
const WAITING: &str = "log/waiting";
/// What was found in files with instructions for the agent, which the next scan looks at again.
const MEMORY_LOOK: &str = "log/memory-look";
/// A text that is being forgotten, which the next command finishes.
const FORGETTING: &str = "forgetting";
/// What a person has decided.
const DECISIONS: &str = "decisions.json";

/// The copies of the database, and what is written about a night: times and the order of rows differ.
const DIFFERENT_EVERY_TIME: [&str; 2] = [".db", ".md"];

impl Kept {
    /// What stands there, whoever has just died.
    pub(super) fn of(env: &TestEnv) -> Self {
        let mut parts = BTreeMap::new();
        for (name, file) in files(env).into_iter().filter(|(name, _)| !name.ends_with(UNFINISHED)) {
            let differs = DIFFERENT_EVERY_TIME.iter().any(|ending| name.ends_with(ending));
            let says = if differs || shared::is_key(env, &file) {
                "(it is there)".to_owned()
            } else {
                text(&fs::read(&file).expect("a file"))
            };
            parts.insert(name, says);
        }
        parts.remove(WAITING);
        parts.remove(MEMORY_LOOK);
        parts.remove(FORGETTING);
        // A command may change several kinds of decisions, one after the other. Where none of a kind is there, the file says
        // what no file says.
        if let Some(decisions) = parts.remove(DECISIONS) {
            for (kind, entries) in kinds_of(&decisions) {
                parts.insert(format!("{DECISIONS}: {kind}"), entries);
            }
        }
        // What schedulers are told stands in a folder of the user's, and a project has lessons.
        let others = [env.home().join(".config"), env.project().join(".lessons")];
        for file in others.iter().flat_map(|folder| files_below(folder)) {
            let name = name_outside(env, &file);
            if !name.ends_with(UNFINISHED) {
                let says = if name == file.display().to_string() {
                    text(&fs::read(&file).expect("a file"))
                } else {
                    "(it says what its name says)".to_owned()
                };
                parts.insert(name, says);
            }
        }
        if let Some(database) = database(env) {
            for found in candidates(&database) {
                for sighting in database.sightings(&found.id).expect("the sightings") {
                    // A scan takes in one file at a time.
                    let of_file = parts.entry(format!("found in {}", sighting.file)).or_default();
                    writeln!(of_file, "{} {sighting:?}", found.id).expect("a string takes all");
                }
                let says = format!("{:?} {:?} {:?}", found.status, found.reason, found.finding);
                parts.insert(format!("candidate {}", found.id), says);
            }
            for (root, key) in database.project_roots().expect("the projects") {
                parts.insert(format!("project {root}"), key);
            }
        }
        let answer = env.hook(&call(env, "s", WATCHED));
        parts.insert(ANSWER.to_owned(), String::from_utf8(answer.stdout).expect("text"));
        Self { parts }
    }

    /// The same with what may not be left behind by one who died when others have gone on: unfinished files, changes
    /// that nobody has settled, and wrong counts.
    pub(super) fn in_the_end(env: &TestEnv) -> Self {
        let Self { mut parts } = Self::of(env);
        let mut names: Vec<String> = files(env).into_keys().collect();
        names.extend(files_below(&env.project()).iter().map(|file| name_outside(env, file)));
        // The ids of shared events, and so their order, differ every time.
        names.sort_unstable();
        parts.insert("files".to_owned(), names.join("\n"));
        if let Ok(waiting) = fs::read(env.data().join(WAITING)) {
            parts.insert(WAITING.to_owned(), text(&waiting));
        }
        if let Some(database) = database(env) {
            for found in candidates(&database) {
                let counts = (found.seen, found.sessions, found.projects, found.first_seen, found.last_seen);
                parts.insert(format!("counts of {}", found.id), format!("{counts:?}"));
            }
            let journal = database.journal(1000).expect("the journal");
            let changes = journal.iter().filter(|entry| entry.state != State::Undone);
            let changes = changes.map(|entry| {
                let thing = match entry.thing.kind {
                    ThingKind::Shared => name_outside(env, Path::new(&entry.thing.name)),
                    _ => entry.thing.to_string(),
                };
                format!("{} {thing} {:?}\n", entry.action, entry.state)
            });
            parts.insert("journal".to_owned(), changes.collect());
        }
        Self { parts }
    }

    /// Fails unless every part stands as it did in `old` or as it does in `new`. What is in force is never newer than
    /// what is saved.
    pub(super) fn is_old_or_new(&self, old: &Self, new: &Self) -> Result<(), String> {
        // Between the two renames of a build the manifest is new, and hooks answer as before.
        let answers_as_before =
            self.part(ANSWER) != new.part(ANSWER) && self.part(ANSWER) == old.part(ANSWER);
        if !self.acts_as(old) && !answers_as_before {
            return self.is(new);
        }
        let differs = self.parts_that_differ(old);
        match differs.iter().find(|name| self.parts.get(**name) != new.parts.get(**name)) {
            Some(name) => Err(format!(
                "{name} is neither old nor new: {}\n--- old: {}\n--- new: {}",
                self.part(name),
                old.part(name),
                new.part(name)
            )),
            None => Ok(()),
        }
    }

    /// Fails unless every part is as it is in `other`.
    pub(super) fn is(&self, other: &Self) -> Result<(), String> {
        match self.parts_that_differ(other).first() {
            Some(name) => {
                Err(format!("{name} is: {}\n--- it should be: {}", self.part(name), other.part(name)))
            }
            None => Ok(()),
        }
    }

    /// Whether the same lessons are in force.
    pub(super) fn acts_as(&self, other: &Self) -> bool {
        self.parts.get(MANIFEST) == other.parts.get(MANIFEST)
    }

    fn parts_that_differ<'k>(&'k self, other: &'k Self) -> Vec<&'k String> {
        let names: BTreeSet<&String> = self.parts.keys().chain(other.parts.keys()).collect();
        names.into_iter().filter(|name| self.parts.get(*name) != other.parts.get(*name)).collect()
    }

    fn part(&self, name: &str) -> &str {
        self.parts.get(name).map_or("(nothing)", String::as_str)
    }
}

/// The kinds of decisions of which there are any.
fn kinds_of(decisions: &str) -> BTreeMap<String, String> {
    let decisions: BTreeMap<String, Value> = serde_json::from_str(decisions).expect("JSON");
    let is_empty = |kind: &str, entries: &Value| match kind {
        "graph" => entries["lessons"] == json!({}),
        "version" => true,
        _ => *entries == json!({}),
    };
    let kinds = decisions.into_iter().filter(|(kind, entries)| !is_empty(kind, entries));
    kinds.map(|(kind, entries)| (kind, format!("{entries:#}"))).collect()
}

/// The database, where there is one.
fn database(env: &TestEnv) -> Option<Database> {
    let home = Home::at(env.data());
    home.database().exists().then(|| Database::open(&home).expect("the database"))
}

/// All candidates, by their ids.
fn candidates(database: &Database) -> Vec<Candidate> {
    let standings = [
        CandidateStatus::New,
        CandidateStatus::Rejected,
        CandidateStatus::Cancelled,
        CandidateStatus::Archived,
    ];
    let mut candidates = database.candidates(&standings).expect("the candidates");
    candidates.sort_by(|a, b| a.id.cmp(&b.id));
    candidates
}

/// Every file in the data folder with its bytes.
pub(super) fn everything(env: &TestEnv) -> Vec<(String, Vec<u8>)> {
    let files = files_below(&env.data()).into_iter();
    files.map(|file| (file.display().to_string(), fs::read(&file).expect("a file"))).collect()
}

/// The files in the data folder by their names in it.
fn files(env: &TestEnv) -> BTreeMap<String, PathBuf> {
    let name = |file: &Path| {
        let name = file.strip_prefix(env.data()).expect("it is below").display().to_string();
        // An approved copy is named by its hash, and its lessons have the time at which they were written.
        let is_copy = name.starts_with("trust/") && !name.ends_with(UNFINISHED);
        if is_copy { format!("trust/{}", text(&fs::read(file).expect("a copy"))) } else { name }
    };
    let all = files_below(&env.data()).into_iter().map(|file| (name(&file), file));
    all.filter(|(name, _)| !PASSING.iter().any(|passing| name.starts_with(passing))).collect()
}

/// The name of a file that is not in the data folder.
fn name_outside(env: &TestEnv, file: &Path) -> String {
    shared::said_by(env, file).unwrap_or_else(|| file.display().to_string())
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// A file's text; of JSON without the times and what is made from them, such as hashes.
fn text(bytes: &[u8]) -> String {
    let Ok(mut value) = serde_json::from_slice::<Value>(bytes) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    drop_times(&mut value);
    format!("{value:#}")
}

fn drop_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in [
                "createdAt",
                "created_at",
                "updatedAt",
                "lastSeen",
                "approvedAt",
                "since",
                "at",
                "time",
                // The number of a change that was begun and never took place is not used again.
                "change",
                "sources",
                "sha256",
            ] {
                fields.remove(name);
            }
            // A built-in lesson that a variable switches off is news only to a build that found it in force.
            if let Some(Value::Array(weakened)) = fields.get_mut("weakened") {
                weakened.retain(|it| !it["id"].as_str().is_some_and(|id| id.starts_with("seed/")));
            }
            if fields.get("weakened").is_some_and(|weakened| weakened.as_array().is_some_and(Vec::is_empty)) {
                fields.remove("weakened");
            }
            fields.values_mut().for_each(drop_times);
        }
        Value::Array(values) => values.iter_mut().for_each(drop_times),
        _ => {}
    }
}

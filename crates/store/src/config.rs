//! Settings: `config.toml`.
//!
//! A value that makes no sense falls back to its default and is reported with its key, so that a
//! slip in one setting never takes the others away. Changes keep the user's comments.

mod project;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lessons_home::files::{self, FileError};
use lessons_incident::likeness::Threshold;
use lessons_index::Settings;
use lessons_index::manifest::DedupScope;
use lessons_lesson::compiled::AgentSettings;
use lessons_lesson::{Lot, Share};
use lessons_text::shell_word::quoted_path;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use toml_edit::{DocumentMut, Item, Value};

/// The largest `config.toml` that is read, in bytes.
const LIMIT: u64 = 1 << 20;
/// The settings that a command sets, which says what they cost and asks: `lessons reflect --nightly` and `lessons measure`.
const SET_BY_COMMANDS: [&str; 4] = ["reflect.command", "reflect.nightly", "measure.share", "measure.salt"];
/// The settings without a variable besides those; `budget.lessons` has `LESSONS_BUDGET_LESSONS`. A variable may not let
/// scripts decide.
const WITHOUT_VARIABLE: [&str; 4] = ["query.limit", "query.tokens", "prune.auto", "gate.scripts"];
pub use lessons_decide::claims::EVERYTHING;

pub use self::project::Tuning;
pub use self::values::{ReflectSettings, is_value};
use self::values::{folders, ids, read_share, share, whole, write_share};

/// The settings, each valid, by the keys that they have in the file. Their bounds stand here and nowhere else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools, reason = "each answers a question of its own, as in the file")]
pub struct Config {
    /// Whether the hooks do anything.
    pub enabled: bool,
    /// The most lessons in one reminder.
    #[serde(rename = "budget.lessons", deserialize_with = "whole::<0, 50, _, _>")]
    pub budget_lessons: usize,
    /// The most bytes in one reminder. The client shows a preview only of texts over 10,000 UTF-16 units; a byte is never
    /// less than one.
    #[serde(rename = "budget.bytes", deserialize_with = "whole::<256, 9_500, _, _>")]
    pub budget_bytes: usize,
    /// The most bytes of lessons at the start of a session. The bound leaves the protocol and a notice room in what a session
    /// start may tell.
    #[serde(rename = "session.bytes", deserialize_with = "whole::<0, 4_096, _, _>")]
    pub session_bytes: usize,
    /// The scope in which a lesson is told once.
    #[serde(rename = "dedup.scope")]
    pub dedup_scope: DedupScope,
    /// Lessons of at least this priority are told again after a compaction.
    #[serde(rename = "compaction.threshold", deserialize_with = "whole::<1, 11, _, _>")]
    pub compaction_threshold: u8,
    /// The lowest priority that is compiled.
    #[serde(rename = "minimum.priority", deserialize_with = "whole::<1, 10, _, _>")]
    pub minimum_priority: u8,
    /// The lowest confidence that is compiled.
    #[serde(rename = "minimum.confidence", deserialize_with = "share")]
    pub minimum_confidence: f64,
    /// The share of sessions without reminders, by which it is measured what they change; `off` where nothing is.
    #[serde(rename = "measure.share", serialize_with = "write_share", deserialize_with = "read_share")]
    pub measure_share: Option<Share>,
    /// What the lot of each session is drawn with, 32 hexadecimal digits; empty until something was measured.
    #[serde(rename = "measure.salt")]
    pub measure_salt: String,
    /// Whether a scan runs the detectors, which propose mistakes that no tag names.
    #[serde(rename = "scan.detectors")]
    pub scan_detectors: bool,
    /// The most candidates of detectors that one scan proposes.
    #[serde(rename = "scan.proposals", deserialize_with = "whole::<0, 100, _, _>")]
    pub scan_proposals: usize,
    /// How a model reads what happened in sessions.
    #[serde(flatten)]
    pub reflect: ReflectSettings,
    /// Additional folders with transcripts.
    #[serde(rename = "scan.roots", deserialize_with = "folders")]
    pub scan_roots: Vec<PathBuf>,
    /// Whether a follower reads sessions while they run too, and not at their start alone.
    #[serde(rename = "scan.follow")]
    pub scan_follow: bool,
    /// Folders with events of peers, besides those of trusted projects. Only absolute ones count.
    #[serde(rename = "share.folders", deserialize_with = "folders")]
    pub share_folders: Vec<PathBuf>,
    /// Built-in lessons that are switched off, by their bare id.
    #[serde(rename = "seeds.off", deserialize_with = "ids")]
    pub seeds_off: Vec<String>,
    /// The most lessons that a query shows.
    #[serde(rename = "query.limit", deserialize_with = "whole::<1, 1_000, _, _>")]
    pub recall_limit: usize,
    /// The most tokens of rules that a query shows, as [`lessons_recall::tokens`] counts them.
    #[serde(rename = "query.tokens", deserialize_with = "whole::<1, 1_000_000, _, _>")]
    pub recall_max_tokens: usize,
    /// Whether every capture tidies what no lesson uses any more, and globs without a file in the project where
    /// it is made.
    #[serde(rename = "prune.auto")]
    pub auto_prune: bool,
    /// Whether recalls and captures are counted. Nothing of what was asked or recorded is kept.
    pub telemetry: bool,
    /// Whether scripts without a terminal may decide. It counts once it is accepted.
    #[serde(rename = "gate.scripts")]
    pub gate_scripts: bool,
    /// How texts are checked against incidents.
    #[serde(flatten)]
    pub incidents: IncidentSettings,
    /// The most lessons that a sub-agent is told when it starts.
    #[serde(rename = "agents.start.lessons", deserialize_with = "whole::<0, 50, _, _>")]
    pub agent_lessons: usize,
    /// The most bytes of lessons that a sub-agent is told when it starts.
    #[serde(rename = "agents.start.bytes", deserialize_with = "whole::<0, 4_096, _, _>")]
    pub agent_bytes: usize,
    /// Whether sub-agents are told how to record a lesson.
    #[serde(rename = "agents.protocol")]
    pub agent_protocol: bool,
    /// The most active lessons that name one agent alone.
    #[serde(rename = "agents.cap", deserialize_with = "whole::<1, 1_000, _, _>")]
    pub agent_cap: usize,
    /// The topics and tags that are the business of an agent, by its type: `agents.TYPE.domains`. An agent without an entry may
    /// record anything.
    #[serde(skip)]
    pub agent_domains: BTreeMap<String, Vec<String>>,
    /// What is switched off, and until when; `None` is for ever. By the id with its layer, or
    /// [`EVERYTHING`].
    #[serde(skip)]
    pub off: BTreeMap<String, Option<Timestamp>>,
}

/// The settings about incidents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IncidentSettings {
    /// Whether texts are checked and incidents recorded.
    #[serde(rename = "incidents.enabled")]
    pub enabled: bool,
    /// The similarity from which on a text is like an incident.
    #[serde(rename = "incidents.similarity")]
    pub similarity: Threshold,
    /// Whether results of tools that read local files are checked too.
    #[serde(rename = "incidents.local")]
    pub local: bool,
    /// The trust below which a candidate or a lesson is an incident, from 0 to 1.
    #[serde(rename = "trust.minimum", deserialize_with = "share")]
    pub minimum_trust: f64,
}

impl Default for IncidentSettings {
    fn default() -> Self {
        Self { enabled: true, similarity: Threshold::default(), local: false, minimum_trust: 0.3 }
    }
}

impl Default for Config {
    fn default() -> Self {
        let hooks = Settings::default();
        Self {
            enabled: hooks.enabled,
            budget_lessons: hooks.budget_lessons,
            budget_bytes: hooks.budget_bytes,
            session_bytes: hooks.session_bytes,
            dedup_scope: hooks.dedup_scope,
            compaction_threshold: hooks.compaction_threshold,
            minimum_priority: 1,
            minimum_confidence: 0.5,
            measure_share: None,
            measure_salt: String::new(),
            scan_detectors: true,
            scan_proposals: 10,
            reflect: ReflectSettings::default(),
            scan_roots: Vec::new(),
            scan_follow: false,
            share_folders: Vec::new(),
            seeds_off: Vec::new(),
            recall_limit: 10,
            recall_max_tokens: 400,
            auto_prune: false,
            telemetry: false,
            gate_scripts: false,
            incidents: IncidentSettings::default(),
            agent_lessons: hooks.agents.lessons,
            agent_bytes: hooks.agents.bytes,
            agent_protocol: hooks.agents.protocol,
            agent_cap: 50,
            agent_domains: BTreeMap::new(),
            off: BTreeMap::new(),
        }
    }
}

/// An invalid setting. Its default is used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: `{key}` must be {expected}; the default is used until it is fixed")]
pub struct BadSetting {
    /// The file, or the variable.
    pub place: String,
    /// The setting.
    pub key: String,
    /// The values that it takes.
    pub expected: String,
}

/// An error that keeps settings from being read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not TOML.
    #[error("{path}: {}; fix it with `{}`", .reason.trim_end(), in_editor(.path))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The fault and its position.
        reason: String,
    },
}

/// The shell command that opens a file in the person's editor.
pub fn in_editor(path: &Path) -> String {
    format!("${{EDITOR:-vi}} {}", quoted_path(path))
}

/// The file as it is, comments included.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    path: PathBuf,
    document: DocumentMut,
}

impl ConfigFile {
    /// Reads the file; a missing one is empty.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::parse(path, files::read(path, LIMIT)?.unwrap_or_default())
    }

    /// Returns an empty file, in the place of one that cannot be read.
    pub fn empty(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), document: DocumentMut::new() }
    }

    /// Parses the bytes of the file at `path`.
    pub fn parse(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let path = path.into();
        let syntax = |reason: String| ConfigError::Syntax { path: path.clone(), reason };
        let text = String::from_utf8(bytes).map_err(|error| syntax(error.to_string()))?;
        // What it prints by itself is a drawing of several lines.
        let located = |error: toml_edit::TomlError| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            syntax(format!("line {}: {}", before.matches('\n').count() + 1, error.message()))
        };
        let document = text.parse().map_err(located)?;
        Ok(Self { path, document })
    }

    /// Overrides settings by environment variables. Only for a command that a person typed: under the
    /// client a variable may come from the project.
    #[must_use]
    pub fn overridden_by(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let has_variable = |key: &str| !SET_BY_COMMANDS.contains(&key) && !WITHOUT_VARIABLE.contains(&key);
        for (key, default) in default_values().iter().filter(|(key, _)| has_variable(key)) {
            let name = format!("LESSONS_{}", key.to_uppercase().replace('.', "_"));
            let Some(text) = variable(&name) else { continue };
            let value: Value = match text.as_str() {
                "0" | "1" if default.is_boolean() => (text == "1").into(),
                _ => text.parse().unwrap_or_else(|_| Value::from(text)),
            };
            self.set(key, Some(value));
        }
        self
    }

    /// Returns the settings, and the invalid ones.
    pub fn settings(&self) -> (Config, Vec<BadSetting>) {
        let (mut valid, mut bad) = (Map::new(), Vec::new());
        let (mut off, mut agent_domains) = (BTreeMap::new(), BTreeMap::new());
        for (key, item) in self.items() {
            let value = values::json(item);
            let read = if let Some(id) = key.strip_prefix("off.") {
                let until = values::end_of_switch(&value);
                // It was meant to be off, so it is, although the time is invalid.
                off.insert(id.to_owned(), until.as_ref().ok().copied().flatten());
                until.map(drop)
            } else if let Some(agent) = domains_of(&key) {
                let domains = values::domains(&value);
                domains.map(|domains| drop(agent_domains.insert(agent.to_owned(), domains)))
            } else {
                // Each for itself: a slip in one must not take the others away.
                values::read::<Config>(&key, &value).map(|_| drop(valid.insert(key.clone(), value)))
            };
            if let Err(expected) = read {
                let place = self.path.display().to_string();
                bad.push(BadSetting { place, key, expected });
            }
        }
        let mut config = Config::deserialize(serde_json::Value::Object(valid)).unwrap_or_default();
        config.share_folders.retain(|folder| folder.is_absolute());
        (Config { agent_domains, off, ..config }, bad)
    }

    /// Returns whether the file has a setting.
    pub fn holds(&self, key: &str) -> bool {
        let found = key.split('.').try_fold(self.document.as_item(), |item, part| item.get(part));
        found.is_some_and(|item| !item.is_none())
    }

    /// Writes every missing setting at its default, so that a person sees what can be set. Returns their keys.
    /// What [`SET_BY_COMMANDS`] names is left to these.
    pub fn write_defaults(&mut self) -> Vec<String> {
        let mut missing = default_values();
        missing.retain(|key, _| !self.holds(key) && !SET_BY_COMMANDS.contains(&key.as_str()));
        missing.retain(|key, value| self.set(key, Some(values::toml(value))));
        missing.into_iter().map(|(key, _)| key).collect()
    }

    /// Has one session of some get no reminders, drawn with a salt; `None` switches that off and keeps the salt, so that a later
    /// series goes on where this one ended.
    pub fn measure(&mut self, drawn: Option<(Share, [u8; 16])>) {
        let salt = drawn.map(|(_, salt)| format!("{:032x}", u128::from_be_bytes(salt)));
        self.set("measure.share", drawn.map(|(share, _)| share.to_string().into()));
        if let Some(salt) = salt {
            self.set("measure.salt", Some(salt.into()));
        }
    }

    /// Switches something off, until a time or for ever.
    pub fn switch_off(&mut self, id: &str, until: Option<Timestamp>) {
        let until = until.map(|until| until.to_string()).unwrap_or_default();
        self.set(&format!("off.{id}"), Some(until.into()));
    }

    /// Switches something on again. Returns `false` if it was not off.
    pub fn switch_on(&mut self, id: &str) -> bool {
        let removed = self.document.get_mut("off").and_then(Item::as_table_like_mut);
        let removed = removed.is_some_and(|table| table.remove(id).is_some());
        let seed = id.strip_prefix("seed/").is_some_and(|seed| {
            let list = self.document.get_mut("seeds").and_then(|seeds| seeds.get_mut("off"));
            let Some(list) = list.and_then(Item::as_array_mut) else { return false };
            let before = list.len();
            list.retain(|entry| entry.as_str() != Some(seed));
            list.len() < before
        });
        removed || seed
    }

    /// Returns the bytes to write.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.document.to_string().into_bytes()
    }
}

impl Config {
    /// Returns the settings that the hooks need.
    pub fn for_hooks(&self) -> Settings {
        let everything = self.off.get(EVERYTHING);
        Settings {
            enabled: self.enabled && everything != Some(&None),
            off_until: everything.copied().flatten().map(milliseconds),
            budget_lessons: self.budget_lessons,
            budget_bytes: self.budget_bytes,
            session_bytes: self.session_bytes,
            dedup_scope: self.dedup_scope,
            compaction_threshold: self.compaction_threshold,
            agents: AgentSettings {
                lessons: self.agent_lessons,
                bytes: self.agent_bytes,
                protocol: self.agent_protocol,
            },
            lot: self.measure_share.and_then(|share| Some(Lot { salt: self.salt()?, share })),
        }
    }

    /// The salt of the lot, if there is a whole one.
    pub fn salt(&self) -> Option<[u8; 16]> {
        let digits = Some(&self.measure_salt).filter(|digits| digits.len() == 32)?;
        u128::from_str_radix(digits, 16).ok().map(u128::to_be_bytes)
    }

    /// Returns every lesson that is switched off, with the end in milliseconds since 1970; `None` is for ever.
    pub fn lessons_off(&self) -> BTreeMap<String, Option<u64>> {
        let seeds =
            self.seeds_off.iter().map(|id| (format!("seed/{}", id.trim_start_matches("seed/")), None));
        let off = self.off.iter().map(|(id, until)| (id.clone(), until.map(milliseconds)));
        off.filter(|(id, _)| id != EVERYTHING).chain(seeds).collect()
    }
}

/// Returns every setting at its default, by its key.
fn default_values() -> Map<String, serde_json::Value> {
    match serde_json::to_value(Config::default()) {
        Ok(serde_json::Value::Object(values)) => values,
        // Plain data becomes an object.
        _ => Map::new(),
    }
}

/// Returns the agent in a key `agents.TYPE.domains`.
fn domains_of(key: &str) -> Option<&str> {
    key.strip_prefix("agents.")?.strip_suffix(".domains")
}

/// Returns a time in milliseconds since 1970; earlier times are 0.
fn milliseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests;

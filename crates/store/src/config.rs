//! Settings: `config.toml`.
//!
//! A value that makes no sense falls back to its default and is reported with its key, so that a
//! slip in one setting never takes the others away. Changes keep the user's comments.

mod agents;
mod defaults;
mod entries;
mod incidents;
mod project;
mod reader;
mod reflect;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lessons_home::files::{self, FileError};
use lessons_index::manifest::{DedupScope, Settings};
use lessons_text::shell_word::quoted;
use toml_edit::{DocumentMut, Item, Table, Value};

/// The largest `config.toml` that is read, in bytes.
const LIMIT: u64 = 1 << 20;
/// The client shows a preview only of texts over 10,000 UTF-16 units; a byte is never less than one.
const BUDGET_BYTES: RangeInclusive<i64> = 256..=9_500;
/// It leaves the protocol and a notice room in what a session start may tell.
const SESSION_BYTES: RangeInclusive<i64> = 0..=4_096;
const RECALL_LIMIT: Whole = Whole { expected: "a whole number from 1 to 1000", allowed: 1..=1_000 };
const RECALL_MAX_TOKENS: Whole =
    Whole { expected: "a whole number from 1 to 1000000", allowed: 1..=1_000_000 };
const TRUE_OR_FALSE: &str = "true or false";
/// The settings that have a variable: `budget.lessons` is `LESSONS_BUDGET_LESSONS`.
const WITH_VARIABLE: [&str; 23] = [
    "enabled",
    "budget.lessons",
    "budget.bytes",
    "session.bytes",
    "dedup.scope",
    "compaction.threshold",
    "incidents.enabled",
    "incidents.similarity",
    "incidents.local",
    "trust.minimum",
    "minimum.priority",
    "minimum.confidence",
    "agents.start.lessons",
    "agents.start.bytes",
    "agents.protocol",
    "agents.cap",
    "scan.detectors",
    "scan.proposals",
    "scan.roots",
    "scan.follow",
    "seeds.off",
    "share.folders",
    "telemetry",
];
pub use lessons_decide::claims::EVERYTHING;

pub use self::agents::AgentConfig;
pub use self::entries::is_value;
pub use self::incidents::IncidentSettings;
pub use self::project::{ProjectFlaw, Tuning};
use self::reader::{Reader, Whole, strings};
pub use self::reflect::ReflectSettings;

/// The time at which the scanner reads sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// Once at every session start.
    AtStart,
    /// While they run too, by a follower.
    WhileTheyRun,
}

/// Whether a scan runs the detectors, which propose mistakes that no tag names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detectors {
    /// The detectors run.
    On,
    /// Only tags of the agent count.
    Off,
}

/// Whether a script without a terminal may decide what is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// Only a person at a terminal, or one who approves a call in the client, decides.
    MayNotDecide,
    /// Scripts may decide too.
    MayDecide,
}

/// The settings, each valid.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Whether the hooks do anything.
    pub enabled: bool,
    /// The most lessons in one reminder.
    pub budget_lessons: usize,
    /// The most bytes in one reminder.
    pub budget_bytes: usize,
    /// The most bytes of lessons at the start of a session.
    pub session_bytes: usize,
    /// The scope in which a lesson is told once.
    pub dedup_scope: DedupScope,
    /// Lessons of at least this priority are told again after a compaction.
    pub compaction_threshold: u8,
    /// The lowest priority that is compiled.
    pub minimum_priority: u8,
    /// The lowest confidence that is compiled.
    pub minimum_confidence: f64,
    /// Whether a scan runs the detectors, which propose mistakes that no tag names.
    pub scan_detectors: Detectors,
    /// The most candidates of detectors that one scan proposes.
    pub scan_proposals: usize,
    /// How a model reads what happened in sessions.
    pub reflect: ReflectSettings,
    /// Additional folders with transcripts.
    pub scan_roots: Vec<PathBuf>,
    /// The time at which sessions are read.
    pub scan_follow: Following,
    /// Folders with events of peers, besides those of trusted projects.
    pub share_folders: Vec<PathBuf>,
    /// Built-in lessons that are switched off, by their bare id.
    pub seeds_off: Vec<String>,
    /// The most lessons that a query shows.
    pub recall_limit: usize,
    /// The most tokens of rules that a query shows, as [`lessons_recall::tokens`] counts them.
    pub recall_max_tokens: usize,
    /// Whether every capture tidies what no lesson uses any more, and globs without a file in the project where
    /// it is made.
    pub auto_prune: bool,
    /// Whether recalls and captures are counted. Nothing of what was asked or recorded is kept.
    pub telemetry: bool,
    /// Whether scripts without a terminal may decide. It counts once it is accepted.
    pub gate_scripts: Scripts,
    /// How texts are checked against incidents.
    pub incidents: IncidentSettings,
    /// What holds for sub-agents.
    pub agents: AgentConfig,
    /// What is switched off, and until when; `None` is for ever. By the id with its layer, or
    /// [`EVERYTHING`].
    pub off: BTreeMap<String, Option<Timestamp>>,
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
            scan_detectors: Detectors::On,
            scan_proposals: 10,
            reflect: ReflectSettings::default(),
            scan_roots: Vec::new(),
            scan_follow: Following::AtStart,
            share_folders: Vec::new(),
            seeds_off: Vec::new(),
            recall_limit: 10,
            recall_max_tokens: 400,
            auto_prune: false,
            telemetry: false,
            gate_scripts: Scripts::MayNotDecide,
            incidents: IncidentSettings::default(),
            agents: AgentConfig::default(),
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
    pub expected: &'static str,
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
    format!("${{EDITOR:-vi}} {}", quoted(&path.to_string_lossy()))
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
        let document = text.parse().map_err(|error: toml_edit::TomlError| syntax(error.to_string()))?;
        Ok(Self { path, document })
    }

    /// Returns the value that the file has for a setting.
    fn item(&self, key: &'static str) -> Option<&Item> {
        let found = key.split('.').try_fold(self.document.as_item(), |item, part| item.get(part));
        found.filter(|item| !item.is_none())
    }

    /// Overrides settings by environment variables. Only for a command that a person typed: under the
    /// client a variable may come from the project.
    #[must_use]
    pub fn overridden_by(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        for key in WITH_VARIABLE {
            let name = format!("LESSONS_{}", key.to_uppercase().replace('.', "_"));
            let Some(text) = variable(&name) else { continue };
            let value: Value = text.parse().unwrap_or_else(|_| Value::from(text));
            self.set(key, Some(value));
        }
        self
    }

    /// Returns the settings, and the invalid ones.
    pub fn settings(&self) -> (Config, Vec<BadSetting>) {
        let mut reader = Reader { file: self, bad: Vec::new() };
        let default = Config::default();
        let config = Config {
            enabled: reader.get("enabled", TRUE_OR_FALSE, default.enabled, Value::as_bool),
            budget_lessons: reader.number(
                "budget.lessons",
                "a number from 0 to 50",
                0..=50,
                default.budget_lessons,
            ),
            budget_bytes: reader.number(
                "budget.bytes",
                "a number from 256 to 9500",
                BUDGET_BYTES,
                default.budget_bytes,
            ),
            session_bytes: reader.number(
                "session.bytes",
                "a number from 0 to 4096",
                SESSION_BYTES,
                default.session_bytes,
            ),
            dedup_scope: reader.get(
                "dedup.scope",
                "\"context\" or \"session\"",
                default.dedup_scope,
                |value| match value.as_str()? {
                    "context" => Some(DedupScope::Context),
                    "session" => Some(DedupScope::Session),
                    _ => None,
                },
            ),
            compaction_threshold: reader.number(
                "compaction.threshold",
                "a number from 1 to 11",
                1..=11,
                default.compaction_threshold,
            ),
            minimum_priority: reader.number(
                "minimum.priority",
                "a number from 1 to 10",
                1..=10,
                default.minimum_priority,
            ),
            minimum_confidence: reader.get(
                "minimum.confidence",
                "a number from 0 to 1",
                default.minimum_confidence,
                |value| value.as_float().filter(|number| (0.0..=1.0).contains(number)),
            ),
            scan_detectors: reader.get("scan.detectors", "true or false", default.scan_detectors, |value| {
                value.as_bool().map(|on| if on { Detectors::On } else { Detectors::Off })
            }),
            scan_proposals: reader.number(
                "scan.proposals",
                "a number from 0 to 100",
                0..=100,
                default.scan_proposals,
            ),
            reflect: reader.reflect(default.reflect),
            scan_roots: reader
                .get("scan.roots", "a list of folders", Vec::new(), strings)
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            scan_follow: reader.get("scan.follow", TRUE_OR_FALSE, default.scan_follow, |value| {
                value.as_bool().map(|on| if on { Following::WhileTheyRun } else { Following::AtStart })
            }),
            share_folders: reader
                .get("share.folders", "a list of folders", Vec::new(), strings)
                .into_iter()
                .map(PathBuf::from)
                .filter(|folder| folder.is_absolute())
                .collect(),
            seeds_off: reader.get("seeds.off", "a list of ids", Vec::new(), strings),
            recall_limit: reader.whole("query.limit", &RECALL_LIMIT, default.recall_limit),
            recall_max_tokens: reader.whole("query.tokens", &RECALL_MAX_TOKENS, default.recall_max_tokens),
            auto_prune: reader.get("prune.auto", TRUE_OR_FALSE, default.auto_prune, Value::as_bool),
            telemetry: reader.get("telemetry", TRUE_OR_FALSE, default.telemetry, Value::as_bool),
            gate_scripts: reader.get("gate.scripts", TRUE_OR_FALSE, default.gate_scripts, |value| {
                value.as_bool().map(|may| if may { Scripts::MayDecide } else { Scripts::MayNotDecide })
            }),
            incidents: reader.incidents(default.incidents),
            agents: reader.agents(&default.agents),
            off: reader.off(),
        };
        (config, reader.bad)
    }

    /// Switches something off, until a time or for ever.
    pub fn switch_off(&mut self, id: &str, until: Option<Timestamp>) {
        let table = self.document.entry("off").or_insert_with(|| Item::Table(Table::new()));
        if let Some(table) = table.as_table_like_mut() {
            let until = until.map(|until| until.to_string()).unwrap_or_default();
            table.insert(id, toml_edit::value(until));
        }
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
            agents: self.agents.start.clone(),
        }
    }

    /// Returns every lesson that is switched off, with the end in milliseconds since 1970; `None` is for ever.
    pub fn lessons_off(&self) -> BTreeMap<String, Option<u64>> {
        let seeds =
            self.seeds_off.iter().map(|id| (format!("seed/{}", id.trim_start_matches("seed/")), None));
        let off = self.off.iter().map(|(id, until)| (id.clone(), until.map(milliseconds)));
        off.filter(|(id, _)| id != EVERYTHING).chain(seeds).collect()
    }
}

/// Returns a time in milliseconds since 1970; earlier times are 0.
fn milliseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> ConfigFile {
        ConfigFile { path: "config.toml".into(), document: text.parse().unwrap() }
    }

    #[test]
    fn nothing_set_means_the_defaults() {
        assert_eq!(file("").settings(), (Config::default(), Vec::new()));
        assert_eq!(Config::default().for_hooks(), Settings::default());
    }

    #[test]
    fn tables_and_dotted_keys_are_the_same() {
        for text in ["budget.lessons = 5\nbudget.bytes = 1000", "[budget]\nlessons = 5\nbytes = 1000"] {
            let (config, bad) = file(text).settings();
            assert_eq!((config.budget_lessons, config.budget_bytes, bad.len()), (5, 1000, 0), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_no_toml_is_refused_with_the_line() {
        // Found by the fuzz target `config`: the first one was a panic of the parser.
        for text in ["a = =1\na.b = 1", "[seeds]\noff = =99\noff.\"user/a\" = \"\"", "[off\n", "a = 1\na = 2"]
        {
            let error = ConfigFile::parse("config.toml", text.into()).unwrap_err().to_string();
            assert!(error.starts_with("config.toml: ") && error.contains("line "), "{error}");
        }
        assert!(ConfigFile::parse("config.toml", vec![0xff]).is_err());
    }

    #[test]
    fn a_bad_value_falls_back_and_hides_no_other() {
        let (config, bad) = file("enabled = \"yes\"\nbudget.bytes = 99999\nminimum.priority = 4").settings();
        assert_eq!((config.enabled, config.budget_bytes, config.minimum_priority), (true, 4096, 4));
        let keys: Vec<_> = bad.iter().map(|bad| bad.key.as_str()).collect();
        assert_eq!(keys, ["enabled", "budget.bytes"]);
        assert!(bad[1].to_string().contains("256 to 9500"), "{}", bad[1]);
    }

    #[test]
    fn switching_off_and_on_keeps_the_users_comments() {
        let mut config = file("# mine\nenabled = true # yes\n\n[seeds]\noff = [\"a\", \"b\"]\n");
        config.switch_off("user/x", None);
        config.switch_off("all", Some("2026-11-20T12:00:00Z".parse().unwrap()));
        let text = String::from_utf8(config.to_bytes()).unwrap();
        assert!(text.starts_with("# mine\nenabled = true # yes\n"), "{text}");
        let (settings, bad) = file(&text).settings();
        assert!(bad.is_empty() && settings.off["user/x"].is_none());
        assert_eq!(settings.for_hooks().off_until, Some(1_795_176_000_000));
        assert_eq!(settings.lessons_off().len(), 3);
        assert!(config.switch_on("user/x") && config.switch_on("seed/a") && !config.switch_on("user/y"));
        assert_eq!(file(std::str::from_utf8(&config.to_bytes()).unwrap()).settings().0.seeds_off, ["b"]);
    }

    #[test]
    fn a_variable_counts_more_than_the_file() {
        let variables = |name: &str| match name {
            "LESSONS_BUDGET_LESSONS" => Some("1".to_owned()),
            "LESSONS_DEDUP_SCOPE" => Some("session".to_owned()),
            "LESSONS_ENABLED" => Some("maybe".to_owned()),
            _ => None,
        };
        let (config, bad) =
            file("budget.lessons = 5\nbudget.bytes = 1000").overridden_by(variables).settings();
        assert_eq!((config.budget_lessons, config.budget_bytes), (1, 1000));
        assert_eq!(config.dedup_scope, DedupScope::Session);
        assert_eq!((config.enabled, bad.len()), (true, 1));
    }

    #[test]
    fn a_time_that_is_not_understood_keeps_the_switch() {
        let (config, bad) = file("[off]\n\"user/x\" = \"tomorrow\"").settings();
        assert_eq!((config.off["user/x"], bad.len()), (None, 1));
    }
}

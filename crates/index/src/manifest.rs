//! The manifest: the lessons in force as readable JSON.
//!
//! `lesson-manifest.json` holds the result of a build: the settings, each distinct trigger once, and for each lesson its
//! conditions and its text in both forms. People and their tools read it. Calls are never matched against it, but against
//! the [index](crate) beside it, which holds the same in binary.
//!
//! **Version.** [`VERSION`] is raised whenever a reader of the version before would misread a file. A build makes the manifest
//! from the accepted copies and reads none, so a manifest of another version is replaced silently.

mod lines;

use std::io::Write;

use serde::{Deserialize, Serialize};

use lessons_lesson::Terms;
use lessons_pattern::TriggerKind;

use self::lines::Lines;
pub use lessons_lesson::compiled::{
    AcceptedSource, DedupScope, LateLesson, LostRefusal, News, Settings, TrustedRoot, Weakened, Weakening,
};

/// The value of the field `format`.
pub const FORMAT: &str = "lesson-manifest";
/// The version this program writes, and the only one it reads.
pub const VERSION: u32 = 4;
/// The most bytes a manifest may have. The builder refuses to write more.
pub const MAX_BYTES: u64 = 512 << 20;
/// The most lessons a manifest may hold.
pub const MAX_LESSONS: usize = 200_000;

/// The compiled lessons.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the program that wrote it.
    pub made_by: String,
    /// The settings that hooks need.
    pub settings: Settings,
    /// Roots of trusted project stores and the digests that were approved.
    pub trusted: Vec<TrustedRoot>,
    /// Lessons that became active lately, newest first, to be told to the user.
    pub news: Vec<News>,
    /// The files whose content was accepted when this was built, as they were then. One that differs was changed by
    /// other means than a command. `None` in a manifest of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<AcceptedSource>>,
    /// The accepted lessons that should refuse calls and could not be compiled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_refusals: Vec<LostRefusal>,
    /// The lessons that stopped calls until somebody weakened them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakened: Vec<Weakened>,
    /// The lessons for the start of sessions that came into force lately, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<LateLesson>,
    /// Each distinct trigger, once.
    pub triggers: Vec<TriggerEntry>,
    /// The lessons, ascending by id.
    pub lessons: Vec<LessonEntry>,
}

/// A trigger of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerEntry {
    /// The kind of text that the trigger looks at.
    pub kind: TriggerKind,
    /// The pattern as a person wrote it.
    pub pattern: String,
    /// The number of lessons of the manifest that have the trigger among their triggers.
    pub document_frequency: u32,
}

/// A lesson of the manifest. Its triggers are positions in [`Manifest::triggers`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LessonEntry {
    /// When, where and how the lesson fires.
    pub terms: Terms,
    /// What to do instead, as recorded: `lessons query` ranks by its words.
    pub rule: String,
    /// The lesson's topics.
    pub topics: Vec<String>,
    /// The full text; see [`lessons_lesson::render::lesson`].
    pub full: String,
    /// The short text.
    pub brief: String,
    /// The text for the agents that the lesson names, when they start. `None` for a lesson that names none but the main
    /// thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_agent_start: Option<String>,
}

impl LessonEntry {
    /// A lesson with one text, which is its full and its short one, without a rule and topics.
    pub fn new(terms: Terms, text: impl Into<String>) -> Self {
        let full = text.into();
        let brief = full.clone();
        Self { terms, rule: String::new(), topics: Vec::new(), full, brief, at_agent_start: None }
    }
}

/// The fields that keep their meaning in every version.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

impl Manifest {
    /// An empty manifest with `settings`.
    pub fn new(settings: Settings, made_by: &str) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            made_by: made_by.to_owned(),
            settings,
            ..Self::default()
        }
    }

    /// Reads and checks a manifest. What passes can be used without further checks. `None` for one that is damaged, and for
    /// one of another version.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        // A manifest of another version may have another shape.
        let Head { format, version } = serde_json::from_slice(bytes).ok()?;
        if format != FORMAT || version != VERSION {
            return None;
        }
        let manifest: Self = serde_json::from_slice(bytes).ok()?;
        let known = manifest.triggers.len();
        let names_known = |LessonEntry { terms, .. }: &LessonEntry| {
            let named = terms.triggers.iter().chain(&terms.also).chain(&terms.unless);
            named.into_iter().all(|trigger| (*trigger as usize) < known)
        };
        let is_sound = manifest.lessons.is_sorted_by(|one, next| one.terms.id < next.terms.id)
            && manifest.lessons.iter().all(names_known);
        is_sound.then_some(manifest)
    }

    /// Writes what is to be published: readable, a line for each trigger and each lesson, deterministic, one newline
    /// at the end. Writes little at a time.
    pub fn write(&self, mut to: impl Write) -> Result<(), serde_json::Error> {
        self.serialize(&mut serde_json::Serializer::with_formatter(&mut to, Lines::default()))?;
        to.write_all(b"\n").map_err(serde_json::Error::io)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest manifest of this version. A change that breaks this line must raise [`VERSION`].
    const GOLDEN: &str = r#"{"format":"lesson-manifest","version":4,"made_by":"0.1.0",
        "settings":{"enabled":true,"budget_lessons":3,"budget_bytes":4096,"session_bytes":1500,"dedup_scope":"context","compaction_threshold":7,
                    "agents":{"lessons":10,"bytes":1024,"protocol":true}},
        "trusted":[{"root":"/p","sha256":"00"}],
        "news":[{"id":"user/a","at":0,"by":"you, in a terminal","summary":"s"}],
        "triggers":[{"kind":"command_pattern","pattern":"\\bgit\\b","document_frequency":1}],
        "lessons":[{"terms":{"id":"user/a","mode":"advise","when":"tool","priority":5,"quality":"valuable","severity":"high","created_at":"2026-01-01",
                    "triggers":[0],"conditions":{"os":["macos"],"state":["path-missing"]},"subject":"command"},"rule":"r","topics":["t"],"full":"f\n","brief":"b\n"}]}"#;

    fn written(manifest: &Manifest) -> Vec<u8> {
        let mut bytes = Vec::new();
        manifest.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn the_golden_manifest_is_read_and_round_trips() {
        let manifest = Manifest::parse(GOLDEN.as_bytes()).unwrap();
        assert_eq!(Manifest::parse(&written(&manifest)).unwrap(), manifest);
    }

    #[test]
    fn a_damaged_manifest_is_refused() {
        for (from, to) in [
            ("\"version\":4", "\"version\":5"),
            ("lesson-manifest", "other"),
            ("\"triggers\":[0]", "\"triggers\":[7]"),
            ("\"user/a\",\"mode\"", "\"../a\",\"mode\""),
        ] {
            assert!(GOLDEN.contains(from), "{from}");
            assert_eq!(Manifest::parse(GOLDEN.replacen(from, to, 1).as_bytes()), None, "{to}");
        }
        assert_eq!(Manifest::parse(b"\xff\xfe{\0}\0"), None);
    }

    #[test]
    fn a_lesson_that_stands_twice_spoils_the_manifest() {
        let mut manifest = Manifest::parse(GOLDEN.as_bytes()).unwrap();
        manifest.lessons.push(manifest.lessons[0].clone());
        assert_eq!(Manifest::parse(&written(&manifest)), None);
    }
}

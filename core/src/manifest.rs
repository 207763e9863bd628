//! The manifest: the contract between the builder and the hooks.
//!
//! `lesson-manifest.json` holds everything a hook needs, worked out beforehand: the settings, each
//! distinct trigger once, and for each lesson its conditions and its text in both forms. A hook never
//! reads anything else of ours.
//!
//! **Version.** [`VERSION`] is raised whenever a reader of the version before would misread a file.
//! A hook that finds another version says nothing; `lessons-scan`, which it starts, rebuilds it from the accepted
//! copies.

mod former;
mod lines;

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::Write;
use std::ops::Range;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::call::tool_name;
use crate::compiled::{Lessons, Outcomes, Terms, Texts};
use crate::id::QualifiedId;
use crate::lesson::Subject;
use crate::matching::{View, Views};
use crate::prepared::{Compiled, Once, regex_of};
use crate::trigger::TriggerKind;

pub use self::former::Former;
use self::lines::Lines;
pub use crate::compiled::{DedupScope, Settings};

/// What stands in the field `format`.
pub const FORMAT: &str = "lesson-manifest";
/// The version this program writes, and the only one it reads.
pub const VERSION: u32 = 1;
/// The most bytes a manifest may have. The builder refuses to write more.
pub const MAX_BYTES: u64 = 512 << 20;
/// The most lessons a manifest may hold.
pub const MAX_LESSONS: usize = 200_000;

/// The compiled lessons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the program that wrote it.
    pub made_by: String,
    /// What the hooks need of the settings.
    pub settings: Settings,
    /// Roots of trusted project stores and the digests that were approved.
    pub trusted: Vec<TrustedRoot>,
    /// Lessons that became active lately, newest first, to be told to the user.
    pub news: Vec<News>,
    /// The files whose content was accepted when this was built, as they were then. One that differs was changed by
    /// other means than a command. `None` in a manifest of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<AcceptedSource>>,
    /// Each distinct trigger, once.
    pub triggers: Vec<TriggerEntry>,
    /// The lessons, ascending by id.
    pub lessons: Vec<LessonEntry>,
}

/// A project store that the user has approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedRoot {
    /// The project's root.
    pub root: String,
    /// The SHA-256 of the approved bytes, as hex.
    pub sha256: String,
    /// The SHA-256 of the approved settings, as hex, where the project brings some along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

/// Something the user should see: a lesson that became active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// The lesson.
    pub id: QualifiedId,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Who switched it on, in words.
    pub by: String,
    /// What it does in one line.
    pub summary: String,
}

/// A file of the data folder that is accepted as it is, told apart by what the file system says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedSource {
    /// Its name in the data folder.
    pub file: String,
    /// Its length in bytes, and when it was written, in nanoseconds since 1970. `None`: there is no such file.
    pub state: Option<(u64, i64)>,
}

impl AcceptedSource {
    /// The length of the file at `path` and when it was written; `None` where there is none.
    pub fn state_of(path: &std::path::Path) -> Option<(u64, i64)> {
        use std::os::unix::fs::MetadataExt;
        let found = path.symlink_metadata().ok()?;
        let written = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
        Some((found.len(), written))
    }
}

/// A trigger, ready to be matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriggerEntry {
    /// What it looks at.
    pub kind: TriggerKind,
    /// The pattern as a person wrote it.
    pub pattern: String,
    /// The pattern made ready.
    pub compiled: Compiled,
    /// How many lessons of the manifest have it among their triggers. Relevance is its inverse.
    pub fanout: u32,
    /// The pattern's regular expression, once somebody has needed it.
    #[serde(skip)]
    pub once: Once,
}

/// A lesson, ready to be told. Triggers are positions in [`Manifest::triggers`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LessonEntry {
    /// When, where and how it fires.
    pub terms: Terms,
    /// The full text; see [`crate::render::lesson`].
    pub full: String,
    /// The short text.
    pub brief: String,
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Not JSON, or a field is missing.
    #[error("not a manifest: {0}")]
    Shape(#[from] serde_json::Error),
    /// Another format.
    #[error("its format is `{found}`, not `{FORMAT}`")]
    Format {
        /// What stands there.
        found: String,
    },
    /// Another version.
    #[error("its version is {found}; this program reads {VERSION}. Run `lessons build`")]
    Version {
        /// What stands there.
        found: u32,
    },
    /// Lessons are not in order, or one stands twice.
    #[error("lesson `{id}` stands twice or out of order")]
    Order {
        /// The lesson.
        id: String,
    },
    /// A lesson names a trigger that is not there.
    #[error("lesson `{id}` names trigger {trigger}, which is not there")]
    Trigger {
        /// The lesson.
        id: String,
        /// The position.
        trigger: u32,
    },
}

/// Whether a manifest that says so of itself is one of this program's.
fn check_version(format: &str, version: u32) -> Result<(), ManifestError> {
    if format != FORMAT {
        return Err(ManifestError::Format { found: format.to_owned() });
    }
    if version == VERSION { Ok(()) } else { Err(ManifestError::Version { found: version }) }
}

impl Manifest {
    /// An empty manifest with `settings`.
    pub fn new(settings: Settings, made_by: &str) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            made_by: made_by.to_owned(),
            settings,
            trusted: Vec::new(),
            news: Vec::new(),
            sources: None,
            triggers: Vec::new(),
            lessons: Vec::new(),
        }
    }

    /// Reads and checks a manifest. What passes can be used without further checks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|shape| former::no_manifest(bytes, shape))?;
        check_version(&manifest.format, manifest.version)?;
        if let Some(pair) = manifest.lessons.windows(2).find(|pair| pair[0].terms.id >= pair[1].terms.id) {
            return Err(ManifestError::Order { id: pair[1].terms.id.to_string() });
        }
        let known = manifest.triggers.len();
        for lesson in &manifest.lessons {
            let terms = &lesson.terms;
            let named = terms.triggers.iter().chain(&terms.also).chain(&terms.unless);
            if let Some(&trigger) = named.into_iter().find(|&&trigger| trigger as usize >= known) {
                return Err(ManifestError::Trigger { id: terms.id.to_string(), trigger });
            }
        }
        Ok(manifest)
    }

    /// Writes what is to be published: readable, a line for each trigger and each lesson, deterministic, one newline
    /// at the end. Writes little at a time.
    pub fn write(&self, mut to: impl Write) -> Result<(), serde_json::Error> {
        self.serialize(&mut serde_json::Serializer::with_formatter(&mut to, Lines::default()))?;
        to.write_all(b"\n").map_err(serde_json::Error::io)
    }

    /// The same as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }
}

/// Where a trigger matches a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The text that it looked at.
    pub text: String,
    /// What of it matched, in bytes; all of it for keywords and tools.
    pub matched: Range<usize>,
}

impl Manifest {
    /// Where a trigger matches a call, for somebody who wants to see it. `None` where it does not.
    pub fn spot(&self, trigger: u32, views: &Views<'_>, subject: Subject) -> Option<Spot> {
        self.triggers.get(trigger as usize)?.spot(views, subject)
    }
}

/// Each trigger is tried by looking for its literals first; only then is its pattern compiled.
///
/// [`Manifest::parse`] has checked every position. One beyond the end, in a manifest put together by
/// hand, panics.
impl Lessons for Manifest {
    type Damage = Infallible;

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn candidates(&self, _: &Views<'_>, _: &mut Outcomes) -> Result<Vec<u32>, Infallible> {
        Ok((0..u32::try_from(self.lessons.len()).unwrap_or(u32::MAX)).collect())
    }

    fn terms(&self, lesson: u32) -> Result<Cow<'_, Terms>, Infallible> {
        Ok(Cow::Borrowed(&self.lessons[lesson as usize].terms))
    }

    fn texts(&self, lesson: u32) -> Result<Texts<'_>, Infallible> {
        let entry = &self.lessons[lesson as usize];
        Ok(Texts { full: Cow::Borrowed(&entry.full), brief: Cow::Borrowed(&entry.brief) })
    }

    fn tries(&self, trigger: u32, views: &Views<'_>, subject: Subject) -> Result<Option<u32>, Infallible> {
        let trigger = &self.triggers[trigger as usize];
        Ok(trigger.holds(views, subject).then_some(trigger.fanout))
    }
}

impl TriggerEntry {
    /// Whether it matches. One that does not compile matches nothing; the builder has reported it.
    fn holds(&self, views: &Views<'_>, subject: Subject) -> bool {
        match &self.compiled {
            Compiled::Tool { name } => tool_name(name) == views.tool(),
            Compiled::Keyword { tokens } => views.with_words(tokens, subject).is_some(),
            Compiled::Regex { literals } => {
                let text_matches = |view: &View<'_>| {
                    let matches = may_match(view, literals)
                        && self.once.is_match(self.kind, &self.pattern, view.text());
                    matches.then_some(())
                };
                self.is_worth_trying(literals, views) && self.find(views, subject, text_matches).is_some()
            }
        }
    }

    /// Where it matches a call: the text that it looked at, and what of it matched.
    fn spot(&self, views: &Views<'_>, subject: Subject) -> Option<Spot> {
        let whole = |text: &str| Spot { text: text.to_owned(), matched: 0..text.len() };
        match &self.compiled {
            Compiled::Tool { name } => (tool_name(name) == views.tool()).then(|| whole(views.tool())),
            Compiled::Keyword { tokens } => views.with_words(tokens, subject).map(|view| whole(view.text())),
            Compiled::Regex { .. } => {
                // What is too large for the general engine still has an automaton, which does not know where.
                let regex = regex_of(self.kind, &self.pattern).ok();
                self.find(views, subject, |view| {
                    let text = view.text();
                    let matched = if let Some(regex) = &regex {
                        regex.find(text)?
                    } else {
                        self.once.is_match(self.kind, &self.pattern, text).then_some(0..text.len())?
                    };
                    Some(Spot { text: text.to_owned(), matched })
                })
            }
        }
    }

    fn find<'a, T>(
        &self,
        views: &Views<'a>,
        subject: Subject,
        test: impl FnMut(&View<'a>) -> Option<T>,
    ) -> Option<T> {
        views.find(self.kind, subject, test)
    }

    /// What stands in the path below a root stands in the absolute one too, so literals that are not there
    /// spare the search for the root.
    fn is_worth_trying(&self, literals: &[String], views: &Views<'_>) -> bool {
        let looks_at_paths = matches!(self.kind, TriggerKind::FileGlob | TriggerKind::PathPattern);
        !looks_at_paths || views.absolute().iter().any(|path| may_match(path, literals))
    }
}

/// Whether one of the literals, of which every match holds one, is there.
fn may_match(view: &View<'_>, literals: &[String]) -> bool {
    let holds = |literal: &String| memmem::find(view.lower().as_bytes(), literal.as_bytes()).is_some();
    literals.is_empty() || literals.iter().any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest manifest of this version. A change that breaks this line must raise [`VERSION`].
    const GOLDEN: &str = r#"{"format":"lesson-manifest","version":1,"made_by":"0.1.0",
        "settings":{"enabled":true,"budget_lessons":3,"budget_bytes":4096,"dedup_scope":"context","compaction_threshold":7},
        "trusted":[{"root":"/p","sha256":"00"}],
        "news":[{"id":"user/a","at":0,"by":"you, in a terminal","summary":"s"}],
        "triggers":[{"kind":"command_pattern","pattern":"\\bgit\\b","compiled":{"regex":{"literals":["git"]}},"fanout":1}],
        "lessons":[{"terms":{"id":"user/a","mode":"advise","when":"tool","priority":5,"created_at":"2026-01-01",
                    "triggers":[0],"subject":"command"},"full":"f\n","brief":"b\n"}]}"#;

    #[test]
    fn the_golden_manifest_is_read_and_round_trips() {
        let manifest = Manifest::parse(GOLDEN.as_bytes()).unwrap();
        assert_eq!(Manifest::parse(&manifest.to_bytes().unwrap()).unwrap(), manifest);
    }

    #[test]
    fn what_a_build_asks_of_a_manifest_stands_in_what_is_written_for_it() {
        let manifest = Manifest::parse(GOLDEN.as_bytes()).unwrap();
        let mut written = Vec::new();
        Former::write(&manifest, &mut written).unwrap();
        assert_eq!(Former::parse(&written).unwrap(), Former::parse(GOLDEN.as_bytes()).unwrap());
    }

    #[test]
    fn a_damaged_manifest_is_refused_by_name() {
        let broken = |from: &str, to: &str| {
            assert!(GOLDEN.contains(from), "{from}");
            Manifest::parse(GOLDEN.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
        };
        assert!(broken("\"version\":1", "\"version\":2").contains("version is 2"));
        assert!(broken("lesson-manifest", "other").contains("`other`"));
        assert!(broken("\"triggers\":[0]", "\"triggers\":[7]").contains("trigger 7"));
        assert!(broken("\"user/a\",\"mode\"", "\"../a\",\"mode\"").contains("not an id"));
        assert!(Manifest::parse(b"\xff\xfe{\0}\0").is_err());
    }

    #[test]
    fn a_manifest_of_another_version_is_told_from_a_corrupt_one_whatever_its_shape() {
        let later = r#"{"format":"lesson-manifest","version":7,"x":[],"lessons":[{"y":1}]}"#;
        let error = Manifest::parse(later.as_bytes()).unwrap_err();
        assert!(matches!(error, ManifestError::Version { found: 7 }), "{error}");
    }

    #[test]
    fn a_lesson_that_stands_twice_spoils_the_manifest() {
        let mut manifest = Manifest::parse(GOLDEN.as_bytes()).unwrap();
        manifest.lessons.push(manifest.lessons[0].clone());
        let error = Manifest::parse(&manifest.to_bytes().unwrap()).unwrap_err();
        assert!(matches!(error, ManifestError::Order { .. }), "{error}");
    }
}

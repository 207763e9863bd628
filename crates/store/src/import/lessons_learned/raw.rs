//! The fields of a lessons-learned manifest, version 1.
//!
//! ```json
//! { "type": "lessons-learned-manifest", "version": 1, "config": { … },
//!   "lessons": { "<id>": { "slug": "…", "type": "hint", "toolNames": ["Bash"],
//!     "commandRegexSources": [{ "source": "\\bgit\\b", "flags": "" }], … } } }
//! ```
//!
//! Unknown fields are skipped. An absent field has the default value of that tool; a field of the wrong type
//! makes its lesson unreadable and does not affect the others.

use serde::Deserialize;
use serde_json::Value;

/// The reason why a file is no readable manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableManifest {
    /// The file is not JSON, or not a manifest.
    #[error("line {line}, column {column}: {reason}; this is no manifest of lessons-learned")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// The error of the JSON reader.
        reason: String,
    },
    /// The file is another one of that tool, or of another tool.
    #[error("its `type` is `{found}`, not `{KIND}`; import the file `lesson-manifest.json` of that tool")]
    Kind {
        /// The type in the file.
        found: String,
    },
    /// The lessons have no ids.
    #[error("its `lessons` are a list and not lessons by id; this is no manifest of lessons-learned")]
    List,
    /// The file was written by a later release of that tool.
    #[error("it has version {found}, and this program reads {VERSION}; update lessons")]
    Version {
        /// The version in the file.
        found: String,
    },
}

/// The value of the field `type`.
const KIND: &str = "lessons-learned-manifest";
/// The version of manifests that can be read.
const VERSION: u64 = 1;

/// The fields of a lesson, or the reason why they cannot be read.
pub(super) type Entry = (String, Result<RawLesson, String>);

/// The lessons of a manifest by their ids.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Entry>, UnreadableManifest> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let file: File = serde_json::from_slice(bytes).map_err(|error| UnreadableManifest::Syntax {
        line: error.line(),
        column: error.column(),
        reason: error.to_string().split(" at line").next().unwrap_or_default().to_owned(),
    })?;
    if let Some(kind) = file.kind.filter(|kind| kind != KIND) {
        return Err(UnreadableManifest::Kind { found: super::shown(&kind) });
    }
    if let Some(version) = file.version.filter(|version| version.as_u64() != Some(VERSION)) {
        return Err(UnreadableManifest::Version { found: super::shown(&version.to_string()) });
    }
    let lessons = match file.lessons {
        Value::Null => serde_json::Map::new(),
        Value::Object(lessons) => lessons,
        // The store of that tool is a list.
        _ => return Err(UnreadableManifest::List),
    };
    let lesson = |value| serde_json::from_value(value).map_err(|error| error.to_string());
    Ok(lessons.into_iter().map(|(id, value)| (id, lesson(value))).collect())
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "type")]
    kind: Option<String>,
    version: Option<Value>,
    lessons: Value,
}

/// The fields of a lesson.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawLesson {
    pub(super) slug: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) priority: Option<f64>,
    pub(super) tool_names: Option<Vec<String>>,
    pub(super) command_regex_sources: Option<Vec<RawPattern>>,
    pub(super) command_match_target: Option<String>,
    pub(super) path_regex_sources: Option<Vec<RawPattern>>,
    pub(super) model_regex_sources: Option<Vec<RawPattern>>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) scope: Option<String>,
    pub(super) message: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) problem: Option<String>,
    pub(super) solution: Option<String>,
    pub(super) disabled: Option<bool>,
}

/// A regular expression of JavaScript with its flags.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct RawPattern {
    pub(super) source: String,
    #[serde(default)]
    pub(super) flags: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_of_the_wrong_shape_leaves_the_others_alone() {
        let entries = read(br#"{"lessons":{"a":{"slug":7},"b":{"slug":"b","unknown":[1]},"c":[]}}"#).unwrap();
        let good: Vec<_> = entries.iter().map(|(id, lesson)| (id.as_str(), lesson.is_ok())).collect();
        assert_eq!(good, [("a", false), ("b", true), ("c", false)]);
    }

    #[test]
    fn what_is_no_manifest_is_refused_with_the_reason() {
        for (text, part) in [
            ("", "line 1"),
            ("[]", "line 1"),
            ("{}", "lessons"),
            (r#"{"lessons":[]}"#, "lessons by id"),
            (r#"{"type":"other","lessons":{}}"#, "`other`"),
            (r#"{"version":2,"lessons":{}}"#, "version 2"),
        ] {
            let error = read(text.as_bytes()).map(drop).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_byte_order_mark_and_a_missing_header_are_no_obstacle() {
        assert_eq!(read("\u{feff}{\"lessons\":null}".as_bytes()).unwrap().len(), 0);
    }
}

//! The manifest that a build replaces.
//!
//! A build asks it what was in force, and what was new lately. Nobody matches with it, so nothing else is read; and its
//! index holds that alone once more, in a tenth of the bytes.

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::{FORMAT, Manifest, ManifestError, News, VERSION, check_version};
use crate::id::QualifiedId;

/// What a build asks of a manifest of this version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Former {
    format: String,
    version: u32,
    /// Lessons that had become active lately, newest first.
    pub news: Vec<News>,
    lessons: Vec<FormerLesson>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct FormerLesson {
    terms: FormerTerms,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct FormerTerms {
    id: QualifiedId,
}

/// What [`Former`] reads of a manifest, on its way out.
#[derive(Serialize)]
struct Abridged<'m> {
    format: &'m str,
    version: u32,
    news: &'m [News],
    lessons: Vec<AbridgedLesson<'m>>,
}

#[derive(Serialize)]
struct AbridgedLesson<'m> {
    terms: AbridgedTerms<'m>,
}

#[derive(Serialize)]
struct AbridgedTerms<'m> {
    id: &'m QualifiedId,
}

impl Former {
    /// Writes `manifest` with nothing in it but what [`Former::parse`] reads.
    pub fn write(manifest: &Manifest, to: impl Write) -> Result<(), serde_json::Error> {
        let lessons = manifest
            .lessons
            .iter()
            .map(|lesson| AbridgedLesson { terms: AbridgedTerms { id: &lesson.terms.id } });
        let Manifest { format, version, news, .. } = manifest;
        serde_json::to_writer(to, &Abridged { format, version: *version, news, lessons: lessons.collect() })
    }

    /// Reads a manifest, or what [`Former::write`] wrote of it.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let former: Self = serde_json::from_slice(bytes).map_err(|shape| no_manifest(bytes, shape))?;
        check_version(&former.format, former.version)?;
        Ok(former)
    }

    /// The lessons that were in force.
    pub fn ids(&self) -> impl Iterator<Item = &QualifiedId> {
        self.lessons.iter().map(|lesson| &lesson.terms.id)
    }
}

/// Why bytes of some `shape` are no manifest: one of another version has another one.
pub(super) fn no_manifest(bytes: &[u8], shape: serde_json::Error) -> ManifestError {
    #[derive(Deserialize)]
    struct Beginning {
        format: String,
        version: u32,
    }
    match serde_json::from_slice(bytes) {
        Ok(Beginning { format, version }) if format == FORMAT && version != VERSION => {
            ManifestError::Version { found: version }
        }
        _ => shape.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: &str = r#"{"terms":{"id":"user/a","triggers":[7]},"full":1}"#;

    fn manifest(version: u32, lesson: &str) -> Vec<u8> {
        format!(r#"{{"format":"{FORMAT}","version":{version},"news":[],"lessons":[{lesson}]}}"#).into_bytes()
    }

    #[test]
    fn a_build_reads_what_was_in_force_and_no_more() {
        let former = Former::parse(&manifest(VERSION, LESSON)).unwrap();
        assert_eq!(former.ids().map(ToString::to_string).collect::<Vec<_>>(), ["user/a"]);
        assert!(matches!(Former::parse(b"{}"), Err(ManifestError::Shape(_))));
    }

    #[test]
    fn another_version_is_named_whatever_its_shape() {
        for lesson in [LESSON, r#"{"name":"a"}"#] {
            let error = Former::parse(&manifest(VERSION + 1, lesson)).unwrap_err();
            assert!(matches!(error, ManifestError::Version { found } if found == VERSION + 1), "{error}");
        }
    }
}

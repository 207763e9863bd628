//! The manifest that a build replaces.
//!
//! A build asks it what a person has accepted, what was in force, and what was new lately. Nobody matches with it, so
//! nothing else is read; and its index holds that alone once more, in a tenth of the bytes.

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
    digest: String,
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
    digest: &'m str,
}

#[derive(Serialize)]
struct AbridgedTerms<'m> {
    id: &'m QualifiedId,
}

impl Former {
    /// Writes `manifest` with nothing in it but what [`Former::parse`] reads.
    pub fn write(manifest: &Manifest, to: impl Write) -> Result<(), serde_json::Error> {
        let lessons = manifest.lessons.iter().map(|lesson| AbridgedLesson {
            terms: AbridgedTerms { id: &lesson.terms.id },
            digest: &lesson.digest,
        });
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

    /// Their digests.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.lessons.iter().map(|lesson| lesson.digest.as_str())
    }
}

/// What a manifest of any version says about what a person has accepted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Accepted {
    format: String,
    /// The version of the format.
    pub version: u32,
    lessons: Vec<AcceptedLesson>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct AcceptedLesson {
    digest: String,
}

impl Accepted {
    /// Reads a manifest of any version.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let accepted: Self = serde_json::from_slice(bytes)?;
        if accepted.format != FORMAT {
            return Err(ManifestError::Format { found: accepted.format });
        }
        Ok(accepted)
    }

    /// The digests of its lessons.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.lessons.iter().map(|lesson| lesson.digest.as_str())
    }
}

/// Why bytes of some `shape` are no manifest: one of another version has another one.
pub(super) fn no_manifest(bytes: &[u8], shape: serde_json::Error) -> ManifestError {
    match Accepted::parse(bytes) {
        Ok(Accepted { version, .. }) if version != VERSION => ManifestError::Version { found: version },
        _ => shape.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: &str = r#"{"terms":{"id":"user/a","triggers":[7]},"digest":"d","full":1}"#;

    fn manifest(version: u32, lesson: &str) -> Vec<u8> {
        format!(r#"{{"format":"{FORMAT}","version":{version},"news":[],"lessons":[{lesson}]}}"#).into_bytes()
    }

    #[test]
    fn a_build_reads_what_was_in_force_and_accepted_and_no_more() {
        let former = Former::parse(&manifest(VERSION, LESSON)).unwrap();
        assert_eq!(former.ids().map(ToString::to_string).collect::<Vec<_>>(), ["user/a"]);
        assert_eq!(former.digests().collect::<Vec<_>>(), ["d"]);
        assert!(matches!(Former::parse(b"{}"), Err(ManifestError::Shape(_))));
    }

    #[test]
    fn of_another_version_what_was_accepted_is_known() {
        for lesson in [LESSON, r#"{"name":"a","digest":"d"}"#] {
            let bytes = manifest(VERSION + 1, lesson);
            let error = Former::parse(&bytes).unwrap_err();
            assert!(matches!(error, ManifestError::Version { found } if found == VERSION + 1), "{error}");
            assert_eq!(Accepted::parse(&bytes).unwrap().digests().collect::<Vec<_>>(), ["d"]);
        }
    }
}

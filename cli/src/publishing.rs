//! Putting a manifest and its index in the place where hooks look.

use std::io;
use std::os::unix::fs::MetadataExt;

use anyhow::{Context, Result, ensure};
use lessons_core::files;
use lessons_core::home::Home;
use lessons_core::index::header::Identity;
use lessons_core::manifest::{self, Manifest};
use lessons_manifest_builder::index;
use lessons_manifest_builder::patterns::Patterns;
use lessons_store::durable;
use lessons_store::lock::Lock;

/// The most bytes of an index that are looked at for what need not be worked out again.
const INDEX_LIMIT: u64 = 4 << 30;

/// Publishes `manifest`, then its index. Between the two, and after a death between the two, hooks see that
/// the index is not of this manifest, and read the manifest itself.
pub fn publish(home: &Home, _lock: &Lock, manifest: &Manifest, patterns: &Patterns) -> Result<()> {
    let bytes = manifest.to_bytes().context("the manifest")?;
    ensure!(
        bytes.len() as u64 <= manifest::MAX_BYTES,
        "the manifest would have {} bytes, more than the {} that hooks read; deprecate some lessons",
        bytes.len(),
        manifest::MAX_BYTES
    );
    let draft = index::draft(manifest, &bytes, patterns)?;
    durable::replace(&home.manifest(), &bytes)?;
    let index = draft.finish(identity(home).with_context(|| home.manifest().display().to_string())?);
    durable::replace(&home.index(), &index)?;
    Ok(())
}

/// What the index in force knows of patterns. An index that cannot be used knows nothing.
pub fn known_patterns(home: &Home) -> Patterns {
    match files::read(&home.index(), INDEX_LIMIT) {
        Ok(Some(bytes)) => Patterns::of_index(bytes).unwrap_or_default(),
        Ok(None) | Err(_) => Patterns::default(),
    }
}

/// Which file the manifest has become.
fn identity(home: &Home) -> io::Result<Identity> {
    let found = home.manifest().symlink_metadata()?;
    Ok(Identity {
        inode: found.ino(),
        size: found.size(),
        seconds: found.mtime(),
        nanoseconds: u32::try_from(found.mtime_nsec()).unwrap_or(0),
    })
}

//! Putting a manifest and its index in the place where hooks look.

use std::fs::Metadata;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lessons_core::home::Home;
use lessons_core::index::header::Identity;
use lessons_core::manifest::{self, Manifest};
use lessons_manifest_builder::index::{self, Published};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::summed::PIECE_BYTES;
use lessons_store::durable::{Finished, Unfinished};
use lessons_store::lock::Lock;
use lessons_store::mapped;
use sha2::{Digest, Sha256};
/// The most bytes of an index that a build or `doctor` looks at.
pub const INDEX_LIMIT: u64 = 4 << 30;

/// Publishes `manifest`, then its index. Between the two, and after a death between the two, hooks see that
/// the index is not of this manifest, and read the manifest itself. That is why both are written before one of them
/// takes its place.
pub fn publish(home: &Home, _lock: &Lock, manifest: &Manifest, patterns: &Patterns) -> Result<()> {
    let (path, index_path) = (home.manifest(), home.index());
    let (finished, digest) = written(manifest, &path)?;
    let file = finished.metadata()?;
    ensure!(
        file.len() <= manifest::MAX_BYTES,
        "the manifest would have {} bytes, more than the {} that hooks read; deprecate some lessons",
        file.len(),
        manifest::MAX_BYTES
    );
    let published = Published { file: identity(&file), digest };
    let mut index = Unfinished::begin(&index_path)?;
    index::write(manifest, published, patterns, &mut index)
        .with_context(|| format!("cannot write {}", index_path.display()))?;
    let index = index.finish()?;
    finished.publish()?;
    Ok(index.publish()?)
}

/// Writes a manifest beside the one that it is to replace. Returns it with the digest of its bytes.
fn written(manifest: &Manifest, path: &Path) -> Result<(Finished, [u8; 32])> {
    let mut hashing = BufWriter::with_capacity(PIECE_BYTES, Hashing::new(Unfinished::begin(path)?));
    let context = || format!("cannot write {}", path.display());
    manifest.write(&mut hashing).with_context(context)?;
    let Hashing { to, sha256 } =
        hashing.into_inner().map_err(IntoInnerError::into_error).with_context(context)?;
    Ok((to.finish()?, sha256.finalize().into()))
}

/// Hashes what it passes on.
struct Hashing<W> {
    to: W,
    sha256: Sha256,
}

impl<W> Hashing<W> {
    fn new(to: W) -> Self {
        Self { to, sha256: Sha256::new() }
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sha256.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// What the index in force knows of patterns. An index that cannot be used knows nothing.
pub fn known_patterns(home: &Home) -> Patterns {
    match mapped::read(&home.index(), INDEX_LIMIT) {
        Ok(Some(bytes)) => Patterns::of_index(&bytes).unwrap_or_default(),
        Ok(None) | Err(_) => Patterns::default(),
    }
}

/// Which file the manifest is.
fn identity(found: &Metadata) -> Identity {
    Identity {
        inode: found.ino(),
        size: found.size(),
        seconds: found.mtime(),
        nanoseconds: u32::try_from(found.mtime_nsec()).unwrap_or(0),
    }
}

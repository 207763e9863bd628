//! Putting a manifest and its index in the place where hooks look.

use std::fs::Metadata;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lessons_core::home::Home;
use lessons_core::index::header::Identity;
use lessons_core::manifest::{self, AcceptedSource, Manifest};
use lessons_manifest_builder::index::whole::Whole;
use lessons_manifest_builder::index::{self, Published};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::summed::PIECE_BYTES;
use lessons_store::durable::{Finished, Unfinished};
use lessons_store::lock::Lock;
use lessons_store::mapped;
use sha2::{Digest, Sha256};

/// The most bytes of an index that a build or `doctor` looks at.
pub const INDEX_LIMIT: u64 = 4 << 30;

/// A manifest and its index, beside those that they are to replace.
pub struct Written<'l> {
    manifest: Finished,
    index: Unfinished,
    _lock: &'l Lock,
}

/// Writes `manifest` and its index.
pub fn write<'l>(
    home: &Home,
    lock: &'l Lock,
    manifest: &Manifest,
    patterns: &Patterns,
) -> Result<Written<'l>> {
    let (unfinished, digest) = write_manifest(manifest, &home.manifest())?;
    let file = unfinished.metadata()?;
    ensure!(
        file.len() <= manifest::MAX_BYTES,
        "the manifest would have {} bytes, more than the {} that hooks read; deprecate some lessons",
        file.len(),
        manifest::MAX_BYTES
    );
    let published = Published { file: Identity::of(&file), digest };
    let write_index = || -> Result<Unfinished> {
        let mut index = Unfinished::begin(&home.index())?;
        index::write(manifest, published, patterns, &mut index)
            .with_context(|| format!("cannot write {}", home.index().display()))?;
        Ok(index)
    };
    let (finished, index) = unfinished.finish_while(write_index);
    // Hooks read the index alone: without it nothing would come into force.
    Ok(Written { manifest: finished?, index: index?, _lock: lock })
}

impl Written<'_> {
    /// What the system says of the manifest.
    pub fn manifest(&self) -> Result<Metadata> {
        Ok(self.manifest.metadata()?)
    }

    /// Puts the manifest in its place, then the index: with that it is in force. What a death between the two leaves,
    /// the next session start sees and has made anew. `meanwhile` is done while the disk takes the index.
    pub fn publish_while<T>(self, meanwhile: impl FnOnce() -> T) -> Result<T> {
        let (index, done) = self.index.finish_while(meanwhile);
        let index = index?;
        self.manifest.publish()?;
        index.publish()?;
        Ok(done)
    }
}

/// What the file system says of a file of the data folder now.
pub fn source(path: &Path) -> AcceptedSource {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    AcceptedSource { file, state: AcceptedSource::state_of(path) }
}

/// Writes a manifest beside the one that it is to replace. Returns it with the digest of its bytes.
fn write_manifest(manifest: &Manifest, path: &Path) -> Result<(Unfinished, [u8; 32])> {
    let mut hashing = BufWriter::with_capacity(PIECE_BYTES, Hashing::new(Unfinished::begin(path)?));
    let context = || format!("cannot write {}", path.display());
    manifest.write(&mut hashing).with_context(context)?;
    let hashing = hashing.into_inner().map_err(IntoInnerError::into_error).with_context(context)?;
    Ok((hashing.to, hashing.sha256.finalize().into()))
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

/// The index in force. One that cannot be used is none: what it knows can be worked out again.
pub fn index_in_force(home: &Home) -> Option<Whole> {
    let bytes = mapped::read(&home.index(), INDEX_LIMIT).ok()??;
    Whole::of(bytes).ok()
}

/// What the index in force knows of patterns.
pub fn known_patterns(home: &Home) -> Patterns {
    index_in_force(home).and_then(|whole| whole.patterns().ok()).unwrap_or_default()
}

/// Whether an index was made of the file that is the manifest now.
pub fn is_of_manifest(whole: &Whole, home: &Home) -> bool {
    home.manifest().symlink_metadata().is_ok_and(|found| Identity::of(&found) == whole.header().manifest)
}

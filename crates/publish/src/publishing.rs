//! Publishing: putting a manifest and its index in their places.

use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::Path;

use lessons_context::error::{Error, Result, WhileDoing as _};
use lessons_home::{Home, files};
use lessons_index::manifest::AcceptedSource;
use lessons_index::{Identity, Manifest, manifest};
use lessons_manifest_builder::index::{self, LoadedIndex, ManifestFile};
use lessons_manifest_builder::patterns::Patterns;
use lessons_manifest_builder::summed::PIECE_BYTES;
use lessons_store::durable::{Finished, Unfinished};
use lessons_store::{Lock, durable::mapped};
use lessons_text::digest::hex_of;
use sha2::{Digest, Sha256};

/// The largest index that a build or `doctor` reads, in bytes.
pub const INDEX_LIMIT: u64 = 4 << 30;

/// A manifest and its index, written beside the files that they replace.
pub struct Written<'l> {
    manifest: Finished,
    index: Finished,
    _lock: &'l Lock,
}

/// Writes `manifest` and its index beside the files that they replace.
pub fn write<'l>(
    home: &Home,
    lock: &'l Lock,
    manifest: &Manifest,
    patterns: &Patterns,
) -> Result<Written<'l>> {
    let (unfinished, digest) = write_manifest(manifest, &home.manifest())?;
    let file = unfinished.metadata()?;
    if file.len() > manifest::MAX_BYTES {
        return Err(Error::Failed(format!(
            "the manifest would have {} bytes, more than the {} that hooks read; retire some lessons",
            file.len(),
            manifest::MAX_BYTES
        )));
    }
    let file = ManifestFile { identity: Identity::of(&file), digest };
    let write_index = || {
        let mut index = Unfinished::anew(&home.index())?;
        index::write(manifest, file, patterns, &mut index)
            .map_err(Error::of)
            .while_doing(|| format!("cannot write {}", home.index().display()))?;
        Ok::<_, Error>(index)
    };
    // The disk writes the manifest while the index is computed.
    let (finished, index) = unfinished.finish_while(write_index);
    Ok(Written { manifest: finished?, index: index?.finish()?, _lock: lock })
}

impl Written<'_> {
    /// Renames the manifest into its place, then the index. The rename of the index is the moment at which the build takes
    /// effect, since hooks read nothing else. After a death between the two renames the index of the build before is still in
    /// force; the next command sees that it does not belong to the manifest, and builds again.
    pub fn publish(self) -> Result<()> {
        self.manifest.publish()?;
        Ok(self.index.publish()?)
    }
}

/// The name and the current state of a file of the data folder. One that cannot be read has no content.
pub fn source(path: &Path) -> AcceptedSource {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let state = AcceptedSource::state_of(path);
    let content = files::read(path, manifest::MAX_BYTES).ok().flatten();
    let sha256 = content.map(|bytes| hex_of(&Sha256::digest(bytes), 64)).unwrap_or_default();
    AcceptedSource { file, state, sha256 }
}

/// Writes a manifest beside the file that it replaces. Returns the file and its SHA-256 digest.
fn write_manifest(manifest: &Manifest, path: &Path) -> Result<(Unfinished, [u8; 32])> {
    let hashing = Hashing { to: Unfinished::anew(path)?, sha256: Sha256::new() };
    let mut hashing = BufWriter::with_capacity(PIECE_BYTES, hashing);
    let doing = || format!("cannot write {}", path.display());
    manifest.write(&mut hashing).while_doing(doing)?;
    let hashing = hashing.into_inner().map_err(IntoInnerError::into_error).while_doing(doing)?;
    Ok((hashing.to, hashing.sha256.finalize().into()))
}

/// A file that hashes the bytes which are written to it.
struct Hashing {
    to: Unfinished,
    sha256: Sha256,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sha256.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The index in force. An unusable index counts as none, since a build computes its content again.
pub fn index_in_force(home: &Home) -> Option<LoadedIndex> {
    let bytes = mapped::read(&home.index(), INDEX_LIMIT).ok()??;
    LoadedIndex::parse_whole(bytes).ok()
}

/// Whether an index was made of the file that is the manifest now.
pub fn is_of_manifest(index: &LoadedIndex, home: &Home) -> bool {
    home.manifest().symlink_metadata().is_ok_and(|found| Identity::of(&found) == index.header().manifest)
}

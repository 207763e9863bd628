//! Sharing: where an event goes, what may leave this machine, and what its reader is shown before.

use std::path::Path;

use lessons_context::context::Context;
use lessons_context::error::{Error, Result};
use lessons_context::random;
use lessons_ledger::database::Database;
use lessons_ledger::shared_files;
use lessons_share::event::{Unsigned, Verified};
use lessons_share::key::SecretKey;
use lessons_store::lock::Lock;
use lessons_store::{identity, shared_folder};
use zeroize::Zeroizing;

/// The key of this machine, made now if there is none.
pub fn key(lock: &Lock) -> Result<SecretKey> {
    identity::ensure(lock, &Zeroizing::new(random::bytes()?)).map_err(Error::of)
}

/// Signs an event. The randomness is the system's.
pub fn signed(unsigned: Unsigned, key: &SecretKey) -> Result<Verified> {
    unsigned.sign(key, &random::bytes()?).map_err(Error::of)
}

/// Writes an event into its file in `folder`. Returns the path.
pub fn write(
    context: &Context,
    lock: &Lock,
    action: &str,
    folder: &Path,
    event: &Verified,
) -> Result<String> {
    let path = shared_folder::file_of(folder, event.id());
    let mut database = Database::open(&context.home)?;
    shared_files::add(lock, &mut database, &context.deed(action), &path, &event.to_json())?;
    Ok(path.display().to_string())
}

/// The date of an event that is made now, in seconds since 1970: after `last`, so that it counts.
pub fn date(context: &Context, last: u64) -> u64 {
    (context.now_ms() / 1000).max(last.saturating_add(1))
}

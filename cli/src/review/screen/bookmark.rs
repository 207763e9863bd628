//! The candidate at which the last review stopped.
//!
//! Only the first digits of its id are stored: an id is a hash of a text, and a forgotten text must not be
//! recognisable by its hash.

use anyhow::Result;
use lessons_home::files;
use lessons_ledger::candidates::MIN_PREFIX;
use lessons_store::durable;

use crate::app::App;
use crate::review::candidate_details::FullDetails;

/// The most bytes of the bookmark file that are read.
const LIMIT: u64 = 64;

/// The position among `candidates` at which the last review stopped; 0 if unknown.
pub(super) fn position(app: &App, candidates: &[FullDetails]) -> usize {
    let Ok(Some(bytes)) = files::read(&app.home.bookmark(), LIMIT) else { return 0 };
    let text = String::from_utf8_lossy(&bytes);
    let start = text.trim();
    let is_meant =
        |details: &FullDetails| start.len() >= MIN_PREFIX && details.candidate.id.starts_with(start);
    candidates.iter().position(is_meant).unwrap_or(0)
}

/// Stores the id of the candidate at which the review stopped; `None` removes the bookmark.
pub(super) fn put(app: &App, candidate: Option<&str>) -> Result<()> {
    let file = app.home.bookmark();
    match candidate.and_then(|id| id.get(..MIN_PREFIX)) {
        Some(start) => durable::replace(&file, format!("{start}\n").as_bytes())?,
        None => durable::remove(&file)?,
    }
    Ok(())
}

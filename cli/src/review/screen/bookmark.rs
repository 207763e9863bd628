//! Where the person was.
//!
//! The start of a candidate's id is kept, and no more of it: an id is a hash of a text, and a text that is
//! forgotten must not be found again by its hash.

use anyhow::Result;
use lessons_core::files;
use lessons_store::candidates::MIN_PREFIX;
use lessons_store::durable;

use crate::app::App;
use crate::review::dossier::Whole;

/// The most bytes of the file that are read.
const LIMIT: u64 = 64;

/// Where among `candidates` the person left; 0 where that is not known.
pub fn position(app: &App, candidates: &[Whole]) -> usize {
    let Ok(Some(bytes)) = files::read(&app.home.bookmark(), LIMIT) else { return 0 };
    let text = String::from_utf8_lossy(&bytes);
    let start = text.trim();
    let is_meant = |whole: &Whole| start.len() >= MIN_PREFIX && whole.candidate.id.starts_with(start);
    candidates.iter().position(is_meant).unwrap_or(0)
}

/// Keeps where the person leaves; `None` where nothing is left.
pub fn put(app: &App, candidate: Option<&str>) -> Result<()> {
    let file = app.home.bookmark();
    match candidate.and_then(|id| id.get(..MIN_PREFIX)) {
        Some(start) => durable::replace(&file, format!("{start}\n").as_bytes())?,
        None => durable::remove(&file)?,
    }
    Ok(())
}

//! Compaction: what a context forgets when the client summarises it.

use lessons_index::{Corrupt, Index};
use lessons_lesson::{QualifiedId, Quality};

use crate::claims::{SessionClaims, SessionFolder};

/// Forgets the claims of told lessons whose priority, as it is now, is at or above the threshold of the settings, those
/// of critical quality, those of told lessons that are in force no more, and those of all bumps.
pub fn forget(index: &Index<'_>, claims: &SessionClaims<SessionFolder>) -> Result<(), Corrupt> {
    claims.forget(&below_threshold(index)?);
    Ok(())
}

/// The lessons in force whose priority is below the threshold and whose quality is not critical. It reads every lesson, which takes longer than a call
/// may, and much less than a compaction does.
fn below_threshold(index: &Index<'_>) -> Result<Vec<QualifiedId>, Corrupt> {
    let mut lessons = Vec::new();
    index.each_rule(|rule| lessons.push(rule.lesson))?;
    let mut below = Vec::new();
    for lesson in lessons {
        let terms = index.terms(lesson)?;
        let is_below = terms.priority < index.settings().compaction_threshold;
        if is_below && terms.quality != Quality::Critical {
            below.push(terms.id);
        }
    }
    Ok(below)
}

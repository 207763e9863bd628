//! Compaction: what a context forgets when the client summarises it.

use lessons_index::{Corrupt, Index};
use lessons_lesson::Quality;

use crate::claims::{SessionClaims, SessionFolder};

/// Forgets the claims of told lessons whose priority, as it is now, is at or above the threshold of the settings, those
/// of critical quality, those of told lessons that are in force no more, and those of all bumps. It reads every lesson, which
/// takes longer than a call may, and much less than a compaction does.
pub fn forget(index: &Index<'_>, claims: &SessionClaims<SessionFolder>) -> Result<(), Corrupt> {
    let mut lessons = Vec::new();
    index.each_rule(|rule| lessons.push(rule.lesson))?;
    let mut kept = Vec::new();
    for lesson in lessons {
        let terms = index.terms(lesson)?;
        let is_below = terms.priority < index.settings().compaction_threshold;
        if is_below && terms.quality != Quality::Critical {
            kept.push(terms.id);
        }
    }
    claims.forget(&kept);
    Ok(())
}

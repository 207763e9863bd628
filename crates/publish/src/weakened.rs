//! Bumps and blocks that a command weakened: switched off, retired or made a reminder. The user is told of each at the next
//! session start, whoever did it, and by `lessons status` while it lasts.

use std::collections::BTreeSet;

use lessons_context::context::Context;
use lessons_index::manifest::{Manifest, Weakened, Weakening};
use lessons_lesson::id::{Layer, QualifiedId};

use crate::previous::refusals;

/// The time for which the user is told of a lesson that no switch brings back, in milliseconds: 30 days. What was decided
/// longer ago is no news.
const KEPT: u64 = 30 * 24 * 3600 * 1000;

/// The lessons that stopped calls before a build and do not any more, because somebody decided so. `is_off` says which are
/// switched off for good.
pub fn since(
    context: &Context,
    previous: Option<&Manifest>,
    manifest: &Manifest,
    is_off: &dyn Fn(&QualifiedId) -> bool,
) -> Vec<Weakened> {
    let Some(previous) = previous else { return Vec::new() };
    let weakened = &previous.weakened;
    let now = context.now_ms();
    let settings = &manifest.settings;
    let everything_off = !lessons_decide::answer::in_force(settings, &now);
    let how = |id: &QualifiedId| {
        let terms = manifest.lessons.iter().map(|lesson| &lesson.terms).find(|terms| terms.id == *id);
        match terms {
            // A built-in lesson changes with an update.
            Some(terms) if !terms.mode.refuses() => (id.layer != Layer::Seed).then_some(Weakening::Reminds),
            Some(terms) if terms.is_off(&now) => Some(Weakening::Off { until: terms.off_until }),
            Some(_) => everything_off.then_some(Weakening::Off { until: settings.off_until }),
            None if manifest.lost_refusals.iter().any(|lost| lost.id == *id) => None,
            None if is_off(id) => Some(Weakening::Off { until: None }),
            None => (id.layer != Layer::Seed).then_some(Weakening::Gone),
        }
    };
    let ids: BTreeSet<_> = refusals(previous).chain(weakened.iter().map(|known| &known.id)).collect();
    let all = ids.into_iter().filter_map(|id| {
        let how = how(id)?;
        let known = weakened.iter().find(|known| known.id == *id && known.how == how).cloned();
        Some(known.unwrap_or_else(|| Weakened { id: id.clone(), at: now, by: context.actor.words(), how }))
    });
    let is_kept = |it: &Weakened| matches!(it.how, Weakening::Off { .. }) || now.saturating_sub(it.at) < KEPT;
    all.filter(is_kept).collect()
}

//! News: the lessons that came into force lately, of which the user is told at the start of a session.

use std::collections::HashSet;

use lessons_context::context::Context;
use lessons_index::manifest::{Manifest, News};
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_manifest_builder::compile::Built;
use lessons_store::graph::Graph;
use lessons_text::neutral;

use crate::peer_lessons::Colleague;

/// The time for which news are kept, in milliseconds: a week.
const KEPT: u64 = 7 * 24 * 3600 * 1000;
/// The most news that are kept.
const MOST: usize = 20;

/// The news for the next session start: lessons that came into force since the build before, and news that are kept.
pub fn since(
    context: &Context,
    previous: Option<&Manifest>,
    built: &Built,
    accepted: &Graph,
    colleagues: &[Colleague],
) -> Vec<News> {
    let now = context.now_ms();
    // Without a readable index it is unknown which lessons are new.
    let Some(previous) = previous else { return Vec::new() };
    let before: HashSet<&QualifiedId> = previous.lessons.iter().map(|lesson| &lesson.terms.id).collect();
    let told = &previous.news;
    let sources = Sources { accepted, colleagues };
    let fresh = built
        .manifest
        .lessons
        .iter()
        .map(|lesson| &lesson.terms.id)
        .filter(|id| matches!(id.layer, Layer::User | Layer::Peer(_)))
        .filter(|id| !before.contains(id) && !told.iter().any(|news| news.id == **id))
        .map(|id| News {
            id: id.clone(),
            at: now,
            by: sources.by(id, context),
            summary: sources.summary(id),
        });
    let still = |news: &&News| {
        now.saturating_sub(news.at) < KEPT
            && built.manifest.lessons.iter().any(|lesson| lesson.terms.id == news.id)
    };
    let kept = told.iter().filter(still).cloned();
    // The summary is worded again from the lesson: a text that was erased meanwhile must not survive in the news.
    let kept = kept.map(|news| News { summary: sources.summary(&news.id), ..news });
    fresh.chain(kept).take(MOST).collect()
}

/// The lessons that news are about.
struct Sources<'s> {
    accepted: &'s Graph,
    colleagues: &'s [Colleague],
}

impl Sources<'_> {
    fn colleague(&self, id: &QualifiedId) -> Option<&Colleague> {
        let Layer::Peer(prefix) = &id.layer else { return None };
        self.colleagues.iter().find(|colleague| colleague.prefix == *prefix)
    }

    /// Who switched a lesson on, in words.
    fn by(&self, id: &QualifiedId, context: &Context) -> String {
        match self.colleague(id) {
            Some(colleague) => format!("{}, whose lessons you take automatically", colleague.name),
            None => context.actor.words(),
        }
    }

    fn summary(&self, id: &QualifiedId) -> String {
        let lesson = match self.colleague(id) {
            Some(colleague) => colleague.lessons.iter().find(|lesson| lesson.id == id.id),
            None => self.accepted.get(&id.id),
        };
        lesson.map(|lesson| neutral::line(&lesson.one_line())).unwrap_or_default()
    }
}

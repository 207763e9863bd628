//! What differs from before a build: lessons that came into force, of which the user is told at the next session start and
//! running sessions at a call; bumps and blocks that a command weakened, of which the user is told whoever did it, and by
//! `lessons status` while it lasts; refusals that the build loses without a person's decision, of which the user is told at
//! every session start.

use std::collections::{BTreeSet, HashMap, HashSet};

use lessons_context::{Actor, Context, Result};
use lessons_home::{Home, files};
use lessons_index::manifest::{LateLesson, LostRefusal, News, Weakened, Weakening};
use lessons_index::{LessonEntry, Manifest, Settings, manifest};
use lessons_ledger::Database;
use lessons_lesson::{Layer, Lesson, LessonId, ProjectHash, QualifiedId, Status, Terms, When};
use lessons_manifest_builder::compile::Built;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_manifest_builder::report::Reason;
use lessons_store::decisions::trust::COPY_UNUSABLE;
use lessons_store::{Approved, Graph, Snapshot};
use lessons_text::neutral;

use crate::peer_lessons::AutoPeer;
use crate::publishing;

/// The time for which news are kept, in milliseconds: a week.
const NEWS_KEPT: u64 = 7 * 24 * 3600 * 1000;
/// The most news that are kept.
const MOST: usize = 20;

/// The news for the next session start: lessons that came into force since the build before, and news that are kept. What
/// background work finds in force, after a lost index, was decided by whoever changed it last.
pub fn news(
    context: &Context,
    database: &Database,
    previous: &Manifest,
    built: &Manifest,
    accepted: &Graph,
    auto_peers: &[AutoPeer],
) -> Vec<News> {
    let now = context.now_ms();
    let before: HashSet<&QualifiedId> = previous.lessons.iter().map(|lesson| &lesson.terms.id).collect();
    let told = &previous.news;
    let peer = |id: &QualifiedId| match &id.layer {
        Layer::Peer(prefix) => auto_peers.iter().find(|peer| peer.prefix == *prefix),
        _ => None,
    };
    let decided = |id: &QualifiedId| {
        let last = (context.actor == Actor::Background).then(|| database.last_change_of_lesson(&id.id));
        last.and_then(|last| Some(last.ok()??.actor)).unwrap_or_else(|| context.author())
    };
    let taken = |peer: &AutoPeer| format!("{}, whose lessons you take automatically", peer.name);
    let by = |id: &QualifiedId| peer(id).map_or_else(|| decided(id), taken);
    let summary = |id: &QualifiedId| {
        let lesson = match peer(id) {
            Some(peer) => peer.lessons.iter().find(|lesson| lesson.id == id.id),
            None => accepted.get(&id.id),
        };
        lesson.map(|lesson| neutral::line(&lesson.one_line())).unwrap_or_default()
    };
    let fresh = built
        .lessons
        .iter()
        .map(|lesson| &lesson.terms.id)
        .filter(|id| matches!(id.layer, Layer::User | Layer::Peer(_)))
        .filter(|id| !before.contains(id) && !told.iter().any(|news| news.id == **id))
        .map(|id| News { id: id.clone(), at: now, by: by(id), summary: summary(id) });
    let still = |news: &&News| {
        now.saturating_sub(news.at) < NEWS_KEPT
            && built.lessons.iter().any(|lesson| lesson.terms.id == news.id)
    };
    let kept = told.iter().filter(still).cloned();
    // The summary is worded again from the lesson: a text that was erased meanwhile must not survive in the news.
    let kept = kept.map(|news| News { summary: summary(&news.id), ..news });
    fresh.chain(kept).take(MOST).collect()
}

/// The lessons of a build at `now` that running sessions have to be told at a call, newest first. A built-in lesson comes
/// with a new version, and can wait for the next session.
pub fn late_lessons(previous: &Manifest, built: &Manifest, now: u64) -> Vec<LateLesson> {
    let before: BTreeSet<&QualifiedId> = at_start(previous).map(|lesson| &lesson.terms.id).collect();
    let lessons = || at_start(built);
    let fresh = lessons()
        .filter(|lesson| lesson.terms.id.layer != Layer::Seed && !before.contains(&lesson.terms.id))
        .map(|lesson| LateLesson { id: lesson.terms.id.clone(), at: now });
    let is_still =
        |late: &&LateLesson| LateLesson::is_due(late.at, now) && lessons().any(|it| it.terms.id == late.id);
    fresh.chain(previous.late.iter().filter(is_still).cloned()).take(LateLesson::MOST).collect()
}

fn at_start(manifest: &Manifest) -> impl Iterator<Item = &LessonEntry> {
    manifest.lessons.iter().filter(|lesson| lesson.terms.when == When::Session)
}

/// The time for which the user is told of a lesson that no switch brings back, in milliseconds: 30 days. What was decided
/// longer ago is no news.
const WEAKENED_KEPT: u64 = 30 * 24 * 3600 * 1000;

/// The lessons that stopped calls before a build and do not any more, because somebody decided so. `is_off` says which are
/// switched off for good.
pub fn weakened(
    context: &Context,
    previous: &Manifest,
    manifest: &Manifest,
    is_off: &dyn Fn(&QualifiedId) -> bool,
) -> Vec<Weakened> {
    let weakened = &previous.weakened;
    let now = context.now_ms();
    let settings = &manifest.settings;
    let everything_off = !lessons_decide::answer::in_force(settings, &now);
    let terms = manifest.lessons.iter().map(|lesson| &lesson.terms);
    let compiled: HashMap<&QualifiedId, &Terms> = terms.map(|terms| (&terms.id, terms)).collect();
    let how = |id: &QualifiedId| match compiled.get(id) {
        // A built-in lesson changes with an update.
        Some(terms) if !terms.mode.refuses() => (id.layer != Layer::Seed).then_some(Weakening::Reminds),
        Some(terms) if terms.is_off(&now) => Some(Weakening::Off { until: terms.off_until }),
        Some(_) => everything_off.then_some(Weakening::Off { until: settings.off_until }),
        None if manifest.lost_refusals.iter().any(|lost| lost.id == *id) => None,
        None if is_off(id) => Some(Weakening::Off { until: None }),
        None => (id.layer != Layer::Seed).then_some(Weakening::Gone),
    };
    let ids: BTreeSet<_> = refusals(previous).chain(weakened.iter().map(|known| &known.id)).collect();
    let all = ids.into_iter().filter_map(|id| {
        let how = how(id)?;
        let known = weakened.iter().find(|known| known.id == *id && known.how == how).cloned();
        Some(known.unwrap_or_else(|| Weakened { id: id.clone(), at: now, by: context.author(), how }))
    });
    let is_kept =
        |it: &Weakened| matches!(it.how, Weakening::Off { .. }) || now.saturating_sub(it.at) < WEAKENED_KEPT;
    all.filter(is_kept).collect()
}

/// The lessons that refused calls before a build, or should have, and do so no more, although no command has changed
/// them: accepted or trusted copies were replaced by other means, or nothing tells any more where a project is.
pub fn lost_refusals(
    previous: &Manifest,
    built: &Built,
    accepted: &Graph,
    trusted: &[Approved],
    database: &Database,
) -> Result<Vec<LostRefusal>> {
    let refusals: BTreeSet<&QualifiedId> = refusals(previous).collect();
    let manifest = &built.manifest;
    let compiled = manifest.lessons.iter().map(|lesson| &lesson.terms).filter(|terms| terms.mode.refuses());
    let known = manifest.lost_refusals.iter().map(|lost| &lost.id);
    let accounted_for: HashSet<&QualifiedId> = compiled.map(|terms| &terms.id).chain(known).collect();
    let mut lost = Vec::new();
    for id in refusals.into_iter().filter(|id| !accounted_for.contains(id)) {
        let reason = match &id.layer {
            Layer::User => of_own(&id.id, built, accepted, database)?,
            Layer::Project(project) => of_project(project, trusted, database)?,
            // A built-in lesson ends with an update or by a setting, and those of peers refuse nothing.
            Layer::Seed | Layer::Peer(_) => None,
        };
        lost.extend(reason.map(|reason| LostRefusal { id: id.clone(), reason }));
    }
    Ok(lost)
}

/// Why one of the user's own lessons was lost; `None` where a person decided that.
fn of_own(id: &LessonId, built: &Built, accepted: &Graph, database: &Database) -> Result<Option<String>> {
    Ok(match accepted.get(id) {
        Some(lesson) if refuses(lesson) => unknown_project(built, id),
        _ if is_decided(database, id)? => None,
        _ => Some(format!(
            "decisions.json has lost it, by other means than a command; `lessons accept` takes it from lessons.json, if \
             that holds it, and else accepts that it is gone; `lessons log {id}` shows what became of it"
        )),
    })
}

/// Why a lesson of a trusted project was lost: the copy that was approved cannot be used any more, or nothing says any more
/// that it was approved. `None` where a person decided that.
fn of_project(project: &ProjectHash, trusted: &[Approved], database: &Database) -> Result<Option<String>> {
    let remedy = "`lessons trust` in its project approves it again";
    let Some(approved) = trusted.iter().find(|it| ProjectHash::of_root(&it.store.root) == *project) else {
        let lost = || {
            format!(
                "decisions.json has lost the trust in its project, by other means than a command; {remedy}"
            )
        };
        return Ok((!database.is_trust_withdrawn(project)?).then(lost));
    };
    let unusable = approved.problems.iter().find(|problem| problem.flaw.code == COPY_UNUSABLE);
    Ok(unusable.map(|problem| format!("{}; {remedy}", problem.flaw.what)))
}

fn refuses(lesson: &Lesson) -> bool {
    lesson.mode.refuses() && lesson.status == Status::Active
}

/// Why a lesson is left out whose projects were known before. Every other reason is a person's choice, or known already.
fn unknown_project(built: &Built, id: &LessonId) -> Option<String> {
    let is_it = |id_of: &QualifiedId| id_of.layer == Layer::User && id_of.id == *id;
    let noted = built.report.left_out.iter().find(|noted| is_it(&noted.id))?;
    matches!(noted.reason, Reason::UnknownProject { .. })
        .then(|| format!("{}; `lessons build`, typed in one of them, makes it known", noted.reason))
}

/// Whether the last change that a command made to a lesson left it as one that refuses nothing, or took it out.
fn is_decided(database: &Database, id: &LessonId) -> Result<bool> {
    let Some(change) = database.last_change_of_lesson(id)? else { return Ok(false) };
    let field = |snapshot: &Snapshot, name: &str| snapshot.lesson.get(name)?.as_str().map(str::to_owned);
    let still_refuses = change.lessons()[1].as_ref().is_some_and(|after| {
        field(after, "status").is_some_and(|status| status == "active")
            && field(after, "mode").is_some_and(|mode| mode == "bump" || mode == "block")
    });
    Ok(change.is_redacted || !still_refuses)
}

/// What was in force before a build, empty before the first. `None` if it is unknown: the index is of another version, or
/// cannot be read, so that no lesson can be called new.
///
/// A manifest that does not belong to the index was left by a build that died before it replaced the index; its lessons are
/// not news again.
pub fn previous_manifest(home: &Home, index: Option<&LoadedIndex>) -> Option<Manifest> {
    let is_left = index.is_none_or(|index| !publishing::is_of_manifest(index, home));
    let readable = || Manifest::parse(&files::read(&home.manifest(), manifest::MAX_BYTES).ok()??);
    let left = is_left.then(readable).flatten();
    let Some(index) = index else {
        let is_first = !home.index().exists() && !home.manifest().exists();
        return left.or_else(|| is_first.then(|| Manifest::new(Settings::default(), "")));
    };
    let mut manifest = index.manifest().ok()?;
    if let Some(left) = left {
        (manifest.news, manifest.weakened) = (left.news, left.weakened);
    }
    Some(manifest)
}

/// Takes out of the build before what it says of lessons whose ids are forgotten, so that no new build repeats it.
pub fn forget(previous: &mut Manifest, forgets: &dyn Fn(&str) -> bool) {
    let is_kept = |id: &QualifiedId| !forgets(&id.to_string());
    previous.lessons.retain(|lesson| is_kept(&lesson.terms.id));
    previous.lost_refusals.retain(|lost| is_kept(&lost.id));
    previous.weakened.retain(|weakened| is_kept(&weakened.id));
    previous.late.retain(|late| is_kept(&late.id));
    previous.news.retain(|news| is_kept(&news.id));
}

/// The lessons that refused calls, and those that should have.
pub fn refusals(previous: &Manifest) -> impl Iterator<Item = &QualifiedId> {
    let refusing = previous.lessons.iter().map(|lesson| &lesson.terms).filter(|terms| terms.mode.refuses());
    refusing.map(|terms| &terms.id).chain(previous.lost_refusals.iter().map(|lost| &lost.id))
}

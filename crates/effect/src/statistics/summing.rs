//! The making of a [`Summary`] of the rows in the database.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::episodes::{self, Arm, Episode, JoinedSession, NoticedCalls, RevisionId, Sums};
use lessons_ledger::database::{Database, DatabaseError};
use lessons_lesson::id::{Layer, QualifiedId, TopicId};
use lessons_lesson::lesson::Mode;

use super::conduct::{AfterRefusal, Untold};
use super::models::Models;
use super::summary::{
    AfterTelling, Arms, Lane, LessonEffect, LookedAt, MOST_RECENT, Mending, Reach, RecentSession, Summary,
    TopicWeek, Week,
};
use super::verdict::{self, Evidence};
use crate::join::lessons::MeasuredLessons;
use crate::join::measure::{HasUnless, Measure};
use lessons_replay::bounds::median;
use lessons_replay::tally::Tally;

/// A week, in milliseconds.
const WEEK: u64 = 7 * 24 * 3600 * 1000;
/// The first Monday after 1970 began, 0:00 UTC.
const MONDAY: u64 = 4 * 24 * 3600 * 1000;
/// The most weeks that are shown: more come of a clock that was wrong.
const MOST_WEEKS: u64 = 60;
/// The fewest repeats of which the price is said.
const FEWEST_REPEATS: usize = 10;

/// A lesson as a person recorded it.
#[derive(Debug, Clone)]
pub struct RecordedLesson {
    /// The lesson.
    pub id: QualifiedId,
    /// What it says, in one line.
    pub title: String,
    /// What to do instead.
    pub rule: String,
    /// Its topics.
    pub topics: Vec<TopicId>,
    /// When it was recorded, in milliseconds since 1970.
    pub recorded: Option<u64>,
    /// What is at stake where the model is not stopped.
    pub stake: verdict::Stake,
}

/// The rows of the database.
struct Rows {
    /// The episodes of the present revisions, by lesson.
    episodes: HashMap<String, Vec<Episode>>,
    /// The sums of earlier years of the present revisions, by lesson.
    sums: HashMap<String, Vec<(Arm, Sums)>>,
    /// Sessions that are no copies.
    sessions: Vec<JoinedSession>,
    forks: u64,
}

impl Rows {
    fn read(database: &Database, lessons: &MeasuredLessons) -> Result<Self, DatabaseError> {
        let present: HashSet<(&str, &str)> =
            lessons.all().iter().map(|lesson| (lesson.name.as_str(), lesson.revision.as_str())).collect();
        let names: HashMap<RevisionId, String> = episodes::revisions(database)?
            .into_iter()
            .filter(|known| present.contains(&(known.lesson.as_str(), known.hash.as_str())))
            .map(|known| (known.id, known.lesson))
            .collect();
        let mut episodes: HashMap<String, Vec<Episode>> = HashMap::new();
        for (revision, episode) in episodes::all(database)? {
            if let Some(lesson) = names.get(&revision) {
                episodes.entry(lesson.clone()).or_default().push(episode);
            }
        }
        let mut sums: HashMap<String, Vec<(Arm, Sums)>> = HashMap::new();
        for month in episodes::monthly_sums(database)? {
            if let Some(lesson) = names.get(&month.revision) {
                sums.entry(lesson.clone()).or_default().push((month.arm, month.sums));
            }
        }
        let (forks, sessions): (Vec<_>, Vec<_>) =
            episodes::joined_sessions(database)?.into_iter().partition(|session| session.is_fork);
        Ok(Self { episodes, sums, sessions, forks: forks.len() as u64 })
    }
}

impl Summary {
    /// The summary of what the database holds about the lessons in force. `recorded` are the lessons of all layers, `promoted`
    /// the candidates that have become lessons; `now` is in milliseconds since 1970.
    pub fn of(
        database: &Database,
        lessons: &MeasuredLessons,
        recorded: &[RecordedLesson],
        promoted: &HashSet<String>,
        now: u64,
    ) -> Result<Self, DatabaseError> {
        let rows = Rows::read(database, lessons)?;
        let models = Models::of(&rows.sessions);
        let recorded: HashMap<&QualifiedId, &RecordedLesson> =
            recorded.iter().map(|lesson| (&lesson.id, lesson)).collect();
        let mut effects: Vec<LessonEffect> = Vec::new();
        for lesson in lessons.all() {
            let Some(about) = recorded.get(&lesson.id) else { continue };
            let measured = Measured {
                mode: lesson.mode,
                measure: lesson.measure,
                has_unless: lesson.has_unless,
                revision: lesson.revision.clone(),
            };
            let episodes = rows.episodes.get(&lesson.name).map(Vec::as_slice).unwrap_or_default();
            let sums = rows.sums.get(&lesson.name).map(Vec::as_slice).unwrap_or_default();
            effects.push(effect(about, &measured, episodes, sums, &models, &rows.sessions));
        }
        effects.sort_by_key(|effect| {
            let others = usize::from(effect.id.layer != Layer::User);
            (effect.proposal.is_none(), others, u64::MAX - effect.sessions, effect.id.clone())
        });
        Ok(Self {
            as_of: now,
            looked_at: looked_at(&rows),
            newest_model: models.new_model(),
            weeks: weeks(&rows, &effects, now),
            reach: reach(&rows.sessions, episodes::noticed_calls(database, promoted)?),
            mending: mending(rows.episodes.values().flatten()),
            lessons: effects,
        })
    }
}

/// What the index says of a lesson.
struct Measured {
    mode: Mode,
    measure: Measure,
    has_unless: HasUnless,
    revision: String,
}

fn effect(
    about: &RecordedLesson,
    measured: &Measured,
    episodes: &[Episode],
    sums: &[(Arm, Sums)],
    models: &Models,
    sessions: &[JoinedSession],
) -> LessonEffect {
    let mut arms: BTreeMap<Arm, Sums> = BTreeMap::new();
    for episode in episodes.iter().filter(|episode| !episode.is_only_queried()) {
        *arms.entry(episode.arm).or_default() += Sums::from(episode);
    }
    for (arm, sums) in sums {
        *arms.entry(*arm).or_default() += *sums;
    }
    let arm = |arm| arms.get(&arm).copied().unwrap_or_default();
    let (told, refused, quiet) = (arm(Arm::Told), arm(Arm::Refused), arm(Arm::Quiet));
    let mut all = told;
    all += refused;
    all += quiet;
    let again = |sums: Sums| Tally::new(sums.came_again, sums.sessions);
    let followed = AfterTelling {
        followed: told.followed,
        not_followed: told.not_followed,
        no_chance: told.sessions.saturating_sub(told.followed + told.not_followed),
    };
    let after_refusal = AfterRefusal {
        changed: all.changed,
        overruled: all.overruled,
        given_up: all.given_up,
        sessions: all.refused_in,
    };
    let untold = untold(episodes, models);
    let is_told_at_start = measured.measure == Measure::First;
    let evidence = Evidence {
        id: &about.id,
        mode: measured.mode,
        stake: about.stake,
        measure: measured.measure,
        has_unless: measured.has_unless,
        sessions: all.sessions,
        room: again(quiet),
        refused: after_refusal,
        overruled_in: all.overruled_in,
        untold: &untold,
        newest: models.newest(),
        // A row of a lesson that is told when a session starts does not say that it came up.
        since_last: if is_told_at_start { None } else { since_last(episodes, models, sessions) },
    };
    let (verdict, proposal) = verdict::of(&evidence);
    LessonEffect {
        id: about.id.clone(),
        title: about.title.clone(),
        rule: about.rule.clone(),
        topics: about.topics.clone(),
        mode: measured.mode,
        is_in_force: true,
        recorded: about.recorded,
        revision: measured.revision.clone(),
        measure: measured.measure,
        sessions: all.sessions,
        room: again(quiet),
        again: Arms { told: again(told), refused: again(refused), quiet: again(quiet) },
        followed,
        refused: after_refusal,
        untold,
        corrected: all.corrected,
        failed_first: Tally::new(
            all.failed_first,
            if is_told_at_start { all.came_again } else { all.sessions },
        ),
        cost: all.cost,
        mending: mending(episodes.iter()),
        recent: recent(episodes),
        verdict,
        proposal,
    }
}

/// The first chances before anything was told, by model, the newest model first. A session with a wrong one is wrong.
fn untold(episodes: &[Episode], models: &Models) -> Vec<Untold> {
    let mut by_model: HashMap<&str, (u64, u64)> = HashMap::new();
    let counts = |episode: &&Episode| {
        !episode.is_only_queried()
            && !episode.model.is_empty()
            && episode.right_first + episode.wrong_first > 0
    };
    for episode in episodes.iter().filter(counts) {
        let (right, wrong) = by_model.entry(&episode.model).or_default();
        *if episode.wrong_first > 0 { wrong } else { right } += 1;
    }
    let mut untold: Vec<Untold> = by_model
        .into_iter()
        .map(|(model, (right, wrong))| Untold { model: model.to_owned(), right, wrong })
        .collect();
    untold.sort_by_key(|untold| (u64::MAX - models.since(&untold.model), untold.model.clone()));
    untold
}

/// The time at which a lesson came up last with another model than the newest, and the sessions of the newest since it is
/// there, if it has not come up with that one.
fn since_last(episodes: &[Episode], models: &Models, sessions: &[JoinedSession]) -> Option<(u64, u64)> {
    let newest = models.newest()?;
    let last = episodes.iter().map(|episode| episode.first).max()?;
    let is_known = episodes.iter().any(|episode| episode.model == newest);
    let since = models.since(newest);
    let later = sessions.iter().filter(|session| session.model == newest && session.first >= since).count();
    (!is_known).then_some((last, later as u64))
}

fn recent(episodes: &[Episode]) -> Vec<RecentSession> {
    let lanes = episodes.iter().filter(|episode| !episode.is_only_queried()).filter_map(|episode| {
        let lane = match episode.arm {
            Arm::Told => Lane::Told,
            Arm::Refused => Lane::Refused,
            Arm::Quiet => Lane::Quiet,
            Arm::Unprompted => return None,
        };
        let model = episode.model.clone();
        Some(RecentSession { time: episode.first, lane, again: episode.again > 0, model })
    });
    let mut recent: Vec<RecentSession> = lanes.collect();
    recent.sort_by_key(|session| session.time);
    recent.split_off(recent.len().saturating_sub(MOST_RECENT))
}

/// The price of putting a repeat right, in sessions in which nothing was said.
fn mending<'e>(episodes: impl Iterator<Item = &'e Episode>) -> Option<Mending> {
    let untold = episodes.filter(|episode| episode.arm == Arm::Quiet && !episode.is_only_queried());
    let (tokens, took): (Vec<u64>, Vec<u64>) = untold.filter_map(|episode| episode.mending).unzip();
    if tokens.len() < FEWEST_REPEATS {
        return None;
    }
    let repeats = tokens.len() as u64;
    Some(Mending { tokens: median(tokens)?, seconds: median(took)? / 1000, repeats })
}

fn looked_at(rows: &Rows) -> LookedAt {
    let episodes = |counts: fn(&Episode) -> bool| {
        rows.episodes.values().flatten().filter(|episode| counts(episode)).count() as u64
    };
    let sessions = || rows.sessions.iter().filter(|session| session.calls > 0);
    let projects: HashSet<&str> =
        sessions().map(|session| session.project.as_str()).filter(|project| !project.is_empty()).collect();
    LookedAt {
        sessions: sessions().count() as u64,
        calls: sessions().map(|session| session.calls).sum(),
        projects: projects.len() as u64,
        from: sessions().map(|session| session.first).min(),
        to: sessions().map(|session| session.first).max(),
        forks: rows.forks,
        events_lost: episodes(|episode| episode.flags.is_event_lost),
        only_queried: episodes(Episode::is_only_queried),
    }
}

fn reach(sessions: &[JoinedSession], noticed: NoticedCalls) -> Reach {
    let NoticedCalls { waiting, rejected } = noticed;
    let mut reach = Reach { waiting, rejected, ..Reach::default() };
    for session in sessions {
        reach.calls += session.went_wrong;
        reach.told += session.told;
        reach.kept_quiet += session.kept_quiet;
    }
    reach
}

/// The number of the week of a time.
fn week_of(time: u64) -> u64 {
    (time + WEEK - MONDAY) / WEEK
}

fn weeks(rows: &Rows, effects: &[LessonEffect], now: u64) -> Vec<Week> {
    let first = rows.sessions.iter().filter(|session| session.calls > 0).map(|session| session.first).min();
    let Some(first) = first else { return Vec::new() };
    let last = week_of(now);
    let first = week_of(first).max(last.saturating_sub(MOST_WEEKS - 1)).min(last);
    let mut calls: BTreeMap<u64, u64> = BTreeMap::new();
    for session in &rows.sessions {
        *calls.entry(week_of(session.first)).or_default() += session.calls;
    }
    let mut topics: BTreeMap<u64, BTreeMap<&TopicId, TopicWeek>> = BTreeMap::new();
    for effect in effects {
        let Some(topic) = effect.topics.first() else { continue };
        let episodes = rows.episodes.get(&effect.id.to_string()).map(Vec::as_slice).unwrap_or_default();
        for episode in episodes.iter().filter(|episode| episode.arm != Arm::Unprompted) {
            let week = topics.entry(week_of(episode.first)).or_default();
            let counted = week.entry(topic).or_insert_with(|| TopicWeek {
                topic: topic.clone(),
                first: 0,
                again: 0,
                stopped: 0,
            });
            counted.first += episode.contexts;
            // For a lesson that is told when a session starts, the first match counts as the mistake too.
            let first = if effect.measure == Measure::First { episode.contexts } else { 0 };
            counted.again += episode.again.saturating_sub(first);
            counted.stopped += episode.changed + episode.overruled + episode.given_up;
        }
    }
    (first..=last)
        .map(|week| Week {
            start: (week * WEEK + MONDAY).saturating_sub(WEEK),
            calls: calls.get(&week).copied().unwrap_or(0),
            topics: topics.remove(&week).unwrap_or_default().into_values().collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_begins_on_monday() {
        // Monday, 24 November 2025, 0:00 UTC.
        let monday = 1_763_942_400_000;
        assert_eq!(week_of(monday), week_of(monday + WEEK - 1));
        assert_eq!(week_of(monday), week_of(monday - 1) + 1);
        assert_eq!(week_of(monday) * WEEK + MONDAY - WEEK, monday);
    }
}

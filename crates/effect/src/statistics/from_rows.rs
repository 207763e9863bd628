//! The making of a [`Summary`] of the rows in the database.

use std::collections::{HashMap, HashSet};

use lessons_ledger::database::{Database, DatabaseError};
use lessons_ledger::integers::unsigned;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_replay::tally::Tally;

use super::answer::{DrawnEpisodes, Finding};
use super::comparison::Comparison;
use super::judgment::{self, Grounds};
use super::newest_model::NewestModel;
use super::summary::{
    AfterRefusal, AfterTelling, Arms, LessonEffect, LookedAt, MOST_RECENT, Reach, RecentSession, Summary,
    Untold,
};
use super::verdict::{Stake, Verdict};
use crate::episodes::{self, Arm, Chance, Episode, Revision};
use crate::join::lessons::{MeasuredLesson, MeasuredLessons};
use crate::join::measure::Measure;

/// A lesson as a person recorded it.
#[derive(Debug, Clone)]
pub struct RecordedLesson {
    /// The lesson.
    pub id: QualifiedId,
    /// What it says, in one line.
    pub title: String,
    /// What is at stake where the model is not stopped.
    pub stake: Stake,
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
        let all = episodes::all(database)?;
        let drawn = DrawnEpisodes::among(&all);
        let answer = drawn.answer(lessons.lot().map(|lot| lot.share));
        let rows = present_episodes(&all, lessons);
        let newest = NewestModel::of(database)?;
        let recorded: HashMap<&QualifiedId, &RecordedLesson> =
            recorded.iter().map(|lesson| (&lesson.id, lesson)).collect();
        let effect_of = |lesson: &MeasuredLesson| {
            let about = recorded.get(&lesson.id)?;
            let episodes = rows.get(&lesson.name).map(Vec::as_slice).unwrap_or_default();
            let comparison = drawn.of_revision(&lesson.name, &lesson.revision);
            let found = match answer.finding {
                Finding::Broken => Finding::Broken,
                _ => Finding::of(&comparison),
            };
            Some(effect(about, lesson, episodes, newest.as_ref(), (comparison, found)))
        };
        let mut effects: Vec<LessonEffect> = lessons.all().iter().filter_map(effect_of).collect();
        effects.sort_by_key(|effect| {
            let others = usize::from(effect.id.layer != Layer::User);
            (effect.proposal.is_none(), others, u64::MAX - effect.sessions, effect.id.clone())
        });
        Ok(Self {
            as_of: now,
            looked_at: looked_at(database, &rows)?,
            reach: reach(database, promoted)?,
            lessons: effects,
            answer,
        })
    }
}

/// The episodes of the present revisions, by lesson.
fn present_episodes<'e>(
    all: &'e [(Revision, Episode)],
    lessons: &MeasuredLessons,
) -> HashMap<String, Vec<&'e Episode>> {
    let present: HashSet<(&str, &str)> =
        lessons.all().iter().map(|lesson| (lesson.name.as_str(), lesson.revision.as_str())).collect();
    let mut episodes: HashMap<String, Vec<&Episode>> = HashMap::new();
    for (revision, episode) in all {
        if present.contains(&(revision.lesson.as_str(), revision.hash.as_str())) {
            episodes.entry(revision.lesson.clone()).or_default().push(episode);
        }
    }
    episodes
}

fn effect(
    about: &RecordedLesson,
    lesson: &MeasuredLesson,
    episodes: &[&Episode],
    newest: Option<&NewestModel>,
    (comparison, found): (Comparison, Finding),
) -> LessonEffect {
    let came_up: Vec<&Episode> =
        episodes.iter().copied().filter(|it| !matches!(it.arm, Arm::Unprompted | Arm::Queried)).collect();
    let again = |arm| {
        let mut again = Tally::default();
        came_up.iter().filter(|it| it.arm == arm).for_each(|it| again.add(it.again > 0));
        again
    };
    let sessions = |counts: &dyn Fn(&Episode) -> bool| came_up.iter().filter(|it| counts(it)).count() as u64;
    let sum = |number: fn(&Episode) -> u64| came_up.iter().map(|it| number(it)).sum::<u64>();
    let (quiet, held) = (again(Arm::Quiet), again(Arm::Held));
    let quiet = Tally::new(quiet.k + held.k, quiet.n + held.n);
    let again = Arms { told: again(Arm::Told), refused: again(Arm::Refused), quiet };
    let next = |chance| sessions(&|it| it.arm == Arm::Told && it.followed == Some(chance));
    let (followed, not_followed) = (next(Chance::Right), next(Chance::Wrong));
    let recent = came_up.iter().skip(came_up.len().saturating_sub(MOST_RECENT)).map(|it| RecentSession {
        time: it.first,
        arm: it.arm,
        again: it.again > 0,
    });
    let mut effect = LessonEffect {
        id: about.id.clone(),
        title: about.title.clone(),
        mode: lesson.mode,
        measure: lesson.measure,
        sessions: came_up.len() as u64,
        again,
        followed: AfterTelling {
            followed,
            not_followed,
            no_chance: again.told.n.saturating_sub(followed + not_followed),
        },
        refused: AfterRefusal {
            changed: sum(|it| it.changed),
            overruled: sum(|it| it.overruled),
            given_up: sum(|it| it.given_up),
            sessions: sessions(&|it| it.refused() > 0),
            overruled_in: sessions(&|it| it.is_first_overruled),
        },
        untold: newest.and_then(|newest| untold(episodes, newest)),
        corrected: sessions(&|it| it.is_corrected),
        cost: sum(|it| it.cost),
        recent: recent.collect(),
        comparison,
        verdict: Verdict::Open,
        proposal: None,
    };
    let grounds = Grounds {
        stake: about.stake,
        found,
        has_unless: lesson.has_unless,
        newest: newest.map(|newest| newest.name.as_str()),
        // A row of a lesson that is told when a session starts does not say that it came up.
        since_last: newest
            .filter(|_| lesson.measure != Measure::First)
            .and_then(|newest| since_last(episodes, newest)),
    };
    (effect.verdict, effect.proposal) = judgment::of(&effect, &grounds);
    effect
}

/// The first chances of the newest model before anything was told.
fn untold(episodes: &[&Episode], newest: &NewestModel) -> Option<Untold> {
    let mut right = Tally::default();
    let of_model = |it: &&&Episode| it.arm != Arm::Queried && it.model == newest.name;
    for chance in episodes.iter().filter(of_model).filter_map(|it| it.untold) {
        right.add(chance == Chance::Right);
    }
    (right.n > 0).then(|| Untold { model: newest.name.clone(), right })
}

/// The time at which a lesson came up last, and the sessions of the newest model, if it has not come up with that one.
fn since_last(episodes: &[&Episode], newest: &NewestModel) -> Option<(u64, u64)> {
    let last = episodes.iter().map(|it| it.first).max()?;
    let has_come_up = episodes.iter().any(|it| it.model == newest.name);
    (!has_come_up).then_some((last, newest.sessions))
}

fn looked_at(database: &Database, rows: &HashMap<String, Vec<&Episode>>) -> Result<LookedAt, DatabaseError> {
    let sql = "SELECT count(*) AS sessions, ifnull(sum(calls), 0) AS calls, count(DISTINCT nullif(project, '')) AS projects,
                      min(first) AS first, max(first) AS last,
                      (SELECT count(*) FROM joined_session WHERE is_fork) AS forks
                 FROM joined_session WHERE NOT is_fork AND calls > 0";
    let episodes =
        |counts: fn(&Episode) -> bool| rows.values().flatten().filter(|it| counts(it)).count() as u64;
    let read = |row: &rusqlite::Row<'_>| {
        let time = |column: &str| row.get::<_, Option<i64>>(column).map(|time| time.map(i64::cast_unsigned));
        Ok(LookedAt {
            sessions: unsigned(row, "sessions")?,
            calls: unsigned(row, "calls")?,
            projects: unsigned(row, "projects")?,
            from: time("first")?,
            to: time("last")?,
            forks: unsigned(row, "forks")?,
            events_lost: episodes(|it| it.is_event_lost),
            only_queried: episodes(|it| it.arm == Arm::Queried),
        })
    };
    Ok(database.select(sql, [], read)?.pop().unwrap_or_default())
}

fn reach(database: &Database, promoted: &HashSet<String>) -> Result<Reach, DatabaseError> {
    let (waiting, rejected) = episodes::noticed_calls(database, promoted)?;
    let sql = "SELECT ifnull(sum(went_wrong), 0) AS calls, ifnull(sum(told), 0) AS told,
                      ifnull(sum(kept_quiet), 0) AS kept_quiet
                 FROM joined_session WHERE NOT is_fork";
    let read = |row: &rusqlite::Row<'_>| {
        let (calls, told) = (unsigned(row, "calls")?, unsigned(row, "told")?);
        Ok(Reach { calls, told, kept_quiet: unsigned(row, "kept_quiet")?, waiting, rejected })
    };
    Ok(database.select(sql, [], read)?.pop().unwrap_or_default())
}

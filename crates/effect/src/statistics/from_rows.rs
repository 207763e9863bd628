//! The making of a [`Summary`] of the rows in the database.

use std::collections::{BTreeMap, HashMap, HashSet};

use lessons_ledger::Database;
use lessons_ledger::database::Result;
use lessons_ledger::database::columns::signed;
use lessons_lesson::{Layer, Mode};
use lessons_replay::Tally;
use serde::Deserialize;

use super::answer::{DrawnEpisodes, Finding};
use super::comparison::Comparison;
use super::summary::{
    AfterRefusal, AfterTelling, Arms, ClientEffect, LessonEffect, LookedAt, MOST_RECENT, Reach,
    RecentSession, Summary, Untold, Verdict,
};
use super::verdict::{Grounds, judged};
use crate::episodes::{self, Arm, Chance, Episode, PresentRevision};
use crate::join::lessons::{Measure, MeasuredLesson, MeasuredLessons};

/// The fewest sessions of a model without a mistake that are worth a word: as many as make the mistake rare.
const FEWEST_WITHOUT: u64 = 29;

impl Summary {
    /// The summary of what the database holds about some lessons. `promoted` are the candidates that have become lessons; `now`
    /// is in milliseconds since 1970.
    pub fn of(
        database: &Database,
        lessons: &MeasuredLessons,
        promoted: &HashSet<String>,
        now: u64,
    ) -> Result<Self> {
        let all = episodes::all(database)?;
        let drawn = DrawnEpisodes::among(&all);
        let answer = drawn.answer(lessons.lot().map(|lot| lot.share));
        let mut rows: HashMap<(&str, &str), Vec<&Episode>> = HashMap::new();
        for (revision, episode) in &all {
            rows.entry((&revision.lesson, &revision.hash)).or_default().push(episode);
        }
        let (mut looked_at, reach) = counts(database, promoted)?;
        let models: Vec<ModelInUse> = database.rows(IN_USE, [])?;
        let mut effects = Vec::new();
        for lesson in &lessons.lessons {
            let PresentRevision { lesson: name, hash, .. } = &lesson.present;
            let episodes = rows.remove(&(name.as_str(), hash.as_str())).unwrap_or_default();
            let count = |counts: fn(&Episode) -> bool| episodes.iter().filter(|it| counts(it)).count() as u64;
            looked_at.events_lost += count(|it| it.is_event_lost);
            looked_at.only_queried += count(|it| it.arm == Arm::Queried);
            let came_back = lesson
                .retired
                .map(|since| came_again(database, name, since, lesson.terms.mode))
                .transpose()?;
            if came_back.is_some_and(|sessions| sessions < REPEATS_OF_RETIRED) {
                continue;
            }
            let mut effect = effect(lesson, &episodes, &models);
            effect.comparison = drawn.of_revision(name, hash);
            let is_broken = answer.finding == Finding::Broken;
            let grounds = Grounds {
                came_back,
                found: if is_broken { Finding::Broken } else { Finding::of(&effect.comparison) },
                severity: lesson.terms.severity,
                // A row of a lesson that is told when a session starts does not say that it came up.
                not_come_up: models
                    .first()
                    .filter(|_| lesson.measure != Measure::First)
                    .and_then(|newest| not_come_up(&episodes, newest)),
            };
            (effect.verdict, effect.proposal) = judged(&effect, grounds);
            effects.push(effect);
        }
        effects.sort_by_key(|effect| {
            let others = usize::from(effect.id.layer != Layer::User);
            (effect.proposal.is_none(), others, u64::MAX - effect.sessions, effect.id.clone())
        });
        let mut clients: Vec<ClientEffect> = database.rows(CLIENTS, [])?;
        for effect in &mut clients {
            effect.comparison = drawn.of_client(effect.client);
        }
        Ok(Self { as_of: now, looked_at, reach, clients, lessons: effects, answer })
    }
}

/// The numbers of a lesson. What follows from them is not judged yet.
fn effect(lesson: &MeasuredLesson, episodes: &[&Episode], models: &[ModelInUse]) -> LessonEffect {
    let came_up: Vec<&Episode> =
        episodes.iter().copied().filter(|it| !matches!(it.arm, Arm::Unprompted | Arm::Queried)).collect();
    let again = |arm| Tally::of(came_up.iter().filter(|it| it.arm == arm).map(|it| it.again > 0));
    let sum = |of: fn(&Episode) -> u64| came_up.iter().map(|it| of(it)).sum();
    let sessions = |holds: &dyn Fn(&Episode) -> bool| came_up.iter().filter(|it| holds(it)).count() as u64;
    let again = Arms { told: again(Arm::Told), refused: again(Arm::Refused), quiet: again(Arm::Quiet) };
    let next = |chance| sessions(&|it| it.arm == Arm::Told && it.followed == Some(chance));
    let (followed, not_followed) = (next(Chance::Right), next(Chance::Wrong));
    let recent = came_up.iter().skip(came_up.len().saturating_sub(MOST_RECENT)).map(|it| RecentSession {
        time: it.first,
        arm: it.arm,
        again: it.again > 0,
    });
    let mut clients = BTreeMap::new();
    for it in &came_up {
        *clients.entry(it.client).or_default() += 1;
    }
    LessonEffect {
        id: lesson.id.clone(),
        title: lesson.title.clone(),
        mode: lesson.terms.mode,
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
        untold: untold(episodes, models),
        clients,
        corrected: sessions(&|it| it.is_corrected),
        cost: sum(|it| it.cost),
        recent: recent.collect(),
        comparison: Comparison::default(),
        verdict: Verdict::Open,
        proposal: None,
    }
}

/// The first chances before anything was told, of each model with which the lesson came up.
fn untold(episodes: &[&Episode], models: &[ModelInUse]) -> Vec<Untold> {
    let of_model = |model: &ModelInUse| {
        let mut of_model =
            episodes.iter().filter(|it| it.arm != Arm::Queried && it.model == model.name).peekable();
        of_model.peek()?;
        let right = Tally::of(of_model.filter_map(|it| it.untold).map(|chance| chance == Chance::Right));
        Some(Untold { model: model.name.clone(), right })
    };
    models.iter().filter_map(of_model).collect()
}

/// What is said of a lesson that has not come up with the newest model.
fn not_come_up(episodes: &[&Episode], newest: &ModelInUse) -> Option<Verdict> {
    let last = episodes.iter().map(|it| it.first).max()?;
    let has_come_up = episodes.iter().any(|it| it.model == newest.name);
    let ModelInUse { name, sessions } = newest.clone();
    (!has_come_up && sessions >= FEWEST_WITHOUT).then_some(Verdict::NotComeUp { sessions, model: name, last })
}

/// What happened in the sessions of each client.
const CLIENTS: &str = "
SELECT client, count(*) AS sessions, sum(calls) AS calls, ifnull(sum(own.told), 0) AS told,
       ifnull(sum(own.refused), 0) AS refused
  FROM joined_session LEFT JOIN (
       SELECT session, sum(arm = 'told') AS told, sum(changed + overruled + given_up) AS refused
         FROM episode GROUP BY session) AS own USING (session)
 WHERE NOT is_fork AND calls > 0 GROUP BY client ORDER BY sessions DESC, client";

/// What was looked at.
const LOOKED_AT: &str = "
SELECT count(*) AS sessions, ifnull(sum(calls), 0) AS calls, count(DISTINCT nullif(project, '')) AS projects,
       min(first) AS \"from\", max(first) AS \"to\", (SELECT count(*) FROM joined_session WHERE is_fork) AS forks
  FROM joined_session WHERE NOT is_fork AND calls > 0";

/// The calls in it that went wrong.
const REACH: &str = "
SELECT ifnull(sum(went_wrong), 0) AS calls, ifnull(sum(told), 0) AS told, ifnull(sum(kept_quiet), 0) AS keptQuiet
  FROM joined_session WHERE NOT is_fork AND calls > 0";

/// What was looked at, and the calls in it that went wrong.
fn counts(database: &Database, promoted: &HashSet<String>) -> Result<(LookedAt, Reach)> {
    let looked_at = database.rows(LOOKED_AT, [])?.pop().unwrap_or_default();
    let mut reach: Reach = database.rows(REACH, [])?.pop().unwrap_or_default();
    (reach.waiting, reach.rejected) = episodes::noticed_calls(database, promoted)?;
    Ok((looked_at, reach))
}

/// A model that is in use: one that made a fifth of the calls of the last 14 days.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ModelInUse {
    name: String,
    /// Its sessions.
    sessions: u64,
}

/// The models of the sessions that were joined, the newest first, by the share of each in the calls of two weeks; none where no
/// transcript names one. Times are in milliseconds.
const IN_USE: &str = "
WITH named AS (SELECT model, first, calls FROM joined_session WHERE NOT is_fork AND calls > 0 AND model <> ''),
     lately AS (SELECT model, sum(calls) AS calls FROM named
                 WHERE first + 14 * 86400000 > (SELECT max(first) FROM named) GROUP BY model)
SELECT model AS name, count(*) AS sessions FROM named JOIN lately USING (model)
 WHERE lately.calls * 5 >= (SELECT sum(calls) FROM lately)
 GROUP BY model ORDER BY min(first) DESC, model DESC";

/// The sessions in which a mistake comes again before its retired lesson is proposed once more.
pub const REPEATS_OF_RETIRED: u64 = 2;

/// Sessions that began after a time and in which a lesson came up untold: those with a repeat, or all of them.
const CAME_AGAIN: &str = "
SELECT count(DISTINCT session) AS sessions FROM episode JOIN revision ON revision = id
 WHERE lesson = ?1 AND first >= ?2 AND arm = 'quiet' AND (again > 0 OR ?3)";

/// The sessions since a lesson was retired, in milliseconds since 1970, in which its mistake came again. A reminder would have
/// come after the first matching call of a session, so that one alone does not count; a refusal would have stopped it.
pub fn came_again(database: &Database, lesson: &str, retired: u64, mode: Mode) -> Result<u64> {
    let of_lesson = (lesson, signed(retired), mode.refuses());
    Ok(database.select(CAME_AGAIN, of_lesson, |row| row.get::<_, u64>(0))?.into_iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::episodes::{self, JoinedSession, SessionJoin};

    const DAY: u64 = 24 * 3600 * 1000;

    #[test]
    fn a_model_is_in_use_while_it_makes_a_fifth_of_the_calls() {
        let mut database = Database::in_memory().unwrap();
        let mut in_use_after = |model: &str, day: u64, calls| {
            let session = JoinedSession {
                session: format!("{model} {day}"),
                model: model.into(),
                first: day * DAY,
                calls,
                ..JoinedSession::default()
            };
            let join = SessionJoin { session, episodes: Vec::new(), missed: Vec::new() };
            episodes::record_join(&mut database, &join, &[]).unwrap();
            let all: Vec<ModelInUse> = database.rows(IN_USE, []).unwrap();
            all.into_iter().map(|model| (model.name, model.sessions)).collect::<Vec<_>>()
        };
        assert_eq!(in_use_after("", 99, 100), [], "of that one nothing is known");
        in_use_after("old", 100, 100);
        in_use_after("old", 110, 81);
        assert_eq!(in_use_after("new", 112, 19), [("old".into(), 2)]);
        assert_eq!(in_use_after("new", 113, 40), [("new".into(), 2), ("old".into(), 2)]);
        assert_eq!(in_use_after("old", 140, 5), [("old".into(), 3)], "the other is no longer in use");
    }
}

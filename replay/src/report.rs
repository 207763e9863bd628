//! The replay of a lesson over a whole history, in numbers and examples.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use lessons_index::Mismatch;
use lessons_lesson::{Mode, QualifiedId, SampleCall, StateCheck};
use lessons_pattern::Trigger;
use lessons_scanner::run::cores;
use serde::Serialize;

use crate::call_log::{CallLog, CallOutcome, RecordedCall};
use crate::call_share::CallShare;
use crate::group;
use crate::history::{History, Session};
use crate::outcome::{LessonOutcome, TrialOutcome};
use crate::room::Room;
use crate::trial::{NoSample, Trial, TrialContext};

/// A week, in milliseconds.
const WEEK: u64 = 7 * 24 * 3600 * 1000;
/// The most near misses that are shown, each another call.
const MOST_NEAR: usize = 20;

/// The replay of a lesson: what it would have done at every call of a history.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// The lesson.
    pub lesson: QualifiedId,
    /// The mode of the lesson.
    pub mode: Mode,
    /// The part of the history that was looked at.
    pub looked_at: LookedAt,
    /// The calls at which the model would have been told of the lesson.
    pub fired: Fired,
    /// The calls that the lesson matches, but at which other lessons would have been told, or none because a person
    /// has to allow the call.
    pub left_out: usize,
    /// The calls that one of its triggers matches while a condition keeps it quiet.
    pub near: usize,
    /// The calls at which it fires, those that are the same call taken together, the most frequent first.
    pub hits: Vec<Group>,
    /// Examples of near misses.
    pub near_misses: Vec<Group>,
    /// Every call at which it fires, newest transcript first.
    pub calls: Vec<Hit>,
    /// The share of the calls that went well at which it matches.
    #[serde(skip)]
    pub share: CallShare,
    /// Whether a reminder could help.
    #[serde(skip)]
    pub room: Room,
}

/// The part of a history that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LookedAt {
    /// Calls.
    pub calls: usize,
    /// Sessions with calls.
    pub sessions: usize,
    /// Projects of those.
    pub projects: usize,
    /// The time of the first call, in milliseconds since 1970.
    pub from: Option<u64>,
    /// The time of the last.
    pub to: Option<u64>,
    /// Lines that may hold calls and could not be read.
    pub lost: u64,
}

/// The calls at which a lesson fires: how many, where, and what followed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fired {
    /// Calls.
    pub calls: usize,
    /// Sessions.
    pub sessions: usize,
    /// Projects.
    pub projects: usize,
    /// How often a week, over the time that was looked at; a shorter one counts as a week.
    pub per_week: f64,
    /// Those of the calls that it would have refused.
    pub refused: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those after which one of the next three calls of that thread failed.
    pub failed_soon: usize,
    /// Those that the user, the client, a rule or a hook did not let run.
    pub stopped: usize,
    /// The same as shares of the calls, 0 to 1; none where there are no calls.
    pub share: Option<Share>,
}

/// Shares of the calls at which a lesson fires.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    /// It would have refused.
    pub refused: f64,
    /// Failed.
    pub failed: f64,
    /// Failed within the next three calls.
    pub failed_soon: f64,
}

/// A group of calls that count as the same call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// One of the calls, as it may be kept.
    pub sample: SampleCall,
    /// The key of the group; see [`group::key`].
    #[serde(skip)]
    pub key: String,
    /// How many there are.
    pub calls: usize,
    /// How many of them failed.
    pub failed: usize,
    /// The id of the session of that call.
    pub session: String,
    /// The id of that call.
    pub tool_use: String,
    /// The time of that call, in milliseconds since 1970.
    pub time: Option<u64>,
    /// What keeps the lesson quiet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// The reason why the call cannot become an example of the lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unkept: Option<NoSample>,
}

/// The condition that keeps a lesson quiet although a trigger matches.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Why {
    /// This one matches too.
    Unless(String),
    /// This one must match as well and does not.
    Also(String),
    /// It is for other tools.
    Tool,
    /// It is for other agents.
    Agent,
    /// It is for another state of the call.
    State(StateCheck),
    /// It is for other operating systems.
    Os,
    /// It is for other shells.
    Shell,
    /// It is for other projects.
    Scope,
}

/// A call at which it fires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The session's id.
    pub session: String,
    /// The call's id.
    pub tool_use: String,
    /// What the hook would have done.
    #[serde(rename = "fate")]
    pub outcome: LessonOutcome,
}

/// A call that at least one trigger matches.
struct FoundCall<'h> {
    /// The number of the log.
    number: usize,
    log: &'h CallLog,
    session: &'h Session,
    recorded: &'h RecordedCall,
    outcome: TrialOutcome,
}

impl FoundCall<'_> {
    /// The outcome where the lesson matches.
    fn matched(&self) -> Option<LessonOutcome> {
        if let TrialOutcome::Matched(outcome) = self.outcome { Some(outcome) } else { None }
    }

    fn is_hit(&self) -> bool {
        self.matched().is_some_and(LessonOutcome::is_fired)
    }
}

impl Replay {
    /// Tries a lesson on every call of a history.
    pub fn of(trial: &Trial, history: &History, context: &TrialContext<'_>) -> Self {
        let found = tried(trial, history, context);
        let hits: Vec<_> = found.iter().filter(|it| it.is_hit()).collect();
        let near: Vec<_> = found.iter().filter(|it| it.matched().is_none()).collect();
        Self {
            hits: groups(trial, &hits, usize::MAX),
            near_misses: groups(trial, &near, MOST_NEAR),
            ..Self::counted(trial, history, &found)
        }
    }

    /// The same without the groups, each of which takes longer than a try.
    pub fn numbers(trial: &Trial, history: &History, context: &TrialContext<'_>) -> Self {
        Self::counted(trial, history, &tried(trial, history, context))
    }

    fn counted(trial: &Trial, history: &History, found: &[FoundCall<'_>]) -> Self {
        let matched = || found.iter().filter(|it| it.matched().is_some());
        let hits: Vec<&FoundCall<'_>> = found.iter().filter(|it| it.is_hit()).collect();
        let outcomes = matched().map(|it| it.recorded.outcome);
        let hit = |it: &FoundCall<'_>| {
            let (session, tool_use) = (it.session.id.clone(), it.recorded.id.to_string());
            Some(Hit { session, tool_use, outcome: it.matched()? })
        };
        let looked_at = LookedAt::of(history);
        Self {
            lesson: trial.id().clone(),
            mode: trial.mode(),
            fired: Fired::of(&hits, history, &looked_at),
            left_out: matched().count() - hits.len(),
            near: found.len() - matched().count(),
            hits: Vec::new(),
            near_misses: Vec::new(),
            calls: hits.iter().filter_map(|it| hit(it)).collect(),
            share: CallShare::of(history.calls().map(|call| call.outcome), outcomes),
            room: Room::of(matched().map(|it| (it.log.session, it.number, it.recorded))),
            looked_at,
        }
    }
}

impl LookedAt {
    fn of(history: &History) -> Self {
        let times = || history.calls().filter_map(|call| call.time);
        let of_calls = history.logs.iter().filter(|log| !log.calls.is_empty());
        let sessions: BTreeSet<usize> = of_calls.map(|log| log.session).collect();
        Self {
            calls: history.len(),
            sessions: sessions.len(),
            projects: history.projects(&sessions),
            from: times().min(),
            to: times().max(),
            lost: history.lost,
        }
    }
}

/// The calls of a history that at least one trigger matches, in order.
fn tried<'h>(trial: &Trial, history: &'h History, context: &TrialContext<'_>) -> Vec<FoundCall<'h>> {
    let tried = cores::each(&history.logs, |log| {
        let session = history.session(log)?;
        let ready = trial.ready(session, context).ok()?;
        let outcomes = log.calls.iter().map(|recorded| (recorded, ready.outcome(recorded)));
        let matched: Vec<_> = outcomes.filter(|(_, outcome)| *outcome != TrialOutcome::Quiet).collect();
        Some((log, session, matched))
    });
    let of_log = |(number, (log, session, matched)): (usize, (_, _, Vec<_>))| {
        let found = move |(recorded, outcome)| FoundCall { number, log, session, recorded, outcome };
        matched.into_iter().map(found)
    };
    tried.into_iter().flat_map(of_log).collect()
}

/// What keeps the lesson quiet at a call, where something does.
fn why(trial: &Trial, outcome: TrialOutcome) -> Option<Why> {
    let TrialOutcome::Near(mismatch) = outcome else { return None };
    let shown = |position| trial.trigger(position).map(Trigger::to_string);
    Some(match mismatch {
        Mismatch::Unless(position) => Why::Unless(shown(position)?),
        Mismatch::Also(position) => Why::Also(shown(position)?),
        Mismatch::Tool => Why::Tool,
        Mismatch::Agent => Why::Agent,
        Mismatch::State(check) => Why::State(check),
        Mismatch::Os => Why::Os,
        Mismatch::Shell => Why::Shell,
        Mismatch::Scope => Why::Scope,
        // Its triggers alone did match, at a call.
        Mismatch::AtStart
        | Mismatch::Off
        | Mismatch::NoTrigger
        | Mismatch::OnlyReads
        | Mismatch::NoErrorTrigger => return None,
    })
}

impl Fired {
    #[allow(clippy::cast_precision_loss, reason = "no history has 2^52 calls")]
    fn of(hits: &[&FoundCall<'_>], history: &History, looked_at: &LookedAt) -> Self {
        let count = |counts: fn(&FoundCall<'_>) -> bool| hits.iter().filter(|it| counts(it)).count();
        let sessions: BTreeSet<usize> = hits.iter().map(|it| it.log.session).collect();
        let calls = hits.len();
        let refused = count(|it| it.matched() == Some(LessonOutcome::Refused));
        let failed = count(|it| it.recorded.outcome == CallOutcome::Failed);
        let failed_soon = count(|it| it.recorded.failed_soon);
        let time = looked_at.to.unwrap_or(0).saturating_sub(looked_at.from.unwrap_or(0)).max(WEEK);
        let share = |result: usize| result as f64 / calls as f64;
        Self {
            calls,
            sessions: sessions.len(),
            projects: history.projects(&sessions),
            per_week: calls as f64 * WEEK as f64 / time as f64,
            refused,
            failed,
            failed_soon,
            stopped: count(|it| it.recorded.outcome.is_stopped()),
            share: (calls > 0).then(|| Share {
                refused: share(refused),
                failed: share(failed),
                failed_soon: share(failed_soon),
            }),
        }
    }
}

/// Calls in groups, by the key of a call and what keeps the lesson quiet there: each with its newest call as it may be kept, the
/// most frequent first; at most so many.
fn groups(trial: &Trial, all: &[&FoundCall<'_>], most: usize) -> Vec<Group> {
    let keys = cores::each(all, |found| {
        Some(group::key_of_call(&found.recorded.call, found.session.roots.as_ref()))
    });
    let mut groups: BTreeMap<(String, Option<Why>), Vec<&FoundCall<'_>>> = BTreeMap::new();
    for (found, (_, key)) in all.iter().zip(keys) {
        groups.entry((key, why(trial, found.outcome))).or_default().push(found);
    }
    for calls in groups.values_mut() {
        calls.sort_by_key(|it| Reverse(it.recorded.time));
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, calls)| Reverse((calls.len(), calls.first().map(|it| it.recorded.time))));
    groups.truncate(most);
    let finished = cores::each(&groups, |((key, why), calls)| {
        let FoundCall { session, recorded, .. } = calls.first()?;
        let (sample, unkept) = trial.sample(recorded, session.roots.as_ref());
        Some(Group {
            sample,
            key: key.clone(),
            calls: calls.len(),
            failed: calls.iter().filter(|it| it.recorded.outcome == CallOutcome::Failed).count(),
            session: session.id.clone(),
            tool_use: recorded.id.to_string(),
            time: recorded.time,
            unkept: unkept.filter(|_| why.is_none()),
            why: why.clone(),
        })
    });
    finished.into_iter().map(|(_, group)| group).collect()
}

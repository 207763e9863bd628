//! Joining the sessions of this machine: those whose transcripts have been quiet for an hour and changed since the last
//! time, and all of them where the lessons changed.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::PathBuf;

use jiff::Timestamp;
use lessons_decide::claims::session_hash;
use lessons_ledger::database::Result;
use lessons_ledger::database::columns::signed;
use lessons_ledger::recording::signals::CorrectionSignal;
use lessons_ledger::{Database, FiredEvent};
use lessons_lesson::InLot;
use lessons_replay::trial::TrialContext;
use lessons_scanner::run::report::Skipped;
use lessons_scanner::run::{cores, session_facts};
use lessons_text::digest;

use super::calls::{Context, JoinedCall, match_lessons};
use super::hook_acts::{HookActs, LessonHooks};
use super::lessons::{Measure, MeasuredLessons};
use super::session_episodes;
use super::session_files::{self, DIGITS, FoundSession, ReadSession};
use crate::episodes::{self, Chance, Episode, JoinedSession, Revision, SessionJoin};

/// The time for which a session must have been quiet, in milliseconds.
pub const QUIET: u64 = 3600 * 1000;
/// The time for which episodes are kept: a year, as events are.
const KEPT: u64 = 365 * 24 * 3600 * 1000;
/// The sessions that are read at once, before they are recorded.
const AT_ONCE: usize = 32;

/// How a join uses the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// On all cores, for a person who waits.
    Foreground,
    /// On one.
    Background,
}

/// The join of the sessions of this machine.
pub struct Joiner<'j> {
    /// The folders with transcripts.
    pub roots: &'j [PathBuf],
    /// The lessons in force.
    pub lessons: &'j MeasuredLessons,
    /// What an answer depends on besides.
    pub context: TrialContext<'j>,
    /// How it uses the machine.
    pub pace: Pace,
}

/// The result of a join.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JoinReport {
    /// Sessions that were joined.
    pub sessions: usize,
    /// Lines that could not be read.
    pub lost_lines: u64,
    /// Files that could not be read, and why.
    pub skipped: Vec<Skipped>,
    /// Whether it was stopped before the end. What it did is done; the next one goes on there.
    pub stopped: bool,
    /// The time at which the next session will have been quiet for an hour, in milliseconds since 1970.
    pub next: Option<u64>,
}

impl Joiner<'_> {
    /// Joins the sessions that are due, those first that were quiet first: their transcripts are deleted first. `watch` is
    /// told how many of how many are done, and may stop it.
    pub fn join(
        &self,
        database: &mut Database,
        watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<JoinReport> {
        let now = self.context.now;
        let revisions =
            episodes::revisions_of(database, self.lessons.lessons.iter().map(|it| &it.present), now)?;
        let mut report = JoinReport::default();
        let due = self.due(database, &mut report)?;
        let mut corrections: HashMap<String, Vec<CorrectionSignal>> = HashMap::new();
        for correction in database.corrections()? {
            corrections.entry(correction.session.clone()).or_default().push(correction);
        }
        for (number, part) in due.chunks(AT_ONCE).enumerate() {
            if watch(number * AT_ONCE, due.len()).is_break() {
                report.stopped = true;
                break;
            }
            let events = |found: &FoundSession| database.events_of_session(&session_hash(&found.id));
            let jobs: Vec<(&FoundSession, Vec<FiredEvent>)> =
                part.iter().map(|found| Ok((found, events(found)?))).collect::<Result<_>>()?;
            let read = |(found, events): &(&FoundSession, Vec<FiredEvent>)| {
                let corrections = corrections.get(&found.id).map(Vec::as_slice).unwrap_or_default();
                self.read(found, events, corrections, &revisions)
            };
            let all = match self.pace {
                Pace::Foreground => {
                    cores::each(&jobs, |job| Some(read(job))).into_iter().map(|(_, joined)| joined).collect()
                }
                Pace::Background => jobs.iter().map(read).collect::<Vec<_>>(),
            };
            for (mut join, lost_lines, skipped) in all {
                if let Some(beginning) = &join.session.beginning {
                    let first = episodes::session_that_begins(database, beginning)?;
                    if first.is_some_and(|first| first != join.session.session) {
                        join.session.is_fork = true;
                        join.episodes.clear();
                        join.missed.clear();
                    }
                }
                report.sessions += 1;
                report.lost_lines += lost_lines;
                report.skipped.extend(skipped);
                episodes::record_join(database, &join, &revisions)?;
            }
        }
        episodes::drop_before(database, now.saturating_sub(KEPT))?;
        Ok(report)
    }

    /// The sessions that are due. The database is asked about those on the disk: it holds those of a year.
    fn due(&self, database: &Database, report: &mut JoinReport) -> Result<Vec<FoundSession>> {
        let now = self.context.now;
        let mut due = Vec::new();
        for found in session_files::find(self.roots, &mut report.skipped) {
            // A file from the future is one whose clock was wrong, and quiet.
            let is_quiet = now.abs_diff(found.last) >= QUIET;
            let is_old = now.saturating_sub(found.last) >= KEPT;
            if is_old
                || episodes::is_joined(
                    database,
                    &session_hash(&found.id),
                    &found.state,
                    &self.lessons.digest,
                )?
            {
                continue;
            }
            if is_quiet {
                due.push(found);
            } else {
                let quiet = found.last.max(now.saturating_sub(QUIET)) + QUIET;
                report.next = Some(report.next.map_or(quiet, |next| next.min(quiet)));
            }
        }
        due.sort_by(|a, b| a.last.cmp(&b.last).then_with(|| a.id.cmp(&b.id)));
        Ok(due)
    }

    /// Reads a session and joins it. Returns the lines and the files besides that could not be read.
    fn read(
        &self,
        found: &FoundSession,
        events: &[FiredEvent],
        corrections: &[CorrectionSignal],
        revisions: &[Revision],
    ) -> (SessionJoin, u64, Vec<Skipped>) {
        let mut read = found.read(self.lessons.contents(), corrections);
        let place = read.session.place();
        // An index that turns out to be corrupt matches nothing; the next build replaces it, and then everything is due.
        let matched = match_lessons(&mut read.contexts, self.lessons, &place, &self.context);
        let calls = || read.contexts.iter().flat_map(|context| &context.calls);
        let hash = |text: &str| digest::hex(text.as_bytes(), DIGITS);
        let beginning = found.files.last().and_then(|file| session_facts::first_prompt_id(file));
        let began = calls().filter_map(|call| call.recorded.time).min().unwrap_or(found.last);
        let mut joined = JoinedSession {
            session: session_hash(&found.id),
            files: found.state.clone(),
            lessons: self.lessons.digest.clone(),
            beginning: beginning.as_deref().map(hash),
            first: began.min(found.last),
            last: found.last,
            calls: calls().count() as u64,
            model: main_model(&read.contexts),
            project: read.session.project().map(hash).unwrap_or_default(),
            client: found.client(),
            ..JoinedSession::default()
        };
        let mut episodes = Vec::new();
        if matched.is_ok() {
            let acts = HookActs::of(events);
            self.count_reach(&read, &acts, &mut joined);
            let lessons = self.lessons.lessons.iter().zip(revisions);
            episodes.extend(lessons.filter_map(|(lesson, revision)| {
                let hooks = acts.with(lesson, &read);
                // What another revision told says nothing about this one.
                if hooks.is_known_before(revision.since) || joined.last < revision.counts_from {
                    return None;
                }
                Some((revision.id, episode(&hooks, began, &joined)?))
            }));
        }
        let missed = calls().filter(|call| call.went_wrong() && !call.is_reached).map(JoinedCall::lines);
        let join = SessionJoin { session: joined, episodes, missed: missed.collect() };
        (join, read.lost_lines, read.skipped)
    }

    /// Counts the calls that went wrong, and what lessons had to do with them.
    fn count_reach(&self, read: &ReadSession, acts: &HookActs, joined: &mut JoinedSession) {
        for context in &read.contexts {
            for (number, call) in context.calls.iter().enumerate().filter(|(_, call)| call.went_wrong()) {
                joined.went_wrong += 1;
                if !call.is_reached {
                    continue;
                }
                let wrong = call.chances.iter().filter(|(_, chance)| **chance == Chance::Wrong);
                let lessons = wrong.filter_map(|(number, _)| self.lessons.lessons.get(*number as usize));
                let mut tried = lessons.filter(|lesson| lesson.is_tried());
                if tried.any(|lesson| acts.with(lesson, read).said_something(context, number)) {
                    joined.told += 1;
                } else {
                    joined.kept_quiet += 1;
                }
            }
        }
    }
}

/// The episode of a lesson in a session whose first call was made at `began`, in milliseconds since 1970.
fn episode(hooks: &LessonHooks<'_>, began: u64, joined: &JoinedSession) -> Option<Episode> {
    let lesson = hooks.lesson;
    let mut episode = match lesson.measure {
        Measure::First => session_episodes::at_start(hooks),
        Measure::Repeat | Measure::Failure | Measure::None => session_episodes::at_calls(hooks),
    }?;
    let recorded = lesson.terms.created_at.parse::<Timestamp>().map_or(0, Timestamp::as_millisecond);
    // The session that taught a lesson knows it, whatever the lot says.
    if lesson.terms.in_lot == InLot::Never || signed(began) < recorded {
        episode.lot.clear();
    }
    // A clock that is wrong must not move a session out of the time of its file.
    episode.first = if episode.first == 0 { joined.first } else { episode.first.min(joined.last) };
    Some(episode)
}

/// The model that made most of the calls.
fn main_model(contexts: &[Context]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for context in contexts {
        for model in context.calls.iter().filter_map(|call| context.model_at(call)) {
            *counts.entry(model).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, calls)| *calls).map(|(model, _)| model.to_owned()).unwrap_or_default()
}

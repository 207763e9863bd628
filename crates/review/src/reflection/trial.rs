//! The trial of a lesson that a model wrote: what it cites, and at which calls of the past it would be told.
//!
//! A lesson is refused only for what cannot be repaired: it cites nothing, says nothing, or says it already. A trigger that
//! is too wide is narrowed; one that cannot be is left out, and the lesson is told at the start of sessions.

use std::collections::{BTreeSet, HashMap, HashSet};

use lessons_context::{Context, Result, refused};
use lessons_lesson::{Lesson, LessonId, SampleCall, When};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_replay::history::Session;
use lessons_replay::{CallOutcome, History, RecordedCall, Replay};
use lessons_scanner::digest::{CitedCall, Item, ItemKind, Reading};
use lessons_scanner::tag::trigger::escaped;
use lessons_store::load;
use lessons_text::{line, listed, shortened};

use super::answer::WrittenLesson;
use crate::checks::own_advice;
use crate::cleaning::cleaned;
use crate::trials::{self, MachineFacts};
use crate::{change, typed};

/// The most items that one lesson may cite.
const MOST_CITED: usize = 40;
/// A lesson about failures may fire at one call that went well in this many.
const ONE_WENT_WELL_IN: usize = 2;
/// A trigger that is told in more than one session of this many is told as often as a lesson for the start of sessions.
const ONE_SESSION_IN: usize = 2;
/// The fewest sessions by which that is judged.
const FEWEST_SESSIONS: usize = 6;
/// How often a trigger is narrowed.
const MOST_NARROWED: usize = 2;
/// The shortest and the longest word by which it is, in bytes.
const WORD: std::ops::RangeInclusive<usize> = 3..=60;
/// The longest text that a reason quotes, in characters.
const QUOTED: usize = 80;

/// What the trials of an answer share.
pub(super) struct Trials<'a> {
    /// The context of the command.
    context: &'a Context,
    /// The reading that was answered.
    reading: &'a Reading,
    /// The calls of the past.
    history: &'a History,
    /// Each of them with the session in which it was made, by its id.
    past: HashMap<&'a str, PastCall<'a>>,
    /// The calls that a reading shows as gone wrong, though the client counts them as successes.
    wrong: HashSet<&'a str>,
}

/// A call of the past.
struct PastCall<'a> {
    recorded: &'a RecordedCall,
    session: &'a Session,
    /// The words of its command, or the parts of its paths.
    text: String,
}

/// A lesson that passed.
pub(super) struct Passed<'a> {
    /// The lesson.
    pub(super) lesson: Lesson,
    /// The items that it cites.
    pub(super) cited: Vec<&'a Item>,
    /// What was changed about it, each in a sentence without its full stop.
    pub(super) notes: Vec<String>,
    /// The commands of the calls that it cites, that a person refused, and at which it fires.
    pub(super) refused: Vec<String>,
    /// The same of those that ran and lost data, as its writer says, where what a person said is cited too.
    pub(super) lost: Vec<String>,
}

impl<'a> Trials<'a> {
    /// Prepares the trials of an answer to `reading`.
    pub(super) fn new(context: &'a Context, reading: &'a Reading, history: &'a History) -> Self {
        let mut past = HashMap::new();
        for log in &history.logs {
            let Some(session) = history.session(log) else { continue };
            for recorded in &log.calls {
                let mut text = recorded.call.command.as_deref().unwrap_or_default().to_owned();
                text.extend(recorded.call.paths.iter().flat_map(|path| [" ", path]));
                past.insert(&*recorded.id, PastCall { recorded, session, text });
            }
        }
        let is_of_calls = |item: &&Item| matches!(item.kind, ItemKind::Error | ItemKind::Refusal);
        let wrong = reading.items.values().filter(is_of_calls);
        let wrong = wrong.flat_map(|item| &item.calls).map(|call| call.tool_use.as_str()).collect();
        Self { context, reading, history, past, wrong }
    }

    /// Tries a lesson. The error says what would pass.
    pub(super) fn tried(&self, written: &WrittenLesson) -> Result<Passed<'a>> {
        let mut notes = Vec::new();
        let cited = self.cited(written, &mut notes)?;
        let mut lesson = self.without_triggers(written)?;
        let wants_call = written.when.as_deref() != Some("session") && !written.trigger.is_empty();
        if wants_call {
            match self.aimed(written, &lesson, &cited) {
                Ok((aimed, narrowed)) => {
                    lesson = aimed;
                    notes.extend(narrowed);
                }
                Err(why) => {
                    let why = shortened(&line(&why.to_string()), 2 * QUOTED);
                    notes.push(format!(
                        "its trigger was left out, and it is told when a session starts: {why}"
                    ));
                }
            }
        }
        // They quote calls of the past.
        let notes = notes.iter().map(|note| cleaned(note)).collect();
        let commands = |is_wanted: &dyn Fn(&Item, &PastCall<'_>) -> bool| -> Vec<String> {
            let calls = cited.iter().flat_map(|item| item.calls.iter().map(move |call| (*item, call)));
            let past = calls.filter_map(|(item, call)| Some((item, self.past.get(call.tool_use.as_str())?)));
            let wanted = past.filter(|(item, call)| is_wanted(item, call));
            let commands = wanted.filter_map(|(_, call)| call.recorded.call.command.as_deref().map(cleaned));
            commands.filter(|command| own_advice::fires(&lesson, &SampleCall::bash(command))).collect()
        };
        let refused = commands(&|item, _| item.kind == ItemKind::Refusal);
        let is_said = cited.iter().any(|item| matches!(item.kind, ItemKind::Prompt | ItemKind::Refusal));
        let lost = commands(&|_, call| written.loss && is_said && !call.recorded.outcome.is_stopped());
        Ok(Passed { lesson, cited, notes, refused, lost })
    }

    /// The items that a lesson cites. Ids that the reading does not have are named, and cost only themselves.
    fn cited(&self, written: &WrittenLesson, notes: &mut Vec<String>) -> Result<Vec<&'a Item>> {
        let ids: BTreeSet<&str> = written.items.iter().map(|id| id.trim()).collect();
        let (known, unknown): (Vec<&str>, Vec<&str>) =
            ids.into_iter().take(MOST_CITED).partition(|id| self.reading.items.contains_key(*id));
        let named = listed(unknown.iter().take(3).map(|id| shortened(&line(id), 12)));
        if known.is_empty() && unknown.is_empty() {
            return refused("`items` is empty: name the items of the reading that show it, such as [\"p3\"]");
        }
        if known.is_empty() {
            return refused(format!("{named} is no item of this reading; name those that show it"));
        }
        if !unknown.is_empty() {
            notes.push(format!("{named} is no item of this reading"));
        }
        Ok(known.into_iter().filter_map(|id| self.reading.items.get(id)).collect())
    }

    /// The lesson for the start of sessions, cleaned and checked as one that a person types.
    fn without_triggers(&self, written: &WrittenLesson) -> Result<Lesson> {
        let topic = typed::topic_of_tags(&[])?;
        let rule = written.rule.trim();
        let mut lesson = Lesson::new(LessonId::default(), rule, topic, self.context.now_text());
        lesson.mistake = Some(written.mistake.trim().to_owned()).filter(|text| !text.is_empty());
        lesson.rationale = written.why.clone().filter(|text| !text.trim().is_empty());
        lesson.when = When::Session;
        let graph = load::lessons(&self.context.home)?;
        change::vetted(&mut lesson, &graph, None)?;
        change::refuse_duplicate(&graph, &lesson)?;
        Ok(lesson)
    }

    /// The lesson with a trigger that passes, and what was narrowed. The error says why there is none.
    fn aimed(&self, given: &WrittenLesson, bare: &Lesson, cited: &[&Item]) -> Result<(Lesson, Vec<String>)> {
        let mut lesson = Lesson { when: When::Tool, ..bare.clone() };
        typed::list(Some(&given.trigger), &mut lesson.triggers, typed::trigger)?;
        typed::list(Some(&given.unless), &mut lesson.unless, typed::trigger)?;
        typed::list(Some(&given.state), &mut lesson.state, typed::condition)?;
        let graph = load::lessons(&self.context.home)?;
        let warnings = change::vetted(&mut lesson, &graph, None)?;
        let firing =
            |lesson: &Lesson| given.fires.iter().filter(|call| own_advice::fires(lesson, call)).count();
        if !given.fires.is_empty() && firing(&lesson) == 0 {
            return refused("it fires on none of the calls in `fires`");
        }
        let kept_quiet = warnings.into_iter().filter(|warning| warning.code == Some(own_advice::KEPT_QUIET));
        let mut notes: Vec<String> = kept_quiet.map(|warning| warning.message).collect();
        let mut left = MOST_NARROWED;
        while let Some((why, fired)) = self.too_wide(given, &lesson, cited)? {
            let narrower =
                Some(&lesson).filter(|_| left > 0).and_then(|it| Self::narrowed(it, cited, &fired));
            let narrower = narrower.filter(|(narrower, _)| firing(narrower) * 2 >= firing(&lesson));
            let Some((narrower, word)) = narrower else { return refused(why) };
            notes.push(format!("narrowed to calls with `{}`: {why}", line(&word)));
            (lesson, left) = (narrower, left - 1);
        }
        Ok((lesson, notes))
    }

    /// Why a trigger does not pass, with the calls of the past at which it fires; `None` if it does.
    fn too_wide(
        &self,
        written: &WrittenLesson,
        lesson: &Lesson,
        cited: &[&Item],
    ) -> Result<Option<(String, Vec<&PastCall<'a>>)>> {
        if let Some(advised) = own_advice::fired(lesson).first() {
            let why =
                format!("it fires on `{}`, which its own rule advises", shortened(&line(advised), QUOTED));
            return Ok(Some((why, Vec::new())));
        }
        if let Some(quiet) = written.quiet.iter().find(|call| own_advice::fires(lesson, call)) {
            let quiet = shortened(&line(&quiet.to_string()), QUOTED);
            return Ok(Some((format!("it fires on {quiet}, which is right"), Vec::new())));
        }
        let trial = trials::trial(self.context, &lesson.user_id(), lesson)?;
        let replay = Replay::numbers(&trial, self.history, &MachineFacts::of(self.context).context());
        let home = self.projects(written, cited);
        let is_there = |call: &&PastCall<'_>| {
            home.is_empty() || call.session.project().is_some_and(|project| home.contains(project))
        };
        let fired = replay.calls.iter().filter_map(|hit| self.past.get(hit.tool_use.as_str()));
        let fired: Vec<&PastCall<'a>> = fired.filter(is_there).collect();
        let why = self.misses(cited, &fired).or_else(|| {
            let there = self.past.values().filter(is_there).map(|call| &call.session.id);
            self.is_told_too_often(cited, &fired, there.collect::<HashSet<_>>().len())
        });
        Ok(why.map(|why| (why, fired)))
    }

    /// The projects in which a lesson holds; empty for all.
    fn projects(&self, written: &WrittenLesson, cited: &[&Item]) -> HashSet<&'a str> {
        if written.everywhere {
            return HashSet::new();
        }
        let sessions: HashSet<&str> =
            cited.iter().flat_map(|item| &item.places).map(|place| place.session.as_str()).collect();
        let there = self.past.values().filter(|call| sessions.contains(call.session.id.as_str()));
        there.filter_map(|call| call.session.project()).collect()
    }

    /// Whether a trigger misses what it was written for, or fires on what worked.
    fn misses(&self, cited: &[&Item], fired: &[&PastCall<'_>]) -> Option<String> {
        let hits: HashSet<&str> = fired.iter().map(|call| &*call.recorded.id).collect();
        let is_past = |call: &&CitedCall| self.past.contains_key(call.tool_use.as_str());
        let is_hit = |call: &CitedCall| hits.contains(call.tool_use.as_str());
        let aimed_at = cited.iter().filter(|item| matches!(item.kind, ItemKind::Error | ItemKind::Refusal));
        let mut calls = aimed_at.flat_map(|item| &item.calls).filter(is_past).peekable();
        if calls.peek().is_some() && !calls.any(is_hit) {
            return Some("it fires on none of the calls that it cites".into());
        }
        let mut worked = cited.iter().flat_map(|item| &item.worked);
        worked.any(is_hit).then(|| "it fires on the call that worked".into())
    }

    /// Whether a trigger is told in too many of so many sessions, or at too many calls that went well.
    fn is_told_too_often(&self, cited: &[&Item], fired: &[&PastCall<'_>], all: usize) -> Option<String> {
        let told = fired.iter().map(|call| &call.session.id).collect::<HashSet<_>>().len();
        if told >= FEWEST_SESSIONS && told * ONE_SESSION_IN > all {
            return Some(format!("it would be told in {told} of {all} sessions"));
        }
        let is_about_failures = cited.iter().all(|item| item.kind == ItemKind::Error);
        let is_well =
            |call: &&RecordedCall| call.outcome == CallOutcome::Fine && !self.wrong.contains(&*call.id);
        let well = fired.iter().map(|call| call.recorded).filter(is_well).count();
        let too_many = is_about_failures && well * ONE_WENT_WELL_IN > fired.len();
        too_many.then(|| format!("it fires at {} past calls, of which {well} went well", fired.len()))
    }

    /// The lesson for fewer calls: those with the word of the cited calls that is rarest among the calls at which it fires.
    fn narrowed(lesson: &Lesson, cited: &[&Item], fired: &[&PastCall<'_>]) -> Option<(Lesson, String)> {
        let hits: HashMap<&str, &PastCall<'_>> =
            fired.iter().map(|call| (&*call.recorded.id, *call)).collect();
        let calls = cited.iter().flat_map(|item| &item.calls);
        let kept: Vec<_> = calls.filter_map(|call| hits.get(call.tool_use.as_str())).collect();
        let first = kept.first()?;
        let is_of_command = lesson.triggers.iter().any(|trigger| trigger.kind == TriggerKind::CommandPattern);
        let with = |word: &str| hits.values().filter(|call| call.text.contains(word)).count();
        // A path or a name that only one call has says nothing of the next one.
        let is_general =
            |word: &str| word.starts_with('-') || kept.iter().any(|call| call.text != first.text);
        let without_secrets = cleaned(&first.text);
        let is_told_apart = |word: &&str| {
            let spelt =
                lesson.triggers.iter().chain(&lesson.also).any(|trigger| trigger.pattern.contains(*word));
            WORD.contains(&word.len())
                && without_secrets.contains(*word)
                && is_general(word)
                && !spelt
                && kept.iter().all(|call| call.text.contains(*word))
        };
        let words =
            first.text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/' | ';' | '|' | '&'));
        let word = words.filter(is_told_apart).min_by_key(|word| with(word))?;
        if with(word) >= hits.len() {
            return None;
        }
        let kind = if is_of_command { TriggerKind::CommandPattern } else { TriggerKind::PathPattern };
        let mut narrower = lesson.clone();
        narrower.also.push(Trigger::new(kind, escaped(word)));
        Some((narrower, word.to_owned()))
    }
}

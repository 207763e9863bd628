//! Everything that can be recalled.

use std::borrow::Cow;
use std::collections::HashMap;

use super::asked::{Asked, Question, call_of, place_of};
use super::bm25::{Bm25, Relevance};
use super::rank::{Found, Unranked, Ways, rank};
use crate::id::QualifiedId;
use crate::lesson::{Lesson, Status, Subject, When};
use crate::matching::Views;
use crate::trigger::TriggerKind;

/// An active lesson, as far as recall looks at it. Texts are borrowed where they can be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry<'a> {
    /// Its id with its layer.
    pub id: String,
    /// What to do instead.
    pub rule: Cow<'a, str>,
    /// Its topics.
    pub topics: Vec<Cow<'a, str>>,
    /// When it was recorded, RFC 3339.
    pub created_at: Cow<'a, str>,
    /// Only in these projects. Empty: everywhere.
    pub projects: Vec<Cow<'a, str>>,
    /// Only for these tools. Empty: all.
    pub tools: Vec<Cow<'a, str>>,
    /// What command patterns look at. `None`: the command as typed.
    pub subject: Option<Subject>,
}

/// A lesson with its conditions, as positions among the distinct triggers.
#[derive(Debug, Clone)]
struct Kept<'a> {
    entry: Entry<'a>,
    triggers: Vec<u32>,
    also: Vec<u32>,
    unless: Vec<u32>,
}

/// The conditions of a lesson: kind and pattern of each trigger.
#[derive(Debug, Clone, Default)]
pub struct Conditions<'a> {
    /// Any of these must match.
    pub triggers: Vec<(TriggerKind, Cow<'a, str>)>,
    /// All of these must match.
    pub also: Vec<(TriggerKind, Cow<'a, str>)>,
    /// None of these may match.
    pub unless: Vec<(TriggerKind, Cow<'a, str>)>,
}

/// Active lessons and their distinct triggers.
#[derive(Debug, Clone, Default)]
pub struct Corpus<'a> {
    lessons: Vec<Kept<'a>>,
    triggers: Vec<(TriggerKind, Cow<'a, str>)>,
    /// How many lessons have a trigger among theirs.
    fanout: Vec<u32>,
    positions: HashMap<(TriggerKind, Cow<'a, str>), u32, foldhash::fast::RandomState>,
}

impl<'a> Corpus<'a> {
    /// Adds a lesson. One that is not active is left out; one that is told at the start of a session
    /// is no answer to a question.
    pub fn add_lesson(&mut self, id: &QualifiedId, lesson: &'a Lesson) {
        if lesson.status != Status::Active || lesson.when == When::Session {
            return;
        }
        let texts = |list: &'a [String]| list.iter().map(|text| text.as_str().into()).collect();
        let conditions = |list: &'a [crate::trigger::Trigger]| {
            list.iter().map(|trigger| (trigger.kind, trigger.pattern.as_str().into())).collect()
        };
        let entry = Entry {
            id: id.to_string(),
            rule: lesson.rule.as_str().into(),
            topics: lesson.topics.iter().map(|topic| topic.as_str().into()).collect(),
            created_at: lesson.created_at.as_str().into(),
            projects: texts(&lesson.scope.projects),
            tools: texts(&lesson.tools),
            subject: Some(lesson.effective_subject()),
        };
        let conditions = Conditions {
            triggers: conditions(&lesson.triggers),
            also: conditions(&lesson.also),
            unless: conditions(&lesson.unless),
        };
        self.add(entry, conditions);
    }

    /// Adds an active lesson.
    pub fn add(&mut self, entry: Entry<'a>, conditions: Conditions<'a>) {
        let triggers = self.positions_of(conditions.triggers);
        for &trigger in &triggers {
            if let Some(fanout) = self.fanout.get_mut(trigger as usize) {
                *fanout += 1;
            }
        }
        let also = self.positions_of(conditions.also);
        let unless = self.positions_of(conditions.unless);
        self.lessons.push(Kept { entry, triggers, also, unless });
    }

    /// All of them.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry<'a>> {
        self.lessons.iter().map(|kept| &kept.entry)
    }

    /// How many of them have triggers, and none but keywords.
    pub fn only_keywords(&self) -> usize {
        let is_keyword = |trigger: &u32| {
            self.triggers.get(*trigger as usize).is_some_and(|(kind, _)| *kind == TriggerKind::Keyword)
        };
        let has_only = |kept: &&Kept<'_>| !kept.triggers.is_empty() && kept.triggers.iter().all(is_keyword);
        self.lessons.iter().filter(has_only).count()
    }

    /// The lessons that concern what is asked, best first.
    pub fn recall(&self, question: &Question<'_>) -> Vec<Found<'_, 'a>> {
        self.recall_but(question, |_| false)
    }

    /// The same, those left out that `known` says are known: they count neither in the order nor in
    /// the topics.
    pub fn recall_but(
        &self,
        question: &Question<'_>,
        known: impl Fn(&Entry<'a>) -> bool,
    ) -> Vec<Found<'_, 'a>> {
        let mut matched = self.matched(question);
        matched.retain(|(at, _)| self.lessons.get(*at).is_some_and(|kept| !known(&kept.entry)));
        if matched.is_empty() {
            return Vec::new();
        }
        let mut collection = Bm25::new(question.texts());
        let read: Vec<Relevance> = self.entries().map(|entry| collection.read(&entry.rule)).collect();
        let found = matched.into_iter().filter_map(|(at, fired)| {
            Some(Unranked {
                entry: &self.lessons.get(at)?.entry,
                specificity: 1.0 / f64::from(fired.fanout.max(1)),
                relevance: collection.score(read.get(at)?),
                by: fired.by,
            })
        });
        rank(&found.collect::<Vec<_>>())
    }

    /// The positions of the lessons that match.
    fn matched(&self, question: &Question<'_>) -> Vec<(usize, Fired)> {
        let (call, place) = (call_of(question), place_of(question));
        let views = Views::new(&call, &place);
        let asked = Asked::new(question, &views);
        let mut tried = Tried { corpus: self, asked: &asked, known: vec![None; self.triggers.len() * 2] };
        self.lessons.iter().enumerate().filter_map(|(at, kept)| Some((at, tried.fires(kept)?))).collect()
    }

    fn positions_of(&mut self, conditions: Vec<(TriggerKind, Cow<'a, str>)>) -> Vec<u32> {
        let mut positions: Vec<u32> = conditions.into_iter().map(|it| self.position(it)).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    fn position(&mut self, trigger: (TriggerKind, Cow<'a, str>)) -> u32 {
        let next = u32::try_from(self.triggers.len()).unwrap_or(u32::MAX);
        let (triggers, fanout) = (&mut self.triggers, &mut self.fanout);
        *self.positions.entry(trigger).or_insert_with_key(|trigger| {
            triggers.push(trigger.clone());
            fanout.push(0);
            next
        })
    }
}

/// How a lesson matches.
#[derive(Debug, Clone, Copy)]
struct Fired {
    /// The fanout of its most particular trigger that does.
    fanout: u32,
    /// The kinds of all that do.
    by: Ways,
}

/// Triggers that were tried, and what came of it: each at most once for each subject.
struct Tried<'t, 'c, 'a, 'v> {
    corpus: &'c Corpus<'a>,
    asked: &'t Asked<'v>,
    known: Vec<Option<bool>>,
}

impl Tried<'_, '_, '_, '_> {
    fn holds(&mut self, trigger: u32, subject: Subject) -> bool {
        let at = trigger as usize * 2 + usize::from(subject == Subject::Executable);
        let Some((kind, pattern)) = self.corpus.triggers.get(trigger as usize) else { return false };
        match self.known.get_mut(at) {
            Some(Some(known)) => *known,
            Some(unknown) => *unknown.insert(self.asked.holds(*kind, pattern, subject)),
            None => false,
        }
    }

    /// How a lesson matches, if it concerns what is asked.
    ///
    /// What was not asked about is not held against a lesson: somebody who names a file hears of a
    /// lesson about what is written into such files.
    fn fires(&mut self, kept: &Kept<'_>) -> Option<Fired> {
        let subject = kept.entry.subject.unwrap_or(Subject::Command);
        let mut best: Option<Fired> = None;
        for &trigger in &kept.triggers {
            if self.holds(trigger, subject)
                && let Some((kind, _)) = self.corpus.triggers.get(trigger as usize)
            {
                let fanout = self.corpus.fanout.get(trigger as usize).copied().unwrap_or(1);
                let before = best.unwrap_or(Fired { fanout, by: Ways::default() });
                best = Some(Fired { fanout: before.fanout.min(fanout), by: before.by.and(*kind) });
            }
        }
        best?;
        let is_asked = |tried: &Self, trigger: u32| {
            let kind = tried.corpus.triggers.get(trigger as usize).map(|(kind, _)| *kind);
            kind.is_some_and(|kind| tried.asked.concerns(kind))
        };
        for &trigger in &kept.also {
            if is_asked(self, trigger) && !self.holds(trigger, subject) {
                return None;
            }
        }
        for &trigger in &kept.unless {
            if self.holds(trigger, subject) {
                return None;
            }
        }
        best
    }
}

//! Everything that can be recalled.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::hash::BuildHasher as _;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::asked::{Asked, Question, call_of, place_of};
use super::bm25::{Bm25, Relevance};
use super::rank::{Found, Unranked, Ways, rank};
use super::vocabulary::{Vocabulary, WordPlace};
use crate::id::QualifiedId;
use crate::lesson::{Lesson, Status, Subject, When};
use crate::matching::Views;
use crate::trigger::TriggerKind;
use crate::words::significant;

/// An active lesson, as far as recall looks at it. Texts are borrowed where they can be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry<'a> {
    /// Its id with its layer.
    pub id: Cow<'a, str>,
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

/// A lesson with its conditions.
#[derive(Debug, Clone)]
struct Kept<'a> {
    entry: Entry<'a>,
    conditions: Conditions,
    /// Where the words of its rule are in [`Corpus::said`].
    said: Range<usize>,
}

/// The place of a trigger among the distinct ones of a [`Corpus`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TriggerPlace(u32);

impl TriggerPlace {
    /// How many triggers came before it.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The conditions of a lesson.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Any of these must match.
    pub triggers: Vec<TriggerPlace>,
    /// All of these must match.
    pub also: Vec<TriggerPlace>,
    /// None of these may match.
    pub unless: Vec<TriggerPlace>,
}

impl Conditions {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = TriggerPlace> {
        [&self.triggers, &self.also, &self.unless].into_iter().flatten().copied()
    }
}

/// Everything that is known of a lesson.
#[derive(Debug, Clone, Copy)]
pub struct Told<'c, 'a> {
    /// The lesson.
    pub entry: &'c Entry<'a>,
    /// Its conditions.
    pub conditions: &'c Conditions,
    /// The words of its rule that count.
    pub words: &'c [WordPlace],
}

/// Active lessons and their distinct triggers.
#[derive(Debug, Clone, Default)]
pub struct Corpus<'a> {
    lessons: Vec<Kept<'a>>,
    triggers: Vec<(TriggerKind, Cow<'a, str>)>,
    /// For some triggers, by their places, texts of which every match holds one.
    literals: Vec<Vec<&'a str>>,
    /// How many lessons have a trigger among theirs.
    fanout: Vec<u32>,
    /// Where each trigger is, by its hash.
    places: HashMap<u64, TriggerPlace, RandomState>,
    hasher: RandomState,
    vocabulary: Vocabulary,
    /// The words of all rules that count, one rule after another.
    said: Vec<WordPlace>,
}

impl<'a> Corpus<'a> {
    /// Adds a lesson. One that is not active is left out; one that is told at the start of a session
    /// is no answer to a question.
    pub fn add_lesson(&mut self, id: &QualifiedId, lesson: &'a Lesson) {
        if lesson.status != Status::Active || lesson.when == When::Session {
            return;
        }
        let texts = |list: &'a [String]| list.iter().map(|text| text.as_str().into()).collect();
        let mut places = |list: &'a [crate::trigger::Trigger]| {
            list.iter().map(|trigger| self.trigger(trigger.kind, trigger.pattern.as_str().into())).collect()
        };
        let conditions = Conditions {
            triggers: places(&lesson.triggers),
            also: places(&lesson.also),
            unless: places(&lesson.unless),
        };
        let entry = Entry {
            id: id.to_string().into(),
            rule: lesson.rule.as_str().into(),
            topics: lesson.topics.iter().map(|topic| topic.as_str().into()).collect(),
            created_at: lesson.created_at.as_str().into(),
            projects: texts(&lesson.scope.projects),
            tools: texts(&lesson.tools),
            subject: Some(lesson.effective_subject()),
        };
        self.add(entry, conditions);
    }

    /// The place of a trigger, which is taken in if it is new.
    pub fn trigger(&mut self, kind: TriggerKind, pattern: Cow<'a, str>) -> TriggerPlace {
        let trigger = (kind, pattern);
        let mut hash = self.hasher.hash_one(&trigger);
        loop {
            match self.places.entry(hash) {
                Slot::Occupied(taken) => {
                    let place = *taken.get();
                    if self.triggers.get(place.0 as usize) == Some(&trigger) {
                        return place;
                    }
                    // Another one has the same hash: it goes where nothing is.
                    hash = hash.wrapping_add(1);
                }
                Slot::Vacant(free) => {
                    let next = TriggerPlace(u32::try_from(self.triggers.len()).unwrap_or(u32::MAX));
                    self.triggers.push(trigger);
                    self.fanout.push(0);
                    return *free.insert(next);
                }
            }
        }
    }

    /// Says what every match of a trigger holds one of, in ASCII lower case, as a build works it out. Then most patterns
    /// need not be looked at.
    pub fn set_literals(&mut self, trigger: TriggerPlace, literals: Vec<&'a str>) {
        let at = trigger.0 as usize;
        if self.literals.len() <= at {
            self.literals.resize(at + 1, Vec::new());
        }
        if let Some(known) = self.literals.get_mut(at) {
            *known = literals;
        }
    }

    /// The place of a word, which is taken in if it is new.
    pub fn word(&mut self, word: &str) -> WordPlace {
        self.vocabulary.place(word)
    }

    /// Adds an active lesson.
    pub fn add(&mut self, entry: Entry<'a>, conditions: Conditions) {
        let start = self.said.len();
        for word in significant(&entry.rule) {
            self.said.push(self.vocabulary.place(&word));
        }
        self.keep(entry, conditions, start);
    }

    /// Adds an active lesson of which somebody knows the words of its rule that count: those that a [`Corpus`] with
    /// this lesson says are [`Told::words`].
    pub fn add_told(
        &mut self,
        entry: Entry<'a>,
        conditions: Conditions,
        words: impl IntoIterator<Item = WordPlace>,
    ) {
        let start = self.said.len();
        self.said.extend(words);
        self.keep(entry, conditions, start);
    }

    /// Keeps a lesson, the words of whose rule begin at `start`.
    fn keep(&mut self, entry: Entry<'a>, mut conditions: Conditions, start: usize) {
        // One that stands there twice is no reason to tell a lesson twice.
        conditions.triggers.sort_unstable();
        conditions.triggers.dedup();
        for trigger in &conditions.triggers {
            if let Some(fanout) = self.fanout.get_mut(trigger.0 as usize) {
                *fanout += 1;
            }
        }
        self.lessons.push(Kept { entry, conditions, said: start..self.said.len() });
    }

    /// The distinct triggers, in the order in which they came.
    pub fn triggers(&self) -> impl ExactSizeIterator<Item = (TriggerKind, &str)> {
        self.triggers.iter().map(|(kind, pattern)| (*kind, pattern.as_ref()))
    }

    /// The distinct words of all rules, in the order in which they came.
    pub fn words(&self) -> Vec<&str> {
        self.vocabulary.words()
    }

    /// All lessons with everything that is known of them.
    pub fn told(&self) -> impl ExactSizeIterator<Item = Told<'_, 'a>> {
        self.lessons.iter().map(|kept| Told {
            entry: &kept.entry,
            conditions: &kept.conditions,
            words: self.said(kept),
        })
    }

    fn said(&self, kept: &Kept<'_>) -> &[WordPlace] {
        self.said.get(kept.said.clone()).unwrap_or_default()
    }

    /// All of them.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry<'a>> {
        self.lessons.iter().map(|kept| &kept.entry)
    }

    /// How many of them have triggers, and none but keywords.
    pub fn only_keywords(&self) -> usize {
        let is_keyword = |trigger: &TriggerPlace| self.kind(*trigger) == Some(TriggerKind::Keyword);
        let has_only =
            |triggers: &&Vec<TriggerPlace>| !triggers.is_empty() && triggers.iter().all(is_keyword);
        self.lessons.iter().map(|kept| &kept.conditions.triggers).filter(has_only).count()
    }

    fn kind(&self, trigger: TriggerPlace) -> Option<TriggerKind> {
        self.triggers.get(trigger.0 as usize).map(|(kind, _)| *kind)
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
        let mut collection = Bm25::new(&self.vocabulary, question.texts());
        let read: Vec<Relevance> = self.lessons.iter().map(|kept| collection.read(self.said(kept))).collect();
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
        let mut tried = Tried {
            corpus: self,
            asked: &asked,
            known: vec![None; self.triggers.len() * Subject::ALL.len()],
        };
        self.lessons.iter().enumerate().filter_map(|(at, kept)| Some((at, tried.fires(kept)?))).collect()
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
    fn holds(&mut self, trigger: TriggerPlace, subject: Subject) -> bool {
        let place = Subject::ALL.iter().position(|other| *other == subject).unwrap_or(0);
        let at = trigger.0 as usize * Subject::ALL.len() + place;
        let Some((kind, pattern)) = self.corpus.triggers.get(trigger.0 as usize) else { return false };
        match self.known.get_mut(at) {
            Some(Some(known)) => *known,
            Some(unknown) => {
                let literals = self.corpus.literals.get(trigger.0 as usize).map_or(&[][..], Vec::as_slice);
                *unknown.insert(self.asked.holds(*kind, pattern, literals, subject))
            }
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
        for &trigger in &kept.conditions.triggers {
            if self.holds(trigger, subject)
                && let Some(kind) = self.corpus.kind(trigger)
            {
                let fanout = self.corpus.fanout.get(trigger.0 as usize).copied().unwrap_or(1);
                let before = best.unwrap_or(Fired { fanout, by: Ways::default() });
                best = Some(Fired { fanout: before.fanout.min(fanout), by: before.by.and(kind) });
            }
        }
        best?;
        let is_asked =
            |tried: &Self, trigger| tried.corpus.kind(trigger).is_some_and(|kind| tried.asked.concerns(kind));
        for &trigger in &kept.conditions.also {
            if is_asked(self, trigger) && !self.holds(trigger, subject) {
                return None;
            }
        }
        for &trigger in &kept.conditions.unless {
            if subject.of_unless().iter().any(|subject| self.holds(trigger, *subject)) {
                return None;
            }
        }
        best
    }
}

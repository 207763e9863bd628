//! The search for lessons that concern a question.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::bm25::Bm25;
use super::question::{KeywordText, Question};
use super::rank::{Entry, Found, Unranked, Ways, rank};
use lessons_index::matching::holds_at;
use lessons_index::record::Trigger;
use lessons_index::views::Views;
use lessons_index::{Corrupt, Index};
use lessons_lesson::compiled::{Clock, Terms};
use lessons_lesson::lesson::Subject;
use lessons_lesson::project::ProjectLocation;
use lessons_pattern::trigger::TriggerKind;

/// The lessons of an index that concern a question asked at `place`, best first. Lessons for which `is_known` is true are
/// left out: they count neither in the order nor in the topics.
pub fn recall(
    index: &Index<'_>,
    question: &Question<'_>,
    place: &ProjectLocation<'_>,
    clock: &dyn Clock,
    mut is_known: impl FnMut(&Terms) -> bool,
) -> Result<Vec<Found>, Corrupt> {
    let call = question.call();
    let mut search = Search::of(index, question, Views::new(&call, place));
    let mut matched = HashMap::with_hasher(RandomState::default());
    for lesson in search.candidates()? {
        let terms = index.terms(lesson)?;
        if !terms.is_off(clock)
            && let Some(hit) = search.hit(&terms)?
            && holds_at(&terms, place)
            && !is_known(&terms)
        {
            matched.insert(lesson, (terms, hit));
        }
    }
    if matched.is_empty() {
        return Ok(Vec::new());
    }
    let mut collection = Bm25::new(question.texts());
    let mut read = Vec::with_capacity(matched.len());
    let at_start = index.session_lessons()?;
    index.each_rule(|rule| {
        // A lesson told at the start of every session is no answer to a question.
        if at_start.binary_search(&rule.lesson).is_ok() {
            return;
        }
        let relevance = collection.read(rule.rule);
        if let Some((terms, hit)) = matched.remove(&rule.lesson) {
            let entry = Entry {
                id: terms.id,
                rule: rule.rule.to_owned(),
                topics: rule.topics.into_iter().map(str::to_owned).collect(),
                created_at: terms.created_at,
            };
            read.push((entry, hit, relevance));
        }
    })?;
    let unranked = read.into_iter().map(|(entry, hit, relevance)| Unranked {
        entry,
        specificity: 1.0 / f64::from(hit.document_frequency.max(1)),
        relevance: collection.score(&relevance),
        by: hit.by,
    });
    Ok(rank(unranked.collect()))
}

/// A match of a lesson with a question.
#[derive(Debug, Clone, Copy)]
struct Hit {
    /// The document frequency of the most specific trigger that matches.
    document_frequency: u32,
    /// The kinds of all triggers that match.
    by: Ways,
}

/// A trigger that was tried: its kind, and its document frequency if it matches.
#[derive(Debug, Clone, Copy)]
struct Tried {
    kind: TriggerKind,
    document_frequency: Option<u32>,
}

/// The state of a search. It tries each trigger at most once on each view of the command.
struct Search<'s, 'f, 'v> {
    index: &'s Index<'f>,
    question: &'s Question<'s>,
    views: Views<'v>,
    keyword: Option<KeywordText>,
    tried: HashMap<(u32, Subject), Tried, RandomState>,
}

impl<'s, 'f, 'v> Search<'s, 'f, 'v> {
    fn of(index: &'s Index<'f>, question: &'s Question<'s>, views: Views<'v>) -> Self {
        Self {
            index,
            question,
            views,
            keyword: question.keyword.map(KeywordText::of),
            tried: HashMap::default(),
        }
    }

    /// The lessons with a trigger that matches, ascending, each once.
    fn candidates(&mut self) -> Result<Vec<u32>, Corrupt> {
        let mut triggers = self.index.possible_triggers(&self.views)?;
        if let Some(text) = self.question.keyword {
            triggers.append(&mut self.index.possible_keywords(text)?);
        }
        let mut lessons = Vec::new();
        for position in triggers {
            let (subjects, owners) =
                self.index.with_trigger(position, |trigger| Ok((trigger.subjects, trigger.lessons)))?;
            let mut matches = false;
            for subject in subjects.each() {
                matches |= self.tried(position, subject)?.document_frequency.is_some();
            }
            if matches {
                lessons.extend(owners);
            }
        }
        lessons.sort_unstable();
        lessons.dedup();
        Ok(lessons)
    }

    /// The match of a lesson with the question, if it matches.
    ///
    /// A condition on a part of a call that the question does not give counts as met: a question about a file also finds
    /// lessons about the content of such files.
    fn hit(&mut self, terms: &Terms) -> Result<Option<Hit>, Corrupt> {
        let mut best: Option<Hit> = None;
        for &trigger in &terms.triggers {
            let Tried { kind, document_frequency } = self.tried(trigger, terms.subject)?;
            if let Some(document_frequency) = document_frequency {
                let before = best.unwrap_or(Hit { document_frequency, by: Ways::default() });
                best = Some(Hit {
                    document_frequency: before.document_frequency.min(document_frequency),
                    by: before.by.and(kind),
                });
            }
        }
        if best.is_none() {
            return Ok(None);
        }
        for &trigger in &terms.also {
            let Tried { kind, document_frequency } = self.tried(trigger, terms.subject)?;
            if self.question.concerns(kind) && document_frequency.is_none() {
                return Ok(None);
            }
        }
        for &trigger in &terms.unless {
            for &subject in terms.subject.of_unless() {
                if self.tried(trigger, subject)?.document_frequency.is_some() {
                    return Ok(None);
                }
            }
        }
        Ok(best)
    }

    fn tried(&mut self, position: u32, subject: Subject) -> Result<Tried, Corrupt> {
        if let Some(known) = self.tried.get(&(position, subject)) {
            return Ok(*known);
        }
        let tried = self.index.with_trigger(position, |trigger| {
            let matches = self.question.concerns(trigger.kind) && self.matches(&trigger, subject)?;
            Ok(Tried {
                kind: trigger.kind,
                document_frequency: matches.then_some(trigger.document_frequency),
            })
        })?;
        self.tried.insert((position, subject), tried);
        Ok(tried)
    }

    fn matches(&self, trigger: &Trigger<'_>, subject: Subject) -> Result<bool, Corrupt> {
        let is_keyword = self.keyword.as_ref().is_some_and(|text| text.contains(trigger));
        Ok(is_keyword || trigger.matches(&self.views, subject)?)
    }
}

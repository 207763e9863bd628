//! A question about work to be done, and the search for lessons that concern it.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use lessons_index::matching::holds_at;
use lessons_index::matching::trials::{Trial, Trials};
use lessons_index::record::Trigger;
use lessons_index::{Corrupt, Index, Test, Views};
use lessons_lesson::{Call, Clock, ProjectLocation, Terms};
use lessons_pattern::{TriggerKind, keyword};
use lessons_text::words;

use crate::rank::{Bm25, Entry, Found, Signals, Ways, rank};

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
    let views = Views::new(&call, place);
    let keyword = question.keyword.map(KeywordText::of);
    let mut possible = index.possible_triggers(&views)?;
    if let Some(text) = question.keyword {
        possible.append(&mut index.possible_keywords(text)?);
    }
    let mut trials = Trials::new(index, &views, |trigger, views, subject| {
        let is_keyword = || keyword.as_ref().is_some_and(|text| text.contains(trigger));
        Ok(question.concerns(trigger.kind) && (is_keyword() || trigger.matches(views, subject)?))
    });
    let mut matched = HashMap::with_hasher(RandomState::default());
    for lesson in trials.candidates(possible)? {
        let terms = index.terms(lesson)?;
        if !terms.is_off(clock)
            && let Some(hit) = hit(question, &terms, &mut trials)?
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
    let found = read.into_iter().map(|(entry, hit, relevance)| {
        let specificity = 1.0 / f64::from(hit.document_frequency.max(1));
        let signals = Signals { specificity, relevance: collection.score(&relevance), ..Signals::default() };
        Found { entry, signals, by: hit.by }
    });
    Ok(rank(found.collect()))
}

/// A match of a lesson with a question.
#[derive(Debug, Clone, Copy)]
struct Hit {
    /// The document frequency of the most specific trigger that matches.
    document_frequency: u32,
    /// The kinds of all triggers that match.
    by: Ways,
}

/// The match of a lesson with the question, if it matches.
///
/// A condition on a part of a call that the question does not give counts as met: a question about a file also finds
/// lessons about the content of such files.
fn hit(
    question: &Question<'_>,
    terms: &Terms,
    trials: &mut Trials<'_, '_, '_>,
) -> Result<Option<Hit>, Corrupt> {
    let mut best: Option<Hit> = None;
    for &trigger in &terms.triggers {
        let Trial { kind, document_frequency } = trials.of(trigger, terms.subject)?;
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
        let Trial { kind, document_frequency } = trials.of(trigger, terms.subject)?;
        if question.concerns(kind) && document_frequency.is_none() {
            return Ok(None);
        }
    }
    for &trigger in &terms.unless {
        for &subject in terms.subject.of_unless() {
            if trials.of(trigger, subject)?.document_frequency.is_some() {
                return Ok(None);
            }
        }
    }
    Ok(best)
}

/// A question about work to be done. A trigger that matches any part of it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Question<'q> {
    /// The file, relative to the root of the project, or absolute.
    pub file: Option<&'q str>,
    /// The shell command.
    pub command: Option<&'q str>,
    /// The topic of the work, in words. A keyword matches whole words of it, and beginnings of words.
    pub keyword: Option<&'q str>,
    /// The root of the project, absolute. Without it the file is used as given.
    pub root: Option<&'q str>,
}

impl<'q> Question<'q> {
    /// The parts of the question that are given, for their words.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'q str> {
        [self.file, self.command, self.keyword].into_iter().flatten()
    }

    /// The question as a tool call.
    pub(super) fn call(&self) -> Call<'q> {
        Call {
            command: self.command.map(Into::into),
            // The root itself is a folder, which no file glob means.
            paths: self.file.filter(|file| !self.is_root(file)).map(Into::into).into_iter().collect(),
            cwd: self.root.map(Into::into),
            ..Call::default()
        }
    }

    fn is_root(&self, file: &str) -> bool {
        let root = self.root.unwrap_or_default();
        lessons_text::path::lexical(&lessons_text::path::join(root, file))
            == lessons_text::path::lexical(root)
    }

    /// Whether the question gives the part of a call that triggers of this kind look at.
    pub(super) fn concerns(&self, kind: TriggerKind) -> bool {
        match kind {
            TriggerKind::CommandPattern => self.command.is_some(),
            TriggerKind::FileGlob | TriggerKind::PathPattern => self.file.is_some(),
            TriggerKind::Keyword => true,
            TriggerKind::ContentPattern | TriggerKind::Tool | TriggerKind::ErrorPattern => false,
        }
    }
}

/// A question's keyword text: its words joined by single spaces, once as a keyword's are, and once without any stop word.
pub(super) struct KeywordText {
    all: String,
    counting: String,
}

impl KeywordText {
    pub(super) fn of(text: &str) -> Self {
        let significant: Vec<_> = words::significant(text).collect();
        Self { all: keyword::needle(text).join(" "), counting: significant.join(" ") }
    }

    /// Whether a keyword trigger's words are in the text.
    pub(super) fn contains(&self, trigger: &Trigger<'_>) -> bool {
        let Test::Words(words) = &trigger.test else { return false };
        let run = words.join(" ");
        !run.is_empty() && (self.all.contains(&run) || self.counting.contains(&run))
    }
}

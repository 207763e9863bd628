//! What is compared when lessons and candidates are asked for likeness: what somebody said, without the sentences that a
//! detector put around it.

use std::collections::BTreeMap;

use lessons_context::context::Context;
use lessons_context::error::Result;
use lessons_ledger::candidates::CandidateStatus;
use lessons_ledger::database::Database;
use lessons_ledger::detector::own_words;
use lessons_lesson::lesson::Lesson;
use lessons_store::likeness::Likeness;

/// The sources and the mistakes of all candidates, by id. The default has none.
#[derive(Default)]
pub struct Wordings(BTreeMap<String, (String, String)>);

impl Wordings {
    /// Reads those of this home.
    pub fn of(context: &Context) -> Result<Self> {
        if !context.home.database().exists() {
            return Ok(Self::default());
        }
        Self::in_database(&Database::open(&context.home)?)
    }

    /// Reads those of a database.
    pub fn in_database(database: &Database) -> Result<Self> {
        let candidates = database.candidates(&CandidateStatus::ALL)?.into_iter();
        let wording = candidates.map(|it| (it.id, (it.finding.source, it.finding.mistake)));
        Ok(Self(wording.collect()))
    }

    /// The shingles of what somebody said in a lesson. A mistake that a person has worded anew counts.
    pub fn likeness(&self, lesson: &Lesson) -> Likeness {
        let mistake = lesson.mistake.as_deref().unwrap_or_default();
        let candidates = lesson.evidence.iter().filter_map(|source| source.strip_prefix("candidate:"));
        let found = candidates.filter_map(|id| self.0.get(id)).find(|(_, found)| found == mistake);
        let source = found.map_or("", |(source, _)| source);
        Likeness::of(&own_words(source, mistake, &lesson.rule))
    }
}

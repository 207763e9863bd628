//! Candidates whose mistake a lesson in force already catches.
//!
//! A lesson catches a mistake where it fires on the command that went wrong and keeps quiet on the one that worked: a
//! lesson that fires on both is about something else.

use lessons_context::context::Context;
use lessons_index::matching;
use lessons_index::views::Views;
use lessons_ledger::candidates::Candidate;
use lessons_lesson::call::Call;
use lessons_lesson::lesson::SampleCall;
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_publish::in_force;
use lessons_scanner::run::finding::WORKED;

/// The lessons in force, which may catch what a candidate proposes.
pub struct CatchingLessons {
    index: Option<LoadedIndex>,
    now: u64,
}

impl CatchingLessons {
    /// The lessons in force now. None catch anything where the index cannot be read.
    pub fn of(context: &Context) -> Self {
        Self { index: in_force::readable_index(context), now: context.now_ms() }
    }

    /// Whether one of them catches the mistake of a candidate.
    pub fn catch(&self, candidate: &Candidate) -> bool {
        let found = &candidate.finding;
        let worked = found.evidence.iter().find_map(|line| line.strip_prefix(WORKED));
        let (Some(failed), Some(worked)) = (found.trigger.as_deref(), worked) else { return false };
        let quiet = self.firing_on(worked);
        self.firing_on(failed).iter().any(|lesson| !quiet.contains(lesson))
    }

    /// The numbers of the lessons that fire on a command, wherever it is run.
    fn firing_on(&self, command: &str) -> Vec<u32> {
        let Some(index) = self.index.as_ref().and_then(|index| index.ask().ok()) else { return Vec::new() };
        let sample = SampleCall::bash(command);
        let call = Call::of_sample(&sample);
        let place = ProjectLocation::fixed(Call::SAMPLE_ROOT);
        let matched = matching::matches(&index, &Views::new(&call, &place), "main", &self.now);
        matched.unwrap_or_default().into_iter().map(|matched| matched.lesson).collect()
    }
}

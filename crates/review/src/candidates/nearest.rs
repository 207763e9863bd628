//! The lessons that a reviewer of a candidate has to know: those that say the same, or fire on the same calls.

use std::collections::{BTreeMap, BTreeSet};

use lessons_context::{Context, Result};
use lessons_incident_check::contradiction;
use lessons_ledger::candidates::detector::own_words;
use lessons_ledger::{Candidate, CandidateStatus, Database};
use lessons_lesson::{Layer, Lesson, Mode, QualifiedId, Status};
use lessons_publish::in_force;
use lessons_store::Likeness;
use lessons_text::words;
use serde::Serialize;

use super::promotion;
use crate::checks::duplicates::{Tried, say_the_same};
use crate::lookup;

/// The most lessons that are returned.
const NEAREST: usize = 3;

/// The relation of a lesson to a candidate, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Relation {
    /// One forbids what the other advises.
    Opposite,
    /// Both say nearly the same.
    NearlyTheSame,
    /// Both fire on the same calls, and speak of something in common.
    SameCalls,
}

impl Relation {
    /// The relation in words, which the lesson follows.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Opposite => "says the opposite of",
            Self::NearlyTheSame => "nearly the same as",
            Self::SameCalls => "fires on the same calls as",
        }
    }
}

/// A lesson that is compared with a candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearLesson {
    /// The lesson's id.
    pub id: QualifiedId,
    /// The similarity of the texts, from 0 to 1. Unrelated texts have up to 0.5.
    pub likeness: f64,
    /// The relation; `None` where there is none.
    pub relation: Option<Relation>,
    /// The lesson's rule.
    pub rule: String,
    /// The mistake that it prevents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// Its mode.
    pub mode: Mode,
    /// Its triggers.
    pub triggers: Vec<String>,
}

/// The lessons around a candidate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nearest {
    /// The related lessons, the closest first.
    pub related: Vec<NearLesson>,
    /// The person's own lessons into which the candidate can be merged: the related ones, then the most similar.
    pub own: Vec<NearLesson>,
}

/// All active lessons, prepared for the comparison.
#[derive(Debug)]
pub struct KnownLessons(Vec<(QualifiedId, Likeness, Lesson)>);

impl KnownLessons {
    /// The person's own lessons, and those of other layers that are in force.
    pub fn of(context: &Context) -> Result<Self> {
        let in_force = in_force::lessons(context);
        let active = lookup::every_lesson(context)?.into_iter().filter(|(id, lesson)| {
            lesson.status == Status::Active && (id.layer == Layer::User || in_force.contains_key(id))
        });
        let wordings = Wordings::of(context)?;
        Ok(Self(active.map(|(id, lesson)| (id, wordings.likeness(&lesson), lesson)).collect()))
    }

    /// The lessons around a candidate and the lesson that it proposes, at most [`NEAREST`] of each kind.
    pub fn nearest(&self, candidate: &Candidate, proposed: &Lesson) -> Nearest {
        self.around(proposed, &candidate.finding.likeness(), &promotion::source(candidate))
    }

    /// The lessons around a proposed one with this likeness, without those that came from the same source.
    fn around(&self, proposed: &Lesson, likeness: &Likeness, source: &str) -> Nearest {
        // One that fires nowhere yet fires on no call of another.
        let tried = Tried::new(&proposed.user_id(), proposed);
        let compared =
            self.0.iter().filter(|(_, _, lesson)| !lesson.evidence.iter().any(|from| from == source));
        let mut compared: Vec<NearLesson> = compared
            .map(|(id, theirs, lesson)| NearLesson {
                id: id.clone(),
                likeness: (likeness.degree(theirs) * 100.0).round() / 100.0,
                relation: if contradiction::say_the_opposite(&proposed.rule, &lesson.rule) {
                    Some(Relation::Opposite)
                } else if likeness.is_near(theirs) {
                    Some(Relation::NearlyTheSame)
                } else {
                    tried.as_ref().and_then(|tried| relation(tried, proposed, id, lesson))
                },
                rule: lesson.rule.clone(),
                mistake: lesson.mistake.clone(),
                mode: lesson.mode,
                triggers: lesson.triggers.iter().map(ToString::to_string).collect(),
            })
            .collect();
        compared.sort_by(|a, b| {
            let closest = (a.relation.is_none(), a.relation).cmp(&(b.relation.is_none(), b.relation));
            closest.then(b.likeness.total_cmp(&a.likeness)).then_with(|| a.id.cmp(&b.id))
        });
        let own = compared
            .iter()
            .filter(|near| near.id.layer == Layer::User && (near.relation.is_some() || near.likeness > 0.0));
        let own = own.take(NEAREST).cloned().collect();
        compared.retain(|near| near.relation.is_some());
        compared.truncate(NEAREST);
        Nearest { related: compared, own }
    }
}

/// The relation by the calls on which two lessons fire. What is nothing but in the same place, such as a lesson on every
/// file that is written, is none.
fn relation(tried: &Tried<'_>, proposed: &Lesson, id: &QualifiedId, lesson: &Lesson) -> Option<Relation> {
    let speaks_of = |lesson: &Lesson| -> BTreeSet<String> {
        let text = format!("{} {}", lesson.rule, lesson.mistake.as_deref().unwrap_or_default());
        let telling = words::significant(&text).filter(|word| !words::is_filler(word));
        telling.map(std::borrow::Cow::into_owned).collect()
    };
    // Words are compared first: it takes a build to know where a lesson fires.
    let is_about_the_same = !speaks_of(proposed).is_disjoint(&speaks_of(lesson));
    (is_about_the_same && tried.fires_with(id, lesson))
        .then(|| if say_the_same(proposed, lesson) { Relation::NearlyTheSame } else { Relation::SameCalls })
}

/// The sources and the mistakes of all candidates, by id. The default has none.
#[derive(Default)]
pub struct Wordings(BTreeMap<String, (String, String)>);

impl Wordings {
    /// Reads those of this home.
    pub fn of(context: &Context) -> Result<Self> {
        let database = Database::existing(&context.home)?;
        database.map_or_else(|| Ok(Self::default()), |database| Self::in_database(&database))
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

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_pattern::trigger::{Trigger, TriggerKind};

    use super::*;

    fn lesson(id: &str, mistake: &str, rule: &str, command: &str) -> Lesson {
        let (id, topic) = (LessonId::new(id).unwrap(), TopicId::new("general").unwrap());
        let mut lesson = Lesson::new(id, rule, topic, "2026-01-01");
        lesson.mistake = Some(mistake.to_owned());
        lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, command)];
        lesson
    }

    fn likeness(lesson: &Lesson) -> Likeness {
        Likeness::of(&format!("{} {}", lesson.mistake.as_deref().unwrap_or_default(), lesson.rule))
    }

    /// The relation of a lesson to a proposed one.
    fn between(proposed: &Lesson, known: &Lesson) -> Option<Relation> {
        let id = QualifiedId { layer: Layer::Seed, id: known.id.clone() };
        let all = KnownLessons(vec![(id, likeness(known), known.clone())]);
        let around = all.around(proposed, &likeness(proposed), "candidate:3f2a");
        around.related.first().and_then(|near| near.relation)
    }

    fn stash() -> Lesson {
        lesson(
            "new",
            "git stash leaves untracked files behind, and they stay in the way of what comes next",
            "use `git stash -u` when untracked files matter",
            r"\bgit\s+stash\b",
        )
    }

    #[test]
    fn other_words_for_the_same_advice_at_the_same_call_are_nearly_the_same() {
        let known = lesson(
            "a",
            "New files are not stashed.",
            "Stash with `git stash -u`, so that untracked files come along.",
            r"\bgit\s+stash\b",
        );
        assert_eq!(between(&stash(), &known), Some(Relation::NearlyTheSame));
        let pnpm = lesson("b", "npm breaks the lockfile", "use pnpm, never npm", r"\bnpm\s+install\b");
        let same = lesson("c", "", "always use pnpm rather than npm", r"\bnpm\b");
        assert_eq!(between(&pnpm, &same), Some(Relation::NearlyTheSame));
    }

    #[test]
    fn advice_that_says_the_opposite_is_named_first() {
        let proposed = lesson("new", "", "Never use `frob push --safe`.", r"\bfrob\s+push\b");
        let known = lesson("a", "", "Use `frob push --safe`.", r"\bfrob\s+pull\b");
        assert_eq!(between(&proposed, &known), Some(Relation::Opposite));
    }

    #[test]
    fn other_advice_at_the_same_call_is_named_as_such() {
        let known = lesson("a", "A stash is forgotten.", "Commit to a branch instead.", r"\bgit\s+stash\b");
        assert_eq!(between(&stash(), &known), Some(Relation::SameCalls));
    }

    #[test]
    fn a_lesson_about_something_else_is_not_shown_however_alike_the_sentences_are() {
        let others = [
            (
                "git push --force overwrites what others pushed",
                "use `git push --force-with-lease` when you must",
                r"\bgit\s+push\b",
            ),
            (
                "rm leaves nothing behind, and what comes next needs it",
                "use `trash` when the files matter",
                r"\brm\b",
            ),
            (
                "docker build leaves untagged images behind",
                "use `docker build -t` when images matter",
                r"\bdocker\s+build\b",
            ),
        ];
        for (mistake, rule, command) in others {
            let known = lesson("a", mistake, rule, command);
            let alike = likeness(&stash()).degree(&likeness(&known));
            assert_eq!(between(&stash(), &known), None, "{rule}: {alike}");
        }
    }

    #[test]
    fn a_candidate_without_a_trigger_is_compared_by_its_words() {
        let mut proposed = stash();
        proposed.triggers.clear();
        let mut known = stash();
        known.id = LessonId::new("a").unwrap();
        assert_eq!(between(&proposed, &known), Some(Relation::NearlyTheSame));
        known.rule = "Commit to a branch instead.".into();
        known.mistake = None;
        assert_eq!(between(&proposed, &known), None);
    }

    #[test]
    fn any_lesson_of_ones_own_can_be_merged_into_the_related_ones_come_first() {
        let own = |lesson: Lesson| {
            let likeness = likeness(&lesson);
            (QualifiedId { layer: Layer::User, id: lesson.id.clone() }, likeness, lesson)
        };
        let far = lesson("far", "The page is gone.", "Move the stash of photos with rsync.", r"\bmv\b");
        let related = lesson("related", "", "Commit before you stash.", r"\bgit\s+stash\b");
        let around = KnownLessons(vec![own(far), own(related)]).around(&stash(), &likeness(&stash()), "");
        let ids = |list: &[NearLesson]| list.iter().map(|near| near.id.to_string()).collect::<Vec<_>>();
        assert_eq!(ids(&around.related), ["user/related"]);
        assert_eq!(ids(&around.own), ["user/related", "user/far"]);
    }
}

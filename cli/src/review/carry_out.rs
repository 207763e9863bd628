//! Carrying decisions out, all of them or none.
//!
//! Everything is judged first, against the lessons as the decisions before would leave them. Only when
//! nothing is wrong anywhere are the lessons saved and the candidates put away, as one change, which
//! `lessons undo` takes back as one. All of it happens under one lock.

use std::collections::BTreeMap;

use anyhow::{Error, Result, bail};
use lessons_ledger::candidates::{Candidate, Standing};
use lessons_ledger::database::Database;
use lessons_lesson::id::LessonId;
use lessons_lesson::lesson::{Lesson, Mode, Status};
use lessons_store::capture::{self, Warning};
use lessons_store::curate::Pruned;
use lessons_store::graph::Graph;
use lessons_text::neutral::line;

use super::decision::{Acceptance, Decision};
use super::{merging, promotion};
use crate::app::{App, Coded, Refused};
use crate::args::Fields;
use crate::change::{self, ChangeDraft, Changed, Plan, Tidying};
use crate::lookup;
use crate::messages::{self, Message};
use crate::proof::{self, ChangeOrigin};
use crate::{cleaning, fields, project_names, usage_counts};

/// What came of a decision.
pub(crate) enum DecisionResult {
    /// A lesson was changed.
    Lesson(Changed),
    /// A candidate was put away, or nothing had to be done.
    Candidate(Message),
}

/// What a decision comes to.
pub(crate) struct PlannedDecision {
    /// The candidate's whole id.
    pub(crate) candidate: String,
    step: PlannedStep,
}

enum PlannedStep {
    /// This lesson is saved.
    Save { done: &'static str, lesson: Box<Lesson>, warnings: Vec<Warning> },
    /// The candidate is put away.
    PutAway { reason: Option<String> },
    /// Nothing has to be done.
    Nothing(Message),
}

impl PlannedDecision {
    /// The lesson that is saved.
    pub(crate) fn lesson(&self) -> Option<&Lesson> {
        match &self.step {
            PlannedStep::Save { lesson, .. } => Some(lesson),
            PlannedStep::PutAway { .. } | PlannedStep::Nothing(_) => None,
        }
    }

    /// The decision in a sentence. It holds recorded text.
    pub(crate) fn told(&self) -> String {
        match &self.step {
            PlannedStep::Save { done, lesson, .. } => format!(
                "{} {done}: user/{} ({}): {}",
                self.candidate,
                lesson.id,
                mode(lesson),
                lesson.one_line()
            ),
            PlannedStep::PutAway { reason: Some(reason) } => format!("{} rejected: {reason}", self.candidate),
            PlannedStep::PutAway { reason: None } => format!("{} rejected", self.candidate),
            PlannedStep::Nothing(said) => said.message.clone(),
        }
    }

    /// What to look at in it.
    pub(crate) fn warnings(&self) -> &[Warning] {
        match &self.step {
            PlannedStep::Save { warnings, .. } => warnings,
            PlannedStep::PutAway { .. } | PlannedStep::Nothing(_) => &[],
        }
    }
}

fn mode(lesson: &Lesson) -> &'static str {
    match lesson.mode {
        Mode::Advise => "advise",
        Mode::Bump => "bump",
        Mode::Block => "block",
    }
}

/// Carries one decision out. `action` is what the journal calls it. Returns the number of the change there, too;
/// none where nothing changed.
pub(crate) fn one(
    app: &App,
    action: &'static str,
    origin: ChangeOrigin,
    decision: &Decision,
) -> Result<(DecisionResult, Option<u64>)> {
    let (mut done, change) = all(app, action, origin, std::slice::from_ref(decision), |_| Ok(()))?;
    let done = done.pop().ok_or_else(|| Error::msg("a decision came to nothing"))?;
    Ok((done, change))
}

/// Carries decisions out, if `agree` has nothing against what they come to. It may be asked more than once.
pub(crate) fn all(
    app: &App,
    action: &'static str,
    origin: ChangeOrigin,
    decisions: &[Decision],
    agree: impl Fn(&[PlannedDecision]) -> Result<()>,
) -> Result<(Vec<DecisionResult>, Option<u64>)> {
    let changes_lessons = decisions.iter().any(Decision::changes_lessons);
    let (planned, mut tidied, change, outcome) = proof::with_replays(app, |replays| {
        let lock = app.lock()?;
        let mut database = Database::open(&app.home)?;
        let found = find_all(&database, decisions);
        let changed =
            change::store(app, &lock, &mut database, Plan { done: action, origin, replays }, |draft| {
                let (planned, tidied) = plan_all(app, draft, decisions, found)?;
                agree(&planned)?;
                Ok((planned, tidied))
            });
        let ((planned, tidied), change) = changed?;
        // What is saved is saved, whatever becomes of the build.
        let outcome = changes_lessons.then(|| change::bring_into_force(app, &lock, &database));
        Ok((planned, tidied, change, outcome))
    })?;
    let told = planned.into_iter().map(|planned| match (planned.step, &outcome) {
        (PlannedStep::Save { done, lesson, warnings }, Some(outcome)) => {
            let mut changed = match outcome {
                Ok(outcome) => Changed::of(done, &lesson, warnings, outcome),
                Err(why) => Changed::unbuilt(done, &lesson, warnings, why),
            };
            changed.tidied = tidied.take();
            Ok(DecisionResult::Lesson(changed))
        }
        (PlannedStep::Save { .. }, None) => bail!("a lesson was saved and not built"),
        (PlannedStep::PutAway { .. }, _) => {
            let id = &planned.candidate;
            let message = format!("candidate {id} is put away; `lessons restore {id}` brings it back");
            Ok(DecisionResult::Candidate(Message::new("rejected", id, message).then("lessons candidates")))
        }
        (PlannedStep::Nothing(said), _) => Ok(DecisionResult::Candidate(said)),
    });
    let told: Vec<DecisionResult> = told.collect::<Result<_>>()?;
    for done in &told {
        if let DecisionResult::Lesson(changed) = done {
            usage_counts::captured(app, changed.done, changed.warnings.len());
        }
    }
    Ok((told, change))
}

/// What decisions would come to now. It is judged by all that they are judged by when they are carried out.
pub(crate) fn preview(app: &App, decisions: &[Decision]) -> Result<Vec<PlannedDecision>> {
    proof::with_replays(app, |replays| {
        let found = find_all(&Database::open(&app.home)?, decisions);
        let plan = Plan { done: "reviewed", origin: ChangeOrigin::Decisions, replays };
        change::preview(app, plan, |draft| Ok(plan_all(app, draft, decisions, found)?.0))
    })
}

/// Works everything out that decisions change: lessons, candidates, and what is tidied along with them.
fn plan_all(
    app: &App,
    draft: &mut ChangeDraft<'_>,
    decisions: &[Decision],
    found: Vec<Result<Candidate>>,
) -> Result<(Vec<PlannedDecision>, Option<Pruned>)> {
    let planned = plan(app, draft, decisions, found)?;
    for planned in &planned {
        if let PlannedStep::PutAway { reason } = &planned.step {
            draft.beside.put(&planned.candidate, Standing::Rejected, reason.as_deref());
        }
    }
    let recorded = planned.iter().any(|planned| planned.lesson().is_some());
    let tidied = if recorded { Tidying::of(app)?.tidied(draft.graph)? } else { None };
    Ok((planned, tidied))
}

/// The candidate that `text` names: its id or the start of it.
pub(crate) fn find(database: &Database, text: &str) -> Result<Candidate> {
    let mut found = database.candidates_starting(text)?;
    if found.len() > 1 {
        bail!(Refused(lookup::ambiguous(text, found.iter().map(|candidate| &candidate.id))));
    }
    found.pop().ok_or_else(|| {
        let text = line(text);
        Refused(format!(
            "there is no candidate `{text}` (type at least 4 digits of an id); `lessons candidates` shows them"
        ))
        .into()
    })
}

fn find_all(database: &Database, decisions: &[Decision]) -> Vec<Result<Candidate>> {
    decisions.iter().map(|decision| find(database, decision.candidate())).collect()
}

/// Works out every decision, one after the other. Fails with all that is wrong.
fn plan(
    app: &App,
    draft: &mut ChangeDraft<'_>,
    decisions: &[Decision],
    found: Vec<Result<Candidate>>,
) -> Result<Vec<PlannedDecision>> {
    let mut planned = Vec::with_capacity(decisions.len());
    let mut wrong = Vec::new();
    let mut decided: BTreeMap<String, usize> = BTreeMap::new();
    for (at, (decision, found)) in decisions.iter().zip(found).enumerate() {
        let step = found.and_then(|candidate| {
            if let Some(before) = decided.insert(candidate.id.clone(), at) {
                bail!(Refused(format!("it was decided about before, as number {}", before + 1)));
            }
            let step = step(app, draft.graph, decision, &candidate)?;
            if let PlannedStep::Save { lesson, .. } = &step {
                draft.graph.put(lesson)?;
                draft.forced.note(&lesson.id, decision.force());
            }
            Ok(PlannedDecision { candidate: candidate.id, step })
        });
        match step {
            Ok(step) => planned.push(step),
            Err(error) => wrong.push((at, error)),
        }
    }
    match wrong.len() {
        0 => Ok(planned),
        // Worded as it would be said by a verb of its own.
        1 if decisions.len() == 1 => Err(wrong.swap_remove(0).1),
        _ => {
            let lines: Vec<String> = wrong
                .iter()
                .filter_map(|(at, error)| Some((at, decisions.get(*at)?, messages::sentence(error))))
                .map(|(at, decision, why)| {
                    format!("\n  number {}, candidate {}: {why}", at + 1, line(decision.candidate()))
                })
                .collect();
            let all = decisions.len();
            bail!(Refused(format!(
                "{} of {all} decisions cannot be carried out, so nothing was done:{}",
                lines.len(),
                lines.concat()
            )))
        }
    }
}

/// What one decision comes to.
fn step(app: &App, graph: &Graph, decision: &Decision, candidate: &Candidate) -> Result<PlannedStep> {
    match decision {
        Decision::Promote { fields, accept, .. } => promote(app, graph, candidate, fields, accept.as_ref()),
        Decision::Edit { lesson, fields, accept, .. } => {
            edit(app, graph, candidate, lesson, fields, accept.as_ref())
        }
        Decision::Merge { lesson, accept, .. } => merge(app, graph, candidate, lesson, accept.as_ref()),
        Decision::Reject { reason, .. } => {
            if let Some(lesson) = lesson_of(graph, candidate) {
                bail!(Refused(format!(
                    "candidate {} is the lesson user/{lesson}; put that away with `lessons deprecate {lesson}`",
                    candidate.id
                )));
            }
            Ok(PlannedStep::PutAway { reason: reason.as_deref().map(cleaning::cleaned) })
        }
        Decision::Skip { .. } => {
            let id = &candidate.id;
            Ok(PlannedStep::Nothing(Message::new("skipped", id, format!("candidate {id} goes on waiting"))))
        }
    }
}

/// The lesson, active or not, that comes from a candidate.
fn lesson_of(graph: &Graph, candidate: &Candidate) -> Option<LessonId> {
    let evidence = promotion::source(candidate);
    graph.lessons().find(|lesson| lesson.evidence.contains(&evidence)).map(|lesson| lesson.id.clone())
}

/// Says that a candidate is a lesson already, if it is.
fn already(graph: &Graph, candidate: &Candidate) -> Option<PlannedStep> {
    let id = format!("user/{}", lesson_of(graph, candidate)?);
    let message = format!("candidate {} is the lesson {id} already", candidate.id);
    let next = format!("lessons show {id}");
    Some(PlannedStep::Nothing(Message::new("unchanged", id, message).then(next)))
}

fn promote(
    app: &App,
    graph: &Graph,
    candidate: &Candidate,
    fields: &Fields,
    accept: Option<&Acceptance>,
) -> Result<PlannedStep> {
    if let Some(already) = already(graph, candidate) {
        return Ok(already);
    }
    let accepted = promotion::accepted(app, candidate, accept)?;
    let mut lesson = promotion::proposed(app, candidate)?;
    fields::apply(fields, &mut lesson, &|text| project_names::project_key(app, text))?;
    promotion::add_example(&mut lesson, candidate);
    lesson.evidence.push(promotion::source(candidate));
    lesson.evidence.extend(accepted);
    let mut warnings = change::vetted(&mut lesson, graph, None)?;
    change::refuse_duplicate(graph, &lesson)?;
    lesson.id = capture::free_id(graph, &lesson)?;
    warnings.extend(promotion::proposed_mode(&lesson).into_iter().map(Warning::from));
    Ok(PlannedStep::Save { done: "promoted", lesson: Box::new(lesson), warnings })
}

fn edit(
    app: &App,
    graph: &Graph,
    candidate: &Candidate,
    lesson: &str,
    fields: &Fields,
    accept: Option<&Acceptance>,
) -> Result<PlannedStep> {
    if let Some(already) = already(graph, candidate) {
        return Ok(already);
    }
    let accepted = promotion::accepted(app, candidate, accept)?;
    let mut lesson = active(graph, lesson)?.clone();
    fields::apply(fields, &mut lesson, &|text| project_names::project_key(app, text))?;
    taken_up(app, graph, candidate, lesson, "changed", accepted)
}

fn merge(
    app: &App,
    graph: &Graph,
    candidate: &Candidate,
    lesson: &str,
    accept: Option<&Acceptance>,
) -> Result<PlannedStep> {
    if let Some(already) = already(graph, candidate) {
        return Ok(already);
    }
    let accepted = promotion::accepted(app, candidate, accept)?;
    let lesson = active(graph, lesson)?;
    let Some(both) = merging::merged(&promotion::proposed(app, candidate)?, lesson) else {
        bail!(Coded::refused(
            "DIFFERENT_CONDITIONS",
            format!(
                "candidate {} fires under other conditions than user/{} (`also`, `unless` or tools), so its \
                 trigger would fire where it should not; promote it, or change the lesson yourself",
                candidate.id, lesson.id
            )
        ));
    };
    taken_up(app, graph, candidate, both, "merged", accepted)
}

/// A lesson that is in force.
fn active<'g>(graph: &'g Graph, text: &str) -> Result<&'g Lesson> {
    let lesson = change::find(graph, text)?;
    if lesson.status != Status::Active {
        bail!(Coded::refused(
            "INACTIVE_LESSON",
            format!("user/{0} is not active; `lessons restore {0}` brings it back", lesson.id)
        ));
    }
    Ok(lesson)
}

/// A lesson that comes from this candidate, too.
fn taken_up(
    app: &App,
    graph: &Graph,
    candidate: &Candidate,
    mut lesson: Lesson,
    done: &'static str,
    accepted: Vec<String>,
) -> Result<PlannedStep> {
    lesson.evidence.push(promotion::source(candidate));
    lesson.evidence.extend(accepted);
    let warnings = change::vetted(&mut lesson, graph, None)?;
    lesson.updated_at = Some(app.now_text());
    Ok(PlannedStep::Save { done, lesson: Box::new(lesson), warnings })
}

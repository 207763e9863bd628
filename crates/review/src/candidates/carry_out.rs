//! Carrying out decisions, all of them or none.
//!
//! Every decision is judged first, against the lessons as the decisions before it leave them. If all are valid, the
//! lessons are saved and the candidates rejected as one change, under one lock, so that `lessons undo` undoes them
//! together.

use std::collections::BTreeMap;
use std::slice;

use lessons_context::{Coded, Context, Error, Refused, Result, error, refused, refused_as};
use lessons_incident_check::{check, contradiction, record};
use lessons_ledger::candidates::{Candidate, CandidateStatus};
use lessons_ledger::database::Database;
use lessons_lesson::id::{Layer, QualifiedId};
use lessons_lesson::lesson::{Lesson, Status};
use lessons_store::capture::{self, Warning};
use lessons_store::curate::Pruned;
use lessons_store::graph::Graph;
use lessons_store::load;
use lessons_store::telemetry::NewParts;
use lessons_text::neutral::line;

use super::decision::{Decision, GivenFields};
use super::promotion;
use crate::change::{self, ChangeDraft, Changed, Message, Plan, Saved, Tidying};
use crate::checks::duplicates::{self, Remedy};
use crate::proof::{self, ChangeOrigin};
use crate::{cleaning, lookup};

/// A decision that was judged, and what it will do.
pub struct PlannedDecision {
    /// The candidate's full id.
    pub candidate: String,
    step: PlannedStep,
}

enum PlannedStep {
    /// A lesson is saved.
    Save { done: &'static str, lesson: Box<Lesson>, warnings: Vec<Warning>, new_parts: NewParts },
    /// The candidate is rejected.
    PutAway { reason: Option<String> },
    /// Nothing has to be done.
    Nothing(Message),
}

impl PlannedDecision {
    /// The lesson that is saved, if there is one.
    pub fn lesson(&self) -> Option<&Lesson> {
        match &self.step {
            PlannedStep::Save { lesson, .. } => Some(lesson),
            PlannedStep::PutAway { .. } | PlannedStep::Nothing(_) => None,
        }
    }

    /// The decision in a sentence. It holds recorded text.
    pub fn told(&self) -> String {
        match &self.step {
            PlannedStep::Save { done, lesson, .. } => format!(
                "{} {done}: user/{} ({}): {}",
                self.candidate,
                lesson.id,
                lesson.mode,
                lesson.one_line()
            ),
            PlannedStep::PutAway { reason: Some(reason) } => format!("{} rejected: {reason}", self.candidate),
            PlannedStep::PutAway { reason: None } => format!("{} rejected", self.candidate),
            PlannedStep::Nothing(said) => said.message.clone(),
        }
    }

    /// Warnings about the lesson that is saved.
    pub fn warnings(&self) -> &[Warning] {
        match &self.step {
            PlannedStep::Save { warnings, .. } => warnings,
            PlannedStep::PutAway { .. } | PlannedStep::Nothing(_) => &[],
        }
    }
}

/// How decisions are carried out.
#[derive(Clone, Copy)]
pub struct Terms {
    /// Their name in the journal.
    pub done: &'static str,
    /// The way in which they came about.
    pub origin: ChangeOrigin,
    /// How the person decides between two lessons that say the same.
    pub remedy: Remedy,
}

/// Carries out one decision, with its own word in the journal.
pub fn one<F: GivenFields>(
    context: &Context,
    origin: ChangeOrigin,
    remedy: Remedy,
    decision: &Decision<F>,
) -> Result<(Saved, Option<u64>)> {
    let terms = Terms { done: decision.done(), origin, remedy };
    let (mut saved, change) = all(context, terms, slice::from_ref(decision))?;
    Ok((saved.pop().ok_or_else(|| Error::Failed("a decision came to nothing".into()))?, change))
}

/// Carries out decisions. Returns the number of the change in the journal as well; `None` if nothing changed.
pub fn all<F: GivenFields>(
    context: &Context,
    terms: Terms,
    decisions: &[Decision<F>],
) -> Result<(Vec<Saved>, Option<u64>)> {
    let Terms { done, origin, .. } = terms;
    let changes_lessons = decisions.iter().any(Decision::changes_lessons);
    let (planned, mut tidied, change, outcome) = proof::with_replays(context, |replays| {
        let lock = context.lock()?;
        let mut database = Database::open(&context.home)?;
        let found = find_all(&database, decisions);
        let plan = Plan { done, origin, replays };
        let changed = change::store(context, &lock, &mut database, plan, |draft| {
            plan_all(context, draft, terms.remedy, decisions, found)
        });
        let ((planned, tidied), change) = changed?;
        // A failed build does not undo what was saved.
        let outcome = changes_lessons.then(|| change::bring_into_force(context, &lock, &database));
        Ok((planned, tidied, change, outcome))
    })?;
    record_contradictions(context, &planned);
    let told = planned.into_iter().map(|planned| match (planned.step, &outcome) {
        (PlannedStep::Save { done, lesson, warnings, new_parts }, Some(outcome)) => {
            let mut changed = Changed::of(context, done, &lesson, warnings, outcome.as_ref());
            changed.tidied = tidied.take();
            changed.new_parts = new_parts;
            Ok(Saved::Lesson(changed))
        }
        (PlannedStep::Save { .. }, None) => Err(Error::Failed("a lesson was saved and not built".to_owned())),
        (PlannedStep::PutAway { .. }, _) => {
            let id = &planned.candidate;
            let message = format!("candidate {id} is rejected; `lessons restore {id}` brings it back");
            Ok(Saved::NoLesson(Message::new("rejected", id, message).then("lessons candidates")))
        }
        (PlannedStep::Nothing(said), _) => Ok(Saved::NoLesson(said)),
    });
    let told = told.collect::<Result<Vec<_>>>()?;
    for saved in &told {
        change::count_captured(context, saved);
    }
    Ok((told, change))
}

/// Records the rules that new lessons contradict: the person decided for the new ones.
fn record_contradictions(context: &Context, planned: &[PlannedDecision]) {
    let promoted = planned.iter().filter_map(|planned| match &planned.step {
        PlannedStep::Save { done: "promoted", lesson, .. } => Some(&**lesson),
        _ => None,
    });
    let promoted: Vec<&Lesson> = promoted.collect();
    if promoted.is_empty() {
        return;
    }
    // Recording never stops anything else.
    let Ok(graph) = load::lessons(&context.home) else { return };
    let met: Vec<_> =
        promoted.iter().flat_map(|lesson| contradiction::of_new(context, lesson, &graph)).collect();
    record::record(context, &met);
}

/// Works out what decisions would do now, with the same checks as when they are carried out.
pub fn preview<F: GivenFields>(
    context: &Context,
    terms: Terms,
    decisions: &[Decision<F>],
) -> Result<Vec<PlannedDecision>> {
    let Terms { done, origin, remedy } = terms;
    proof::with_replays(context, |replays| {
        let found = find_all(&Database::open(&context.home)?, decisions);
        let plan = Plan { done, origin, replays };
        change::preview(context, plan, |draft| Ok(plan_all(context, draft, remedy, decisions, found)?.0))
    })
}

/// Finds the candidate that `text` names: its id or the start of it.
pub fn find(database: &Database, text: &str) -> Result<Candidate> {
    let mut found = database.candidates_starting(text)?;
    if found.len() > 1 {
        return refused(lookup::ambiguous(text, found.iter().map(|candidate| &candidate.id)));
    }
    found.pop().ok_or_else(|| {
        let text = line(text);
        Refused(format!(
            "there is no candidate `{text}` (type at least 4 digits of an id); `lessons candidates` shows them"
        ))
        .into()
    })
}

fn find_all<F: GivenFields>(database: &Database, decisions: &[Decision<F>]) -> Vec<Result<Candidate>> {
    decisions.iter().map(|decision| find(database, decision.candidate())).collect()
}

/// Works out every decision in order, with the triggers that become unused. Fails with all problems at once.
fn plan_all<F: GivenFields>(
    context: &Context,
    draft: &mut ChangeDraft<'_>,
    remedy: Remedy,
    decisions: &[Decision<F>],
    found: Vec<Result<Candidate>>,
) -> Result<(Vec<PlannedDecision>, Option<Pruned>)> {
    let mut planned = Vec::with_capacity(decisions.len());
    let mut wrong = Vec::new();
    let mut decided: BTreeMap<String, usize> = BTreeMap::new();
    for (at, (decision, found)) in decisions.iter().zip(found).enumerate() {
        let step = found.and_then(|candidate| {
            if let Some(before) = decided.insert(candidate.id.clone(), at) {
                return refused(format!("it was decided about before, as number {}", before + 1));
            }
            let mut step = step(context, draft.graph, remedy, decision, &candidate)?;
            match &mut step {
                PlannedStep::Save { lesson, warnings, .. } => {
                    draft.put(context, lesson, warnings)?;
                    draft.forced.note(&lesson.id, decision.force());
                    let accept =
                        decision.accept().filter(|it| it.flags.iter().any(|flag| flag == check::FLAG));
                    draft.accept_incident(&lesson.id, accept.map(|accept| &accept.reason));
                }
                PlannedStep::PutAway { reason } => {
                    draft.rows.put(&candidate.id, CandidateStatus::Rejected, reason.as_deref());
                }
                PlannedStep::Nothing(_) => {}
            }
            Ok(PlannedDecision { candidate: candidate.id, step })
        });
        match step {
            Ok(step) => planned.push(step),
            Err(error) => wrong.push((at, error)),
        }
    }
    match wrong.len() {
        0 => {
            warn_of_breadth(draft, &mut planned)?;
            let saves = planned.iter().any(|planned| planned.lesson().is_some());
            let tidied = if saves { Tidying::of(context)?.tidied(draft.graph)? } else { None };
            Ok((planned, tidied))
        }
        // A single decision fails with the same words as its own verb.
        1 if decisions.len() == 1 => Err(wrong.swap_remove(0).1),
        _ => {
            let lines: Vec<String> = wrong
                .iter()
                .filter_map(|(at, error)| Some((at, decisions.get(*at)?, error::sentence(error))))
                .map(|(at, decision, why)| {
                    format!("\n  number {}, candidate {}: {why}", at + 1, line(decision.candidate()))
                })
                .collect();
            let all = decisions.len();
            refused(format!(
                "{} of {all} decisions cannot be carried out, so nothing was done:{}",
                lines.len(),
                lines.concat()
            ))
        }
    }
}

/// Adds warnings about lessons that fire at too many of the past calls. All are replayed together.
fn warn_of_breadth(draft: &ChangeDraft<'_>, planned: &mut [PlannedDecision]) -> Result<()> {
    let saved = planned.iter().filter_map(PlannedDecision::lesson);
    let measured = draft.breadth_warnings(saved.filter(|lesson| !lesson.mode.refuses()))?;
    for planned in planned {
        if let PlannedStep::Save { lesson, warnings, .. } = &mut planned.step {
            let own = measured.iter().filter(|(id, _)| *id == lesson.id);
            warnings.extend(own.map(|(_, warning)| warning.clone()));
        }
    }
    Ok(())
}

/// Works out one decision. A lesson that is new gets an id.
fn step<F: GivenFields>(
    context: &Context,
    graph: &Graph,
    remedy: Remedy,
    decision: &Decision<F>,
    candidate: &Candidate,
) -> Result<PlannedStep> {
    let id = &candidate.id;
    let existing = lesson_of(context, graph, candidate)?;
    let takes_up = decision.changes_lessons() && existing.is_none();
    // What speaks against the candidate comes before what is wrong with the lesson.
    let accepted =
        if takes_up { promotion::accepted(context, candidate, decision.accept())? } else { Vec::new() };
    let mut lesson = match (decision, existing) {
        (Decision::Skip { .. }, _) => {
            let said = Message::new(decision.done(), id, format!("candidate {id} keeps waiting"));
            return Ok(PlannedStep::Nothing(said));
        }
        (Decision::Reject { .. }, Some(lesson)) => {
            let flag = if lesson.layer == Layer::User { "" } else { "--project " };
            return refused(format!(
                "candidate {id} is the lesson {lesson}; retire that with `lessons retire {flag}{}`",
                lesson.id
            ));
        }
        (Decision::Reject { reason, .. }, None) => {
            return Ok(PlannedStep::PutAway { reason: reason.as_deref().map(cleaning::cleaned) });
        }
        (_, Some(lesson)) => {
            let message = format!("candidate {id} is the lesson {lesson} already");
            let said = Message::new("unchanged", lesson.to_string(), message);
            return Ok(PlannedStep::Nothing(said.then(format!("lessons show {lesson}"))));
        }
        (Decision::Promote { fields, .. }, None) => {
            let lesson = promotion::with_fields(context, candidate, Some(&**fields))?;
            promotion::require_examples(&lesson, candidate)?;
            lesson
        }
        (Decision::Edit { lesson, fields, .. }, None) => {
            let mut lesson = active(context, graph, lesson)?.clone();
            fields.write_over(context, &mut lesson)?;
            lesson
        }
        (Decision::Merge { lesson, .. }, None) => {
            let lesson = active(context, graph, lesson)?;
            let merged = promotion::merged(&promotion::proposed(context, candidate)?, lesson);
            let differs = || {
                let why = format!(
                    "candidate {id} fires under other conditions than user/{} (`also`, `unless` or tools), so its \
                     trigger would fire where it should not; promote it, or change the lesson yourself",
                    lesson.id
                );
                Coded::refused("DIFFERENT_CONDITIONS", why)
            };
            merged.ok_or_else(differs)?
        }
    };
    lesson.evidence.push(promotion::source(candidate));
    lesson.evidence.extend(accepted);
    let mut warnings = change::vetted(&mut lesson, graph, None)?;
    if matches!(decision, Decision::Promote { .. }) {
        change::refuse_duplicate(graph, &lesson)?;
        lesson.id = match promotion::id_of_trigger(candidate, &lesson) {
            Some(base) => capture::free_id_like(graph, &base)?,
            None => capture::free_id(graph, &lesson)?,
        };
        duplicates::add(context, &lesson, remedy, &mut warnings)?;
        warnings.extend(promotion::suggested_bump(candidate, &lesson).into_iter().map(Warning::from));
    } else {
        lesson.updated_at = Some(context.now_text());
    }
    let (done, new_parts) = (decision.done(), NewParts::of(&lesson, graph));
    Ok(PlannedStep::Save { done, lesson: Box::new(lesson), warnings, new_parts })
}

/// The lesson, active or not, that was made from a candidate: of the store that is changed, or of any other.
fn lesson_of(context: &Context, graph: &Graph, candidate: &Candidate) -> Result<Option<QualifiedId>> {
    let evidence = promotion::source(candidate);
    if let Some(lesson) = graph.lessons().find(|lesson| lesson.evidence.contains(&evidence)) {
        return Ok(Some(QualifiedId { layer: context.store.layer(), id: lesson.id.clone() }));
    }
    let mut others = lookup::every_lesson(context)?.into_iter();
    let other =
        others.find(|(id, lesson)| id.layer != context.store.layer() && lesson.evidence.contains(&evidence));
    Ok(other.map(|(id, _)| id))
}

/// Finds an active lesson.
fn active<'g>(context: &Context, graph: &'g Graph, text: &str) -> Result<&'g Lesson> {
    let lesson = change::find(context, graph, text)?;
    if lesson.status != Status::Active {
        return refused_as(
            "INACTIVE_LESSON",
            format!("user/{0} is not active; `lessons restore {0}` brings it back", lesson.id),
        );
    }
    Ok(lesson)
}

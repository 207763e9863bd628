//! Carrying out decisions, all of them or none.
//!
//! Every decision is judged first, against the lessons as the decisions before it leave them. If all are valid, the
//! lessons are saved and the candidates rejected as one change, under one lock, so that `lessons undo` undoes them
//! together.

use std::collections::BTreeMap;
use std::slice;

use lessons_context::{Context, Error, Refused, Result, error, refused, refused_as};
use lessons_incident_check::{check, contradiction, record};
use lessons_ledger::{Candidate, CandidateStatus, Database};
use lessons_lesson::{Layer, Lesson, QualifiedId, Status};
use lessons_store::{Graph, Pruned, Warning, capture, load};
use lessons_text::line;

use super::decision::{Decision, GivenFields};
use super::promotion;
use crate::change::{self, ChangeDraft, Edit, Message, Plan, Saved, SavedLesson, Tidying};
use crate::checks::duplicates::{self, Remedy};
use crate::proof::{self, ChangeOrigin};
use crate::{cleaning, lookup};

/// Decisions that were judged, and what they will do.
pub struct Planned {
    /// Each decision in a sentence. They hold recorded text.
    pub told: Vec<String>,
    edits: Vec<Edit>,
    tidied: Option<Pruned>,
}

impl Planned {
    /// Warnings about the lessons that are saved.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.edits.iter().filter_map(Edit::saved).flat_map(|saved| &saved.warnings)
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
    let (planned, change, outcome) = proof::with_replays(context, |replays| {
        let (lock, mut database) = context.lock_database()?;
        let found = find_all(&database, decisions);
        let plan = Plan { done, origin, replays };
        let changed = change::store(context, &lock, &mut database, plan, |draft| {
            plan_all(context, draft, terms.remedy, decisions, found)
        });
        let (planned, change) = changed?;
        // A failed build does not undo what was saved.
        let outcome = changes_lessons.then(|| change::bring_into_force(context, &lock, &database));
        Ok((planned, change, outcome))
    })?;
    let Planned { edits, mut tidied, .. } = planned;
    record_contradictions(context, &edits);
    let built = outcome.as_ref().map(Result::as_ref);
    let told = edits.into_iter().map(|edit| edit.answered(context, built, &mut tidied));
    let told = told.collect::<Result<Vec<_>>>()?;
    for saved in &told {
        change::count_captured(context, saved);
    }
    Ok((told, change))
}

/// Records the rules that new lessons contradict: the person decided for the new ones.
fn record_contradictions(context: &Context, edits: &[Edit]) {
    let saved = edits.iter().filter_map(Edit::saved);
    let mut promoted = saved.filter(|saved| saved.done == "promoted").peekable();
    // Recording never stops anything else.
    if promoted.peek().is_some()
        && let Ok(graph) = load::lessons(&context.home)
    {
        let met: Vec<_> =
            promoted.flat_map(|saved| contradiction::of_new(context, &saved.lesson, &graph)).collect();
        record::record(context, &met);
    }
}

/// Works out what decisions would do now, with the same checks as when they are carried out.
pub fn preview<F: GivenFields>(
    context: &Context,
    terms: Terms,
    decisions: &[Decision<F>],
) -> Result<Planned> {
    let Terms { done, origin, remedy } = terms;
    proof::with_replays(context, |replays| {
        let found = find_all(&Database::open(&context.home)?, decisions);
        let plan = Plan { done, origin, replays };
        change::preview(context, plan, |draft| plan_all(context, draft, remedy, decisions, found))
    })
}

/// Finds the candidate that `text` names: its id or the start of it.
pub fn find(database: &Database, text: &str) -> Result<Candidate> {
    let found = database.candidates_starting(text)?;
    lookup::only_one(text, found, |candidate| candidate.id.clone())?.ok_or_else(|| {
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
) -> Result<Planned> {
    let mut edits = Vec::with_capacity(decisions.len());
    let mut told = Vec::with_capacity(decisions.len());
    let mut wrong = Vec::new();
    let mut decided: BTreeMap<String, usize> = BTreeMap::new();
    for (at, (decision, found)) in decisions.iter().zip(found).enumerate() {
        let edit = found.and_then(|candidate| {
            if let Some(before) = decided.insert(candidate.id.clone(), at) {
                return refused(format!("it was decided about before, as number {}", before + 1));
            }
            let edit = edit(context, draft, remedy, decision, &candidate)?;
            told.push(sentence(decision, &candidate, &edit));
            Ok(edit)
        });
        match edit {
            Ok(edit) => edits.push(edit),
            Err(error) => wrong.push((at, decision, error)),
        }
    }
    match wrong.len() {
        0 => {
            draft.warn_of_breadth(&mut edits)?;
            let saves = edits.iter().any(|edit| edit.saved().is_some());
            let tidied = if saves { Tidying::of(context)?.tidied(draft.graph)? } else { None };
            Ok(Planned { told, edits, tidied })
        }
        // A single decision fails with the same words as its own verb.
        1 if decisions.len() == 1 => Err(wrong.swap_remove(0).2),
        some => {
            let lines = wrong.iter().map(|(at, decision, error)| {
                let (candidate, why) = (line(decision.candidate()), error::sentence(error));
                format!("\n  number {}, candidate {candidate}: {why}", at + 1)
            });
            let (all, lines) = (decisions.len(), lines.collect::<String>());
            refused(format!("{some} of {all} decisions cannot be carried out, so nothing was done:{lines}"))
        }
    }
}

/// A decision in a sentence.
fn sentence<F: GivenFields>(decision: &Decision<F>, candidate: &Candidate, edit: &Edit) -> String {
    let id = &candidate.id;
    match (decision, edit) {
        (_, Edit::Save(saved)) => {
            let SavedLesson { done, lesson, .. } = &**saved;
            format!("{id} {done}: user/{} ({}): {}", lesson.id, lesson.mode, lesson.one_line())
        }
        (Decision::Reject { reason: Some(reason), .. }, _) => {
            format!("{id} rejected: {}", cleaning::cleaned(reason))
        }
        (Decision::Reject { .. }, _) => format!("{id} rejected"),
        (_, Edit::Nothing(said)) => said.message.clone(),
    }
}

/// Works out one decision and takes it into the draft. A lesson that is new gets an id.
fn edit<F: GivenFields>(
    context: &Context,
    draft: &mut ChangeDraft<'_>,
    remedy: Remedy,
    decision: &Decision<F>,
    candidate: &Candidate,
) -> Result<Edit> {
    let graph = &*draft.graph;
    let id = &candidate.id;
    let existing = lesson_of(context, graph, candidate)?;
    let takes_up = decision.changes_lessons() && existing.is_none();
    // What speaks against the candidate comes before what is wrong with the lesson.
    let accepted =
        if takes_up { promotion::accepted(context, candidate, decision.accept())? } else { Vec::new() };
    let mut lesson = match (decision, existing) {
        (Decision::Skip { .. }, _) => {
            let said = Message::new(decision.done(), id, format!("candidate {id} keeps waiting"));
            return Ok(Edit::Nothing(said));
        }
        (Decision::Reject { .. }, Some(lesson)) => {
            let flag = if lesson.layer == Layer::User { "" } else { "--project " };
            return refused(format!(
                "candidate {id} is the lesson {lesson}; retire that with `lessons retire {flag}{}`",
                lesson.id
            ));
        }
        (Decision::Reject { reason, .. }, None) => {
            let reason = reason.as_deref().map(cleaning::cleaned);
            draft.rows.put(id, CandidateStatus::Rejected, reason.as_deref());
            let message = format!("candidate {id} is rejected; `lessons restore {id}` brings it back");
            let said = Message::new(decision.done(), id, message);
            return Ok(Edit::Nothing(said.then("lessons candidates")));
        }
        (_, Some(lesson)) => {
            let message = format!("candidate {id} is the lesson {lesson} already");
            let said = Message::new("unchanged", lesson.to_string(), message);
            return Ok(Edit::Nothing(said.then(format!("lessons show {lesson}"))));
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
            let Some(merged) = promotion::merged(&promotion::proposed(context, candidate)?, lesson) else {
                let why = format!(
                    "candidate {id} fires under other conditions than user/{} (`also`, `unless` or tools), so its \
                     trigger would fire where it should not; promote it, or change the lesson yourself",
                    lesson.id
                );
                return refused_as("DIFFERENT_CONDITIONS", why);
            };
            merged
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
    let id = lesson.id.clone();
    let mut edit = Edit::save(decision.done(), lesson, warnings, graph);
    draft.put(context, &mut edit)?;
    draft.forced.extend(decision.force().map(|_| id.clone()));
    let accept = decision.accept().filter(|it| it.flags.iter().any(|flag| flag == check::FLAG));
    draft.accept_incident(&id, accept.map(|accept| &accept.reason));
    Ok(edit)
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
    if lesson.status == Status::Active {
        return Ok(lesson);
    }
    let id = &lesson.id;
    let why = format!("user/{id} is not active; `lessons restore {id}` brings it back");
    refused_as("INACTIVE_LESSON", why)
}

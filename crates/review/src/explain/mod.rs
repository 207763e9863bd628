//! The explanation of an answer: why a call is advised, blocked or left alone.
//!
//! The function that the hook calls decides about the call, with the index in force, while a tracer observes it. So an
//! explanation cannot differ from what the hook does.
//!
//! - [`AskedCall`]: the call. `claims_view`: what the session was told before, read without writing a claim.
//! - `tracing`: what the tracer observed, in words. `display`: the explanation as text.

mod claims_view;
mod display;
mod tracing;

use std::collections::HashMap;

use lessons_context::context::Context;
use lessons_context::error::{Error, Result};
use lessons_decide::answer::{self, Advice, Answer, Decision, Draws, Situation, answer_traced};
use lessons_decide::approval::GuardedPaths;
use lessons_home::machine::ThisMachine;
use lessons_index::matched::Mismatch;
use lessons_index::spot::Spot;
use lessons_index::views::Views;
use lessons_index::{Corrupt, Index, matching};
use lessons_lesson::call::Call;
use lessons_lesson::compiled::{Settings, Terms};
use lessons_lesson::hooked;
use lessons_lesson::id::QualifiedId;
use lessons_lesson::lesson::{Lesson, Mode, Status};
use lessons_lesson::project::ProjectLocation;
use lessons_manifest_builder::index::LoadedIndex;
use lessons_pattern::trigger::Trigger;
use lessons_publish::{building, in_force};
use lessons_store::trust;
use lessons_text::neutral::line;
use serde::Serialize;

use self::tracing::{AnswerTracer, Reason, TracedMatch, of_match, of_mismatch};
use crate::lookup::find_lesson;
use crate::trials::MachineFacts;

/// A call to explain, with its caller and its place.
#[derive(Debug)]
pub struct AskedCall {
    /// The call.
    pub call: Call<'static>,
    /// The agent's type.
    pub agent: String,
    /// The sub-agent that makes the call, if any. It has claims of its own.
    pub agent_id: Option<String>,
    /// The session whose claims count. Without one, the call is explained as the first of a session.
    pub session: Option<String>,
    /// Whether it is a call of the past, in a session from which the lot left reminders out.
    pub is_left_out: bool,
    /// The folder from which the project is searched.
    pub start: Option<String>,
}

/// The explanation of the answer to a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    call: About,
    /// The decision: `silent`, `advise`, `refuse`, `ask` or `deny`.
    decision: &'static str,
    /// The text for the model, or for the person who is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// A note that concerns all lessons: they are all off, or nothing has been built.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The lessons that match, in the order of rank.
    lessons: Vec<Fired>,
    /// The lessons for the start of sessions that came into force while sessions ran, and are told at this call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    late: Vec<QualifiedId>,
    /// The verdict on the lesson that the question names.
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<Answered>,
}

/// The call as the explanation shows it.
#[derive(Debug, Serialize)]
struct About {
    tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// The error text, for a call that has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
}

/// A lesson that matches the call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fired {
    id: QualifiedId,
    /// The rank among the lessons that match, from 1.
    rank: usize,
    mode: Mode,
    priority: u8,
    /// The document frequency: the number of lessons that share the most specific of the triggers that match.
    #[serde(rename = "fanout")]
    document_frequency: u32,
    /// The triggers that match.
    because: Vec<Because>,
    /// The outcome for the lesson, as a word for programs.
    outcome: &'static str,
    /// The outcome in a sentence.
    why: String,
}

/// A trigger that matches, with the text that it matches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Because {
    trigger: String,
    /// The text that the trigger looked at.
    looked_at: String,
    /// The part of that text that matched.
    matched: String,
    /// The position of the match in that text, in bytes.
    at: usize,
}

/// The verdict on the lesson that the question names.
#[derive(Debug, Serialize)]
struct Answered {
    id: String,
    /// Whether the model is told of the lesson at this call.
    fires: bool,
    /// The reason, as a word for programs.
    reason: &'static str,
    /// The reason in a sentence.
    why: String,
    /// The lesson's triggers, if none of them matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    triggers: Vec<String>,
    /// The texts that these triggers looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    looked_at: Vec<String>,
}

impl Answered {
    fn new(id: &impl ToString, fires: bool, (reason, why): Reason) -> Self {
        Self { id: id.to_string(), fires, reason, why, triggers: Vec::new(), looked_at: Vec::new() }
    }
}

/// Why a lesson for the start of sessions is told at a call.
const LATE: &str = "it came into force while sessions ran, so each is told it once, at its next call";

impl Explained {
    /// The lessons whose text it holds.
    pub fn told(&self) -> impl Iterator<Item = &QualifiedId> {
        let told = self.lessons.iter().map(|lesson| &lesson.id).chain(&self.late);
        told.filter(|_| self.text.is_some())
    }
}

/// Explains the answer to a call, and the part that one lesson has in it. `time` is how a person reads a time in
/// milliseconds.
pub fn explain(
    context: &Context,
    asked: &AskedCall,
    lesson: Option<&str>,
    time: &dyn Fn(u64) -> String,
) -> Result<Explained> {
    let place = ProjectLocation::at(asked.start.as_deref(), &ThisMachine);
    let wanted = lesson.map(|text| (text, find_lesson(context, text)));
    let loaded = in_force::index(context).map_err(Error::Failed)?;
    let force = loaded.as_ref().map(InForce::of).transpose();
    let force = force.map_err(|error| Error::Failed(in_force::cannot_be_read(context, error)))?;
    let index = force.as_ref().map(|force| &force.index);
    let corrupt = |error| Error::Failed(in_force::cannot_be_read(context, error));
    let mut tracer = AnswerTracer::default();
    let answer = answer(context, asked, index, &place, &mut tracer).map_err(corrupt)?;
    let views = Views::new(&asked.call, &place);
    let settings = index.map(|index| index.settings().clone()).unwrap_or_default();
    let unhooked = hooked::unhooked(&asked.call.tool);
    let shown = force.as_ref().filter(|_| unhooked.is_none());
    let fired = shown.into_iter().flat_map(|force| {
        tracer.matched.iter().zip(1..).map(|(matched, rank)| force.fired(matched, rank, &views))
    });
    let lessons = fired.collect::<Result<_, _>>().map_err(corrupt)?;
    let note = unhooked.clone().or_else(|| note(context, index, &settings));
    let answered = match wanted {
        Some((_, Ok((id, lesson)))) => {
            let inquiry = Inquiry {
                context,
                asked,
                force: force.as_ref(),
                place: &place,
                tracer: &tracer,
                answer: &answer,
                unhooked: unhooked.as_deref(),
                note: note.as_deref(),
                time,
            };
            let mut answered = inquiry.about(&id, &lesson)?;
            // A lesson for a tool that never calls the hook has one more reason to be silent.
            for why in hooked::unhooked_conditions(&lesson) {
                if !answered.why.contains(&why) {
                    answered.why = format!("{}; {why}", answered.why);
                }
            }
            Some(answered)
        }
        Some((text, Err(error))) => Some(untrusted(context, text, &place).ok_or(error)?),
        None => None,
    };
    let late = match &answer.decision {
        Decision::Advise { lessons, .. } if unhooked.is_none() => {
            let matches = |id: &QualifiedId| tracer.matched.iter().any(|matched| matched.found.id == *id);
            lessons.iter().filter(|id| !matches(id)).cloned().collect()
        }
        _ => Vec::new(),
    };
    let (decision, text) = match answer.decision {
        _ if unhooked.is_some() => ("silent", None),
        Decision::Silent => ("silent", None),
        Decision::Advise { text, .. } => ("advise", Some(text)),
        Decision::Refuse { text, .. } => ("refuse", Some(text)),
        Decision::Ask { reason } => ("ask", Some(reason)),
        Decision::Question(_) => ("ask", Some("a person is asked what this would change".to_owned())),
    };
    Ok(Explained { call: About::of(asked, &place), decision, text, note, lessons, late, lesson: answered })
}

/// The answer of the hook to the call.
fn answer(
    context: &Context,
    asked: &AskedCall,
    index: Option<&Index<'_>>,
    place: &ProjectLocation<'_>,
    tracer: &mut AnswerTracer,
) -> Result<Answer, Corrupt> {
    let machine = MachineFacts::of(context);
    let facts = machine.context();
    let variable = |name| std::env::var(name).ok();
    let advice =
        Advice::from_variables(variable("LESSONS_ENABLED").as_deref(), variable("LESSONS_SEEN").as_deref());
    let mut advice = advice.drawn(index.map(Index::settings), asked.session.as_deref());
    if asked.is_left_out {
        advice.draws = Draws::LeftOut;
    }
    let situation = Situation {
        index,
        call: &asked.call,
        agent: &asked.agent,
        place,
        guarded: &GuardedPaths { home: facts.home, user_home: facts.user_home },
        advice: &advice,
        clock: &facts.now,
    };
    let scope = index.map_or_else(|| Settings::default().dedup_scope, |index| index.settings().dedup_scope);
    let mut memory = claims_view::memory(context, asked, scope);
    answer_traced(&situation, memory.as_mut(), tracer)
}

impl About {
    fn of(asked: &AskedCall, place: &ProjectLocation<'_>) -> Self {
        let call = &asked.call;
        Self {
            tool: call.tool.to_string(),
            command: call.command.as_deref().map(str::to_owned),
            files: call.absolute_paths(),
            error: call.error.as_deref().map(str::to_owned),
            agent: asked.agent.clone(),
            project: place.roots().map(|roots| roots.root.clone()),
        }
    }
}

/// The note that concerns all lessons, if there is one.
fn note(context: &Context, index: Option<&Index<'_>>, settings: &Settings) -> Option<String> {
    if index.is_none() {
        return Some("nothing is in force, because nothing was built; run `lessons build`".into());
    }
    (!answer::in_force(settings, &context.now_ms()))
        .then(|| "everything is switched off; `lessons on all` switches it on".into())
}

/// The index in force, with its triggers as a person wrote them.
struct InForce<'l> {
    loaded: &'l LoadedIndex,
    index: Index<'l>,
    triggers: HashMap<u32, Trigger>,
}

impl<'l> InForce<'l> {
    fn of(loaded: &'l LoadedIndex) -> Result<Self, Corrupt> {
        Ok(Self { loaded, index: loaded.ask()?, triggers: loaded.triggers()? })
    }

    /// A trigger as a person types it.
    fn trigger(&self, position: u32) -> String {
        self.triggers.get(&position).map(|trigger| line(&trigger.to_string())).unwrap_or_default()
    }

    /// A lesson that matches, and its outcome.
    fn fired(&self, matched: &TracedMatch, rank: usize, views: &Views<'_>) -> Result<Fired, Corrupt> {
        let found = &matched.found;
        let (outcome, why) = of_match(matched, self.index.settings());
        let mut because = Vec::new();
        for position in self.index.terms(found.lesson)?.triggers {
            if self.index.try_trigger(position, views, found.subject)?.is_some()
                && let Some(spot) =
                    self.triggers.get(&position).and_then(|trigger| Spot::of(trigger, views, found.subject))
            {
                because.push(Because {
                    trigger: self.trigger(position),
                    matched: spot.text.get(spot.matched.clone()).unwrap_or_default().to_owned(),
                    at: spot.matched.start,
                    looked_at: spot.text,
                });
            }
        }
        Ok(Fired {
            id: found.id.clone(),
            rank,
            mode: found.mode,
            priority: found.priority,
            document_frequency: found.document_frequency,
            because,
            outcome,
            why,
        })
    }
}

/// The inputs of the verdict on one lesson.
struct Inquiry<'a> {
    context: &'a Context,
    asked: &'a AskedCall,
    force: Option<&'a InForce<'a>>,
    place: &'a ProjectLocation<'a>,
    tracer: &'a AnswerTracer,
    answer: &'a Answer,
    /// Why the hook is not called for the call.
    unhooked: Option<&'a str>,
    note: Option<&'a str>,
    time: &'a dyn Fn(u64) -> String,
}

impl Inquiry<'_> {
    /// The verdict on a lesson.
    fn about(&self, id: &QualifiedId, lesson: &Lesson) -> Result<Answered> {
        let told = match &self.answer.decision {
            Decision::Advise { lessons, .. } | Decision::Refuse { lessons, .. } => lessons.contains(id),
            Decision::Silent | Decision::Ask { .. } | Decision::Question(_) => false,
        };
        let plain = |reason: Reason| Answered::new(id, told, reason);
        if let Some(why) = self.unhooked {
            return Ok(Answered::new(id, false, ("tool", why.to_owned())));
        }
        let corrupt = |error| Error::Failed(in_force::cannot_be_read(self.context, error));
        let Some(force) = self.force else { return Ok(plain(absent(self.context, id, lesson)?)) };
        let Some((position, terms)) = force.loaded.find(id).map_err(corrupt)? else {
            return Ok(plain(absent(self.context, id, lesson)?));
        };
        if let Some(matched) = self.tracer.matched.iter().find(|matched| matched.found.id == *id) {
            return Ok(plain(of_match(matched, force.index.settings())));
        }
        if let Some(note) = self.note {
            return Ok(plain(("disabled", note.to_owned())));
        }
        let views = Views::new(&self.asked.call, self.place);
        let now = self.context.now_ms();
        let why = matching::mismatch_of(&force.index, position, &views, &self.asked.agent, &now);
        if told && matches!(why, Ok(Some(Mismatch::AtStart))) {
            return Ok(plain(("told", LATE.into())));
        }
        let Some(why) = why.map_err(corrupt)? else {
            return Err(Error::Failed(format!("{id} was not looked at")));
        };
        let named = |position| force.trigger(position);
        let mut answered = plain(of_mismatch(&terms, why, &named, &self.asked.agent, self.place, self.time));
        if matches!(why, Mismatch::NoTrigger | Mismatch::NoErrorTrigger) {
            answered.triggers = terms.triggers.iter().map(|position| force.trigger(*position)).collect();
            answered.looked_at = looked_at(&terms, &views);
        }
        Ok(answered)
    }
}

/// The texts that a lesson's triggers look at.
fn looked_at(terms: &Terms, views: &Views<'_>) -> Vec<String> {
    let texts = views.command(terms.subject).iter().chain(views.absolute()).chain(views.relative());
    let texts = texts.chain(views.written_files()).chain(views.error());
    texts.map(|view| view.text().to_owned()).collect()
}

/// The reason why a recorded lesson is not in force.
fn absent(context: &Context, id: &QualifiedId, lesson: &Lesson) -> Result<Reason> {
    let report = building::preview(context)?;
    if let Some(noted) = report.left_out.iter().find(|noted| noted.id == *id) {
        let reason = if lesson.status == Status::Active { "leftOut" } else { "inactive" };
        return Ok((reason, format!("it is not in force: {}", noted.reason)));
    }
    Ok(("notBuilt", "it is recorded and not in force yet; `lessons build` brings it into force".into()))
}

/// The verdict on a lesson of a project whose store is not trusted.
fn untrusted(context: &Context, text: &str, place: &ProjectLocation<'_>) -> Option<Answered> {
    let root = &place.roots()?.root;
    let preview = trust::preview(&context.home, std::path::Path::new(root)).ok()?;
    let lesson = preview.lessons.iter().find(|lesson| lesson.id.as_str() == text)?;
    let why = format!(
        "it belongs to {}, whose lessons are not those you have trusted; `lessons trust` there shows them",
        line(root)
    );
    Some(Answered::new(&lesson.id, false, ("trust", why)))
}

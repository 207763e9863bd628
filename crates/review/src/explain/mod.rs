//! The explanation of an answer: why a call is advised, blocked or left alone.
//!
//! The function that the hook calls decides about the call, with the index in force, while a tracer observes it. So an
//! explanation cannot differ from what the hook does.
//!
//! - [`AskedCall`]: the call. `tracing`: what the session was told before, read without writing a claim, and what the tracer
//!   observed, in words.

mod tracing;

use std::collections::HashMap;
use std::iter;

use lessons_context::{Context, Error, Result};
use lessons_decide::answer::{Draws, answer_traced};
use lessons_decide::{Advice, Decision, GuardedPaths, Situation, answer};
use lessons_home::ThisMachine;
use lessons_index::spot::Spot;
use lessons_index::{Corrupt, Index, Mismatch, Views, matching};
use lessons_lesson::{Call, Lesson, MAIN, ProjectLocation, QualifiedId, Status, hooked};
use lessons_manifest_builder::index::LoadedIndex;
use lessons_pattern::Trigger;
use lessons_publish::{building, in_force};
use lessons_store::decisions::trust;
use lessons_text::{line, shortened};
use serde::Serialize;
use serde_json::{Value, json};

use self::tracing::{AnswerTracer, Reason, TracedMatch, of_match, of_mismatch};
use crate::lookup::find_lesson;
use crate::trials::MachineFacts;

/// A call to explain, with its caller and its place.
#[derive(Debug, Default)]
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
#[derive(Debug)]
pub struct Explained {
    /// What a person reads. Recorded texts in it are neutral.
    pub lines: Vec<String>,
    /// The same for programs.
    pub fields: Value,
    /// The lessons whose text it holds.
    pub told: Vec<QualifiedId>,
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
    triggers: Vec<String>,
    /// The texts that these triggers looked at.
    looked_at: Vec<String>,
}

impl Answered {
    fn new(id: &impl ToString, fires: bool, (reason, why): Reason) -> Self {
        Self { id: id.to_string(), fires, reason, why, triggers: Vec::new(), looked_at: Vec::new() }
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let fires = if self.fires { "fires" } else { "does not fire" };
        let triggers = self.triggers.iter().map(|trigger| format!("     {} does not match", short(trigger)));
        let texts = self.looked_at.iter().map(|text| format!("       `{}`", short(text)));
        iter::once(format!("{} {fires}: {}", self.id, self.why)).chain(triggers).chain(texts)
    }
}

/// The longest part of a line, in characters.
const LINE: usize = 160;
/// Why a lesson for the start of sessions is told at a call.
const LATE: &str = "it came into force while sessions ran, so each is told it once, at its next call";

/// Explains the answer to a call, and the part that one lesson has in it.
pub fn explain(context: &Context, asked: &AskedCall, lesson: Option<&str>) -> Result<Explained> {
    let place = ProjectLocation::at(asked.start.as_deref(), &ThisMachine);
    let wanted = lesson.map(|text| (text, find_lesson(context, text)));
    let loaded = in_force::index(context)?;
    let corrupt = |error| in_force::cannot_be_read(context, error);
    let force = loaded.as_ref().map(InForce::of).transpose().map_err(corrupt)?;
    let question = Question::decided(context, asked, &place, force).map_err(corrupt)?;
    let answered = match wanted {
        Some((_, Ok((id, lesson)))) => Some(question.about(&id, &lesson)?),
        Some((text, Err(error))) => Some(untrusted(context, text, &place).ok_or(error)?),
        None => None,
    };
    let ids: Vec<&QualifiedId> = question.matched.iter().map(|it| &it.found.id).collect();
    let late: Vec<&QualifiedId> = question.told().iter().filter(|id| !ids.contains(id)).collect();
    let (decision, outcome, text) = match &question.decision {
        Decision::Advise { text, .. } if asked.call.error.is_some() => {
            ("advise", "reminds the model, beside the error.", Some(text.as_str()))
        }
        Decision::Advise { text, .. } => ("advise", "reminds the model after the call.", Some(text.as_str())),
        Decision::Refuse { text, .. } => ("refuse", "blocks the call.", Some(text.as_str())),
        Decision::Ask { reason } => ("ask", ASKED, Some(reason.as_str())),
        Decision::Question(_) => ("ask", ASKED, Some("a person is asked what this would change")),
        Decision::Silent => ("silent", "says nothing.", None),
    };
    let (head, call) = call_in_words(asked, &place);
    let mut lines = vec![head];
    lines.extend(question.note.iter().map(|note| format!("Note: {note}")));
    lines.extend(answered.iter().flat_map(Answered::lines));
    let (nothing, told) = match (ids.is_empty(), late.is_empty()) {
        (true, true) => (Some("No lesson matches this call."), ""),
        (true, false) => {
            (Some("No lesson is about this call, but it carries what is for every session:"), "told")
        }
        (false, _) => (None, "told too"),
    };
    lines.extend(nothing.map(str::to_owned));
    let (fired, lessons) = question.fired().map_err(corrupt)?;
    lines.extend(fired);
    let named = answered.as_ref().map(|answered| answered.id.as_str());
    let others = late.iter().filter(|id| named != Some(&id.to_string()));
    lines.extend(others.map(|id| format!("{id} is {told}: {LATE}")));
    lines.push(format!("The hook {outcome}"));
    let first = ids.first().or(late.first()).map(ToString::to_string);
    let next = match named.map(str::to_owned).or(first) {
        Some(id) => format!("lessons show {id}"),
        None => "lessons explain --lesson ID …, to see why one stays quiet".to_owned(),
    };
    lines.push(format!("Next: {next}"));
    let answered = answered.map(|answered| given(json!(answered)));
    let mut fields = given(
        json!({ "decision": decision, "text": text, "note": question.note, "late": late, "lesson": answered }),
    );
    (fields["call"], fields["lessons"]) = (call, lessons.into());
    let told = ids.into_iter().chain(late).filter(|_| text.is_some()).cloned().collect();
    Ok(Explained { lines, fields, told })
}

/// What the hook does with a call that only a person may make.
const ASKED: &str = "puts the call to the person, because only a person may make it.";

/// An object without the fields in which there is nothing.
fn given(mut fields: Value) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
    }
    fields
}

/// A text in a line.
fn short(text: &str) -> String {
    shortened(&line(text), LINE)
}

/// The call, for a person and for programs.
fn call_in_words(asked: &AskedCall, place: &ProjectLocation<'_>) -> (String, Value) {
    let AskedCall { call, agent, .. } = asked;
    let (files, project) = (call.absolute_paths(), place.roots().map(|roots| &roots.root));
    let mut parts = vec![line(&call.tool)];
    let texts = call.command.as_deref().into_iter().chain(files.iter().map(String::as_str));
    parts.extend(texts.map(|text| format!(" `{}`", short(text))));
    parts.extend(call.error.iter().map(|error| format!(" failed with `{}`", short(error))));
    parts.extend((agent != MAIN).then(|| format!(" by {}", short(agent))));
    parts.extend(project.map(|project| format!(", in {}", short(project))));
    let fields = json!({
        "tool": call.tool, "command": call.command, "files": files, "error": call.error, "agent": agent, "project": project,
    });
    (parts.concat(), given(fields))
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
}

/// A call that was asked about, and what the hook decides about it.
struct Question<'a> {
    context: &'a Context,
    asked: &'a AskedCall,
    place: &'a ProjectLocation<'a>,
    views: Views<'a>,
    force: Option<InForce<'a>>,
    decision: Decision,
    /// The lessons that match, in the order of rank.
    matched: Vec<TracedMatch>,
    /// Why the hook is not called for the call.
    unhooked: Option<String>,
    /// What concerns all lessons, if anything does.
    note: Option<String>,
}

impl<'a> Question<'a> {
    fn decided(
        context: &'a Context,
        asked: &'a AskedCall,
        place: &'a ProjectLocation<'a>,
        force: Option<InForce<'a>>,
    ) -> Result<Self, Corrupt> {
        let index = force.as_ref().map(|force| &force.index);
        let settings = index.map(|index| index.settings().clone()).unwrap_or_default();
        let machine = MachineFacts::of(context);
        let facts = machine.context();
        let [enabled, seen] = ["LESSONS_ENABLED", "LESSONS_SEEN"].map(|name| std::env::var(name).ok());
        let advice = Advice::from_variables(enabled.as_deref(), seen.as_deref());
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
        let mut tracer = AnswerTracer::default();
        let unhooked = hooked::unhooked(&asked.call.tool);
        let decision = if unhooked.is_some() {
            Decision::Silent
        } else {
            let mut memory = tracing::memory(context, asked, settings.dedup_scope);
            answer_traced(&situation, memory.as_mut(), &mut tracer)?.decision
        };
        let off = match index {
            None => Some("nothing is in force, because nothing was built; run `lessons build`"),
            Some(_) if answer::in_force(&settings, &context.now_ms()) => None,
            Some(_) => Some("everything is switched off; `lessons on all` switches it on"),
        };
        let note = unhooked.clone().or_else(|| off.map(str::to_owned));
        let views = Views::new(&asked.call, place);
        Ok(Self { context, asked, place, views, force, decision, matched: tracer.0, unhooked, note })
    }

    /// The lessons of which the model is told.
    fn told(&self) -> &[QualifiedId] {
        match &self.decision {
            Decision::Advise { lessons, .. } | Decision::Refuse { lessons, .. } => lessons,
            Decision::Silent | Decision::Ask { .. } | Decision::Question(_) => &[],
        }
    }

    /// The lessons that match, and their outcome: lines for a person, and objects for programs.
    fn fired(&self) -> Result<(Vec<String>, Vec<Value>), Corrupt> {
        let (mut lines, mut lessons) = (Vec::new(), Vec::new());
        let Some(force) = &self.force else { return Ok((lines, lessons)) };
        for (rank, matched) in (1_usize..).zip(&self.matched) {
            let found = &matched.found;
            let (outcome, why) = of_match(matched, force.index.settings());
            lines.push(format!("{rank}. {}: {why}", found.id));
            lines.push(format!("     {}, priority {}", found.mode, found.priority));
            let mut because = Vec::new();
            for position in force.index.terms(found.lesson)?.triggers {
                let fires = force
                    .index
                    .with_trigger(position, |trigger| trigger.matches(&self.views, found.subject))?;
                let trigger = force.triggers.get(&position).filter(|_| fires);
                let spot = trigger.and_then(|trigger| Spot::of(trigger, &self.views, found.subject));
                let Some(spot) = spot else { continue };
                let trigger = force.trigger(position);
                let part = spot.text.get(spot.matched.clone()).unwrap_or_default();
                lines.push(format!("     {} matches `{}`", short(&trigger), short(part)));
                if part != spot.text {
                    lines.push(format!("       in `{}`", short(&spot.text)));
                }
                because.push(json!({
                    "trigger": trigger, "matched": part, "at": spot.matched.start, "lookedAt": spot.text,
                }));
            }
            lessons.push(json!({
                "id": found.id,
                "rank": rank,
                "mode": found.mode,
                "priority": found.priority,
                // The number of lessons that share the most specific of the triggers that match.
                "fanout": found.document_frequency,
                "because": because,
                "outcome": outcome,
                "why": why,
            }));
        }
        Ok((lines, lessons))
    }

    /// The verdict on a lesson.
    fn about(&self, id: &QualifiedId, lesson: &Lesson) -> Result<Answered> {
        let mut answered = self.reason(id, lesson)?;
        // A lesson for a tool that never calls the hook has one more reason to be silent.
        for why in hooked::unhooked_conditions(lesson) {
            if !answered.why.contains(&why) {
                answered.why = format!("{}; {why}", answered.why);
            }
        }
        Ok(answered)
    }

    fn reason(&self, id: &QualifiedId, lesson: &Lesson) -> Result<Answered> {
        let is_told = self.told().contains(id);
        let plain = |reason: Reason| Answered::new(id, is_told, reason);
        if let Some(why) = &self.unhooked {
            return Ok(plain(("tool", why.clone())));
        }
        let corrupt = |error| in_force::cannot_be_read(self.context, error);
        let Some(force) = &self.force else { return Ok(plain(absent(self.context, id, lesson)?)) };
        let Some((position, terms)) = force.loaded.find(id).map_err(corrupt)? else {
            return Ok(plain(absent(self.context, id, lesson)?));
        };
        if let Some(matched) = self.matched.iter().find(|matched| matched.found.id == *id) {
            return Ok(plain(of_match(matched, force.index.settings())));
        }
        if let Some(note) = &self.note {
            return Ok(plain(("disabled", note.clone())));
        }
        let now = self.context.now_ms();
        let why = matching::mismatch_of(&force.index, position, &self.views, &self.asked.agent, &now);
        if is_told && matches!(why, Ok(Some(Mismatch::AtStart))) {
            return Ok(plain(("told", LATE.into())));
        }
        let Some(why) = why.map_err(corrupt)? else {
            return Err(Error::Failed(format!("{id} was not looked at")));
        };
        let mut answered = plain(of_mismatch(self, force, &terms, why));
        if matches!(why, Mismatch::NoTrigger | Mismatch::NoErrorTrigger) {
            answered.triggers = terms.triggers.iter().map(|position| force.trigger(*position)).collect();
            let views = &self.views;
            let texts = views.command(terms.subject).iter().chain(views.absolute()).chain(views.relative());
            let texts = texts.chain(views.written_files()).chain(views.error());
            answered.looked_at = texts.map(|view| view.text().to_owned()).collect();
        }
        Ok(answered)
    }
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

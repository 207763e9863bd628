//! Why a call gets what it gets.
//!
//! The very function that the hook calls is asked about the call, with the manifest in force, and watched while it
//! decides: so what is said here cannot differ from what the hook does.
//!
//! - [`asked`]: the call. [`peek`]: what was told before, without leaving a trace.
//! - [`watching`]: what was seen, in words. [`shown`]: how it is told.

pub(crate) mod asked;
mod peek;
mod shown;
mod watching;

use anyhow::{Error, Result, bail};
use lessons_core::answer::{Advice, Answer, Decision, Situation, answer_seen, in_force};
use lessons_core::approval::Guarded;
use lessons_core::disk::RealDisk;
use lessons_core::id::QualifiedId;
use lessons_core::lesson::{Lesson, Mode, Status};
use lessons_core::manifest::{Manifest, Settings};
use lessons_core::matching::{Quiet, Views};
use lessons_core::neutral::line;
use lessons_core::project::Place;
use lessons_store::trust;
use serde::Serialize;

use self::asked::Asked;
use self::watching::{Matched, Watching, of_fate, of_quiet, trigger};
use crate::app::{App, Refused};
use crate::building;
use crate::lookup::find_lesson;
use crate::trials::Machine;

/// Why a call gets what it gets.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explained {
    call: About,
    /// `silent`, `advise`, `refuse`, `ask` or `deny`.
    decision: &'static str,
    /// What the model, or the person, is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// What holds for all lessons: everything is off, nothing is built.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The lessons that match, by rank.
    lessons: Vec<Fired>,
    /// The lesson that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<Answered>,
}

/// The call.
#[derive(Debug, Serialize)]
struct About {
    tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
}

/// A lesson that matches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fired {
    id: QualifiedId,
    /// Its rank among those that match, from 1.
    rank: usize,
    mode: Mode,
    priority: u8,
    /// How many lessons share the most particular of its triggers that match.
    fanout: u32,
    /// The triggers that match.
    because: Vec<Because>,
    /// What becomes of it, in a word.
    outcome: &'static str,
    /// The same in a sentence.
    why: String,
}

/// A trigger that matches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Because {
    trigger: String,
    /// What it looked at.
    looked_at: String,
    /// What of that matched.
    matched: String,
    /// Where that begins, in bytes.
    at: usize,
}

/// A lesson that was asked about.
#[derive(Debug, Serialize)]
struct Answered {
    id: String,
    /// Whether the model hears of it at this call.
    fires: bool,
    /// Why, or why not, in a word.
    reason: &'static str,
    /// The same in a sentence.
    why: String,
    /// Its triggers, where none matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    triggers: Vec<String>,
    /// What they looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    looked_at: Vec<String>,
}

/// Explains what a call gets, and what one lesson has to do with it.
pub(crate) fn explain(app: &App, asked: &Asked, lesson: Option<&str>) -> Result<Explained> {
    let place = Place::at(asked.start.as_deref(), &RealDisk);
    let found = lesson.map(|text| find_lesson(app, text)).transpose();
    let (wanted, unknown) = match found {
        Ok(found) => (found, None),
        Err(error) => (None, Some(error)),
    };
    let manifest = building::manifest(app).map_err(Error::msg)?;
    let mut watching = Watching::new(wanted.as_ref().map(|(id, _)| id));
    let answer = answer(app, asked, manifest.as_ref(), &place, &mut watching);
    let views = Views::new(&asked.call, &place);
    let settings = manifest.as_ref().map(|manifest| manifest.settings.clone()).unwrap_or_default();
    let lessons: Vec<Fired> = manifest
        .iter()
        .flat_map(|manifest| {
            let views = &views;
            watching.matched.iter().zip(1..).map(move |(matched, rank)| fired(manifest, matched, rank, views))
        })
        .collect();
    let note = note(app, manifest.as_ref(), &settings);
    let answered = match (&wanted, unknown, lesson) {
        (Some((id, lesson)), _, _) => {
            let inquiry = Inquiry {
                app,
                asked,
                manifest: manifest.as_ref(),
                place: &place,
                watching: &watching,
                answer: &answer,
                note: note.as_deref(),
            };
            Some(inquiry.about(id, lesson)?)
        }
        (None, Some(error), Some(text)) => Some(untrusted(app, text, &place).ok_or(error)?),
        _ => None,
    };
    let (decision, text) = match answer.decision {
        Decision::Silent => ("silent", None),
        Decision::Advise { text, .. } => ("advise", Some(text)),
        Decision::Refuse { text, .. } => ("refuse", Some(text)),
        Decision::Ask { reason, .. } => ("ask", Some(reason)),
        Decision::Deny { reason } => ("deny", Some(reason)),
    };
    Ok(Explained { call: About::of(asked, &place), decision, text, note, lessons, lesson: answered })
}

/// What the hook would answer.
fn answer(
    app: &App,
    asked: &Asked,
    manifest: Option<&Manifest>,
    place: &Place<'_>,
    watching: &mut Watching<'_>,
) -> Answer {
    let machine = Machine::of(app);
    let context = machine.context();
    let variable = |name| std::env::var(name).ok();
    let advice =
        Advice::from_variables(variable("LESSONS_ENABLED").as_deref(), variable("LESSONS_SEEN").as_deref());
    let situation = Situation {
        lessons: manifest,
        call: &asked.call,
        agent: &asked.agent,
        place,
        guarded: &Guarded { home: context.home, user_home: context.user_home },
        advice: &advice,
        clock: &context.now,
    };
    let scope = manifest.map_or_else(|| Settings::default().dedup_scope, |found| found.settings.dedup_scope);
    let mut memory = peek::memory(app, asked, scope);
    let Ok(answer) = answer_seen(&situation, memory.as_mut(), watching);
    answer
}

impl About {
    fn of(asked: &Asked, place: &Place<'_>) -> Self {
        let call = &asked.call;
        Self {
            tool: call.tool.to_string(),
            command: call.command.as_deref().map(str::to_owned),
            files: call.absolute_paths(),
            agent: asked.agent.clone(),
            project: place.roots().map(|roots| roots.root.clone()),
        }
    }
}

/// What holds for all lessons.
fn note(app: &App, manifest: Option<&Manifest>, settings: &Settings) -> Option<String> {
    if manifest.is_none() {
        return Some("nothing is in force, because nothing was built; run `lessons build`".into());
    }
    (!in_force(settings, &app.now_ms()))
        .then(|| "everything is switched off; `lessons on all` switches it on".into())
}

fn fired(manifest: &Manifest, matched: &Matched, rank: usize, views: &Views<'_>) -> Fired {
    let found = &matched.found;
    let triggers = manifest.lessons.get(found.lesson as usize).map(|entry| &entry.terms.triggers);
    let because = |position: &u32| {
        let spot = manifest.spot(*position, views, found.subject)?;
        Some(Because {
            trigger: trigger(manifest, *position),
            matched: spot.text.get(spot.matched.clone()).unwrap_or_default().to_owned(),
            at: spot.matched.start,
            looked_at: spot.text,
        })
    };
    let (outcome, why) = of_fate(matched.fate, &manifest.settings);
    Fired {
        id: found.id.clone(),
        rank,
        mode: found.mode,
        priority: found.priority,
        fanout: found.fanout,
        because: triggers.into_iter().flatten().filter_map(because).collect(),
        outcome,
        why,
    }
}

/// Everything that the answer about one lesson depends on.
struct Inquiry<'a> {
    app: &'a App,
    asked: &'a Asked,
    manifest: Option<&'a Manifest>,
    place: &'a Place<'a>,
    watching: &'a Watching<'a>,
    answer: &'a Answer,
    note: Option<&'a str>,
}

impl Inquiry<'_> {
    /// What a lesson has to do with the call.
    fn about(&self, id: &QualifiedId, lesson: &Lesson) -> Result<Answered> {
        let told = match &self.answer.decision {
            Decision::Advise { lessons, .. } | Decision::Refuse { lessons, .. } => lessons.contains(id),
            Decision::Silent | Decision::Ask { .. } | Decision::Deny { .. } => false,
        };
        let plain = |(reason, why): watching::Message| Answered {
            id: id.to_string(),
            fires: told,
            reason,
            why,
            triggers: Vec::new(),
            looked_at: Vec::new(),
        };
        let is_there = |manifest: &&Manifest| manifest.lessons.iter().any(|entry| entry.terms.id == *id);
        let Some(manifest) = self.manifest.filter(is_there) else {
            return Ok(plain(absent(self.app, id, lesson)?));
        };
        if let Some(matched) = self.watching.matched.iter().find(|matched| matched.found.id == *id) {
            return Ok(plain(of_fate(matched.fate, &manifest.settings)));
        }
        if let Decision::Deny { .. } = self.answer.decision {
            return Ok(plain(("question", "the call is denied before any lesson is asked".into())));
        }
        if let Some(note) = self.note {
            return Ok(plain(("disabled", note.to_owned())));
        }
        let Some((terms, why)) = &self.watching.quiet else { bail!("{id} was not looked at") };
        let mut answered = plain(of_quiet(manifest, terms, *why, &self.asked.agent, self.place));
        if *why == Quiet::NoTrigger {
            let views = Views::new(&self.asked.call, self.place);
            answered.triggers = terms.triggers.iter().map(|position| trigger(manifest, *position)).collect();
            let texts = views.command(terms.subject).iter().chain(views.absolute()).chain(views.relative());
            answered.looked_at = texts.map(|view| view.text().to_owned()).collect();
        }
        Ok(answered)
    }
}

/// Why a lesson that is recorded is not in force.
fn absent(app: &App, id: &QualifiedId, lesson: &Lesson) -> Result<watching::Message> {
    let report = building::preview(app)?;
    if let Some(noted) = report.left_out.iter().find(|noted| noted.id == *id) {
        let reason = if lesson.status == Status::Active { "leftOut" } else { "inactive" };
        return Ok((reason, format!("it is not in force: {}", noted.reason)));
    }
    Ok(("notBuilt", "it is recorded and not in force yet; `lessons build` brings it into force".into()))
}

/// A lesson that the project brings along and nobody has trusted.
fn untrusted(app: &App, text: &str, place: &Place<'_>) -> Option<Answered> {
    let root = &place.roots()?.root;
    let preview = trust::preview(&app.home, std::path::Path::new(root)).ok()?;
    let lesson = preview.lessons.iter().find(|lesson| lesson.id.as_str() == text)?;
    Some(Answered {
        id: lesson.id.to_string(),
        fires: false,
        reason: "trust",
        why: format!(
            "{} brings it along, and what stands there is not what you have trusted; `lessons trust` there shows it",
            line(root)
        ),
        triggers: Vec::new(),
        looked_at: Vec::new(),
    })
}

/// Explains, for whoever has typed the verb.
pub(crate) fn run(app: &App, args: &crate::args::Explain) -> Result<crate::app::Exit> {
    if args.tool.as_deref() == Some("") {
        bail!(Refused("--tool is the name of a tool, such as Bash or Edit".into()));
    }
    let asked = Asked::of(app, args)?;
    app.recorded(&explain(app, &asked, args.lesson.as_deref())?)?;
    Ok(crate::app::Exit::Done)
}

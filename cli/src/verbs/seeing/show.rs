//! `lessons show`: show one lesson, candidate or topic in full.

use std::collections::BTreeSet;

use lessons_context::{KnownProjects, LocalTime};
use lessons_ledger::{Candidate, CandidateStatus, Database, Sighting, candidates::trust};
use lessons_lesson::{Layer, Lesson, QualifiedId, names_of};
use lessons_replay::{FEWEST_SESSIONS, History, Replay, Room};
use lessons_review::{KnownLessons, MachineFacts, Relation, Wordings, promotion, trials, typed};
use lessons_store::{Accepted, LessonChange, load};

use crate::prelude::*;
use crate::review::candidate_details::{is_shown, promoting, reasons, score};
use crate::ui::rows::Rows;
use crate::verbs::seeing::query;

/// One id.
#[derive(Debug, Args)]
pub struct One {
    /// The id, or the start of it
    pub id: String,
}

/// The most similar lessons and candidates that are named.
const MOST_NEAR: usize = 3;

pub(crate) fn run(app: &App, args: &One) -> Result<Exit> {
    query::note_shown(app, &one(app, &args.id)?);
    Ok(Exit::Done)
}

/// Shows what `text` names. Returns it if it is a lesson in force.
pub(crate) fn one(app: &App, text: &str) -> Result<Option<QualifiedId>> {
    let is_named = |id: &QualifiedId| id.id.as_str() == text || id.to_string() == text;
    let mut unaccepted = lookup::unaccepted(app);
    let added = unaccepted.iter().find(|(id, (change, _))| *change == LessonChange::New && is_named(id));
    let added = added.and_then(|(id, (_, lesson))| Some((id.clone(), lesson.clone()?)));
    let lesson = lookup::find_lesson(app, text).or_else(|error| added.ok_or(error));
    if !lesson.as_ref().is_ok_and(|(id, _)| is_named(id)) {
        if let Some(topic) = topic(app, text)? {
            app.recorded(&topic)?;
            return Ok(None);
        }
        let database = app.database()?;
        let found = database.candidates_starting(text)?;
        if let Some(candidate) = lookup::only_one(text, found, |candidate| candidate.id.clone())? {
            return show_candidate(app, &database, &candidate).map(|()| None);
        }
    }
    let (id, lesson) = lesson?;
    let in_force = in_force::lessons(app).contains_key(&id);
    let known = KnownProjects::of(&app.home);
    let projects: Vec<String> = lesson.scope.projects.iter().map(|key| known.name(key)).collect();
    let stored = unaccepted.remove(&id);
    let mut lines = vec![format!("{id}{}", if in_force { "" } else { "  (not in force)" })];
    lines.extend(lesson_rows(&lesson, &projects, &app.local).to_string().lines().map(str::to_owned));
    lines.extend(stored.as_ref().map(differing));
    lines.push(match id.layer {
        Layer::User => format!("Next: lessons edit {0}, or lessons retire {0}", id.id),
        _ => format!("Next: lessons off {id}, if it does not suit you"),
    });
    let fields = json!({ "id": id, "inForce": in_force, "lesson": lesson });
    app.recorded(&Answer::new(lines, fields).given("stored", stored))?;
    Ok(in_force.then_some(id))
}

fn show_candidate(app: &App, database: &Database, candidate: &Candidate) -> Result<()> {
    if !is_shown(app, candidate) {
        let flags = listed(candidate.finding.flags.iter().map(|flag| &flag.name));
        bail!(Refused(format!(
            "candidate {0} is flagged ({flags}): it is for a person to read, with `lessons show {0}` in a terminal",
            candidate.id
        )));
    }
    let sightings = database.sightings(&candidate.id)?;
    let promoted = lookup::promoted_candidates(app)?.contains(&candidate.id);
    let near = near(app, database, candidate)?;
    // A candidate that cannot be tried is shown all the same.
    let room = room(app, candidate, &sightings).unwrap_or_default().map(|room| room.to_string());
    let already = if promoted { ", a lesson already" } else { "" };
    let mut lines =
        vec![format!("candidate {}  found by {}{already}", candidate.id, candidate.finding.source)];
    // One that proposes no lesson contradicts none.
    let opposite = opposite(app, candidate).unwrap_or_default();
    let mut rows = candidate_rows(candidate, &sightings);
    rows.add_each("room", room.as_deref());
    let like = |id| format!("{id} says nearly the same; one of the two may be enough: lessons show {id}");
    let against = |id| format!("{id} says the opposite; only one of the two can hold: lessons show {id}");
    rows.add_each("against", opposite.iter().map(against));
    rows.add_each("like", near.iter().map(like));
    lines.extend(rows.to_string().lines().map(str::to_owned));
    lines.push(if promoted {
        "Next: lessons candidates".to_owned()
    } else {
        format!("Next: {}, or lessons reject {}", promoting(candidate), candidate.id)
    });
    let answer = Answer::new(lines, json!(candidate)).with("confidence", candidate.confidence());
    let answer = answer.with("promoted", promoted).with("near", near).with("opposite", opposite);
    app.recorded(&answer.with("sightings", sightings).given("room", room)).map(drop)
}

/// Whether a reminder could help, in the sessions in which the candidate was seen. `None` where they are too few: then no
/// transcript is read.
fn room(app: &App, candidate: &Candidate, sightings: &[Sighting]) -> Result<Option<Room>> {
    let sessions: BTreeSet<String> = sightings.iter().map(|seen| seen.session.clone()).collect();
    if (sessions.len() as u64) < FEWEST_SESSIONS {
        return Ok(None);
    }
    let lesson = promotion::proposed(app, candidate)?;
    let trial = trials::trial(app, &lesson.user_id(), &lesson)?;
    let roots = lookup::transcript_folders(app, &[])?;
    let history = History::of_sessions(&roots, &|id| sessions.contains(id), trial.contents());
    let room = Replay::numbers(&trial, &history, &MachineFacts::of(app).context()).room;
    Ok(Some(room).filter(|room| room.is_known()))
}

/// The active lessons that a candidate contradicts.
fn opposite(app: &App, candidate: &Candidate) -> Result<Vec<String>> {
    let proposed = promotion::proposed(app, candidate)?;
    let related = KnownLessons::of(app)?.nearest(candidate, &proposed).related;
    let opposite = related.into_iter().filter(|near| near.relation == Some(Relation::Opposite));
    Ok(opposite.map(|near| near.id.to_string()).collect())
}

/// The lessons and waiting candidates that are similar to this candidate.
fn near(app: &App, database: &Database, candidate: &Candidate) -> Result<Vec<String>> {
    let own = candidate.finding.likeness();
    let wordings = Wordings::in_database(database)?;
    let evidence = format!("candidate:{}", candidate.id);
    let is_near =
        |lesson: &&Lesson| !lesson.evidence.contains(&evidence) && own.is_near(&wordings.likeness(lesson));
    let graph = load::lessons(&app.home)?;
    let lessons = graph.lessons().filter(is_near).map(|lesson| format!("user/{}", lesson.id));
    let others = database.candidates(&[CandidateStatus::New])?.into_iter();
    let others = others.filter(|other| other.id != candidate.id && own.is_near(&other.finding.likeness()));
    Ok(lessons.chain(others.map(|other| other.id)).take(MOST_NEAR).collect())
}

/// The topic of this id, with the user's lessons in force about it.
fn topic(app: &App, text: &str) -> Result<Option<Answer>> {
    let graph = Accepted::read(&app.home)?.graph;
    let Some((topic, summary)) = graph.topics().find(|(id, _)| *id == text) else { return Ok(None) };
    let mut lines = vec![format!("topic {}: {}", line(topic), line(summary))];
    let mut lessons = Vec::new();
    for lesson in graph.active().filter(|lesson| lesson.topics.iter().any(|it| it.as_str() == topic)) {
        let (id, said) = (format!("user/{}", lesson.id), lesson.one_line());
        lines.push(format!("  {id}\n        {}", line(&said)));
        lessons.push(json!({ "id": id, "summary": said }));
    }
    lines.push("Next: lessons show ID".to_owned());
    let fields = json!({ "topic": topic, "summary": summary, "lessons": lessons });
    Ok(Some(Answer::new(lines, fields)))
}

/// What a lesson says, one thing a row.
fn lesson_rows(lesson: &Lesson, projects: &[String], local: &LocalTime) -> Rows {
    let mut rows = Rows::default();
    for (name, text) in [
        ("mistake", lesson.mistake.as_deref()),
        ("instead", Some(lesson.rule.as_str())),
        ("why", lesson.rationale.as_deref()),
        ("summary", lesson.summary.as_deref()),
        ("detail", lesson.detail.as_deref()),
        ("worth", lesson.metacognition.as_deref()),
        ("phase", lesson.phase.as_deref()),
        ("author", lesson.author.as_deref()),
    ] {
        rows.add_each(name, text);
    }
    rows.add_triggers("fires on", [&lesson.triggers, &lesson.also, &lesson.unless]);
    for (name, list) in [
        ("tools", lesson.tools.as_slice()),
        ("projects", projects),
        ("agents", &lesson.scope.agents),
        ("os", &names_of(&lesson.os)),
        ("shell", &names_of(&lesson.shell)),
        ("state", &names_of(&lesson.state)),
        ("subject", &lesson.subject.map(|subject| subject.name().to_owned()).into_iter().collect::<Vec<_>>()),
        ("tags", &lesson.tags),
        ("from", &lesson.evidence),
    ] {
        rows.add_list(name, list);
    }
    rows.add_each("must fire", lesson.examples.fires.iter().map(typed::typed_sample));
    rows.add_each("quiet at", lesson.examples.quiet.iter().map(typed::typed_sample));
    let Lesson { mode, severity, .. } = lesson;
    let (recorded, priority) = (local.time_of_text(&lesson.created_at), lesson.priority.get());
    rows.add("mode", format!("{mode}, priority {priority}, {severity} severity, recorded {recorded}"));
    rows
}

/// What `lessons.json` says of a lesson without a person's consent.
fn differing((change, stored): &(LessonChange, Option<Lesson>)) -> String {
    match (change, stored) {
        (LessonChange::New, _) => {
            "Not accepted: it is only in lessons.json. See lessons accept --dry-run".to_owned()
        }
        (_, None) => {
            "This is what you accepted. It is gone from lessons.json: lessons accept --dry-run".to_owned()
        }
        (_, Some(stored)) => format!(
            "This is what you accepted. lessons.json says otherwise, and that is not accepted: {}\n\
             See lessons accept --dry-run",
            line(&stored.rule)
        ),
    }
}

/// What is known of a candidate, one thing a row.
fn candidate_rows(candidate: &Candidate, sightings: &[Sighting]) -> Rows {
    let found = &candidate.finding;
    let mut rows = Rows::default();
    for (name, text) in [
        ("mistake", Some(&found.mistake)),
        ("fix", Some(&found.fix)),
        ("why", found.why.as_ref()),
        ("trigger", found.trigger.as_ref()),
        ("path", found.path.as_ref()),
        ("quality", found.quality.as_ref()),
        ("agent", found.agent.as_ref()),
    ] {
        rows.add_each(name, text);
    }
    rows.add_list("tags", &found.tags);
    rows.add_each("evidence", &found.evidence);
    rows.add("score", format!("{:.2}: {}", candidate.confidence(), reasons(&score(candidate))));
    rows.add_each("trust", candidate.trust.as_ref().map(trust::words));
    rows.0.extend(Rows::doubts(candidate).0);
    let proposal = &found.proposal;
    rows.add_triggers("proposed", [&proposal.triggers, &proposal.also, &proposal.unless]);
    let (sessions, projects) =
        (counted(candidate.sessions, "session"), counted(candidate.projects, "project"));
    rows.add("seen", format!("{}, in {sessions} and {projects}", counted(candidate.seen, "time")));
    let agent = |seen: &Sighting| seen.agent_type.clone().unwrap_or_else(|| "main".to_owned());
    let places = sightings.iter().take(3);
    rows.add_each("", places.map(|seen| format!("{}:{} ({})", seen.file, seen.line, agent(seen))));
    rows
}

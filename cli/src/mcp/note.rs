//! A note of an agent: it becomes a candidate, with the flags and marks of a tag, and the warnings that `lessons add` gives.

use lessons_incident_check::{check, record};
use lessons_ledger::candidates::id_of;
use lessons_ledger::recording::NOTE;
use lessons_ledger::{Candidate, Finding, Insight, Sighting};
use lessons_lesson::{MAX_TEXT_CHARS, When};
use lessons_review::{Remedy, duplicates, project_files, project_names, promotion};
use lessons_scanner::echo::Provenance;
use lessons_scanner::run::finding::{self, Circumstances};
use lessons_scanner::run::intake_marks::{self, AgentDomains};
use lessons_scanner::tag::Tag;
use lessons_store::{Warning, capture, load};
use lessons_text::{digest, neutral};
use serde::Deserialize;

use crate::change;
use crate::prelude::*;

/// The most notes in 24 hours. A model that files more files noise.
const MOST_A_DAY: usize = 20;
/// The longest tag, in characters.
const LONGEST_TAG: usize = 100;

/// The arguments of `lessons_note`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoteArguments {
    mistake: String,
    fix: String,
    trigger: Option<String>,
    path: Option<String>,
    why: Option<String>,
    worth: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// The name of one run of the server.
pub(super) fn run_name(app: &App) -> String {
    let run = format!("{} {}", std::process::id(), app.now);
    format!("mcp-{}", digest::hex(run.as_bytes(), 16))
}

/// Files a note.
pub(super) fn file(app: &App, run: &str, arguments: &NoteArguments) -> Result<()> {
    let mut database = app.database()?;
    if database.notes_since(app.now_ms().saturating_sub(lessons_context::DAY))? >= MOST_A_DAY {
        bail!(Refused(format!("{MOST_A_DAY} notes were filed in the last 24 hours, and no more are taken")));
    }
    let tag = tag(arguments)?;
    // The session's text is not known here, so the note cannot be compared with what its agent has read.
    let circumstances = Circumstances { provenance: Provenance::Unchecked, ..Circumstances::default() };
    let mut found = finding::of_tag(&tag, circumstances);
    found.source = NOTE.into();
    found.marks = intake_marks::marks(&found, None, &AgentDomains(app.settings()?.0.agent_domains));
    let number = database.notes_since(0)?;
    let sighting = Sighting {
        uuid: format!("note-{}", digest::hex(format!("{run} {number} {}", app.now).as_bytes(), 32)),
        session: app.session().unwrap_or(run).to_owned(),
        project: project_names::here().map(|root| root.display().to_string()),
        time: app.now_ms(),
        ..Sighting::default()
    };
    let id = id_of(&found);
    let recorded = database.record_note(found, sighting, app.now_ms())?;
    if recorded.forgotten > 0 {
        bail!(Refused("it holds a text that the user had forgotten".into()));
    }
    drop(database);
    record::judge(app);
    lookup::publish(app);
    let judged = app.database()?.candidates_starting(&id)?.pop();
    let Some(candidate) = judged else { bail!("the note is not there") };
    let marks = candidate.finding.marks.iter().map(|mark| format!("it {}", mark.meaning));
    let warnings: Vec<String> = marks.chain(warnings(app, &candidate)).collect();
    let flags: Vec<&str> = candidate.finding.flags.iter().map(|flag| flag.name.as_str()).collect();
    let known = recorded.new == 0;
    let what = if known { "was there already and was seen once more" } else { "waits for a person" };
    let mut lines = vec![format!("candidate {id} {what}; nothing is in force because of it")];
    lines.extend((!flags.is_empty()).then(|| format!("flagged: {}", flags.join(", "))));
    lines.extend(warnings.iter().map(|warning| format!("warning: {}", neutral::line(warning))));
    lines.push("A person decides with: lessons review".to_owned());
    let fields = json!({ "candidate": id, "known": known, "flags": flags, "warnings": warnings });
    app.recorded(&Answer::new(lines, fields)).map(drop)
}

/// The note as the scanner would read it from a tag.
fn tag(arguments: &NoteArguments) -> Result<Tag> {
    let NoteArguments { mistake, fix, trigger, path, why, worth, tags } = arguments;
    let texts = [Some(mistake), Some(fix), trigger.as_ref(), path.as_ref(), why.as_ref(), worth.as_ref()];
    for (name, text) in ["mistake", "fix", "trigger", "path", "why", "worth"].into_iter().zip(texts) {
        at_most(name, text.map_or("", String::as_str), MAX_TEXT_CHARS)?;
    }
    if tags.len() > MOST_TAGS || tags.iter().any(|tag| tag.chars().count() > LONGEST_TAG) {
        bail!(Refused(format!("a note has at most {MOST_TAGS} tags of {LONGEST_TAG} characters")));
    }
    let line = |text: &String| neutral::line(text.trim());
    let given = |text: &Option<String>| text.as_ref().map(line).filter(|text| !text.is_empty());
    let finding = Finding {
        trigger: given(trigger),
        path: given(path),
        mistake: line(mistake),
        fix: line(fix),
        why: given(why),
        insight: Insight { worth: given(worth), ..Insight::default() },
        tags: tags.iter().map(line).collect(),
        ..Finding::default()
    };
    for (name, text) in [("mistake", &finding.mistake), ("fix", &finding.fix)] {
        if text.trim().is_empty() {
            bail!(Refused(format!("`{name}` is empty")));
        }
    }
    let sanitised = texts.into_iter().flatten().any(|text| neutral::visible(text) != *text);
    Ok(Tag { finding, sanitised, ..Tag::default() })
}

/// The warnings that `lessons add` would give, or the reason why it would refuse the lesson.
fn warnings(app: &App, candidate: &Candidate) -> Vec<String> {
    let vetted = || -> Result<Vec<Warning>> {
        let mut lesson = promotion::proposed(app, candidate)?;
        if lesson.triggers.is_empty() {
            // As a promotion has it.
            lesson.when = When::Session;
        }
        let graph = load::lessons(&app.home)?;
        let mut warnings = change::vetted(&mut lesson, &graph, project_files::here().as_ref())?;
        change::refuse_duplicate(&graph, &lesson)?;
        lesson.id = capture::free_id(&graph, &lesson)?;
        duplicates::add(app, &lesson, Remedy::Typed, &mut warnings)?;
        warnings.extend(check::warnings(app, &lesson));
        Ok(warnings)
    };
    let unfit = |error| vec![format!("as it is, it could not be a lesson: {}", messages::sentence(&error))];
    vetted().map_or_else(unfit, |warnings| warnings.into_iter().map(|warning| warning.message).collect())
}

/// The most tags of a note.
pub(super) const MOST_TAGS: usize = 8;

/// Refuses a text that is longer than it may be.
pub(super) fn at_most(name: &str, text: &str, most: usize) -> Result<()> {
    if text.len() > most && text.chars().count() > most {
        bail!(Refused(format!("`{name}` has more than {most} characters")));
    }
    Ok(())
}

/// Refuses a number that is not from 1 to `most`.
pub(super) fn within(name: &str, number: Option<usize>, most: usize) -> Result<()> {
    if number.is_some_and(|number| !(1..=most).contains(&number)) {
        bail!(Refused(format!("`{name}` has to be from 1 to {most}")));
    }
    Ok(())
}

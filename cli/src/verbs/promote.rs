//! `lessons promote`: a candidate becomes a lesson.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use lessons_core::lesson::{Lesson, Mode, Quality, SampleCall, Severity};
use lessons_core::neutral::{line, shortened};
use lessons_core::trigger::TriggerKind;
use lessons_store::candidates::Candidate;
use lessons_store::capture::{self, Warning};
use lessons_store::database::Database;

use crate::app::{Actor, App, Exit, Refused};
use crate::args::Promote;
use crate::said::Said;
use crate::verbs::change::{self, Edit};
use crate::verbs::reject;
use crate::{fields, places};

/// The most of a reason that is kept, in characters: it is one entry of the evidence.
const MOST_REASON: usize = 150;

/// The tag of a mistake that loses data.
const DATA_LOSS: &str = "severity:data-loss";

pub(crate) fn run(app: &App, args: &Promote) -> Result<Exit> {
    let candidate = reject::find(&Database::open(&app.home)?, &args.id)?;
    change::one(app, "promoted", |graph| {
        let evidence = format!("candidate:{}", candidate.id);
        if let Some(lesson) = graph.lessons().find(|lesson| lesson.evidence.contains(&evidence)) {
            let id = format!("user/{}", lesson.id);
            let message = format!("candidate {} is the lesson {id} already", candidate.id);
            let next = format!("lessons show {id}");
            return Ok(Edit::Nothing(Said::new("unchanged", id, message).then(next)));
        }
        let accepted = accepted(app, &candidate, args)?;
        let mut lesson = proposed(app, &candidate)?;
        fields::apply(&args.fields, &mut lesson, &|text| places::project_key(app, text))?;
        add_example(&mut lesson, &candidate);
        lesson.evidence.push(evidence);
        lesson.evidence.extend(accepted);
        let mut warnings = change::vetted(&mut lesson, graph, None)?;
        change::refuse_duplicate(graph, &lesson)?;
        lesson.id = capture::free_id(graph, &lesson)?;
        warnings.extend(proposed_mode(&lesson).into_iter().map(Warning::from));
        Ok(Edit::Save(Box::new(lesson), warnings))
    })
}

/// Refuses a doubtful candidate unless each doubt was accepted with a reason. Returns what to
/// record of that.
fn accepted(app: &App, candidate: &Candidate, args: &Promote) -> Result<Vec<String>> {
    let doubts: BTreeSet<&str> = candidate.finding.flags.iter().map(|flag| flag.name.as_str()).collect();
    if doubts.is_empty() {
        return Ok(Vec::new());
    }
    if matches!(app.actor, Actor::Agent { .. }) {
        bail!(Refused(format!(
            "candidate {} is flagged and cannot be promoted from here: the user promotes it in a terminal",
            candidate.id
        )));
    }
    let open: Vec<_> = doubts.iter().filter(|name| !args.accept.iter().any(|given| given == *name)).collect();
    if !open.is_empty() {
        let meanings: Vec<_> = candidate
            .finding
            .flags
            .iter()
            .map(|flag| format!("{}: it {}", flag.name, flag.meaning))
            .collect();
        let flags: Vec<_> = doubts.iter().map(|name| format!("--accept {name}")).collect();
        bail!(Refused(format!(
            "candidate {} is flagged:\n  {}\nIf it is right all the same: lessons promote {} {} --reason TEXT",
            candidate.id,
            meanings.join("\n  "),
            candidate.id,
            flags.join(" ")
        )));
    }
    let reason = shortened(&line(args.reason.as_deref().unwrap_or_default()), MOST_REASON);
    if reason.is_empty() {
        bail!(Refused("--accept needs --reason: why is it right all the same?".into()));
    }
    Ok(doubts.iter().map(|name| format!("accepted:{name}: {reason}")).collect())
}

/// The lesson that a candidate proposes. A tag sets neither mode nor priority, scope or status:
/// what it says of those is a proposal, which shows in severity and quality.
fn proposed(app: &App, candidate: &Candidate) -> Result<Lesson> {
    let found = &candidate.finding;
    let tags: Vec<String> =
        found.tags.iter().filter(|tag| lessons_core::validate::is_tag(tag)).cloned().collect();
    let topic = fields::topic_of_tags(&tags)?;
    let mut lesson = Lesson::new(change::placeholder_id()?, &found.fix, topic, app.now_text());
    lesson.mistake = Some(found.mistake.clone());
    lesson.rationale.clone_from(&found.why);
    lesson.triggers.clone_from(&found.proposal.triggers);
    lesson.also.clone_from(&found.proposal.also);
    lesson.unless.clone_from(&found.proposal.unless);
    lesson.tools.clone_from(&found.tools);
    if tags.iter().any(|tag| tag == DATA_LOSS) {
        lesson.severity = Severity::High;
    }
    lesson.quality = match found.quality.as_deref() {
        Some("trivial") => Quality::Trivial,
        Some("critical") => Quality::Critical,
        _ => Quality::Valuable,
    };
    lesson.tags = tags;
    Ok(lesson)
}

/// A tag cannot set a mode, but one that speaks of lost data proposes to stop such a call.
fn proposed_mode(lesson: &Lesson) -> Option<String> {
    let loses_data = lesson.tags.iter().any(|tag| tag == DATA_LOSS);
    (loses_data && lesson.mode == Mode::Advise).then(|| {
        format!(
            "its tag says that data is lost; `lessons edit {} --mode bump` stops such a call once",
            lesson.id
        )
    })
}

/// The words of the tag are the one call that is known to have gone wrong: unless a person chose
/// other triggers or examples, the lesson must fire on it.
fn add_example(lesson: &mut Lesson, candidate: &Candidate) {
    let found = &candidate.finding;
    let as_proposed = lesson.triggers == found.proposal.triggers && lesson.examples.is_empty();
    let on_commands = lesson.triggers.iter().any(|trigger| trigger.kind == TriggerKind::CommandPattern);
    if let Some(trigger) = found.trigger.as_ref().filter(|_| as_proposed && on_commands) {
        let command = Some(trigger.clone());
        lesson.examples.fires.push(SampleCall { tool: "Bash".into(), command, file: None, content: None });
    }
}

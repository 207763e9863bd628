//! The lesson that a candidate proposes.

use std::collections::BTreeSet;
use std::path::Path;

use lessons_context::{Context, Result, refused, refused_as};
use lessons_ledger::{Candidate, Database, Reach};
use lessons_lesson::{
    DATA_LOSS, Lesson, LessonId, Mode, Quality, REFUSAL_WITHOUT_EXAMPLE, SampleCall, Severity, Subject, When,
};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_scanner::detect::{Detector, is_about_public_tool};
use lessons_scanner::run::finding::{FAILED, RAN, REFUSED, SOURCE as TAG};
use lessons_scanner::run::intake_marks::{AgentDomains, OUT_OF_DOMAIN};
use lessons_store::StoreLocation;
use lessons_text::words::tokens;

use super::decision::{Acceptance, GivenFields};
use crate::checks::{duplicates, own_advice, project_bound};
use crate::{change, cleaning, typed};

/// The most words of a command in an id, and their most characters together.
const ID_WORDS: usize = 4;
const ID_CHARS: usize = 40;

/// A reason to propose a bump: the tag says so.
pub const LOSES_DATA: &str = "its tag says that data is lost";
/// A reason to propose a bump: what the person did.
const REFUSED_AGAIN: &str = "you refused such calls more than once";

/// The entry in a lesson's evidence that names its candidate.
pub fn source(candidate: &Candidate) -> String {
    format!("candidate:{}", candidate.id)
}

/// Refuses a flagged candidate unless every flag was accepted with a reason. Returns the entries for the lesson's
/// evidence.
pub fn accepted(
    context: &Context,
    candidate: &Candidate,
    accept: Option<&Acceptance>,
) -> Result<Vec<String>> {
    let (id, flags) = (&candidate.id, &candidate.finding.flags);
    let doubts: BTreeSet<&str> = flags.iter().map(|flag| flag.name.as_str()).collect();
    if doubts.is_empty() {
        return Ok(Vec::new());
    }
    if context.is_agent() {
        return refused(format!(
            "candidate {id} is flagged and cannot be promoted from here: the user does that in a terminal"
        ));
    }
    let given = accept.map(|accept| accept.flags.as_slice()).unwrap_or_default();
    if !doubts.iter().all(|name| given.iter().any(|given| given == name)) {
        let meanings: Vec<_> =
            flags.iter().map(|flag| format!("{}: it {}", flag.name, flag.meaning)).collect();
        let (meanings, accepting) = (meanings.join("\n  "), Vec::from_iter(doubts).join(" --accept "));
        return refused(format!(
            "candidate {id} is flagged:\n  {meanings}\n\
             If it is right anyway: lessons promote {id} --accept {accepting} --reason TEXT"
        ));
    }
    let reason = accept.map(|accept| cleaning::reason(&accept.reason)).unwrap_or_default();
    if reason.is_empty() {
        return refused("--accept needs --reason: why is it right anyway?");
    }
    Ok(doubts.iter().map(|name| format!("accepted:{name}: {reason}")).collect())
}

/// The lesson that a candidate proposes. Its tags cannot set mode, priority, scope or status; they only influence
/// severity and quality.
pub fn proposed(context: &Context, candidate: &Candidate) -> Result<Lesson> {
    let found = &candidate.finding;
    if let Some(shared) = &found.shared {
        let mut lesson: Lesson = serde_json::from_value(shared.lesson.clone())?;
        (lesson.id, lesson.created_at) = (LessonId::default(), context.now_text());
        return Ok(lesson);
    }
    let tags: Vec<String> =
        found.tags.iter().filter(|tag| lessons_lesson::validate::is_tag(tag)).cloned().collect();
    let topic = typed::topic_of_tags(&tags)?;
    let mut lesson = Lesson::new(LessonId::default(), &found.fix, topic, context.now_text());
    lesson.mistake = Some(found.mistake.clone()).filter(|mistake| !mistake.is_empty());
    lesson.rationale.clone_from(&found.why);
    lesson.summary.clone_from(&found.insight.title);
    lesson.detail.clone_from(&found.insight.detail);
    lesson.metacognition.clone_from(&found.insight.worth);
    lesson.phase.clone_from(&found.insight.phase);
    lesson.triggers.clone_from(&found.proposal.triggers);
    lesson.also.clone_from(&found.proposal.also);
    lesson.unless.clone_from(&found.proposal.unless);
    lesson.tools.clone_from(&found.tools);
    lesson.state.clone_from(&found.insight.state);
    lesson.scope.projects = proposed_scope(context, candidate, &lesson)?;
    lesson.scope.agents = proposed_agent(context, candidate)?.into_iter().collect();
    if tags.iter().any(|tag| tag == DATA_LOSS) {
        lesson.severity = Severity::High;
    }
    lesson.quality = match found.quality.as_deref() {
        Some("trivial") => Quality::Trivial,
        Some("critical") => Quality::Critical,
        _ => Quality::Valuable,
    };
    lesson.tags = tags;
    lesson.subject = subject(&lesson, candidate);
    Ok(lesson)
}

/// The text that the triggers of a rule which nobody aimed look at: what would run, where they fire so at the call that was
/// seen. `git commit -m "drop npm"` is no call of npm.
fn subject(lesson: &Lesson, candidate: &Candidate) -> Option<Subject> {
    Detector::named(&candidate.finding.source)?;
    let is_of_commands = |trigger: &Trigger| trigger.kind == TriggerKind::CommandPattern;
    let sample = example(lesson, candidate).filter(|_| lesson.triggers.iter().all(is_of_commands))?;
    let of_what_runs = Lesson { subject: Some(Subject::Executable), ..lesson.clone() };
    own_advice::fires(&of_what_runs, &sample).then_some(Subject::Executable)
}

/// The projects for which the lesson of a candidate is proposed, as root folders and keys: those in which it was seen, where
/// they alone give it meaning; else the only one in which it was seen. None is every project: it is about a public tool, or
/// the trigger of a tag says by itself what it is about, or it was seen in several projects. One that is gone has no calls.
pub fn proposed_projects(
    context: &Context,
    candidate: &Candidate,
    lesson: &Lesson,
) -> Result<Vec<(String, String)>> {
    let found = &candidate.finding;
    let seen = Database::open(&context.home)?.projects_of(&candidate.id)?;
    let is_aimed_tag = found.source == TAG && !found.proposal.triggers.is_empty();
    let is_only_seen_there = seen.len() == 1 && !is_aimed_tag && !is_about_public_tool(found);
    if found.insight.reach == Reach::Everywhere {
        return Ok(Vec::new());
    }
    let is_bound = |(root, _): &(String, String)| project_bound::is_bound(lesson, Path::new(root));
    Ok(if is_only_seen_there || seen.iter().any(is_bound) { seen } else { Vec::new() })
}

/// The same as keys.
pub fn proposed_scope(context: &Context, candidate: &Candidate, lesson: &Lesson) -> Result<Vec<String>> {
    Ok(proposed_projects(context, candidate, lesson)?.into_iter().map(|(_, key)| key).collect())
}

/// The agent type for which a candidate is proposed: the one whose business it is, where another agent wrote it down; else
/// the sub-agent that alone saw it. `None` for every agent.
pub fn proposed_agent(context: &Context, candidate: &Candidate) -> Result<Option<String>> {
    let found = &candidate.finding;
    if found.marks.iter().any(|mark| mark.name == OUT_OF_DOMAIN) {
        let domains = AgentDomains(context.settings()?.0.agent_domains);
        if let Some(owner) = domains.owner(&found.tags) {
            return Ok(Some(owner.to_owned()));
        }
    }
    let sightings = Database::open(&context.home)?.sightings(&candidate.id)?;
    let mut types = sightings.into_iter().map(|sighting| sighting.agent_type);
    let first = types.next().flatten();
    Ok(first.filter(|first| types.all(|other| other.as_ref() == Some(first))))
}

/// Why a reviewer is asked to bump: for a lesson at calls whose tag speaks of lost data, because a tag itself cannot set a
/// mode, or whose calls they refused again and again. `None` where they are not, as where that would refuse what the rule
/// advises.
pub fn reason_to_bump(candidate: &Candidate, lesson: &Lesson) -> Option<&'static str> {
    let reason = if lesson.tags.iter().any(|tag| tag == DATA_LOSS) {
        LOSES_DATA
    } else if candidate.finding.insight.refused_again {
        REFUSED_AGAIN
    } else {
        return None;
    };
    let is_told_too_late =
        lesson.mode == Mode::Advise && lesson.when == When::Tool && !lesson.triggers.is_empty();
    let bump = Lesson { mode: Mode::Bump, ..lesson.clone() };
    let is_sound = own_advice::fired(&bump).is_empty() && change::require_examples(&bump, None).is_ok();
    (is_told_too_late && is_sound).then_some(reason)
}

/// The same as a suggestion about a lesson that was promoted with the other mode.
pub fn suggested_bump(candidate: &Candidate, lesson: &Lesson) -> Option<String> {
    let reason = reason_to_bump(candidate, lesson)?;
    // A bump needs a call that it must stop.
    let fires = if lesson.examples.fires.is_empty() { " --fires 'COMMAND'" } else { "" };
    Some(format!("{reason}; `lessons edit {} --mode bump{fires}` blocks such a call once", lesson.id))
}

/// The id for a lesson of a candidate that nobody wrote down, from the command on which it fires, such as `git-stash-u`
/// for `\bgit\s+stash\s+-u\b`: its fix is what somebody said in passing. What a peer shared keeps its id. `None` where an agent worded the rule, and without a command.
pub fn id_of_trigger(candidate: &Candidate, lesson: &Lesson) -> Option<String> {
    if let Some(shared) = &candidate.finding.shared {
        return shared.lesson["id"].as_str().map(str::to_owned);
    }
    Detector::named(&candidate.finding.source)?;
    let command = lesson.triggers.iter().find(|trigger| trigger.kind == TriggerKind::CommandPattern)?;
    let mut words = duplicates::plain_words(&command.pattern);
    // Of what may stand around a program in a pattern, nobody has said anything.
    let said = tokens(&format!("{} {}", candidate.finding.mistake, candidate.finding.fix));
    let is_said = |word: &String| said.contains(word);
    if words.iter().any(is_said) {
        words.retain(is_said);
    }
    let id = words.into_iter().take(ID_WORDS).collect::<Vec<_>>().join("-");
    lessons_lesson::id::slug(&id, ID_CHARS)
}

/// The lesson that a candidate becomes with what a person gave over what it proposes. What no call shows is told at the start
/// of a session; what fires gets an example from the evidence unless a person gave others.
pub fn with_fields(
    context: &Context,
    candidate: &Candidate,
    given: Option<&impl GivenFields>,
) -> Result<Lesson> {
    let mut lesson = proposed(context, candidate)?;
    let settled = given.map(|given| given.write_over(context, &mut lesson)).transpose()?.unwrap_or_default();
    if context.store != StoreLocation::User {
        // Where it is kept says where it holds.
        lesson.scope.projects.clear();
    } else if settled.triggers && !settled.projects {
        lesson.scope.projects = proposed_scope(context, candidate, &lesson)?;
    }
    if lesson.triggers.is_empty() && !settled.when {
        lesson.when = When::Session;
    }
    if lesson.when == When::Tool && lesson.examples.is_empty() {
        lesson.examples.fires.extend(example(&lesson, candidate));
    }
    Ok(lesson)
}

/// A call on which a lesson must fire, from the evidence of its candidate: the command or the file that went wrong. `None`
/// where the lesson fires on none of them.
fn example(lesson: &Lesson, candidate: &Candidate) -> Option<SampleCall> {
    let found = &candidate.finding;
    let failed = found.evidence.iter().filter_map(|line| {
        let named = line.strip_prefix(REFUSED).or_else(|| line.strip_prefix(RAN));
        line.strip_prefix(FAILED).or_else(|| named?.strip_prefix('`')?.strip_suffix('`'))
    });
    let commands = found.trigger.as_deref().into_iter().chain(failed).map(SampleCall::bash);
    let tool = found.tools.first().map_or("Edit", String::as_str);
    let file = |glob: &String| SampleCall {
        tool: tool.to_owned(),
        file: Some(glob.replace("**", "*").replace(['*', '?'], "x")),
        ..SampleCall::default()
    };
    commands.chain(found.path.iter().map(file)).find(|sample| own_advice::fires(lesson, sample))
}

/// Refuses a bump without an example, and a lesson with one on which it does not fire: it would be saved and stay out of
/// force.
pub fn require_examples(lesson: &Lesson, candidate: &Candidate) -> Result<()> {
    if lesson.mode == Mode::Bump && lesson.when == When::Tool && lesson.examples.fires.is_empty() {
        let text = format!(
            "a bump needs an example, a call that it must stop, and it fires on nothing that was seen; give one: \
             lessons promote {} --mode bump --fires 'COMMAND'",
            candidate.id
        );
        return refused_as(REFUSAL_WITHOUT_EXAMPLE, text);
    }
    change::require_examples(lesson, None)
}

/// `lesson` with the triggers of `proposed`; `None` if they would fire more often than `proposed` allows, because the
/// lesson does not have its conditions.
pub fn merged(proposed: &Lesson, lesson: &Lesson) -> Option<Lesson> {
    let fresh: Vec<&Trigger> =
        proposed.triggers.iter().filter(|trigger| !lesson.triggers.contains(trigger)).collect();
    if !fresh.is_empty() && !fits(proposed, lesson, &fresh) {
        return None;
    }
    let mut both = lesson.clone();
    both.triggers.extend(fresh.into_iter().cloned());
    Some(both)
}

/// Whether the conditions of the lesson are at least as narrow as those of the candidate.
fn fits(proposed: &Lesson, lesson: &Lesson, fresh: &[&Trigger]) -> bool {
    let holds = |all: &[Trigger], some: &[Trigger]| some.iter().all(|trigger| all.contains(trigger));
    // A command pattern matches calls of Bash only.
    let only_bash = fresh.iter().all(|trigger| trigger.kind == TriggerKind::CommandPattern)
        && proposed.tools.iter().any(|tool| tool == "Bash");
    let in_tools = proposed.tools.is_empty()
        || only_bash
        || (!lesson.tools.is_empty() && lesson.tools.iter().all(|tool| proposed.tools.contains(tool)));
    let in_place = !lesson.conditions().are_wider_than(&proposed.conditions());
    in_place && holds(&lesson.also, &proposed.also) && holds(&lesson.unless, &proposed.unless) && in_tools
}

#[cfg(test)]
mod tests {
    use lessons_ledger::candidates::{CandidateStatus, Finding};
    use lessons_lesson::id::{LessonId, TopicId};
    use lessons_pattern::trigger::Trigger;

    use super::*;

    fn candidate(finding: Finding) -> Candidate {
        Candidate {
            id: "3f2a11c0d4e59b87".into(),
            finding,
            trust: None,
            status: CandidateStatus::New,
            reason: None,
            seen: 1,
            sessions: 1,
            projects: 1,
            first_seen: 0,
            last_seen: 0,
        }
    }

    fn id(source: &str, pattern: &str) -> Option<String> {
        id_where_said(source, pattern, "")
    }

    fn id_where_said(source: &str, pattern: &str, mistake: &str) -> Option<String> {
        let found = Finding { source: source.into(), mistake: mistake.into(), ..Finding::default() };
        let candidate = candidate(found);
        let topic = TopicId::new("general").unwrap();
        let id = LessonId::new("new").unwrap();
        let mut lesson = Lesson::new(id, "No, that is the production database", topic, "2026-01-01");
        lesson.triggers = vec![Trigger::new(TriggerKind::CommandPattern, pattern)];
        id_of_trigger(&candidate, &lesson)
    }

    #[test]
    fn a_rule_that_nobody_aimed_is_about_what_runs_where_that_is_what_was_seen() {
        let subject = |ran: &str, pattern: &str| {
            let evidence = vec![format!("{RAN}`{ran}`")];
            let found = candidate(Finding { source: "correction".into(), evidence, ..Finding::default() });
            super::subject(&lesson(command(pattern)), &found)
        };
        assert_eq!(subject("npm install zod", r"\bnpm\b"), Some(Subject::Executable));
        assert_eq!(subject("git commit -m 'no npm'", r"\bnpm\b"), None, "it is the text that was meant");
        assert_eq!(subject("ls", r"\bnpm\b"), None, "nothing shows what is meant");
    }

    #[test]
    fn a_lesson_that_nobody_wrote_down_is_named_by_its_command() {
        assert_eq!(id("correction", r"\bgit\s+stash\s+-u\b").as_deref(), Some("git-stash-u"));
        assert_eq!(id("repeated failure", r"^\S*npm\s+test\b").as_deref(), Some("npm-test"));
        let pattern = r"(?:^|\b(?:sudo|env|time|(?:ba|z)?sh)\s+)(?:\S*/)?gradlew\b";
        let named = id_where_said("repeated failure", pattern, "`./gradlew build` fails with exit code 1");
        assert_eq!(named.as_deref(), Some("gradlew"));
        assert_eq!(id("repeated failure", r"\s+"), None);
        assert_eq!(id("tag", r"\bgit\s+stash\b"), None, "a tag has a rule of its own");
    }

    fn lesson(trigger: Trigger) -> Lesson {
        let topic = TopicId::new("t").unwrap();
        let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Rule.", topic, "2026-01-01");
        lesson.triggers = vec![trigger];
        lesson
    }

    fn command(pattern: &str) -> Trigger {
        Trigger::new(TriggerKind::CommandPattern, pattern)
    }

    #[test]
    fn a_lesson_gets_the_triggers_that_it_has_not_got() {
        let kept = lesson(command("a"));
        let mut proposed = lesson(command("b"));
        proposed.tools = vec!["Bash".into()];
        assert_eq!(merged(&proposed, &kept).unwrap().triggers, [command("a"), command("b")]);
        assert_eq!(merged(&lesson(command("a")), &kept).unwrap(), kept);
    }

    #[test]
    fn a_condition_that_the_lesson_has_not_got_is_not_lost() {
        let kept = lesson(command("a"));
        let mut proposed = lesson(command("b"));
        proposed.unless = vec![command("-u")];
        assert_eq!(merged(&proposed, &kept), None);
        let mut kept = kept;
        kept.unless = vec![command("-u"), command("-v")];
        assert!(merged(&proposed, &kept).is_some(), "quieter than proposed");
        let mut on_files = lesson(Trigger::new(TriggerKind::FileGlob, "**/*.ts"));
        on_files.tools = vec!["Edit".into()];
        assert_eq!(merged(&on_files, &lesson(command("a"))), None);
    }
}

//! Flags that several verbs have: the fields of a lesson and what they make of one, the store that is changed, and the acceptance
//! of an incident.

use lessons_context::{Context, Result};
use lessons_lesson::hooked::spelled;
use lessons_lesson::{Confidence, Lesson, Mode, Priority, Quality, Severity, Subject, TopicId, When};
use lessons_pattern::{Trigger, TriggerKind};
use lessons_review::change::in_project;
use lessons_review::typed::{condition, list, sample, topic_of_tags, trigger};
use lessons_review::{GivenFields, SettledFields, own_advice, project_names, proof};
use serde::Deserialize;

use crate::prelude::*;

/// Which store a verb changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args, Default)]
pub struct InProject {
    /// Change the lessons that this project carries, in .lessons/lessons.json, instead of your own
    #[arg(long)]
    pub project: bool,
}

impl InProject {
    /// The verb in the context of the store that it changes.
    pub(crate) fn chosen(self, app: &App) -> anyhow::Result<App> {
        Ok(if self.project { app.within(in_project::around_here(app)?) } else { app.clone() })
    }
}

/// The acceptance of a lesson that is like a critical incident.
#[derive(Debug, Clone, Default, Args)]
pub struct AcceptIncident {
    /// Save it although it resembles a critical incident
    #[arg(long, value_name = "FLAG", value_parser = ["incident"], requires = "reason")]
    pub accept: Option<String>,
    /// The reason for `--accept`
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub reason: Option<String>,
}

/// Parses a whole number of at least 1.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it must be a whole number above 0".to_owned())
}

/// The fields of a lesson. A list replaces the list that was there; none, or one empty value, empties it.
#[derive(Debug, Clone, PartialEq, Args, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Fields {
    /// What to do instead
    #[arg(long, alias = "fix", help_heading = "What it says")]
    pub rule: Option<String>,
    /// What goes wrong
    #[arg(long, help_heading = "What it says")]
    pub mistake: Option<String>,
    /// One line, used when the full text does not fit
    #[arg(long, help_heading = "What it says")]
    pub summary: Option<String>,
    /// One line of why
    #[arg(long, help_heading = "What it says")]
    pub rationale: Option<String>,
    /// Longer text for people, never given to the model
    #[arg(long, help_heading = "What it says")]
    pub detail: Option<String>,
    /// Why it is worth keeping, never given to the model
    #[arg(long, help_heading = "What it says")]
    pub worth: Option<String>,
    /// The phase of work in which it was learned, such as plan
    #[arg(long, help_heading = "What it says")]
    pub phase: Option<String>,

    /// A pattern on which it fires: cmd=REGEX, glob=GLOB, path=REGEX, content=REGEX, kw=WORDS, tool=NAME, error=REGEX
    #[arg(long, value_name = "KIND=PATTERN", help_heading = "When it fires")]
    pub trigger: Option<Vec<String>>,
    /// A condition that must match too
    #[arg(long, value_name = "KIND=PATTERN", help_heading = "When it fires")]
    pub also: Option<Vec<String>>,
    /// An exception: it does not fire if this matches
    #[arg(long, value_name = "KIND=PATTERN", help_heading = "When it fires")]
    pub unless: Option<Vec<String>>,
    /// Only for these tools. Bash means every shell, `*` the rest of a name: `mcp__fs__*`
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "When it fires")]
    pub tool: Option<Vec<String>>,
    /// Only on these operating systems: linux (WSL too), macos, windows
    #[arg(long, value_name = "SYSTEM", value_delimiter = ',', help_heading = "When it fires")]
    pub os: Option<Vec<String>>,
    /// Only where this shell runs the commands: bash, zsh, sh
    #[arg(long, value_name = "SHELL", value_delimiter = ',', help_heading = "When it fires")]
    pub shell: Option<Vec<String>>,
    /// Only in this state: cwd-ends-with-target (`cd X` where the folder already ends in X), path-missing,
    /// path-exists
    #[arg(long, value_name = "STATE", value_delimiter = ',', help_heading = "When it fires")]
    pub state: Option<Vec<String>>,
    /// What command patterns look at: the command as typed, the part of it that would run, or each program that would run
    #[arg(long, value_parser = word::<Subject>, value_name = "command|executable|program", help_heading = "When it fires")]
    pub subject: Option<Subject>,
    /// Only in these projects: a folder, or a remote such as github.com/owner/name
    #[arg(long, value_name = "PROJECT", help_heading = "When it fires")]
    pub scope_project: Option<Vec<String>>,
    /// Only for these agent types; `main` is the main thread
    #[arg(long, value_name = "AGENT", help_heading = "When it fires")]
    pub scope_agent: Option<Vec<String>>,
    /// A call on which it must fire: a command, or JSON such as {"tool":"Edit","file":"a.ts"}
    #[arg(long, value_name = "CALL", help_heading = "When it fires")]
    pub fires: Option<Vec<String>>,
    /// A call on which it must not fire
    #[arg(long, value_name = "CALL", help_heading = "When it fires")]
    pub quiet: Option<Vec<String>>,

    /// Remind after the call, block it once and allow the retry (bump), or block it every time
    #[arg(long, value_parser = word::<Mode>, value_name = "advise|bump|block", help_heading = "What it does")]
    pub mode: Option<Mode>,
    /// Let it block without proof from past sessions (see `lessons replay --label`), for this reason
    #[arg(long, value_name = "REASON", help_heading = "What it does")]
    pub force_block: Option<String>,
    /// At a tool call, or at the start of every session
    #[arg(long, value_parser = word::<When>, value_name = "tool|session", help_heading = "What it does")]
    pub when: Option<When>,
    /// Its rank where several fire on a call; 10 comes first
    #[arg(long, value_name = "1-10", help_heading = "What it does")]
    pub priority: Option<u8>,
    /// Your confidence in it, 0 to 1
    #[arg(long, value_name = "0-1", help_heading = "What it does")]
    pub confidence: Option<f64>,
    /// How much damage the mistake does
    #[arg(long, value_parser = word::<Severity>, value_name = "low|medium|high|critical", help_heading = "What it does")]
    pub severity: Option<Severity>,
    /// The value of the lesson
    #[arg(long, value_parser = word::<Quality>, value_name = "trivial|valuable|critical", help_heading = "What it does")]
    pub quality: Option<Quality>,

    /// Its topic, such as git
    #[arg(long, value_name = "TOPIC", help_heading = "Where it belongs")]
    pub topic: Option<Vec<String>>,
    /// A tag, such as tool:git
    #[arg(long, value_name = "CATEGORY:VALUE", help_heading = "Where it belongs")]
    pub tag: Option<Vec<String>>,
    /// Where it comes from, such as commit:3f2a
    #[arg(long, value_name = "SOURCE", help_heading = "Where it belongs")]
    pub evidence: Option<Vec<String>>,
}

/// Parses a value of an enum by its name in the files. The error lists the names.
pub(crate) fn word<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::from(text)).map_err(|error| {
        let error = error.to_string();
        let names = error.split_once(", expected ").map_or(error.as_str(), |(_, names)| names);
        format!("must be {}", names.replace('`', ""))
    })
}

/// Writes the given fields over `lesson`. `project` turns a typed project into its key.
pub(crate) fn apply(
    fields: &Fields,
    lesson: &mut Lesson,
    project: &dyn Fn(&str) -> Result<String>,
) -> Result<()> {
    if let Some(rule) = &fields.rule {
        lesson.rule.clone_from(rule);
    }
    text(fields.mistake.as_ref(), &mut lesson.mistake);
    text(fields.summary.as_ref(), &mut lesson.summary);
    text(fields.rationale.as_ref(), &mut lesson.rationale);
    text(fields.detail.as_ref(), &mut lesson.detail);
    text(fields.worth.as_ref(), &mut lesson.metacognition);
    text(fields.phase.as_ref(), &mut lesson.phase);
    let as_is = |text: &str| Ok(text.to_owned());
    let fired_on_nothing = lesson.triggers.is_empty();
    list(fields.trigger.as_deref(), &mut lesson.triggers, trigger)?;
    list(fields.also.as_deref(), &mut lesson.also, trigger)?;
    list(fields.unless.as_deref(), &mut lesson.unless, trigger)?;
    list(fields.tool.as_deref(), &mut lesson.tools, |name| Ok(spelled(name.trim()).to_owned()))?;
    list(fields.os.as_deref(), &mut lesson.os, condition)?;
    list(fields.shell.as_deref(), &mut lesson.shell, condition)?;
    list(fields.state.as_deref(), &mut lesson.state, condition)?;
    list(fields.scope_project.as_deref(), &mut lesson.scope.projects, project)?;
    list(fields.scope_agent.as_deref(), &mut lesson.scope.agents, as_is)?;
    list(fields.fires.as_deref(), &mut lesson.examples.fires, sample)?;
    list(fields.quiet.as_deref(), &mut lesson.examples.quiet, sample)?;
    list(fields.topic.as_deref(), &mut lesson.topics, |topic| Ok(TopicId::new(topic).map_err(refused)?))?;
    list(fields.tag.as_deref(), &mut lesson.tags, as_is)?;
    let before = lesson.evidence.clone();
    list(fields.evidence.as_deref(), &mut lesson.evidence, as_is)?;
    proof::keep_reasons(lesson, &before);
    lesson.subject = fields.subject.or(lesson.subject);
    lesson.mode = fields.mode.unwrap_or(lesson.mode);
    // The trigger of a lesson that had none says when it is told.
    let gets_a_trigger = fired_on_nothing && !lesson.triggers.is_empty();
    lesson.when = fields.when.unwrap_or(if gets_a_trigger { When::Tool } else { lesson.when });
    lesson.severity = fields.severity.unwrap_or(lesson.severity);
    lesson.quality = fields.quality.unwrap_or(lesson.quality);
    if fields.trigger.is_some() && lesson.subject.is_none() && begins_with_programs(lesson) {
        lesson.subject = Some(Subject::Program);
    }
    if let Some(priority) = fields.priority {
        lesson.priority = Priority::new(priority).map_err(refused)?;
    }
    if let Some(confidence) = fields.confidence {
        lesson.confidence = Confidence::new(confidence).map_err(refused)?;
    }
    if lesson.topics.is_empty() {
        lesson.topics.push(topic_of_tags(&lesson.tags)?);
    }
    if let Some(reason) = &fields.force_block {
        proof::force(lesson, reason)?;
    }
    Ok(())
}

/// Whether a lesson that stops commands means programs: `^git commit` is about `cd api && git commit` too. Its examples tell
/// whether it fires on each program as well as on the line.
fn begins_with_programs(lesson: &Lesson) -> bool {
    let begins = |it: &Trigger| it.kind == TriggerKind::CommandPattern && it.pattern.starts_with('^');
    let program = Lesson { subject: Some(Subject::Program), ..lesson.clone() };
    let fires = &lesson.examples.fires;
    lesson.mode.refuses()
        && lesson.triggers.iter().all(begins)
        && !fires.is_empty()
        && fires.iter().all(|sample| own_advice::fires(&program, sample))
}

impl GivenFields for Fields {
    fn write_over(&self, context: &Context, lesson: &mut Lesson) -> Result<SettledFields> {
        apply(self, lesson, &|text| project_names::project_key(context, text))?;
        Ok(SettledFields {
            triggers: self.trigger.is_some(),
            projects: self.scope_project.is_some(),
            when: self.when.is_some(),
        })
    }

    fn force(&self) -> Option<&String> {
        self.force_block.as_ref()
    }
}

/// Sets an optional text: a given empty value clears it.
fn text(given: Option<&String>, field: &mut Option<String>) {
    if let Some(given) = given {
        *field = Some(given.clone()).filter(|text| !text.trim().is_empty());
    }
}

/// Turns a parse error into a usage error.
fn refused(error: impl std::fmt::Display) -> Refused {
    Refused(error.to_string())
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::LessonId;
    use lessons_lesson::lesson::Mode;

    use super::*;

    fn lesson() -> Lesson {
        let topic = TopicId::new("git").unwrap();
        let mut lesson = Lesson::new(LessonId::new("a").unwrap(), "Rule.", topic, "2026-01-01");
        lesson.mistake = Some("Mistake.".into());
        lesson.triggers = vec![Trigger::new(TriggerKind::Tool, "Bash")];
        lesson
    }

    fn applied(fields: &Fields) -> Lesson {
        let mut lesson = lesson();
        apply(fields, &mut lesson, &|key| Ok(key.to_owned())).unwrap();
        lesson
    }

    #[test]
    fn a_pattern_from_the_start_on_that_stops_commands_means_programs() {
        let subject = |pattern: &str, fires: &str, mode| {
            let given = Fields {
                trigger: Some(vec![format!("cmd={pattern}")]),
                fires: Some(vec![fires.into()]),
                mode: Some(mode),
                ..Fields::default()
            };
            applied(&given).subject
        };
        assert_eq!(subject(r"^git\s+commit\b", "git commit -m x", Mode::Bump), Some(Subject::Program));
        assert_eq!(subject(r"^git\s+commit\b", "git commit -m x", Mode::Advise), None);
        assert_eq!(subject(r"\bgit\s+commit\b", "git commit -m x", Mode::Bump), None);
        assert_eq!(subject("^sudo git", "sudo git commit", Mode::Bump), None);
        assert_eq!(subject("^bin/migrate", "bin/migrate up", Mode::Bump), None);
    }

    #[test]
    fn an_empty_list_in_json_empties_and_an_unknown_field_is_refused() {
        let fields: Fields = serde_json::from_str(r#"{"also": []}"#).unwrap();
        assert_eq!(fields.also, Some(Vec::new()));
        assert!(serde_json::from_str::<Fields>(r#"{"status": "active"}"#).is_err());
    }

    #[test]
    fn a_tool_is_named_as_the_client_spells_it() {
        let fields = Fields { tool: Some(vec!["bash".into(), "mcp__fs__*".into()]), ..Fields::default() };
        assert_eq!(applied(&fields).tools, ["Bash", "mcp__fs__*"]);
    }

    #[test]
    fn what_is_not_given_stays() {
        assert_eq!(applied(&Fields::default()), lesson());
    }

    #[test]
    fn a_list_is_replaced_and_one_empty_value_empties_it() {
        let given = Fields { trigger: Some(vec!["cmd=a".into(), "glob=b".into()]), ..Fields::default() };
        assert_eq!(applied(&given).triggers.len(), 2);
        let emptied =
            Fields { trigger: Some(vec![String::new()]), mistake: Some(String::new()), ..Fields::default() };
        assert!(applied(&emptied).triggers.is_empty() && applied(&emptied).mistake.is_none());
    }
}

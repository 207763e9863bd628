//! A lesson as an event: kind 4129.
//!
//! | part | holds |
//! |---|---|
//! | `content` | the rule |
//! | `d`, `v` | the id of the lesson, its version from 1 on |
//! | `a` | the project: see [`crate::project_tag`] |
//! | `e` | the event of the earlier version |
//! | `title`, `mistake`, `why`, `metacognition`, `phase`, `quality` | the texts and words of these names; `title` is the summary, `why` the rationale |
//! | `t` | a topic, a tag for each |
//! | `agent` | an agent type of the scope, a tag for each |
//! | `trigger`, `also`, `unless` | a trigger each: `["trigger", "command_pattern", "\\bgit\\s+stash\\b"]` |
//! | `tool`, `os`, `shell`, `state` | a restriction of the triggers, a tag for each |
//! | `subject`, `when` | the text that command patterns look at, the occasion; left out where they are the default |
//!
//! Nothing else of a lesson travels: no evidence, example, detail, tag or date, and no severity or confidence. Mode,
//! priority and scope are for the reader to decide, so an event cannot hold them; tags of other names are not looked at.
//! Nothing is guessed: a value that is not known refuses the event.

use std::str::FromStr;

use lessons_lesson::{Flaw, Lesson, Level, Scope, Subject, TopicId, When, names_of, validate};
use lessons_pattern::{Trigger, TriggerKind};

use crate::event::{BadTag, EventId, Tags, Unsigned, Verified};
use crate::key::PublicKey;
use crate::project_tag::{NoProject, ProjectTag};

/// The kind of the event.
pub const KIND: u16 = 4129;
/// The date of the lesson in a [`SharedLesson`], which has none of its own.
const NO_DATE: &str = "1970-01-01";

/// An error of an event that is no lesson.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotALesson {
    /// The event is of another kind.
    #[error("it is of kind {kind}, and a lesson is of kind {KIND}")]
    Kind {
        /// The kind.
        kind: u16,
    },
    /// A tag is missing, or its value cannot be used.
    #[error(transparent)]
    Tag(#[from] BadTag),
    /// The event names no project that others can have.
    #[error("its tag `a`: {0}")]
    Project(#[from] NoProject),
    /// The lesson does not work.
    #[error("its lesson does not work: {0}")]
    Flawed(Flaw),
}

/// A lesson as it travels.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedLesson {
    /// The project in which it may be told.
    pub project: ProjectTag,
    /// The version, from 1 on.
    pub version: u32,
    /// The event of the version before.
    pub earlier: Option<EventId>,
    lesson: Lesson,
}

impl SharedLesson {
    /// What travels of a lesson, as the first version.
    pub fn of(lesson: &Lesson, project: ProjectTag) -> Self {
        let own = lesson.clone();
        // A field that is not named does not travel.
        let lesson = Lesson {
            // What it looks at goes with it, whatever its mode becomes.
            subject: own.subject.or_else(|| lesson.mode.refuses().then(|| lesson.effective_subject())),
            id: own.id,
            rule: own.rule,
            mistake: own.mistake,
            summary: own.summary,
            rationale: own.rationale,
            metacognition: own.metacognition,
            phase: own.phase,
            topics: own.topics,
            triggers: own.triggers,
            also: own.also,
            unless: own.unless,
            tools: own.tools,
            os: own.os,
            shell: own.shell,
            state: own.state,
            when: own.when,
            quality: own.quality,
            scope: Scope { projects: Vec::new(), agents: own.scope.agents },
            created_at: NO_DATE.into(),
            ..Lesson::default()
        };
        Self { project, version: 1, earlier: None, lesson }
    }

    /// Reads the lesson of an event, and checks it by the rules for every lesson.
    pub fn read(event: &Verified) -> Result<Self, NotALesson> {
        let shared = shared(event.said())?;
        let flaw = validate::flaws(&shared.lesson).into_iter().find(|flaw| flaw.level == Level::Error);
        flaw.map_or(Ok(shared), |flaw| Err(NotALesson::Flawed(flaw)))
    }

    /// The lesson: advice of priority 5 for every project, with the agents that the author names. It has neither
    /// evidence nor a date of its own.
    pub fn lesson(&self) -> &Lesson {
        &self.lesson
    }

    /// The next version of it, after the event of `earlier`.
    #[must_use]
    pub fn after(self, earlier: &Self, event: EventId) -> Self {
        Self { version: earlier.version.saturating_add(1), earlier: Some(event), ..self }
    }

    /// Whether another version says the same of the same project, under the same id.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.lesson == other.lesson && self.project == other.project
    }

    /// Every text of it that a person or an agent may have written, with the name of its tag.
    pub fn texts(&self) -> Vec<(&'static str, &str)> {
        let lesson = &self.lesson;
        let mut texts = vec![("d", lesson.id.as_str()), ("rule", lesson.rule.as_str())];
        texts.extend(self.optional().filter_map(|(name, text)| Some((name, text?))));
        texts.extend(lesson.topics.iter().map(|topic| ("t", topic.as_str())));
        texts.extend(lesson.scope.agents.iter().map(|agent| ("agent", agent.as_str())));
        texts.extend(lesson.tools.iter().map(|tool| ("tool", tool.as_str())));
        let triggers = lesson.all_triggers();
        texts.extend(triggers.map(|(role, trigger)| (role.name(), trigger.pattern.as_str())));
        texts
    }

    /// The texts that it may have beside its rule, with the names of their tags.
    fn optional(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        let Lesson { summary, mistake, rationale, metacognition, phase, .. } = &self.lesson;
        let texts = [summary, mistake, rationale, metacognition, phase].map(Option::as_deref);
        ["title", "mistake", "why", "metacognition", "phase"].into_iter().zip(texts)
    }

    /// The event that says it, at `created_at` seconds since 1970.
    pub fn to_unsigned(&self, author: PublicKey, created_at: u64) -> Unsigned {
        let mut tags = Writer::default();
        let lesson = &self.lesson;
        tags.put("d", [lesson.id.as_str()]);
        tags.put("v", [self.version.to_string().as_str()]);
        tags.put("a", [self.project.coordinate(author).as_str()]);
        tags.put_all("e", self.earlier.map(|id| id.to_string()));
        for (name, text) in self.optional() {
            tags.put_all(name, text);
        }
        tags.put("quality", [lesson.quality.name()]);
        tags.put_all("t", lesson.topics.iter().map(ToString::to_string));
        tags.put_all("agent", &lesson.scope.agents);
        for (role, Trigger { kind, pattern }) in lesson.all_triggers() {
            tags.put(role.name(), [kind.name(), pattern]);
        }
        tags.put_all("tool", &lesson.tools);
        tags.put_all("os", names_of(&lesson.os));
        tags.put_all("shell", names_of(&lesson.shell));
        tags.put_all("state", names_of(&lesson.state));
        tags.put_all("subject", lesson.subject.map(Subject::name));
        tags.put_all("when", (lesson.when != When::Tool).then(|| lesson.when.name()));
        Unsigned { created_at, kind: KIND, tags: tags.0, content: lesson.rule.clone() }
    }
}

/// The tags of an event that is made.
#[derive(Default)]
struct Writer(Vec<Vec<String>>);

impl Writer {
    fn put<const N: usize>(&mut self, name: &str, values: [&str; N]) {
        self.0.push([name].into_iter().chain(values).map(str::to_owned).collect());
    }

    fn put_all<T: AsRef<str>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        for value in values {
            self.put(name, [value.as_ref()]);
        }
    }
}

fn shared(said: &Unsigned) -> Result<SharedLesson, NotALesson> {
    if said.kind != KIND {
        return Err(NotALesson::Kind { kind: said.kind });
    }
    let tags = Tags(&said.tags);
    let project = ProjectTag::of_coordinate(&required::<String>(tags, "a")?)?;
    let (earlier, version) = (named(tags, "e")?, version(&required::<String>(tags, "v")?)?);
    Ok(SharedLesson { project, version, earlier, lesson: lesson(said, tags)? })
}

fn lesson(said: &Unsigned, tags: Tags<'_>) -> Result<Lesson, BadTag> {
    let id = required(tags, "d")?;
    let topics: Vec<TopicId> = parsed(tags, "t")?;
    let Some(first) = topics.first().cloned() else { return Err(missing("t")) };
    let mut lesson = Lesson {
        mistake: named(tags, "mistake")?,
        summary: named(tags, "title")?,
        rationale: named(tags, "why")?,
        metacognition: named(tags, "metacognition")?,
        phase: named(tags, "phase")?,
        topics,
        triggers: triggers(tags, "trigger")?,
        also: triggers(tags, "also")?,
        unless: triggers(tags, "unless")?,
        tools: parsed(tags, "tool")?,
        os: parsed(tags, "os")?,
        shell: parsed(tags, "shell")?,
        state: parsed(tags, "state")?,
        when: named(tags, "when")?.unwrap_or_default(),
        quality: named(tags, "quality")?.unwrap_or_default(),
        subject: named(tags, "subject")?,
        ..Lesson::new(id, &said.content, first, NO_DATE)
    };
    lesson.scope.agents = parsed(tags, "agent")?;
    Ok(lesson)
}

fn required<T: FromStr>(tags: Tags<'_>, name: &'static str) -> Result<T, BadTag> {
    named(tags, name)?.ok_or(missing(name))
}

fn missing(name: &'static str) -> BadTag {
    BadTag { name, what: "is missing" }
}

fn unknown(name: &'static str) -> BadTag {
    BadTag { name, what: "has a value that is not known" }
}

/// A version as it is written: digits, not beginning with zero.
fn version(text: &str) -> Result<u32, BadTag> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain).ok_or(unknown("v"))
}

/// The value of each tag with a name.
fn parsed<T: FromStr>(tags: Tags<'_>, name: &'static str) -> Result<Vec<T>, BadTag> {
    tags.texts(name)?.into_iter().map(|text| text.parse().map_err(|_| unknown(name))).collect()
}

/// The value of the only tag with a name, if there is one.
fn named<T: FromStr>(tags: Tags<'_>, name: &'static str) -> Result<Option<T>, BadTag> {
    tags.text(name)?.map(|text| text.parse().map_err(|_| unknown(name))).transpose()
}

fn triggers(tags: Tags<'_>, role: &'static str) -> Result<Vec<Trigger>, BadTag> {
    tags.all(role)
        .map(|values| match values {
            [kind, pattern] => {
                TriggerKind::named(kind).map(|kind| Trigger::new(kind, pattern)).ok_or(unknown(role))
            }
            _ => Err(BadTag { name: role, what: "is not a kind and a pattern" }),
        })
        .collect()
}

#[cfg(test)]
mod tests;

//! Reading the tags of an event into a lesson. Nothing is guessed: a value that is not known refuses the event.

use lessons_lesson::conditions::ConditionWord;
use lessons_lesson::id::{LessonId, TopicId};
use lessons_lesson::lesson::{Lesson, Quality, Subject, When};
use lessons_pattern::trigger::{Trigger, TriggerKind};

use super::{KIND, NO_DATE, NotALesson, SharedLesson};
use crate::event::Unsigned;
use crate::project_tag::ProjectTag;
use crate::tags::{BadTag, Tags};

pub(super) fn shared(said: &Unsigned) -> Result<SharedLesson, NotALesson> {
    if said.kind != KIND {
        return Err(NotALesson::Kind { kind: said.kind });
    }
    let tags = Tags(&said.tags);
    let project = ProjectTag::of_coordinate(required(tags, "a")?)?;
    let earlier = tags.text("e")?.map(|id| id.parse().map_err(|_| unknown("e"))).transpose()?;
    Ok(SharedLesson {
        project,
        version: version(required(tags, "v")?)?,
        earlier,
        lesson: lesson(said, tags)?,
    })
}

fn lesson(said: &Unsigned, tags: Tags<'_>) -> Result<Lesson, BadTag> {
    let id = LessonId::new(required(tags, "d")?).map_err(|_| unknown("d"))?;
    let topics = parsed(tags, "t", |text| TopicId::new(text).ok())?;
    let Some(first) = topics.first().cloned() else { return Err(missing("t")) };
    let owned = |name| Ok::<_, BadTag>(tags.text(name)?.map(str::to_owned));
    let mut lesson = Lesson {
        mistake: owned("mistake")?,
        summary: owned("title")?,
        rationale: owned("why")?,
        metacognition: owned("metacognition")?,
        phase: owned("phase")?,
        topics,
        triggers: triggers(tags, "trigger")?,
        also: triggers(tags, "also")?,
        unless: triggers(tags, "unless")?,
        tools: parsed(tags, "tool", |text| Some(text.to_owned()))?,
        os: parsed(tags, "os", ConditionWord::parse)?,
        shell: parsed(tags, "shell", ConditionWord::parse)?,
        state: parsed(tags, "state", ConditionWord::parse)?,
        when: named(tags, "when", When::named)?.unwrap_or_default(),
        quality: named(tags, "quality", Quality::named)?.unwrap_or_default(),
        subject: named(tags, "subject", Subject::named)?,
        ..Lesson::new(id, &said.content, first, NO_DATE)
    };
    lesson.scope.agents = parsed(tags, "agent", |text| Some(text.to_owned()))?;
    Ok(lesson)
}

fn required<'t>(tags: Tags<'t>, name: &'static str) -> Result<&'t str, BadTag> {
    tags.text(name)?.ok_or(missing(name))
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
fn parsed<T>(
    tags: Tags<'_>,
    name: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, BadTag> {
    tags.texts(name)?.into_iter().map(|text| parse(text).ok_or(unknown(name))).collect()
}

/// The value of the only tag with a name, which must name a value of a type.
fn named<T>(tags: Tags<'_>, name: &'static str, of: impl Fn(&str) -> Option<T>) -> Result<Option<T>, BadTag> {
    tags.text(name)?.map(|text| of(text).ok_or(unknown(name))).transpose()
}

fn triggers(tags: Tags<'_>, role: &'static str) -> Result<Vec<Trigger>, BadTag> {
    tags.all(role)
        .map(|values| match values {
            [kind, pattern] => {
                let kind = TriggerKind::ALL.into_iter().find(|known| known.name() == kind);
                kind.map(|kind| Trigger::new(kind, pattern)).ok_or(unknown(role))
            }
            _ => Err(BadTag { name: role, what: "is not a kind and a pattern" }),
        })
        .collect()
}

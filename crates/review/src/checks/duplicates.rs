//! Duplicates: lessons, built-in ones too, that say the same as a new one and fire on the same calls.

use lessons_context::{Context, Result};
use lessons_incident_check::contradiction;
use lessons_lesson::{Layer, Lesson, QualifiedId, SampleCall, Status, When};
use lessons_pattern::TriggerKind;
use lessons_publish::in_force;
use lessons_replay::Trial;
use lessons_store::{Warning, capture};

use crate::lookup;

/// The code of the warning.
pub const CODE: &str = "DUPLICATE_LESSON";
/// Two rules say the same if this share of the words of the shorter one is in the other, in percent. It is a low share,
/// because both must fire on the same calls too.
const COMMON_PERCENT: usize = 60;
/// The most duplicates that are named.
const MOST: usize = 3;

/// How a person decides between two lessons that say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// They are asked when the new one is saved.
    Asked,
    /// They type a command, which the warning names.
    Typed,
}

/// Adds a warning for each duplicate of a new lesson, which has its id, with the commands that merge the two or keep one,
/// where nobody is asked about that. A
/// warning that names the same lesson gets the words of this one.
pub fn add(context: &Context, new: &Lesson, remedy: Remedy, warnings: &mut Vec<Warning>) -> Result<()> {
    for id in of(context, new)? {
        let duplicate = warning(context, new, remedy, &id);
        let is_named =
            |it: &&mut Warning| id.layer == context.store.layer() && it.other.as_ref() == Some(&id.id);
        match warnings.iter_mut().find(is_named) {
            Some(known) => known.message = duplicate.message,
            None => warnings.push(duplicate),
        }
    }
    Ok(())
}

/// The lessons that say the same as a new one and fire on the same calls, at most [`MOST`].
pub fn of(context: &Context, new: &Lesson) -> Result<Vec<QualifiedId>> {
    let in_force = in_force::lessons(context);
    let own = QualifiedId { layer: context.store.layer(), id: new.id.clone() };
    let alike = lookup::every_lesson(context)?.into_iter().filter(|(id, lesson)| {
        let counts = id.layer == Layer::User || in_force.contains_key(id);
        counts && *id != own && lesson.status == Status::Active && say_the_same(new, lesson)
    });
    let mut alike = alike.peekable();
    if alike.peek().is_none() {
        return Ok(Vec::new());
    }
    // One that cannot be compiled fires nowhere, which is said elsewhere.
    let Some(tried) = Tried::new(&own, new) else { return Ok(Vec::new()) };
    // A lesson of a session is told before any call.
    let is_told_alike = |id: &QualifiedId, lesson: &Lesson| {
        [new.when, lesson.when].contains(&When::Session) || tried.fires_with(id, lesson)
    };
    Ok(alike.filter(|(id, lesson)| is_told_alike(id, lesson)).map(|(id, _)| id).take(MOST).collect())
}

/// A lesson that is compared with others by the calls on which it fires.
pub struct Tried<'l> {
    lesson: &'l Lesson,
    trial: Trial,
    calls: Vec<SampleCall>,
}

impl<'l> Tried<'l> {
    /// A lesson, ready to be compared; `None` if it cannot be compiled.
    pub fn new(id: &QualifiedId, lesson: &'l Lesson) -> Option<Self> {
        Some(Self { lesson, trial: contradiction::trial(id, lesson)?, calls: samples(lesson) })
    }

    /// Whether another lesson fires on the same calls: both have a trigger in common, or one fires on a sample of the other.
    pub fn fires_with(&self, id: &QualifiedId, other: &Lesson) -> bool {
        self.lesson.triggers.iter().any(|trigger| other.triggers.contains(trigger))
            || samples(other).iter().any(|call| self.trial.fires_on(call))
            || contradiction::trial(id, other)
                .is_some_and(|other| self.calls.iter().any(|call| other.fires_on(call)))
    }
}

/// The warning, with the commands where nobody is asked.
fn warning(context: &Context, new: &Lesson, remedy: Remedy, other: &QualifiedId) -> Warning {
    let alike = if new.when == When::Session { "" } else { " and fires on the same calls" };
    let same = format!("{other} says nearly the same{alike}");
    if remedy == Remedy::Asked {
        return Warning::coded(CODE, same);
    }
    let new = &new.id;
    let remedy = if other.layer == context.store.layer() {
        format!(
            "merge the two: lessons merge {new} {0}; or keep the new one: lessons merge {0} {new} --replace",
            other.id
        )
    } else {
        format!("keep that one: lessons undo; or the new one: lessons off {other}")
    };
    Warning::coded(CODE, format!("{same}; {remedy}"))
}

/// Whether two rules share most of their words.
pub fn say_the_same(one: &Lesson, other: &Lesson) -> bool {
    let (one, other) = (capture::words(&one.rule), capture::words(&other.rule));
    let common = one.intersection(&other).count();
    common > 1 && common * 100 >= one.len().min(other.len()) * COMMON_PERCENT
}

/// Calls on which a lesson should fire: its examples, and the words of its command patterns.
fn samples(lesson: &Lesson) -> Vec<SampleCall> {
    let patterns = lesson.triggers.iter().filter(|trigger| trigger.kind == TriggerKind::CommandPattern);
    let commands = patterns.map(|trigger| plain_words(&trigger.pattern).join(" "));
    let calls = commands.filter(|command| !command.is_empty()).map(SampleCall::bash);
    lesson.examples.fires.iter().cloned().chain(calls).collect()
}

/// The words that a command pattern spells out, without classes such as `\b` and `\s`.
pub fn plain_words(pattern: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            // A class, or an escaped sign, which parts words as every other sign does.
            chars.next();
            plain.push(' ');
        } else {
            plain.push(c.to_ascii_lowercase());
        }
    }
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use lessons_lesson::id::{LessonId, TopicId};

    use super::*;

    fn rule(rule: &str) -> Lesson {
        Lesson::new(LessonId::new("a").unwrap(), rule, TopicId::new("t").unwrap(), "2026-01-01")
    }

    #[test]
    fn other_words_around_the_same_advice_are_the_same() {
        let same = |one: &str, other: &str| say_the_same(&rule(one), &rule(other));
        assert!(same("use pnpm, never npm", "always use pnpm rather than npm"));
        assert!(same("always use pnpm rather than npm", "use pnpm, never npm"));
        assert!(!same("use pnpm, never npm", "use yarn berry in the workspace"));
        assert!(!same("Run it.", "Stop it."));
    }

    #[test]
    fn the_words_of_a_pattern_are_a_command() {
        assert_eq!(plain_words(r"^\bgit\s+stash(?:\s+-u)?"), ["git", "stash", "u"]);
        assert!(plain_words(r"\s+\b").is_empty());
    }
}

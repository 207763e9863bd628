//! What is said of a lesson that fires on its own advice: the warning, and the exceptions that would keep it quiet there.

use lessons_lesson::{Examples, Lesson, SampleCall};
use lessons_manifest_builder::own_advice::{self, OwnAdvice};
use lessons_manifest_builder::{Patterns, examples};
use lessons_pattern::Trigger;
use lessons_scanner::tag::trigger::exception::said_only_by;
use lessons_store::Warning;
use lessons_text::{line, listed};

use crate::checks::duplicates::plain_words;

/// The most exceptions that are proposed.
const MOST_EXCEPTIONS: usize = 4;

/// The commands that a lesson advises and at which it fires all the same. Empty for patterns that are none, which are
/// reported elsewhere.
pub fn fired(lesson: &Lesson) -> Vec<String> {
    own_advice::of(lesson, &Patterns::default()).fired
}

/// The exceptions that keep a lesson quiet on all that it advises, while it still stops what it stops. `None` where no
/// words tell the two apart.
pub fn exceptions(lesson: &Lesson) -> Option<Vec<Trigger>> {
    let patterns = Patterns::default();
    let OwnAdvice { mut stopped, fired } = own_advice::of(lesson, &patterns);
    stopped.retain(|command| !fired.contains(command));
    let spelt_out = lesson.triggers.first().map(|trigger| plain_words(&trigger.pattern).join(" "));
    let mut tried = lesson.clone();
    let mut now = fired;
    while let Some(advised) = now.first().filter(|_| now.len() <= MOST_EXCEPTIONS) {
        let differing = stopped.iter().chain(&spelt_out).flat_map(|stopped| said_only_by(advised, stopped));
        let (narrower, then) = differing.into_iter().find_map(|unless| {
            let mut narrower = tried.clone();
            narrower.unless.push(unless);
            let then = own_advice::of(&narrower, &patterns);
            let helps = then.fired.len() < now.len() && stopped.iter().all(|it| then.stopped.contains(it));
            helps.then_some((narrower, then.fired))
        })?;
        (tried, now) = (narrower, then);
    }
    Some(tried.unless.split_off(lesson.unless.len())).filter(|added| now.is_empty() && !added.is_empty())
}

/// The code of the warning that says which exceptions a reminder was given.
pub const KEPT_QUIET: &str = "KEPT_QUIET_ON_ITS_ADVICE";

/// Gives a reminder the exceptions that keep it quiet on what it advises, and says so. What blocks is refused instead, with
/// the exceptions that a person may add.
pub fn keep_quiet(lesson: &mut Lesson) -> Option<Warning> {
    let exceptions = Some(&*lesson).filter(|lesson| !lesson.mode.refuses()).and_then(exceptions)?;
    let message = format!("it keeps quiet on what it advises: unless {}", line(&listed(&exceptions)));
    lesson.unless.extend(exceptions);
    Some(Warning::coded(KEPT_QUIET, message))
}

/// The flags that add these exceptions, for a command line.
pub fn flags<'t>(exceptions: impl IntoIterator<Item = &'t Trigger>) -> Vec<String> {
    exceptions.into_iter().flat_map(|unless| ["--unless".to_owned(), unless.to_string()]).collect()
}

/// Whether a lesson fires on a call.
pub fn fires(lesson: &Lesson, sample: &SampleCall) -> bool {
    let fires = vec![sample.clone()];
    let tried = Lesson { examples: Examples { fires, quiet: Vec::new() }, ..lesson.clone() };
    examples::try_lesson(&lesson.user_id(), &tried, &Patterns::default())
        .is_ok_and(|failing| failing.is_empty())
}

/// A warning for each advised command at which a lesson fires.
pub fn warnings(lesson: &Lesson) -> Vec<Warning> {
    let does = if lesson.mode.refuses() { "blocks" } else { "fires at" };
    let fired = fired(lesson);
    let typed = |added: Vec<Trigger>| line(&lessons_context::typed(&flags(&added)));
    let quiet = exceptions(lesson).filter(|_| !fired.is_empty()).map_or_else(|| "unless".to_owned(), typed);
    let warning = |command: String| {
        let message = format!(
            "it {does} `{}`, which its own rule advises; keep it quiet there with `{quiet}`",
            line(&command)
        );
        Warning::coded("FIRES_ON_ITS_ADVICE", message)
    };
    fired.into_iter().map(warning).collect()
}

#[cfg(test)]
mod tests;

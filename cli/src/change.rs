//! Changes to lessons as verbs make them: with a progress bar while sessions are read, and a printed answer.

pub(crate) use lessons_review::change::*;

use lessons_lesson::Lesson;

use crate::prelude::*;

/// Changes one lesson, brings it into force and prints the answer, all under one lock. `edit` may be called more than
/// once.
pub(crate) fn one(
    app: &App,
    action: &'static str,
    edit: impl FnMut(&mut ChangeDraft<'_>) -> lessons_context::Result<Edit>,
) -> Result<Exit> {
    tell(app, &saved(app, action, &Tidying::Nothing, edit)?)
}

/// Prints what came of a change, and its warnings.
pub(crate) fn tell(app: &App, saved: &Saved) -> Result<Exit> {
    match saved {
        Saved::Lesson(changed) => {
            app.answer(changed)?;
            warn(app, changed);
            Ok(changed.exit())
        }
        Saved::NoLesson(said) => app.done(said),
    }
}

/// Prints the warnings for people. Programs read them in the answer.
pub(crate) fn warn(app: &App, changed: &Changed) {
    if app.output == Output::Text {
        messages::warn(changed.warnings.iter().map(|warning| &warning.message));
    }
}

/// What is said of a lesson that a command leaves as it is: why, as what follows its id.
pub(crate) fn unchanged(app: &App, lesson: &Lesson, why: &str) -> Message {
    let id = full_id(app, &lesson.id);
    Message::new("unchanged", &id, format!("{id}{why}")).then(format!("lessons show {id}"))
}

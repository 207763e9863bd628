//! Changes to lessons as verbs make them: with a progress bar while sessions are read, and a printed answer.

use anyhow::Result;
use lessons_context::Exit;
use lessons_publish::building::Outcome;
use lessons_review::change;
pub(crate) use lessons_review::change::*;
use lessons_review::proof::ChangeOrigin;

use crate::app::{App, Output};
use crate::ui::messages;

/// Changes one lesson, brings it into force and prints the answer, all under one lock. `edit` may be called more than
/// once.
pub(crate) fn one(
    app: &App,
    action: &'static str,
    edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<Edit>,
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

/// Changes one lesson and brings it into force, under one lock (see [`change::saved`]).
pub(crate) fn saved(
    app: &App,
    action: &'static str,
    tidying: &Tidying,
    mut edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<Edit>,
) -> Result<Saved> {
    let edit = |draft: &mut ChangeDraft<'_>| edit(draft).map_err(messages::of_edit);
    Ok(change::saved(app, action, tidying, edit)?)
}

/// Changes the store and brings it into force, under one lock (see [`change::save`]).
pub(crate) fn save<T>(
    app: &App,
    done: &'static str,
    origin: ChangeOrigin,
    mut edit: impl FnMut(&mut ChangeDraft<'_>) -> Result<T>,
) -> Result<(T, Outcome)> {
    let edit = |draft: &mut ChangeDraft<'_>| edit(draft).map_err(messages::of_edit);
    Ok(change::save(app, done, origin, edit)?)
}

/// Prints the warnings for people. Programs read them in the answer.
pub(crate) fn warn(app: &App, changed: &Changed) {
    if app.ui.output == Output::Text {
        messages::warn(changed.warnings.iter().map(|warning| &warning.message));
    }
}

//! Carrying decisions out before a person's eyes: with a progress bar while sessions are read, and counted.

use anyhow::{Error, Result};
use lessons_review::candidates::carry_out::{self, PlannedDecision, Terms};
use lessons_review::change::Saved;
use lessons_review::proof::ChangeOrigin;

use super::Decision;
use crate::app::App;
use crate::ui::prompt;
use crate::usage::usage_counts;

/// Carries out one decision. Returns the number of the change in the journal as well; `None` if nothing changed.
pub(crate) fn one(app: &App, origin: ChangeOrigin, decision: &Decision) -> Result<(Saved, Option<u64>)> {
    let (mut results, change) = all(app, decision.done(), origin, std::slice::from_ref(decision))?;
    let result = results.pop().ok_or_else(|| Error::msg("a decision came to nothing"))?;
    Ok((result, change))
}

/// Carries out decisions, all of them or none. `done` is their name in the journal.
pub(crate) fn all(
    app: &App,
    done: &'static str,
    origin: ChangeOrigin,
    decisions: &[Decision],
) -> Result<(Vec<Saved>, Option<u64>)> {
    let terms = Terms { done, origin, remedy: prompt::remedy(app) };
    let (results, change) = carry_out::all(app, terms, decisions)?;
    for saved in &results {
        usage_counts::captured(app, saved);
    }
    Ok((results, change))
}

/// Works out what decisions would do now.
pub(crate) fn preview(
    app: &App,
    origin: ChangeOrigin,
    decisions: &[Decision],
) -> Result<Vec<PlannedDecision>> {
    let terms = Terms { done: "reviewed", origin, remedy: prompt::remedy(app) };
    Ok(carry_out::preview(app, terms, decisions)?)
}

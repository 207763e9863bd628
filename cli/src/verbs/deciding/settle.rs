//! The questions after `lessons add` and `lessons promote`: what becomes of two lessons that say the same.

use anyhow::Result;
use lessons_context::error::Exit;
use lessons_lesson::id::QualifiedId;
use lessons_review::checks::duplicates;

use crate::app::App;
use crate::args::InProject;
use crate::change::{self, Changed, Saved};
use crate::ui::prompt;
use crate::verbs::deciding::curate::Two;
use crate::verbs::deciding::on_off::Off;
use crate::verbs::deciding::retire::Retire;
use crate::verbs::deciding::{curate, on_off, retire};

/// Prints what came of a new lesson, and asks about each duplicate of it, until one answer takes the lesson out of force. Where
/// nobody can answer, the warnings name the commands.
pub(crate) fn told(app: &App, saved: &Saved) -> Result<Exit> {
    let exit = change::tell(app, saved)?;
    if let Saved::Lesson(changed) = saved {
        settle(app, changed)?;
    }
    Ok(exit)
}

fn settle(app: &App, saved: &Changed) -> Result<()> {
    let is_named = saved.warnings.iter().any(|warning| warning.code == Some(duplicates::CODE));
    if !is_named || !prompt::is_possible(app) {
        return Ok(());
    }
    let Ok(new) = saved.id.parse::<QualifiedId>() else { return Ok(()) };
    let graph = app.store.read(&app.home)?.graph;
    let Some(lesson) = graph.get(&new.id) else { return Ok(()) };
    for other in duplicates::of(app, lesson)? {
        let is_kept = if other.layer == app.store.layer() {
            settle_with_own(app, &new, &other)?
        } else {
            settle_with_foreign(app, &new, &other)?
        };
        if !is_kept {
            break;
        }
    }
    Ok(())
}

/// Asks about a lesson of the same store. Returns whether the new one stays.
fn settle_with_own(app: &App, new: &QualifiedId, other: &QualifiedId) -> Result<bool> {
    let two = |loser: &QualifiedId, keeper: &QualifiedId| Two {
        loser: loser.id.to_string(),
        keeper: keeper.id.to_string(),
        store: InProject::default(),
        force_block: None,
    };
    match prompt::ask(&format!("{other}:\n  [m]erge yours into it, [r]eplace it, or [K]eep both?"))?.as_str()
    {
        "m" | "merge" => curate::merge(app, &two(new, other)).map(|_| false),
        "r" | "replace" => curate::supersede(app, &two(other, new)).map(|_| true),
        _ => Ok(true),
    }
}

/// Asks about a lesson of another store. Returns whether the new one stays.
fn settle_with_foreign(app: &App, new: &QualifiedId, other: &QualifiedId) -> Result<bool> {
    match prompt::ask(&format!("{other}:\n  [r]etire yours, [s]witch it off, or [K]eep both?"))?.as_str() {
        "r" | "retire" => {
            retire::retire(app, &Retire { id: new.to_string(), store: InProject::default(), wrong: false })
                .map(|_| false)
        }
        "s" | "switch" => {
            on_off::off(app, &Off { id: other.to_string(), duration: None, session: false }).map(|_| true)
        }
        _ => Ok(true),
    }
}

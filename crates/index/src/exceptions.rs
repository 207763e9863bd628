//! Exceptions: what excuses a command at which a lesson about programs fires.
//!
//! A command is excused by its own words and assignments, and by a command of another kind in front of it, in the same place,
//! that an exception names and that has not failed: `git stash &&`, `set -u;`, but not `ssh host git stash;`, and not by the
//! words of another command: `npm test &&`. `cd` and `export` belong to what follows them. A command of its kind excuses
//! itself alone: of `git push --force-with-lease || git push --force` the second half fires. Only what one writes to the other
//! through a pipe says what the other does: `git branch --merged | xargs git branch -D`. Work is linear in the command and in
//! the number of exceptions.

use std::collections::BTreeMap;

use lessons_lesson::{Subject, Terms};
use lessons_pattern::TriggerKind;
use lessons_shell::command_kind;

use crate::record::Trigger;
use crate::views::{View, Views};
use crate::{Index, Result};

/// What the exceptions of a lesson about programs say of the commands at which it fires.
pub(crate) enum Excuse {
    /// This trigger excuses the last of them, and each is excused.
    Excused(u32),
    /// One of them is not excused.
    Fires,
    /// No single command fires: the lesson looks at something else as well.
    NoCommand,
}

/// Commands that say where and how those behind them run.
const SURROUNDING: [&str; 3] = ["cd", "export", "pushd"];

/// Judges the exceptions that are patterns for commands.
pub(crate) fn judge(index: &Index<'_>, views: &Views<'_>, terms: &Terms) -> Result<Excuse> {
    let sources = views.sources();
    let invocations = views.command(Subject::Program);
    let texts = |at: usize| {
        sources.get(at).and_then(|source| invocations.get(source.invocations.clone())).unwrap_or_default()
    };
    let text = |at: usize| texts(at).first();
    let mut fires = vec![false; sources.len()];
    for &trigger in &terms.triggers {
        index.with_trigger(trigger, |trigger| {
            for (at, fires) in fires.iter_mut().enumerate() {
                *fires = *fires || matches_any(&trigger, texts(at))?;
            }
            Ok(())
        })?;
    }
    if !fires.contains(&true) {
        return Ok(Excuse::NoCommand);
    }
    let kind = |at: usize| text(at).map(|text| command_kind(text.text()));
    let mut excused = vec![None; sources.len()];
    for &trigger in &terms.unless {
        index.with_trigger(trigger, |exception| {
            if exception.kind != TriggerKind::CommandPattern {
                return Ok(());
            }
            // For each place the first two kinds of commands so far that the exception matches: one of them is another kind.
            let mut places: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
            // The place of the last command in this pipeline that the exception matches.
            let mut piped = None;
            for (at, source) in sources.iter().enumerate() {
                let typed = View::new(source.typed.as_str().into());
                let own = exception.matches_command(&typed)? || matches_any(&exception, texts(at))?;
                piped = piped.filter(|_| source.reads_pipe);
                let before = places.entry(&source.place).or_default();
                let names = own && text(at).map_or(Ok(true), |text| names_command(&exception, text))?;
                if let Some(excused) = excused.get_mut(at)
                    && (own
                        || piped == Some(&source.place)
                        || (!source.runs_after_failure && before.iter().any(|other| *other != kind(at))))
                {
                    excused.get_or_insert(trigger);
                }
                piped = if names { Some(&source.place) } else { piped };
                if names && before.len() < 2 && !before.contains(&kind(at)) {
                    before.push(kind(at));
                }
            }
            Ok(())
        })?;
    }
    let mut excuse = Excuse::Fires;
    for (_, excused) in fires.iter().zip(excused).filter(|(fires, _)| **fires) {
        match excused {
            Some(trigger) => excuse = Excuse::Excused(trigger),
            None => return Ok(Excuse::Fires),
        }
    }
    Ok(excuse)
}

fn matches_any(trigger: &Trigger<'_>, texts: &[View<'_>]) -> Result<bool> {
    texts.iter().try_fold(false, |found, text| Ok(found || trigger.matches_command(text)?))
}

/// Whether an exception is about a command, and not about words that any command may have: it matches no more without the
/// program's name.
fn names_command(exception: &Trigger<'_>, command: &View<'_>) -> Result<bool> {
    let text = command.text();
    let (program, words) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let words = View::new(words.into());
    Ok(exception.matches_command(command)?
        && (SURROUNDING.contains(&program) || !exception.matches_command(&words)?))
}

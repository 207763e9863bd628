//! Exceptions: what excuses a command at which a lesson about programs fires.
//!
//! A command is excused by its own words and assignments, and by a command of another kind in front of it, in the same place:
//! `git stash &&`, `set -u;`, but not `ssh host git stash;`. A command of its kind excuses itself alone: of `git push --force-with-lease || git push --force` the second
//! half fires. Work is linear in the command and in the number of exceptions.

use std::collections::BTreeMap;

use lessons_lesson::compiled::Terms;
use lessons_lesson::lesson::Subject;
use lessons_pattern::trigger::TriggerKind;
use lessons_shell::command_kind;

use crate::views::Views;
use crate::{Corrupt, Index};

/// What the exceptions of a lesson about programs say of the commands at which it fires.
pub(crate) enum Excuse {
    /// This trigger excuses the last of them, and each is excused.
    Excused(u32),
    /// One of them is not excused.
    Fires,
    /// No single command fires: the lesson looks at something else as well.
    NoCommand,
}

/// Judges the exceptions that are patterns for commands.
pub(crate) fn judge(index: &Index<'_>, views: &Views<'_>, terms: &Terms) -> Result<Excuse, Corrupt> {
    let sources = views.sources();
    let invocations = views.command(Subject::Program);
    let text = |at: usize| sources.get(at).and_then(|source| invocations.get(source.invocation?));
    let mut fires = vec![false; sources.len()];
    for &trigger in &terms.triggers {
        index.with_trigger(trigger, |trigger| {
            for (at, fires) in fires.iter_mut().enumerate() {
                *fires = *fires || text(at).map_or(Ok(false), |text| trigger.matches_command(text))?;
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
            let mut places: BTreeMap<&str, [Option<Option<&str>>; 2]> = BTreeMap::new();
            for (at, source) in sources.iter().enumerate() {
                let own = exception.matches_command(&source.typed)?
                    || text(at).map_or(Ok(false), |text| exception.matches_command(text))?;
                let before = places.entry(&source.place).or_default();
                let is_other = |other: &Option<Option<&str>>| other.is_some_and(|other| other != kind(at));
                if let Some(excused) = excused.get_mut(at)
                    && (own || before.iter().any(is_other))
                {
                    excused.get_or_insert(trigger);
                }
                if own
                    && let Some(free) =
                        before.iter_mut().find(|kinds| kinds.is_none_or(|known| known == kind(at)))
                {
                    *free = Some(kind(at));
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

//! The screen of `lessons review`.
//!
//! - [`item`]: one candidate. [`question`]: questions about candidates. [`list`]: the list of all.
//! - [`state`]: the state of the whole screen and its transitions, without side effects. [`effects`]: the side effects
//!   that a key asks for, and their results.
//! - [`page`] and [`draw`]: the layout.
//! - [`terminal`]: raw mode, and the way back from it. The lesson is edited in the person's own editor.
//! - [`decision_worker`] and [`trial_worker`]: threads for slow work, so that no key waits.
//! - [`bookmark`]: the candidate at which the last review stopped.

mod bookmark;
mod decision_worker;
mod draw;
mod effects;
mod item;
mod list;
mod page;
mod question;
#[cfg(test)]
mod sample_candidates;
mod state;
pub mod terminal;
mod trial_worker;

use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use crossterm::event::Event;
use lessons_context::error::Exit;
use lessons_context::known_projects::KnownProjects;
use lessons_lesson::lesson::Examples;
use lessons_review::candidates::{breadth, promotion};
use lessons_text::wording::counted;

use self::decision_worker::{DecisionWorker, Job};
use self::item::{DecisionKind, Edit, ItemStatus, ReviewItem};
use self::page::Palette;
use self::state::{Effect, EffectResult, ReviewState};
use self::terminal::{Screen, TerminalEvent, TerminationSignal};
use super::candidate_details::{self, CandidateDetails};
use crate::app::App;
use crate::change;
use crate::ui::messages::{self, Message};
use crate::ui::progress::ReadingProgress;
use crate::ui::{edit_form, editor};

/// How long one wait for terminal input lasts before the results of the workers are looked at.
const TICK: Duration = Duration::from_millis(40);

/// The result of a screen that was closed: every decision made on it is saved.
struct Shown {
    state: ReviewState,
    /// An error if the terminal failed before the person left.
    terminal_result: Result<()>,
    termination: TerminationSignal,
}

/// Reviews all waiting candidates with the person at the terminal.
pub(crate) fn run(app: &App) -> Result<Exit> {
    let waiting = breadth::waiting(app, &ReadingProgress::of(app))?;
    if waiting.is_empty() {
        let message = "nothing waits for you";
        app.answer(&Message::new("unchanged", "review", message).then("lessons scan"))?;
        return Ok(Exit::Done);
    }
    let reader = candidate_details::DetailsReader::new(app)?;
    let user_home = std::env::var("HOME").ok();
    let mut candidates = Vec::with_capacity(waiting.len());
    for candidate in waiting {
        if let CandidateDetails::Full(details) = reader.details(app, candidate)? {
            let mut details = *details;
            for seen in &mut details.sightings {
                seen.file = from_user_home(&seen.file, user_home.as_deref());
            }
            candidates.push(details);
        }
    }
    let at = bookmark::position(app, &candidates);
    let Shown { state, terminal_result, termination } = show(app, ReviewState::new(candidates, at))?;
    let kept = state.item().filter(|item| item.status.is_open());
    let marked = bookmark::put(app, kept.map(ReviewItem::id));
    // A signal may also have come while the decisions were being saved.
    termination.raise();
    terminal_result?;
    marked?;
    app.answer(&summary(&state))?;
    let is_done = state.items.iter().all(|item| item.failure.is_none());
    Ok(if is_done { Exit::Done } else { Exit::Findings })
}

/// A path as a person writes it, with `~` for their home folder.
fn from_user_home(path: &str, user_home: Option<&str>) -> String {
    let below = user_home.and_then(|home| lessons_text::path::below(path, home));
    below.map_or_else(|| path.to_owned(), |below| format!("~/{below}"))
}

/// Runs the screen until the person leaves it, then waits until all decisions are saved.
fn show(app: &App, mut state: ReviewState) -> Result<Shown> {
    let (sender, results) = channel();
    let mut decisions = DecisionWorker::spawn(app, sender.clone())?;
    let trials = trial_worker::spawn(app, sender)?;
    let screen = Screen::open().context("the terminal")?;
    let termination = screen.termination();
    let mut session = Session { app, screen, decisions: &decisions, trials };
    let terminal_result = session.until_left(&mut state, &results).context("the terminal");
    // Restore the shell first: saving may take a moment, and the screen no longer reacts.
    drop(session);
    decisions.finish();
    receive_all(&mut state, &results);
    Ok(Shown { state, terminal_result, termination })
}

fn receive_all(state: &mut ReviewState, results: &Receiver<EffectResult>) {
    for result in results.try_iter() {
        state.receive(result);
    }
}

/// Everything that effects reach.
struct Session<'a> {
    app: &'a App,
    screen: Screen,
    decisions: &'a DecisionWorker,
    trials: Sender<trial_worker::Job>,
}

impl Session<'_> {
    /// The event loop: draws, waits for input, and carries out effects until a key or a signal ends it.
    fn until_left(&mut self, state: &mut ReviewState, results: &Receiver<EffectResult>) -> io::Result<()> {
        let palette = Palette::of_environment(std::env::var("NO_COLOR").ok().as_deref());
        let mut effects = state.request_trials();
        while self.carry_out(state, effects)?.is_continue() {
            receive_all(state, results);
            let mut scroll = state.scroll;
            self.screen.draw(|frame| scroll = draw::draw(frame, state, palette))?;
            state.scroll = scroll;
            effects = match self.screen.wait_for_event(TICK)? {
                TerminalEvent::Event(Event::Key(key)) => state.press(&key),
                TerminalEvent::Event(Event::Paste(text)) => {
                    state.paste(&text);
                    Vec::new()
                }
                TerminalEvent::Event(_) | TerminalEvent::Nothing => Vec::new(),
                TerminalEvent::Stop => vec![Effect::Suspend],
                TerminalEvent::End => return Ok(()),
            };
        }
        Ok(())
    }

    /// Carries out the effects of a key. `Break` means that the person leaves the screen.
    fn carry_out(&mut self, state: &mut ReviewState, effects: Vec<Effect>) -> io::Result<ControlFlow<()>> {
        for effect in effects {
            match effect {
                Effect::Decide(at, decision) => self.decisions.give(Job::Decide(at, decision)),
                Effect::TakeBack(at) => self.decisions.give(Job::TakeBack(at)),
                // The thread lives until the sender is dropped, so sending cannot fail.
                Effect::Try(at, lesson, decision) => drop(self.trials.send((at, lesson, decision))),
                Effect::Edit(at) => {
                    let Some(item) = state.items.get(at) else { continue };
                    let edit = self.edit(item).map_err(|error| messages::sentence(&error));
                    let effects = state.take_edit(at, edit);
                    return self.carry_out(state, effects);
                }
                Effect::Suspend => self.screen.stop()?,
                Effect::Redraw => self.screen.forget()?,
                Effect::Quit => return Ok(ControlFlow::Break(())),
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Lets the person edit the lesson of a candidate in their editor. `None` if it is the same afterwards.
    fn edit(&mut self, item: &ReviewItem) -> Result<Option<Box<Edit>>> {
        let (app, candidate) = (self.app, &item.details.candidate);
        let known = KnownProjects::of(&app.home);
        let graph = app.store.read(&app.home)?.graph;
        let mut shown = item.lesson().clone();
        if candidate.finding.shared.is_none() && shown.examples == item.details.lesson.examples {
            // They come from the evidence, and are looked for again once the triggers are what the person wants.
            shown.examples = Examples::default();
        }
        let form = edit_form::of(&format!("candidate {}", candidate.id), &shown, &known);
        let (_, (fields, lesson)) =
            editor::edited(app, form, &mut |command| self.screen.run(command), |form| {
                let fields = edit_form::parse(form)?;
                let vetted = promotion::with_fields(app, candidate, Some(&fields)).and_then(|mut lesson| {
                    change::vetted(&mut lesson, &graph, None)?;
                    Ok(lesson)
                });
                Ok((fields, vetted.map_err(|error| vec![messages::sentence(&error)])?))
            })?;
        let place = known.holds(&lesson.scope.projects);
        Ok((lesson != *item.lesson()).then(|| Box::new(Edit { fields, lesson, place })))
    }
}

/// The summary that is printed after the screen is closed.
fn summary(state: &ReviewState) -> Message {
    let done = |kind| state.number(|status| status.decision() == Some(kind));
    let open = state.number(ItemStatus::is_open);
    let message = format!(
        "{} promoted, {} merged, {} rejected; {} still waiting",
        done(DecisionKind::Promoted),
        done(DecisionKind::Merged),
        done(DecisionKind::Rejected),
        counted(open, "candidate")
    );
    let failures = state.items.iter().filter_map(|item| Some((item.id(), item.failure.as_ref()?)));
    let failures: Vec<String> = failures.map(|(id, why)| format!("\n  {id}: {why}")).collect();
    let next = if open > 0 { "lessons review" } else { "lessons list" };
    let message = lessons_text::neutral::visible(&format!("{message}{}", failures.concat()));
    Message::new("reviewed", "review", message).then(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_home_folder_begins_with_a_tilde() {
        assert_eq!(from_user_home("/home/me/.claude/a.jsonl", Some("/home/me")), "~/.claude/a.jsonl");
        assert_eq!(from_user_home("/home/meet/a.jsonl", Some("/home/me")), "/home/meet/a.jsonl");
        assert_eq!(from_user_home("/srv/a.jsonl", None), "/srv/a.jsonl");
    }
}

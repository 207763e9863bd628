//! The screen of `lessons review`.
//!
//! - [`keys`]: the keys that it understands. [`line_editor`]: a text field of one line. [`draft`]: the lesson that a
//!   candidate would become, and the form that edits it.
//! - [`item`]: one candidate. [`overlay`]: the views that cover it. [`state`]: the state of the whole screen and its
//!   transitions, without side effects. [`effects`]: the side effects that a key asks for, and their results.
//! - [`page`] and [`draw`]: the layout.
//! - [`terminal`]: raw mode, and the way back from it.
//! - [`decision_worker`] and [`replay_worker`]: threads for slow work, so that no key waits.
//! - [`bookmark`]: the candidate at which the last review stopped.

pub mod bookmark;
pub mod decision_worker;
pub mod draft;
pub mod draw;
pub mod effects;
pub mod item;
pub mod keys;
pub mod line_editor;
pub mod list;
pub mod overlay;
pub mod page;
pub mod replay_worker;
#[cfg(test)]
pub(crate) mod sample_candidates;
pub mod state;
pub mod terminal;

use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use crossterm::event::Event;
use lessons_context::error::Exit;
use lessons_text::wording::counted;

use self::decision_worker::DecisionWorker;
use self::keys::Key;
use self::page::Palette;
use self::replay_worker::ReplayWorker;
use self::state::{DecisionKind, Effect, EffectResult, ItemStatus, ReviewState};
use self::terminal::{Screen, TerminalEvent, TerminationSignal};
use super::candidate_details::{self, CandidateDetails, FullDetails};
use super::tried_candidates;
use crate::app::App;
use crate::messages::Message;

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
    let waiting = tried_candidates::waiting(app)?;
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
    let state = ReviewState::new(candidates.clone(), bookmark::position(app, &candidates));
    let Shown { state, terminal_result, termination } = show(app, state, candidates)?;
    let kept = state.item().filter(|item| matches!(item.status, ItemStatus::Waits | ItemStatus::Skipped));
    let marked = bookmark::put(app, kept.map(|item| item.details.candidate.id.as_str()));
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
fn show(app: &App, mut state: ReviewState, candidates: Vec<FullDetails>) -> Result<Shown> {
    let (sender, results) = channel();
    let mut decisions = DecisionWorker::spawn(app, sender.clone())?;
    let replays = ReplayWorker::spawn(app, candidates, sender)?;
    let mut screen = Screen::open().context("the terminal")?;
    let termination = screen.termination();
    let terminal_result =
        until_left(&mut state, &mut screen, &results, &decisions, &replays).context("the terminal");
    // Restore the shell first: saving may take a moment, and the screen no longer reacts.
    drop(screen);
    decisions.finish();
    receive_all(&mut state, &results);
    Ok(Shown { state, terminal_result, termination })
}

/// The event loop: draws, waits for input, and carries out effects until a key or a signal ends it.
fn until_left(
    state: &mut ReviewState,
    screen: &mut Screen,
    results: &Receiver<EffectResult>,
    decisions: &DecisionWorker,
    replays: &ReplayWorker,
) -> io::Result<()> {
    let palette = Palette::of_environment(std::env::var("NO_COLOR").ok().as_deref());
    let mut next = carry_out(state.begin(), decisions, replays, screen)?;
    while next.is_continue() {
        receive_all(state, results);
        let mut scroll = state.scroll;
        screen.draw(|frame| scroll = draw::draw(frame, state, palette))?;
        state.scroll = scroll;
        let effects = match screen.wait_for_event(TICK)? {
            TerminalEvent::Event(Event::Key(event)) => {
                Key::of(&event).map(|key| state.press(key)).unwrap_or_default()
            }
            TerminalEvent::Event(Event::Paste(text)) => state.paste(&text),
            TerminalEvent::Event(_) | TerminalEvent::Nothing => Vec::new(),
            TerminalEvent::Stop => vec![Effect::Suspend],
            TerminalEvent::End => return Ok(()),
        };
        next = carry_out(effects, decisions, replays, screen)?;
    }
    Ok(())
}

fn receive_all(state: &mut ReviewState, results: &Receiver<EffectResult>) {
    for results in results.try_iter() {
        state.receive(results);
    }
}

/// Carries out the effects of a key. `Break` means that the person leaves the screen.
fn carry_out(
    effects: Vec<Effect>,
    decisions: &DecisionWorker,
    replays: &ReplayWorker,
    screen: &mut Screen,
) -> io::Result<ControlFlow<()>> {
    for effect in effects {
        match effect {
            Effect::Decide(ticket, decision) => decisions.decide(ticket, decision),
            Effect::TakeBack(ticket) => decisions.take_back(ticket),
            Effect::Replay(at, draft) => replays.count(at, draft),
            Effect::Suspend => screen.stop()?,
            Effect::Redraw => screen.forget()?,
            Effect::Quit => return Ok(ControlFlow::Break(())),
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The summary that is printed after the screen is closed.
fn summary(state: &ReviewState) -> Message {
    let done = |kind: DecisionKind| {
        state.number(
            |status| matches!(status, ItemStatus::Deciding(of) | ItemStatus::Decided(of) if *of == kind),
        )
    };
    let open = state.number(|status| matches!(status, ItemStatus::Waits | ItemStatus::Skipped));
    let message = format!(
        "{} promoted, {} merged, {} rejected; {} still waiting",
        done(DecisionKind::Promoted),
        done(DecisionKind::Merged),
        done(DecisionKind::Rejected),
        counted(open, "candidate")
    );
    let failures =
        state.items.iter().filter_map(|item| Some((&item.details.candidate.id, item.failure.as_ref()?)));
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

//! The screen of `lessons review`.
//!
//! - [`item`]: one candidate, the side effects that a key asks for, and their results. [`list`]: the list of all, and questions
//!   about them.
//! - [`state`]: the state of the whole screen and its transitions, without side effects. [`draw`]: the layout.
//! - [`terminal`]: raw mode, and the way back from it. The lesson is edited in the person's own editor.
//! - [`workers`]: threads for slow work, so that no key waits, and the candidate at which the last review stopped.

mod draw;
mod item;
mod list;
#[cfg(test)]
mod sample_candidates;
mod state;
pub mod terminal;
mod workers;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use std::{io, thread};

use crossterm::event::Event;
use lessons_context::{Context, KnownProjects};
use lessons_ledger::Candidate;
use lessons_lesson::Examples;
use lessons_review::reflection::next;
use lessons_review::{promotion, too_broad};
use lessons_text::neutral;

use self::item::{Edit, ItemStatus, ReviewItem};
use self::state::{Effect, EffectResult, ReviewState};
use self::terminal::{Screen, TerminalEvent, TerminationSignal};
use super::candidate_details::{CandidateDetails, DetailsReader};
use crate::change;
use crate::prelude::*;
use crate::ui::edit_form;
use crate::ui::paint::Paint;

/// How long one wait for terminal input lasts before the results of the workers are looked at.
const TICK: Duration = Duration::from_millis(40);

/// With what the screen begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// The candidates.
    Candidates,
    /// What nobody has read.
    Unread,
}

/// Reviews all waiting candidates with the person at the terminal.
pub(crate) fn run(app: &App, beginning: Beginning) -> Result<Exit> {
    let waiting = too_broad::waiting(app)?;
    if waiting.is_empty() && beginning == Beginning::Candidates {
        let message = "nothing waits for you; `lessons review --unread` shows what nobody has read";
        return app.done(&Message::new("unchanged", "review", message).then("lessons scan"));
    }
    let reader = DetailsReader::new(app)?;
    let candidates = waiting.into_iter().map(|candidate| details(app, &reader, candidate));
    let candidates: Vec<CandidateDetails> = candidates.collect::<Result<_>>()?;
    let at = workers::bookmarked(app, &candidates);
    let mut state = ReviewState::new(candidates, at);
    state.request_trials();
    if beginning == Beginning::Unread {
        state.find_unread();
    }
    // A progress bar would be drawn over the screen.
    let beside = app.within(Context { watcher: Arc::new(()), ..app.context.clone() });
    let (terminal_result, termination) = show(&beside, &mut state)?;
    let kept = state.item().filter(|item| item.status.is_open());
    let marked = workers::bookmark(app, kept.map(ReviewItem::id));
    // A signal may also have come while the decisions were being saved.
    termination.raise();
    terminal_result?;
    marked?;
    app.answer(&summary(&state))?;
    let is_done = state.items.iter().all(|item| item.failure.is_none());
    Ok(if is_done { Exit::Done } else { Exit::Findings })
}

/// A candidate with its files as a person writes them.
fn details(app: &App, reader: &DetailsReader, candidate: Candidate) -> Result<CandidateDetails> {
    let mut details = reader.details(app, candidate)?;
    let user_home = std::env::var("HOME").ok();
    for seen in &mut details.sightings {
        seen.file = from_user_home(&seen.file, user_home.as_deref());
    }
    Ok(details)
}

/// A path as a person writes it, with `~` for their home folder.
fn from_user_home(path: &str, user_home: Option<&str>) -> String {
    let below = user_home.and_then(|home| lessons_text::path::below(path, home));
    below.map_or_else(|| path.to_owned(), |below| format!("~/{below}"))
}

/// Runs the screen until the person leaves it, then waits until all decisions are saved. Returns an error of the terminal, if it
/// failed before, and the signal that asks the program to end.
fn show(app: &App, state: &mut ReviewState) -> Result<(Result<()>, TerminationSignal)> {
    let (sender, results) = channel();
    let (decisions, queue) = channel();
    let (background, saved) = (app.clone(), sender.clone());
    let saving = move || workers::carry_out_decisions(&background, &queue, &saved);
    let saving = thread::Builder::new().name("decisions".into()).spawn(saving)?;
    let trials = workers::spawn(app, sender.clone())?;
    let screen = Screen::open().context("the terminal")?;
    let termination = screen.termination();
    let mut session = Session { app, screen, decisions, trials, sender };
    let terminal_result = session.until_left(state, &results).context("the terminal");
    // Restore the shell first: saving may take a moment, and the screen no longer reacts. Without the session no decision
    // can come any more, so the thread ends. A panic in it has already printed its message.
    drop(session);
    let _ = saving.join();
    receive_all(state, &results);
    Ok((terminal_result, termination))
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
    decisions: Sender<workers::DecisionJob>,
    trials: Sender<workers::TrialJob>,
    /// Where results go.
    sender: Sender<EffectResult>,
}

impl Session<'_> {
    /// The event loop: draws, waits for input, and carries out effects until a key or a signal ends it.
    fn until_left(&mut self, state: &mut ReviewState, results: &Receiver<EffectResult>) -> io::Result<()> {
        let paint = Paint::of_stdout();
        while self.carry_out(state)?.is_continue() {
            receive_all(state, results);
            let mut scroll = state.scroll;
            self.screen.draw(|frame| scroll = draw::draw(frame, state, paint))?;
            state.scroll = scroll;
            match self.screen.wait_for_event(TICK)? {
                TerminalEvent::Event(Event::Key(key)) => state.press(&key),
                TerminalEvent::Event(Event::Paste(text)) => state.paste(&text),
                TerminalEvent::Event(_) | TerminalEvent::Nothing => {}
                TerminalEvent::Stop => self.screen.stop()?,
                TerminalEvent::End => return Ok(()),
            }
        }
        Ok(())
    }

    /// Carries out what the state asks for. `Break` means that the person leaves the screen.
    fn carry_out(&mut self, state: &mut ReviewState) -> io::Result<ControlFlow<()>> {
        while let Some(effect) = state.effects.pop_front() {
            match effect {
                // The threads live until the senders are dropped, so sending cannot fail.
                Effect::Decide(at, decision) => drop(self.decisions.send((at, Some(decision)))),
                Effect::TakeBack(at) => drop(self.decisions.send((at, None))),
                Effect::Try(at, lesson, decision) => drop(self.trials.send((at, lesson, decision))),
                Effect::Edit(at) => {
                    let Some(item) = state.items.get(at) else { continue };
                    let edit = self.edit(item).map_err(|error| messages::sentence(&error));
                    state.take_edit(at, edit);
                }
                Effect::FindUnread => self.find_unread(),
                Effect::Write(id) => match self.chosen(&id) {
                    Ok(details) => state.add(details),
                    Err(error) => state.note = Some(messages::sentence(&error)),
                },
                Effect::Suspend => self.screen.stop()?,
                Effect::Redraw => self.screen.forget()?,
                Effect::Quit => return Ok(ControlFlow::Break(())),
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Looks for unread items beside the screen: new transcripts are read first.
    fn find_unread(&self) {
        let (app, sender) = (self.app.clone(), self.sender.clone());
        thread::spawn(move || {
            let found = next::strongest(&app).map_err(|error| messages::sentence(&error));
            let found =
                found.map(|items| items.into_iter().map(|(id, item)| (id, item.finding.mistake)).collect());
            // The screen may be closed already.
            let _ = sender.send(EffectResult::Unread(found));
        });
    }

    /// The candidate that an unread item becomes when a person chooses it.
    fn chosen(&self, id: &str) -> Result<CandidateDetails> {
        details(self.app, &DetailsReader::new(self.app)?, next::candidate(self.app, id)?)
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
        let evidence = candidate.finding.evidence.iter().map(|line| format!("\n# {}", neutral::line(line)));
        let title = format!("candidate {}{}", candidate.id, evidence.collect::<String>());
        let form = edit_form::of(&title, &shown, &known);
        let (_, (fields, lesson)) = edit_form::edited(app, form, &mut |it| self.screen.run(it), |form| {
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
    let done = |word| format!("{} {word}", state.number(|status| status.decision() == Some(word)));
    let open = state.number(ItemStatus::is_open);
    let (done, waiting) = (listed(["promoted", "merged", "rejected"].map(done)), counted(open, "candidate"));
    let failures = state.items.iter().filter_map(|item| Some((item.id(), item.failure.as_ref()?)));
    let failures: Vec<String> = failures.map(|(id, why)| format!("\n  {id}: {why}")).collect();
    let next = if open > 0 { "lessons review" } else { "lessons list" };
    let message = neutral::visible(&format!("{done}; {waiting} still waiting{}", failures.concat()));
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

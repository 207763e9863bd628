//! The screen of `lessons review`.
//!
//! - [`keys`]: the keys it knows. [`typed`]: a line that is edited. [`draft`]: the lesson that a candidate would
//!   become, and the form in which it is changed.
//! - [`item`]: a candidate on the screen. [`state`]: what the screen knows, and what a key does to it. Pure.
//!   [`news`]: what a key leaves to be done, and what comes of that.
//! - [`page`] and [`draw`]: what it looks like.
//! - [`terminal`]: the terminal, taken over and always put back.
//! - [`clerk`] and [`counter`]: what is done beside it, so that no key waits.
//! - [`bookmark`]: where the person was.

pub mod bookmark;
pub mod clerk;
pub mod counter;
pub mod draft;
pub mod draw;
pub mod item;
pub mod keys;
pub mod news;
pub mod page;
#[cfg(test)]
pub(crate) mod scene;
pub mod state;
pub mod terminal;
pub mod typed;

use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use crossterm::event::Event;
use lessons_core::wording::counted;

use self::clerk::Clerk;
use self::counter::Counter;
use self::keys::Key;
use self::page::Palette;
use self::state::{Deed, Effect, News, Standing, State};
use self::terminal::{Ending, Heard, Screen};
use super::dossier::{self, Dossier, Whole};
use crate::app::{App, Exit};
use crate::lookup;
use crate::messages::Message;

/// How long the terminal is waited for while there may be news.
const TICK: Duration = Duration::from_millis(40);

/// A screen that is gone, and everything that was decided on it saved.
struct Shown {
    state: State,
    /// Whether the terminal held out until somebody left.
    held_out: Result<()>,
    ending: Ending,
}

/// Goes through the candidates that wait with the person at the terminal.
pub(crate) fn run(app: &App) -> Result<Exit> {
    let waiting = lookup::waiting_candidates(app)?;
    if waiting.is_empty() {
        let message = "nothing waits for you";
        app.answer(&Message::new("unchanged", "review", message).then("lessons scan"))?;
        return Ok(Exit::Done);
    }
    let files = dossier::Clerk::new(app)?;
    let mut candidates = Vec::with_capacity(waiting.len());
    for candidate in waiting {
        if let Dossier::Whole(whole) = files.dossier(app, candidate)? {
            candidates.push(*whole);
        }
    }
    let state = State::new(candidates.clone(), bookmark::position(app, &candidates));
    let Shown { state, held_out, ending } = show(app, state, candidates)?;
    let kept = state.item().filter(|item| matches!(item.standing, Standing::Waits | Standing::Skipped));
    let marked = bookmark::put(app, kept.map(|item| item.whole.candidate.id.as_str()));
    // Also one that came while the rest was being saved.
    ending.obey();
    held_out?;
    marked?;
    app.answer(&told(&state))?;
    let is_done = state.items.iter().all(|item| item.trouble.is_none());
    Ok(if is_done { Exit::Done } else { Exit::Findings })
}

/// Shows the screen until it is left, and waits until everything that was decided is saved.
fn show(app: &App, mut state: State, candidates: Vec<Whole>) -> Result<Shown> {
    let (sender, news) = channel();
    let mut clerk = Clerk::hire(app, sender.clone())?;
    let counter = Counter::hire(app, candidates, sender)?;
    let mut screen = Screen::open().context("the terminal")?;
    let ending = screen.ending();
    let held_out = until_left(&mut state, &mut screen, &news, &clerk, &counter).context("the terminal");
    // Whoever waits sees a shell again, not a screen that no longer answers.
    drop(screen);
    clerk.finish();
    hear_all(&mut state, &news);
    Ok(Shown { state, held_out, ending })
}

/// Shows the screen until a key or a signal ends it.
fn until_left(
    state: &mut State,
    screen: &mut Screen,
    news: &Receiver<News>,
    clerk: &Clerk,
    counter: &Counter,
) -> io::Result<()> {
    let palette = Palette::of_environment(std::env::var("NO_COLOR").ok().as_deref());
    let mut next = carry_out(state.begin(), clerk, counter, screen)?;
    while next.is_continue() {
        hear_all(state, news);
        let mut scroll = state.scroll;
        screen.draw(|frame| scroll = draw::draw(frame, state, palette))?;
        state.scroll = scroll;
        let effects = match screen.hear(TICK)? {
            Heard::Event(Event::Key(event)) => {
                Key::of(&event).map(|key| state.press(key)).unwrap_or_default()
            }
            Heard::Event(Event::Paste(text)) => state.paste(&text),
            Heard::Event(_) | Heard::Nothing => Vec::new(),
            Heard::Stop => vec![Effect::Suspend],
            Heard::End => return Ok(()),
        };
        next = carry_out(effects, clerk, counter, screen)?;
    }
    Ok(())
}

fn hear_all(state: &mut State, news: &Receiver<News>) {
    for news in news.try_iter() {
        state.hear(news);
    }
}

/// Does what a key left to be done. Breaks off where that is to leave the screen.
fn carry_out(
    effects: Vec<Effect>,
    clerk: &Clerk,
    counter: &Counter,
    screen: &mut Screen,
) -> io::Result<ControlFlow<()>> {
    for effect in effects {
        match effect {
            Effect::Decide(ticket, decision) => clerk.decide(ticket, decision),
            Effect::TakeBack(ticket) => clerk.take_back(ticket),
            Effect::Measure(at, draft) => counter.count(at, draft),
            Effect::Suspend => screen.stop()?,
            Effect::Redraw => screen.forget()?,
            Effect::Quit => return Ok(ControlFlow::Break(())),
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// What was done, when the screen is gone.
fn told(state: &State) -> Message {
    let done = |deed: Deed| {
        state.number(
            |standing| matches!(standing, Standing::Deciding(of) | Standing::Decided(of) if *of == deed),
        )
    };
    let open = state.number(|standing| matches!(standing, Standing::Waits | Standing::Skipped));
    let message = format!(
        "{} promoted, {} merged, {} rejected; {} still waiting",
        done(Deed::Promoted),
        done(Deed::Merged),
        done(Deed::Rejected),
        counted(open, "candidate")
    );
    let troubles =
        state.items.iter().filter_map(|item| Some((&item.whole.candidate.id, item.trouble.as_ref()?)));
    let troubles: Vec<String> = troubles.map(|(id, why)| format!("\n  {id}: {why}")).collect();
    let next = if open > 0 { "lessons review" } else { "lessons list" };
    let message = lessons_core::neutral::visible(&format!("{message}{}", troubles.concat()));
    Message::new("reviewed", "review", message).then(next)
}

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
use self::terminal::{Heard, Screen, Signal};
use super::dossier::{self, Dossier, Whole};
use crate::app::{App, Exit};
use crate::said::Said;
use crate::verbs::candidates;

/// How long the terminal is waited for while there may be news.
const TICK: Duration = Duration::from_millis(40);

/// Why the screen was left.
enum Left {
    /// The person did.
    ByKey,
    /// A signal came.
    BySignal(Signal),
}

/// Goes through the candidates that wait with the person at the terminal.
pub(crate) fn run(app: &App) -> Result<Exit> {
    let waiting = candidates::waiting(app)?;
    if waiting.is_empty() {
        let message = "nothing waits for you";
        app.answer(&Said::new("unchanged", "review", message).then("lessons scan"))?;
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
    let (state, left) = show(app, state, candidates)?;
    let kept = state.item().filter(|item| matches!(item.standing, Standing::Waits | Standing::Skipped));
    bookmark::put(app, kept.map(|item| item.whole.candidate.id.as_str()))?;
    if let Left::BySignal(signal) = left {
        signal.obey();
    }
    app.answer(&told(&state))?;
    let is_done = state.items.iter().all(|item| item.trouble.is_none());
    Ok(if is_done { Exit::Done } else { Exit::Findings })
}

/// Shows the screen until it is left, and waits until everything that was decided is saved.
fn show(app: &App, mut state: State, candidates: Vec<Whole>) -> Result<(State, Left)> {
    let (sender, news) = channel();
    let mut clerk = Clerk::hire(app, sender.clone())?;
    let counter = Counter::hire(app, candidates, sender)?;
    let palette = Palette::of_environment(std::env::var("NO_COLOR").ok().as_deref());
    let mut screen = Screen::open().context("the terminal")?;
    let effects = state.begin();
    let mut left = carry_out(effects, &clerk, &counter, &mut screen)?;
    while left.is_none() {
        hear_all(&mut state, &news);
        let mut scroll = state.scroll;
        screen.draw(|frame| scroll = draw::draw(frame, &state, palette)).context("the terminal")?;
        state.scroll = scroll;
        let effects = match screen.hear(TICK).context("the terminal")? {
            Heard::Event(Event::Key(event)) => {
                Key::of(&event).map(|key| state.press(key)).unwrap_or_default()
            }
            Heard::Event(Event::Paste(text)) => state.paste(&text),
            Heard::Event(_) | Heard::Nothing => Vec::new(),
            Heard::Stop => vec![Effect::Suspend],
            Heard::End(signal) => {
                left = Some(Left::BySignal(signal));
                Vec::new()
            }
        };
        if left.is_none() {
            left = carry_out(effects, &clerk, &counter, &mut screen)?;
        }
    }
    // Whoever waits sees a shell again, not a screen that no longer answers.
    drop(screen);
    clerk.finish();
    hear_all(&mut state, &news);
    Ok((state, left.unwrap_or(Left::ByKey)))
}

fn hear_all(state: &mut State, news: &Receiver<News>) {
    for news in news.try_iter() {
        state.hear(news);
    }
}

/// Does what a key left to be done. Returns why the screen is left, if it is.
fn carry_out(
    effects: Vec<Effect>,
    clerk: &Clerk,
    counter: &Counter,
    screen: &mut Screen,
) -> io::Result<Option<Left>> {
    for effect in effects {
        match effect {
            Effect::Decide(ticket, decision) => clerk.decide(ticket, decision),
            Effect::TakeBack(ticket) => clerk.take_back(ticket),
            Effect::Measure(at, draft) => counter.count(at, draft),
            Effect::Suspend => screen.stop()?,
            Effect::Redraw => screen.forget()?,
            Effect::Quit => return Ok(Some(Left::ByKey)),
        }
    }
    Ok(None)
}

/// What was done, when the screen is gone.
fn told(state: &State) -> Said {
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
    Said::new("reviewed", "review", message).then(next)
}

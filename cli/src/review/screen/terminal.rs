//! The terminal: taken over, and always put back.
//!
//! It is put back when the screen is dropped, before a panic says what happened, before a signal ends the
//! program, and while the program is stopped.

use std::io::{self, Stdout, Write as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::{flag, low_level};

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal, taken over until this is dropped.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// The signal that wants the program to end; 0 for none.
    ended_by: Arc<AtomicUsize>,
    /// Whether a signal wants it to stop for now.
    stopped: Arc<AtomicBool>,
}

/// What a terminal has to say.
#[derive(Debug)]
pub enum Heard {
    /// An event.
    Event(Event),
    /// The program is to stop for now.
    Stop,
    /// The program is to end, by this signal.
    End(Signal),
    /// Nothing, for as long as was waited.
    Nothing,
}

/// A signal that ends programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(i32);

impl Signal {
    /// Ends the program as the signal would have. The terminal must have been put back.
    pub fn obey(self) {
        // Where it does not end the program, its caller does.
        let _ = low_level::emulate_default_handler(self.0);
    }
}

impl Screen {
    /// Takes the terminal over.
    pub fn open() -> io::Result<Self> {
        put_back_before_a_panic_speaks();
        let (ended_by, stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            flag::register_usize(signal, Arc::clone(&ended_by), usize::try_from(signal).unwrap_or(0))?;
        }
        flag::register(SIGTSTP, Arc::clone(&stopped))?;
        take()?;
        Ok(Self { terminal: blank().inspect_err(|_| put_back())?, ended_by, stopped })
    }

    /// Draws.
    pub fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        if !TAKEN.load(Ordering::SeqCst) {
            // A panic elsewhere put it back to say what happened.
            return Err(io::Error::other("something went wrong beside the screen; what was decided is kept"));
        }
        self.terminal.draw(draw).map(|_| ())
    }

    /// Draws everything the next time, whatever stands there.
    pub fn forget(&mut self) -> io::Result<()> {
        self.terminal = blank()?;
        Ok(())
    }

    /// Waits until something happens, at most for `patience`.
    pub fn hear(&self, patience: Duration) -> io::Result<Heard> {
        if let Some(heard) = self.signalled() {
            return Ok(heard);
        }
        match event::poll(patience) {
            Ok(true) => Ok(Heard::Event(event::read()?)),
            Ok(false) => Ok(self.signalled().unwrap_or(Heard::Nothing)),
            // Of a terminal that is gone, the signal says more than the error.
            Err(error) => self.signalled().ok_or(error),
        }
    }

    fn signalled(&self) -> Option<Heard> {
        let signal = self.ended_by.load(Ordering::SeqCst);
        if let Some(signal) = i32::try_from(signal).ok().filter(|signal| *signal != 0) {
            return Some(Heard::End(Signal(signal)));
        }
        self.stopped.swap(false, Ordering::SeqCst).then_some(Heard::Stop)
    }

    /// Puts the terminal back, stops, and takes it over again when the program goes on.
    pub fn stop(&mut self) -> io::Result<()> {
        put_back();
        // The program stands still in here.
        low_level::emulate_default_handler(SIGTSTP)?;
        take()?;
        self.forget()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        put_back();
    }
}

/// An empty terminal. `Terminal::clear` would ask it where its cursor is and wait for the answer.
fn blank() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    execute!(io::stdout(), Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(io::stdout()))
}

fn take() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)
        .inspect_err(|_| put_back())
}

/// Puts the terminal back, if it is ours. A terminal that is gone cannot be put back.
fn put_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = execute!(out, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
        let _ = out.flush();
        let _ = terminal::disable_raw_mode();
    }
}

fn put_back_before_a_panic_speaks() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let speak = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            put_back();
            speak(panic);
        }));
    });
}

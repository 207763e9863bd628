//! The terminal: taken over, and always put back.
//!
//! It is put back when the screen is dropped, before a panic says what happened, before a signal ends the
//! program, and while the program is stopped.

use std::io::{self, Stdout, Write as _};
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
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
    ending: Ending,
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
    /// A signal wants the program to end: see [`Ending`].
    End,
    /// Nothing, for as long as was waited.
    Nothing,
}

/// Whether a signal wants the program to end. It is known also when the screen is gone: there may be something to save
/// before it is obeyed.
#[derive(Debug, Clone, Default)]
pub struct Ending(Arc<AtomicUsize>);

impl Ending {
    fn signal(&self) -> Option<i32> {
        i32::try_from(self.0.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }

    /// Ends the program as the signal would have, if one came. The terminal must have been put back.
    pub fn obey(&self) {
        if let Some(signal) = self.signal() {
            // Where it does not end the program, its caller does.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

impl Screen {
    /// Takes the terminal over.
    pub fn open() -> io::Result<Self> {
        put_back_before_a_panic_speaks();
        let (ending, stopped) = (Ending::default(), Arc::new(AtomicBool::new(false)));
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            flag::register_usize(signal, Arc::clone(&ending.0), usize::try_from(signal).unwrap_or(0))?;
        }
        flag::register(SIGTSTP, Arc::clone(&stopped))?;
        take()?;
        Ok(Self { terminal: blank().inspect_err(|_| put_back())?, ending, stopped })
    }

    /// Whether a signal wants the program to end, from now on.
    pub fn ending(&self) -> Ending {
        self.ending.clone()
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
        // Several keys may have been read at once.
        let heard = match next_event(Duration::ZERO) {
            Ok(None) => next_event(patience),
            at_once => at_once,
        };
        match heard {
            Ok(Some(event)) => Ok(Heard::Event(event)),
            Ok(None) => Ok(self.signalled().unwrap_or(Heard::Nothing)),
            // Of a terminal that is gone, the signal says more than the error.
            Err(error) => self.signalled().ok_or(error),
        }
    }

    fn signalled(&self) -> Option<Heard> {
        if self.ending.signal().is_some() {
            return Some(Heard::End);
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

/// What comes from the terminal within `patience`. An error where it is gone: crossterm itself would read from it for
/// ever, since the end of a terminal looks like keys to it.
fn next_event(patience: Duration) -> io::Result<Option<Event>> {
    let keyboard = io::stdin();
    let mut waited = [PollFd::new(keyboard.as_fd(), PollFlags::POLLIN)];
    match poll(&mut waited, PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX)) {
        // A signal, which may be that of another size.
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(error.into()),
    }
    let found = waited[0].revents().unwrap_or(PollFlags::empty());
    if found.intersects(PollFlags::POLLHUP | PollFlags::POLLERR) {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is gone"));
    }
    if event::poll(Duration::ZERO)? { event::read().map(Some) } else { Ok(None) }
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

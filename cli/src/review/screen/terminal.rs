//! The terminal in raw mode, and the way back from it.
//!
//! The terminal is restored when the screen is dropped, before a panic prints its message, before a signal ends
//! the program, and while the program is suspended.

use std::io::{self, Stdout, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::thread;
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

/// Whether the terminal is in raw mode because of us.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// How often a program that has the terminal is looked at.
const PATIENCE: Duration = Duration::from_millis(20);

/// The terminal in raw mode until this is dropped.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    termination: TerminationSignal,
    /// Set by `SIGTSTP`.
    stopped: Arc<AtomicBool>,
}

/// What a wait for the terminal ended with.
#[derive(Debug)]
pub enum TerminalEvent {
    /// A key, a paste or a resize.
    Event(Event),
    /// The program was asked to suspend.
    Stop,
    /// A signal asks the program to end: see [`TerminationSignal`].
    End,
    /// The time is over, without an event.
    Nothing,
}

/// The signal that asks the program to end, if one came. It can still be asked after the screen is closed: decisions
/// are saved before the signal takes effect.
#[derive(Debug, Clone, Default)]
pub struct TerminationSignal(Arc<AtomicUsize>);

impl TerminationSignal {
    fn signal(&self) -> Option<i32> {
        i32::try_from(self.0.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }

    /// Ends the program as the signal would have, if one came. The terminal must have been restored before.
    pub fn raise(&self) {
        if let Some(signal) = self.signal() {
            // If this does not end the program, the caller does.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

impl Screen {
    /// Switches the terminal to raw mode and the alternate screen.
    pub fn open() -> io::Result<Self> {
        restore_before_panic_message();
        let (termination, stopped) = (TerminationSignal::default(), Arc::new(AtomicBool::new(false)));
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            flag::register_usize(signal, Arc::clone(&termination.0), usize::try_from(signal).unwrap_or(0))?;
        }
        flag::register(SIGTSTP, Arc::clone(&stopped))?;
        take()?;
        Ok(Self { terminal: blank().inspect_err(|_| restore())?, termination, stopped })
    }

    /// The termination signal, as it is known from now on.
    pub fn termination(&self) -> TerminationSignal {
        self.termination.clone()
    }

    /// Draws one frame.
    pub fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        if !TAKEN.load(Ordering::SeqCst) {
            // A panic in another thread restored the terminal to print its message.
            return Err(io::Error::other("something went wrong beside the screen; what was decided is kept"));
        }
        self.terminal.draw(draw).map(|_| ())
    }

    /// Forgets what is on the terminal, so that the next frame is drawn whole.
    pub fn forget(&mut self) -> io::Result<()> {
        self.terminal = blank()?;
        Ok(())
    }

    /// Waits for an event, at most for `patience`.
    pub fn wait_for_event(&self, patience: Duration) -> io::Result<TerminalEvent> {
        if let Some(event_or_signal) = self.signalled() {
            return Ok(event_or_signal);
        }
        // The library may have buffered several keys in one read.
        let event_or_signal = match next_event(Duration::ZERO) {
            Ok(None) => next_event(patience),
            at_once => at_once,
        };
        match event_or_signal {
            Ok(Some(event)) => Ok(TerminalEvent::Event(event)),
            Ok(None) => Ok(self.signalled().unwrap_or(TerminalEvent::Nothing)),
            // Where the terminal is gone, the signal (a hang-up) says more than the error.
            Err(error) => self.signalled().ok_or(error),
        }
    }

    /// Gives the terminal to a program, and takes it again when that has ended. The keys that end or stop a program
    /// reach this one too: an interrupt is the program's alone, and a stop is followed, so that the shell comes back.
    pub fn run(&mut self, mut command: Command) -> io::Result<ExitStatus> {
        restore();
        let status = command.spawn().and_then(|mut child| {
            loop {
                if let Some(status) = child.try_wait()? {
                    break Ok(status);
                }
                if self.stopped.swap(false, Ordering::SeqCst) {
                    low_level::emulate_default_handler(SIGTSTP)?;
                }
                thread::sleep(PATIENCE);
            }
        });
        let signal = self.termination.signal();
        if signal.is_some_and(|signal| matches!(signal, SIGINT | SIGQUIT)) {
            self.termination.0.store(0, Ordering::SeqCst);
        }
        take()?;
        self.forget()?;
        status
    }

    fn signalled(&self) -> Option<TerminalEvent> {
        if self.termination.signal().is_some() {
            return Some(TerminalEvent::End);
        }
        self.stopped.swap(false, Ordering::SeqCst).then_some(TerminalEvent::Stop)
    }

    /// Restores the terminal, suspends the program, and takes the terminal again when it resumes.
    pub fn stop(&mut self) -> io::Result<()> {
        restore();
        // The program is suspended in here.
        low_level::emulate_default_handler(SIGTSTP)?;
        take()?;
        self.forget()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// The next event within `patience`. An error if the terminal is gone: crossterm would read from it forever,
/// because it takes the end of input for keys.
fn next_event(patience: Duration) -> io::Result<Option<Event>> {
    let keyboard = io::stdin();
    let mut waited = [PollFd::new(keyboard.as_fd(), PollFlags::POLLIN)];
    match poll(&mut waited, PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX)) {
        // A signal, perhaps a resize.
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(error.into()),
    }
    let found = waited[0].revents().unwrap_or(PollFlags::empty());
    if found.intersects(PollFlags::POLLHUP | PollFlags::POLLERR) {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is gone"));
    }
    if event::poll(Duration::ZERO)? { event::read().map(Some) } else { Ok(None) }
}

/// A cleared terminal. `Terminal::clear` would ask for the cursor position and wait for the answer.
fn blank() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    execute!(io::stdout(), Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(io::stdout()))
}

fn take() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)
        .inspect_err(|_| restore())
}

/// Restores the terminal if it is in raw mode because of us. Errors are ignored: it may be gone.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = execute!(out, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
        let _ = out.flush();
        let _ = terminal::disable_raw_mode();
    }
}

fn restore_before_panic_message() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let speak = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            speak(panic);
        }));
    });
}

//! A terminal, and somebody who looks at it and types.

use std::io::{ErrorKind, Read as _, Write};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};

/// How long something may take to be seen. On a busy machine a build takes seconds, and its files have to be on the disk.
const PATIENCE: Duration = Duration::from_mins(3);
/// How often is looked.
const TICK: Duration = Duration::from_millis(10);

/// A program in a terminal.
pub struct Terminal {
    seen: Arc<Mutex<Seen>>,
    master: Box<dyn MasterPty + Send>,
    /// The program's side, kept open until it has ended: where nobody has it open, a read of the other side may find the end
    /// before the last that was written.
    slave: Option<Box<dyn SlavePty + Send>>,
    /// Reads until nobody has the program's side open.
    reader: JoinHandle<()>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    /// How the terminal stood before the program.
    before: Option<String>,
}

struct Seen {
    parser: vt100::Parser,
    /// Everything that was written.
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts a program in a terminal of this size.
    pub fn start(command: &Command, columns: u16, rows: u16) -> Self {
        let pty = native_pty_system().openpty(size(columns, rows)).expect("a terminal");
        let before = modes(&*pty.master);
        let mut builder = CommandBuilder::new(command.get_program());
        builder.args(command.get_args());
        builder.env_clear();
        builder.env("TERM", "xterm-256color");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => builder.env(name, value),
                None => builder.env_remove(name),
            }
        }
        builder.cwd(command.get_current_dir().expect("a folder to start in"));
        let child = pty.slave.spawn_command(builder).expect("a program");
        let mut reader = pty.master.try_clone_reader().expect("what it writes");
        let keyboard = pty.master.take_writer().expect("a keyboard");
        let parser = vt100::Parser::new(rows, columns, 0);
        let seen = Arc::new(Mutex::new(Seen { parser, bytes: Vec::new() }));
        let eye = Arc::clone(&seen);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let read = match reader.read(&mut buffer) {
                    Ok(read @ 1..) => read,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    _ => break,
                };
                let mut seen = eye.lock().unwrap_or_else(PoisonError::into_inner);
                let piece = buffer.get(..read).unwrap_or_default();
                seen.parser.process(piece);
                seen.bytes.extend_from_slice(piece);
            }
        });
        Self { seen, master: pty.master, slave: Some(pty.slave), reader, keyboard, child, before }
    }

    /// Types.
    pub fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("a keyboard");
        self.keyboard.flush().expect("a keyboard");
    }

    /// Waits until a text is seen.
    #[track_caller]
    pub fn sees(&self, text: &str) {
        self.waits_until(&format!("`{text}` is seen"), |screen| screen.contents().contains(text));
    }

    /// Waits until a text is no longer seen.
    #[track_caller]
    pub fn sees_no_more(&self, text: &str) {
        self.waits_until(&format!("`{text}` is gone"), |screen| !screen.contents().contains(text));
    }

    /// Waits until something holds of what is seen.
    #[track_caller]
    pub fn waits_until(&self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) {
        let until = Instant::now() + PATIENCE;
        loop {
            let contents = self.look(|screen| if holds(screen) { Ok(()) } else { Err(screen.contents()) });
            let Err(contents) = contents else { return };
            assert!(Instant::now() < until, "not so: {what}\n{contents}\nthe program: {}", self.state());
            thread::sleep(TICK);
        }
    }

    /// What the system says of the program: whether it runs, waits or has ended.
    fn state(&self) -> String {
        let id = self.child.process_id().unwrap_or_default();
        std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_else(|error| error.to_string())
    }

    /// Looks at what is seen now.
    pub fn look<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.seen.lock().unwrap_or_else(PoisonError::into_inner).parser.screen())
    }

    /// Everything that was written to the terminal.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).bytes.clone()
    }

    /// Makes the terminal another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.parser.screen_mut().set_size(rows, columns);
        self.master.resize(size(columns, rows)).expect("another size");
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: Signal) {
        let id = self.child.process_id().and_then(|id| i32::try_from(id).ok()).expect("a program that runs");
        kill(Pid::from_raw(id), signal).expect("a signal");
    }

    /// Waits until the program has ended and all that it wrote is seen.
    #[track_caller]
    pub fn ends(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            let ended = self.child.try_wait().expect("a program");
            if ended.is_some() {
                drop(self.slave.take());
            }
            let what = if ended.is_some() { "its terminal is still open" } else { "it does not end" };
            if let Some(status) = ended.filter(|_| self.reader.is_finished()) {
                return status;
            }
            assert!(Instant::now() < until, "{what}\n{}", self.look(vt100::Screen::contents));
            thread::sleep(TICK);
        }
    }

    /// The terminal stands as it stood before: no screen of its own, a cursor, keys that are echoed.
    #[track_caller]
    pub fn is_put_back(&self) {
        self.waits_until("the terminal is put back", |screen| {
            !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
        });
        let now = modes(&*self.master);
        assert!(self.before.is_some(), "how it stood before is known");
        assert_eq!(now, self.before, "the modes of the terminal");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.look(vt100::Screen::contents))
    }
}

/// The modes of a terminal, to be compared.
fn modes(master: &dyn MasterPty) -> Option<String> {
    master.get_termios().map(|modes| format!("{modes:?}"))
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

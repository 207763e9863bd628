//! The screen of `lessons review`, in which something goes wrong: for the test that the terminal is put back.

use std::io;

use lessons_cli::review::screen::terminal::Screen;

#[allow(clippy::panic, reason = "that is what it is for")]
fn main() -> io::Result<()> {
    let mut screen = Screen::open()?;
    screen.draw(|_| ())?;
    let mut key = String::new();
    io::stdin().read_line(&mut key)?;
    if key.starts_with('t') {
        // Beside the screen, as in the threads that save and count.
        let _ = std::thread::spawn(|| panic!("something went wrong")).join();
        return screen.draw(|_| ());
    }
    panic!("something went wrong")
}

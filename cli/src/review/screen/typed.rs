//! A line of text that a person edits.

use lessons_core::neutral;
use tui_input::{Input, InputRequest};

use super::keys::Key;

/// A line that is edited. It never holds a character that hides or controls.
#[derive(Debug, Clone, Default)]
pub struct Typed(Input);

impl Typed {
    /// A line with this text, the cursor at its end.
    pub fn new(text: &str) -> Self {
        Self(Input::new(one_line(text)))
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.value()
    }

    /// The part that is seen in so many columns, and the column of the cursor in it.
    pub fn seen(&self, columns: usize) -> (usize, usize) {
        let scroll = self.0.visual_scroll(columns.saturating_sub(1));
        (scroll, self.0.visual_cursor().saturating_sub(scroll))
    }

    /// Takes a key. Returns whether the text is another one now.
    pub fn press(&mut self, key: Key) -> bool {
        let request = match key {
            Key::Char(c) if neutral::is_hidden(c) => return false,
            Key::Char(c) => InputRequest::InsertChar(c),
            Key::Backspace | Key::Ctrl('h') => InputRequest::DeletePrevChar,
            Key::Delete => InputRequest::DeleteNextChar,
            Key::Left => InputRequest::GoToPrevChar,
            Key::Right => InputRequest::GoToNextChar,
            Key::Home | Key::Ctrl('a') => InputRequest::GoToStart,
            Key::End | Key::Ctrl('e') => InputRequest::GoToEnd,
            Key::Ctrl('w') => InputRequest::DeletePrevWord,
            Key::Ctrl('u') => InputRequest::DeleteFromStart,
            Key::Ctrl('k') => InputRequest::DeleteTillEnd,
            _ => return false,
        };
        self.0.handle(request).is_some_and(|changed| changed.value)
    }

    /// Takes what was pasted, as one line.
    pub fn paste(&mut self, text: &str) {
        for c in one_line(text).chars() {
            self.0.handle(InputRequest::InsertChar(c));
        }
    }
}

/// The text without line ends and without characters that hide or control.
fn one_line(text: &str) -> String {
    let spaced = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    spaced.filter(|c| !neutral::is_hidden(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_where_the_cursor_stands() {
        let mut typed = Typed::new("git stsh");
        assert!(!typed.press(Key::Left) && !typed.press(Key::Left));
        assert!(typed.press(Key::Char('a')));
        assert_eq!(typed.text(), "git stash");
        typed.press(Key::Home);
        typed.press(Key::Ctrl('k'));
        assert_eq!(typed.text(), "");
        assert!(!typed.press(Key::Backspace), "there is nothing to take away");
    }

    #[test]
    fn what_is_pasted_is_one_line_and_controls_nothing() {
        let mut typed = Typed::new("a\u{1b}[2J");
        typed.paste("b\r\nc\u{202e}\td");
        assert_eq!(typed.text(), "a[2Jb  c d");
        assert!(!typed.press(Key::Char('\u{200b}')));
    }

    #[test]
    fn a_long_line_shows_the_part_around_the_cursor() {
        let typed = Typed::new("宽宽宽宽宽宽");
        let (scroll, cursor) = typed.seen(6);
        assert!(cursor < 6 && scroll >= 7, "{scroll} {cursor}");
        let mut typed = typed;
        typed.press(Key::Home);
        assert_eq!(typed.seen(6), (0, 0));
    }
}

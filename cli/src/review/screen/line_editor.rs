//! A text field of one line.

use lessons_text::neutral;
use tui_input::{Input, InputRequest};

use super::keys::Key;

/// A text field of one line. It never holds control or format characters.
#[derive(Debug, Clone, Default)]
pub struct LineEditor(Input);

impl LineEditor {
    /// A field with this text and the cursor at its end.
    pub fn new(text: &str) -> Self {
        Self(Input::new(one_line(text)))
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.value()
    }

    /// The horizontal scroll offset for a field of `columns` columns, and the column of the cursor in it.
    pub fn viewport(&self, columns: usize) -> (usize, usize) {
        let scroll = self.0.visual_scroll(columns.saturating_sub(1));
        (scroll, self.0.visual_cursor().saturating_sub(scroll))
    }

    /// Handles a key. Returns whether the text changed.
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

    /// Inserts pasted text, with line ends as blanks.
    pub fn paste(&mut self, text: &str) {
        for c in one_line(text).chars() {
            self.0.handle(InputRequest::InsertChar(c));
        }
    }
}

/// The text with white space as blanks and without control or format characters.
fn one_line(text: &str) -> String {
    let spaced = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    spaced.filter(|c| !neutral::is_hidden(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_where_the_cursor_stands() {
        let mut field = LineEditor::new("git stsh");
        assert!(!field.press(Key::Left) && !field.press(Key::Left));
        assert!(field.press(Key::Char('a')));
        assert_eq!(field.text(), "git stash");
        field.press(Key::Home);
        field.press(Key::Ctrl('k'));
        assert_eq!(field.text(), "");
        assert!(!field.press(Key::Backspace), "there is nothing to take away");
    }

    #[test]
    fn what_is_pasted_is_one_line_and_controls_nothing() {
        let mut field = LineEditor::new("a\u{1b}[2J");
        field.paste("b\r\nc\u{202e}\td");
        assert_eq!(field.text(), "a[2Jb  c d");
        assert!(!field.press(Key::Char('\u{200b}')));
    }

    #[test]
    fn a_long_line_shows_the_part_around_the_cursor() {
        let field = LineEditor::new("宽宽宽宽宽宽");
        let (scroll, cursor) = field.viewport(6);
        assert!(cursor < 6 && scroll >= 7, "{scroll} {cursor}");
        let mut field = field;
        field.press(Key::Home);
        assert_eq!(field.viewport(6), (0, 0));
    }
}

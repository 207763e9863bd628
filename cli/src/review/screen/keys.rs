//! The keys that the screen understands, independent of the terminal library.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Escape,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
}

impl Key {
    /// The key of a terminal event; `None` for releases and keys without a meaning here.
    pub fn of(event: &KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let with_control = event.modifiers.contains(KeyModifiers::CONTROL);
        let with_alt = event.modifiers.contains(KeyModifiers::ALT);
        Some(match event.code {
            KeyCode::Char(c) if with_control => Self::Ctrl(c.to_ascii_lowercase()),
            KeyCode::Char(_) if with_alt => return None,
            KeyCode::Char(c) => Self::Char(c),
            KeyCode::Enter => Self::Enter,
            KeyCode::Esc => Self::Escape,
            KeyCode::Tab => Self::Tab,
            KeyCode::BackTab => Self::BackTab,
            KeyCode::Backspace => Self::Backspace,
            KeyCode::Delete => Self::Delete,
            KeyCode::Left => Self::Left,
            KeyCode::Right => Self::Right,
            KeyCode::Up => Self::Up,
            KeyCode::Down => Self::Down,
            KeyCode::Home => Self::Home,
            KeyCode::End => Self::End,
            KeyCode::PageUp => Self::PageUp,
            KeyCode::PageDown => Self::PageDown,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Option<Key> {
        Key::of(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn a_key_is_known_with_what_is_held_down_beside_it() {
        assert_eq!(key(KeyCode::Char('p'), KeyModifiers::NONE), Some(Key::Char('p')));
        assert_eq!(key(KeyCode::Char('?'), KeyModifiers::SHIFT), Some(Key::Char('?')));
        assert_eq!(key(KeyCode::Char('C'), KeyModifiers::CONTROL), Some(Key::Ctrl('c')));
        assert_eq!(key(KeyCode::Char('p'), KeyModifiers::ALT), None, "no decision by accident");
        assert_eq!(key(KeyCode::F(1), KeyModifiers::NONE), None);
        let mut released = KeyEvent::new(KeyCode::Char('p'), KeyModifiers::NONE);
        released.kind = KeyEventKind::Release;
        assert_eq!(Key::of(&released), None);
    }
}

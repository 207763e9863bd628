//! A text that the lexer has read to its end.

use super::cursor::{Cursor, End};
use super::syntax::{Heredoc, Piece, Redirection, Token, Word};

/// One text, lexed.
#[derive(Debug)]
pub(super) struct Source<'a> {
    /// Its tokens in order.
    pub(super) list: Vec<Piece<'a>>,
    /// Its heredocs, in the order in which they are opened.
    pub(super) heredocs: Vec<Heredoc<'a>>,
    /// Whether something in it was too deep to be read.
    pub(super) cut: bool,
}

impl<'a> Source<'a> {
    /// Reads `text` as commands.
    pub(super) fn commands(text: &'a str) -> Self {
        let mut cursor = Cursor::new(text);
        let list = cursor.list(End::Text);
        Self { list, heredocs: cursor.heredocs, cut: cursor.cut }
    }

    /// Reads `text` as what stands between double quotes: only expansions mean something. So are the
    /// bodies of heredocs read, and arithmetic. The list holds one label.
    pub(super) fn quoted(text: &'a str) -> Self {
        let mut cursor = Cursor::new(text);
        let word = Word::quoted(text, cursor.quoted_text(None));
        let list = vec![Piece { gap: "", token: Token::Label(word) }];
        Self { list, heredocs: cursor.heredocs, cut: cursor.cut }
    }

    /// How many bytes of the text its heredocs take, without the lines that open them.
    pub(super) fn heredoc_bytes(&self) -> usize {
        self.heredocs.iter().map(|heredoc| heredoc.span.len()).sum()
    }

    /// The heredoc that a redirection opens.
    pub(super) fn heredoc(&self, redirection: &Redirection<'a>) -> Option<&Heredoc<'a>> {
        redirection.heredoc.and_then(|index| self.heredocs.get(index))
    }
}

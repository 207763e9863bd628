//! A text that the lexer has read to its end.

use super::lexer::{Lexer, ListEnd};
use super::syntax::{Heredoc, LexedRedirection, LexedWord, SpacedToken, Token};

/// One text, lexed.
#[derive(Debug)]
pub(super) struct LexedText<'a> {
    /// Its tokens in order.
    pub(super) list: Vec<SpacedToken<'a>>,
    /// Its heredocs, in the order in which they are opened.
    pub(super) heredocs: Vec<Heredoc<'a>>,
    /// Whether something in it was too deep to be read.
    pub(super) is_truncated: bool,
}

impl<'a> LexedText<'a> {
    /// Reads `text` as commands.
    pub(super) fn commands(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let list = lexer.list(ListEnd::Text);
        Self { list, heredocs: lexer.heredocs, is_truncated: lexer.is_truncated }
    }

    /// Reads `text` as what stands between double quotes: only expansions mean something. So are the
    /// bodies of heredocs read, and arithmetic. The list holds one label.
    pub(super) fn quoted(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let word = LexedWord::quoted(text, lexer.quoted_text(None));
        let list = vec![SpacedToken { blanks: "", token: Token::OtherWord(word) }];
        Self { list, heredocs: lexer.heredocs, is_truncated: lexer.is_truncated }
    }

    /// How many bytes of the text its heredocs take, without the lines that open them.
    pub(super) fn heredoc_bytes(&self) -> usize {
        self.heredocs.iter().map(|heredoc| heredoc.span.len()).sum()
    }

    /// The heredoc that a redirection opens.
    pub(super) fn heredoc(&self, redirection: &LexedRedirection<'a>) -> Option<&Heredoc<'a>> {
        redirection.heredoc.and_then(|index| self.heredocs.get(index))
    }
}

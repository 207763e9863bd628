//! A text that the lexer has read to its end.

use super::lexer::Lexer;
use super::syntax::{Heredoc, LexedWord, SpacedToken, Token, WordPart};

/// The tokens and heredocs of one text.
#[derive(Debug)]
pub(super) struct LexedText<'a> {
    /// The tokens in order.
    pub(super) list: Vec<SpacedToken<'a>>,
    /// The heredocs in the order in which they are opened.
    pub(super) heredocs: Vec<Heredoc<'a>>,
    /// Whether a part of the text is nested too deep to be read, or a quote is not closed.
    pub(super) is_truncated: bool,
}

impl<'a> LexedText<'a> {
    /// Reads `text` as commands.
    pub(super) fn commands(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let list = lexer.list(None);
        Self { list, heredocs: lexer.heredocs, is_truncated: lexer.is_truncated }
    }

    /// Reads `text` like the inside of double quotes, where only expansions are special. Arithmetic and the bodies of
    /// heredocs are such texts. The list gets one [`Token::OtherWord`].
    pub(super) fn quoted(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let inside = WordPart::DoubleQuoted(lexer.quoted_text(None));
        let word = LexedWord { source: text, parts: Box::new([inside]) };
        let list = vec![SpacedToken { blanks: "", token: Token::OtherWord(word) }];
        Self { list, heredocs: lexer.heredocs, is_truncated: lexer.is_truncated }
    }

    /// The number of bytes that the heredocs take, without the lines that open them.
    pub(super) fn heredoc_bytes(&self) -> usize {
        self.heredocs.iter().map(|heredoc| heredoc.span.len()).sum()
    }
}

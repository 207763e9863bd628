//! The reading of lists of commands: their tokens, and as much grammar as it takes to tell these apart.

use super::Lexer;
use crate::syntax::{LexedRedirection, LexedWord, SpacedToken, Token};
use lessons_text::find;

/// The role that the grammar gives to the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextWord {
    Command,
    Argument,
    /// The word after `time`, which may be `-p`.
    AfterTime,
    /// The word after `for`, where `((` may stand.
    AfterFor,
    FunctionName,
}

/// The part of a `case` that the lexer is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaseState {
    Subject,
    Pattern,
    Body,
}

/// The state of the grammar between two tokens.
struct Grammar {
    next_word: NextWord,
    parens: usize,
    cases: Vec<CaseState>,
    /// Whether `[[` is open: up to `]]` operators are words.
    test: bool,
}

impl Grammar {
    fn in_pattern(&self) -> bool {
        self.cases.last() == Some(&CaseState::Pattern)
    }

    fn set_case(&mut self, state: CaseState) {
        if let Some(case) = self.cases.last_mut() {
            *case = state;
        }
    }

    /// The token that a word is here.
    fn token_of<'a>(&mut self, word: LexedWord<'a>) -> Token<'a> {
        let plain = word.plain();
        if self.test {
            self.test = plain != Some("]]");
            return Token::Word(word);
        }
        match self.cases.last() {
            Some(CaseState::Subject) if plain == Some("in") => {
                self.set_case(CaseState::Pattern);
                return Token::ReservedWord(word.source);
            }
            Some(CaseState::Subject) => return Token::Word(word),
            Some(CaseState::Pattern) if plain == Some("esac") => return self.first_word(word),
            Some(CaseState::Pattern) => return Token::OtherWord(word),
            Some(CaseState::Body) | None => {}
        }
        match self.next_word {
            NextWord::Argument | NextWord::AfterFor => {
                self.next_word = NextWord::Argument;
                Token::Word(word)
            }
            NextWord::FunctionName => {
                self.next_word = NextWord::Command;
                Token::OtherWord(word)
            }
            NextWord::Command | NextWord::AfterTime => self.first_word(word),
        }
    }

    /// The token that a word is which may be reserved.
    fn first_word<'a>(&mut self, word: LexedWord<'a>) -> Token<'a> {
        self.next_word = match word.plain().unwrap_or_default() {
            "if" | "then" | "else" | "elif" | "fi" | "while" | "until" | "do" | "done" | "{" | "}" | "!"
            | "coproc" => NextWord::Command,
            "-p" if self.next_word == NextWord::AfterTime => NextWord::Command,
            "time" => NextWord::AfterTime,
            "for" | "select" => NextWord::AfterFor,
            "function" => NextWord::FunctionName,
            "case" => {
                self.cases.push(CaseState::Subject);
                NextWord::Argument
            }
            "esac" => {
                self.cases.pop();
                NextWord::Command
            }
            text => {
                self.test = text == "[[";
                self.next_word = if word.is_assignment() { NextWord::Command } else { NextWord::Argument };
                return Token::Word(word);
            }
        };
        Token::ReservedWord(word.source)
    }
}

impl<'a> Lexer<'a> {
    /// Reads commands up to the end of the text, or up to `stop`, a closing parenthesis, and steps over this.
    pub(crate) fn list(&mut self, stop: Option<u8>) -> Vec<SpacedToken<'a>> {
        let mut tokens = Vec::new();
        let mut grammar = Grammar { next_word: NextWord::Command, parens: 0, cases: Vec::new(), test: false };
        loop {
            let blanks = self.blanks_and_comment();
            let Some(byte) = self.peek() else { return tokens };
            if Some(byte) == stop && grammar.parens == 0 && !grammar.in_pattern() && !grammar.test {
                self.at += 1;
                return tokens;
            }
            let token = self.token(byte, &mut grammar);
            tokens.push(SpacedToken { blanks, token });
        }
    }

    /// Steps over blanks, joined lines, and a comment up to the end of its line.
    fn blanks_and_comment(&mut self) -> &'a str {
        let from = self.at;
        self.blanks();
        if self.peek() == Some(b'#') {
            self.at += find::memchr(b'\n', self.rest().as_bytes()).unwrap_or(self.rest().len());
        }
        self.since(from)
    }

    /// Reads the token that starts with `byte`.
    fn token(&mut self, byte: u8, grammar: &mut Grammar) -> Token<'a> {
        match byte {
            b'\n' => {
                let newline = self.take_char();
                self.read_bodies();
                grammar.next_word = NextWord::Command;
                if grammar.test { Token::ReservedWord(newline) } else { Token::Operator(newline) }
            }
            b';' => {
                let operator = self.take_first(&[";;&", ";;", ";&", ";"]).unwrap_or_default();
                if operator.len() > 1 {
                    grammar.set_case(CaseState::Pattern);
                }
                grammar.test = false;
                grammar.next_word = NextWord::Command;
                Token::Operator(operator)
            }
            b'(' | b')' | b'<' | b'>' | b'|' | b'&' if grammar.test => {
                Token::Word(LexedWord { source: self.take_char(), parts: Box::default() })
            }
            b'(' => self.open(grammar),
            b')' => self.close(grammar),
            b'|' if grammar.in_pattern() => Token::ReservedWord(self.take_char()),
            b'&' if self.peek_at(1) == Some(b'>') => self.redirection(),
            b'&' | b'|' => {
                grammar.next_word = NextWord::Command;
                Token::Operator(self.take_first(&["&&", "||", "|&", "&", "|"]).unwrap_or_default())
            }
            b'<' | b'>' if self.peek_at(1) != Some(b'(') => self.redirection(),
            b'0'..=b'9' if self.descriptor_ahead() => self.redirection(),
            _ => grammar.token_of(self.word()),
        }
    }

    /// Reads an opening parenthesis, or the arithmetic command that it opens.
    fn open(&mut self, grammar: &mut Grammar) -> Token<'a> {
        if grammar.in_pattern() {
            return Token::ReservedWord(self.take_char());
        }
        let next_word = std::mem::replace(&mut grammar.next_word, NextWord::Command);
        if matches!(next_word, NextWord::Command | NextWord::AfterTime | NextWord::AfterFor)
            && let Some((source, inner)) = self.arithmetic("((")
        {
            return Token::Arithmetic { source, inner };
        }
        let from = self.at;
        self.at += 1;
        if next_word == NextWord::Argument {
            // `name ()` defines a function; these parentheses open no sub-shell.
            let inside = self.at;
            self.blanks();
            if self.peek() == Some(b')') {
                self.at += 1;
                return Token::ReservedWord(self.since(from));
            }
            self.at = inside;
        }
        grammar.parens += 1;
        Token::Operator(self.since(from))
    }

    /// Reads a closing parenthesis.
    fn close(&mut self, grammar: &mut Grammar) -> Token<'a> {
        grammar.next_word = NextWord::Command;
        let paren = self.take_char();
        if grammar.in_pattern() {
            grammar.set_case(CaseState::Body);
            return Token::ReservedWord(paren);
        }
        grammar.parens = grammar.parens.saturating_sub(1);
        Token::Operator(paren)
    }

    /// Whether the digits ahead name the descriptor of a redirection.
    fn descriptor_ahead(&self) -> bool {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        matches!(self.peek_at(digits), Some(b'<' | b'>'))
    }

    fn redirection(&mut self) -> Token<'a> {
        const OPERATORS: [&str; 12] =
            ["<<<", "<<-", "<<", "<&", "<>", "<", "&>>", "&>", ">>", ">&", ">|", ">"];
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let descriptor = self.since(from);
        let operator = self.take_first(&OPERATORS).unwrap_or_default();
        let blanks = self.blanks();
        let target = self.at_word().then(|| self.word());
        let heredoc = match &target {
            Some(word) if matches!(operator, "<<" | "<<-") => Some(self.open_heredoc(operator, word)),
            _ => None,
        };
        Token::Redirection(Box::new(LexedRedirection { descriptor, operator, blanks, target, heredoc }))
    }

    /// Whether a word starts here.
    fn at_word(&self) -> bool {
        match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'#') => false,
            Some(b'<' | b'>') => self.peek_at(1) == Some(b'('),
            Some(_) => true,
        }
    }
}

//! The tokens of a list of commands, and as much grammar as is needed to tell them apart.

use super::cursor::{Cursor, End};
use super::syntax::{Piece, Redirection, Token, Word};
use crate::find;

/// What the next word would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Command,
    Argument,
    /// After `time`, which may have `-p`.
    AfterTime,
    /// After `for`, where `((` may stand.
    AfterFor,
    FunctionName,
}

/// Where in a `case` we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Subject,
    Pattern,
    Body,
}

enum Class {
    Word,
    Label,
    Keyword,
}

struct Grammar {
    expect: Expect,
    parens: usize,
    cases: Vec<Case>,
    /// Inside `[[ … ]]`, where operators are none.
    test: bool,
}

impl Grammar {
    fn in_pattern(&self) -> bool {
        self.cases.last() == Some(&Case::Pattern)
    }

    fn set_case(&mut self, state: Case) {
        if let Some(case) = self.cases.last_mut() {
            *case = state;
        }
    }

    /// Says what a word is, given its text if it is free of quotes and expansions.
    fn classify(&mut self, plain: Option<&str>, assignment: bool) -> Class {
        if self.test {
            if plain == Some("]]") {
                self.test = false;
            }
            return Class::Word;
        }
        match self.cases.last() {
            Some(Case::Subject) if plain == Some("in") => {
                self.set_case(Case::Pattern);
                return Class::Keyword;
            }
            Some(Case::Subject) => return Class::Word,
            Some(Case::Pattern) if plain == Some("esac") => return self.leave_case(),
            Some(Case::Pattern) => return Class::Label,
            Some(Case::Body) | None => {}
        }
        match self.expect {
            Expect::Argument => Class::Word,
            Expect::AfterFor => {
                self.expect = Expect::Argument;
                Class::Word
            }
            Expect::FunctionName => {
                self.expect = Expect::Command;
                Class::Label
            }
            Expect::AfterTime if plain == Some("-p") => {
                self.expect = Expect::Command;
                Class::Keyword
            }
            Expect::Command | Expect::AfterTime => self.first_word(plain, assignment),
        }
    }

    fn first_word(&mut self, plain: Option<&str>, assignment: bool) -> Class {
        let (class, next) = match plain.unwrap_or_default() {
            "if" | "then" | "else" | "elif" | "fi" | "while" | "until" | "do" | "done" | "{" | "}" | "!"
            | "coproc" => (Class::Keyword, Expect::Command),
            "time" => (Class::Keyword, Expect::AfterTime),
            "for" | "select" => (Class::Keyword, Expect::AfterFor),
            "function" => (Class::Keyword, Expect::FunctionName),
            "case" => {
                self.cases.push(Case::Subject);
                (Class::Keyword, Expect::Argument)
            }
            "esac" => return self.leave_case(),
            "[[" => {
                self.test = true;
                (Class::Word, Expect::Argument)
            }
            _ if assignment => (Class::Word, Expect::Command),
            _ => (Class::Word, Expect::Argument),
        };
        self.expect = next;
        class
    }

    fn leave_case(&mut self) -> Class {
        self.cases.pop();
        self.expect = Expect::Command;
        Class::Keyword
    }
}

impl<'a> Cursor<'a> {
    /// Reads commands up to `end`, and the closing parenthesis with it.
    pub(super) fn list(&mut self, end: End) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut grammar = Grammar { expect: Expect::Command, parens: 0, cases: Vec::new(), test: false };
        loop {
            let gap = self.gap();
            let Some(byte) = self.peek() else { return pieces };
            if byte == b')'
                && end == End::Paren
                && grammar.parens == 0
                && !grammar.in_pattern()
                && !grammar.test
            {
                self.at += 1;
                return pieces;
            }
            let token = self.token(byte, &mut grammar);
            pieces.push(Piece { gap, token });
        }
    }

    /// Blanks, joined lines, and a comment up to the end of its line.
    fn gap(&mut self) -> &'a str {
        let from = self.at;
        self.blanks();
        if self.peek() == Some(b'#') {
            self.at += find::memchr(b'\n', self.rest().as_bytes()).unwrap_or(self.rest().len());
        }
        self.since(from)
    }

    fn token(&mut self, byte: u8, grammar: &mut Grammar) -> Token<'a> {
        match byte {
            b'\n' => {
                let from = self.at;
                self.at += 1;
                let newline = self.since(from);
                self.read_bodies();
                grammar.expect = Expect::Command;
                if grammar.test { Token::Keyword(newline) } else { Token::Operator(newline) }
            }
            b';' => {
                let operator = self.take_first(&[";;&", ";;", ";&", ";"]).unwrap_or_default();
                if operator.len() > 1 {
                    grammar.set_case(Case::Pattern);
                }
                grammar.test = false;
                grammar.expect = Expect::Command;
                Token::Operator(operator)
            }
            b'(' | b')' | b'<' | b'>' | b'|' | b'&' if grammar.test => {
                let from = self.at;
                self.at += 1;
                Token::Word(Word::bare(self.since(from)))
            }
            b'(' => self.open(grammar),
            b')' => self.close(grammar),
            b'|' if grammar.in_pattern() => Token::Keyword(self.take_char()),
            b'&' if self.peek_at(1) == Some(b'>') => self.redirection(),
            b'&' | b'|' => {
                grammar.expect = Expect::Command;
                Token::Operator(self.take_first(&["&&", "||", "|&", "&", "|"]).unwrap_or_default())
            }
            b'<' | b'>' if self.peek_at(1) != Some(b'(') => self.redirection(),
            b'0'..=b'9' if self.descriptor_ahead() => self.redirection(),
            _ => {
                let word = self.word();
                match grammar.classify(word.plain(), word.is_assignment()) {
                    Class::Word => Token::Word(word),
                    Class::Label => Token::Label(word),
                    Class::Keyword => Token::Keyword(word.source),
                }
            }
        }
    }

    fn open(&mut self, grammar: &mut Grammar) -> Token<'a> {
        let from = self.at;
        if grammar.in_pattern() {
            return Token::Keyword(self.take_char());
        }
        let arithmetic = matches!(grammar.expect, Expect::Command | Expect::AfterTime | Expect::AfterFor);
        if arithmetic
            && self.peek_at(1) == Some(b'(')
            && let Some(end) = self.arithmetic_end(from + 2)
        {
            self.at = self.text.len().min(end + 2);
            grammar.expect = Expect::Command;
            return Token::Arithmetic { source: self.since(from), inner: self.slice(from + 2, end) };
        }
        self.at += 1;
        let was_argument = grammar.expect == Expect::Argument;
        grammar.expect = Expect::Command;
        if was_argument {
            // `name ()`: a function, not a sub-shell.
            let inside = self.at;
            self.blanks();
            if self.peek() == Some(b')') {
                self.at += 1;
                return Token::Keyword(self.since(from));
            }
            self.at = inside;
        }
        grammar.parens += 1;
        Token::Operator(self.since(from))
    }

    fn close(&mut self, grammar: &mut Grammar) -> Token<'a> {
        grammar.expect = Expect::Command;
        let paren = self.take_char();
        if grammar.in_pattern() {
            grammar.set_case(Case::Body);
            return Token::Keyword(paren);
        }
        grammar.parens = grammar.parens.saturating_sub(1);
        Token::Operator(paren)
    }

    /// Whether digits stand here that name the descriptor of a redirection.
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
        let gap = self.blanks();
        let target = self.at_word().then(|| self.word());
        let heredoc = match &target {
            Some(word) if matches!(operator, "<<" | "<<-") => Some(self.open_heredoc(operator, word)),
            _ => None,
        };
        Token::Redirection(Box::new(Redirection { descriptor, operator, gap, target, heredoc }))
    }

    fn at_word(&self) -> bool {
        match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'#') => false,
            Some(b'<' | b'>') => self.peek_at(1) == Some(b'('),
            Some(_) => true,
        }
    }
}

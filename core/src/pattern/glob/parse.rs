//! Reading a glob.

use super::language::Sign;
use super::{Branches, Glob, Item, MAX_ALTERNATIVES, Times, range};
use crate::pattern::{MAX_DEPTH, PatternError};

/// Reads `pattern`.
pub(super) fn parse(pattern: &str) -> Result<Glob, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let bangs = bangs(pattern.chars());
    let mut parser = Parser { at: bangs, chars, depth: 0, quoted: false };
    if parser.ahead("./") {
        parser.at += 2;
    }
    let start = parser.at;
    let branches = match pattern {
        // picomatch has forms of its own for these. Two want something after the dot,
        // another is at home in every folder.
        "*.*" | "**/*.*" => {
            let mut branches = parser.branches(Closer::End)?;
            if let Some(branch) = branches.first_mut() {
                branch.insert(branch.len() - 1, Item::Any);
            }
            branches
        }
        "***" => vec![vec![Item::Star]],
        _ if is_any_file_with(pattern) => {
            parser.at += 2;
            let mut branches = parser.branches(Closer::End)?;
            if let Some(branch) = branches.first_mut() {
                branch.insert(0, Item::Globstar);
            }
            branches
        }
        _ => parser.branches(Closer::End)?,
    };
    if parser.chars.len() == start {
        return Err(PatternError::invalid("there is nothing after the `!` of this glob"));
    }
    let alternatives = count(&branches);
    if alternatives > MAX_ALTERNATIVES {
        return Err(PatternError::not_safe(format!(
            "the braces of this glob stand for more than {MAX_ALTERNATIVES} alternatives; use `*` or several triggers"
        )));
    }
    Ok(Glob { sign: if bangs % 2 == 1 { Sign::Negative } else { Sign::Positive }, branches })
}

/// `**.ts`, `**.d.ts`.
fn is_any_file_with(pattern: &str) -> bool {
    let word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    pattern.strip_prefix("**.").is_some_and(|extensions| extensions.split('.').all(word))
}

/// How many `!` stand in front, without the one of `!(…)`.
pub(super) fn bangs(mut chars: impl Iterator<Item = char>) -> usize {
    let mut all = 0;
    loop {
        match chars.next() {
            Some('!') => all += 1,
            Some('(') => return usize::saturating_sub(all, 1),
            _ => return all,
        }
    }
}

fn is_group(item: Option<&Item>) -> bool {
    matches!(item, Some(Item::Group(..) | Item::Except(_)))
}

/// How many globs without braces these stand for.
fn count(branches: &Branches) -> u64 {
    branches.iter().fold(0, |sum: u64, branch| {
        sum.saturating_add(branch.iter().fold(1, |product: u64, item| match item {
            Item::Group(_, inner) | Item::Except(inner) => product.saturating_mul(count(inner)),
            _ => product,
        }))
    })
}

/// What ends a list of branches, and what separates them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closer {
    End,
    Brace,
    Paren,
}

impl Closer {
    fn closes(self, c: char) -> bool {
        matches!((self, c), (Self::Brace, '}') | (Self::Paren, ')'))
    }

    fn separates(self, c: char) -> bool {
        c == '|' || self == Self::Brace && c == ','
    }
}

pub(super) struct Parser {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    depth: usize,
    /// Inside double quotes, where every character is itself.
    quoted: bool,
}

impl Parser {
    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn ahead(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(n, c)| self.peek(n) == Some(c))
    }

    fn branches(&mut self, closer: Closer) -> Result<Branches, PatternError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(PatternError::not_safe(format!("braces are nested more than {MAX_DEPTH} deep")));
        }
        let mut branches = Branches::new();
        let mut branch = Vec::new();
        while let Some(c) = self.peek(0) {
            if !self.quoted && closer.closes(c) {
                break;
            }
            if !self.quoted && closer.separates(c) {
                self.at += 1;
                branches.push(std::mem::take(&mut branch));
                continue;
            }
            self.item(c, closer, &mut branch)?;
        }
        branches.push(branch);
        self.depth -= 1;
        Ok(branches)
    }

    fn item(&mut self, c: char, closer: Closer, branch: &mut Vec<Item>) -> Result<(), PatternError> {
        self.at += 1;
        if c == '"' {
            self.quoted = !self.quoted;
            return Ok(());
        }
        if self.quoted {
            branch.push(if c == '/' { Item::Slash } else { Item::Char(c) });
            return Ok(());
        }
        let item = match c {
            '/' => Item::Slash,
            '\\' => match self.peek(0) {
                Some('/') => return Ok(()),
                Some(next) => {
                    self.at += 1;
                    Item::Char(next)
                }
                None => Item::Char('\\'),
            },
            '?' | '*' | '+' | '@' | '!' if self.peek(0) == Some('(') && self.closing(self.at).is_some() => {
                self.at += 1;
                let inner = self.group(Closer::Paren)?;
                match c {
                    '?' => Item::Group(Times::Optional, inner),
                    '*' => Item::Group(Times::Any, inner),
                    '+' => Item::Group(Times::Some, inner),
                    '@' => Item::Group(Times::Once, inner),
                    _ => Item::Except(inner),
                }
            }
            '(' if self.closing(self.at - 1).is_some() => {
                Item::Group(Times::Once, self.group(Closer::Paren)?)
            }
            '{' => match self.brace()? {
                Some(item) => item,
                None => Item::Char('{'),
            },
            '[' => match self.class()? {
                Some(item) => item,
                None => Item::Char('['),
            },
            '+' if matches!(branch.last(), Some(Item::Class(..) | Item::Group(Times::Once, _))) => {
                Item::Group(Times::Some, vec![branch.pop().into_iter().collect()])
            }
            // As in a regular expression; after `*(…)` and the like it says nothing more.
            '?' if self.chars.get(self.at.wrapping_sub(2)) == Some(&')') && is_group(branch.last()) => {
                if let Some(Item::Group(times @ Times::Once, _)) = branch.last_mut() {
                    *times = Times::Optional;
                }
                return Ok(());
            }
            '?' => Item::Any,
            '*' => {
                self.stars(closer, branch);
                return Ok(());
            }
            c => Item::Char(c),
        };
        branch.push(item);
        Ok(())
    }

    /// After one `*`: takes the rest of them.
    fn stars(&mut self, closer: Closer, branch: &mut Vec<Item>) {
        let mut count = 1;
        while self.peek(0) == Some('*') && self.peek(1) != Some('(') {
            self.at += 1;
            count += 1;
        }
        let starts = matches!(branch.last(), None | Some(Item::Slash));
        let ends = self.peek(0).is_none_or(|c| c == '/' || closer.closes(c) || closer.separates(c));
        if count != 2 || !starts || !ends {
            if branch.last() != Some(&Item::Star) {
                branch.push(Item::Star);
            }
            return;
        }
        // `a/**/**/b` says no more than `a/**/b`.
        while self.ahead("/**") && matches!(self.peek(3), None | Some('/')) {
            self.at += 3;
        }
        branch.push(Item::Globstar);
    }

    /// After the opening bracket.
    fn group(&mut self, closer: Closer) -> Result<Branches, PatternError> {
        let branches = self.branches(closer)?;
        self.at += 1;
        Ok(branches)
    }

    /// The place of the `)` or `}` that closes the bracket at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut stack = Vec::new();
        let mut quoted = false;
        let mut at = open;
        while let Some(&c) = self.chars.get(at) {
            match c {
                '\\' => at += 1,
                '"' => quoted = !quoted,
                _ if quoted => {}
                '[' => at = self.class_end(at).unwrap_or(at),
                '(' | '{' => stack.push(c),
                ')' | '}' => {
                    let opener = if c == ')' { '(' } else { '{' };
                    if let Some(depth) = stack.iter().rposition(|&c| c == opener) {
                        stack.truncate(depth);
                    }
                    if stack.is_empty() {
                        return Some(at).filter(|_| self.chars.get(open) == Some(&opener));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// After `{`: alternatives, a range, or nothing but itself.
    fn brace(&mut self) -> Result<Option<Item>, PatternError> {
        let Some(close) = self.closing(self.at - 1) else { return Ok(None) };
        let start = self.at;
        let inside: String = self.chars.get(start..close).unwrap_or_default().iter().collect();
        if let Some(range) = range::range(&inside)? {
            self.at = close + 1;
            return Ok(Some(range));
        }
        if !self.has_comma(start, close) {
            return Ok(None);
        }
        Ok(Some(Item::Group(Times::Once, self.group(Closer::Brace)?)))
    }

    /// Whether a comma separates alternatives between `start` and `close`.
    fn has_comma(&self, start: usize, close: usize) -> bool {
        let mut at = start;
        while at < close {
            match self.chars.get(at) {
                Some('\\') => at += 1,
                Some(',') => return true,
                Some('{' | '(') => at = self.closing(at).unwrap_or(at),
                Some('[') => at = self.class_end(at).unwrap_or(at),
                _ => {}
            }
            at += 1;
        }
        false
    }
}

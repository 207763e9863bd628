//! Reading a glob.

use super::{Branches, Glob, Item, MAX_ALTERNATIVES, Times};
use crate::pattern::charset::{CharSet, LAST};
use crate::pattern::{MAX_DEPTH, PatternError};

/// Reads `pattern`.
pub(super) fn parse(pattern: &str) -> Result<Glob, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let bangs = bangs(&chars);
    let mut parser = Parser { at: bangs, chars, depth: 0, quoted: false };
    if parser.ahead("./") {
        parser.at += 2;
    }
    let start = parser.at;
    let branches = match pattern {
        // picomatch has forms of its own for these, which want something after the dot.
        "*.*" | "**/*.*" => {
            let mut branches = parser.branches(Closer::End)?;
            if let Some(branch) = branches.first_mut() {
                branch.insert(branch.len() - 1, Item::Any);
            }
            branches
        }
        "***" => vec![vec![Item::Star]],
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
    Ok(Glob { negated: bangs % 2 == 1, branches })
}

/// How many `!` stand in front, without the one of `!(…)`.
fn bangs(chars: &[char]) -> usize {
    let all = chars.iter().take_while(|&&c| c == '!').count();
    if chars.get(all) == Some(&'(') { all.saturating_sub(1) } else { all }
}

/// How many globs without braces these stand for.
fn count(branches: &Branches) -> u64 {
    branches.iter().fold(0, |sum: u64, branch| {
        sum.saturating_add(branch.iter().fold(1, |product: u64, item| match item {
            Item::Group(_, inner) => product.saturating_mul(count(inner)),
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

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    /// Inside double quotes, where every character is itself.
    quoted: bool,
}

impl Parser {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn ahead(&self, text: &str) -> bool {
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
                let times = match c {
                    '?' => Times::Optional,
                    '*' => Times::Any,
                    '+' => Times::Some,
                    '@' => Times::Once,
                    _ => Times::Not,
                };
                self.group(times, Closer::Paren)?
            }
            '(' if self.closing(self.at - 1).is_some() => self.group(Times::Once, Closer::Paren)?,
            '{' => match self.brace()? {
                Some(item) => item,
                None => Item::Char('{'),
            },
            '[' => match self.class()? {
                Some(item) => item,
                None => Item::Char('['),
            },
            '+' if matches!(branch.last(), Some(Item::Class(..) | Item::Group(Times::Once, _))) => {
                let last = branch.pop().into_iter().collect();
                Item::Group(Times::Some, vec![last])
            }
            '?' if matches!(branch.last(), Some(Item::Group(..)))
                && self.chars.get(self.at.wrapping_sub(2)) == Some(&')') =>
            {
                let last = branch.pop().into_iter().collect();
                Item::Group(Times::Optional, vec![last])
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
    fn group(&mut self, times: Times, closer: Closer) -> Result<Item, PatternError> {
        let branches = self.branches(closer)?;
        self.at += 1;
        Ok(Item::Group(times, branches))
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
        if let Some(range) = range(&inside)? {
            self.at = close + 1;
            return Ok(Some(range));
        }
        if !self.has_comma(start, close) {
            return Ok(None);
        }
        self.group(Times::Once, Closer::Brace).map(Some)
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

    /// The place of the `]` that closes the class at `open`.
    fn class_end(&self, open: usize) -> Option<usize> {
        let mut at = open + 1;
        if matches!(self.chars.get(at), Some('!' | '^')) {
            at += 1;
        }
        let first = at;
        while let Some(&c) = self.chars.get(at) {
            match c {
                '\\' => at += 1,
                ']' if at > first => return Some(at),
                '[' if self.chars.get(at + 1) == Some(&':') => {
                    if let Some(name) = self.posix_end(at) {
                        at = name;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The place of the `]` that ends `[:name:]` at `open`.
    fn posix_end(&self, open: usize) -> Option<usize> {
        let name = self.chars.get(open + 2..)?.iter().take_while(|c| c.is_ascii_lowercase()).count();
        let end = open + 2 + name;
        (self.chars.get(end..end + 2)? == [':', ']']).then_some(end + 1)
    }

    /// After `[`.
    fn class(&mut self) -> Result<Option<Item>, PatternError> {
        let start = self.at;
        let Some(end) = self.class_end(start - 1) else { return Ok(None) };
        let negated = matches!(self.peek(0), Some('!' | '^'));
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        while self.at < end {
            if self.ahead("[:")
                && let Some(close) = self.posix_end(self.at)
            {
                let name: String =
                    self.chars.get(self.at + 2..close - 1).unwrap_or_default().iter().collect();
                ranges.extend_from_slice(posix(&name).ok_or_else(|| {
                    PatternError::invalid(format!("there is no class of characters named `[:{name}:]`"))
                })?);
                self.at = close + 1;
                continue;
            }
            let low = self.member();
            let high = if self.peek(0) == Some('-') && self.at + 1 < end {
                self.at += 1;
                self.member()
            } else {
                low
            };
            if low > high {
                return Err(PatternError::invalid(format!(
                    "at character {}: the ends of a range are out of order",
                    self.at
                )));
            }
            ranges.push((u32::from(low), u32::from(high)));
        }
        self.at = end + 1;
        let set = CharSet::of(&ranges);
        if negated {
            let slash = u32::from('/');
            return Ok(Some(Item::Class(CharSet::of(&[(slash, slash)]).union(&set).missing(0, LAST), None)));
        }
        let text: String = self.chars.get(start - 1..=end).unwrap_or_default().iter().collect();
        let special = |c: char| "-*+?.^${}(|)[]\\".contains(c);
        let literal = !text.chars().skip(1).take(end - start).any(special);
        Ok(Some(Item::Class(set, literal.then_some(text))))
    }

    fn member(&mut self) -> char {
        if self.peek(0) == Some('\\') {
            self.at += 1;
        }
        let c = self.peek(0).unwrap_or('\\');
        self.at += 1;
        c
    }
}

/// `1..3`, `01..10`, `a..e`, each with a step if there is a third part.
fn range(inside: &str) -> Result<Option<Item>, PatternError> {
    let parts: Vec<&str> = inside.split("..").collect();
    let (from, to, step) = match parts.as_slice() {
        [from, to] => (*from, *to, 1),
        [from, to, step] => match step.parse::<i64>() {
            Ok(step) if step != 0 => (*from, *to, step.saturating_abs()),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let single = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
    };
    let (first, last, write): (i64, i64, Box<dyn Fn(i64) -> String>) = match (from.parse(), to.parse()) {
        (Ok(first), Ok(last)) => {
            let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
            let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
            (first, last, Box::new(move |n| format!("{n:0width$}")))
        }
        _ => match (single(from), single(to)) {
            (Some(first), Some(last)) => (
                i64::from(u32::from(first)),
                i64::from(u32::from(last)),
                Box::new(|n| {
                    u32::try_from(n).ok().and_then(char::from_u32).map(String::from).unwrap_or_default()
                }),
            ),
            _ => return Ok(None),
        },
    };
    let (low, high) = (first.min(last), first.max(last));
    let steps = low.abs_diff(high) / step.unsigned_abs();
    if steps >= MAX_ALTERNATIVES {
        return Err(PatternError::not_safe(format!(
            "`{{{inside}}}` stands for more than {MAX_ALTERNATIVES} alternatives; use `*` or `[0-9]`"
        )));
    }
    let mut branches = Branches::new();
    let mut value = low;
    while value <= high {
        branches.push(write(value).chars().map(Item::Char).collect());
        match value.checked_add(step) {
            Some(next) => value = next,
            None => break,
        }
    }
    Ok(Some(Item::Group(Times::Once, branches)))
}

/// The ranges of a POSIX class. `/` is left out of all: a class never matches it unless it is named.
fn posix(name: &str) -> Option<&'static [(u32, u32)]> {
    Some(match name {
        "alnum" => &[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)],
        "alpha" => &[(0x41, 0x5A), (0x61, 0x7A)],
        "ascii" => &[(0x00, 0x2E), (0x30, 0x7F)],
        "blank" => &[(0x09, 0x09), (0x20, 0x20)],
        "cntrl" => &[(0x00, 0x1F), (0x7F, 0x7F)],
        "digit" => &[(0x30, 0x39)],
        "graph" => &[(0x21, 0x2E), (0x30, 0x7E)],
        "lower" => &[(0x61, 0x7A)],
        "print" => &[(0x20, 0x2E), (0x30, 0x7E)],
        "punct" => &[(0x21, 0x2E), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
        "space" => &[(0x09, 0x0D), (0x20, 0x20)],
        "upper" => &[(0x41, 0x5A)],
        "word" => &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
        "xdigit" => &[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
        _ => return None,
    })
}

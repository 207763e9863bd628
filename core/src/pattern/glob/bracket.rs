//! Classes of characters in a glob.

use super::Item;
use super::expr::Expr;
use super::parse::Parser;
use crate::pattern::PatternError;
use crate::pattern::charset::{CharSet, LAST};

impl Parser {
    /// The place of the `]` that closes the class at `open`.
    pub(super) fn class_end(&self, open: usize) -> Option<usize> {
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
    pub(super) fn class(&mut self) -> Result<Option<Item>, PatternError> {
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
            return Ok(Some(Item::Class(Expr::slash_set().union(&set).missing(0, LAST), None)));
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

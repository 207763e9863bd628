//! Escapes and classes.

use super::Node;
use super::class::{Sign, named};
use super::parse::Parser;
use crate::pattern::PatternError;
use crate::pattern::charset::CharSet;

/// Why a lone surrogate is refused.
pub(super) const LONE_HALF: &str =
    "half of a character beyond U+FFFF cannot be matched on its own; write the whole character";

/// What an escape means that can stand in a class and outside of it.
enum Escape {
    /// A UTF-16 unit, or a character beyond.
    Code(u32),
    Set(CharSet),
    /// Refused; the reason is noted.
    Refused,
}

/// Where an escape stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    InClass,
    Outside,
}

const HIGH: std::ops::RangeInclusive<u32> = 0xD800..=0xDBFF;
const LOW: std::ops::RangeInclusive<u32> = 0xDC00..=0xDFFF;

/// The first and the last UTF-16 unit of a character.
fn ends(code: u32) -> (u32, u32) {
    match code.checked_sub(0x1_0000) {
        Some(rest) => (HIGH.start() + (rest >> 10), LOW.start() + (rest & 0x3FF)),
        None => (code, code),
    }
}

impl Parser {
    /// After `\`, outside a class; `start` is the place of the `\`.
    pub(super) fn escape(&mut self, start: usize) -> Result<Node, PatternError> {
        match self.peek() {
            Some('1'..='9') => return Ok(self.back_reference(start)),
            Some('k') => {
                if let Some(name) = self.reference() {
                    self.references.push(name);
                    return Ok(
                        self.refuse(start, "a back-reference, `\\k<…>`, cannot be matched in linear time")
                    );
                }
            }
            _ => {}
        }
        Ok(match self.any_escape(start, Place::Outside)? {
            Escape::Set(set) => self.class_node(start, &set, Sign::Positive),
            Escape::Code(code) => match char::from_u32(code) {
                Some(c) => Node::Text(c),
                None => self.refuse(start, LONE_HALF),
            },
            Escape::Refused => Node::Empty,
        })
    }

    /// The name in `k<name>`, if that is what follows. JavaScript reads it literally in a pattern
    /// without named groups; nobody means that, so it is a back-reference all the same.
    fn reference(&mut self) -> Option<String> {
        let start = self.at;
        let mut name = String::new();
        if self.take("k<") {
            while let Some(c) = self.next().filter(|&c| c != '>') {
                name.push(c);
            }
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200C}' | '\u{200D}');
            if self.at_after('>') && !name.is_empty() && name.chars().all(is_name) {
                return Some(name);
            }
        }
        self.at = start;
        None
    }

    /// Whether the last character read was `c`.
    fn at_after(&self, c: char) -> bool {
        self.at.checked_sub(1).and_then(|at| self.char_at(at)) == Some(c)
    }

    fn back_reference(&mut self, start: usize) -> Node {
        let mut number: u32 = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        if number <= self.groups.count {
            self.refuse(start, &format!("a back-reference, `\\{number}`, cannot be matched in linear time"))
        } else {
            self.refuse(
                start,
                &format!("`\\{number}` refers to a group that is not there; write `\\xHH` for a character by its code"),
            )
        }
    }

    fn any_escape(&mut self, start: usize, place: Place) -> Result<Escape, PatternError> {
        let Some(c) = self.next() else {
            return Err(PatternError::invalid(
                "the pattern ends with a single `\\`; write `\\\\` for the character",
            ));
        };
        Ok(Escape::Code(match c {
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            'b' if place == Place::InClass => 0x08,
            'c' => self.control(place),
            'x' => self.hex(2).unwrap_or(u32::from('x')),
            'u' if self.looks_like_braced_code() => {
                self.refuse(
                    start,
                    "`\\u{…}` needs the `u` flag, without which it repeats the letter u; write `\\uHHHH` or the \
                     character itself",
                );
                return Ok(Escape::Refused);
            }
            'u' => self.unit(),
            '0'..='7' => self.octal(c),
            'k' if self.has_named_groups() => {
                return Err(self.invalid("`\\k` must be followed by the name of a group, `\\k<name>`"));
            }
            _ => match named(c) {
                Some(set) => return Ok(Escape::Set(set)),
                None => u32::from(c),
            },
        }))
    }

    /// After `\c`. Where no letter follows, the `\` stands for itself and the `c` comes next.
    fn control(&mut self, place: Place) -> u32 {
        match self.peek() {
            Some(c)
                if c.is_ascii_alphabetic() || place == Place::InClass && (c.is_ascii_digit() || c == '_') =>
            {
                self.at += 1;
                u32::from(c) % 32
            }
            _ => {
                self.at -= 1;
                u32::from('\\')
            }
        }
    }

    /// Exactly `digits` hex digits, or nothing.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let start = self.at;
        let mut value = 0;
        for _ in 0..digits {
            let Some(digit) = self.next().and_then(|c| c.to_digit(16)) else {
                self.at = start;
                return None;
            };
            value = value * 16 + digit;
        }
        Some(value)
    }

    /// After `\u`: a unit, or both halves of one character if they are written one after the other.
    fn unit(&mut self) -> u32 {
        let Some(first) = self.hex(4) else { return u32::from('u') };
        if HIGH.contains(&first) {
            let between = self.at;
            if self.take("\\u")
                && let Some(second) = self.hex(4)
                && LOW.contains(&second)
            {
                return 0x1_0000 + ((first - HIGH.start()) << 10) + (second - LOW.start());
            }
            self.at = between;
        }
        first
    }

    fn looks_like_braced_code(&mut self) -> bool {
        let start = self.at;
        let open = self.take("{");
        while open && self.peek().is_some_and(|c| c.is_ascii_hexdigit()) {
            self.at += 1;
        }
        let closed = open && self.at > start + 1 && self.take("}");
        self.at = if closed { self.at } else { start };
        closed
    }

    /// Annex B: up to three octal digits, at most `\377`. `\0` alone is NUL.
    fn octal(&mut self, first: char) -> u32 {
        let mut value = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            match self.peek().and_then(|c| c.to_digit(8)) {
                Some(digit) if value * 8 + digit <= 0o377 => {
                    value = value * 8 + digit;
                    self.at += 1;
                }
                _ => break,
            }
        }
        value
    }

    /// After `[`.
    pub(super) fn class(&mut self, start: usize) -> Result<Node, PatternError> {
        let sign = if self.take("^") { Sign::Negative } else { Sign::Positive };
        let mut members = Vec::new();
        let mut refused = false;
        loop {
            if self.take("]") {
                break;
            }
            let from = self.member(start)?;
            let range = self.peek() == Some('-') && {
                self.at += 1;
                let more = self.peek().is_some_and(|c| c != ']');
                self.at -= usize::from(!more);
                more
            };
            if !range {
                refused |= matches!(from, Escape::Refused);
                add(&from, &mut members);
                continue;
            }
            match (from, self.member(start)?) {
                (Escape::Code(low), Escape::Code(high)) => {
                    if ends(low).1 > ends(high).0 {
                        return Err(self.invalid("the ends of this range are out of order"));
                    }
                    if low > 0xFFFF || high > 0xFFFF {
                        refused = true;
                        self.refuse(
                            start,
                            "JavaScript reads a range that ends beyond U+FFFF as halves of characters; list the \
                             characters instead",
                        );
                    }
                    members.push((low, high));
                }
                // Annex B: no range, so the dash stands for itself.
                (from, to) => {
                    refused |= matches!(from, Escape::Refused) || matches!(to, Escape::Refused);
                    add(&from, &mut members);
                    add(&to, &mut members);
                    members.push((u32::from('-'), u32::from('-')));
                }
            }
        }
        if refused {
            return Ok(Node::Empty);
        }
        Ok(self.class_node(start, &CharSet::of(&members), sign))
    }

    fn member(&mut self, start: usize) -> Result<Escape, PatternError> {
        match self.next() {
            Some('\\') => {
                let at = self.at - 1;
                self.any_escape(at, Place::InClass)
            }
            Some(c) => Ok(Escape::Code(u32::from(c))),
            None => Err(PatternError::invalid(format!(
                "at character {}: this `[` is never closed; write `\\[` for the character",
                start + 1
            ))),
        }
    }
}

fn add(member: &Escape, members: &mut Vec<(u32, u32)>) {
    match member {
        Escape::Code(code) => members.push((*code, *code)),
        Escape::Set(set) => members.extend_from_slice(set.ranges()),
        Escape::Refused => {}
    }
}

//! The parser of escapes and classes in JavaScript patterns.

use std::ops::RangeInclusive;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir};

use super::class::{Case, ignore_case, named};
use super::parse::{Parser, Term};
use crate::PatternError;

/// The reason for refusing a lone surrogate.
const LONE_SURROGATE: &str =
    "half of a character beyond U+FFFF cannot be matched on its own; write the whole character";

/// The meaning of an escape that is allowed inside and outside of classes.
enum Escape {
    Char(char),
    Set(ClassUnicode),
    /// The escape is refused; the error is recorded in the parser.
    Refused,
}

/// The place of an escape, which decides its meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapePlace {
    InClass,
    Outside,
}

/// The high surrogates of UTF-16. The low ones follow.
const HIGH_SURROGATES: RangeInclusive<u32> = 0xD800..=0xDBFF;
const LOW_SURROGATES: RangeInclusive<u32> = 0xDC00..=0xDFFF;

impl Parser {
    /// Parses what follows a `\` outside of classes; `start` is the offset of the `\`.
    pub(super) fn escape(&mut self, start: usize) -> Result<Term, PatternError> {
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
        Ok(match self.any_escape(start, EscapePlace::Outside)? {
            Escape::Set(set) => Term::Atom(Hir::class(Class::Unicode(set))),
            Escape::Char(c) => Term::Char(c),
            Escape::Refused => Term::Atom(Hir::empty()),
        })
    }

    /// The name in `k<name>`, if that is what follows. JavaScript reads it literally in a pattern
    /// without named groups; nobody means that, so it is a back-reference all the same.
    fn reference(&mut self) -> Option<String> {
        let start = self.at;
        let mut name = String::new();
        if self.take("k<") {
            while let Some(c) = self.peek().filter(|c| is_in_name(*c)) {
                name.push(c);
                self.at += 1;
            }
            if !name.is_empty() && self.take(">") {
                return Some(name);
            }
        }
        self.at = start;
        None
    }

    fn back_reference(&mut self, start: usize) -> Term {
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

    fn any_escape(&mut self, start: usize, place: EscapePlace) -> Result<Escape, PatternError> {
        let Some(c) = self.next() else {
            return Err(PatternError::invalid(
                "the pattern ends with a single `\\`; write `\\\\` for the character",
            ));
        };
        let code = match c {
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            'b' if place == EscapePlace::InClass => 0x08,
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
            'k' if self.groups.named > 0 => {
                return Err(self.invalid("`\\k` must be followed by the name of a group, `\\k<name>`"));
            }
            _ => match named(c) {
                Some(set) => return Ok(Escape::Set(set)),
                None => u32::from(c),
            },
        };
        Ok(char::from_u32(code).map_or_else(
            || {
                self.refuse(start, LONE_SURROGATE);
                Escape::Refused
            },
            Escape::Char,
        ))
    }

    /// Parses what follows `\c`. Without a letter the `\` stands for itself and the `c` is parsed next.
    fn control(&mut self, place: EscapePlace) -> u32 {
        match self.peek() {
            Some(c)
                if c.is_ascii_alphabetic()
                    || place == EscapePlace::InClass && (c.is_ascii_digit() || c == '_') =>
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

    /// Parses exactly `digits` hex digits, or consumes nothing.
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

    /// Parses what follows `\u`: a UTF-16 unit, or a whole character if both its surrogates follow each other.
    fn unit(&mut self) -> u32 {
        let Some(first) = self.hex(4) else { return u32::from('u') };
        if HIGH_SURROGATES.contains(&first) {
            let between = self.at;
            if self.take("\\u")
                && let Some(second) = self.hex(4)
                && LOW_SURROGATES.contains(&second)
            {
                return 0x1_0000
                    + ((first - HIGH_SURROGATES.start()) << 10)
                    + (second - LOW_SURROGATES.start());
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

    /// Parses up to three octal digits, at most `\377` (annex B). `\0` alone is NUL.
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

    /// Parses what follows `[`.
    pub(super) fn class(&mut self, start: usize) -> Result<Hir, PatternError> {
        let negated = self.take("^");
        let mut members = Members { written: ClassUnicode::empty(), named: ClassUnicode::empty() };
        while !self.take("]") {
            let from = self.member(start)?;
            let range = self.peek() == Some('-') && self.peek_behind().is_some_and(|c| c != ']');
            if !range {
                members.add(&from);
                continue;
            }
            self.at += 1;
            match (from, self.member(start)?) {
                (Escape::Char(low), Escape::Char(high)) if low > high => {
                    return Err(self.invalid("the ends of this range are out of order"));
                }
                (Escape::Char(low), Escape::Char(high)) => {
                    members.written.push(ClassUnicodeRange::new(low, high));
                }
                // Annex B: with a set on one side this is no range, so the dash stands for itself.
                (from, to) => [from, Escape::Char('-'), to].iter().for_each(|member| members.add(member)),
            }
        }
        let Members { mut written, named } = members;
        if self.case == Case::Ignored {
            ignore_case(&mut written);
        }
        written.union(&named);
        if negated {
            written.negate();
        }
        Ok(Hir::class(Class::Unicode(written)))
    }

    fn member(&mut self, start: usize) -> Result<Escape, PatternError> {
        match self.next() {
            Some('\\') => {
                let at = self.at - 1;
                self.any_escape(at, EscapePlace::InClass)
            }
            Some(c) => Ok(Escape::Char(c)),
            None => Err(PatternError::invalid(format!(
                "at character {}: this `[` is never closed; write `\\[` for the character",
                start + 1
            ))),
        }
    }
}

/// Whether a character can be part of a group's name.
fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200C}' | '\u{200D}')
}

/// The members of a class.
struct Members {
    /// The characters and ranges.
    written: ClassUnicode,
    /// The named sets, to which ignoring case adds nothing.
    named: ClassUnicode,
}

impl Members {
    fn add(&mut self, member: &Escape) {
        match member {
            Escape::Char(c) => self.written.push(ClassUnicodeRange::new(*c, *c)),
            Escape::Set(set) => self.named.union(set),
            Escape::Refused => {}
        }
    }
}

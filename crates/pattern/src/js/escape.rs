//! The parser of escapes and classes in JavaScript patterns.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::class::{Case, Escape, EscapePlace, ignore_case, named};
use super::parse::Parser;
use crate::PatternError;

impl<'p> Parser<'p> {
    /// Parses what follows a `\`, which is at `from`.
    pub(super) fn escape(&mut self, from: &str, place: EscapePlace) -> Result<Escape, PatternError> {
        let code = self.rest;
        let Some(c) = self.next() else {
            return Err(PatternError::invalid(
                "the pattern ends with a single `\\`; write `\\\\` for the character",
            ));
        };
        let meant = match c {
            't' => '\t',
            'n' => '\n',
            'v' => '\u{B}',
            'f' => '\u{C}',
            'r' => '\r',
            'b' if place == EscapePlace::InClass => '\u{8}',
            'c' => self.control(code, place),
            'x' => self.hex(2).and_then(|code| char::from_u32(code.into())).unwrap_or('x'),
            'u' => return Ok(self.unit(from)),
            '1'..='9' if place == EscapePlace::Outside => return Ok(self.back_reference(from, code)),
            '0'..='7' => self.octal(code),
            'k' => return self.named_reference(from, place),
            _ => match named(c) {
                Some(set) => return Ok(Escape::Set(set)),
                None => c,
            },
        };
        Ok(Escape::Char(meant))
    }

    /// Parses what follows `\k`. JavaScript reads `\k<name>` literally in a pattern without named groups; nobody
    /// means that, so it is a back-reference all the same.
    fn named_reference(&mut self, from: &str, place: EscapePlace) -> Result<Escape, PatternError> {
        let name = self
            .rest
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
            .filter(|_| place == EscapePlace::Outside);
        match name {
            Some((name, rest)) if self.names.is_empty() || self.names.contains(&name) => {
                self.rest = rest;
                Ok(self.refused(from, "a back-reference, `\\k<…>`, cannot be matched in linear time"))
            }
            _ if self.names.is_empty() => Ok(Escape::Char('k')),
            _ => Err(self.invalid("`\\k` must be followed by the name of a group, `\\k<name>`")),
        }
    }

    /// Parses a back-reference, whose number is at `code`.
    fn back_reference(&mut self, from: &str, code: &'p str) -> Escape {
        self.rest = code;
        let number = self.digits(10, usize::MAX);
        let reason = if number.parse().is_ok_and(|number: u32| number <= self.groups) {
            format!("a back-reference, `\\{number}`, cannot be matched in linear time")
        } else {
            format!(
                "`\\{number}` refers to a group that is not there; write `\\xHH` for a character by its code"
            )
        };
        self.refused(from, &reason)
    }

    fn refused(&mut self, from: &str, reason: &str) -> Escape {
        self.refuse(from, reason);
        Escape::Set(ClassUnicode::empty())
    }

    /// Parses what follows `\c`. Without a letter the `\` stands for itself and the `c`, which is at `code`, is
    /// parsed next.
    fn control(&mut self, code: &'p str, place: EscapePlace) -> char {
        let is_control = |c: &char| {
            c.is_ascii_alphabetic() || place == EscapePlace::InClass && (c.is_ascii_digit() || *c == '_')
        };
        if let Some(c) = self.rest.chars().next().filter(is_control) {
            self.rest = &self.rest[1..];
            char::from(c as u8 % 32)
        } else {
            self.rest = code;
            '\\'
        }
    }

    /// Parses exactly `count` hex digits, or consumes nothing.
    fn hex(&mut self, count: usize) -> Option<u16> {
        let from = self.rest;
        let digits = self.digits(16, count);
        if digits.len() < count {
            self.rest = from;
            return None;
        }
        u16::from_str_radix(digits, 16).ok()
    }

    /// Parses what follows `\u`: a UTF-16 unit, or a whole character if both its surrogates follow each other.
    fn unit(&mut self, from: &str) -> Escape {
        if let Some((code, rest)) = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'))
            && !code.is_empty()
            && code.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            self.rest = rest;
            return self.refused(
                from,
                "`\\u{…}` needs the `u` flag, without which it repeats the letter u; write `\\uHHHH` or the \
                 character itself",
            );
        }
        let Some(first) = self.hex(4) else { return Escape::Char('u') };
        let behind = self.rest;
        let second = if self.take("\\u") { self.hex(4) } else { None };
        let meant = char::decode_utf16([Some(first), second].into_iter().flatten()).next();
        if !matches!(meant, Some(Ok('\u{10000}'..))) {
            self.rest = behind;
        }
        match meant {
            Some(Ok(c)) => Escape::Char(c),
            _ => self.refused(
                from,
                "half of a character beyond U+FFFF cannot be matched on its own; write the whole character",
            ),
        }
    }

    /// Parses up to three octal digits at `code`, at most `\377` (annex B). `\0` alone is NUL.
    fn octal(&mut self, code: &'p str) -> char {
        self.rest = code;
        let digits = self.digits(8, if code < "4" { 3 } else { 2 });
        u8::from_str_radix(digits, 8).map_or('\0', char::from)
    }

    /// Parses what follows `[`, which is at `from`.
    pub(super) fn class(&mut self, from: &str) -> Result<ClassUnicode, PatternError> {
        let negated = self.take("^");
        let mut class = ClassUnicode::empty();
        while !self.take("]") {
            let first = self.member(from)?;
            let mut rest = self.rest.chars();
            if rest.next() != Some('-') || matches!(rest.next(), None | Some(']')) {
                first.add_to(&mut class);
                continue;
            }
            self.rest = &self.rest[1..];
            match (first, self.member(from)?) {
                (Escape::Char(low), Escape::Char(high)) if low > high => {
                    return Err(self.invalid("the ends of this range are out of order"));
                }
                (Escape::Char(low), Escape::Char(high)) => class.push(ClassUnicodeRange::new(low, high)),
                // Annex B: with a set on one side this is no range, so the dash stands for itself.
                (first, last) => {
                    for member in [first, Escape::Char('-'), last] {
                        member.add_to(&mut class);
                    }
                }
            }
        }
        if self.case == Case::Ignored {
            ignore_case(&mut class);
        }
        if negated {
            class.negate();
        }
        Ok(class)
    }

    fn member(&mut self, class: &str) -> Result<Escape, PatternError> {
        let from = self.rest;
        match self.next() {
            Some('\\') => self.escape(from, EscapePlace::InClass),
            Some(c) => Ok(Escape::Char(c)),
            None => Err(self.invalid_at(class, "this `[` is never closed; write `\\[` for the character")),
        }
    }
}

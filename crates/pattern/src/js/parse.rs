//! The parser of JavaScript patterns: the grammar of ECMA-262 with annex B and without the `u` flag.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, Look, Repetition};

use super::class::{Case, Escape, EscapePlace, dot, ignore_case};
use crate::{MAX_DEPTH, PatternError};

/// Parses `pattern`, from which a leading `(?i)` has been removed.
///
/// An error that JavaScript reports takes precedence over a refusal that only this program makes.
pub(super) fn parse(pattern: &str, case: Case) -> Result<Hir, PatternError> {
    let mut parser =
        Parser { pattern, rest: pattern, case, depth: 0, groups: 0, names: Vec::new(), refused: None };
    let tree = parser.either()?;
    if parser.rest.starts_with(')') {
        return Err(parser.invalid("this `)` closes nothing; write `\\)` for the character"));
    }
    parser.refused.map_or(Ok(tree), Err)
}

pub(super) struct Parser<'p> {
    pattern: &'p str,
    /// What is not read yet.
    pub(super) rest: &'p str,
    pub(super) case: Case,
    depth: usize,
    /// How many capture groups began so far, and the names of those that have one.
    pub(super) groups: u32,
    pub(super) names: Vec<&'p str>,
    /// The first construct that is well formed but not supported.
    refused: Option<PatternError>,
}

impl<'p> Parser<'p> {
    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let behind = self.rest.strip_prefix(text);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    /// Takes up to `most` digits to `base`.
    pub(super) fn digits(&mut self, base: u32, most: usize) -> &'p str {
        let count = self.rest.chars().take(most).take_while(|c| c.is_digit(base)).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        digits
    }

    /// The error that JavaScript reports at the current place.
    pub(super) fn invalid(&self, reason: &str) -> PatternError {
        self.invalid_at(self.rest, reason)
    }

    /// The error that JavaScript reports where the rest of the pattern is `from`.
    pub(super) fn invalid_at(&self, from: &str, reason: &str) -> PatternError {
        PatternError::invalid(self.located(from, reason))
    }

    /// Records that the well formed construct at `from` is not supported, so that parsing can go on.
    pub(super) fn refuse(&mut self, from: &str, reason: &str) {
        let error = PatternError::not_safe(self.located(from, reason));
        self.refused.get_or_insert(error);
    }

    fn located(&self, from: &str, reason: &str) -> String {
        let before = self.pattern.chars().count() - from.chars().count();
        format!("at character {}: {reason}", before + 1)
    }

    fn either(&mut self) -> Result<Hir, PatternError> {
        let mut branches = vec![self.sequence()?];
        while self.take("|") {
            branches.push(self.sequence()?);
        }
        Ok(Hir::alternation(branches))
    }

    fn sequence(&mut self) -> Result<Hir, PatternError> {
        let mut parts = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            parts.push(self.term()?);
        }
        Ok(Hir::concat(parts))
    }

    /// Parses an item and what repeats it.
    fn term(&mut self) -> Result<Hir, PatternError> {
        let from = self.rest;
        if self.limits()?.is_some() {
            let reason = match from.chars().next() {
                Some(c) if c != '{' => {
                    format!("there is nothing for `{c}` to repeat; write `\\{c}` for the character")
                }
                _ => "there is nothing for this count to repeat".to_owned(),
            };
            return Err(self.invalid_at(from, &reason));
        }
        let item = match self.next() {
            Some('^') => return self.assertion(Hir::look(Look::Start)),
            Some('$') => return self.assertion(Hir::look(Look::End)),
            Some('\\') if self.take("b") => return self.assertion(Hir::look(Look::WordAscii)),
            Some('\\') if self.take("B") => return self.assertion(Hir::look(Look::WordAsciiNegate)),
            // Annex B lets look-ahead be repeated, but not look-behind.
            Some('(') if self.rest.starts_with("?<=") || self.rest.starts_with("?<!") => {
                let group = self.group(from)?;
                return self.assertion(group);
            }
            Some('(') => self.group(from)?,
            Some('.') => Hir::class(Class::Unicode(dot())),
            Some('[') => Hir::class(Class::Unicode(self.class(from)?)),
            Some('\\') => match self.escape(from, EscapePlace::Outside)? {
                Escape::Set(set) => Hir::class(Class::Unicode(set)),
                Escape::Char(c) => self.character(c),
            },
            Some(c) => self.character(c),
            None => Hir::empty(),
        };
        Ok(match self.limits()? {
            None => item,
            Some((min, max)) => {
                let greedy = !self.take("?");
                Hir::repetition(Repetition { min, max, greedy, sub: Box::new(item) })
            }
        })
    }

    /// What matches no character, and so cannot be repeated.
    fn assertion(&mut self, assertion: Hir) -> Result<Hir, PatternError> {
        if self.limits()?.is_some() {
            self.take("?");
            return Err(self.invalid("there is nothing here that could be repeated"));
        }
        Ok(assertion)
    }

    fn character(&self, c: char) -> Hir {
        if self.case == Case::Kept {
            return Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        ignore_case(&mut class);
        Hir::class(class.to_byte_class().map_or(Class::Unicode(class), Class::Bytes))
    }

    /// Parses what follows `(`.
    fn group(&mut self, from: &'p str) -> Result<Hir, PatternError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(PatternError::not_safe(format!("groups are nested more than {MAX_DEPTH} deep")));
        }
        if let Some(look) = ["?=", "?!", "?<=", "?<!"].into_iter().find(|text| self.take(text)) {
            let reason = format!(
                "look-ahead and look-behind, `({look}…)`, cannot be matched in linear time; put what \
                 must match too into `also`, and what must not into `unless`"
            );
            self.refuse(from, &reason);
        } else if !self.take("?:") {
            self.groups += 1;
            if self.take("?") {
                self.name(from)?;
            }
        }
        let inner = self.either()?;
        if !self.take(")") {
            return Err(self.invalid_at(from, "this `(` is never closed; write `\\(` for the character"));
        }
        self.depth -= 1;
        Ok(inner)
    }

    /// Parses the `<name>` of a group, after `(?`.
    fn name(&mut self, from: &str) -> Result<(), PatternError> {
        if !self.take("<") {
            return Err(self.invalid_at(
                from,
                "JavaScript knows no such group; one `(?i)` at the very start of the pattern is all that is \
                 added to it",
            ));
        }
        let Some((name, rest)) = self.rest.split_once('>').filter(|(name, _)| is_name(name)) else {
            return Err(self.invalid_at(
                from,
                "the name of this group is no name; write letters, digits, `_` or `$`, then `>`",
            ));
        };
        if name.is_empty() || self.names.contains(&name) {
            return Err(self.invalid_at(from, "the name of this group is empty or used twice"));
        }
        self.rest = rest;
        self.names.push(name);
        Ok(())
    }

    /// Parses a quantifier, to its `?`: how often at least, and at most, if there is a limit.
    fn limits(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        for (written, limits) in [("*", (0, None)), ("+", (1, None)), ("?", (0, Some(1)))] {
            if self.take(written) {
                return Ok(Some(limits));
            }
        }
        let Some((limits, rest)) = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return Ok(None);
        };
        let (min, max) = limits.split_once(',').unwrap_or((limits, limits));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        // Any other brace stands for itself.
        if min.is_empty() || !is_number(min) || !is_number(max) {
            return Ok(None);
        }
        self.rest = rest;
        // A number that does not fit is above every limit, and stays so when it is clamped.
        let clamped = |number: &str| number.parse().unwrap_or(u32::MAX);
        let (min, max) = (clamped(min), (!max.is_empty()).then(|| clamped(max)));
        if max.is_some_and(|max| max < min) {
            return Err(self.invalid("the counts are out of order"));
        }
        Ok(Some((min, max)))
    }
}

/// Whether `text` is empty or can be the name of a group.
fn is_name(text: &str) -> bool {
    let follows = |c: char| c.is_numeric() || matches!(c, '\u{200C}' | '\u{200D}');
    text.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '$') || follows(c))
        && !text.starts_with(follows)
}

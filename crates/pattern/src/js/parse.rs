//! The parser of JavaScript patterns: the grammar of ECMA-262 with annex B and without the `u` flag.

use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look, Repetition,
};

use super::class::{Case, dot, ignore_case};
use crate::{MAX_DEPTH, PatternError};

/// Parses `pattern`, from which a leading `(?i)` has been removed.
///
/// An error that JavaScript reports takes precedence over a refusal that only this program makes.
pub(super) fn parse(pattern: &str, case: Case) -> Result<Hir, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let groups = Groups::scan(&chars);
    let mut parser = Parser {
        chars,
        at: 0,
        depth: 0,
        case,
        groups,
        names: Vec::new(),
        references: Vec::new(),
        refused: None,
    };
    let tree = parser.either()?;
    if parser.peek() == Some(')') {
        return Err(parser.invalid("this `)` closes nothing; write `\\)` for the character"));
    }
    let unknown = |name: &&String| !parser.names.contains(name);
    if parser.groups.named > 0
        && let Some(name) = parser.references.iter().find(unknown)
    {
        return Err(PatternError::invalid(format!("there is no group named `{name}`")));
    }
    match parser.refused {
        Some(refused) => Err(refused),
        None => Ok(tree),
    }
}

/// The capture groups of a pattern, which decide what `\1` and `\k` mean anywhere in it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Groups {
    pub(super) count: u32,
    pub(super) named: u32,
}

impl Groups {
    fn scan(chars: &[char]) -> Self {
        let mut groups = Self::default();
        let mut in_class = false;
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            match c {
                '\\' => at += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => match chars.get(at + 1..at + 4) {
                    Some(['?', '<', next]) if !matches!(next, '=' | '!') => {
                        groups.count += 1;
                        groups.named += 1;
                    }
                    _ if chars.get(at + 1) == Some(&'?') => {}
                    _ => groups.count += 1,
                },
                _ => {}
            }
            at += 1;
        }
        groups
    }
}

pub(super) struct Parser {
    chars: Vec<char>,
    pub(super) at: usize,
    depth: usize,
    pub(super) case: Case,
    pub(super) groups: Groups,
    names: Vec<String>,
    /// The names in `\k<name>`.
    pub(super) references: Vec<String>,
    /// The first construct that is well formed but not supported.
    refused: Option<PatternError>,
}

/// The item before a quantifier.
pub(super) enum Term {
    /// A character that stands for itself.
    Char(char),
    Atom(Hir),
    /// `^`, `$`, `\b`, `\B` or look-behind, which cannot be repeated.
    Assertion(Hir),
}

/// The repetition of a term, greedy or lazy.
#[derive(Clone, Copy)]
struct Quantifier {
    min: u32,
    /// The upper limit; `None`: unlimited.
    max: Option<u32>,
    greedy: bool,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.char_at(self.at)
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.chars.get(at).copied()
    }

    /// The character after the next one.
    pub(super) fn peek_behind(&self) -> Option<char> {
        self.char_at(self.at + 1)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let len = text.chars().count();
        let found =
            self.chars.get(self.at..self.at + len).is_some_and(|s| s.iter().copied().eq(text.chars()));
        self.at += if found { len } else { 0 };
        found
    }

    /// The error that JavaScript reports at the current offset.
    pub(super) fn invalid(&self, reason: &str) -> PatternError {
        PatternError::invalid(format!("at character {}: {reason}", self.at + 1))
    }

    /// Records a construct that is well formed but not supported, so that parsing can go on.
    pub(super) fn refuse(&mut self, start: usize, reason: &str) -> Term {
        let error = PatternError::not_safe(format!("at character {}: {reason}", start + 1));
        self.refused.get_or_insert(error);
        Term::Atom(Hir::empty())
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
        let mut run = String::new();
        while self.peek().is_some_and(|c| !matches!(c, '|' | ')')) {
            let term = self.term()?;
            let quantifier = self.quantifier()?;
            // A run of characters that match only themselves becomes one literal.
            match (&term, &quantifier) {
                (Term::Char(c), None) if self.is_alone(*c) => run.push(*c),
                _ => {
                    flush(&mut run, &mut parts);
                    parts.push(self.repeated(term, quantifier)?);
                }
            }
        }
        flush(&mut run, &mut parts);
        Ok(Hir::concat(parts))
    }

    fn repeated(&self, term: Term, quantifier: Option<Quantifier>) -> Result<Hir, PatternError> {
        let expression = match term {
            Term::Char(c) => self.character(c),
            Term::Assertion(_) if quantifier.is_some() => {
                return Err(self.invalid("there is nothing here that could be repeated"));
            }
            Term::Atom(expression) | Term::Assertion(expression) => expression,
        };
        Ok(match quantifier {
            None => expression,
            Some(Quantifier { min, max, greedy }) => {
                Hir::repetition(Repetition { min, max, greedy, sub: Box::new(expression) })
            }
        })
    }

    /// Whether `c` surely matches nothing but itself. In doubt, as for letters whose case is ignored, `false`.
    fn is_alone(&self, c: char) -> bool {
        self.case == Case::Kept || c.is_ascii() && !c.is_ascii_alphabetic()
    }

    fn character(&self, c: char) -> Hir {
        if self.is_alone(c) {
            Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes())
        } else if c.is_ascii() {
            let either = [c.to_ascii_uppercase(), c.to_ascii_lowercase()].map(|c| c as u8);
            Hir::class(Class::Bytes(ClassBytes::new(either.map(|byte| ClassBytesRange::new(byte, byte)))))
        } else {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            ignore_case(&mut class);
            Hir::class(Class::Unicode(class))
        }
    }

    fn term(&mut self) -> Result<Term, PatternError> {
        let start = self.at;
        let Some(c) = self.next() else { return Ok(Term::Atom(Hir::empty())) };
        Ok(match c {
            '^' => Term::Assertion(Hir::look(Look::Start)),
            '$' => Term::Assertion(Hir::look(Look::End)),
            '.' => Term::Atom(Hir::class(Class::Unicode(dot()))),
            '(' => self.group(start)?,
            '[' => Term::Atom(self.class(start)?),
            '\\' if self.take("b") => Term::Assertion(Hir::look(Look::WordAscii)),
            '\\' if self.take("B") => Term::Assertion(Hir::look(Look::WordAsciiNegate)),
            '\\' => self.escape(start)?,
            '*' | '+' | '?' => {
                self.at = start;
                return Err(self.invalid(&format!(
                    "there is nothing for `{c}` to repeat; write `\\{c}` for the character"
                )));
            }
            '{' => {
                self.at = start;
                if self.braces()?.is_some() {
                    self.at = start;
                    return Err(self.invalid("there is nothing for this count to repeat"));
                }
                self.at = start + 1;
                Term::Char('{')
            }
            c => Term::Char(c),
        })
    }

    /// Parses what follows `(`.
    fn group(&mut self, start: usize) -> Result<Term, PatternError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(PatternError::not_safe(format!("groups are nested more than {MAX_DEPTH} deep")));
        }
        let look = ["?=", "?!", "?<=", "?<!"].into_iter().find(|text| self.take(text));
        if look.is_none() && self.take("?") && !self.take(":") {
            self.name(start)?;
        }
        let inner = self.either()?;
        if !self.take(")") {
            return Err(PatternError::invalid(format!(
                "at character {}: this `(` is never closed; write `\\(` for the character",
                start + 1
            )));
        }
        self.depth -= 1;
        Ok(match look {
            None => Term::Atom(inner),
            Some(look) => {
                let refused = self.refuse(
                    start,
                    &format!(
                        "look-ahead and look-behind, `({look}…)`, cannot be matched in linear time; put what \
                         must match too into `also`, and what must not into `unless`"
                    ),
                );
                // Annex B lets look-ahead be repeated, but not look-behind.
                if look.contains('<') { Term::Assertion(Hir::empty()) } else { refused }
            }
        })
    }

    /// Parses the `<name>` of a group, after `(?`.
    fn name(&mut self, start: usize) -> Result<(), PatternError> {
        let broken =
            |reason: &str| Err(PatternError::invalid(format!("at character {}: {reason}", start + 1)));
        if !self.take("<") {
            return broken(
                "JavaScript knows no such group; one `(?i)` at the very start of the pattern is all that is \
                 added to it",
            );
        }
        let mut name = String::new();
        loop {
            match self.next() {
                Some('>') => break,
                Some(c)
                    if c.is_alphabetic()
                        || matches!(c, '$' | '_')
                        || !name.is_empty() && (c.is_numeric() || matches!(c, '\u{200C}' | '\u{200D}')) =>
                {
                    name.push(c);
                }
                _ => {
                    return broken(
                        "the name of this group is no name; write letters, digits, `_` or `$`, then `>`",
                    );
                }
            }
        }
        if name.is_empty() || self.names.contains(&name) {
            return broken("the name of this group is empty or used twice");
        }
        self.names.push(name);
        Ok(())
    }

    fn quantifier(&mut self) -> Result<Option<Quantifier>, PatternError> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let start = self.at;
                if let Some((min, max)) = self.braces()? {
                    return Ok(Some(self.greed(min, max)));
                }
                self.at = start;
                return Ok(None);
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(self.greed(min, max)))
    }

    fn greed(&mut self, min: u32, max: Option<u32>) -> Quantifier {
        Quantifier { min, max, greedy: !self.take("?") }
    }

    /// Parses `{n}`, `{n,}` or `{n,m}`; `None` if the brace stands for itself.
    fn braces(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        self.at += 1;
        let Some(min) = self.number() else { return Ok(None) };
        let max = if self.take(",") {
            if self.peek() == Some('}') { None } else { Some(self.number().unwrap_or(u64::MAX)) }
        } else {
            Some(min)
        };
        if !self.take("}") {
            return Ok(None);
        }
        if max.is_some_and(|max| max < min) {
            return Err(self.invalid("the counts are out of order"));
        }
        // A number that does not fit is above every limit, and stays so when it is clamped.
        let clamp = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        Ok(Some((clamp(min), max.map(clamp))))
    }

    fn number(&mut self) -> Option<u64> {
        let mut value: Option<u64> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(u64::from(digit)));
            self.at += 1;
        }
        value
    }
}

/// Moves the characters of `run` to `parts` as one literal.
fn flush(run: &mut String, parts: &mut Vec<Hir>) {
    if !run.is_empty() {
        parts.push(Hir::literal(run.as_bytes()));
        run.clear();
    }
}

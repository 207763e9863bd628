//! A text that no match of a pattern can do without, read off the pattern as it was written.
//!
//! Compiling ten thousand patterns takes longer than anybody waits. Most of them hold a plain piece of
//! text, and where that is not in the question, the pattern need not be looked at any further. What is
//! not certain is left out: a piece too much would hide a lesson.

use crate::trigger::TriggerKind;

/// Pieces of text, in ASCII lower case: of at least one of the lists every match holds all, compared in
/// lower case. `None`: nothing is certain.
pub(super) fn certain(kind: TriggerKind, pattern: &str) -> Option<Vec<Vec<String>>> {
    let branches = match kind {
        TriggerKind::FileGlob => vec![of_glob(pattern)?.found],
        TriggerKind::CommandPattern | TriggerKind::PathPattern => of_expression(pattern)?,
        _ => return None,
    };
    branches.iter().all(|pieces| !pieces.is_empty()).then_some(branches)
}

/// Whether a text, in ASCII lower case, holds what is certain about a match.
pub(super) fn may_match(certain: Option<&Vec<Vec<String>>>, lower: &str) -> bool {
    let holds = |piece: &String| memchr::memmem::find(lower.as_bytes(), piece.as_bytes()).is_some();
    certain.is_none_or(|branches| branches.iter().any(|pieces| pieces.iter().all(holds)))
}

/// Pieces of plain text.
#[derive(Default)]
struct Pieces {
    found: Vec<String>,
    current: String,
}

impl Pieces {
    fn push(&mut self, c: char) {
        if c.is_ascii() {
            self.current.push(c.to_ascii_lowercase());
        } else {
            self.end();
        }
    }

    fn end(&mut self) {
        if !self.current.is_empty() {
            self.found.push(std::mem::take(&mut self.current));
        }
    }

    /// What stood last may be missing.
    fn end_without_last(&mut self) {
        self.current.pop();
        self.end();
    }
}

/// A slash beside `**` may be missing, as may one in the end, so no piece holds a slash. At the first
/// bracket the rest is given up.
fn of_glob(pattern: &str) -> Option<Pieces> {
    if pattern.starts_with('!') || pattern.contains(['\\', '"', '|']) {
        return None;
    }
    let mut pieces = Pieces::default();
    for c in pattern.strip_prefix("./").unwrap_or(pattern).chars() {
        match c {
            '[' | '{' | '(' => {
                pieces.end_without_last();
                return Some(pieces);
            }
            '*' | '/' | '!' | '@' => pieces.end(),
            '?' | '+' | ')' | '}' | ']' => pieces.end_without_last(),
            c => pieces.push(c),
        }
    }
    pieces.end();
    Some(pieces)
}

/// One list for each branch of the expression.
fn of_expression(pattern: &str) -> Option<Vec<Vec<String>>> {
    let mut branches = Vec::new();
    let mut pieces = Pieces::default();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '|' => {
                pieces.end();
                branches.push(std::mem::take(&mut pieces.found));
            }
            '\\' => {
                pieces.end();
                escaped(chars.next()?)?;
            }
            '[' => {
                pieces.end();
                skip_class(&mut chars)?;
            }
            '(' => {
                pieces.end();
                skip_group(&mut chars)?;
            }
            '{' => {
                pieces.end_without_last();
                chars.find(|&c| c == '}')?;
            }
            '?' | '*' => pieces.end_without_last(),
            '+' | '.' | '^' | '$' | ')' => pieces.end(),
            c => pieces.push(c),
        }
    }
    pieces.end();
    branches.push(pieces.found);
    Some(branches)
}

/// An escape that is over after one character. Of others nobody here knows where they end.
fn escaped(c: char) -> Option<()> {
    (!c.is_alphanumeric() || "dDwWsSbBtnrfv".contains(c)).then_some(())
}

/// Goes behind the `]`. In JavaScript the first one ends a class, wherever it stands.
fn skip_class(chars: &mut impl Iterator<Item = char>) -> Option<()> {
    loop {
        match chars.next()? {
            '\\' => {
                chars.next()?;
            }
            ']' => return Some(()),
            _ => {}
        }
    }
}

/// Goes behind the `)`.
fn skip_group(chars: &mut impl Iterator<Item = char>) -> Option<()> {
    let mut depth = 1;
    while depth > 0 {
        match chars.next()? {
            '\\' => {
                chars.next()?;
            }
            '[' => skip_class(chars)?,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::regex_of;

    #[test]
    fn a_plain_piece_is_found_and_an_uncertain_one_is_not() {
        let of = |kind, pattern| {
            let branches = certain(kind, pattern).unwrap_or_default();
            branches.iter().map(|pieces| pieces.join(" ")).collect::<Vec<_>>().join(" | ")
        };
        for (pattern, piece) in [
            (r"\bgit\s+stash\b", "git stash"),
            ("^pnpm test", "pnpm test"),
            ("colou?r", "colo r"),
            ("GIT", "git"),
            ("a|b", "a | b"),
            ("a|[bc]", ""),
            ("(npm|yarn) install", " install"),
            (r"x{2,3}yz", "yz"),
            (r"\x41bc", ""),
            ("[abc]+", ""),
            ("(?i)make", "make"),
        ] {
            assert_eq!(of(TriggerKind::CommandPattern, pattern), piece, "{pattern}");
        }
        for (pattern, piece) in [
            ("src/**/*.ts", "src .ts"),
            ("**/*.{ts,tsx}", ""),
            ("**/package.json", "package.json"),
            ("!*.md", ""),
            ("./docs/*.md", "docs .md"),
            ("a+b.ts", "b.ts"),
        ] {
            assert_eq!(of(TriggerKind::FileGlob, pattern), piece, "{pattern}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn every_match_holds_what_is_certain(
            pattern in r"([a-cA-C]|\\[bdwsx]|[.?*+|/{}()\[\]^$!@,]|\{1,2\}|\[ab\]|\*\*|\(ab?\)|4){1,7}",
            text in "[abcABC4/.x ]{0,8}",
        ) {
            for kind in [TriggerKind::CommandPattern, TriggerKind::FileGlob] {
                let Ok(regex) = regex_of(kind, &pattern) else { continue };
                if regex.is_match(&text) {
                    let certain = certain(kind, &pattern);
                    prop_assert!(may_match(certain.as_ref(), &text.to_ascii_lowercase()), "{kind} {pattern}");
                }
            }
        }
    }
}

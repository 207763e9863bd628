//! A text that no match of a pattern can do without, read off the pattern as it was written.
//!
//! Compiling ten thousand patterns takes longer than anybody waits. Most of them hold a plain piece of
//! text, and where that is not in the question, the pattern need not be looked at any further. What is
//! not certain is left out: a piece too much would hide a lesson.

use crate::trigger::TriggerKind;

/// How deep groups are looked into. What is deeper counts as uncertain.
const DEEPEST: usize = 32;

/// Whether a text can hold a match. `false` is certain, `true` is not.
///
/// Nothing is kept on the way: for nearly every pattern this is all that is ever done.
pub(super) fn may_match(kind: TriggerKind, pattern: &str, text: Text<'_>) -> bool {
    match kind {
        TriggerKind::FileGlob => of_glob(pattern, text),
        TriggerKind::CommandPattern | TriggerKind::PathPattern => {
            let mut reader = Reader { pattern: pattern.as_bytes(), at: 0, text };
            reader.branches(0).unwrap_or(true)
        }
        _ => true,
    }
}

/// Which bytes stand behind which in any of some texts.
///
/// To look for a piece in a text takes a while to begin with, and ten thousand patterns have many pieces. Nearly
/// every one of them has two bytes that nowhere stand side by side in what is asked.
#[derive(Debug)]
pub(super) struct Pairs(Vec<u64>);

impl Pairs {
    /// Those of texts in ASCII lower case.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut pairs = vec![0; 1 << 10];
        for pair in texts.into_iter().flat_map(|text| text.as_bytes().windows(2)) {
            let (word, bit) = place(pair);
            if let Some(word) = pairs.get_mut(word) {
                *word |= bit;
            }
        }
        Self(pairs)
    }

    /// Whether all pairs of a piece are there, in whatever case.
    fn have(&self, piece: &[u8]) -> bool {
        piece.windows(2).all(|pair| {
            let (word, bit) = place(pair);
            self.0.get(word).is_some_and(|word| word & bit != 0)
        })
    }
}

/// Where a pair stands: which word, which bit.
fn place(pair: &[u8]) -> (usize, u64) {
    let (first, second) = match pair {
        [first, second, ..] => (first.to_ascii_lowercase(), second.to_ascii_lowercase()),
        _ => (0, 0),
    };
    (usize::from(first) << 2 | usize::from(second >> 6), 1 << (second & 63))
}

/// A text that pieces of patterns are looked for in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'t> {
    /// The text, in ASCII lower case.
    pub(super) lower: &'t str,
    /// Its pairs, or those of more texts than this one.
    pub(super) pairs: &'t Pairs,
}

impl Text<'_> {
    /// Whether a piece of a pattern stands in it, in whatever case.
    fn holds(self, piece: &[u8]) -> bool {
        if piece.is_empty() || !self.pairs.have(piece) {
            return piece.is_empty();
        }
        let text = self.lower.as_bytes();
        if let [byte] = piece {
            return memchr::memchr(byte.to_ascii_lowercase(), text).is_some();
        }
        if piece.iter().any(u8::is_ascii_uppercase) {
            memchr::memmem::find(text, &piece.to_ascii_lowercase()).is_some()
        } else {
            memchr::memmem::find(text, piece).is_some()
        }
    }

    /// Whether it holds one of some literals, or there are none.
    pub(super) fn holds_any(self, literals: &[&str]) -> bool {
        literals.is_empty() || literals.iter().any(|literal| self.holds(literal.as_bytes()))
    }

    /// Whether it holds one of the texts of a choice, piece by piece.
    fn holds_one(self, choice: &[u8]) -> bool {
        let mut texts = choice.split(|byte| *byte == b',');
        texts.any(|one| one.split(|byte| *byte == b'/').all(|piece| self.holds(piece)))
    }
}

/// A slash beside `**` may be missing, as may one in the end, so no piece holds a slash. At a bracket that is no
/// plain choice (`{a,b}`) the rest is given up.
fn of_glob(pattern: &str, text: Text<'_>) -> bool {
    if pattern.starts_with('!') || pattern.contains(['\\', '"', '|']) {
        return true;
    }
    let glob = pattern.strip_prefix("./").unwrap_or(pattern).as_bytes();
    let (mut start, mut at) = (0, 0);
    let held = |from: usize, to: usize| text.holds(glob.get(from..to).unwrap_or_default());
    while let Some(&byte) = glob.get(at) {
        let choice = if byte == b'{' { choice(glob, at) } else { None };
        if choice.is_some_and(|choice| !text.holds_one(choice)) {
            return false;
        }
        let next = match byte {
            b'{' => choice.map(|choice| at + choice.len() + 2),
            b'[' | b'(' => None,
            _ => Some(at + 1),
        };
        let Some(next) = next else { return held(start, at.saturating_sub(1).max(start)) };
        let end = match byte {
            b'*' | b'/' | b'!' | b'@' | 0x80.. => Some(at),
            // What stands before may be missing.
            b'?' | b'+' | b')' | b'}' | b']' | b'{' => Some(at.saturating_sub(1).max(start)),
            _ => None,
        };
        if let Some(end) = end {
            if !held(start, end) {
                return false;
            }
            start = next;
        }
        at = next;
    }
    held(start, at)
}

/// What stands in a `{a,b}` that holds nothing but plain texts.
fn choice(glob: &[u8], at: usize) -> Option<&[u8]> {
    let rest = glob.get(at + 1..)?;
    let inside = rest.get(..rest.iter().position(|byte| *byte == b'}')?)?;
    let is_plain = inside.iter().all(|byte| byte.is_ascii_alphanumeric() || b",_-./".contains(byte));
    (is_plain && inside.contains(&b',') && !inside.windows(2).any(|pair| pair == b"..")).then_some(inside)
}

/// An expression on the way.
struct Reader<'p> {
    pattern: &'p [u8],
    at: usize,
    text: Text<'p>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    /// Whether one of the branches up to a `)` or the end can match. `None`: nobody here knows.
    fn branches(&mut self, depth: usize) -> Option<bool> {
        let mut any = self.branch(depth)?;
        while self.peek() == Some(b'|') {
            self.at += 1;
            any |= self.branch(depth)?;
        }
        Some(any)
    }

    /// Whether the text holds every piece up to a `|`, a `)` or the end.
    fn branch(&mut self, depth: usize) -> Option<bool> {
        let mut may = true;
        let mut start = self.at;
        while let Some(byte) = self.peek() {
            let here = self.at;
            let end = match byte {
                b'|' => break,
                b')' if depth > 0 => break,
                // What stands before may be missing.
                b'?' | b'*' | b'{' => here.saturating_sub(1).max(start),
                b'+' | b'.' | b'^' | b'$' | b')' | b'\\' | b'[' | b'(' | 0x80.. => here,
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            may = may && self.held(start, end);
            self.at += 1;
            match byte {
                b'\\' => self.skip_escape()?,
                b'[' => self.skip_class()?,
                b'{' => self.skip_to(b'}')?,
                b'(' => may &= self.group(depth)?,
                _ => {}
            }
            start = self.at;
        }
        Some(may && self.held(start, self.at))
    }

    fn held(&self, from: usize, to: usize) -> bool {
        self.text.holds(self.pattern.get(from..to).unwrap_or_default())
    }

    /// Whether a group can match; what it begins with stands behind its `(`.
    fn group(&mut self, depth: usize) -> Option<bool> {
        match self.pattern.get(self.at..)? {
            [b'?', b':', ..] => self.at += 2,
            // It is no group: what follows means the same in any case.
            [b'?', b'i', b')', ..] => {
                self.at += 3;
                return Some(true);
            }
            [b'?', ..] => return None,
            _ => {}
        }
        if depth == DEEPEST {
            return None;
        }
        let may = self.branches(depth + 1)?;
        if self.peek()? != b')' {
            return None;
        }
        self.at += 1;
        // It may be missing.
        Some(may || matches!(self.peek(), Some(b'?' | b'*' | b'{')))
    }

    /// Goes behind an escape that is over after one character. Of others nobody here knows where they end.
    fn skip_escape(&mut self) -> Option<()> {
        let byte = self.peek()?;
        self.at += 1;
        (byte.is_ascii() && (!byte.is_ascii_alphanumeric() || b"dDwWsSbBtnrfv".contains(&byte))).then_some(())
    }

    /// Goes behind the `]`. In JavaScript the first one ends a class, wherever it stands.
    fn skip_class(&mut self) -> Option<()> {
        loop {
            match self.peek()? {
                b'\\' => self.at += 2,
                b']' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn skip_to(&mut self, end: u8) -> Option<()> {
        let rest = self.pattern.get(self.at..)?;
        self.at += rest.iter().position(|byte| *byte == end)? + 1;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::regex_of;

    fn may_match(kind: TriggerKind, pattern: &str, lower: &str) -> bool {
        let pairs = Pairs::of([lower]);
        super::may_match(kind, pattern, Text { lower, pairs: &pairs })
    }

    #[test]
    fn a_text_without_a_certain_piece_cannot_match() {
        for (pattern, text, expected) in [
            (r"\bgit\s+stash\b", "git stash", true),
            (r"\bgit\s+stash\b", "git push", false),
            ("^pnpm test", "npm test", false),
            ("colou?r", "color", true),
            ("colou?r", "colo", false),
            ("GIT", "git", true),
            ("(?i)make", "cmake", true),
            ("(?i)make", "mke", false),
            ("a|b", "xbx", true),
            ("a|b", "xcx", false),
            ("a|[bc]", "x", true),
            ("(npm|yarn) install", "yarn install", true),
            ("(npm|yarn) install", "cargo install", false),
            ("(?:npm|yarn)? install", "cargo install", true),
            ("(?:a(?:b|c)d)+e", "acde", true),
            ("(?:a(?:b|c)d)+e", "axde", false),
            ("(?:^|[;&])\\s*(?:sudo |\\w+=x )*rm", "rm", true),
            ("(?:^|[;&])\\s*(?:sudo |\\w+=x )*rm", "sudo ls", false),
            (r"x{2,3}yz", "yz", true),
            (r"x{2,3}yz", "xxy", false),
            (r"\x41bc", "x", true),
            ("(?<word>a)b", "x", true),
            ("[abc]+", "x", true),
            ("é(?:ab)", "é", false),
        ] {
            assert_eq!(may_match(TriggerKind::CommandPattern, pattern, text), expected, "{pattern}: {text}");
        }
        for (pattern, text, expected) in [
            ("src/**/*.ts", "src/a.ts", true),
            ("src/**/*.ts", "lib/a.ts", false),
            ("**/*.{ts,tsx}", "a.rs", false),
            ("{docs,test}/**/plan.md", "docs/plan.md", true),
            ("{docs,test}/**/plan.md", "docs/a.md", false),
            ("{docs}/plan.md", "x", true),
            ("**/{.cache,a/b}/**", "x/.cache/y", true),
            ("**/{.cache,a/b}/**", "x/cache/y", false),
            ("{1..3}.md", "x", true),
            ("**/package.json", "package.json", true),
            ("!*.md", "a.rs", true),
            ("./docs/*.md", "docs/a.md", true),
            ("a+b.ts", "b.ts", true),
            ("a+b.ts", "a.ts", false),
            ("lib[ab]/x", "li/y", true),
            ("lib[ab]/x", "l/y", false),
        ] {
            assert_eq!(may_match(TriggerKind::FileGlob, pattern, text), expected, "{pattern}: {text}");
        }
    }

    #[test]
    fn what_is_nested_without_end_is_uncertain() {
        assert!(may_match(TriggerKind::CommandPattern, &"(".repeat(1_000_000), "x"));
        let nested = format!("{}a{}", "(".repeat(DEEPEST + 1), ")".repeat(DEEPEST + 1));
        assert!(may_match(TriggerKind::CommandPattern, &nested, "x"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8_000))]
        #[test]
        fn a_text_that_matches_may_match(
            pattern in r"([a-cA-C]|\\[bdwsx]|[.?*+|/{}()\[\]^$!@,]|\{1,2\}|\[ab\]|\*\*|\(ab?\)|\((\?:)?[a-c]{1,2}\|b?[ac]\)|\{a,b[ac./][ab]?\}|4){1,7}",
            text in "[abcABC4/.x ]{0,8}",
        ) {
            for kind in [TriggerKind::CommandPattern, TriggerKind::FileGlob] {
                let Ok(regex) = regex_of(kind, &pattern) else { continue };
                if regex.is_match(&text) {
                    prop_assert!(may_match(kind, &pattern, &text.to_ascii_lowercase()), "{kind} {pattern}");
                }
            }
        }
    }
}

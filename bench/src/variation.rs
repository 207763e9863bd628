//! Variations of the patterns of built-in lessons, which match other texts than the originals.

/// Words that stay as they are: those that many lessons share, and those of the shell.
const SHARED: [&str; 28] = [
    "test", "cargo", "node", "python", "docker", "pytest", "commit", "push", "clone", "then", "else",
    "while", "until", "time", "exec", "command", "nohup", "sudo", "doas", "timeout", "nice", "xargs", "true",
    "false", "main", "null", "bash", "echo",
];
/// The length of the shortest run of letters that is changed, so that `git` and `npm` stay too.
const SHORTEST: usize = 4;
/// The longest pattern that a trigger may have, in characters.
const LONGEST: usize = 1000;

/// Puts `suffix` behind each word of a regular expression. Returns `None` if the expression has no word to change or
/// would become too long.
pub fn of_regex(pattern: &str, suffix: &str) -> Option<String> {
    let mut out = Variation::new(suffix);
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' => escape(rest),
            '[' => class(rest),
            '(' if rest.starts_with("(?") => through(rest, [':', ')']),
            '{' => through(rest, ['}', '}']),
            letter if letter.is_ascii_alphabetic() => {
                rest = out.word(rest);
                continue;
            }
            other => other.len_utf8(),
        };
        rest = out.copy(rest, length);
    }
    out.done()
}

/// Puts `suffix` behind each word of a glob, as [`of_regex`] does. A file extension stays.
pub fn of_glob(pattern: &str, suffix: &str) -> Option<String> {
    let mut out = Variation::new(suffix);
    let mut rest = pattern;
    let mut previous = None;
    while let Some(first) = rest.chars().next() {
        match first {
            letter if letter.is_ascii_alphabetic() && previous != Some('.') => rest = out.word(rest),
            letter if letter.is_ascii_alphabetic() => rest = out.copy(rest, letters(rest)),
            '[' => rest = out.copy(rest, class(rest)),
            other => rest = out.copy(rest, other.len_utf8()),
        }
        previous = Some(first);
    }
    out.done()
}

/// A variation in the making.
struct Variation<'a> {
    suffix: &'a str,
    text: String,
    changed: bool,
}

impl<'a> Variation<'a> {
    fn new(suffix: &'a str) -> Self {
        Self { suffix, text: String::new(), changed: false }
    }

    /// Copies `length` bytes of `rest` and returns the remainder.
    fn copy<'p>(&mut self, rest: &'p str, length: usize) -> &'p str {
        let (same, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        self.text.push_str(same);
        behind
    }

    /// Copies the run of letters at the start of `rest`, with the suffix if it is a word, and returns the remainder.
    fn word<'p>(&mut self, rest: &'p str) -> &'p str {
        let length = letters(rest);
        let own = length >= SHORTEST && !SHARED.contains(&&rest[..length]);
        let behind = self.copy(rest, length);
        if own {
            self.text.push_str(self.suffix);
            self.changed = true;
        }
        behind
    }

    fn done(self) -> Option<String> {
        (self.changed && self.text.chars().count() <= LONGEST).then_some(self.text)
    }
}

fn letters(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_alphabetic).count()
}

/// Returns the length of the escape at the start of `text`: `\b`, `\u0041`, `\x41`.
fn escape(text: &str) -> usize {
    let Some(kind) = text.chars().nth(1) else { return text.len() };
    let digits = match kind {
        'u' => 4,
        'x' => 2,
        _ => 0,
    };
    1 + kind.len_utf8() + digits
}

/// Returns the length of the character class at the start of `text`.
fn class(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of `text` up to and with the first of `ends`.
fn through(text: &str, ends: [char; 2]) -> usize {
    text.find(ends).map_or(text.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patterns_own_words_change_and_the_shared_ones_do_not() {
        let vary = |pattern| of_regex(pattern, "bako");
        assert_eq!(vary(r"\bgit\s+stash\b").as_deref(), Some(r"\bgit\s+stashbako\b"));
        assert_eq!(vary(r"(?i)sudo (?:push|force)").as_deref(), Some("(?i)sudo (?:push|forcebako)"));
        assert_eq!(vary(r"npm test"), None);
    }

    #[test]
    fn classes_escapes_and_counts_are_no_words() {
        assert_eq!(of_regex(r"[word\]word]\nlong{10,20}\u0041bcde", "X").as_deref(), {
            Some(r"[word\]word]\nlongX{10,20}\u0041bcdeX")
        });
    }

    #[test]
    fn an_extension_stays() {
        assert_eq!(of_glob("**/package-lock.json", "X").as_deref(), Some("**/packageX-lockX.json"));
        assert_eq!(of_glob("**/*.py", "X"), None);
    }

    #[test]
    fn a_pattern_that_would_be_too_long_is_none() {
        assert_eq!(of_regex(&"word ".repeat(190), "suffix"), None);
    }
}

//! The stock of texts that sessions are made of, escaped for JSON.

use lessons_bench::words::word;

/// Words of code and of talk about it.
const WORDS: [&str; 48] = [
    "the", "a", "build", "test", "error", "file", "path", "run", "function", "value", "return", "import",
    "module", "cargo", "npm", "install", "git", "commit", "config", "server", "client", "request",
    "response", "data", "type", "struct", "match", "let", "const", "async", "await", "user", "token",
    "stream", "buffer", "line", "index", "map", "vector", "string", "parse", "render", "update", "of", "in",
    "is", "to", "for",
];
/// Separators between words of code, escaped for JSON.
const MARKS: [&str; 12] = ["(", ") ", " = ", "; ", ".", "::", " { ", " } ", "\\\"", ", ", "_", "\\t"];
/// The beginnings of commands.
const COMMANDS: [&str; 8] = [
    "cargo test -p",
    "npm run",
    "git log --oneline --",
    "rg -n",
    "ls -la",
    "python3 -m pytest",
    "make",
    "docker compose",
];
/// The beginnings of errors.
const ERRORS: [&str; 4] = [
    "error: no such option",
    "command not found:",
    "fatal: not a git repository:",
    "error[E0308]: mismatched types in",
];
/// The number of texts of each kind.
const COUNT: usize = 256;
/// The lengths of results in lines: most are short, some are long.
const RESULTS: [usize; 8] = [1, 3, 8, 20, 40, 80, 200, 2_000];

/// A generator of pseudo-random numbers: `SplitMix64`, the same for the same seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    /// Draws a number below `sides`.
    pub(super) fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap_or_default() % sides.max(1)
    }

    /// Draws `true` once in `times` times.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Draws one of several values.
    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// Texts of every kind that a transcript holds.
pub(super) struct TextStock {
    sentences: Vec<String>,
    code: Vec<String>,
    results: Vec<String>,
    errors: Vec<String>,
    commands: Vec<String>,
    paths: Vec<String>,
}

impl TextStock {
    pub(super) fn new() -> Self {
        let dice = &mut Dice::new(COUNT);
        let mut many = |make: &mut dyn FnMut(&mut Dice, usize) -> String| -> Vec<String> {
            (0..COUNT).map(|number| make(dice, number)).collect()
        };
        Self {
            sentences: many(&mut |dice, _| {
                let words = 4 + dice.below(60);
                sentence(dice, words)
            }),
            code: many(&mut |dice, _| {
                let lines = 1 + dice.below(8);
                code(dice, lines)
            }),
            // The longest kind is rare.
            results: many(&mut |dice, number| {
                let kinds = if number % 64 == 0 { RESULTS.len() } else { RESULTS.len() - 1 };
                let lines = RESULTS[dice.below(kinds)];
                code(dice, lines)
            }),
            errors: many(&mut |dice, number| {
                format!("Exit code 1\\n{} {}\\n{}", dice.one(&ERRORS), word(number), code(dice, 3))
            }),
            commands: many(&mut |dice, number| format!("{} {}", dice.one(&COMMANDS), word(number % 40))),
            paths: many(&mut |_, number| format!("src/{}/{}.rs", word(number % 16), word(number))),
        }
    }

    pub(super) fn sentence(&self, dice: &mut Dice) -> &str {
        one(&self.sentences, dice)
    }

    pub(super) fn code(&self, dice: &mut Dice) -> &str {
        one(&self.code, dice)
    }

    pub(super) fn result(&self, dice: &mut Dice) -> &str {
        one(&self.results, dice)
    }

    pub(super) fn error(&self, dice: &mut Dice) -> &str {
        one(&self.errors, dice)
    }

    pub(super) fn command(&self, dice: &mut Dice) -> &str {
        one(&self.commands, dice)
    }

    pub(super) fn path(&self, dice: &mut Dice) -> &str {
        one(&self.paths, dice)
    }
}

fn one<'s>(texts: &'s [String], dice: &mut Dice) -> &'s str {
    &texts[dice.below(texts.len())]
}

fn sentence(dice: &mut Dice, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| dice.one(&WORDS)).collect();
    words.join(" ")
}

/// Makes lines with the words and marks of code.
fn code(dice: &mut Dice, lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        text.push_str(&word(dice.below(100_000)));
        for _ in 0..4 + dice.below(10) {
            text.push_str(dice.one(&MARKS));
            text.push_str(dice.one(&WORDS));
        }
        if number + 1 < lines {
            text.push_str("\\n");
        }
    }
    text
}

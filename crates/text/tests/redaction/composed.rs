//! Texts composed at test time, so that no file of this project holds what another tool takes for a secret.
//!
//! A template is a text in which `{b62:36}` stands for 36 random letters and digits, and `«…»` surrounds the secret.

use std::ops::Range;

/// A source of random numbers (xorshift64), the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % limit as u64).unwrap()
    }

    fn one_of<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn letters(&mut self, alphabet: &str, count: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..count).map(|_| letters[self.below(letters.len())]).collect()
    }
}

const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";
const WORDS: [&str; 16] = [
    "copper", "lantern", "meadow", "violin", "granite", "walnut", "harbor", "pepper", "falcon", "saddle",
    "orchid", "tunnel", "magnet", "biscuit", "glacier", "marble",
];
const SIGNS: [&str; 8] = ["!", "#", "$", "%", "+", "=", "*", "?"];

/// A composed text and the places of the secrets in it.
pub(crate) struct Composed {
    pub(crate) text: String,
    pub(crate) secrets: Vec<Range<usize>>,
}

/// Fills a template in.
pub(crate) fn composed(template: &str, random: &mut Random) -> Composed {
    let mut out = Composed { text: String::new(), secrets: Vec::new() };
    let mut start = 0;
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '«' => start = out.text.len(),
            '»' => out.secrets.push(start..out.text.len()),
            '{' => match rest.split_once('}').and_then(|(name, after)| Some((part(name, random)?, after))) {
                Some((part, after)) => {
                    out.text.push_str(&part);
                    rest = after;
                }
                None => out.text.push('{'),
            },
            c => out.text.push(c),
        }
    }
    out
}

/// The text that a placeholder stands for; `None` for what is none.
fn part(name: &str, random: &mut Random) -> Option<String> {
    let (kind, count) = name.split_once(':').unwrap_or((name, "1"));
    let count = count.parse().ok()?;
    let of = |parts: &[&str]| parts.concat();
    Some(match kind {
        "b62" => random.letters(&of(&[UPPER, LOWER, DIGITS]), count),
        "b64" => random.letters(&of(&[UPPER, LOWER, DIGITS, "+/"]), count),
        "url" => random.letters(&of(&[UPPER, LOWER, DIGITS, "-_"]), count),
        "hex" => random.letters("0123456789abcdef", count),
        "HEX" => random.letters("0123456789ABCDEF", count),
        "up" => random.letters(&of(&[UPPER, DIGITS]), count),
        "low" => random.letters(&of(&[LOWER, DIGITS]), count),
        "b32" => random.letters(&of(&[UPPER, "234567"]), count),
        "b58" => random.letters("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", count),
        "crypt" => random.letters(&of(&[UPPER, LOWER, DIGITS, "./"]), count),
        "digits" => random.letters(DIGITS, count),
        "word" => random.one_of(&WORDS).to_owned(),
        "words" => (0..count).map(|_| random.one_of(&WORDS)).collect::<Vec<_>>().join(" "),
        "uuid" => [8, 4, 4, 4, 12].map(|count| random.letters("0123456789abcdef", count)).join("-"),
        // A password as people make them.
        "pass" => {
            let word = random.one_of(&WORDS);
            let sign = random.one_of(&SIGNS);
            let number = random.letters(DIGITS, 2 + count);
            match random.below(3) {
                0 => format!("{}{}{number}{sign}", word[..1].to_uppercase(), &word[1..]),
                1 => format!("{word}{number}"),
                _ => format!("{}{sign}{number}{word}", word[..3].to_uppercase()),
            }
        }
        "generated" => random.letters(&of(&[UPPER, LOWER, DIGITS, "!#%+=_-"]), count),
        _ => return None,
    })
}

//! The sentences of a prompt: what a person wrote in their own words, without what they pasted or quoted.

use std::iter;

use crate::tag::Fence;

/// The longest prompt that is read for what a person asks, in characters. A longer one is a task, or a paste.
const MOST_CHARS: usize = 600;
/// The marks at the ends of a word that are no part of it.
const MARKS: &[char] =
    &[',', '.', ';', ':', '!', '?', '(', ')', '[', ']', '"', '\'', '`', '“', '”', '‘', '’', '…', '*'];

/// Words with which people begin before they say something.
const OPENERS: [&str; 52] = [
    "ah",
    "also",
    "and",
    "argh",
    "awesome",
    "btw",
    "but",
    "cool",
    "done",
    "emm",
    "exactly",
    "fine",
    "great",
    "hello",
    "hey",
    "hi",
    "hm",
    "hmm",
    "just",
    "nah",
    "nice",
    "no",
    "nope",
    "now",
    "oh",
    "ok",
    "okay",
    "one",
    "perfect",
    "please",
    "pls",
    "plus",
    "right",
    "so",
    "sorry",
    "still",
    "sure",
    "thanks",
    "then",
    "though",
    "ugh",
    "uh",
    "uhh",
    "um",
    "wait",
    "well",
    "whoa",
    "wondering",
    "yeah",
    "yep",
    "yes",
    "yup",
];
/// Words with which people begin, in pairs.
const OPENING_PAIRS: [[&str; 2]; 6] =
    [["i", "think"], ["i", "mean"], ["i", "guess"], ["you", "know"], ["in", "general"], ["one", "thing"]];

/// What programs print and people paste.
const PRINTED: [&str; 7] = ["error:", "Error:", "ERROR:", "warning:", "WARN", "FAIL", "\t"];
/// What stands between the clauses of a sentence.
const CLAUSE_ENDS: [&str; 2] = [", ", ": "];

/// A sentence of a prompt.
#[derive(Debug)]
pub(super) struct Sentence<'t> {
    /// The sentence as typed, without the mark of a list before it.
    pub(super) text: &'t str,
    /// Its words in lower case, without the openers and the marks around them.
    pub(super) words: Vec<String>,
    /// What is left of the text without the openers.
    pub(super) core: &'t str,
    /// Whether it ends with a question mark.
    pub(super) is_question: bool,
}

impl<'t> Sentence<'t> {
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let mut core = text;
        while let Some((first, rest)) = next_word(core) {
            let second = next_word(rest).map(|(word, _)| word).unwrap_or_default();
            let is_pair = OPENING_PAIRS.iter().any(|pair| pair[0] == first && pair[1] == second);
            // "No need to …" and "just" before an operand say something.
            let is_no_need = first == "no" && matches!(second.as_str(), "need" | "more");
            if is_pair {
                core = next_word(rest).map_or("", |(_, rest)| rest);
            } else if OPENERS.contains(&first.as_str()) && !is_no_need {
                core = rest;
            } else {
                break;
            }
        }
        let core = core.trim_start_matches(|c: char| c.is_whitespace() || ",.;:!-–—".contains(c));
        let words: Vec<String> = core.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
        let is_question = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?');
        (!words.is_empty()).then_some(Self { text, words, core, is_question })
    }

    /// The later clauses of the sentence.
    pub(super) fn later_clauses(&self) -> impl Iterator<Item = Sentence<'t>> {
        CLAUSE_ENDS.iter().flat_map(|end| self.core.split(end).skip(1)).filter_map(Sentence::read)
    }

    /// The sentence without "can you" before it.
    pub(super) fn without_request(mut self) -> Self {
        let is_request = matches!(self.word(0), "can" | "could" | "would" | "will") && self.word(1) == "you";
        if let Some((_, rest)) = is_request.then(|| next_word(self.core)).flatten() {
            self.core = next_word(rest).map_or("", |(_, rest)| rest.trim_start());
            self.words.drain(..2);
        }
        self
    }

    /// Whether the sentence begins with these words.
    pub(super) fn begins(&self, with: &[&str]) -> bool {
        self.words.len() >= with.len() && self.words.iter().zip(with).all(|(word, with)| word == with)
    }

    /// Whether these words follow one another somewhere.
    pub(super) fn has(&self, phrase: &str) -> bool {
        let first = phrase.as_bytes().first();
        (0..self.words.len()).any(|at| {
            // Nearly no word is the first one, and comparing a letter takes less than splitting.
            let mut words = self.words[at..].iter();
            self.words[at].as_bytes().first() == first
                && phrase.split(' ').all(|wanted| words.next().is_some_and(|word| word == wanted))
        })
    }

    /// The word at a position, empty after the end.
    pub(super) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }
}

/// The sentences of a prompt, without fenced and quoted lines. None where the prompt is too long, or looks like a
/// document: a person who types writes no headings.
pub(super) fn sentences(prompt: &str) -> Vec<Sentence<'_>> {
    let is_document =
        |line: &str| ["# ", "## ", "### ", "**", "<!--", "|"].iter().any(|start| line.starts_with(start));
    if prompt.chars().nth(MOST_CHARS).is_some() || prompt.lines().any(|line| is_document(line.trim_start())) {
        return Vec::new();
    }
    let mut fence = Fence::default();
    let mut found = Vec::new();
    for line in prompt.lines() {
        let was_open = fence.is_open();
        fence.process(line);
        if !was_open && !fence.is_open() && is_own(line) {
            found.extend(split(without_bullet(line)).filter_map(Sentence::read));
        }
    }
    found
}

/// The sentences of a text that the person need not have written, quotations included.
pub(super) fn quoted_sentences(text: &str) -> Vec<Sentence<'_>> {
    let lines = text.lines().map(|line| line.trim_start_matches(['>', '+', '"', '“', ' ', '\t']));
    lines.flat_map(|line| split(without_bullet(line)).filter_map(Sentence::read)).collect()
}

/// Whether a line is in the person's own words, and no quotation and no output of a program.
fn is_own(line: &str) -> bool {
    let line = line.trim();
    let is_quoted =
        line.starts_with('>') || line.starts_with(['"', '“', '+', '=', '│', '⎿', '⏺', '$', '{', '}', '[']);
    let is_printed = PRINTED.iter().any(|mark| line.contains(mark));
    let letters = line.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    !is_quoted && !is_printed && letters * 10 >= line.chars().count() * 6
}

fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    let line = line.strip_prefix(['-', '*', '•']).map_or(line, str::trim_start);
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match number.strip_prefix(['.', ')']) {
        Some(rest) if number.len() < line.len() && rest.starts_with(' ') => rest.trim_start(),
        _ => line,
    }
}

/// Splits a line where a mark ends a sentence: one that white space follows, since `a.b` is a name.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    iter::from_fn(move || {
        if rest.trim().is_empty() {
            return None;
        }
        let mut marks =
            rest.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
        let end = marks.find_map(|(at, c)| {
            let end = at + c.len_utf8();
            (!c.is_ascii() || rest[end..].starts_with(char::is_whitespace)).then_some(end)
        });
        let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(sentence)
    })
}

/// The first word without its marks, in lower case, and what follows it.
fn next_word(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (!word.is_empty()).then(|| (bare(word), rest))
}

/// A word in lower case, without the marks around it. `’` is an apostrophe.
fn bare(word: &str) -> String {
    let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = word.as_bytes();
    // Of nearly all words there is nothing to trim.
    let word =
        if is_plain(bytes.first()) && is_plain(bytes.last()) { word } else { word.trim_matches(MARKS) };
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.replace('’', "'").to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(prompt: &str) -> Vec<&str> {
        sentences(prompt).into_iter().map(|sentence| sentence.core).collect()
    }

    #[test]
    fn a_prompt_is_split_where_a_sentence_ends_and_openers_go() {
        assert_eq!(cores("Yes, but use a.b here. And then stop!"), ["use a.b here.", "stop!"]);
        assert_eq!(cores("- one more\n2. two more"), ["more", "two more"]);
        assert_eq!(cores("no need to ask"), ["no need to ask"], "this no says something");
        assert_eq!(cores("今後は使わない。はい"), ["今後は使わない。", "はい"]);
    }

    #[test]
    fn what_is_quoted_fenced_or_printed_is_not_in_the_persons_words() {
        for line in
            ["> always push", "\"never push\"", "+ always push", "=== never push", "1234 5678 !!! 0x00 err"]
        {
            assert!(cores(line).is_empty(), "{line}");
        }
        assert_eq!(cores("```\nalways push\n```\nlook"), ["look"]);
        assert!(cores("## Plan\nalways push").is_empty(), "a document");
        assert!(cores(&"push it ".repeat(100)).is_empty(), "a task");
    }

    #[test]
    fn words_are_in_lower_case_without_the_marks_around_them() {
        let sentence = Sentence::read("Don’t use `--force`, OK?").unwrap();
        assert_eq!(sentence.words, ["don't", "use", "--force", "ok"]);
        assert!(sentence.is_question && sentence.begins(&["don't", "use"]) && sentence.has("use --force"));
        assert!(!sentence.has("use ok") && sentence.word(9).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,60}") {
            for sentence in sentences(&text) {
                proptest::prop_assert!(text.contains(sentence.core) && !sentence.words.is_empty());
            }
        }
    }
}

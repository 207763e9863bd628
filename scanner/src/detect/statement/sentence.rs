//! The sentences of a prompt: what a person wrote in their own words, without what they pasted or quoted.

use std::iter;

use crate::detect::command::options::lists;
use crate::detect::statement::phrases::{PhraseKind, is_kept, said};
use crate::tag::Fence;

/// The longest prompt that is read for what a person asks, in characters. A longer one is a task, or a paste.
const MOST_CHARS: usize = 600;
/// The most words of a sentence that states one thing.
pub(super) const MOST_WORDS: usize = 45;
/// The longest demand to remember what was just said, in characters, where no space parts its words.
const MOST_OF_DEMAND: usize = 12;
/// Words with which such a demand ends: "keep that in mind".
const POINTING: &str = "it mind that this das dir ça";
/// The marks at the ends of a word that are no part of it.
const MARKS: &[char] = &[
    ',', '.', ';', ':', '!', '?', '(', ')', '[', ']', '"', '\'', '`', '“', '”', '‘', '’', '…', '*', '。',
    '，', '、', '；', '：', '！', '？', '「', '」', '—', '–',
];

/// Words with which people begin before they say something.
const OPENERS: &str = "ah also and but done fine good great hey hi hm hmm just nice no nope now oh ok okay perfect please \
     right so sorry thanks then thx ty well yeah yes";
/// Words before which a "no" without a mark is such an opener. Before others it forbids them: "no mocks", "no uses".
const AFTER_NO: &str =
    "always do don't dont i i'm it it's its never no not stop that that's thats this we you";

/// What programs print and people paste.
const PRINTED: [&str; 7] = ["error:", "Error:", "ERROR:", "warning:", "WARN", "FAIL", "\t"];
/// The marks behind which another clause begins.
pub(crate) const CLAUSE_ENDS: &[char] = &[',', ';', ':', '，', '、', '；', '：', '—', '–'];
/// How lines begin in which another model is told who it is.
const FOR_A_MODEL: [&str; 3] = ["You are a", "You are an", "Act as a"];

/// A sentence of a prompt.
#[derive(Debug)]
pub(crate) struct Sentence<'t> {
    /// The sentence as typed, without the mark of a list before it.
    pub(crate) text: &'t str,
    /// Its words in lower case, without the openers and the marks around them.
    pub(crate) words: Vec<String>,
    /// The words with a space around each, and ` , ` between clauses.
    pub(crate) line: String,
    /// What is left of the text without the openers.
    pub(crate) core: &'t str,
    /// Whether it ends with a question mark.
    pub(crate) is_question: bool,
}

impl<'t> Sentence<'t> {
    pub(crate) fn read(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let mut core = text;
        while let Some((first, rest)) = next_word(core) {
            let is_closed = !core[..core.len() - rest.len()].ends_with(char::is_alphanumeric);
            let forbids = first == "no"
                && !is_closed
                && next_word(rest).is_some_and(|(second, _)| second != "-" && !lists(AFTER_NO, &second));
            if forbids || !lists(OPENERS, &first) {
                break;
            }
            core = rest;
        }
        let core = core.trim_start();
        let is_hidden_file =
            core.strip_prefix('.').is_some_and(|name| name.starts_with(char::is_alphanumeric));
        let marks = if is_hidden_file { "" } else { ",.;:!–—" };
        let core = core.trim_start_matches(|c: char| c.is_whitespace() || marks.contains(c));
        // A dash, and not the start of an option.
        let core = core.strip_prefix("- ").unwrap_or(core).trim_start();
        let (mut words, mut line) = (Vec::new(), String::from(" "));
        for part in
            core.split_inclusive(|c: char| c.is_whitespace() || CLAUSE_ENDS.contains(&c) && !c.is_ascii())
        {
            let typed = part.trim_end();
            let typed_words = bare(typed);
            let parts = split_by_script(&typed_words).map(|part| part.trim_matches(MARKS));
            for word in parts.filter(|part| !part.is_empty()) {
                line.push_str(word);
                line.push(' ');
                words.push(word.to_owned());
            }
            if typed.ends_with(CLAUSE_ENDS) || typed == "-" {
                line.push_str(", ");
            }
        }
        let end = text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？'));
        let is_question = end.ends_with(['?', '？']);
        (!words.is_empty()).then_some(Self { text, words, line, core, is_question })
    }

    /// Whether one of the words of a list begins it.
    pub(crate) fn begins_with(&self, list: &str) -> bool {
        self.words.first().is_some_and(|first| lists(list, first))
    }

    /// Whether it asks for something to be remembered and does not say what.
    fn only_demands(&self) -> bool {
        let is_short = match self.words.as_slice() {
            [_] => self.core.chars().count() <= MOST_OF_DEMAND,
            [_, _] => true,
            words => words.len() <= 4 && words.last().is_some_and(|last| lists(POINTING, last)),
        };
        is_short && said(&self.line).iter().any(|said| said.kind == PhraseKind::Remember)
    }

    /// Whether it is long enough to say something. A script without spaces has few words.
    pub(crate) fn says_enough(&self) -> bool {
        self.words.len() >= 3 || self.core.chars().filter(|c| is_of_east(*c)).count() >= 5
    }
}

/// The parts of a word in scripts that are written without spaces, and those in others: `用npm` is `用` and `npm`.
pub(crate) fn split_by_script(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    iter::from_fn(move || {
        let is_east = is_of_east(rest.chars().next()?);
        let end = rest.find(|c| is_of_east(c) != is_east).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Whether a character is Chinese, Japanese or Korean.
pub(crate) fn is_of_east(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// The sentences of a prompt, without fenced and quoted lines. None where the prompt is too long, or looks like a
/// document: a person who types writes no headings.
pub(crate) fn sentences(prompt: &str) -> Vec<Sentence<'_>> {
    let is_document = |line: &str| {
        let starts = ["# ", "## ", "### ", "**", "<!--", "|"];
        starts.iter().chain(&FOR_A_MODEL).any(|start| line.starts_with(start))
    };
    if weight(prompt) > MOST_CHARS || prompt.lines().any(|line| is_document(line.trim_start())) {
        return Vec::new();
    }
    let mut fence = Fence::default();
    let mut found = Vec::new();
    for line in without_quotation(prompt).into_iter().flat_map(str::lines) {
        let was_open = fence.is_open();
        fence.process(line);
        if !was_open && !fence.is_open() && is_own(line) {
            let (line, mut end) = (without_bullet(line), 0);
            // Where the last sentence of this line begins.
            let mut last = None;
            for text in split(line) {
                // "Deploys go through the pipeline. Remember that." says one thing.
                let joins = Sentence::read(text).is_some_and(|it| it.only_demands());
                let before = last.filter(|_| joins && found.pop().is_some());
                let start = before.unwrap_or(end);
                end += text.len();
                let text = &line[start..end];
                let sentence = Sentence::read(text);
                let is_long = sentence.as_ref().is_some_and(|it| it.words.len() > MOST_WORDS);
                last = sentence.is_some().then_some(start).filter(|_| !is_long);
                if is_long {
                    found.extend(clauses(text));
                } else {
                    found.extend(sentence);
                }
            }
        }
    }
    found
}

/// The clauses of a sentence that somebody dictated without a stop, each with the one after it: "use this, not that".
fn clauses(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    let starts = iter::once(0).chain(text.match_indices(", ").map(|(at, mark)| at + mark.len()));
    let starts: Vec<usize> = starts.chain([text.len()]).collect();
    let pairs = (0..(starts.len() - 2).max(1))
        .filter_map(move |at| text.get(starts[at]..*starts.get(at + 2).or(starts.last())?));
    pairs.filter_map(|pair| Sentence::read(pair.trim_end_matches([',', ' '])))
}

/// The prompt around what it quotes after a colon: a text to be translated, or to be put somewhere. What is to be remembered
/// stays.
fn without_quotation(prompt: &str) -> [&str; 2] {
    const QUOTES: [(&str, char); 6] =
        [(": \"", '"'), (": “", '”'), (": '", '\''), ("「", '」'), ("« ", '»'), (": „", '“')];
    let opens = |(open, close): &(&str, char)| prompt.find(open).map(|at| (at, at + open.len(), *close));
    let Some((at, from, close)) = QUOTES.iter().filter_map(opens).min() else { return [prompt, ""] };
    let (intro, quoted) = (&prompt[..at], &prompt[from..]);
    if Sentence::read(intro).is_none_or(|intro| is_kept(&intro.line)) {
        return [prompt, ""];
    }
    [intro, quoted.rfind(close).map_or("", |end| &quoted[end + close.len_utf8()..])]
}

/// The length of a text, in characters of a script with spaces: one of another says as much as two of them and more.
fn weight(text: &str) -> usize {
    text.chars().take(MOST_CHARS + 1).map(|c| if is_of_east(c) { 3 } else { 1 }).sum()
}

/// Whether a line is in the person's own words, and no quotation and no output of a program.
fn is_own(line: &str) -> bool {
    let line = line.trim();
    let is_quoted = line.starts_with(['>', '+', '=', '│', '⎿', '⏺', '$', '{', '}', '[', '<'])
        || without_bullet(line).starts_with(['"', '“', '„', '«']);
    let is_printed = PRINTED.iter().any(|mark| line.contains(mark));
    let letters = line.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    !is_quoted && !is_printed && letters * 10 >= line.chars().count() * 6
}

/// A line without the mark of a list, or the number, before it.
pub(crate) fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    let bullet = line.strip_prefix(['-', '*', '•']);
    // An option begins with a dash too.
    let bullet = bullet.filter(|rest| !line.starts_with('-') || rest.starts_with(char::is_whitespace));
    let line = bullet.map_or(line, str::trim_start);
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
            // Who writes Chinese ends a sentence with another mark: `println!` is a name.
            let is_of_name = c == '!' && rest[end..].trim_start().starts_with(is_of_east);
            let ends = !c.is_ascii() || rest[end..].starts_with(char::is_whitespace) && !is_of_name;
            ends.then_some(end)
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
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.replace(['’', 'ʼ'], "'").to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(prompt: &str) -> Vec<&str> {
        sentences(prompt).into_iter().map(|sentence| sentence.core).collect()
    }

    #[test]
    fn what_was_dictated_without_a_stop_is_read_by_its_clauses() {
        let words = "look at the list again and tell me why it is empty ".repeat(4);
        let prompt = format!("{words}, and for the logs we never use `println!`, we have a logger");
        let found = cores(&prompt);
        assert_eq!(
            found.last(),
            Some(&"for the logs we never use `println!`, we have a logger"),
            "{found:?}"
        );
    }

    #[test]
    fn a_prompt_is_split_where_a_sentence_ends_and_openers_go() {
        assert_eq!(cores("Yes, but use a.b here. And then stop!"), ["use a.b here.", "stop!"]);
        assert_eq!(cores("- and more\n2. two more"), ["more", "two more"]);
        assert_eq!(cores("ok - go on"), ["go on"]);
        assert_eq!(cores("今後は使わない。はい"), ["今後は使わない。", "はい"]);
        assert_eq!(cores("no, .venv/bin/python, not python"), [".venv/bin/python, not python"]);
    }

    #[test]
    fn a_demand_to_remember_belongs_to_what_was_said_before() {
        for text in [
            "Deploys go through the pipeline. Remember that.",
            "Deploys go through the pipeline. Keep that in mind!",
            "デプロイは必ず CI から。覚えておいて。",
            "Деплой только через CI. Запомни это.",
        ] {
            assert_eq!(cores(text), [text]);
        }
        let own = "Remember that deploys go through the pipeline.";
        assert_eq!(cores(&format!("It is red. {own}")), ["It is red.", own]);
        assert_eq!(cores("Remember that."), ["Remember that."]);
        assert_eq!(cores("Never push.\nRemember that."), ["Never push.", "Remember that."]);
        assert_eq!(cores("Fix the footer. Update CLAUDE.md."), ["Fix the footer.", "Update CLAUDE.md."]);
    }

    #[test]
    fn a_no_that_forbids_what_follows_and_the_dashes_of_an_option_stay() {
        for kept in ["no need to ask", "no emojis in logs", "no toques la base", "--amend は使わないで"]
        {
            assert_eq!(cores(kept), [kept]);
        }
        for cut in ["No, emojis in logs", "no! emojis in logs", "no - emojis in logs"] {
            assert_eq!(cores(cut).last(), Some(&"emojis in logs"), "{cut}");
        }
        assert_eq!(cores("no dont touch it"), ["dont touch it"]);
    }

    #[test]
    fn what_is_quoted_fenced_or_printed_is_not_in_the_persons_words() {
        for line in [
            "> always push",
            "\"never push\"",
            "2) \"never push\"",
            "+ always push",
            "=== never push",
            "1234 5678 !!! 0x00 err",
        ] {
            assert!(cores(line).is_empty(), "{line}");
        }
        let asked = "translate for the shop: \"Never pay twice. Always ask.\" and show it";
        assert_eq!(cores(asked), ["translate for the shop", "show it"]);
        assert_eq!(cores("ajoute l'aide : « Ne payez jamais deux fois »"), ["ajoute l'aide :"]);
        let kept = "put it in CLAUDE.md: \"never pay twice\"";
        assert_eq!(cores(kept), [kept]);
        assert_eq!(cores("```\nalways push\n```\nlook"), ["look"]);
        assert!(cores("## Plan\nalways push").is_empty(), "a document");
        assert!(cores(&"push it ".repeat(100)).is_empty(), "a task");
    }

    #[test]
    fn words_are_in_lower_case_without_the_marks_around_them() {
        let sentence = Sentence::read("Don’t use `--force`, OK?").unwrap();
        assert_eq!(sentence.words, ["don't", "use", "--force", "ok"]);
        assert!(sentence.is_question);
        assert_eq!(sentence.line, " don't use --force , ok ");
        let east = Sentence::read("不要用npm，改用pnpm！").unwrap();
        assert_eq!(east.words, ["不要用", "npm", "改用", "pnpm"]);
        assert_eq!(east.line, " 不要用 npm , 改用 pnpm ");
        assert!(Sentence::read("本当に？").unwrap().is_question);
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

//! The phrases by which people say what lasts, in a table of data: `phrases.txt` says how its rows are written.
//!
//! One search looks for the first words of all phrases at once. Hardly any sentence holds one; only there the whole phrase
//! is compared.

use std::iter;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::detect::command::options::lists;

/// The table.
const TABLE: &str = include_str!("phrases.txt");
/// Languages that are written without spaces between words, or that join endings to them.
const UNSPACED: [&str; 3] = ["zh", "ja", "ko"];

lessons_text::named! {
    /// What a phrase says, by the names of the rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum PhraseKind {
        /// It is to be remembered.
        Remember = "remember",
        /// It is to be written into a file that is there to be remembered.
        Record = "record",
        /// It holds from now on.
        Onward = "onward",
        /// It is always to be done.
        Always = "always",
        /// It is never to be done.
        Never = "never",
        /// One thing is to be used in the place of another.
        Replace = "replace",
        /// Something is not to be done.
        Forbid = "forbid",
        /// It was done again, although it is not wanted.
        Again = "again",
        /// It was used a moment ago, although it is not wanted.
        Reproach = "reproach",
        /// It is how things are done here.
        Custom = "custom",
        /// Words with which a wish may begin.
        Lead = "lead",
        /// It is about the moment.
        Moment = "moment",
        /// The speaker does something first, or did it already.
        Wait = "wait",
        /// The speaker is not sure, or tells of themselves.
        Unsure = "unsure",
        /// Words after a prohibition that name nothing.
        Vague = "vague",
    }
}

/// A row's phrase.
#[derive(Debug)]
struct Phrase {
    kind: PhraseKind,
    begins_clause: bool,
    /// Its words, each with what stands before them: `A`, `B` or nothing. Those at the end of a sentence are empty.
    parts: Vec<(Option<char>, String)>,
}

/// A phrase in a sentence, with what it says is wanted and what is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Said<'t> {
    pub(crate) kind: PhraseKind,
    /// Whether it begins the sentence.
    pub(crate) is_first: bool,
    pub(crate) wanted: Option<&'t str>,
    pub(crate) unwanted: Option<&'t str>,
}

struct Table {
    phrases: Vec<Phrase>,
    vague: Vec<Phrase>,
    /// Words before the first one of a wish, "from now on" or "please", and whether white space ends them.
    leads: Vec<(String, bool)>,
    search: Option<AhoCorasick>,
}

static PHRASES: LazyLock<Table> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let (vague, phrases): (Vec<Phrase>, Vec<Phrase>) =
        rows.flat_map(row).partition(|phrase| phrase.kind == PhraseKind::Vague);
    let first = |phrase: &Phrase| phrase.parts.first().map(|(_, words)| words.clone()).unwrap_or_default();
    let leads = phrases.iter().filter(|phrase| {
        matches!(
            phrase.kind,
            PhraseKind::Remember | PhraseKind::Onward | PhraseKind::Always | PhraseKind::Lead
        )
    });
    let leads = leads.filter(|phrase| phrase.parts.len() == 1).map(first);
    let leads = leads.map(|lead| (lead.trim().to_owned(), lead.starts_with(' '))).collect();
    let search = AhoCorasick::new(phrases.iter().map(first)).ok();
    Table { phrases, vague, leads, search }
});

/// The phrases of a row: `KIND | LANGUAGE | phrase; phrase`.
fn row(line: &str) -> Vec<Phrase> {
    let mut columns = line.splitn(3, '|').map(str::trim);
    let (Some(kind), Some(language), Some(phrases)) = (columns.next(), columns.next(), columns.next()) else {
        return Vec::new();
    };
    let Some(kind) = PhraseKind::named(kind) else { return Vec::new() };
    let is_spaced = !UNSPACED.contains(&language);
    let phrases = phrases.split(';').map(str::trim).filter(|phrase| !phrase.is_empty());
    let read = |text: &str| {
        let begins_clause = text.starts_with('^');
        Phrase { kind, begins_clause, parts: parts(text.trim_start_matches('^'), is_spaced) }
    };
    phrases.map(read).collect()
}

/// The parts of a phrase that says `A` and `B` for what stands between its words.
fn parts(text: &str, is_spaced: bool) -> Vec<(Option<char>, String)> {
    let gaps = iter::once(None).chain(text.chars().filter(|c| matches!(c, 'A' | 'B')).map(Some));
    let words = text.split(['A', 'B']).map(|words| match words.trim() {
        "" => String::new(),
        words if is_spaced => format!(" {words} "),
        words => words.to_owned(),
    });
    gaps.zip(words).filter(|(gap, words)| gap.is_some() || !words.is_empty()).collect()
}

/// The phrases in a sentence: its words in lower case, with a space around each and around each mark between clauses.
pub(crate) fn said(sentence: &str) -> Vec<Said<'_>> {
    let Some(search) = &PHRASES.search else { return Vec::new() };
    let found = search.find_overlapping_iter(sentence);
    found
        .filter_map(|found| {
            PHRASES.phrases.get(found.pattern().as_usize())?.read(sentence, found.start(), found.end())
        })
        .collect()
}

/// Whether a sentence says that something is to be remembered.
pub(crate) fn is_kept(sentence: &str) -> bool {
    said(sentence).iter().any(|said| said.kind <= PhraseKind::Onward)
}

/// Whether what is forbidden names nothing.
pub(crate) fn is_vague(unwanted: &str) -> bool {
    // "Apply it", "put them below" are known to the moment alone.
    let words: Vec<&str> = unwanted.split_whitespace().collect();
    if words.len() <= 3 && words.iter().take(2).any(|word| lists("it that this them", word)) {
        return true;
    }
    let padded = format!(" {} ", unwanted.trim());
    PHRASES.vague.iter().any(
        |phrase| matches!(phrase.parts.as_slice(), [(None, words)] if padded.starts_with(words.as_str())),
    )
}

impl Phrase {
    /// The phrase in a sentence in which its first words stand at a place.
    fn read<'t>(&self, sentence: &'t str, start: usize, end: usize) -> Option<Said<'t>> {
        let before = &sentence[..start];
        // The first space of a phrase is the last one of the mark before it.
        let clause = if before.ends_with(" ,") { start } else { before.rfind(" , ").map_or(0, |at| at + 2) };
        let is_behind = |clause: usize| sentence[clause.min(start)..start].trim().is_empty();
        if self.begins_clause
            && !is_behind(clause)
            && !without_leads(&sentence[clause..start]).trim().is_empty()
        {
            return None;
        }
        let mut said = Said { kind: self.kind, is_first: is_behind(0), wanted: None, unwanted: None };
        let mut at = end;
        for (number, (gap, words)) in self.parts.iter().enumerate() {
            let between = if number == 0 {
                // What stands before the first words is the start of their clause.
                &sentence[clause.min(start)..start]
            } else if words.is_empty() {
                sentence.get(at..)?.split(" , ").next().unwrap_or_default()
            } else {
                // Two phrases share the space between them.
                let from = if words.starts_with(' ') { at.saturating_sub(1) } else { at };
                let next = from + sentence.get(from..)?.find(words.as_str())?;
                let between = sentence.get(at..next)?;
                at = next + words.len();
                between
            };
            let Some(gap) = gap else { continue };
            let text = Some(without_leads(between).trim_matches([' ', ','])).filter(|text| !text.is_empty());
            *(if *gap == 'A' { &mut said.wanted } else { &mut said.unwanted }) = Some(text?);
        }
        Some(said)
    }
}

/// The text behind the words with which a wish may begin.
fn without_leads<'t>(text: &'t str) -> &'t str {
    let mut rest = text;
    let behind = |rest: &'t str| {
        let start = rest.trim_start();
        PHRASES.leads.iter().find_map(|(lead, is_spaced)| {
            let left = start.strip_prefix(lead.as_str())?;
            (!is_spaced || left.is_empty() || left.starts_with(' ')).then_some(left)
        })
    };
    while let Some(left) = behind(rest) {
        rest = left;
    }
    rest
}

/// Whether a word may lead a wish.
pub(crate) fn is_lead(word: &str) -> bool {
    PHRASES.leads.iter().any(|(lead, _)| lead == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read_in_sixteen_languages() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let mut languages = std::collections::BTreeSet::new();
        for line in rows {
            let phrases = row(line);
            assert!(!phrases.is_empty(), "{line}");
            assert!(
                phrases.iter().all(|phrase| phrase.parts.iter().any(|(_, words)| !words.is_empty())),
                "{line}"
            );
            languages.insert(line.split('|').nth(1).unwrap().trim());
        }
        for language in
            ["en", "es", "pt", "fr", "de", "ru", "zh", "ja", "ko", "it", "vi", "nl", "pl", "uk", "tr", "id"]
        {
            assert!(languages.contains(language), "{language}");
        }
    }

    #[test]
    fn a_phrase_tells_the_wanted_from_the_unwanted() {
        fn of(text: &str, kind: PhraseKind) -> Option<Said<'_>> {
            said(text).into_iter().find(|said| said.kind == kind)
        }
        let both = |text: &str| {
            let said = of(text, PhraseKind::Replace)?;
            Some((said.wanted?.to_owned(), said.unwanted?.to_owned()))
        };
        let expected = Some(("pnpm".to_owned(), "npm".to_owned()));
        for text in [
            " use pnpm instead of npm ",
            " use pnpm , not npm ",
            " usa pnpm en vez de npm ",
            " verwende pnpm statt npm ",
            " 用 pnpm 而不是 npm ",
            " npm ではなく pnpm を使って ",
            " npm 대신 pnpm 써줘 ",
        ] {
            assert_eq!(both(text), expected, "{text}");
        }
        let forbidden = of(" ok , don't push to main , ask me ", PhraseKind::Forbid).unwrap();
        assert_eq!(forbidden.unwanted, Some("push to main"));
        assert_eq!(of(" they don't push ", PhraseKind::Forbid), None, "it begins no clause");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_searched(text in "[ a-z,不要用npmではなく대신\u{1f600}]{0,60}") {
            let _ = said(&text);
            let _ = is_vague(&text);
        }
    }
}

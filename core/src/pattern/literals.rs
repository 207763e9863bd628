//! Texts that a match cannot do without.
//!
//! A hook has thousands of patterns and one command. An index over the literals of all patterns tells
//! it in one pass which few can match at all. So a wrong literal is a lesson that silently never
//! fires: whatever is not certain is left out.

use std::collections::BTreeSet;

use regex_syntax::hir::literal::{ExtractKind, Extractor, Literal};
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// The most literals that are given for one pattern.
pub const MAX_LITERALS: usize = 32;
/// The longest literal, in bytes. Longer ones are cut: a part of a required text is required too.
pub const MAX_LITERAL_BYTES: usize = 64;

/// The most copies of a repeated text that are looked at: as many bytes as a literal may have.
const MAX_COPIES: u32 = 64;
/// The most members of a class that are spelt out: ten digits, but not the 25 kinds of white space.
const MAX_MEMBERS: usize = 10;

/// The most clauses that are given for one pattern.
pub const MAX_CLAUSES: usize = 8;

/// The best of [`clauses`] that an index can look up: literals of which every match of `expression` holds at
/// least one. Empty: nothing is known, the pattern must always be tried.
///
/// All are at least 2 bytes long, in ASCII lower case, sorted, and none holds another.
pub fn required(expression: &Hir) -> Vec<String> {
    best_of(&clauses(expression))
}

/// The first of some clauses, if an index can look it up: see [`required`].
pub fn best_of(clauses: &[Vec<String>]) -> Vec<String> {
    let best = clauses.first().filter(|best| best.iter().all(|literal| literal.len() >= 2));
    best.cloned().unwrap_or_default()
}

/// What every match of `expression` holds: of each clause at least one literal, compared with the text in
/// ASCII lower case (`str::to_ascii_lowercase`). `git\s+(push|pull)` is `[[pull, push], [git]]`.
///
/// The best clause comes first; at most [`MAX_CLAUSES`] are given, and none that follows from a better
/// one. In a clause are 1 to [`MAX_LITERALS`] literals, of at least 1 byte, in ASCII lower case, sorted,
/// and none holds another.
pub fn clauses(expression: &Hir) -> Vec<Vec<String>> {
    known(expression).covers().0.into_iter().map(|cover| cover.0.into_iter().collect()).collect()
}

/// The most bytes that are given for the end of a match.
pub const MAX_ENDINGS: usize = 16;

/// The bytes of which every text that `expression` matches ends in one, in ASCII lower case, sorted. Empty:
/// nothing is known, as where a match need not reach the end of the text.
pub fn endings(expression: &Hir) -> Vec<u8> {
    if !expression.properties().look_set_suffix().contains(Look::End) {
        return Vec::new();
    }
    let suffixes = Extractor::new().kind(ExtractKind::Suffix).limit_class(MAX_ENDINGS).extract(expression);
    let last = |literal: &Literal| literal.as_bytes().last().map(u8::to_ascii_lowercase);
    let endings: Option<BTreeSet<u8>> =
        suffixes.literals().and_then(|literals| literals.iter().map(last).collect());
    // A byte beyond ASCII may be one of a character, or the class of one.
    let known = |endings: &BTreeSet<u8>| endings.len() <= MAX_ENDINGS && endings.iter().all(u8::is_ascii);
    endings.filter(known).unwrap_or_default().into_iter().collect()
}

/// Texts in ASCII lower case.
type Texts = BTreeSet<String>;

/// What is known of the matches of an expression.
#[derive(Debug, Default)]
struct Known {
    /// Every text it matches, if they are few.
    exact: Option<Texts>,
    /// Sets of which every match holds one, other than the exact texts.
    covers: Covers,
}

impl Known {
    fn exactly(texts: Texts) -> Self {
        Self { exact: Some(texts), covers: Covers::default() }
    }

    /// All covers, counting the exact texts as one.
    fn covers(self) -> Covers {
        let mut all = Covers::default();
        if let Some(texts) = &self.exact {
            all.add(texts);
        }
        all.join(self.covers);
        all
    }
}

/// Covers that all hold, the best first. Of equals the first that came.
#[derive(Debug, Default)]
struct Covers(Vec<Cover>);

impl Covers {
    /// Adds what `texts` are worth as a cover, if anything.
    fn add(&mut self, texts: &Texts) {
        if let Some(cover) = Cover::of(texts) {
            self.insert(cover);
        }
    }

    fn join(&mut self, other: Self) {
        for cover in other.0 {
            self.insert(cover);
        }
    }

    /// Puts `cover` in its place, unless a better one says as much, and drops what it makes needless.
    fn insert(&mut self, cover: Cover) {
        let place = self.0.partition_point(|other| other.worth() >= cover.worth());
        if self.0.iter().take(place).any(|other| other.implies(&cover)) {
            return;
        }
        let mut at = 0;
        self.0.retain(|other| {
            at += 1;
            at <= place || !cover.implies(other)
        });
        self.0.insert(place, cover);
        self.0.truncate(MAX_CLAUSES);
    }
}

/// A usable set of literals: neither empty nor too large, none empty, none within another.
#[derive(Debug, Clone)]
struct Cover(Texts);

impl Cover {
    fn of(texts: &Texts) -> Option<Self> {
        // The empty one is in every other.
        if texts.first().is_none_or(String::is_empty) {
            return None;
        }
        let cut: BTreeSet<&str> = texts.iter().map(|text| cut(text)).collect();
        let minimal =
            cut.iter().filter(|text| !cut.iter().any(|other| other != *text && text.contains(other)));
        let minimal: Texts = minimal.map(|text| (*text).to_owned()).collect();
        (minimal.len() <= MAX_LITERALS).then_some(Self(minimal))
    }

    /// How much it is worth: the length of its shortest literal up to 8 bytes, where further length
    /// hardly makes it rarer, then fewer literals, then length again.
    fn worth(&self) -> (usize, std::cmp::Reverse<usize>, usize) {
        let shortest = self.0.iter().map(String::len).min().unwrap_or(0);
        (shortest.min(8), std::cmp::Reverse(self.0.len()), shortest)
    }

    /// Whether a text that holds one of these always holds one of the others.
    fn implies(&self, other: &Self) -> bool {
        self.0.iter().all(|text| other.0.iter().any(|part| text.contains(part.as_str())))
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_LITERAL_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn empty_text() -> Texts {
    Texts::from([String::new()])
}

fn known(hir: &Hir) -> Known {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Known::exactly(empty_text()),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Known::exactly(Texts::from([text.to_ascii_lowercase()])),
            Err(_) => Known::default(),
        },
        HirKind::Class(class) => Known { exact: class_texts(class), covers: Covers::default() },
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Capture(capture) => known(&capture.sub),
        HirKind::Concat(parts) => concat(parts),
        HirKind::Alternation(branches) => alternation(branches),
    }
}

/// The members of a class, if they are few once ASCII letters are in lower case.
fn class_texts(class: &Class) -> Option<Texts> {
    let mut texts = Texts::new();
    let mut add = |c: char| {
        texts.insert(c.to_ascii_lowercase().to_string());
        texts.len() <= MAX_MEMBERS
    };
    let few = match class {
        Class::Unicode(class) => class.iter().all(|range| (range.start()..=range.end()).all(&mut add)),
        Class::Bytes(class) => class.iter().all(|range| {
            range.end() < 0x80 && (range.start()..=range.end()).all(|byte| add(char::from(byte)))
        }),
    };
    few.then_some(texts)
}

/// Every text of `left` followed by every text of `right`, if they are few.
fn product(left: &Texts, right: &Texts) -> Option<Texts> {
    if left.len().saturating_mul(right.len()) > MAX_LITERALS * 4 {
        return None;
    }
    let joined: Texts =
        left.iter().flat_map(|head| right.iter().map(move |tail| [head.as_str(), tail].concat())).collect();
    are_few(&joined).then_some(joined)
}

fn are_few(texts: &Texts) -> bool {
    texts.len() <= MAX_LITERALS && texts.iter().all(|text| text.len() <= MAX_LITERAL_BYTES * 4)
}

/// Joins what comes one after the other: texts that touch grow together until one is not known.
#[derive(Debug)]
struct Joiner {
    /// What ends the part that is read, since the last unknown.
    run: Texts,
    /// Whether nothing unknown came so far.
    whole: bool,
    covers: Covers,
}

impl Joiner {
    fn new() -> Self {
        Self { run: empty_text(), whole: true, covers: Covers::default() }
    }

    fn push(&mut self, texts: &Texts) {
        let nothing = texts.len() == 1 && texts.first().is_some_and(String::is_empty);
        if nothing && are_few(&self.run) {
            return;
        }
        if let Some(longer) = product(&self.run, texts) {
            self.run = longer;
        } else {
            self.unknown();
            self.run.clone_from(texts);
        }
    }

    /// Whatever comes next is not known.
    fn unknown(&mut self) {
        self.covers.add(&self.run);
        self.run = empty_text();
        self.whole = false;
    }

    fn done(mut self) -> Known {
        if self.whole {
            Known { exact: Some(self.run), covers: self.covers }
        } else {
            self.unknown();
            Known { exact: None, covers: self.covers }
        }
    }
}

fn concat(parts: &[Hir]) -> Known {
    let mut joiner = Joiner::new();
    for part in parts {
        if let HirKind::Repetition(repetition) = part.kind()
            && repetition.min > 0
        {
            repeat(repetition, &mut joiner);
            continue;
        }
        let Known { exact, covers } = known(part);
        joiner.covers.join(covers);
        match exact {
            Some(texts) => joiner.push(&texts),
            None => joiner.unknown(),
        }
    }
    joiner.done()
}

fn repeated(repetition: &Repetition) -> Known {
    match (repetition.min, repetition.max) {
        (_, Some(0)) => Known::exactly(empty_text()),
        (0, Some(1)) => Known {
            exact: known(&repetition.sub).exact.map(|mut texts| {
                texts.insert(String::new());
                texts
            }),
            covers: Covers::default(),
        },
        (0, _) => Known::default(),
        _ => {
            let mut joiner = Joiner::new();
            repeat(repetition, &mut joiner);
            joiner.done()
        }
    }
}

/// A repetition of at least one copy. The first copies touch what stands before them, the last one
/// what follows.
fn repeat(repetition: &Repetition, joiner: &mut Joiner) {
    let Known { exact, covers } = known(&repetition.sub);
    joiner.covers.join(covers);
    let Some(texts) = exact else { return joiner.unknown() };
    let copies = repetition.min.min(MAX_COPIES);
    for _ in 0..copies {
        joiner.push(&texts);
    }
    if repetition.max != Some(copies) {
        joiner.unknown();
        joiner.run = texts;
    }
}

fn alternation(branches: &[Hir]) -> Known {
    let all: Vec<Known> = branches.iter().map(known).collect();
    let exact = all.iter().map(|branch| branch.exact.as_ref()).try_fold(Texts::new(), |mut sum, texts| {
        sum.extend(texts?.iter().cloned());
        (sum.len() <= MAX_LITERALS).then_some(sum)
    });
    let each: Vec<Covers> = all.into_iter().map(Known::covers).collect();
    Known { exact, covers: of_any(&each) }
}

/// What holds of a match of any of some branches: with the best cover of one branch goes the best of
/// every other, with the second best the second best.
fn of_any(branches: &[Covers]) -> Covers {
    let mut all = Covers::default();
    let most = branches.iter().map(|covers| covers.0.len()).max().unwrap_or_default();
    for rank in 0..most {
        let ranked = branches.iter().map(|covers| covers.0.get(rank).or(covers.0.last()));
        let texts = ranked
            .collect::<Option<Vec<_>>>()
            .map(|each| each.iter().flat_map(|cover| cover.0.clone()).collect());
        if let Some(texts) = texts {
            all.add(&texts);
        }
    }
    all
}

//! The literals that every match of a pattern contains.
//!
//! A hook has thousands of patterns and one command. An index over the literals of all patterns finds
//! in one pass the few that can match at all. A wrong literal would be a lesson that silently never
//! fires, so only literals that are certain are used.

use std::collections::BTreeSet;

use regex_syntax::hir::literal::{ExtractKind, Extractor, Literal};
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// The most literals in one clause.
pub const MAX_LITERALS: usize = 32;
/// The longest literal, in bytes. Longer ones are cut: a part of a required text is required too.
pub const MAX_LITERAL_BYTES: usize = 64;

/// The most copies of a repeated text that are written out: as many as a literal may have bytes.
const MAX_COPIES: u32 = 64;
/// The most members of a class that are written out: ten digits, but not the 25 kinds of white space.
const MAX_MEMBERS: usize = 10;

/// The most clauses of one pattern.
pub const MAX_CLAUSES: usize = 8;

/// The clauses of `expression`: every match contains at least one literal of each clause, compared with the text in
/// ASCII lower case (`str::to_ascii_lowercase`). `git\s+(push|pull)` is `[[pull, push], [git]]`.
///
/// The best clause comes first; there are at most [`MAX_CLAUSES`], and none that follows from a better
/// one. A clause has 1 to [`MAX_LITERALS`] literals of at least 1 byte, in ASCII lower case, sorted,
/// and none contains another.
pub fn clauses(expression: &Hir) -> Vec<Vec<String>> {
    known(expression).covers().0.into_iter().map(|cover| cover.0.into_iter().collect()).collect()
}

/// The most last bytes that are listed for an expression.
pub const MAX_ENDINGS: usize = 16;

/// The possible last bytes of the texts that `expression` matches, in ASCII lower case, sorted. Empty:
/// unknown, as for an expression whose match need not reach the end of the text.
pub fn endings(expression: &Hir) -> Vec<u8> {
    if !expression.properties().look_set_suffix().contains(Look::End) {
        return Vec::new();
    }
    let suffixes = Extractor::new().kind(ExtractKind::Suffix).limit_class(MAX_ENDINGS).extract(expression);
    let last = |literal: &Literal| literal.as_bytes().last().map(u8::to_ascii_lowercase);
    let endings: Option<BTreeSet<u8>> =
        suffixes.literals().and_then(|literals| literals.iter().map(last).collect());
    // A byte beyond ASCII may be part of a character, or stand for a class of characters.
    let known = |endings: &BTreeSet<u8>| endings.len() <= MAX_ENDINGS && endings.iter().all(u8::is_ascii);
    endings.filter(known).unwrap_or_default().into_iter().collect()
}

/// Texts in ASCII lower case.
type Texts = BTreeSet<String>;

/// The facts that are known about the matches of an expression.
#[derive(Debug, Default)]
struct MatchFacts {
    /// Every text that the expression matches, if there are few.
    exact: Option<Texts>,
    /// The sets of literals of which every match contains one, beside the exact texts.
    covers: Covers,
}

impl MatchFacts {
    fn exactly(texts: Texts) -> Self {
        Self { exact: Some(texts), covers: Covers::default() }
    }

    /// All covers, with the exact texts as one of them.
    fn covers(self) -> Covers {
        let mut all = Covers::default();
        if let Some(texts) = &self.exact {
            all.add(texts);
        }
        all.join(self.covers);
        all
    }
}

/// Covers that all hold, the best first; of equally good ones, in order of insertion.
#[derive(Debug, Default)]
struct Covers(Vec<Cover>);

impl Covers {
    /// Adds `texts` as a cover, if they are usable as one.
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

    /// Inserts `cover` by rank, unless a better cover implies it, and drops the covers that it implies.
    fn insert(&mut self, cover: Cover) {
        let place = self.0.partition_point(|other| other.rank() >= cover.rank());
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

/// A set of literals of which every match contains one: not empty, not too large, without an empty literal and without
/// one that contains another.
#[derive(Debug, Clone)]
struct Cover(Texts);

impl Cover {
    fn of(texts: &Texts) -> Option<Self> {
        // Every text contains the empty literal, so a set with it says nothing.
        if texts.first().is_none_or(String::is_empty) {
            return None;
        }
        let cut: BTreeSet<&str> = texts.iter().map(|text| cut(text)).collect();
        let minimal =
            cut.iter().filter(|text| !cut.iter().any(|other| other != *text && text.contains(other)));
        let minimal: Texts = minimal.map(|text| (*text).to_owned()).collect();
        (minimal.len() <= MAX_LITERALS).then_some(Self(minimal))
    }

    /// The rank of the cover: the length of its shortest literal up to 8 bytes, beyond which more length
    /// hardly makes it rarer, then fewer literals, then length again.
    fn rank(&self) -> (usize, std::cmp::Reverse<usize>, usize) {
        let shortest = self.0.iter().map(String::len).min().unwrap_or(0);
        (shortest.min(8), std::cmp::Reverse(self.0.len()), shortest)
    }

    /// Whether every text that contains a literal of this cover contains one of `other`.
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

fn known(hir: &Hir) -> MatchFacts {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => MatchFacts::exactly(empty_text()),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => MatchFacts::exactly(Texts::from([text.to_ascii_lowercase()])),
            Err(_) => MatchFacts::default(),
        },
        HirKind::Class(class) => MatchFacts { exact: class_texts(class), covers: Covers::default() },
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Capture(capture) => known(&capture.sub),
        HirKind::Concat(parts) => concat(parts),
        HirKind::Alternation(branches) => alternation(branches),
    }
}

/// The members of a class as texts, if there are few after ASCII letters are in lower case.
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

/// Every text of `left` followed by every text of `right`, if there are few.
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

/// The literals of a concatenation: adjacent texts grow together until a part is unknown.
#[derive(Debug)]
struct Concatenation {
    /// The possible ends of what was joined since the last unknown part.
    run: Texts,
    /// Whether every part so far was known.
    whole: bool,
    covers: Covers,
}

impl Concatenation {
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

    /// Adds a part of which nothing is known.
    fn unknown(&mut self) {
        self.covers.add(&self.run);
        self.run = empty_text();
        self.whole = false;
    }

    fn done(mut self) -> MatchFacts {
        if self.whole {
            MatchFacts { exact: Some(self.run), covers: self.covers }
        } else {
            self.unknown();
            MatchFacts { exact: None, covers: self.covers }
        }
    }
}

fn concat(parts: &[Hir]) -> MatchFacts {
    let mut concatenation = Concatenation::new();
    for part in parts {
        if let HirKind::Repetition(repetition) = part.kind()
            && repetition.min > 0
        {
            repeat(repetition, &mut concatenation);
            continue;
        }
        let MatchFacts { exact, covers } = known(part);
        concatenation.covers.join(covers);
        match exact {
            Some(texts) => concatenation.push(&texts),
            None => concatenation.unknown(),
        }
    }
    concatenation.done()
}

fn repeated(repetition: &Repetition) -> MatchFacts {
    match (repetition.min, repetition.max) {
        (_, Some(0)) => MatchFacts::exactly(empty_text()),
        (0, Some(1)) => MatchFacts {
            exact: known(&repetition.sub).exact.map(|mut texts| {
                texts.insert(String::new());
                texts
            }),
            covers: Covers::default(),
        },
        (0, _) => MatchFacts::default(),
        _ => {
            let mut concatenation = Concatenation::new();
            repeat(repetition, &mut concatenation);
            concatenation.done()
        }
    }
}

/// Adds a repetition of at least one copy. The first copies are adjacent to the part before, the last one
/// to the part after.
fn repeat(repetition: &Repetition, concatenation: &mut Concatenation) {
    let MatchFacts { exact, covers } = known(&repetition.sub);
    concatenation.covers.join(covers);
    let Some(texts) = exact else { return concatenation.unknown() };
    let copies = repetition.min.min(MAX_COPIES);
    for _ in 0..copies {
        concatenation.push(&texts);
    }
    if repetition.max != Some(copies) {
        concatenation.unknown();
        concatenation.run = texts;
    }
}

fn alternation(branches: &[Hir]) -> MatchFacts {
    let all: Vec<MatchFacts> = branches.iter().map(known).collect();
    let exact = all.iter().map(|branch| branch.exact.as_ref()).try_fold(Texts::new(), |mut sum, texts| {
        sum.extend(texts?.iter().cloned());
        (sum.len() <= MAX_LITERALS).then_some(sum)
    });
    let each: Vec<Covers> = all.into_iter().map(MatchFacts::covers).collect();
    MatchFacts { exact, covers: covers_of_alternation(&each) }
}

/// The covers of an alternation. The best cover of each branch is united with the best of
/// every other one, the second best with the second best.
fn covers_of_alternation(branches: &[Covers]) -> Covers {
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

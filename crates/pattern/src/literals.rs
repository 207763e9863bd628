//! The literals that every match of a pattern contains.
//!
//! A hook has thousands of patterns and one command. An index over the literals of all patterns finds
//! in one pass the few that can match at all. A wrong literal would be a lesson that silently never
//! fires, so only literals that are certain are used.

use std::borrow::Cow;
use std::cmp::Reverse;
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
    Facts::of(expression).covers().0.into_iter().map(|cover| cover.into_iter().collect()).collect()
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

/// Covers that all hold, the best first; of equally good ones, in order of insertion. A cover is a set of literals of which every
/// match contains one: not empty, not too large, without an empty literal and without one that contains another.
#[derive(Debug, Default)]
struct Covers(Vec<Texts>);

impl Covers {
    /// Adds `texts` as a cover, if they are usable as one.
    fn add(&mut self, texts: &Texts) {
        if let Some(cover) = cover_of(texts) {
            self.insert(cover);
        }
    }

    fn join(&mut self, other: Self) {
        for cover in other.0 {
            self.insert(cover);
        }
    }

    /// Inserts `cover` by rank, unless a better cover implies it, and drops the covers that it implies.
    fn insert(&mut self, cover: Texts) {
        let place = self.0.partition_point(|other| rank(other) >= rank(&cover));
        if self.0.iter().take(place).any(|other| implies(other, &cover)) {
            return;
        }
        let worse = self.0.split_off(place);
        let needed = worse.into_iter().filter(|other| !implies(&cover, other)).collect::<Vec<_>>();
        self.0.push(cover);
        self.0.extend(needed);
        self.0.truncate(MAX_CLAUSES);
    }
}

/// The cover that some texts are, if they are usable as one.
fn cover_of(texts: &Texts) -> Option<Texts> {
    // Every text contains the empty literal, so a set with it says nothing.
    if texts.first().is_none_or(String::is_empty) {
        return None;
    }
    let cut: BTreeSet<&str> =
        texts.iter().map(|text| &text[..text.floor_char_boundary(MAX_LITERAL_BYTES)]).collect();
    let minimal = cut.iter().filter(|text| !cut.iter().any(|other| other != *text && text.contains(other)));
    let minimal: Texts = minimal.map(|text| (*text).to_owned()).collect();
    (minimal.len() <= MAX_LITERALS).then_some(minimal)
}

/// The rank of a cover: the length of its shortest literal up to 8 bytes, beyond which more length hardly makes it rarer, then
/// fewer literals, then length again.
fn rank(cover: &Texts) -> (usize, Reverse<usize>, usize) {
    let shortest = cover.iter().map(String::len).min().unwrap_or(0);
    (shortest.min(8), Reverse(cover.len()), shortest)
}

/// Whether every text that contains a literal of one cover contains one of the other.
fn implies(one: &Texts, other: &Texts) -> bool {
    one.iter().all(|text| other.iter().any(|part| text.contains(part.as_str())))
}

fn empty_text() -> Texts {
    Texts::from([String::new()])
}

/// The members of a class as texts, if there are few after ASCII letters are in lower case.
fn class_texts(class: &Class) -> Option<Texts> {
    let class = match class {
        Class::Unicode(class) => Cow::Borrowed(class),
        Class::Bytes(class) => Cow::Owned(class.to_unicode_class()?),
    };
    let mut texts = Texts::new();
    for c in class.iter().flat_map(|range| range.start()..=range.end()) {
        texts.insert(c.to_ascii_lowercase().to_string());
        if texts.len() > MAX_MEMBERS {
            return None;
        }
    }
    Some(texts)
}

/// Every text of `left` followed by every text of `right`, if there are few.
fn product(left: &Texts, right: &Texts) -> Option<Texts> {
    if left.len().saturating_mul(right.len()) > MAX_LITERALS * 4 {
        return None;
    }
    let joined: Texts =
        left.iter().flat_map(|head| right.iter().map(move |tail| [head.as_str(), tail].concat())).collect();
    let are_short = joined.iter().all(|text| text.len() <= MAX_LITERAL_BYTES * 4);
    (joined.len() <= MAX_LITERALS && are_short).then_some(joined)
}

/// What is known of the texts that an expression matches. Adjacent texts grow together until a part is unknown.
#[derive(Debug)]
struct Facts {
    /// The possible ends of what was joined since the last unknown part.
    run: Texts,
    /// Whether every part so far was known: then these are all texts that match.
    is_whole: bool,
    /// The sets of literals of which every match contains one, beside these texts.
    covers: Covers,
}

impl Facts {
    fn of(expression: &Hir) -> Self {
        let mut facts = Self { run: empty_text(), is_whole: true, covers: Covers::default() };
        facts.read(expression);
        if !facts.is_whole {
            facts.add_unknown();
        }
        facts
    }

    /// Every text that the expression matches, if there are few.
    fn exact(&self) -> Option<&Texts> {
        self.is_whole.then_some(&self.run)
    }

    /// All covers, with the exact texts as one of them.
    fn covers(self) -> Covers {
        let mut all = Covers::default();
        all.add(&self.run);
        all.join(self.covers);
        all
    }

    /// Reads the part of an expression that follows.
    fn read(&mut self, part: &Hir) {
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).ok();
                self.add(text.map(|text| Texts::from([text.to_ascii_lowercase()])).as_ref());
            }
            HirKind::Class(class) => self.add(class_texts(class).as_ref()),
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Capture(capture) => self.read(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.read(part)),
            HirKind::Alternation(branches) => self.choose(branches),
        }
    }

    /// Adds the texts of the part that follows; `None` if they are many or unknown.
    fn add(&mut self, texts: Option<&Texts>) {
        let Some(texts) = texts else { return self.add_unknown() };
        if let Some(longer) = product(&self.run, texts) {
            self.run = longer;
        } else {
            self.add_unknown();
            self.run.clone_from(texts);
        }
    }

    fn add_unknown(&mut self) {
        self.covers.add(&self.run);
        self.run = empty_text();
        self.is_whole = false;
    }

    /// Adds a repetition. The first copies are adjacent to the part before, the last one to the part after.
    fn repeat(&mut self, repetition: &Repetition) {
        let sub = Self::of(&repetition.sub);
        let texts = sub.exact().cloned();
        match (repetition.min, repetition.max) {
            (_, Some(0)) => return,
            (0, Some(1)) => return self.add(texts.map(|texts| &texts | &empty_text()).as_ref()),
            (0, _) => return self.add_unknown(),
            _ => self.covers.join(sub.covers),
        }
        let Some(texts) = texts else { return self.add_unknown() };
        let copies = repetition.min.min(MAX_COPIES);
        for _ in 0..copies {
            self.add(Some(&texts));
        }
        if repetition.max != Some(copies) {
            self.add_unknown();
            self.run = texts;
        }
    }

    /// Adds an alternation. The best cover of each branch is united with the best of every other one, the second best with
    /// the second best.
    fn choose(&mut self, branches: &[Hir]) {
        let branches: Vec<Self> = branches.iter().map(Self::of).collect();
        let exact = branches.iter().map(Self::exact).try_fold(Texts::new(), |mut sum, texts| {
            sum.extend(texts?.iter().cloned());
            (sum.len() <= MAX_LITERALS).then_some(sum)
        });
        let each: Vec<Covers> = branches.into_iter().map(Self::covers).collect();
        let mut united = Covers::default();
        let most = each.iter().map(|covers| covers.0.len()).max().unwrap_or_default();
        for rank in 0..most {
            let ranked = each.iter().map(|covers| covers.0.get(rank).or(covers.0.last()));
            if let Some(texts) = ranked.collect::<Option<Vec<&Texts>>>() {
                united.add(&texts.into_iter().flatten().cloned().collect());
            }
        }
        self.covers.join(united);
        self.add(exact.as_ref());
    }
}

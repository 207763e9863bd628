//! From a call to the triggers that could match it.

use std::collections::BTreeSet;

use super::bucket::{self, List};
use super::filter::Filter;
use super::header::Span;
use super::key::{Held, Key, MAX_GRAM, each_gram, grams_at};
use super::postings::{self, Group, Surfaces};
use super::prefixes::Prefixes;
use super::record::Subjects;
use super::storage::{Kind, Record, Storage};
use super::{Damaged, Index};
use crate::content::{Bytes, Content};
use crate::find::find;
use crate::json::unescape;
use crate::lesson::Subject;
use crate::matching::{View, Views};
use crate::shell::typed_ends;

/// The triggers whose keys and conditions a call holds, ascending: all that match it, and few others.
pub(super) fn triggers<S: Storage>(
    index: &Index<'_, S>,
    views: &Views<'_>,
) -> Result<BTreeSet<u32>, Damaged> {
    let mut call = Asked {
        filter: Filter::over(index.filter),
        held: Held::nothing(),
        surfaces: Surfaces::default(),
        keys: BTreeSet::new(),
    };
    call.ask(Key::of_tool(views.tool()), Surfaces::TOOL)?;
    let subjects = index.header.subjects;
    call.endings(views, subjects);
    let mut typed = None;
    for command in commands(views, subjects) {
        call.text(command, typed, Surfaces::COMMAND)?;
        typed.get_or_insert(command);
    }
    for path in views.absolute() {
        call.text(path, None, Surfaces::PATH)?;
    }
    if !views.written().is_empty() {
        call.surfaces = call.surfaces.and(Surfaces::CONTENT);
        if index.header.reads_contents {
            call.contents(index, views)?;
        }
    }
    call.look_up(index)
}

/// Of so many bytes of content all grams are asked for: to read [`Prefixes`] costs as much.
const FEW_BYTES: usize = 256;

/// What a call holds: which keys may lead somewhere, and what conditions it meets.
struct Asked<'f> {
    filter: Filter<'f>,
    /// What commands and paths hold.
    held: Held,
    /// What the call has for triggers to look at.
    surfaces: Surfaces,
    /// Keys that may be there, and in which texts they stand. Those of one bucket are next to each other.
    keys: BTreeSet<(Key, u8)>,
}

impl Asked<'_> {
    /// Takes a key that stands in a text of this kind.
    #[inline]
    fn ask(&mut self, key: Key, surface: Surfaces) -> Result<(), Damaged> {
        if self.filter.may_hold(key)? {
            self.keys.insert((key, surface.bits()));
        }
        Ok(())
    }

    /// How the texts end that are matched.
    fn endings(&mut self, views: &Views<'_>, subjects: Subjects) {
        for view in asked_of(views, subjects).flat_map(|subject| views.command(subject)) {
            self.held.add_ending(view.text().as_bytes());
            // What would run is matched line by line too, without blanks at the ends of lines.
            for line in view.text().lines() {
                self.held.add_ending(line.as_bytes());
                self.held.add_ending(line.trim_end().as_bytes());
            }
        }
        if let [Subject::Command] = views.distinct_subjects() {
            // What would run was not worked out.
            let typed = views.command(Subject::Command).iter();
            typed
                .flat_map(|view| typed_ends(view.text()))
                .for_each(|piece| self.held.add_ending(piece.as_bytes()));
        }
        for path in views.absolute() {
            // The relative one ends as this one does.
            self.held.add_ending(path.text().as_bytes());
        }
    }

    /// Takes all grams of a command or a path, but those at its beginning that `before`, whose grams were all taken,
    /// begins with too.
    fn text(&mut self, view: &View<'_>, before: Option<&View<'_>>, surface: Surfaces) -> Result<(), Damaged> {
        self.surfaces = self.surfaces.and(surface);
        let lower = view.lower().as_bytes();
        let shared = before.map_or(0, |before| shared_beginning(lower, before.lower().as_bytes()));
        // A gram may begin in what is shared and end behind it.
        self.grams(lower.get(shared.saturating_sub(MAX_GRAM - 1)..).unwrap_or_default(), surface)?;
        if !view.text().is_ascii() {
            // Words are compared in lower case of every script, which patterns know nothing of.
            self.grams(view.words().join(" ").as_bytes(), surface)?;
        }
        Ok(())
    }

    fn grams(&mut self, lower: &[u8], surface: Surfaces) -> Result<(), Damaged> {
        self.held.add_bytes(lower);
        let mut outcome = Ok(());
        each_gram(lower, |key| {
            self.held.add_gram(key);
            if outcome.is_ok() {
                outcome = self.ask(key, surface);
            }
        });
        outcome
    }

    /// Takes the grams of contents. What they hold besides is not asked for: a large content holds nearly everything.
    fn contents<S: Storage>(&mut self, index: &Index<'_, S>, views: &Views<'_>) -> Result<(), Damaged> {
        let bytes: usize = views.written().iter().map(Content::size).sum();
        if bytes > FEW_BYTES {
            return self.grams_after_prefixes(index, views.written());
        }
        let mut outcome = Ok(());
        for view in views.contents() {
            each_gram(view.lower().as_bytes(), |key| {
                if outcome.is_ok() {
                    outcome = self.ask(key, Surfaces::CONTENT);
                }
            });
        }
        outcome
    }

    /// Takes the grams of contents, but only where a key may begin.
    fn grams_after_prefixes<S: Storage>(
        &mut self,
        index: &Index<'_, S>,
        contents: &[Content<'_>],
    ) -> Result<(), Damaged> {
        let span = index.header.prefixes;
        let mut bytes = vec![0; usize::try_from(span.length).map_err(|_| Damaged)?];
        index.storage.read(span.at, &mut bytes)?;
        let prefixes = Prefixes::decode(&bytes)?;
        let mut outcome = Ok(());
        for content in contents {
            let content = content.bytes();
            let (Bytes::Plain(bytes) | Bytes::Quoted(bytes)) = content;
            prefixes.each(bytes, |at| {
                let rest = bytes.get(at..).unwrap_or_default();
                let (mut gram, length) = match content {
                    Bytes::Plain(_) => plain_beginning(rest),
                    Bytes::Quoted(_) => unescape::beginning(rest),
                };
                gram.make_ascii_lowercase();
                grams_at(gram.get(..length).unwrap_or_default(), &mut |key| {
                    if outcome.is_ok() {
                        outcome = self.ask(key, Surfaces::CONTENT);
                    }
                });
            });
        }
        outcome
    }

    /// The triggers that the keys lead to, and those that no key leads to.
    fn look_up<S: Storage>(&self, index: &Index<'_, S>) -> Result<BTreeSet<u32>, Damaged> {
        let mut found = BTreeSet::new();
        if index.header.always.length > 0 {
            index.with_record(Kind::Always, 0, |list| self.take(list, self.surfaces, &mut found))?;
        }
        let mut record = index.record.take();
        let (mut open, mut bucket): (_, &[u8]) = (None, &[]);
        for &(key, surface) in &self.keys {
            let surface = Surfaces::of_bits(surface);
            let (number, span) = index.directory.bucket(key)?;
            if open != Some(number) {
                bucket = read_bucket(index, span, &mut record)?;
                open = Some(number);
            }
            for list in bucket::lists(number, bucket, key)? {
                match list? {
                    List::Near(list) => self.take(list, surface, &mut found)?,
                    // The bucket is still in use, so this takes memory of its own. Such lists are rare.
                    List::Far(place) => {
                        index.with_record(Kind::List, place, |list| self.take(list, surface, &mut found))?;
                    }
                }
            }
        }
        index.record.replace(record);
        Ok(found)
    }

    /// Takes those triggers of a list that look at `surfaces` and whose conditions are met.
    fn take(&self, list: &[u8], surfaces: Surfaces, found: &mut BTreeSet<u32>) -> Result<(), Damaged> {
        for group in postings::each(list) {
            let group = group?;
            if group.surfaces.meet(surfaces) && self.meets(&group) {
                found.extend(group.triggers());
            }
        }
        Ok(())
    }

    fn meets(&self, group: &Group<'_>) -> bool {
        group.surfaces.meet(Surfaces::CONTENT) || group.screen().lets_through(&self.held)
    }
}

/// Reads a bucket into the memory of a record.
fn read_bucket<'r, S: Storage>(
    index: &Index<'_, S>,
    bucket: Span,
    record: &'r mut Record,
) -> Result<&'r [u8], Damaged> {
    let part = index.header.buckets;
    // Before memory is asked for.
    if bucket.at.checked_add(bucket.length).is_none_or(|end| end > part.length) {
        return Err(Damaged);
    }
    let length = usize::try_from(bucket.length).map_err(|_| Damaged)?;
    record.read_bytes(&index.storage, part.at + bucket.at, length)
}

/// How many bytes two texts begin with that are the same.
fn shared_beginning(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The first bytes of a text, and how many there are of them.
fn plain_beginning(text: &[u8]) -> ([u8; MAX_GRAM], usize) {
    let mut beginning = [0; MAX_GRAM];
    beginning.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    (beginning, text.len().min(MAX_GRAM))
}

/// Which texts of a command are worth looking at: the command as typed stands for those that say nothing else.
fn asked_of<'v>(views: &'v Views<'_>, subjects: Subjects) -> impl Iterator<Item = Subject> + use<'v> {
    let is_asked = move |subject: &Subject| *subject == Subject::Command || subjects.contains(*subject);
    views.distinct_subjects().iter().copied().filter(is_asked)
}

/// Of what would run so many texts are looked for in what was typed. The rest is taken for something else: to look for
/// each of thousands of texts in all others would take the square of their number.
const MOST_COMPARED: usize = 64;

/// The command as typed, and of what would run the texts that say something else. No key and no condition goes
/// over a line's end.
fn commands<'v, 'c>(
    views: &'v Views<'c>,
    subjects: Subjects,
) -> impl Iterator<Item = &'v View<'c>> + use<'v, 'c> {
    let typed = views.command(Subject::Command).first();
    let others = asked_of(views, subjects).filter(|subject| *subject != Subject::Command);
    let texts = others.flat_map(|subject| match (subject, views.command(subject)) {
        // The whole, and then each of its lines.
        (Subject::Executable, [_, lines @ ..]) if !lines.is_empty() => lines,
        (_, texts) => texts,
    });
    let is_new = move |(position, text): &(usize, &View<'_>)| {
        let within = |typed: &View<'_>| find(typed.text().as_bytes(), text.text().as_bytes()).is_some();
        *position >= MOST_COMPARED || !typed.is_some_and(within)
    };
    typed.into_iter().chain(texts.enumerate().filter(is_new).map(|(_, text)| text))
}

//! The search of an index: from the texts of a call to the triggers that could match it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::bucket::{self, PostingList};
use super::corrupt::Corrupt;
use super::filter::Filter;
use super::header::{Part, Span};
use super::key::{GramBitset, Key, MAX_GRAM, each_gram, grams_at};
use super::postings::{self, FieldMask, Group};
use super::prefixes::Prefixes;
use super::reader::Index;
use super::record::Subjects;
use super::storage::Record;
use crate::views::{View, Views};
use lessons_lesson::lesson::Subject;
use lessons_shell::plain_words;
use lessons_text::content::{Bytes, Content};
use lessons_text::find::find;
use lessons_text::json::unescape;

/// The triggers whose keys and required grams a call holds, ascending: all that match the call, and few others.
pub(super) fn triggers(index: &Index<'_>, views: &Views<'_>) -> Result<BTreeSet<u32>, Corrupt> {
    let mut call = Searched::nothing(index);
    call.ask(Key::of_tool(views.tool()), FieldMask::TOOL)?;
    let subjects = index.header().subjects;
    call.endings(views, subjects);
    let mut typed = None;
    for command in commands(views, subjects) {
        call.text(command, typed, FieldMask::COMMAND)?;
        typed.get_or_insert(command);
    }
    for path in views.absolute() {
        call.text(path, None, FieldMask::PATH)?;
    }
    if !views.written().is_empty() {
        call.fields = call.fields.and(FieldMask::CONTENT);
        if index.header().reads_contents {
            call.contents(views)?;
        }
    }
    if let Some(error) = views.error() {
        call.error(error)?;
    }
    call.look_up()
}

/// The triggers on a command or a path whose keys and required grams a text holds: every keyword that the text contains is
/// among them.
pub(super) fn keywords(index: &Index<'_>, text: &str) -> Result<BTreeSet<u32>, Corrupt> {
    let mut searched = Searched::nothing(index);
    searched.text(&View::new(Cow::Borrowed(text)), None, FieldMask::COMMAND.and(FieldMask::PATH))?;
    searched.look_up()
}

/// Of so many bytes of content all grams are asked for: to read [`Prefixes`] costs as much.
const FEW_BYTES: usize = 256;

/// The grams of the texts that are searched for triggers: those that may be keys, and the conditions that they meet.
struct Searched<'i, 'f> {
    index: &'i Index<'f>,
    filter: Filter<'f>,
    /// The grams of commands and paths.
    grams: GramBitset,
    /// The fields that there are for triggers to look at.
    fields: FieldMask,
    /// The keys that may be in the index, and the field they were found in. Those of one bucket are next to each other.
    keys: BTreeSet<(Key, u8)>,
}

impl<'i, 'f> Searched<'i, 'f> {
    fn nothing(index: &'i Index<'f>) -> Self {
        Self {
            index,
            filter: Filter::over(index.filter()),
            grams: GramBitset::empty(),
            fields: FieldMask::default(),
            keys: BTreeSet::new(),
        }
    }

    /// Adds a key that was found in this field.
    #[inline]
    fn ask(&mut self, key: Key, field: FieldMask) -> Result<(), Corrupt> {
        if self.filter.may_hold(key)? {
            self.keys.insert((key, field.bits()));
        }
        Ok(())
    }

    /// Adds the last bytes of the texts that patterns look at.
    fn endings(&mut self, views: &Views<'_>, subjects: Subjects) {
        for view in asked_of(views, subjects).flat_map(|subject| views.command(subject)) {
            self.grams.add_ending(view.text().as_bytes());
            // What would run is matched line by line too, without blanks at the ends of lines.
            for line in view.text().lines() {
                self.grams.add_ending(line.as_bytes());
                self.grams.add_ending(line.trim_end().as_bytes());
            }
        }
        if let [Subject::Command] = views.distinct_subjects() {
            // What would run was not worked out.
            let typed = views.command(Subject::Command).iter();
            typed
                .flat_map(|view| plain_words(view.text()))
                .for_each(|piece| self.grams.add_ending(piece.as_bytes()));
        }
        for path in views.absolute() {
            // The relative one ends as this one does.
            self.grams.add_ending(path.text().as_bytes());
        }
    }

    /// Adds all grams of a command or a path, except those at its beginning that it shares with `before`, whose grams were
    /// all added.
    fn text(&mut self, view: &View<'_>, before: Option<&View<'_>>, field: FieldMask) -> Result<(), Corrupt> {
        self.fields = self.fields.and(field);
        let lower = view.lower().as_bytes();
        let shared = before.map_or(0, |before| shared_beginning(lower, before.lower().as_bytes()));
        // A gram may begin in what is shared and end behind it.
        self.text_grams(lower.get(shared.saturating_sub(MAX_GRAM - 1)..).unwrap_or_default(), field)?;
        if !view.text().is_ascii() {
            // Words are compared in lower case of every script, which patterns know nothing of.
            self.text_grams(view.words().join(" ").as_bytes(), field)?;
        }
        Ok(())
    }

    fn text_grams(&mut self, lower: &[u8], field: FieldMask) -> Result<(), Corrupt> {
        self.grams.add_bytes(lower);
        let mut outcome = Ok(());
        each_gram(lower, |key| {
            self.grams.add_gram(key);
            if outcome.is_ok() {
                outcome = self.ask(key, field);
            }
        });
        outcome
    }

    /// Adds the keys of contents. Their other grams are not added: a large content holds nearly every one.
    fn contents(&mut self, views: &Views<'_>) -> Result<(), Corrupt> {
        let bytes: usize = views.written().iter().map(Content::size).sum();
        if bytes > FEW_BYTES {
            return self.grams_after_prefixes(views.written());
        }
        let mut outcome = Ok(());
        for view in views.contents() {
            each_gram(view.lower().as_bytes(), |key| {
                if outcome.is_ok() {
                    outcome = self.ask(key, FieldMask::CONTENT);
                }
            });
        }
        outcome
    }

    /// Adds the keys of an error text.
    fn error(&mut self, error: &View<'_>) -> Result<(), Corrupt> {
        let mut outcome = self.ask(Key::of_any_error(), FieldMask::ERROR);
        each_gram(error.lower().as_bytes(), |key| {
            if outcome.is_ok() {
                outcome = self.ask(key.in_error(), FieldMask::ERROR);
            }
        });
        outcome
    }

    /// Adds the keys of contents, looked for only where a key may begin.
    fn grams_after_prefixes(&mut self, contents: &[Content<'_>]) -> Result<(), Corrupt> {
        let span = self.index.header().span(Part::Prefixes);
        let mut bytes = vec![0; usize::try_from(span.length).map_err(|_| Corrupt)?];
        self.index.storage().read(span.at, &mut bytes)?;
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
                        outcome = self.ask(key, FieldMask::CONTENT);
                    }
                });
            });
        }
        outcome
    }

    /// The triggers that the keys lead to, and those without a key.
    fn look_up(&self) -> Result<BTreeSet<u32>, Corrupt> {
        let (index, mut found) = (self.index, BTreeSet::new());
        if index.header().span(Part::Always).length > 0 {
            index.with_record(Part::Always, 0, |list| self.take(list, self.fields, &mut found))?;
        }
        let mut memory = index.lend_memory();
        let (mut open, mut bucket): (_, &[u8]) = (None, &[]);
        for &(key, field) in &self.keys {
            let field = FieldMask::of_bits(field);
            let (number, span) = index.directory().bucket(key)?;
            if open != Some(number) {
                bucket = read_bucket(index, span, &mut memory)?;
                open = Some(number);
            }
            for list in bucket::lists(number, bucket, key)? {
                match list? {
                    PostingList::Inline(list) => self.take(list, field, &mut found)?,
                    // The bucket is still in use, so this takes memory of its own. Such lists are rare.
                    PostingList::Overflow(place) => {
                        index
                            .with_record(Part::Postings, place, |list| self.take(list, field, &mut found))?;
                    }
                }
            }
        }
        index.give_back(memory);
        Ok(found)
    }

    /// Adds the triggers of a list that look at `fields` and whose required grams are there.
    fn take(&self, list: &[u8], fields: FieldMask, found: &mut BTreeSet<u32>) -> Result<(), Corrupt> {
        for group in postings::each(list) {
            let group = group?;
            if group.fields.meet(fields) && self.meets(&group) {
                found.extend(group.triggers());
            }
        }
        Ok(())
    }

    fn meets(&self, group: &Group<'_>) -> bool {
        group.fields.meet(FieldMask::LONG) || group.required().are_met_by(&self.grams)
    }
}

/// Reads a bucket into the memory of a record.
fn read_bucket<'r>(index: &Index<'_>, bucket: Span, record: &'r mut Record) -> Result<&'r [u8], Corrupt> {
    let part = index.header().span(Part::Buckets);
    // Before memory is asked for.
    if bucket.at.checked_add(bucket.length).is_none_or(|end| end > part.length) {
        return Err(Corrupt);
    }
    let length = usize::try_from(bucket.length).map_err(|_| Corrupt)?;
    record.read_bytes(index.storage(), part.at + bucket.at, length)
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

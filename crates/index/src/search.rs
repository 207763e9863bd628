//! The search of an index for the triggers that could match the texts of a call.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::bucket::{self, PostingList};
use super::corrupt::{Corrupt, Result};
use super::filter::Filter;
use super::header::{Part, Span};
use super::key::{GramBitset, Key, MAX_GRAM, each_gram, grams_at};
use super::postings::{self, FieldMask};
use super::prefixes::Prefixes;
use super::reader::Index;
use super::record::Subjects;
use super::required;
use super::storage::Record;
use crate::views::{MOST_COMPARED, View, Views};
use lessons_lesson::Subject;
use lessons_shell::plain_words;
use lessons_text::Content;
use lessons_text::content::Bytes;
use lessons_text::find::find;
use lessons_text::json::unescape;

impl Index<'_> {
    /// The positions of the triggers whose keys and required grams a call contains: all that match the call, and few others.
    pub fn possible_triggers(&self, views: &Views<'_>) -> Result<BTreeSet<u32>> {
        let mut call = Searched::nothing(self);
        call.ask(Key::of_tool(&views.call.tool), FieldMask::TOOL)?;
        let subjects = self.header.subjects;
        call.endings(views, subjects);
        let mut typed = None;
        for command in commands(views, subjects) {
            call.text(command, typed, FieldMask::COMMAND)?;
            typed.get_or_insert(command);
        }
        for path in views.absolute().iter().chain(written_files(self, views)) {
            call.text(path, None, FieldMask::PATH)?;
        }
        if !views.call.contents.is_empty() {
            call.fields = call.fields.and(FieldMask::CONTENT);
            if self.header.reads_contents {
                call.contents(views)?;
            }
        }
        if let Some(error) = views.error() {
            call.error(error)?;
        }
        call.look_up()
    }

    /// The positions of the triggers on a command or a path whose keys and required grams a text contains. Every keyword in the
    /// text is among them.
    pub fn possible_keywords(&self, text: &str) -> Result<BTreeSet<u32>> {
        let mut searched = Searched::nothing(self);
        searched.text(&View::new(Cow::Borrowed(text)), None, FieldMask::COMMAND.and(FieldMask::PATH))?;
        searched.look_up()
    }
}

/// The files that the command plainly writes, where a lesson fires on files.
fn written_files<'v, 'c>(index: &Index<'_>, views: &'v Views<'c>) -> &'v [View<'c>] {
    if index.header.fires_on_files { views.written_files() } else { &[] }
}

/// The size of contents, in bytes, up to which all grams are looked up: beyond it, reading [`Prefixes`] is cheaper.
const FEW_BYTES: usize = 256;

/// The grams of the texts of a call: the possible keys, and the conditions of required grams that the texts meet.
struct Searched<'i, 'f> {
    index: &'i Index<'f>,
    filter: Filter<'f>,
    /// The grams of commands and paths.
    grams: GramBitset,
    /// The fields that the call has.
    fields: FieldMask,
    /// The keys that may be in the index, each with the field in which it was found. Keys of one bucket are adjacent.
    keys: BTreeSet<(Key, FieldMask)>,
}

impl<'i, 'f> Searched<'i, 'f> {
    fn nothing(index: &'i Index<'f>) -> Self {
        Self {
            index,
            filter: Filter::over(index.filter),
            grams: GramBitset::empty(),
            fields: FieldMask::default(),
            keys: BTreeSet::new(),
        }
    }

    /// Adds a key that occurs in `field`, if the index may contain it.
    #[inline]
    fn ask(&mut self, key: Key, field: FieldMask) -> Result<()> {
        if self.filter.may_hold(key)? {
            self.keys.insert((key, field));
        }
        Ok(())
    }

    /// Adds the last bytes of the texts that patterns are matched against.
    fn endings(&mut self, views: &Views<'_>, subjects: Subjects) {
        for view in asked_of(views, subjects).flat_map(|subject| views.command(subject)) {
            self.grams.add_ending(view.text().as_bytes());
            // The executable text is also matched line by line, without blanks at the ends of lines.
            for line in view.text().lines() {
                self.grams.add_ending(line.as_bytes());
                self.grams.add_ending(line.trim_end().as_bytes());
            }
        }
        if let [Subject::Command] = views.distinct_subjects() {
            // The executable text was not derived.
            let typed = views.command(Subject::Command).iter();
            typed
                .flat_map(|view| plain_words(view.text()))
                .for_each(|piece| self.grams.add_ending(piece.as_bytes()));
        }
        for path in views.absolute().iter().chain(written_files(self.index, views)) {
            // The relative path has the same ending.
            self.grams.add_ending(path.text().as_bytes());
        }
    }

    /// Adds all grams of a command or a path, except those of the beginning that it shares with `before`, whose grams are
    /// there already.
    fn text(&mut self, view: &View<'_>, before: Option<&View<'_>>, field: FieldMask) -> Result<()> {
        self.fields = self.fields.and(field);
        let lower = view.lower().as_bytes();
        let before = before.map(|before| before.lower().as_bytes()).unwrap_or_default();
        let shared = lower.iter().zip(before).take_while(|(one, other)| one == other).count();
        // A gram may begin in the shared part and end behind it.
        self.text_grams(lower.get(shared.saturating_sub(MAX_GRAM - 1)..).unwrap_or_default(), field)?;
        if !view.text().is_ascii() {
            // Keywords are compared in the lower case of every script, patterns in that of ASCII only.
            self.text_grams(view.words().trim().as_bytes(), field)?;
        }
        Ok(())
    }

    fn text_grams(&mut self, lower: &[u8], field: FieldMask) -> Result<()> {
        self.grams.add_bytes(lower);
        each_gram(lower, |key| {
            self.grams.add_gram(key);
            self.ask(key, field)
        })
    }

    /// Adds the keys of contents. Their required grams are not added: a large content contains nearly every gram.
    fn contents(&mut self, views: &Views<'_>) -> Result<()> {
        let bytes: usize = views.call.contents.iter().map(Content::size).sum();
        if bytes > FEW_BYTES {
            return self.grams_after_prefixes(&views.call.contents);
        }
        let mut lower = views.contents().iter().map(|view| view.lower().as_bytes());
        lower.try_for_each(|lower| each_gram(lower, |key| self.ask(key, FieldMask::CONTENT)))
    }

    /// Adds the keys of an error text.
    fn error(&mut self, error: &View<'_>) -> Result<()> {
        self.ask(Key::of_any_error(), FieldMask::ERROR)?;
        each_gram(error.lower().as_bytes(), |key| self.ask(key.in_error(), FieldMask::ERROR))
    }

    /// Adds the keys of contents at the positions that [`Prefixes`] lets through.
    fn grams_after_prefixes(&mut self, contents: &[Content<'_>]) -> Result<()> {
        let span = self.index.header.span(Part::Prefixes);
        let mut bytes = vec![0; usize::try_from(span.length).map_err(|_| Corrupt)?];
        self.index.storage.read(span.at, &mut bytes)?;
        let prefixes = Prefixes::decode(&bytes)?;
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
                let gram = gram.get(..length).unwrap_or_default();
                grams_at(gram, &mut |key| self.ask(key, FieldMask::CONTENT))
            })?;
        }
        Ok(())
    }

    /// The triggers under the keys, and the triggers without a key.
    fn look_up(&self) -> Result<BTreeSet<u32>> {
        let (index, mut found) = (self.index, BTreeSet::new());
        if index.header.span(Part::Always).length > 0 {
            index.with_record(Part::Always, 0, |list| self.take(list, self.fields, &mut found))?;
        }
        let mut memory = index.record.take();
        let (mut open, mut bucket): (_, &[u8]) = (None, &[]);
        for &(key, field) in &self.keys {
            let (number, span) = index.directory.bucket(key)?;
            if open != Some(number) {
                bucket = read_bucket(index, span, &mut memory)?;
                open = Some(number);
            }
            for list in bucket::lists(number, bucket, key)? {
                match list? {
                    PostingList::Inline(list) => self.take(list, field, &mut found)?,
                    // The bucket is still borrowed, so the list is read into memory of its own. Such lists are rare.
                    PostingList::Overflow(place) => {
                        index
                            .with_record(Part::Postings, place, |list| self.take(list, field, &mut found))?;
                    }
                }
            }
        }
        index.record.replace(memory);
        Ok(found)
    }

    /// Adds the triggers of a list that look at one of `fields` and whose required grams occur.
    fn take(&self, list: &[u8], fields: FieldMask, found: &mut BTreeSet<u32>) -> Result<()> {
        for group in postings::each(list) {
            let group = group?;
            let are_collected = !group.fields.meet(FieldMask::LONG);
            if group.fields.meet(fields) && (!are_collected || required::are_met(group.required, &self.grams))
            {
                found.extend(group.triggers());
            }
        }
        Ok(())
    }
}

/// Reads a bucket into the memory of a record. [`Corrupt`] if it is not within its part of the index.
fn read_bucket<'r>(index: &Index<'_>, bucket: Span, record: &'r mut Record) -> Result<&'r [u8]> {
    let part = index.header.span(Part::Buckets);
    // Checked before memory is allocated.
    if bucket.at.checked_add(bucket.length).is_none_or(|end| end > part.length) {
        return Err(Corrupt);
    }
    let length = usize::try_from(bucket.length).map_err(|_| Corrupt)?;
    record.read_bytes(&*index.storage, part.at + bucket.at, length)
}

/// The first bytes of a text, and their number.
fn plain_beginning(text: &[u8]) -> ([u8; MAX_GRAM], usize) {
    let mut beginning = [0; MAX_GRAM];
    beginning.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    (beginning, text.len().min(MAX_GRAM))
}

/// The views of a command to search: the command as typed, each simple command, and what would run if it is among
/// `subjects`, as far as they differ.
fn asked_of<'v>(views: &'v Views<'_>, subjects: Subjects) -> impl Iterator<Item = Subject> + use<'v> {
    let is_asked = move |subject: &Subject| *subject != Subject::Executable || subjects.contains(*subject);
    views.distinct_subjects().iter().copied().filter(is_asked)
}

/// The command as typed, and the texts of its other views that it does not contain. No key and no condition extends over
/// the end of a line.
fn commands<'v, 'c>(
    views: &'v Views<'c>,
    subjects: Subjects,
) -> impl Iterator<Item = &'v View<'c>> + use<'v, 'c> {
    let typed = views.command(Subject::Command).first();
    let others = asked_of(views, subjects).filter(|subject| *subject != Subject::Command);
    let texts = others.flat_map(|subject| match (subject, views.command(subject)) {
        // The first text is the whole, the others are its lines.
        (Subject::Executable, [_, lines @ ..]) if !lines.is_empty() => lines,
        (_, texts) => texts,
    });
    let is_new = move |(position, text): &(usize, &View<'_>)| {
        let within = |typed: &View<'_>| find(typed.text().as_bytes(), text.text().as_bytes()).is_some();
        *position >= MOST_COMPARED || !typed.is_some_and(within)
    };
    typed
        .into_iter()
        .chain(views.joined_lines())
        .chain(texts.enumerate().filter(is_new).map(|(_, text)| text))
}

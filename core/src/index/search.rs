//! From a call to the triggers that could match it.

use alloc::collections::BTreeSet;
use alloc::vec;

use memchr::memmem;

use super::block::{Filter, Table};
use super::key::{Held, Key, MAX_GRAM, each_gram, grams_at};
use super::postings::{self, Group, Surfaces};
use super::prefixes::Prefixes;
use super::storage::{self, Storage};
use super::{Damaged, Index, block};
use crate::content::{Bytes, Content};
use crate::json::unescape;
use crate::lesson::Subject;
use crate::matching::{View, Views};

/// The triggers whose keys and conditions a call holds, ascending: all that match it, and few others.
pub(super) fn triggers<S: Storage>(
    index: &Index<'_, S>,
    views: &Views<'_>,
) -> Result<BTreeSet<u32>, Damaged> {
    let mut search = Search {
        index,
        filter: Filter::over(index.filter),
        texts: Texts { views, held: None },
        asked: BTreeSet::new(),
        found: BTreeSet::new(),
    };
    search.ask(Key::of_tool(views.tool()), Surfaces::TOOL)?;
    for command in commands(views) {
        search.grams(command, Surfaces::COMMAND)?;
    }
    for path in views.absolute() {
        search.grams(path, Surfaces::PATH)?;
    }
    if index.header.reads_contents && !views.written().is_empty() {
        search.contents()?;
    }
    if index.header.always != 0 {
        let always = storage::list(&index.storage, index.header.postings, index.header.always)?;
        search.take(&always, search.texts.surfaces())?;
    }
    Ok(search.found)
}

/// Of so many bytes of content all grams are asked for: to read [`Prefixes`] costs as much.
const FEW_BYTES: usize = 256;

struct Search<'s, 'c, 'f, S> {
    index: &'s Index<'f, S>,
    filter: Filter<'s>,
    texts: Texts<'s, 'c>,
    /// Keys that were looked up already, and for which texts.
    asked: BTreeSet<(Key, u8)>,
    found: BTreeSet<u32>,
}

impl<S: Storage> Search<'_, '_, '_, S> {
    /// Asks for all grams of a text.
    fn grams(&mut self, view: &View<'_>, surface: Surfaces) -> Result<(), Damaged> {
        self.grams_of(view.lower().as_bytes(), surface)?;
        if !view.text().is_ascii() {
            // Words are compared in lower case of every script, which patterns know nothing of.
            self.grams_of(view.words().join(" ").as_bytes(), surface)?;
        }
        Ok(())
    }

    fn grams_of(&mut self, lower: &[u8], surface: Surfaces) -> Result<(), Damaged> {
        let mut outcome = Ok(());
        each_gram(lower, |key| {
            if outcome.is_ok() {
                outcome = self.ask(key, surface);
            }
        });
        outcome
    }

    /// Asks for the grams of contents.
    fn contents(&mut self) -> Result<(), Damaged> {
        let views = self.texts.views;
        let bytes: usize = views.written().iter().map(Content::size).sum();
        if bytes > FEW_BYTES {
            return self.grams_after_prefixes();
        }
        views.contents().iter().try_for_each(|view| self.grams_of(view.lower().as_bytes(), Surfaces::CONTENT))
    }

    /// Asks for the grams of contents, but only where a key may begin.
    fn grams_after_prefixes(&mut self) -> Result<(), Damaged> {
        let span = self.index.header.prefixes;
        let mut bytes = vec![0; usize::try_from(span.length).map_err(|_| Damaged)?];
        self.index.storage.read(span.at, &mut bytes)?;
        let prefixes = Prefixes::decode(&bytes)?;
        let mut outcome = Ok(());
        for content in self.texts.views.written() {
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

    /// Takes the triggers under a key that look at `surface`.
    #[inline]
    fn ask(&mut self, key: Key, surface: Surfaces) -> Result<(), Damaged> {
        if self.filter.may_hold(key)? { self.look_up(key, surface) } else { Ok(()) }
    }

    #[cold]
    fn look_up(&mut self, key: Key, surface: Surfaces) -> Result<(), Damaged> {
        if !self.asked.insert((key, surface.bits())) {
            return Ok(());
        }
        let header = &self.index.header;
        let blocks = u32::try_from(header.table.length / block::BYTES as u64).map_err(|_| Damaged)?;
        let read = |place| storage::block(&self.index.storage, header.table, place);
        for place in (Table { blocks }).find::<Damaged>(key, read)? {
            let list = storage::list(&self.index.storage, header.postings, place)?;
            self.take(&list, surface)?;
        }
        Ok(())
    }

    fn take(&mut self, list: &[u8], surfaces: Surfaces) -> Result<(), Damaged> {
        for group in postings::each(list) {
            let group = group?;
            if group.surfaces.meet(surfaces) && self.texts.pass(&group) {
                self.found.extend(group.triggers());
            }
        }
        Ok(())
    }
}

/// The first bytes of a text, and how many there are of them.
fn plain_beginning(text: &[u8]) -> ([u8; MAX_GRAM], usize) {
    let mut beginning = [0; MAX_GRAM];
    beginning.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    (beginning, text.len().min(MAX_GRAM))
}

/// The command as typed, and of what would run the lines that say something else. No key and no condition goes
/// over a line's end.
fn commands<'v, 'c>(views: &'v Views<'c>) -> impl Iterator<Item = &'v View<'c>> + use<'v, 'c> {
    let of =
        |subject| if views.distinct_subjects().contains(&subject) { views.command(subject) } else { &[] };
    let typed = of(Subject::Command).first();
    let runs = match of(Subject::Executable) {
        // The whole, and then each of its lines.
        [_, lines @ ..] if !lines.is_empty() => lines,
        whole => whole,
    };
    let is_new = move |line: &&View<'_>| {
        let within =
            |typed: &View<'_>| memmem::find(typed.text().as_bytes(), line.text().as_bytes()).is_some();
        !typed.is_some_and(within)
    };
    typed.into_iter().chain(runs.iter().filter(is_new))
}

/// The texts of a call, for screens.
struct Texts<'s, 'c> {
    views: &'s Views<'c>,
    /// What commands and paths hold, once somebody has asked.
    held: Option<Held>,
}

impl Texts<'_, '_> {
    /// What the call has for triggers to look at.
    fn surfaces(&self) -> Surfaces {
        let has = |there: bool, surface| if there { surface } else { Surfaces::default() };
        has(!self.views.command(Subject::Command).is_empty(), Surfaces::COMMAND)
            .and(has(!self.views.absolute().is_empty(), Surfaces::PATH))
            .and(has(!self.views.written().is_empty(), Surfaces::CONTENT))
    }

    fn pass(&mut self, group: &Group<'_>) -> bool {
        // A large content holds nearly everything; to ask would cost more than it spares.
        if group.surfaces.meet(Surfaces::CONTENT) || group.screen().is_empty() {
            return true;
        }
        let views = self.views;
        let held = self.held.get_or_insert_with(|| {
            let mut held = Held::nothing();
            for view in views.distinct_subjects().iter().flat_map(|subject| views.command(*subject)) {
                held.add_ending(view.text().as_bytes());
                // What would run is matched line by line too, without blanks at the ends of lines.
                for line in view.text().lines() {
                    held.add_ending(line.as_bytes());
                    held.add_ending(line.trim_end().as_bytes());
                }
            }
            for path in views.absolute() {
                // The relative one ends as this one does.
                held.add_ending(path.text().as_bytes());
            }
            for view in commands(views).chain(views.absolute()) {
                held.add(view.lower().as_bytes());
                if !view.text().is_ascii() {
                    held.add(view.words().join(" ").as_bytes());
                }
            }
            held
        });
        group.screen().lets_through(held)
    }
}

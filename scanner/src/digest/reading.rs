//! Readings: the items of one or more projects, cut to a size that a model reads at once.

use std::collections::BTreeMap;

use lessons_decide::events;
use lessons_text::neutral;
use serde::{Deserialize, Serialize};

use super::items::{Item, ProjectItems};
use super::text::quarters;

/// A text for a model, with what its ids stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reading {
    /// The text. Every line is neutral.
    pub text: String,
    /// The size of the text in tokens, estimated.
    pub tokens: usize,
    /// The items by their ids, such as `p12`.
    pub items: BTreeMap<String, Item>,
}

/// A part of a project that is not divided where it can be helped: a session, or its errors, below a header.
type Part = (String, Vec<Item>);

fn size_of((header, items): &Part) -> usize {
    quarters(header) + items.iter().map(|item| quarters(&item.text) + 5).sum::<usize>()
}

/// Cuts projects into readings of at most some tokens: whole projects together while they fit, a large one between its
/// sessions where it can be. Each is given on as soon as it is whole, so that only one is held.
pub(super) struct Cutter<'s> {
    room: usize,
    /// What is begun, its size, and the numbers of its items by their letters.
    reading: Reading,
    quarters: usize,
    numbers: BTreeMap<&'static str, usize>,
    give: &'s mut dyn FnMut(Reading),
}

impl<'s> Cutter<'s> {
    pub(super) fn new(tokens: usize, give: &'s mut dyn FnMut(Reading)) -> Self {
        let (reading, quarters, numbers) = Default::default();
        Self { room: tokens * 4, reading, quarters, numbers, give }
    }

    /// Adds a project, by the name that it has in a reading.
    pub(super) fn add(&mut self, name: &str, items: ProjectItems) {
        let room = self.room;
        let name = neutral::shortened(&neutral::line(name), 120);
        let goes_on = format!("# project {name} (goes on)");
        let parts = parts(items);
        let total: usize = parts.iter().map(size_of).sum();
        if self.quarters + total > room && (total <= room || self.quarters * 5 > room * 3) {
            self.end();
        }
        if !parts.is_empty() {
            self.line(&format!("# project {name}"));
        }
        for part in parts {
            let fits = self.quarters + size_of(&part) <= room;
            if !fits && self.quarters * 10 > room * 7 {
                self.end();
                self.line(&goes_on);
            }
            let (header, items) = part;
            self.line(&header);
            for item in items {
                if self.quarters + quarters(&item.text) + 5 > room && !self.reading.items.is_empty() {
                    self.end();
                    self.line(&goes_on);
                }
                self.item(item);
            }
        }
    }

    fn line(&mut self, text: &str) {
        self.quarters += quarters(text) + 1;
        self.reading.text.push_str(text);
        self.reading.text.push('\n');
    }

    fn item(&mut self, item: Item) {
        let letter = item.kind.name();
        let number = self.numbers.entry(letter).or_default();
        *number += 1;
        let id = format!("{letter}{number}");
        self.line(&format!("{id} {}", item.text));
        self.reading.items.insert(id, item);
    }

    /// Gives on what is begun.
    pub(super) fn end(&mut self) {
        if !self.reading.items.is_empty() {
            self.numbers.clear();
            let tokens = std::mem::take(&mut self.quarters).div_ceil(4);
            (self.give)(Reading { tokens, ..std::mem::take(&mut self.reading) });
        }
    }
}

fn parts(items: ProjectItems) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut session = None;
    for item in items.told {
        if session.as_ref() != Some(&item.session) {
            let (began, name) = &item.session;
            let name: String = name.chars().take(8).collect();
            let header = format!("-- session {} {}", neutral::line(&name), events::day(*began));
            parts.push((header, Vec::new()));
            session = Some(item.session.clone());
        }
        if let Some((_, items)) = parts.last_mut() {
            items.push(item);
        }
    }
    if !items.errors.is_empty() {
        parts.push(("-- errors".to_owned(), items.errors));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::items::{Correction, ItemKind};
    use super::*;

    fn item(text: &str, session: &str) -> Item {
        Item {
            kind: ItemKind::Prompt,
            text: text.into(),
            places: Vec::new(),
            calls: Vec::new(),
            project: "/p".into(),
            time: 0,
            worked: Vec::new(),
            times: 1,
            sessions: 1,
            correction: Correction::None,
            mark: text.into(),
            session: (86_400_000, session.into()),
        }
    }

    /// The readings of projects, each with the numbers of items of its sessions.
    fn readings(projects: &[(&str, &[(&str, usize)])], tokens: usize) -> Vec<Reading> {
        let mut given = Vec::new();
        let mut give = |reading| given.push(reading);
        let mut cutter = Cutter::new(tokens, &mut give);
        for (name, sessions) in projects {
            let told = sessions
                .iter()
                .flat_map(|(session, count)| (0..*count).map(|at| item(&format!("\"{at:036}\""), session)));
            cutter.add(name, ProjectItems { told: told.collect(), errors: Vec::new() });
        }
        cutter.end();
        given
    }

    #[test]
    fn small_projects_go_into_one_reading() {
        let readings = readings(&[("a", &[("s1", 1)]), ("b", &[("s2", 1)])], 100);
        let texts: Vec<&str> = readings.iter().map(|reading| reading.text.as_str()).collect();
        let zeros = "0".repeat(36);
        let expected = format!(
            "# project a\n-- session s1 1970-01-02\np1 \"{zeros}\"\n# project b\n-- session s2 1970-01-02\np2 \"{zeros}\"\n"
        );
        assert_eq!(texts, [expected]);
    }

    #[test]
    fn no_reading_is_larger_than_its_room_and_nothing_is_lost() {
        let readings = readings(&[("a", &[("s1", 30), ("s2", 9)]), ("b", &[("s3", 20)])], 150);
        assert!(readings.iter().all(|reading| reading.tokens <= 150));
        assert_eq!(readings.iter().map(|reading| reading.items.len()).sum::<usize>(), 59);
    }
}

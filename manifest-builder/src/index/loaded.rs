//! An index that is read as a whole: by commands, previews and the next build.

use std::cmp::Reverse;
use std::collections::HashMap;

use bytes::Bytes;
use lessons_index::header::{BYTES as HEADER_BYTES, Header, VERSION};
use lessons_index::record::{PatternNote, Trigger as TriggerRecord};
use lessons_index::{
    self as index, Corrupt, Index, LessonEntry, Manifest, Part, Test, TriggerEntry, Value, storage,
};
use lessons_lesson::{LateLesson, QualifiedId, Settings, Terms};
use lessons_pattern::automaton::compile::AutomatonBytes;
use lessons_pattern::{Compiled, Prepared, Trigger};

use crate::patterns::Patterns;
use crate::summed;

/// The bytes of an index, in memory or mapped. It can be shared between threads, each of which [asks](LoadedIndex::ask) it
/// for itself.
#[derive(Debug, Clone)]
pub struct LoadedIndex {
    bytes: Bytes,
    header: Header,
}

impl LoadedIndex {
    /// The index in these bytes. An index of another version counts as corrupt. Records are checked when they are read.
    pub fn parse(bytes: Bytes) -> Result<Self, Corrupt> {
        let header = Header::decode(&bytes, bytes.len() as u64)?;
        let loaded = Self { bytes, header };
        loaded.ask().map(drop)?;
        Ok(loaded)
    }

    /// [`LoadedIndex::parse`] with the checksum of the whole body checked too, for a caller that reads everything.
    pub fn parse_whole(bytes: Bytes) -> Result<Self, Corrupt> {
        let loaded = Self::parse(bytes)?;
        let body = loaded.bytes.get(HEADER_BYTES..).ok_or(Corrupt)?;
        let sum = summed::sum(u64::from(VERSION), HEADER_BYTES, body);
        if loaded.header.body == sum { Ok(loaded) } else { Err(Corrupt) }
    }

    /// The bytes of the index.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The settings that hooks act on.
    pub fn settings(&self) -> &Settings {
        &self.header.settings
    }

    /// The index, ready to be asked.
    pub fn ask(&self) -> Result<Index<'_>, Corrupt> {
        Index::new(&self.header, &self.bytes, &*self.bytes)
    }

    /// The lessons by their positions, ascending by id.
    pub fn lessons(&self) -> Result<Vec<(u32, Terms)>, Corrupt> {
        let index = self.ask()?;
        let records = storage::records(self.part(Part::Lessons)?);
        records.map(|record| record.and_then(|(at, _)| Ok((at, index.terms(at)?)))).collect()
    }

    /// The ids of the lessons, ascending.
    pub fn ids(&self) -> Result<Vec<QualifiedId>, Corrupt> {
        Ok(self.lessons()?.into_iter().map(|(_, terms)| terms.id).collect())
    }

    /// The position and the terms of the lesson with this id, if the lesson is in force.
    pub fn find(&self, id: &QualifiedId) -> Result<Option<(u32, Terms)>, Corrupt> {
        Ok(self.lessons()?.into_iter().find(|(_, terms)| terms.id == *id))
    }

    /// The triggers as a person wrote them, by their positions.
    pub fn triggers(&self) -> Result<HashMap<u32, Trigger>, Corrupt> {
        let mut triggers = HashMap::new();
        self.each_trigger(|position, record, note| {
            triggers.insert(position, Trigger::new(record.kind, note.pattern));
            Ok(())
        })?;
        Ok(triggers)
    }

    /// The prepared patterns that the index holds, which the next build reuses.
    pub fn patterns(&self) -> Result<Patterns, Corrupt> {
        let mut known = Patterns::default();
        self.each_trigger(|_, record, note| {
            if let Test::Pattern(automaton) = record.test {
                let automaton = AutomatonBytes::new(self.bytes.slice_ref(automaton));
                let (clauses, endings) = (note.clauses.into_owned(), note.endings.to_vec());
                let prepared = Prepared { compiled: Compiled::Pattern(automaton), clauses, endings };
                known.know(Trigger::new(record.kind, note.pattern), prepared);
            }
            Ok(())
        })?;
        Ok(known)
    }

    /// The manifest that the index was made from.
    pub fn manifest(&self) -> Result<Manifest, Corrupt> {
        let index = self.ask()?;
        let notes = index.build_notes()?;
        let mut manifest = Manifest::new(self.header.settings.clone(), &notes.made_by);
        (manifest.trusted, manifest.news, manifest.sources) = (notes.trusted, notes.news, notes.sources);
        manifest.lost_refusals = notes.lost_refusals;
        manifest.weakened = notes.weakened;
        let mut ordinals = HashMap::new();
        self.each_trigger(|position, record, note| {
            ordinals.insert(position, u32::try_from(manifest.triggers.len()).map_err(|_| Corrupt)?);
            manifest.triggers.push(TriggerEntry {
                kind: record.kind,
                pattern: note.pattern.to_owned(),
                document_frequency: record.document_frequency,
            });
            Ok(())
        })?;
        let mut rules = HashMap::new();
        index.each_rule(|rule| {
            let topics: Vec<String> = rule.topics.into_iter().map(str::to_owned).collect();
            rules.insert(rule.lesson, (rule.rule.to_owned(), topics));
        })?;
        let mut at_agent_start = HashMap::new();
        index.each_agent_lesson(|found| {
            at_agent_start.insert(found.lesson, found.text.to_owned());
        })?;
        let late: HashMap<u32, u64> = index.late_lessons()?.into_iter().collect();
        for (position, mut terms) in self.lessons()? {
            for list in [&mut terms.triggers, &mut terms.also, &mut terms.unless] {
                for trigger in list {
                    *trigger = *ordinals.get(trigger).ok_or(Corrupt)?;
                }
            }
            if let Some(at) = late.get(&position) {
                manifest.late.push(LateLesson { id: terms.id.clone(), at: *at });
            }
            let (rule, topics) = rules.remove(&position).ok_or(Corrupt)?;
            let texts = index.texts(position)?;
            manifest.lessons.push(LessonEntry {
                terms,
                rule,
                topics,
                full: texts.full,
                brief: texts.brief,
                at_agent_start: at_agent_start.remove(&position),
            });
        }
        manifest.late.sort_by(|a, b| (Reverse(a.at), &a.id).cmp(&(Reverse(b.at), &b.id)));
        Ok(manifest)
    }

    /// Has `read` look at the record of each trigger and the note about its pattern.
    fn each_trigger<'s>(
        &'s self,
        mut read: impl FnMut(u32, TriggerRecord<'s>, PatternNote<'s>) -> Result<(), Corrupt>,
    ) -> Result<(), Corrupt> {
        let mut notes = self.part(Part::PatternNotes)?;
        for record in storage::records(self.part(Part::Triggers)?) {
            let (position, mut content) = record?;
            read(position, Value::read(&mut content)?, Value::read(&mut notes)?)?;
        }
        Ok(())
    }

    fn part(&self, part: Part) -> Result<&[u8], Corrupt> {
        index::part(&self.bytes, self.header.span(part))
    }
}

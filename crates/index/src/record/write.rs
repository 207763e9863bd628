//! The writer of records.

use super::types::{AgentLesson, PatternNote, Rule, Subjects, Test, Trigger};
use lessons_lesson::{BuildNotes, DedupScope, InLot, Settings, Terms, When};
use lessons_text::Named;

/// The writer of a record.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// The finished record.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    /// The bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Begins a new record in the same memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Adds a number of four bytes.
    pub(crate) fn short(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds a number of eight bytes.
    pub(crate) fn long(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds bytes without their length.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Adds a truth value, as a byte 0 or 1.
    pub(crate) fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }

    fn count(&mut self, length: usize) {
        self.short(u32::try_from(length).unwrap_or(u32::MAX));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Adds a list of numbers.
    pub fn shorts(&mut self, numbers: impl ExactSizeIterator<Item = u32>) {
        self.count(numbers.len());
        numbers.for_each(|number| self.short(number));
    }

    fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        for text in texts {
            self.bytes(text.as_bytes());
        }
    }

    fn maybe(&mut self, number: Option<u64>) {
        self.byte(u8::from(number.is_some()));
        if let Some(number) = number {
            self.long(number);
        }
    }

    /// Adds the settings.
    pub fn settings(&mut self, settings: &Settings) {
        self.byte(u8::from(settings.enabled));
        self.maybe(settings.off_until);
        self.long(settings.budget_lessons as u64);
        self.long(settings.budget_bytes as u64);
        self.long(settings.session_bytes as u64);
        self.byte(u8::from(settings.dedup_scope == DedupScope::Session));
        self.byte(settings.compaction_threshold);
        self.long(settings.agents.lessons as u64);
        self.long(settings.agents.bytes as u64);
        self.flag(settings.agents.protocol);
        self.byte(settings.lot.map_or(0, |lot| lot.share.of()));
        let salt = settings.lot.map_or([0; 16], |lot| lot.salt);
        for half in salt.as_chunks::<8>().0 {
            self.long(u64::from_le_bytes(*half));
        }
    }

    /// Adds the terms of a lesson. `place` gives the position in the index of a trigger of the manifest.
    pub fn terms(&mut self, terms: &Terms, place: impl Fn(u32) -> u32) {
        self.bytes(terms.id.to_string().as_bytes());
        self.byte(terms.mode as u8);
        self.byte(u8::from(terms.when == When::Session));
        self.byte(terms.subject as u8);
        self.byte(terms.priority);
        self.byte(terms.quality as u8);
        self.byte(terms.severity as u8);
        self.bytes(terms.created_at.as_bytes());
        for triggers in [&terms.triggers, &terms.also, &terms.unless] {
            self.shorts(triggers.iter().map(|trigger| place(*trigger)));
        }
        self.texts(&terms.tools);
        self.byte(u8::from(terms.roots.is_some()));
        self.texts(terms.roots.as_deref().unwrap_or_default());
        self.texts(&terms.agents);
        self.words(&terms.conditions.os);
        self.words(&terms.conditions.shell);
        self.words(&terms.conditions.state);
        self.maybe(terms.off_until);
        self.flag(terms.in_lot == InLot::Never);
    }

    /// Adds a set of words: a byte with a bit for each word, the lowest for the first word of the list.
    fn words<T: Named>(&mut self, words: &[T]) {
        let bits = (0..).zip(T::VALUES).filter(|(_, word)| words.contains(word));
        self.byte(bits.fold(0, |set, (bit, _)| set | 1 << bit));
    }

    /// Adds the texts of a lesson.
    pub fn lesson_texts(&mut self, full: &str, brief: &str) {
        self.bytes(full.as_bytes());
        self.bytes(brief.as_bytes());
    }

    /// Adds a trigger.
    pub fn trigger(&mut self, trigger: &Trigger<'_>) {
        self.byte(trigger.kind as u8);
        self.short(trigger.document_frequency);
        self.subjects(trigger.subjects);
        match &trigger.test {
            Test::Pattern(automaton) => {
                self.byte(0);
                self.bytes(automaton);
            }
            Test::Words(words) => {
                self.byte(1);
                self.texts(words);
            }
            Test::Tool(name) => {
                self.byte(2);
                self.bytes(name.as_bytes());
            }
        }
        self.shorts(trigger.lessons.iter().copied());
    }

    /// Adds a set of views of a command.
    pub(crate) fn subjects(&mut self, subjects: Subjects) {
        self.byte(subjects.0);
    }

    /// Adds a pattern note.
    pub fn pattern_note(&mut self, note: &PatternNote<'_>) {
        self.bytes(note.pattern.as_bytes());
        self.count(note.clauses.len());
        note.clauses.iter().for_each(|clause| self.texts(clause));
        self.bytes(note.endings);
    }

    /// Adds a lesson for single agents.
    pub fn agent_lesson(&mut self, lesson: &AgentLesson<'_>) {
        self.short(lesson.lesson);
        self.bytes(lesson.text.as_bytes());
    }

    /// Adds a lesson that came into force lately, by its position, with the time in milliseconds since 1970.
    pub fn late_lesson(&mut self, lesson: u32, at: u64) {
        self.short(lesson);
        self.long(at);
    }

    /// Adds a rule.
    pub fn rule(&mut self, rule: &Rule<'_>) {
        self.short(rule.lesson);
        self.bytes(rule.rule.as_bytes());
        self.count(rule.topics.len());
        rule.topics.iter().for_each(|topic| self.bytes(topic.as_bytes()));
    }

    /// Adds the notes of a build, as JSON: no call needs them.
    pub fn build_notes(&mut self, notes: &BuildNotes) {
        // Plain data with text for keys cannot fail.
        self.raw(&serde_json::to_vec(notes).unwrap_or_default());
    }
}

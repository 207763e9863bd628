//! Values of records: how each stands in bytes, written and read by one description.

use std::borrow::Cow;

use super::types::{AgentLesson, PatternNote, Rule, Subjects, Test, Trigger};
use crate::corrupt::{Corrupt, Result};
use lessons_lesson::compiled::{AgentSettings, Texts};
use lessons_lesson::{
    BuildNotes, Conditions, DedupScope, InLot, Lot, Mode, QualifiedId, Quality, Settings, Severity, Share,
    Subject, Terms, When,
};
use lessons_pattern::TriggerKind;
use lessons_text::Named;

/// A value of a record. It is read as it was written.
pub trait Value<'a>: Sized {
    /// Adds the value to a record.
    fn write(&self, to: &mut Vec<u8>);

    /// Reads the value from the front of what is left of a record. What does not fit the encoding is [`Corrupt`].
    fn read(from: &mut &'a [u8]) -> Result<Self>;

    /// Reads so many values. Memory is bounded by the record, whatever number it claims.
    fn read_many(from: &mut &'a [u8], count: usize) -> Result<Vec<Self>> {
        (0..count).map(|_| Self::read(from)).collect()
    }
}

/// Takes so many bytes from the front.
fn taken<'a>(from: &mut &'a [u8], count: usize) -> Result<&'a [u8]> {
    from.split_off(..count).ok_or(Corrupt)
}

/// Structs, each as its fields in this order.
macro_rules! structs {
    ($($type:ty { $($field:tt),+ })+) => {$(
        impl<'a> $crate::record::Value<'a> for $type {
            fn write(&self, to: &mut Vec<u8>) {
                $(self.$field.write(to);)+
            }

            fn read(from: &mut &'a [u8]) -> Result<Self, $crate::Corrupt> {
                Ok(Self { $($field: $crate::record::Value::read(from)?),+ })
            }
        }
    )+};
}
pub(crate) use structs;

structs! {
    Settings {
        enabled, off_until, budget_lessons, budget_bytes, session_bytes, dedup_scope, compaction_threshold,
        agents, lot
    }
    AgentSettings { lessons, bytes, protocol }
    Terms {
        id, mode, when, subject, priority, quality, severity, created_at, triggers, also, unless, tools,
        roots, agents, conditions, off_until, in_lot
    }
    Texts { full, brief }
    Trigger<'a> { kind, document_frequency, subjects, test, lessons }
    Subjects { 0 }
    PatternNote<'a> { pattern, clauses, endings }
    AgentLesson<'a> { lesson, text }
    Rule<'a> { lesson, rule, topics }
}

impl<'a, A: Value<'a>, B: Value<'a>> Value<'a> for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut &'a [u8]) -> Result<Self> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

/// Numbers, the lowest byte first.
macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl<'a> Value<'a> for $number {
            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn read(from: &mut &'a [u8]) -> Result<Self> {
                Value::read(from).map(Self::from_le_bytes)
            }

            fn read_many(from: &mut &'a [u8], count: usize) -> Result<Vec<Self>> {
                let bytes = taken(from, count.checked_mul(size_of::<Self>()).ok_or(Corrupt)?)?;
                Ok(bytes.as_chunks().0.iter().map(|number| Self::from_le_bytes(*number)).collect())
            }
        }
    )+};
}

numbers!(u8, u32, u64, i64);

/// Values of which there are few: a byte, the place of the value among all.
macro_rules! places {
    ($($type:ty, $all:expr;)+) => {$(
        impl Value<'_> for $type {
            fn write(&self, to: &mut Vec<u8>) {
                to.push(*self as u8);
            }

            fn read(from: &mut &[u8]) -> Result<Self> {
                $all.get(usize::from(u8::read(from)?)).copied().ok_or(Corrupt)
            }
        }
    )+};
}

places! {
    DedupScope, DedupScope::ALL;
    InLot, [InLot::Yes, InLot::Never];
    Mode, Mode::ALL;
    Quality, Quality::ALL;
    Severity, Severity::ALL;
    Subject, Subject::ALL;
    TriggerKind, TriggerKind::ALL;
    When, When::ALL;
}

/// Bytes whose number is known stand alone.
impl<const N: usize> Value<'_> for [u8; N] {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self);
    }

    #[inline]
    fn read(from: &mut &[u8]) -> Result<Self> {
        let (bytes, rest) = from.split_first_chunk().ok_or(Corrupt)?;
        *from = rest;
        Ok(*bytes)
    }
}

/// Values that stand as another one: what is written of the value, and what is read of the other.
macro_rules! as_others {
    ($($type:ty as $other:ty, $value:ident => $written:expr, $read:expr;)+) => {$(
        impl<'a> Value<'a> for $type {
            fn write(&self, to: &mut Vec<u8>) {
                let $value = self;
                $written.write(to);
            }

            fn read(from: &mut &'a [u8]) -> Result<Self> {
                <$other>::read(from).and_then($read)
            }
        }
    )+};
}

as_others! {
    usize as u64, size => (*size as u64), |size| size.try_into().map_err(|_| Corrupt);
    &'a str as &'a [u8], text => text.as_bytes(), |bytes| std::str::from_utf8(bytes).map_err(|_| Corrupt);
    String as &'a str, text => text.as_str(), |text| Ok(text.to_owned());
    QualifiedId as &'a str, id => id.to_string(), |id| id.parse().map_err(|_| Corrupt);
    Conditions as [u8; 3], all => [set_of(&all.os), set_of(&all.shell), set_of(&all.state)], conditions;
    bool as u8, flag => u8::from(*flag), flag;
    // The list follows where there is none too.
    Option<Vec<String>> as (bool, Vec<String>), list => (list.is_some(), list.clone().unwrap_or_default()),
        |(is_some, list)| Ok(Some(list).filter(|_| is_some));
    Option<Lot> as (u8, [u8; 16]), lot => lot.map(|lot| (lot.share.of(), lot.salt)).unwrap_or_default(), lot;
}

fn flag(byte: u8) -> Result<bool> {
    [false, true].get(usize::from(byte)).copied().ok_or(Corrupt)
}

fn conditions([os, shell, state]: [u8; 3]) -> Result<Conditions> {
    Ok(Conditions { os: words_of(os)?, shell: words_of(shell)?, state: words_of(state)? })
}

/// The lot of a share, which is 0 where there is none, and a salt, which follows in either case.
fn lot((share, salt): (u8, [u8; 16])) -> Result<Option<Lot>> {
    let lot = |share| Some(Lot { salt, share });
    if share == 0 { Ok(None) } else { Share::one_of(share).map(lot).ok_or(Corrupt) }
}

/// Adds the length of a text or a list.
fn write_length(length: usize, to: &mut Vec<u8>) {
    u32::try_from(length).unwrap_or(u32::MAX).write(to);
}

impl<'a> Value<'a> for &'a [u8] {
    fn write(&self, to: &mut Vec<u8>) {
        write_length(self.len(), to);
        to.extend_from_slice(self);
    }

    fn read(from: &mut &'a [u8]) -> Result<Self> {
        let length = u32::read(from)? as usize;
        taken(from, length)
    }
}

impl<'a, T: Value<'a>> Value<'a> for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        write_all(self, to);
    }

    fn read(from: &mut &'a [u8]) -> Result<Self> {
        let count = u32::read(from)? as usize;
        T::read_many(from, count)
    }
}

fn write_all<'a, T: Value<'a>>(values: &[T], to: &mut Vec<u8>) {
    write_length(values.len(), to);
    for value in values {
        value.write(to);
    }
}

impl<'a, T: Value<'a> + Clone> Value<'a> for Cow<'a, [T]> {
    fn write(&self, to: &mut Vec<u8>) {
        write_all(self, to);
    }

    fn read(from: &mut &'a [u8]) -> Result<Self> {
        Vec::read(from).map(Self::Owned)
    }
}

impl Value<'_> for Option<u64> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        if let Some(number) = self {
            number.write(to);
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        if bool::read(from)? { u64::read(from).map(Some) } else { Ok(None) }
    }
}

/// A set of words: a byte with a bit for each word, the lowest for the first word of the list.
fn set_of<T: Named>(words: &[T]) -> u8 {
    let bits = (0..).zip(T::VALUES).filter(|(_, word)| words.contains(word));
    bits.fold(0, |set, (bit, _)| set | 1 << bit)
}

fn words_of<T: Named>(set: u8) -> Result<Vec<T>> {
    if u32::from(set) >> T::VALUES.len() != 0 {
        return Err(Corrupt);
    }
    let words = (0..).zip(T::VALUES).filter(|(bit, _)| set >> bit & 1 == 1);
    Ok(words.map(|(_, word): (u8, _)| *word).collect())
}

impl<'a> Value<'a> for Test<'a> {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Pattern(automaton) => (0_u8, *automaton).write(to),
            Self::Words(words) => {
                to.push(1);
                words.write(to);
            }
            Self::Tool(name) => (2_u8, *name).write(to),
        }
    }

    fn read(from: &mut &'a [u8]) -> Result<Self> {
        match u8::read(from)? {
            0 => Value::read(from).map(Self::Pattern),
            1 => Value::read(from).map(Self::Words),
            2 => Value::read(from).map(Self::Tool),
            _ => Err(Corrupt),
        }
    }
}

/// JSON, up to the end of the record: no call needs it.
impl Value<'_> for BuildNotes {
    fn write(&self, to: &mut Vec<u8>) {
        // Plain data with text for keys cannot fail.
        to.extend(serde_json::to_vec(self).unwrap_or_default());
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        serde_json::from_slice(std::mem::take(from)).map_err(|_| Corrupt)
    }
}

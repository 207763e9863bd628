//! Everything in its place.

use std::collections::{BTreeMap, HashMap};

use lessons_core::index::block::{Filter, Table};
use lessons_core::index::header::{BYTES as HEADER_BYTES, Header, Identity, Span};
use lessons_core::index::key::Key;
use lessons_core::index::pairs::Pairs;
use lessons_core::index::postings::{self, Posting, Surfaces};
use lessons_core::index::record::{NAME_BYTES, Subjects, Test, Trigger, Writer, name};
use lessons_core::index::storage::{Kind, encode_place};
use lessons_core::lesson::Subject;
use lessons_core::manifest::{Manifest, TriggerEntry};
use lessons_core::pattern::{self, Compiled, PatternError};
use lessons_core::trigger::TriggerKind;
use sha2::{Digest, Sha256};

use super::keys::{self, Found, Frequency, Needs};
use crate::automata::{self, AutomatonError};

/// An index without the identity of its manifest, which is known once that is published.
#[derive(Debug)]
pub struct Draft {
    header: Header,
    body: Vec<u8>,
    /// How many triggers have no key and are looked at in every call.
    pub always_tried: usize,
}

impl Draft {
    /// The index, for the manifest that has become this file.
    pub fn finish(mut self, manifest: Identity) -> Vec<u8> {
        self.header.manifest = manifest;
        let mut bytes = self.header.encode();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// Why a manifest has no index. One that was compiled has.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A pattern is none.
    #[error("`{pattern}`: {source}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: PatternError,
    },
    /// A pattern has no automaton.
    #[error("`{pattern}`: {source}")]
    Automaton {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: Box<AutomatonError>,
    },
}

/// Automata by the kind and the name of their pattern.
pub type Automata = HashMap<(TriggerKind, [u8; NAME_BYTES]), Vec<u8>>;

/// Lays out `manifest`, whose bytes are `published`. Automata are taken from `known` where they are
/// there. Fails with the pattern that is none, which a manifest that was compiled does not hold.
pub fn draft(manifest: &Manifest, published: &[u8], known: &Automata) -> Result<Draft, IndexError> {
    let owners = owners(manifest);
    let needs: Vec<Needs> = manifest
        .triggers
        .iter()
        .zip(&owners)
        .map(|(trigger, owners)| {
            if owners.lessons.is_empty() {
                return Ok(Needs::Never);
            }
            keys::needs(trigger)
                .map_err(|source| IndexError::Pattern { pattern: trigger.pattern.clone(), source })
        })
        .collect::<Result<_, _>>()?;
    let mut frequency = Frequency::default();
    for needs in &needs {
        frequency.count(needs);
    }

    let mut by_key: BTreeMap<Key, Vec<Posting>> = BTreeMap::new();
    let mut always = Vec::new();
    let mut content_grams = Vec::new();
    for (position, needs) in (0..).zip(&needs) {
        let Some((surfaces, Found { keys, grams, conditions })) = keys::choose(needs, &frequency) else {
            continue;
        };
        let posting = Posting { trigger: position, surfaces, conditions };
        if keys.is_empty() {
            always.push(posting);
        }
        for key in keys {
            by_key.entry(key).or_default().push(posting);
        }
        if surfaces.meet(Surfaces::CONTENT) {
            content_grams.extend(grams);
        }
    }

    let mut lists = Vec::from([0; 4]);
    let mut place = |list: &[Posting]| {
        let at = u32::try_from(lists.len()).unwrap_or(u32::MAX);
        lists.extend_from_slice(&postings::encode(at, list));
        at
    };
    let entries: Vec<(Key, u32)> = by_key.iter().map(|(key, list)| (*key, place(list))).collect();
    let always_at = place(&always);
    let keys: Vec<Key> = by_key.keys().copied().collect();

    let mut body = Body::default();
    let filter = body.part(&Filter::build(&keys));
    let table = body.part(&Table::build(&entries));
    let pairs = body.part(&Pairs::of(content_grams.iter().map(Vec::as_slice)).encode());
    let postings = body.part(&lists);
    let triggers = manifest.triggers.iter().zip(&owners);
    let triggers = triggers.map(|(trigger, owners)| trigger_record(trigger, owners, known));
    let triggers = triggers.collect::<Result<Vec<_>, _>>()?;
    let triggers = body.records(Kind::Trigger, &triggers);
    let terms: Vec<Vec<u8>> =
        manifest.lessons.iter().map(|lesson| write(|to| to.terms(&lesson.terms))).collect();
    let lessons = body.records(Kind::Terms, &terms);
    let texts: Vec<Vec<u8>> =
        manifest.lessons.iter().map(|lesson| write(|to| to.said(&lesson.full, &lesson.brief))).collect();
    let texts = body.records(Kind::Texts, &texts);
    let header = Header {
        manifest: Identity::default(),
        digest: Sha256::digest(published).into(),
        body: Sha256::digest(&body.0).into(),
        settings: manifest.settings.clone(),
        reads_contents: manifest.triggers.iter().any(|trigger| trigger.kind == TriggerKind::ContentPattern),
        filter,
        table,
        pairs,
        postings,
        always: always_at,
        triggers,
        lessons,
        texts,
    };
    Ok(Draft { header, body: body.0, always_tried: always.len() })
}

fn write(fill: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::default();
    fill(&mut writer);
    writer.finish()
}

/// Who has a trigger among theirs, and on what they try it.
#[derive(Debug, Clone, Default)]
struct Owners {
    lessons: Vec<u32>,
    subjects: Subjects,
}

fn owners(manifest: &Manifest) -> Vec<Owners> {
    let mut owners = vec![Owners::default(); manifest.triggers.len()];
    for (position, lesson) in (0..).zip(&manifest.lessons) {
        for &trigger in &lesson.terms.triggers {
            if let Some(owner) = owners.get_mut(trigger as usize) {
                owner.lessons.push(position);
                match lesson.terms.subject {
                    Subject::Command => owner.subjects.command = true,
                    Subject::Executable => owner.subjects.executable = true,
                }
            }
        }
    }
    owners
}

fn trigger_record(trigger: &TriggerEntry, owners: &Owners, known: &Automata) -> Result<Vec<u8>, IndexError> {
    let name = name(&trigger.pattern);
    let automaton = match &trigger.compiled {
        Compiled::Regex { .. } => match known.get(&(trigger.kind, name)) {
            Some(known) => known.clone(),
            None => automaton(trigger)?,
        },
        Compiled::Keyword { .. } | Compiled::Tool { .. } => Vec::new(),
    };
    let test = match &trigger.compiled {
        Compiled::Regex { .. } => Test::Pattern(&automaton),
        Compiled::Keyword { tokens } => Test::Words(tokens.clone()),
        Compiled::Tool { name } => Test::Tool(lessons_core::call::tool_name(name)),
    };
    let record = Trigger {
        kind: trigger.kind,
        name,
        fanout: trigger.fanout,
        subjects: owners.subjects,
        test,
        lessons: owners.lessons.clone(),
    };
    Ok(write(|to| to.trigger(&record)))
}

fn automaton(trigger: &TriggerEntry) -> Result<Vec<u8>, IndexError> {
    let pattern = || trigger.pattern.clone();
    let regex = pattern::translated(trigger.kind, &trigger.pattern)
        .map_err(|source| IndexError::Pattern { pattern: pattern(), source })?;
    automata::build(&regex)
        .map_err(|source| IndexError::Automaton { pattern: pattern(), source: Box::new(source) })
}

/// What stands behind the header.
#[derive(Debug, Default)]
struct Body(Vec<u8>);

impl Body {
    fn end(&self) -> u64 {
        (HEADER_BYTES + self.0.len()) as u64
    }

    fn part(&mut self, bytes: &[u8]) -> Span {
        let span = Span { at: self.end(), length: bytes.len() as u64 };
        self.0.extend_from_slice(bytes);
        span
    }

    /// The records, and then where each of them is.
    fn records(&mut self, kind: Kind, records: &[Vec<u8>]) -> Span {
        let places: Vec<u8> = (0..)
            .zip(records)
            .flat_map(|(position, record)| {
                let at = self.end();
                self.0.extend_from_slice(record);
                encode_place(kind, position, at, record)
            })
            .collect();
        self.part(&places)
    }
}
